"""Goals: what a user could want next, with arguments that are known to work.

Covers: choosing the arguments of a tool from the sampled rows and the value makers of phrases.toml, the look-ups by
which an assistant finds the ids, the calls that must come first; everything is tried on the world and taken back, and
kept if it succeeds. Does not cover: words (synth/teacher/wording.py) or the order of turns (synth/machine.py).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from ...paths import extract, flat
from ...records import Json, Kind, Outcome, Tool
from ...world.session import LocalSession
from ..phrases import OPTIONS, EntityPhrases, Phrases, ToolPhrases
from ..sample import Context, Row, Shown, meets, names, shown
from ..templates import PhraseTemplate, Slot

TRIES = 10
DEPTH = 4
CHANCE = 0.4
SAME_SUBJECT = 0.35
"""How often a goal takes a row that an earlier goal was about, where one fits."""
SAID_AS_IT_IS = 0.5
Role = Literal["goal", "look-up", "need"]


@dataclass(frozen=True)
class Choice:
    """The value of one argument, the rows it stands for, and whether the user says the id itself."""

    value: Json
    rows: tuple[Row, ...] = ()
    literal: bool = False
    derived: bool = False
    """Taken from a result and not from the user's words."""


@dataclass(frozen=True)
class Planned:
    """One call of a plan."""

    tool: str
    arguments: dict[str, Json]
    role: Role


@dataclass(frozen=True)
class Goal:
    """Something that a user wants, the calls that get it (the last one is the goal itself), and its outcome."""

    tool: Tool
    ask: PhraseTemplate
    choices: dict[str, Choice]
    calls: tuple[Planned, ...]
    outcome: Outcome

    @property
    def rows(self) -> frozenset[str]:
        """The ids of the rows that the goal is about."""
        return frozenset(row.id for choice in self.choices.values() for row in choice.rows)


@dataclass
class Knowledge:
    """What the conversation has shown so far: ids with the fields shown beside them, results, rows that it made.

    `known` holds ids that need no recognising: the user said them, or a call made them. `makers` tells which tool made
    a row.
    """

    fields: dict[str, set[str]] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    results: dict[str, Outcome] = field(default_factory=dict)
    made: list[Row] = field(default_factory=list)
    makers: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Knowledge:
        """An independent copy, for trying something."""
        return Knowledge(dict(self.fields), set(self.known), dict(self.results), list(self.made), dict(self.makers))


class Planner:
    """Plans goals on a session of its own.

    `session` is a fork of the conversation's that runs ahead of it: `commit` carries a goal's calls out there, so that
    the next goal can build on it.
    """

    def __init__(self, session: LocalSession, context: Context, rng: random.Random) -> None:
        self.session = session
        self.context = context
        self.phrases: Phrases = context.phrases
        self.rng = rng
        self.seen = Knowledge()
        self.tools = {tool.name: tool for tool in session.tools}
        self._subjects: set[str] = set()
        self._clear: dict[str, bool] = {}

    # Plans

    def plan(self, name: str, terse: bool = False) -> Goal | None:
        """A goal of this tool that works now, None if none was found in a few tries; `terse` gives nothing optional."""
        entry = self.phrases.tools[name]
        tool = self.tools[name]
        for _ in range(TRIES):
            ask = self.rng.choice(entry.ask)
            choices = self._choose(tool, entry, ask, terse)
            if choices is None:
                continue
            goal = self._try(tool, entry, ask, choices)
            if goal is not None:
                return goal
        return None

    def commit(self, goal: Goal) -> None:
        """Carry a goal out on the session, and remember what it showed and made."""
        before = len(self.seen.made)
        final = goal.calls[-1]
        there = {one.id for one in shown(goal.tool, final.arguments, goal.outcome.value) if self._is_there(one)}
        for call in goal.calls:
            outcome = self.session.call(call.tool, call.arguments)
            self._learn(self.seen, self.tools[call.tool], call.arguments, outcome, there)
        self.seen.made[before:] = [self._inspected(row) for row in self.seen.made[before:]]
        self._subjects |= goal.rows

    def alternatives(self, goal: Goal, argument: str) -> int:
        """How many different values of an argument were found with which the goal works: 2 means a user must choose."""
        entry = self.phrases.tools[goal.tool.name]
        working = {repr(goal.choices[argument].value)}
        for _ in range(TRIES):
            other = self._make(goal.tool, argument, entry.values.get(argument), goal.choices, set())
            if other is None or repr(other.value) in working:
                continue
            if self._try(goal.tool, entry, goal.ask, {**goal.choices, argument: other}) is not None:
                working.add(repr(other.value))
                break
        return len(working)

    # Trying

    def _try(self, tool: Tool, entry: ToolPhrases, ask: PhraseTemplate, choices: dict[str, Choice]) -> Goal | None:
        seen = self.seen.copy()
        calls: list[Planned] = []
        with self.session.attempt():
            for choice in choices.values():
                for row in choice.rows:
                    if choice.literal:
                        seen.known.add(row.id)
                    elif not self._find(row, seen, calls, DEPTH):
                        return None
            values = {name: choice.value for name, choice in choices.items()}
            for need in entry.needs:
                if meets(values, need.when, self.context.today):
                    arguments = {name: self._fill(value, values) for name, value in need.arguments.items()}
                    if not self._do(Planned(need.tool, arguments, "need"), seen, calls):
                        return None
            taken = self._derive(tool, entry, values, seen)
            if taken is None:
                return None
            choices = {**choices, **taken}
            final = Planned(tool.name, {name: choice.value for name, choice in choices.items()}, "goal")
            before = self.session.snapshot()
            outcome = self._do(final, seen, calls)
            if outcome is None or not self._is_wanted(tool, entry, outcome, before):
                return None
        return Goal(tool, ask, choices, tuple(calls), outcome)

    def _is_wanted(self, tool: Tool, entry: ToolPhrases, outcome: Outcome, before: bytes) -> bool:
        """Whether a user would want this result: something was found or changed, as `wish` in phrases.toml has it."""
        if outcome.kind is Kind.EMPTY or not meets(flat(outcome.value), entry.wish, self.context.today):
            return False
        return tool.effect == "read" or bool(self.session.changes(before))

    def _derive(
        self, tool: Tool, entry: ToolPhrases, values: Mapping[str, Json], seen: Knowledge
    ) -> dict[str, Choice] | None:
        """The arguments that are taken from results; an optional one only if a conditional need applies."""
        applies = any(meets(values, need.when, self.context.today) for need in entry.needs)
        found = {}
        for name, maker in entry.values.items():
            if "result" in maker and (name in tool.required or applies):
                outcome = seen.results.get(maker["result"])
                value = extract(outcome.value, maker["path"], maker.get("match", "")) if outcome else None
                if value is None:
                    return None
                found[name] = Choice(value, derived=True)
        return found

    def _do(self, call: Planned, seen: Knowledge, calls: list[Planned]) -> Outcome | None:
        outcome = self.session.call(call.tool, call.arguments)
        if not outcome.succeeded:
            return None
        calls.append(call)
        self._learn(seen, self.tools[call.tool], call.arguments, outcome)
        return outcome

    def _is_there(self, one: Shown) -> bool:
        """Whether a row exists before a goal is carried out: the sampler need not have seen it (the folder above)."""
        is_fresh = one.id not in self.seen.fields and self.context.row(one.entity, one.id) is None
        return not is_fresh or self._inspected(Row(one.entity, one.id, {})).fields != {}

    def _learn(
        self, seen: Knowledge, tool: Tool, arguments: dict[str, Json], outcome: Outcome, there: Collection[str] = ()
    ) -> None:
        seen.results[tool.name] = outcome
        for one in shown(tool, arguments, outcome.value):
            fresh = one.id not in seen.fields and self.context.row(one.entity, one.id) is None
            if tool.effect != "read" and fresh and one.id not in there:
                seen.made.append(Row(one.entity, one.id, one.fields))
                seen.makers[one.id] = tool.name
                seen.known.add(one.id)
            seen.fields[one.id] = seen.fields.get(one.id, set()) | set(one.fields)

    def _inspected(self, row: Row) -> Row:
        """A made row with the fields that the read which says most of it shows: what kind it is, its name.

        Only the words and the choice of goals use these; the assistant has not seen them.
        """
        fitting = [tool for tool in self.tools.values() if self._inspects(tool, row.entity)]
        for tool in sorted(fitting, key=lambda tool: -len(tool.output_schema["properties"])):
            arguments: dict[str, Json] = {tool.required[0]: row.id}
            outcome = self.session.call(tool.name, arguments)
            found = shown(tool, arguments, outcome.value) if outcome.succeeded else ()
            for one in found:
                if one.id == row.id:
                    return self.context.complete(Row(row.entity, row.id, {**row.fields, **one.fields}))
        return self.context.complete(row)

    def _inspects(self, tool: Tool, entity: str) -> bool:
        takes = [self.phrases.base(tool.takes[name]) for name in tool.required if name in tool.takes]
        return tool.effect == "read" and takes == [entity] and len(tool.required) == 1 and entity in tool.gives.values()

    def _is_known(self, row: Row, seen: Knowledge) -> bool:
        fields = seen.fields.get(row.id)
        return row.id in seen.known or (fields is not None and names(self.phrases, row.entity, dict.fromkeys(fields)))

    # Look-ups

    def _find(self, row: Row, seen: Knowledge, calls: list[Planned], depth: int) -> bool:
        """Make the row's id known by look-ups that use only words of the user and ids seen before."""
        if self._is_known(row, seen):
            return row.id in seen.makers or self._is_clear(row, seen, depth)
        return depth > 0 and self._look_up(row, seen, calls, depth)

    def _is_clear(self, row: Row, seen: Knowledge, depth: int) -> bool:
        """Whether a look-up of a row that is known already shows no other row that its phrase could mean."""
        if row.id not in self._clear:
            before_it = seen.copy()
            before_it.fields.pop(row.id, None)
            before_it.known.discard(row.id)
            self._clear[row.id] = self._look_up(row, before_it, [], max(depth, 1))
        return self._clear[row.id]

    def _look_up(self, row: Row, seen: Knowledge, calls: list[Planned], depth: int) -> bool:
        """Find the row by the first facet that shows it; False also if the user's phrase means several of the rows."""
        spec = self.phrases.entities[row.entity]
        for facet in spec.find:
            before = len(calls)
            arguments = self._facet_arguments(row, spec, facet.tool, facet.arguments, seen, calls, depth)
            if arguments is None:
                del calls[before:]
                continue
            outcome = self.session.call(facet.tool, arguments)
            tool = self.tools[facet.tool]
            found = list(shown(tool, arguments, outcome.value)) if outcome.succeeded else []
            if any(one.id == row.id for one in found):
                calls.append(Planned(facet.tool, arguments, "look-up"))
                self._learn(seen, tool, arguments, outcome)
                self._clear[row.id] = not self._is_taken_for_another(row, found)
                return self._clear[row.id] and self._is_known(row, seen)
            del calls[before:]
        return False

    def _is_taken_for_another(self, row: Row, found: list[Shown]) -> bool:
        words = self.context.refer(row).lower()
        base = self.phrases.base(row.entity)
        others = [one for one in found if one.entity == base and one.id != row.id]
        return any((self.context.phrase(row.entity, one.fields) or "").lower() == words for one in others)

    def _facet_arguments(
        self,
        row: Row,
        spec: EntityPhrases,
        tool: str,
        templates: Mapping[str, Json],
        seen: Knowledge,
        calls: list[Planned],
        depth: int,
    ) -> dict[str, Json] | None:
        said = {slot.split(".")[0] for slot in spec.refer.slots()}
        said |= {slot for name in said & set(spec.derive) for slot in spec.derive[name].slots()}
        arguments: dict[str, Json] = {}
        for argument, text in templates.items():
            if not isinstance(text, str) or "{" not in text:
                arguments[argument] = text
                continue
            template = PhraseTemplate(text)
            entity = self.tools[tool].takes.get(argument)
            if entity is not None:
                id = self.context.field(row, template.slots()[0])
                parent = self.context.row(entity, id) if isinstance(id, str) else None
                if parent is None or not self._find(parent, seen, calls, depth - 1):
                    return None
                arguments[argument] = id
                continue
            fields = {slot: self.context.field(row, slot) for slot in template.slots()}
            if any(value is None for value in fields.values()) or not set(fields) <= said | set(spec.refer.slots()):
                return None
            alone = len(template.parts) == 1 and not isinstance(template.parts[0], str)
            same = isinstance(template.parts[0], Slot) and template.parts[0].format == ""
            arguments[argument] = (
                fields[template.slots()[0]]
                if alone and same
                else template.render(lambda slot: self.context.write(row, slot))
            )
        return arguments

    # Values

    def _choose(self, tool: Tool, entry: ToolPhrases, ask: PhraseTemplate, terse: bool) -> dict[str, Choice] | None:
        named = {slot.split(".")[0] for slot in ask.slots()}
        optional = [name for name in tool.input_schema["properties"] if name in named and name not in tool.required]
        chance = {name: 0.0 if terse else entry.values.get(name, {}).get("chance", CHANCE) for name in optional}
        given = [name for name in optional if self.rng.random() < chance[name]]
        spare = [name for name in optional if name not in given and self._has_maker(tool, entry, name)]
        while len(given) < entry.filters and spare:
            given.append(spare.pop(self.rng.randrange(len(spare))))
        choices: dict[str, Choice] = {}
        for name in tool.input_schema["properties"]:
            maker = entry.values.get(name)
            if (name not in tool.required and name not in given) or (maker and "result" in maker):
                continue
            if not self._has_maker(tool, entry, name) or not self._applies(maker, choices):
                if name in tool.required:
                    return None
                continue
            taken = {row.id for choice in choices.values() for row in choice.rows}
            choice = self._make(tool, name, maker, choices, taken)
            if choice is None:
                if name in tool.required:
                    return None
                continue
            choices[name] = choice
        return choices if sum(name in choices for name in optional) >= entry.filters else None

    def _applies(self, maker: Mapping[str, Any] | None, choices: Mapping[str, Choice]) -> bool:
        """Whether the condition under which an argument is given holds of the arguments chosen before it."""
        conditions = (maker or {}).get("when", {})
        around: dict[str, Json] = {}
        for key in conditions:
            head, _, rest = key.partition(".")
            chosen = choices.get(head)
            if chosen is not None:
                around[key] = self.context.field(chosen.rows[0], rest) if rest and chosen.rows else chosen.value
        return meets(around, conditions, self.context.today)

    def _has_maker(self, tool: Tool, entry: ToolPhrases, name: str) -> bool:
        schema = tool.input_schema["properties"][name]
        declared = set(entry.values.get(name, {})) - set(OPTIONS)
        return bool(declared) or name in tool.takes or "enum" in schema or schema.get("type") == "boolean"

    def _make(
        self,
        tool: Tool,
        name: str,
        maker: Mapping[str, Any] | None,
        choices: Mapping[str, Choice],
        taken: set[str],
    ) -> Choice | None:
        schema = tool.input_schema["properties"][name]
        maker = {key: value for key, value in (maker or {}).items() if key not in OPTIONS}
        if not maker:
            if name in tool.takes:
                many = schema.get("type") == "array"
                maker = {"rows" if many else "row": tool.takes[name]}
            elif "enum" in schema:
                return Choice(self.rng.choice(schema["enum"]))
            else:
                return Choice(True)
        if "row" in maker and name in tool.takes:
            row = self._row(maker["row"], maker.get("where", {}), choices, taken)
            return None if row is None else self._reference(row)
        if "rows" in maker:
            return self._several(maker, choices)
        value = self._value(maker, choices)
        if value is None:
            return None
        if "row" in maker and "field" not in maker:
            return None
        return Choice(value)

    def _reference(self, row: Row) -> Choice:
        made = any(other.id == row.id for other in self.seen.made)
        spoken = self.phrases.entities[row.entity].spoken
        return Choice(row.id, (row,), literal=spoken and not made and self.rng.random() < SAID_AS_IT_IS)

    def _several(self, maker: Mapping[str, Any], choices: Mapping[str, Choice]) -> Choice | None:
        pool = self._pool(maker["rows"], maker.get("where", {}), choices, set())
        if not pool:
            return None
        rows = self.rng.sample(pool, min(len(pool), self.rng.randint(1, maker.get("most", 2))))
        return Choice([row.id for row in rows], tuple(rows))

    def _row(
        self, entity: str, where: Mapping[str, Json], choices: Mapping[str, Choice], taken: set[str]
    ) -> Row | None:
        made = self._made(entity)
        fits = [row for row in made if row.id not in taken and self._may_be(row, entity, where, choices)]
        if len(made) == 1 and fits and self.rng.random() < 0.85:
            return replace(made[0], entity=entity)
        pool = self._pool(entity, where, choices, taken)
        known = [row for row in pool if row.id in self._subjects]
        if known and self.rng.random() < SAME_SUBJECT:
            return self.rng.choice(known)
        return self.rng.choice(pool) if pool else None

    def _made(self, entity: str) -> list[Row]:
        """The rows of an entity, or of the one that it is a kind of, that the conversation made."""
        return [row for row in self.seen.made if row.entity in (entity, self.phrases.base(entity))]

    def _may_be(self, row: Row, entity: str, where: Mapping[str, Json], choices: Mapping[str, Choice]) -> bool:
        """Whether a made row is of the wanted kind and, as far as its fields tell, meets an entry's conditions."""
        kind = self.phrases.entities[entity]
        values = {name: choice.value for name, choice in choices.items()}
        wanted = {name: self._fill(value, values) for name, value in where.items() if name in row.fields}
        return meets(row.fields, {**kind.where, **wanted}, self.context.today)

    def _pool(
        self, entity: str, where: Mapping[str, Json], choices: Mapping[str, Choice], taken: set[str]
    ) -> list[Row]:
        values = {name: choice.value for name, choice in choices.items()}
        wanted = {name: self._fill(condition, values) for name, condition in where.items()}
        new = {self.context.phrase(entity, row.fields) for row in self._made(entity)}
        return [
            row
            for row in self.context.worthy(entity)
            if row.id not in taken
            and meets(row.fields, wanted, self.context.today)
            and (not new or self.context.refer(row) not in new)
        ]

    def _value(self, maker: Mapping[str, Any], choices: Mapping[str, Choice]) -> Json:
        rng = self.rng
        if "pick" in maker:
            return rng.choice(maker["pick"])
        if "number" in maker:
            return rng.randint(*maker["number"])
        if "money" in maker:
            low, high = maker["money"]
            step = maker.get("step", 1)
            cents = round(step * 100)
            amount = rng.randrange(round(low * 100), round(high * 100) + 1) // cents * cents / 100
            return int(amount) if amount == int(amount) else amount
        if "day" in maker:
            return (self.now + timedelta(days=rng.randint(*maker["day"]))).date().isoformat()
        if "time" in maker:
            return self._moment(maker)
        if "secret" in maker:
            return self.session.secrets()[maker["secret"]]
        if "row" in maker:
            row = self._row(maker["row"], maker.get("where", {}), choices, set())
            return None if row is None else self.context.field(row, maker.get("field", "id"))
        if "of" in maker:
            chosen = choices.get(maker["of"])
            number = self.context.field(chosen.rows[0], maker["field"]) if chosen and chosen.rows else None
            return None if number is None else int(number * maker.get("times", 1))
        parts = [part if isinstance(part, str) else self._value(part, choices) for part in maker["join"]]
        return None if None in parts else "".join(str(part) for part in parts)

    @property
    def now(self) -> datetime:
        """The session's virtual time: that of its world, for the clock moves only a little in a conversation."""
        return self.context.today

    def _moment(self, maker: Mapping[str, Any]) -> str:
        moment = self.now + timedelta(minutes=self.rng.randint(*maker["time"]))
        step = int(maker.get("step", 1))
        over = (moment.hour * 60 + moment.minute) % step
        rounded = moment.replace(second=0, microsecond=0) + timedelta(minutes=(step - over) % step)
        return rounded.isoformat(timespec="seconds")

    def _fill(self, value: Json, values: Mapping[str, Json]) -> Json:
        """A template over the arguments chosen so far, or the value as it is."""
        if isinstance(value, dict):
            return {key: self._fill(item, values) for key, item in value.items()}
        if not isinstance(value, str) or "{" not in value:
            return value
        template = PhraseTemplate(value)
        if len(template.parts) == 1:
            return values.get(template.slots()[0])
        return template.render(lambda slot: None if values.get(slot.name) is None else str(values[slot.name]))
