"""Changed rows in a form that two runs can be compared by.

Covers: leaving out what may differ between two right runs (ids, clocks, counters), and writing a reference to a row
that the run created as a digest of that row's content. Does not cover: where changes come from (world/state.py) or
what they are worth (reward/).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal, cast

from ..records import Change, Json

RawChange = tuple[str, str, tuple[Any, ...] | None, tuple[Any, ...] | None]
"""Table, operation (INSERT, UPDATE, DELETE), old values, new values; a value is a list of one, None if left alone."""

UNCOMPARED = frozenset({"id", "clock", "counter"})


@dataclass(frozen=True)
class Table:
    """One table: its columns in order, its key, what the marks say, and which columns refer to which table."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    marks: dict[str, str]
    refers: dict[str, str]


class _New:
    """The rows that a run created, and a digest of each row's content as its name."""

    def __init__(self, tables: dict[str, Table], changes: list[RawChange]) -> None:
        self._tables = tables
        self._rows: dict[tuple[str, Json], dict[str, Json]] = {}
        for name, op, _, new in changes:
            table = tables[name]
            if op == "INSERT" and len(table.key) == 1:
                row = {column: one for column, (one,) in zip(table.columns, new or (), strict=True)}
                (key,) = table.key
                self._rows[name, row[key]] = row
        self._labels: dict[tuple[str, Json], str] = {}
        self._path: list[tuple[str, Json]] = []
        self._circles: list[tuple[str, Json]] = []  # the rows at which a way came back to itself

    def label(self, table: str, key: Json) -> str | None:
        """The name of a created row, None for a row that the run found there.

        Free text counts as filled or not, as everywhere. A row that refers back to one on the way here sees only its
        table, so names that were made on such a way are not kept.
        """
        place = (table, key)
        if place not in self._rows:
            return None
        if place in self._path:
            self._circles.append(place)
            return f"@{table}"
        if place in self._labels:
            return self._labels[place]
        circles = len(self._circles)
        self._path.append(place)
        values, free = self.split(table, self._rows[place])
        self._path.pop()
        content = json.dumps([values, [(column, bool(text)) for column, text in free]])
        label = f"@{table}:{hashlib.blake2b(content.encode(), digest_size=6).hexdigest()}"
        if len(self._circles) == circles:
            self._labels[place] = label
        return label

    def split(self, name: str, row: dict[str, Json]) -> tuple[list[tuple[str, Json]], list[tuple[str, Json]]]:
        """A row's columns that are compared, and its free-text columns, without what may differ between runs."""
        table = self._tables[name]
        values, free = [], []
        for column, value in sorted(row.items()):
            mark = table.marks.get(column)
            if mark in UNCOMPARED:
                continue
            if mark == "free":
                free.append((column, value))
                continue
            target = table.refers.get(column)
            label = self.label(target, value) if target else None
            values.append((column, value if label is None else label))
        return values, free


def comparable(tables: dict[str, Table], before: list[RawChange], changes: list[RawChange]) -> tuple[Change, ...]:
    """The changes in comparable form, sorted.

    `before` holds what the run had already changed when these changes began: a row created there keeps one name.
    """
    new = _New(tables, before + changes)
    found = []
    for name, op, old, after in changes:
        table = tables[name]
        there = zip(table.columns, after or (), strict=bool(after))
        whole = {column: one for column, value in there for one in value or ()}
        values, free = new.split(name, {} if op == "DELETE" else whole)
        key = "" if op == "INSERT" else _key(table, old or (), new)
        if values or free or op != "UPDATE":
            kind = cast(Literal["insert", "update", "delete"], op.lower())
            found.append(Change(name, kind, key, tuple(values), tuple(free)))
    worth = [change for change in found if change.table not in ("world_clock", "world_counter")]
    return tuple(sorted(worth, key=lambda change: json.dumps([change.table, change.op, change.key, change.values])))


def _key(table: Table, old: tuple[Any, ...], new: _New) -> str:
    values = dict(zip(table.columns, old, strict=True))
    parts = []
    for column in table.key:
        (value,) = values[column]
        home = table.name if len(table.key) == 1 else table.refers.get(column)
        parts.append((new.label(home, value) if home else None) or value)
    first, *more = parts
    return json.dumps(parts if more else first)
