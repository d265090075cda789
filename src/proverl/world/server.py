"""A server: typed functions that become tools, a schema, a seed.

Covers: `@tool`, which derives a tool's input and output JSON Schema once from its signature and docstring; `Server`,
which collects the tools of a domain and builds its worlds. Does not cover: calling a tool (world/session.py) or
serving it (wire/serve.py).

A tool is a function whose first parameter is the `World`:

    AccountId = Annotated[str, Ref("account")]

    @tool("write", refusals=["account_not_found", "wrong_pin"])
    def close_account(world: World, account_id: AccountId, pin: Annotated[str, SECRET]) -> ClosedAccount:
        '''Close an account for good.

        Args:
            account_id: id of the account
            pin: the customer's four-digit PIN
        '''

Its docstring is what the model reads. A parameter with a default may be left out; one whose default is None has no
null in its schema. Marks in `Annotated`: `Ref(entity)` on arguments and on fields of results, `SECRET`, `FREE` (free
text), and any pydantic `Field` constraint.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from importlib.resources.abc import Traversable
from threading import Lock
from types import ModuleType
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

import jsonschema_rs
import typing_extensions
from pydantic import Field, TypeAdapter

from ..errors import BadSeed, DefinitionError, Refused, UnknownTool, nearest
from ..records import Effect, Json, Tool
from ..strict_json import MAX_INTEGER
from .schema import Schema
from .state import Template
from .world import Builder, World

__all__ = ["FREE", "SECRET", "Field", "Ref", "Refused", "Server", "World", "tool"]

TEMPLATES_KEPT = 128
SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
REFERENCE_DAYS = 730


@dataclass(frozen=True)
class Ref:
    """This string is the id of an entity of the domain."""

    entity: str


@dataclass(frozen=True)
class Mark:
    """A property of an argument that its type cannot say."""

    name: str


SECRET: Final = Mark("secret")
FREE: Final = Mark("free")

Body = TypeVar("Body", bound=Callable[..., Any])


@dataclass(frozen=True)
class ToolFunction:
    """A tool's record, its body, and the judge of its arguments."""

    tool: Tool
    body: Callable[..., Json]
    judge: Any
    integers: frozenset[str]


def tool(
    effect: Effect, *, refusals: Sequence[str] = (), after: Iterable[str] = (), idempotent: bool | None = None
) -> Callable[[Body], Body]:
    """Make a typed function a tool.

    `effect`: read changes nothing, write deletes no row, destructive may. `refusals` lists the codes with which the
    body can refuse, in the order in which it checks; `after` names tools that may have to run first. `idempotent` says
    that a second equal call changes nothing more; reads always are.

    Raises:
        DefinitionError: a parameter without description or type, or a result that is no TypedDict
    """

    def mark(body: Body) -> Body:
        for word in (body.__name__, *refusals):
            if not SNAKE.fullmatch(word):
                raise DefinitionError(f"{body.__name__}: {word!r} is not snake_case")
        record = _describe(body, effect, tuple(refusals), tuple(after), effect == "read" or bool(idempotent))
        properties = record.input_schema["properties"]
        integers = frozenset(name for name, schema in properties.items() if _holds_integer(schema))
        judge = jsonschema_rs.validator_for(record.input_schema, validate_formats=False)
        body.__dict__["__tool__"] = ToolFunction(record, body, judge, integers)
        return body

    return mark


def _holds_integer(schema: Json) -> bool:
    if isinstance(schema, dict):
        return schema.get("type") == "integer" or any(_holds_integer(part) for part in schema.values())
    return isinstance(schema, list) and any(_holds_integer(part) for part in schema)


def _describe(
    body: Callable[..., Any], effect: Effect, refusals: tuple[str, ...], after: tuple[str, ...], idempotent: bool
) -> Tool:
    name = body.__name__
    description, about = _docstring(name, inspect.getdoc(body) or "")
    hints = typing.get_type_hints(body, include_extras=True)
    properties: dict[str, Json] = {}
    takes: dict[str, str] = {}
    marks: dict[str, list[str]] = {"secret": [], "free": []}
    required = []
    for parameter in _parameters(body, hints):
        if parameter.name not in about:
            raise DefinitionError(f"{name}: the parameter {parameter.name!r} is not described under Args")
        hint = _without_none(hints[parameter.name])
        properties[parameter.name] = {**_json_schema(hint), "description": about.pop(parameter.name)}
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
        elif parameter.default is not None:
            properties[parameter.name]["default"] = parameter.default
        for found in _annotations(hint):
            if isinstance(found, Ref):
                takes[parameter.name] = found.entity
            elif isinstance(found, Mark):
                marks[found.name].append(parameter.name)
    if about:
        raise DefinitionError(f"{name}: Args describes {sorted(about)}, which are no parameters")
    schema: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    if not typing_extensions.is_typeddict(hints.get("return")):
        raise DefinitionError(f"{name}: the result must be a TypedDict")
    return Tool(
        name=name,
        description=description,
        input_schema=schema,
        output_schema=_json_schema(hints["return"]),
        effect=effect,
        idempotent=idempotent,
        takes=takes,
        gives=dict(_references(hints["return"], "")),
        after=after,
        secret=tuple(marks["secret"]),
        free=tuple(marks["free"]),
        refusals=refusals,
    )


def _parameters(body: Callable[..., Any], hints: dict[str, Any]) -> list[inspect.Parameter]:
    """The parameters that callers fill: all but the World."""
    name = body.__name__
    parameters = list(inspect.signature(body).parameters.values())
    if not parameters or hints.get(parameters[0].name) is not World:
        raise DefinitionError(f"{name}: the first parameter must be a World")
    for parameter in parameters[1:]:
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise DefinitionError(f"{name}: *{parameter.name} has no schema; name each parameter")
        if parameter.name not in hints:
            raise DefinitionError(f"{name}: the parameter {parameter.name!r} has no type")
    return parameters[1:]


def _docstring(name: str, text: str) -> tuple[str, dict[str, str]]:
    """The description, and the texts under `Args:` by parameter."""
    head, _, tail = text.partition("\nArgs:\n")
    if not head.strip():
        raise DefinitionError(f"{name}: no docstring; it is what the model reads")
    about: dict[str, str] = {}
    current = ""
    for line in inspect.cleandoc("Args:\n" + tail).splitlines()[1:]:
        entry = re.match(r"\s{0,4}(\w+): (.+)", line)
        if entry:
            current = entry[1]
            about[current] = entry[2].strip()
        elif line.strip() and current:
            about[current] += " " + line.strip()
    return " ".join(head.split()), about


def _without_none(hint: Any) -> Any:
    """The hint of an argument that may be left out, as it is when it is there."""
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        return Annotated[(_without_none(base), *marks)]
    if get_origin(hint) in (types.UnionType, typing.Union):
        rest = [part for part in get_args(hint) if part is not type(None)]
        return rest[0] if len(rest) == 1 else typing.Union[tuple(rest)]  # noqa: UP007
    return hint


def _annotations(hint: Any) -> list[Any]:
    """All marks on a hint, those inside a list's items included."""
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        return [*marks, *_annotations(base)]
    return [mark for part in get_args(hint) if get_origin(hint) is list for mark in _annotations(part)]


def _references(hint: Any, path: str) -> list[tuple[str, str]]:
    """(path in the result, entity) of every id in a result type."""
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        own = [(path, mark.entity) for mark in marks if isinstance(mark, Ref)]
        return own or _references(base, path)
    if get_origin(hint) is list:
        return _references(get_args(hint)[0], f"{path}[]")
    if typing_extensions.is_typeddict(hint):
        found = []
        for name, field in typing.get_type_hints(hint, include_extras=True).items():
            found.extend(_references(field, f"{path}.{name}" if path else name))
        return found
    if get_origin(hint) in (types.UnionType, typing.Union, typing.NotRequired, typing.Required):
        return [pair for part in get_args(hint) for pair in _references(part, path)]
    return []


def _json_schema(hint: Any) -> dict[str, Json]:
    """A plain JSON Schema without titles and $ref."""
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
        if kept.get("type") == "object" and "properties" in kept:
            kept["properties"] = {key: plain(value) for key, value in kept["properties"].items()}
            kept["additionalProperties"] = False
            return kept
        return {key: plain(value) for key, value in kept.items()}

    result: dict[str, Json] = plain(schema)
    return result


class Server:
    """A domain: its tools, its schema and the way a seed becomes a world.

    `folder` holds schema.sql and phrases.toml (`importlib.resources.files(__name__)`). `tools` are the modules whose
    functions are tools, in the order of definition. `ids` lists the prefixes of all ids. `opens` is the hour at which
    worlds start, `offset` their hours east of UTC, `tick` what the clock moves on by after a successful write,
    `discovery` the reads that enumerate the entities.
    """

    def __init__(
        self,
        name: str,
        *,
        folder: Traversable,
        category: str,
        about: str,
        tools: Iterable[ModuleType],
        seed: Callable[[Builder], None],
        ids: Iterable[str],
        discovery: Iterable[str],
        opens: int = 9,
        offset: int = 0,
        tick: timedelta = timedelta(minutes=1),
    ) -> None:
        self.name = name
        self._folder = folder
        self.category = category
        self.about = " ".join(about.split())
        self.ids = tuple(ids)
        self.discovery = tuple(discovery)
        self.offset = timezone(timedelta(hours=offset))
        self.tick = tick
        self._opens = opens
        self._seed = seed
        self._functions = _collect(name, tools)
        self.schema = Schema(self.text("schema.sql"))
        """The tables of the domain."""
        self._templates: OrderedDict[int, Template] = OrderedDict()
        self._lock = Lock()
        unknown = [tool for tool in self.discovery if tool not in self._functions]
        if unknown:
            raise DefinitionError(f"{name}: discovery names {unknown}, which are no tools")

    def __repr__(self) -> str:
        return f"Server({self.name!r}, {len(self._functions)} tools)"

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools in the order in which they are defined, which is also the order on the wire."""
        return tuple(function.tool for function in self._functions.values())

    @property
    def tool_names(self) -> Collection[str]:
        """The names of the tools, in the same order."""
        return self._functions.keys()

    def function(self, name: str) -> ToolFunction | None:
        """The tool of this name, None if there is none."""
        return self._functions.get(name)

    def tool(self, name: str) -> Tool:
        """The tool of this name.

        Raises:
            UnknownTool: there is none; the message names the nearest one
        """
        function = self._functions.get(name)
        if function is None:
            raise UnknownTool(f"{self.name} has no tool {name!r}; {nearest(name, self._functions)}")
        return function.tool

    def text(self, file: str) -> str:
        """A text file of the domain's folder, such as phrases.toml."""
        return self._folder.joinpath(file).read_text(encoding="utf-8")

    def template(self, seed: int) -> Template:
        """The world of a seed, built once and kept while it is in use.

        Raises:
            BadSeed: not an integer from 0 to 2**53 - 1
        """
        if type(seed) is not int or not 0 <= seed <= MAX_INTEGER:
            raise BadSeed(f"{seed!r} is not a seed; a seed is an integer from 0 to 2**53 - 1")
        with self._lock:
            if seed in self._templates:
                self._templates.move_to_end(seed)
                return self._templates[seed]
            template = self._build(seed)
            self._templates[seed] = template
            if len(self._templates) > TEMPLATES_KEPT:
                self._templates.popitem(last=False)
            return template

    def _build(self, seed: int) -> Template:
        builder = Builder(self.schema, self.name, seed, datetime(2000, 1, 1), self.ids)
        day = date(2031, 1, 1) + timedelta(days=builder.random.randrange(REFERENCE_DAYS))
        builder.now = datetime(day.year, day.month, day.day, self._opens, tzinfo=self.offset)
        self._seed(builder)
        return builder.finish()


def _collect(server: str, modules: Iterable[ModuleType]) -> dict[str, ToolFunction]:
    found: dict[str, ToolFunction] = {}
    for module in modules:
        for value in list(vars(module).values()):
            function = getattr(value, "__tool__", None)
            if not isinstance(function, ToolFunction) or value.__module__ != module.__name__:
                continue
            if function.tool.name in found:
                raise DefinitionError(f"{server}: two tools are called {function.tool.name!r}")
            named = _with_server(function, server)
            found[named.tool.name] = named
    for function in found.values():
        missing = [name for name in function.tool.after if name not in found]
        if missing:
            raise DefinitionError(f"{server}: {function.tool.name} comes after {missing}, which are no tools")
    return found


def _with_server(function: ToolFunction, server: str) -> ToolFunction:
    record = {name: getattr(function.tool, name) for name in Tool.__dataclass_fields__}
    return ToolFunction(Tool(**{**record, "server": server}), function.body, function.judge, function.integers)
