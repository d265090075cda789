"""The world as the code of a domain sees it.

Covers: finding what an id means, lists and pages of typed rows, changing rows, the virtual clock, ids from counters,
secrets. Does not cover: making a world (builder.py), transactions and sessions (session.py), which a domain never sees.

A domain uses nothing else: no wall clock, no random numbers in tools, no disk, no network.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache, lru_cache
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, cast, get_type_hints, overload

import apsw

from ..records import Json
from .marks import Entity
from .refusals import note
from .schema import Schema
from .state import Row, rows
from .values import day, iso

EPOCH = datetime(1970, 1, 1)
READING = re.compile(r"\s*(SELECT|VALUES|WITH(?!.*\b(INSERT|UPDATE|DELETE)\b))\b", re.IGNORECASE | re.DOTALL)

Shown = TypeVar("Shown")
"""A TypedDict of a result, whose fields are columns of the view that is read."""

Condition: TypeAlias = str | tuple[str, Any]
"""SQL for a WHERE: alone, or with the value for its `?`; one whose value is None is left out."""


@dataclass(frozen=True)
class Page(Generic[Shown]):
    """One page of a list: `count` matches in all, the number of the next page if there is one, the rows of this one."""

    count: int
    next_page: int | None
    rows: list[Shown]


class Rows(Protocol):
    """Where the rows of a world are: a session's store, or the database of a world that is being made."""

    @property
    def schema(self) -> Schema:
        """The tables."""
        ...

    def connection(self) -> apsw.Connection:
        """Where to read now."""
        ...

    def write(self, sql: str, values: tuple[Any, ...]) -> int:
        """Run one writing statement; returns the number of rows touched."""
        ...


class World:
    """One session's world during one call.

    Reading methods take SQL with `?` for values; every query that can return more than one row needs an ORDER BY.
    """

    def __init__(self, held: Rows, offset: timezone) -> None:
        self._held = held
        self.offset = offset
        self.resolved: dict[str, Json] = {}
        self._now: datetime | None = None

    # Entities

    @overload
    def find(self, entity: Entity, key: str) -> Row: ...
    @overload
    def find(self, entity: Entity, key: str | None) -> Row | None: ...
    def find(self, entity: Entity, key: str | None) -> Row | None:
        """The row of an entity's view with this id; refuses ENTITY_not_found. An id that was left out finds None."""
        if key is None:
            return None
        row = self.one(f"SELECT * FROM {entity.view} WHERE {entity.key} = ?", key)
        return self.absent(entity, key) if row is None else row

    def absent(self, entity: Entity, key: str) -> Row:
        """Refuse an id that does not exist."""
        where = f"; {entity.lister} shows the ids" if entity.lister else ""
        note(entity.not_found, f"no {entity.noun} {key!r}{where}")
        raise LookupError(key)

    def nth(self, entity: Entity, place: int) -> Row | None:
        """The row at a place of an entity's view in the entity's order, counted from 0, if there is one."""
        return self.one(f"SELECT * FROM {entity.view} ORDER BY {entity.order} LIMIT 1 OFFSET ?", place)

    def rows(
        self, kind: type[Shown], entity: Entity, /, *conditions: Condition, order: str | None = None, **equal: Any
    ) -> list[Shown]:
        """All rows of an entity's view that meet the conditions, with the fields of `kind`, in the entity's order.

        `equal` holds columns and what they must equal; None leaves a column out.
        """
        where, values = _where(conditions, equal)
        sql = f"SELECT {_columns(kind)} FROM {entity.view}{where} ORDER BY {order or entity.order}"
        return cast("list[Shown]", self.all(sql, *values))

    def count(self, entity: Entity, /, *conditions: Condition, **equal: Any) -> int:
        """How many rows of an entity's view meet the conditions."""
        where, values = _where(conditions, equal)
        return int(self.value(f"SELECT count(*) FROM {entity.view}{where}", *values))

    def page(
        self,
        kind: type[Shown],
        entity: Entity,
        page: int,
        limit: int,
        /,
        *conditions: Condition,
        order: str | None = None,
        **equal: Any,
    ) -> Page[Shown]:
        """The same as `rows`, `limit` at a time; pages count from 1."""
        count = self.count(entity, *conditions, **equal)
        start = (page - 1) * limit
        where, values = _where(conditions, equal)
        by = order or entity.order
        sql = f"SELECT {_columns(kind)} FROM {entity.view}{where} ORDER BY {by} LIMIT ? OFFSET ?"
        found = cast("list[Shown]", self.all(sql, *values, limit, start) if start < count else [])
        return Page(count, page + 1 if start + limit < count else None, found)

    # Reading

    def all(self, sql: str, *values: Any) -> list[Row]:
        """The rows of a query, each a dictionary by column name."""
        return rows(self._held.connection(), _reading(sql), values)

    def one(self, sql: str, *values: Any) -> Row | None:
        """The first row of a query, or None."""
        found = rows(self._held.connection(), _reading(sql), values)
        return found[0] if found else None

    def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row of a query, or None."""
        row = self._held.connection().execute(_reading(sql), values).fetchone()
        return None if row is None else row[0]

    def secret(self, name: str) -> str:
        """What the user knows and no tool shows (a PIN, say), to compare a caller's value with."""
        value = self.value("SELECT value FROM world_secret WHERE name = ?", name)
        if value is None:
            raise KeyError(f"the world has no secret {name!r}")
        return str(value)

    # Time

    @property
    def now(self) -> datetime:
        """The session's virtual time, with the world's offset."""
        if self._now is None:  # read once a call: it stands still until the call is over
            seconds = self.value("SELECT now FROM world_clock")
            self._now = (EPOCH + timedelta(seconds=seconds)).replace(tzinfo=self.offset)
        return self._now

    @property
    def moment(self) -> str:
        """The virtual time as tools print it: ISO 8601 with seconds and offset."""
        return iso(self.now)

    @property
    def today(self) -> str:
        """The virtual day, YYYY-MM-DD."""
        return day(self.now)

    def advance(self, step: timedelta) -> None:
        """Move the virtual clock on; the framework does so after each successful write."""
        self._now = None
        self._held.write("UPDATE world_clock SET now = now + ?", (round(step.total_seconds()),))

    # Changing

    def run(self, sql: str, *values: Any) -> int:
        """Run an UPDATE, DELETE or INSERT; returns the number of rows touched."""
        return self._held.write(sql, values)

    def insert(self, table: str, **columns: Any) -> None:
        """Add one row."""
        self._held.write(insertion(table, columns), tuple(columns.values()))

    def add(self, entity: Entity, **columns: Any) -> str:
        """Add a row of an entity under a new id; returns the id."""
        key = self.new_id(entity)
        self.insert(entity.table, **{entity.key: key}, **columns)
        return key

    def update(self, entity: Entity, key: str, **columns: Any) -> None:
        """Set columns of the row of an entity with this id."""
        assignments = ", ".join(f"{_quoted(column)} = ?" for column in columns)
        touched = self._held.write(
            f"UPDATE {entity.table} SET {assignments} WHERE {entity.key} = ?",
            (*columns.values(), key),
        )
        if touched != 1:
            raise LookupError(f"{entity.table} has {touched} rows with the key {key!r}")

    def new_id(self, entity: Entity) -> str:
        """The next id of an entity, such as acc_0412."""
        last = self.value("SELECT value FROM world_counter WHERE prefix = ?", entity.prefix)
        if last is None:
            raise KeyError(f"no counter for {entity.name}: no tool takes or gives its ids; name it in the Server")
        self._held.write("UPDATE world_counter SET value = ? WHERE prefix = ?", (last + 1, entity.prefix))
        return f"{entity.prefix}_{last + 1:04d}"

    def resolves(self, argument: str, value: Json) -> None:
        """Note what an argument stands for in full (a relative path made absolute), so that rewards can compare it."""
        self.resolved[argument] = value


def shown(kind: type[Shown], row: Mapping[str, Any], **more: Any) -> Shown:
    """A result of type `kind`: each field from `more`, else from the row."""
    return cast("Shown", {name: more[name] if name in more else row[name] for name in _fields(kind)})


def words(column: str, text: str | None) -> Iterator[Condition]:
    """The conditions that a column of folded text holds each word of a search."""
    return ((f"instr({column}, ?)", word) for word in (text or "").casefold().split())


def phrase(column: str, text: str | None) -> Condition:
    """The condition that one of the texts folded into a column holds a text as it stands."""
    return f"instr({column}, ?)", text and text.casefold().replace("\n", "\0")  # a line break stands between texts


def folded(*texts: str | None) -> str:
    """Texts as searches compare them: without case, one a line."""
    return "\n".join(text for text in texts if text).casefold()


def _where(conditions: Sequence[Condition], equal: Mapping[str, Any]) -> tuple[str, list[Any]]:
    parts: list[str] = []
    values: list[Any] = []
    for condition in conditions:
        if isinstance(condition, str):
            parts.append(condition)
        elif condition[1] is not None:
            parts.append(condition[0])
            values.append(condition[1])
    for column, value in equal.items():
        if value is not None:
            parts.append(f"{_quoted(column)} = ?")
            values.append(value)
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), values


def _read_fields(kind: Any) -> tuple[str, ...]:
    return tuple(get_type_hints(kind))


_fields: Callable[[Any], tuple[str, ...]] = cache(_read_fields)  # typed so, for a generic type is no Hashable to mypy


def _columns(kind: Any) -> str:
    return ", ".join(map(_quoted, _fields(kind)))


def _quoted(column: str) -> str:
    """A column's name where it may be a word of SQL (group, order); in brackets none is ever taken for a text."""
    return f"[{column}]"


@lru_cache(maxsize=5000)  # bounded, for statements are put together from callers' values
def _reading(sql: str) -> str:
    """The statement, if it only reads: what a reading method wrote would be taken back by nobody."""
    if not READING.match(sql):
        raise RuntimeError(f"{sql.split()[0]} in a reading method; use world.run")
    return sql


def insertion(table: str, columns: Mapping[str, Any]) -> str:
    """The INSERT of one row with these columns."""
    places = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(map(_quoted, columns))}) VALUES ({places})"
