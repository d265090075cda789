"""Live-state sampling (specification section 2, step 2): the real entities of a session, through its own tools.

Covers: calling the discovery reads, reading entities off their results, keeping those with enough supporting data.
Does not cover: which row a goal takes (synth/goals/plan.py). Nothing here looks behind the tools: what the
sampler knows, an assistant could find out.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ..records import Json, Outcome, Tool
from ..world.session import Session
from .phrases import EntityPhrases, Phrases
from .templates import Slot, spoken

PAGES = 4
PARENTS = 8
Fields = dict[str, Json]


@dataclass(frozen=True)
class Row:
    """One entity of the world: its id, and its fields as the tools showed them."""

    entity: str
    id: str
    fields: Fields


class Context:
    """The sampled entities of one world, and how a person means them."""

    def __init__(self, phrases: Phrases, today: datetime, rows: Mapping[str, Mapping[str, Row]]) -> None:
        self.phrases = phrases
        self.today = today
        self._rows = {entity: dict(found) for entity, found in rows.items()}
        self._phrase: dict[tuple[str, str], str] = {}
        self._same: Counter[tuple[str, str]] = Counter()
        self._mentions: Counter[str] = Counter()
        for found in self._rows.values():
            for row in found.values():
                for value in row.fields.values():
                    if isinstance(value, str):
                        self._mentions[f"{row.entity}:{value}"] += 1
        for name in phrases.entities:
            for row in self.rows(name):
                words = self.refer(row)
                self._same[name, words.lower()] += 1
        self._worthy = {name: [row for row in self.rows(name) if self._is_worthy(row)] for name in phrases.entities}

    def rows(self, entity: str) -> list[Row]:
        """All sampled rows of an entity, in the order in which the tools showed them."""
        spec = self.phrases.entities[entity]
        if not spec.of:
            return list(self._rows.get(entity, {}).values())
        base = self._rows.get(spec.of, {}).values()
        kept = [row for row in base if meets(row.fields, spec.where, self.today)]
        return [Row(entity, row.id, {**row.fields, **self._derived(spec, row.fields)}) for row in kept]

    def row(self, entity: str, id: str) -> Row | None:
        """The row of this id, None if it was not sampled."""
        base = self._rows.get(self.phrases.base(entity), {}).get(id)
        if base is None or self.phrases.base(entity) == entity:
            return base
        return Row(entity, id, {**base.fields, **self._derived(self.phrases.entities[entity], base.fields)})

    def worthy(self, entity: str) -> list[Row]:
        """The rows on which a task can be built: enough supporting data, and a phrase that means no other row."""
        return self._worthy[entity]

    def refer(self, row: Row) -> str:
        """The phrase with which a person means this row."""
        key = (row.entity, row.id)
        if key not in self._phrase:
            self._phrase[key] = self.phrases.entities[row.entity].refer.render(lambda slot: self.write(row, slot))
        return self._phrase[key]

    def complete(self, row: Row) -> Row:
        """The row with the fields that phrases.toml derives from others."""
        return Row(row.entity, row.id, {**row.fields, **_derive(self.phrases, row, self.today.date())})

    def phrase(self, entity: str, fields: Fields) -> str | None:
        """The phrase for a row with these fields, None if it lacks one of them or is not of this kind."""
        spec = self.phrases.entities[entity]
        row = self.complete(Row(entity, "", fields))
        if not meets(row.fields, spec.where, self.today):
            return None
        try:
            return spec.refer.render(lambda slot: self.write(row, slot))
        except KeyError:
            return None

    def write(self, row: Row, slot: Slot) -> str | None:
        """A field of a row in words; a dotted slot follows a reference to another row."""
        value = self.field(row, slot.name)
        if value is None:
            return None
        words = self.phrases.words.get(slot.name.rsplit(".", 1)[-1], {})
        if slot.format == "" and isinstance(value, str) and value in words:
            return words[value]
        return spoken(value, slot.format, self.today.date())

    def field(self, row: Row, name: str) -> Json:
        """A field of a row, None where it has none; `restaurant_id.name` is the name of the row that is referred to."""
        head, _, rest = name.partition(".")
        value = row.id if head == "id" and "id" not in row.fields else row.fields.get(head)
        if not rest or value is None:
            return value
        for rows in self._rows.values():
            if isinstance(value, str) and value in rows:
                return self.field(rows[value], rest)
        return None

    def is_unique(self, row: Row) -> bool:
        """Whether the row's phrase means no other row."""
        return self._same[row.entity, self.refer(row).lower()] == 1

    def summary(self) -> list[dict[str, Json]]:
        """Per entity: how many rows were found, how many a task can be built on, and how people mean some of them."""
        return [
            {
                "entity": name,
                "found": len(self.rows(name)),
                "worthy": len(self.worthy(name)),
                "for_example": "; ".join(self.refer(row) for row in self.worthy(name)[:3]),
            }
            for name in self.phrases.entities
        ]

    def _derived(self, spec: EntityPhrases, fields: Fields) -> Fields:
        row = Row(spec.name, "", fields)
        return {name: template.render(lambda slot: self.write(row, slot)) for name, template in spec.derive.items()}

    def _is_worthy(self, row: Row) -> bool:
        spec = self.phrases.entities[row.entity]
        if not self.is_unique(row) or not meets(row.fields, spec.worthy, self.today):
            return False
        return all(self._mentions[f"{other}:{row.id}"] >= least for other, least in spec.supported.items())


def sample(session: Session, tools: tuple[str, ...], phrases: Phrases, today: datetime, rng: random.Random) -> Context:
    """The entities that the discovery reads `tools` show on a live session, and those that other reads show of them."""
    by_name = {tool.name: tool for tool in session.tools}
    rows: dict[str, dict[str, Row]] = defaultdict(dict)
    found: set[str] = set()
    reads = [name for name in by_name if by_name[name].effect == "read" and name not in tools]
    for name in (*tools, *sorted(reads, key=lambda name: len(by_name[name].required))):
        tool = by_name[name]
        new = set(tool.gives.values()) - found
        if name not in tools and not new:
            continue
        for arguments in _openings(tool, rows, phrases, rng):
            for outcome in _pages(session, tool, arguments):
                for one in shown(tool, arguments, outcome.value):
                    _note(rows, one)
        found |= {entity for entity in new if rows[entity]}
    derived = {
        entity: {id: Row(entity, id, {**row.fields, **_derive(phrases, row, today.date())}) for id, row in each.items()}
        for entity, each in rows.items()
    }
    return Context(phrases, today, derived)


@dataclass(frozen=True)
class Shown:
    """An id in a result: the entity, the place (`accounts[2].account_id`), and the fields shown with it."""

    entity: str
    id: str
    place: str
    fields: Fields


def shown(tool: Tool, arguments: Fields, value: Json) -> Iterator[Shown]:
    """Every id in a result with its place."""
    for path, entity in tool.gives.items():
        for id, fields, place in _walk(value, path.split("."), dict(arguments), ""):
            yield Shown(entity, id, place, fields)


def names(phrases: Phrases, entity: str, fields: Fields) -> bool:
    """Whether the fields shown with an id hold what a person says of the row, so that it can be recognised."""
    spec = phrases.entities.get(entity)
    if spec is None:
        return True

    def has(name: str) -> bool:
        derived = spec.derive.get(name)
        return name in fields or (derived is not None and all(slot.split(".")[0] in fields for slot in derived.slots()))

    return all(has(slot.split(".")[0]) for slot in spec.refer.plain_slots())


def _walk(value: Json, parts: list[str], around: Fields, place: str) -> Iterator[tuple[str, Fields, str]]:
    head, rest = parts[0], parts[1:]
    name = head.removesuffix("[]")
    if not isinstance(value, dict) or value.get(name) is None:
        return
    fields = {**around, **{key: item for key, item in value.items() if not isinstance(item, dict)}}
    here = f"{place}.{name}" if place else name
    items = value[name] if head.endswith("[]") else [value[name]]
    for number, item in enumerate(items):
        spot = f"{here}[{number}]" if head.endswith("[]") else here
        if rest:
            outer = {key: field for key, field in fields.items() if not isinstance(field, list)}
            yield from _walk(item, rest, outer, spot)
        elif isinstance(item, str):
            yield item, fields, spot


def _note(rows: dict[str, dict[str, Row]], one: Shown) -> None:
    known = rows[one.entity].get(one.id)
    fields = one.fields if known is None else {**one.fields, **known.fields}
    rows[one.entity][one.id] = Row(one.entity, one.id, fields)


def _derive(phrases: Phrases, row: Row, today: date) -> Fields:
    spec = phrases.entities.get(row.entity)
    if spec is None:
        return {}

    def write(slot: Slot) -> str | None:
        value = row.fields.get(slot.name)
        return None if value is None else spoken(value, slot.format, today)

    derived = {}
    for name, template in spec.derive.items():
        if all(row.fields.get(slot) is not None for slot in template.slots()):
            derived[name] = template.render(write)
    return derived


def _openings(
    tool: Tool, rows: dict[str, dict[str, Row]], phrases: Phrases, rng: random.Random
) -> Iterator[dict[str, Json]]:
    """Ways to call a read without knowing anything but ids that were shown before.

    A read that needs nothing is called so first, and then with some ids for each optional reference: what it shows
    below one folder, or of one account, is more than it shows of everything at once.
    """
    arguments: dict[str, Json] = {}
    limit = tool.input_schema["properties"].get("limit", {})
    if "maximum" in limit:
        arguments["limit"] = limit["maximum"]
    if not tool.required:
        yield arguments
    elif len(tool.required) > 1 or tool.required[0] not in tool.takes:
        return
    for name in tool.required or tuple(tool.takes):
        if tool.input_schema["properties"][name].get("type") == "string":
            for id in _some(tool.takes[name], rows, phrases, rng):
                yield {**arguments, name: id}


def _some(entity: str, rows: dict[str, dict[str, Row]], phrases: Phrases, rng: random.Random) -> list[str]:
    known = rows.get(phrases.base(entity), {})
    spec = phrases.entities.get(entity)
    ids = [row.id for row in known.values() if meets(row.fields, spec.where if spec else {}, None)]
    return rng.sample(ids, min(PARENTS, len(ids)))


def _pages(session: Session, tool: Tool, arguments: dict[str, Json]) -> Iterator[Outcome]:
    for page in range(1, PAGES + 1):
        paged = {**arguments, "page": page} if page > 1 else arguments
        outcome = session.call(tool.name, paged)
        if not outcome.succeeded:
            return
        yield outcome
        if "page" not in tool.input_schema["properties"] or not _has_more(tool, outcome.value, page):
            return


def _has_more(tool: Tool, value: Json, page: int) -> bool:
    if "next_page" in value:
        return bool(value["next_page"])
    sizes = [len(item) for item in value.values() if isinstance(item, list)]
    return bool(sizes) and bool(value.get("count", 0) > page * max(sizes)) and max(sizes) > 0


def meets(fields: Mapping[str, Json], conditions: Mapping[str, Json], now: datetime | None) -> bool:
    """Whether a row's or result's fields meet conditions in the form of docs/phrases.md."""
    return all(_meets(fields.get(name), condition, now) for name, condition in conditions.items())


def _meets(value: Json, condition: Json, now: datetime | None) -> bool:
    if not isinstance(condition, dict):
        return bool(value == condition)
    return all(_test(value, name, limit, now) for name, limit in condition.items())


def _test(value: Json, name: str, limit: Json, now: datetime | None) -> bool:
    if name in ("days_ago_at_most", "after_now"):
        if now is None:
            return True
        moment = _moment(value, now)
        return moment >= now - timedelta(days=limit) if name == "days_ago_at_most" else (moment > now) is limit
    if name in ("above", "below"):
        return value is not None and bool(value > limit if name == "above" else value < limit)
    if name == "in":
        return value in limit
    if name == "not":
        return bool(value != limit)
    if name == "ends":
        return str(value).endswith(tuple(limit) if isinstance(limit, list) else limit)
    return bool(value) is limit


def _moment(value: Json, now: datetime) -> datetime:
    if value is None:
        return now - timedelta(days=36500)
    moment = datetime.fromisoformat(str(value))
    return moment.replace(tzinfo=now.tzinfo) if moment.tzinfo is None else moment
