"""The world as the code of a domain sees it: `World` in a tool's body, `Builder` in seed.py.

Covers: reading and changing rows, the virtual clock, ids from counters, secrets. Does not cover: transactions and
sessions (world/session.py), which a domain never sees.

A domain uses nothing else: no wall clock, no random numbers in tools, no disk, no network.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

import apsw

from ..records import Json
from .schema import Schema
from .state import Row, Store, Template, rows

EPOCH = datetime(1970, 1, 1)
READING = re.compile(r"\s*(SELECT|VALUES|WITH(?!.*\b(INSERT|UPDATE|DELETE)\b))\b", re.IGNORECASE | re.DOTALL)
_known_to_read: set[str] = set()


class World:
    """One session's world during one call.

    Reading methods take SQL with `?` for values; every query that can return more than one row needs an ORDER BY.
    """

    def __init__(self, store: Store, offset: timezone) -> None:
        self._store = store
        self.offset = offset
        self.resolved: dict[str, Json] = {}

    # Reading

    def all(self, sql: str, *values: Any) -> list[Row]:
        """The rows of a query, each a dictionary by column name."""
        return rows(self._store.connection(), _reading(sql), values)

    def one(self, sql: str, *values: Any) -> Row | None:
        """The first row of a query, or None."""
        found = rows(self._store.connection(), _reading(sql), values)
        return found[0] if found else None

    def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row of a query, or None."""
        row = self._store.connection().execute(_reading(sql), values).fetchone()
        return None if row is None else row[0]

    @property
    def now(self) -> datetime:
        """The session's virtual time, with the world's offset."""
        seconds = self.value("SELECT now FROM world_clock WHERE clock_id = 1")
        return (EPOCH + timedelta(seconds=seconds)).replace(tzinfo=self.offset)

    def secret(self, name: str) -> str:
        """What the user knows and no tool shows (a PIN, say), to compare a caller's value with."""
        value = self.value("SELECT value FROM world_secret WHERE name = ?", name)
        if value is None:
            raise KeyError(f"the world has no secret {name!r}")
        return str(value)

    # Changing

    def run(self, sql: str, *values: Any) -> int:
        """Run an UPDATE, DELETE or INSERT; returns the number of rows touched."""
        return self._store.write(sql, values)

    def insert(self, table: str, **columns: Any) -> None:
        """Add one row."""
        self._store.write(_insert(table, columns), tuple(columns.values()))

    def update(self, table: str, key: str | int, **columns: Any) -> None:
        """Set columns of the row with this key, in a table whose key is its first column."""
        primary = self._store.template.schema.tables[table].key[0]
        assignments = ", ".join(f"{column} = ?" for column in columns)
        touched = self._store.write(
            f"UPDATE {table} SET {assignments} WHERE {primary} = ?",
            (*columns.values(), key),
        )
        if touched != 1:
            raise LookupError(f"{table} has {touched} rows with the key {key!r}")

    def new_id(self, prefix: str) -> str:
        """The next id with this prefix, such as acc_0412."""
        last = self.value("SELECT value FROM world_counter WHERE prefix = ?", prefix)
        if last is None:
            raise KeyError(f"no counter for {prefix!r}: list it in the Server's `ids`")
        self._store.write("UPDATE world_counter SET value = ? WHERE prefix = ?", (last + 1, prefix))
        return f"{prefix}_{last + 1:04d}"

    def advance(self, step: timedelta) -> None:
        """Move the virtual clock on; the framework does so after each successful write."""
        self._store.write(
            "UPDATE world_clock SET now = now + ? WHERE clock_id = 1",
            (round(step.total_seconds()),),
        )

    def resolves(self, argument: str, value: Json) -> None:
        """Note what an argument stands for in full (a relative path made absolute), so that rewards can compare it."""
        self.resolved[argument] = value


class Builder:
    """A world being made from a seed: the same rows for the same seed, in any process, locale and time zone.

    `random` is the only source of chance. `now` is the reference date at the server's opening hour.
    """

    def __init__(self, schema: Schema, name: str, seed: int, now: datetime, ids: Iterable[str]) -> None:
        self.random = random.Random(f"{name}:{seed}")
        self.now = now
        self._connection = apsw.Connection(":memory:")
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._schema = schema
        schema.create(self._connection)
        self._connection.execute("BEGIN IMMEDIATE")
        # Counters start anywhere, so that an id cannot be guessed from the number of rows.
        self._counters = {prefix: self.random.randrange(100, 8000) for prefix in ids}

    def new_id(self, prefix: str) -> str:
        """The next id with this prefix; the numbers have gaps."""
        self._counters[prefix] += self.random.randrange(1, 4)
        return f"{prefix}_{self._counters[prefix]:04d}"

    def insert(self, table: str, **columns: Any) -> None:
        """Add one row."""
        self._connection.execute(_insert(table, columns), tuple(columns.values()))

    def insert_all(self, table: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Add many rows that have the same columns in the same order."""
        records = list(records)
        if records:
            self._connection.executemany(_insert(table, records[0]), [tuple(record.values()) for record in records])

    def run(self, sql: str, *values: Any) -> None:
        """Run an UPDATE or DELETE on what was built so far."""
        self._connection.execute(sql, values)

    def all(self, sql: str, *values: Any) -> list[Row]:
        """The rows of a query on what was built so far."""
        return rows(self._connection, sql, values)

    def secret(self, name: str, value: str) -> None:
        """Give the world a secret that only the user knows."""
        self.insert("world_secret", name=name, value=value)

    def finish(self) -> Template:
        """Close the world and make it a template."""
        seconds = round((self.now.replace(tzinfo=None) - EPOCH).total_seconds())
        self.insert("world_clock", clock_id=1, now=seconds)
        self.insert_all("world_counter", [{"prefix": p, "value": v} for p, v in sorted(self._counters.items())])
        self._connection.execute("COMMIT")
        return Template(self._schema, self._connection.serialize("main"))


def _reading(sql: str) -> str:
    """The statement, if it only reads: what a reading method wrote would be taken back by nobody."""
    if sql not in _known_to_read:
        if not READING.match(sql):
            raise RuntimeError(f"{sql.split(None, 1)[0]} in a reading method; use world.run")
        if len(_known_to_read) > 5000:  # statements put together from a caller's values
            _known_to_read.clear()
        _known_to_read.add(sql)
    return sql


def _insert(table: str, columns: Mapping[str, Any]) -> str:
    places = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"
