"""Reads phrases.toml (docs/phrases.md) and refuses what does not fit the server's tools.

Covers: the form of the file and its references to tools, arguments, result fields and entities. Does not cover: how
the phrases are used (synth/teacher/scripted.py).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import DefinitionError, UsageError
from ..records import Json, Tool
from ..world.server import Server
from .templates import Flag, Group, Part, PhraseTemplate, Slot, is_format

MAKERS = ("money", "number", "pick", "day", "time", "secret", "row", "rows", "of", "result", "join")
OPTIONS = ("chance", "made_up", "when")
"""Keys of an entry of values that say whether an argument is given, not how its value is made."""
MAKER_KEYS = frozenset({*MAKERS, *OPTIONS, "step", "field", "where", "most", "times", "path", "match"})
CONDITIONS = frozenset({"above", "below", "in", "not", "days_ago_at_most", "after_now", "ends", "filled"})


@dataclass(frozen=True)
class Facet:
    """One way to find a row: a look-up tool and its arguments as templates over the row's fields."""

    tool: str
    arguments: dict[str, Json]


@dataclass(frozen=True)
class Need:
    """A call that must come before a tool, if the tool's own arguments meet `when`."""

    tool: str
    arguments: dict[str, Json]
    when: dict[str, Json]


@dataclass(frozen=True)
class EntityPhrases:
    """How a person means a row of this entity, and how the row is found."""

    name: str
    refer: PhraseTemplate
    again: PhraseTemplate
    made: PhraseTemplate
    find: tuple[Facet, ...]
    worthy: dict[str, Json]
    supported: dict[str, int]
    of: str
    where: dict[str, Json]
    derive: dict[str, PhraseTemplate]
    spoken: bool


@dataclass(frozen=True)
class RowPhrase:
    """How the rows of a result's list are told."""

    of: str
    say: PhraseTemplate
    most: int


@dataclass(frozen=True)
class ToolPhrases:
    """How a tool is asked for and answered, and how its arguments get values."""

    ask: tuple[PhraseTemplate, ...]
    tell: tuple[PhraseTemplate, ...]
    row: RowPhrase | None
    goal: bool
    filters: int
    wish: dict[str, Json]
    needs: tuple[Need, ...]
    undoes: tuple[str, ...]
    made: PhraseTemplate | None
    replaceable: bool
    missing: dict[str, tuple[str, ...]]
    values: dict[str, dict[str, Json]]


@dataclass(frozen=True)
class Phrases:
    """All of one server's phrases."""

    server: str
    entities: dict[str, EntityPhrases]
    words: dict[str, dict[str, str]]
    tools: dict[str, ToolPhrases]

    def base(self, entity: str) -> str:
        """The entity whose id the tools show for this one (a file is a kind of entry)."""
        known = self.entities.get(entity)
        return known.of or entity if known else entity


@dataclass
class _Problems:
    server: str
    found: list[str] = field(default_factory=list)

    def __call__(self, where: str, what: str) -> None:
        self.found.append(f"{where}: {what}")

    def template(self, where: str, text: Json) -> PhraseTemplate:
        try:
            made = PhraseTemplate(str(text))
        except ValueError as error:
            self(where, str(error))
            return PhraseTemplate("")
        for slot in _slots(made.parts):
            if not is_format(slot.format):
                self(where, f"no format {slot.format!r}")
        return made

    def keys(self, where: str, table: Mapping[str, Json], known: Iterable[str]) -> None:
        unknown = sorted(set(table) - set(known))
        if unknown:
            self(where, f"unknown keys {unknown}")

    def conditions(self, where: str, table: Mapping[str, Json]) -> None:
        for name, condition in table.items():
            if isinstance(condition, dict):
                self.keys(f"{where}.{name}", condition, CONDITIONS)


def read(server: Server) -> Phrases:
    """The phrases of a server.

    Raises:
        UsageError: the server has none, so nothing can be said of it
        DefinitionError: the file does not fit the tools; the message lists everything that is wrong
    """
    if not server.has("phrases.toml"):
        raise UsageError(f"{server.name} has no phrases.toml, so no conversation can be made; see docs/phrases.md")
    try:
        raw = tomllib.loads(server.text("phrases.toml"))
    except tomllib.TOMLDecodeError as error:
        raise DefinitionError(f"{server.name}/phrases.toml: {error}") from None
    problems = _Problems(server.name)
    problems.keys("phrases.toml", raw, ("entity", "words", "tool"))
    tools = {tool.name: tool for tool in server.tools}
    phrases = Phrases(
        server=server.name,
        entities={name: _entity(name, table, problems) for name, table in raw.get("entity", {}).items()},
        words=raw.get("words", {}),
        tools={name: _tool(name, table, problems) for name, table in raw.get("tool", {}).items()},
    )
    _check_entities(phrases, tools, problems)
    for name in sorted(set(tools) | set(phrases.tools)):
        if name not in tools:
            problems(f"tool.{name}", "the server has no such tool")
        elif name not in phrases.tools:
            problems(f"tool.{name}", "missing")
        else:
            _check_tool(phrases, tools[name], tools, problems)
    if problems.found:
        raise DefinitionError(f"{server.name}/phrases.toml:\n  " + "\n  ".join(problems.found))
    return phrases


def _entity(name: str, table: dict[str, Any], problems: _Problems) -> EntityPhrases:
    where = f"entity.{name}"
    known = ("refer", "again", "made", "find", "worthy", "supported", "of", "where", "derive", "spoken")
    problems.keys(where, table, known)
    if "refer" not in table:
        problems(where, "refer is missing")
    problems.conditions(f"{where}.worthy", table.get("worthy", {}))
    problems.conditions(f"{where}.where", table.get("where", {}))
    finds = []
    for facet in table.get("find", []):
        problems.keys(f"{where}.find", facet, ("tool", "with"))
        finds.append(Facet(facet.get("tool", ""), facet.get("with", {})))
    readable = name.replace("_", " ")
    return EntityPhrases(
        name=name,
        refer=problems.template(f"{where}.refer", table.get("refer", "")),
        again=problems.template(f"{where}.again", table.get("again", f"that {readable}")),
        made=problems.template(f"{where}.made", table.get("made", f"the new {readable}")),
        find=tuple(finds),
        worthy=table.get("worthy", {}),
        supported=table.get("supported", {}),
        of=table.get("of", ""),
        where=table.get("where", {}),
        derive={key: problems.template(f"{where}.derive", text) for key, text in table.get("derive", {}).items()},
        spoken=bool(table.get("spoken", False)),
    )


def _tool(name: str, table: dict[str, Any], problems: _Problems) -> ToolPhrases:
    where = f"tool.{name}"
    known = ("ask", "tell", "row", "goal", "filters", "wish", "needs", "undoes", "made", "replaceable")
    problems.keys(where, table, (*known, "missing", "values"))
    problems.conditions(f"{where}.wish", table.get("wish", {}))
    row = None
    if "row" in table:
        problems.keys(f"{where}.row", table["row"], ("of", "say", "most"))
        say = problems.template(f"{where}.row.say", table["row"].get("say", ""))
        row = RowPhrase(str(table["row"].get("of", "")), say, int(table["row"].get("most", 4)))
    needs = []
    for need in table.get("needs", []):
        problems.keys(f"{where}.needs", need, ("tool", "with", "when"))
        problems.conditions(f"{where}.needs.when", need.get("when", {}))
        needs.append(Need(need.get("tool", ""), need.get("with", {}), need.get("when", {})))
    tell = table.get("tell", [])
    return ToolPhrases(
        ask=tuple(problems.template(f"{where}.ask", text) for text in table.get("ask", [])),
        tell=tuple(problems.template(f"{where}.tell", text) for text in ([tell] if isinstance(tell, str) else tell)),
        row=row,
        goal=bool(table.get("goal", True)),
        filters=int(table.get("filters", 0)),
        wish=table.get("wish", {}),
        needs=tuple(needs),
        undoes=tuple(table.get("undoes", ())),
        made=problems.template(f"{where}.made", table["made"]) if "made" in table else None,
        replaceable=bool(table.get("replaceable", False)),
        missing={argument: tuple(words) for argument, words in table.get("missing", {}).items()},
        values=table.get("values", {}),
    )


def _check_entities(phrases: Phrases, tools: dict[str, Tool], problems: _Problems) -> None:
    taken = {entity for tool in tools.values() for entity in tool.takes.values()}
    for name in sorted(taken - set(phrases.entities)):
        problems(f"entity.{name}", "missing, though tools take its id")
    for name, entity in phrases.entities.items():
        where = f"entity.{name}"
        if entity.of and entity.of not in phrases.entities:
            problems(where, f"of names {entity.of!r}, which is no entity")
            continue
        base = entity.of or name
        if name in taken and not entity.find and not entity.spoken:
            problems(where, "no look-up finds it, and it is not spoken")
        for facet in entity.find:
            tool = tools.get(facet.tool)
            if tool is None or tool.effect != "read":
                problems(f"{where}.find", f"{facet.tool!r} is no read tool")
            elif base not in tool.gives.values():
                problems(f"{where}.find", f"{facet.tool} does not show {base} ids")
            else:
                problems.keys(f"{where}.find {facet.tool}", facet.arguments, tool.input_schema["properties"])


def _check_tool(phrases: Phrases, tool: Tool, tools: dict[str, Tool], problems: _Problems) -> None:
    where = f"tool.{tool.name}"
    entry = phrases.tools[tool.name]
    arguments = tool.input_schema["properties"]
    if entry.goal and (len(entry.ask) < 2 or not entry.tell):
        problems(where, "a goal needs two ways to ask and one to tell")
    problems.keys(f"{where}.values", entry.values, arguments)
    problems.keys(f"{where}.missing", entry.missing, tool.required)
    for name, maker in entry.values.items():
        _check_maker(f"{where}.values.{name}", maker, phrases, tool, tools, problems)
        if isinstance(maker, dict) and "when" in maker:
            given = list(arguments)[: list(arguments).index(name)] if name in arguments else []
            problems.keys(f"{where}.values.{name}.when", {key.split(".")[0]: 0 for key in maker["when"]}, given)
            problems.conditions(f"{where}.values.{name}.when", maker["when"])
    unsaid = {name for name, maker in entry.values.items() if "result" in maker or maker.get("made_up")}
    for template in entry.ask:
        named = {slot.split(".")[0] for slot in template.slots()}
        problems.keys(f"{where}.ask {template.text!r}", dict.fromkeys(named), arguments)
        lost = set(tool.required) - unsaid - {slot.split(".")[0] for slot in template.plain_slots()}
        if lost and entry.goal:
            problems(f"{where}.ask {template.text!r}", f"does not say the required {sorted(lost)}")
    for name in tool.required if entry.goal else ():
        schema = arguments[name]
        simple = name in tool.takes or "enum" in schema or "const" in schema or schema.get("type") == "boolean"
        if name not in entry.values and not simple:
            problems(f"{where}.values", f"the required {name!r} has no entry")
    _check_tell(where, entry, tool.output_schema["properties"], problems)
    for need in entry.needs:
        if need.tool not in tools:
            problems(f"{where}.needs", f"{need.tool!r} is no tool")
        else:
            problems.keys(f"{where}.needs {need.tool}", need.arguments, tools[need.tool].input_schema["properties"])
        problems.keys(f"{where}.needs.when", need.when, arguments)
    problems.keys(f"{where}.undoes", dict.fromkeys(entry.undoes), tools)
    for name in entry.wish:
        if name.split(".")[0] not in tool.output_schema["properties"]:
            problems(f"{where}.wish", f"the result has no {name!r}")


def _check_tell(where: str, entry: ToolPhrases, result: dict[str, Json], problems: _Problems) -> None:
    for template in entry.tell:
        named = {slot.split(".")[0] for slot in template.slots()}
        problems.keys(f"{where}.tell {template.text!r}", dict.fromkeys(named), result)
    if entry.row is not None:
        items = result.get(entry.row.of, {}).get("items")
        if items is None:
            problems(f"{where}.row", f"the result has no list {entry.row.of!r}")
        elif "properties" in items:
            named = {slot.split(".")[0] for slot in entry.row.say.slots()}
            problems.keys(f"{where}.row", dict.fromkeys(named), items["properties"])


def _check_maker(
    where: str, maker: Json, phrases: Phrases, tool: Tool, tools: dict[str, Tool], problems: _Problems
) -> None:
    if not isinstance(maker, dict):
        problems(where, f"{maker!r} is no table")
        return
    problems.keys(where, maker, MAKER_KEYS)
    kinds = [key for key in MAKERS if key in maker]
    if len(kinds) != 1 and set(maker) - {"chance", "when"}:
        problems(where, f"needs exactly one of {', '.join(MAKERS)}, has {kinds}")
    entity = maker.get("row", maker.get("rows"))
    if entity is not None and entity not in phrases.entities:
        problems(where, f"{entity!r} is no entity")
    if "result" in maker and maker["result"] not in tools:
        problems(where, f"{maker['result']!r} is no tool")
    if "of" in maker and maker["of"] not in tool.takes:
        problems(where, f"{maker['of']!r} is no argument that takes an id")
    for part in maker.get("join", []):
        if isinstance(part, dict):
            _check_maker(f"{where}.join", part, phrases, tool, tools, problems)


def _slots(parts: tuple[Part, ...]) -> list[Slot]:
    found: list[Slot] = []
    for part in parts:
        if isinstance(part, Slot):
            found.append(part)
        elif isinstance(part, Group):
            found.extend(_slots(part.parts))
        elif isinstance(part, Flag):
            continue
    return found
