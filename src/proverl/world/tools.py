"""A typed function becomes a tool: its record, its JSON Schemas, the judge of its arguments, the conversion of values.

Covers: `@tool`. Does not cover: the tools of a server together (server.py) or calling one (session.py).

    @tool("write", refusals="account_not_found wrong_pin")
    def close_account(world: World, account_id: AccountId, pin: Annotated[str, SECRET]) -> ClosedAccount:
        '''Close an account for good.

        Args:
            account_id: id of the account
            pin: the customer's four-digit PIN
        '''

Its docstring is what the model reads. A parameter with a default may be left out; one whose default is None has no
null in its schema. Marks in `Annotated` are those of marks.py and any pydantic `Field` constraint.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

import typing_extensions
from pydantic import TypeAdapter

from ..errors import DefinitionError
from ..records import Effect, Json, Tool
from ..schemas import Validator, judge
from .frozen import frozen
from .marks import FLAG, MONEY, Entity, Mark, marked_places, marks_of
from .values import cents
from .world import World

TIMES = ("date", "moment")
SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

Body = TypeVar("Body", bound=Callable[..., Any])
Convert: TypeAlias = Callable[[Any, str], Any]
"""Takes a value and the name of its argument or field, returns what it is on the other side."""


@dataclass(frozen=True)
class ToolFunction:
    """A tool's record, its body, the judge of its arguments, and what is converted on the way in and out.

    `unechoed` maps an argument that shows in no changed row and in no result to the reason why, `times` an argument
    that holds a day or a moment to which of them. `repeats` says why a second equal call changes more.
    """

    tool: Tool
    body: Callable[..., Json]
    judge: Validator
    inward: Mapping[str, Convert]
    outward: Convert | None
    unechoed: Mapping[str, str]
    repeats: str
    times: Mapping[str, str]
    entities: frozenset[Entity]

    def arguments(self, given: dict[str, Json]) -> dict[str, Json]:
        """A caller's arguments as the body takes them: cents for dollars, 0 and 1 for booleans, 5 for an integer 5.0.

        Raises:
            Refused: invalid_argument, for an amount with more than two decimals
        """
        return {**given, **{name: inward(given[name], name) for name, inward in self.inward.items() if name in given}}

    def result(self, value: Json) -> Json:
        """A result of the body as the caller sees it."""
        return value if self.outward is None else self.outward(value, "")


def tool(
    effect: Effect,
    *,
    refusals: str = "",
    after: str = "",
    idempotent: bool = False,
    repeats: str = "",
    unechoed: Mapping[str, str] | None = None,
) -> Callable[[Body], Body]:
    """Make a typed function a tool.

    `effect`: read changes nothing, write deletes no row, destructive may. `refusals` lists the codes with which the
    body can refuse, in the order in which it checks; `after` names tools that may have to run first. `idempotent` says
    that a second equal call changes nothing more; reads always are; `repeats` says why a tool is not, where that
    is seldom seen. `unechoed` names an argument whose value shows in no changed row and in no result, with the reason.

    Raises:
        DefinitionError: a parameter without description or type, or a result that is no TypedDict
    """

    def mark(body: Body) -> Body:
        codes = tuple(refusals.split())
        for word in (body.__name__, *codes):
            if not SNAKE.fullmatch(word):
                raise DefinitionError(f"{body.__name__}: {word!r} is not snake_case")
        record = _describe(body, effect)
        record = replace(record, refusals=codes, after=tuple(after.split()), idempotent=effect == "read" or idempotent)
        hints = typing.get_type_hints(body, include_extras=True)
        taken = {name: _inward(_without_none(hints[name])) for name in record.input_schema["properties"]}
        body.__dict__["__tool__"] = ToolFunction(
            record,
            body,
            judge(record.input_schema),
            {name: convert for name, convert in taken.items() if convert is not None},
            _outward(hints["return"]),
            dict(unechoed or {}),
            repeats,
            {name: mark for name in taken for mark in _times(hints[name])},
            frozenset(_entities(hints)),
        )
        return body

    return mark


def _times(hint: Any) -> list[str]:
    return [mark.name for mark in marks_of(_without_none(hint)) if isinstance(mark, Mark) and mark.name in TIMES]


def _entities(hints: Mapping[str, Any]) -> Iterator[Entity]:
    for hint in hints.values():
        yield from (mark for _, mark in marked_places(hint) if isinstance(mark, Entity))


# The record


def _describe(body: Callable[..., Any], effect: Effect) -> Tool:
    name = body.__name__
    description, about = _docstring(name, _documentation(body))
    hints = typing.get_type_hints(body, include_extras=True)
    properties: dict[str, Json] = {}
    takes: dict[str, str] = {}
    marked: dict[str, list[str]] = {"secret": [], "free": []}
    for parameter in _parameters(body, hints):
        if parameter.name not in about:
            raise DefinitionError(f"{name}: the parameter {parameter.name!r} is not described under Args")
        hint = _without_none(hints[parameter.name])
        schema = {**_json_schema(hint), "description": about.pop(parameter.name)}
        if parameter.default not in (inspect.Parameter.empty, None):
            outward = _outward(hint)
            schema["default"] = outward(parameter.default, "") if outward else parameter.default
        properties[parameter.name] = schema
        for found in marks_of(hint):
            if isinstance(found, Entity):
                takes[parameter.name] = found.name
            elif found.name in marked:
                marked[found.name].append(parameter.name)
    if about:
        raise DefinitionError(f"{name}: Args describes {sorted(about)}, which are no parameters")
    if not typing_extensions.is_typeddict(hints.get("return")):
        raise DefinitionError(f"{name}: the result must be a TypedDict")
    places = list(marked_places(hints["return"]))
    return Tool(
        name=name,
        description=description,
        input_schema=_object(properties, [p.name for p in _parameters(body, hints) if p.default is p.empty]),
        output_schema=_json_schema(hints["return"]),
        effect=effect,
        takes=takes,
        gives={path: mark.name for path, mark in places if isinstance(mark, Entity)},
        marks={path: mark.name for path, mark in places if isinstance(mark, Mark)},
        secret=tuple(marked["secret"]),
        free=tuple(marked["free"]),
    )


def _object(properties: dict[str, Json], required: list[str]) -> dict[str, Json]:
    schema: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _parameters(body: Callable[..., Any], hints: dict[str, Any]) -> list[inspect.Parameter]:
    """The parameters that callers fill: all but the World."""
    name = body.__name__
    parameters = list(inspect.signature(body).parameters.values())
    if not parameters or hints.get(parameters.pop(0).name) is not World:
        raise DefinitionError(f"{name}: the first parameter must be a World")
    for parameter in parameters:
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise DefinitionError(f"{name}: *{parameter.name} has no schema; name each parameter")
        if parameter.name not in hints:
            raise DefinitionError(f"{name}: the parameter {parameter.name!r} has no type")
    return parameters


def _documentation(body: Callable[..., Any]) -> str:
    """The docstring of a function or a class, read from the source where Python was told to drop docstrings (-OO)."""
    if sys.flags.optimize >= 2:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(body))).body
        assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
        return ast.get_docstring(definition) or ""
    return inspect.getdoc(body) or ""


def _docstring(name: str, text: str) -> tuple[str, dict[str, str]]:
    """The description, and the texts under `Args:` by parameter."""
    head, _, tail = f"\n{text}".partition("\nArgs:\n")
    if not head.strip():
        raise DefinitionError(f"{name}: no docstring; it is what the model reads")
    about: dict[str, str] = {}
    current = ""
    for line in inspect.cleandoc("\n" + tail).splitlines():
        entry = re.match(r"(\w+): (.+)", line)
        if entry:
            current = entry[1]
            about[current] = entry[2].strip()
        elif line.strip() and current:
            about[current] += " " + line.strip()
    return " ".join(head.split()), about


def _without_none(hint: Any) -> Any:
    """The hint of an argument that may be left out, as it is when it is there."""
    if get_origin(hint) is Annotated:
        base, *found = get_args(hint)
        return Annotated[(_without_none(base), *found)]
    if get_origin(hint) in (types.UnionType, typing.Union):
        rest = [part for part in get_args(hint) if part is not type(None)]
        return typing.Union[tuple(rest)]  # noqa: UP007 - of one type it is that type
    return hint


def _typed_dicts(hint: Any) -> Iterator[Any]:
    """The TypedDicts in a type, with those in their fields."""
    parts: Iterable[Any] = get_args(hint)
    if typing_extensions.is_typeddict(hint):
        yield hint
        parts = typing.get_type_hints(hint).values()
    for part in parts:
        yield from _typed_dicts(part)


def _json_schema(hint: Any) -> dict[str, Json]:
    """A plain JSON Schema without titles and $ref."""
    for part in _typed_dicts(hint) if sys.flags.optimize >= 2 else ():
        part.__doc__ = _documentation(part) or None  # what a schema says of an object
    schema = TypeAdapter(hint).json_schema()
    definitions = schema.pop("$defs", {})

    def plain(node: Json) -> Json:
        if isinstance(node, list):
            return [plain(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return plain(definitions[node["$ref"].rsplit("/", 1)[1]])
        kept = {key: value for key, value in node.items() if not (key == "title" and isinstance(value, str))}
        if "properties" in kept:
            kept["properties"] = {key: plain(value) for key, value in kept["properties"].items()}
            kept["additionalProperties"] = False
            return kept
        return {key: plain(value) for key, value in kept.items()}

    result: dict[str, Json] = plain(schema)
    return result


# Conversion


def _inward(hint: Any) -> Convert | None:
    """How a caller's value becomes what the body takes; None where it stays as it is."""
    marks = _marks_on(hint)
    if MONEY in marks:
        return cents
    if FLAG in marks:
        return lambda value, name: int(value)
    if _annotated(hint):
        return _inward(get_args(hint)[0])
    if hint is int:
        return lambda value, name: int(value)  # JSON Schema takes 5.0 for an integer
    return _inside(hint, _inward)


def _outward(hint: Any) -> Convert | None:
    """How a value of the body becomes what the caller sees; None where it stays as it is."""
    marks = _marks_on(hint)
    if MONEY in marks:
        return lambda value, name: value / 100
    if FLAG in marks:
        return lambda value, name: bool(value)
    if _annotated(hint):
        return _outward(get_args(hint)[0])
    return _inside(hint, _outward)


def _marks_on(hint: Any) -> tuple[Any, ...]:
    """What stands in `Annotated` beside the type itself."""
    found: tuple[Any, ...] = getattr(hint, "__metadata__", ())
    return found


def _annotated(hint: Any) -> bool:
    return get_origin(hint) is Annotated


def _inside(hint: Any, convert: Callable[[Any], Convert | None]) -> Convert | None:
    """The conversion of what a list, an object or a union holds."""
    origin = get_origin(hint)
    if origin in (typing.NotRequired, typing.Required, typing_extensions.NotRequired, typing_extensions.Required):
        (part,) = get_args(hint)
        return convert(part)
    if origin is list:
        (part,) = get_args(hint)
        item = convert(part)
        return None if item is None else lambda value, name: [item(one, name) for one in value]
    if origin in (types.UnionType, typing.Union):
        return _either([part for part in get_args(hint) if part is not type(None)], convert)
    if typing_extensions.is_typeddict(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        fields = {name: inner for name, part in hints.items() if (inner := convert(part)) is not None}
        return _fields(fields) if fields else None
    return None


def _either(parts: list[Any], convert: Callable[[Any], Convert | None]) -> Convert | None:
    """The conversion of a value that may be None; a union of two types to convert has none, for which is it?"""
    if len(parts) != 1:
        return None
    inner = convert(parts[0])
    return None if inner is None else lambda value, name: None if value is None else inner(value, name)


def _fields(fields: Mapping[str, Convert]) -> Convert:
    pairs = tuple(fields.items())

    def convert(value: Any, name: str) -> Any:
        changed = dict(value)  # a row may stand in a result twice, and is to be converted once in each place
        for field, inner in pairs:
            if field in changed:
                changed[field] = inner(changed[field], field)
        return changed

    return convert


def collect(server: str, modules: Iterable[types.ModuleType]) -> dict[str, ToolFunction]:
    """The tools that are defined in these modules, by name, in the order of definition.

    Raises:
        DefinitionError: two of one name, or an `after` that is no tool
    """
    found: dict[str, ToolFunction] = {}
    for module in modules:
        for value in list(vars(module).values()):
            function = getattr(value, "__tool__", None)
            if not isinstance(function, ToolFunction) or value.__module__ != module.__name__:
                continue
            if function.tool.name in found:
                raise DefinitionError(f"{server}: two tools are called {function.tool.name!r}")
            found[function.tool.name] = replace(function, tool=frozen(replace(function.tool, server=server)))
    for function in found.values():
        missing = [name for name in function.tool.after if name not in found]
        if missing:
            raise DefinitionError(f"{server}: {function.tool.name} comes after {missing}, which are no tools")
    return found
