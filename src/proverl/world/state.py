"""The store: templates, sessions' rows, snapshots, changes and digests. The only file that knows SQLite.

Covers: one world per (domain, seed) built once and kept as bytes; reading it from any thread; a database of its own
for a session from its first write on; one transaction per call; changesets as snapshots and as the cold form of
sessions that have not been used for long. Does not cover: schemas of tools, call logs, or any domain.

A session reads its template's connection until it writes. There is one such connection per thread, opened query-only,
because one connection must never serve two threads at once. A session's own database has one lock.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import apsw

from ..errors import DefinitionError
from ..records import Change
from .changes import RawChange, Table, comparable

Row = dict[str, Any]

FRAMEWORK_SQL = """
CREATE TABLE world_clock (
  clock_id INTEGER NOT NULL PRIMARY KEY,  -- @id
  now INTEGER NOT NULL                    -- @clock seconds of local time since 1970-01-01
);
CREATE TABLE world_counter (
  prefix TEXT NOT NULL PRIMARY KEY,       -- @id
  value INTEGER NOT NULL                  -- @counter the last number given out
);
CREATE TABLE world_secret (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);
"""
MARK = re.compile(r"^\s*(?P<name>\w+)\b.*--\s*@(?P<mark>id|clock|counter|free)\b")
TABLE = re.compile(r"^\s*CREATE\s+(?P<virtual>VIRTUAL\s+)?TABLE\s+(?P<name>\w+)", re.IGNORECASE)
HOT_LIMIT = 256
READERS_PER_THREAD = 64


@dataclass(frozen=True)
class Schema:
    """The tables of one domain, read from its schema.sql.

    A column's line may end in `-- @id`, `-- @clock`, `-- @counter` or `-- @free`: such columns do not count when final
    states are compared (free text counts as filled or not). The mark on a CREATE TABLE line goes for all its columns.

    Raises:
        DefinitionError: a table without a NOT NULL primary key, AUTOINCREMENT or a virtual table, to which changesets
            are blind
    """

    sql: str
    tables: dict[str, Table] = field(init=False)

    def __post_init__(self) -> None:
        full = FRAMEWORK_SQL + self.sql
        if re.search(r"\bAUTOINCREMENT\b", full, re.IGNORECASE):
            raise DefinitionError("schema.sql: AUTOINCREMENT is invisible to changesets; use world.new_id")
        marks = _marks(full)
        connection = apsw.Connection(":memory:")
        connection.execute(full)
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")]
        object.__setattr__(self, "tables", {name: _table(connection, name, marks.get(name, {})) for name in names})

    def create(self, connection: apsw.Connection) -> None:
        """Create all tables in an empty database."""
        connection.execute(FRAMEWORK_SQL + self.sql)


def _marks(sql: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    table = ""
    for line in sql.splitlines():
        if opened := TABLE.match(line):
            if opened["virtual"]:
                raise DefinitionError(f"schema.sql: the virtual table {opened['name']} is invisible to changesets")
            table = opened["name"]
            found[table] = {}
            if whole := re.search(r"--\s*@(id|clock|counter|free)\b", line):
                found[table]["*"] = whole[1]
        elif table and (mark := MARK.match(line)):
            found[table][mark["name"]] = mark["mark"]
    return found


def _table(connection: apsw.Connection, name: str, marks: dict[str, str]) -> Table:
    info = connection.execute(f"PRAGMA table_info({name})").fetchall()
    columns = tuple(row[1] for row in info)
    key = tuple(row[1] for row in sorted((row for row in info if row[5]), key=lambda row: row[5]))
    loose = [row[1] for row in info if row[5] and not row[3]]
    if not key or loose:
        raise DefinitionError(f"schema.sql: table {name} needs a PRIMARY KEY of NOT NULL columns")
    if "*" in marks:
        marks = dict.fromkeys(columns, marks["*"])
    refers = {row[3]: row[2] for row in connection.execute(f"PRAGMA foreign_key_list({name})")}
    return Table(name, columns, key, marks, refers)


def rows(connection: apsw.Connection, sql: str, values: tuple[Any, ...]) -> list[Row]:
    """The rows of a query as dictionaries by column name."""
    cursor = connection.execute(sql, values)
    first = cursor.fetchone()
    if first is None:
        return []
    names = [column[0] for column in cursor.get_description()]
    found = [dict(zip(names, first, strict=True))]
    found.extend(dict(zip(names, row, strict=True)) for row in cursor)
    return found


class Template:
    """One world as it is before any call: the bytes of its database, its digest, and a reader for each thread."""

    def __init__(self, schema: Schema, blob: bytes) -> None:
        self.schema = schema
        self.blob = blob
        self.digest = _digest_of_all(schema, self.open())

    def open(self) -> apsw.Connection:
        """A new database of one's own with this world in it."""
        connection = apsw.Connection(":memory:")
        connection.deserialize("main", self.blob)
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    def reader(self) -> apsw.Connection:
        """This thread's query-only connection to the world."""
        readers: OrderedDict[int, tuple[Template, apsw.Connection]] | None = getattr(_threads, "readers", None)
        if readers is None:
            readers = _threads.readers = OrderedDict()
        held = readers.get(id(self))
        if held is not None:
            readers.move_to_end(id(self))
            return held[1]
        connection = self.open()
        connection.execute("PRAGMA query_only = ON")
        readers[id(self)] = (self, connection)  # holding the template keeps its id from being given to another one
        if len(readers) > READERS_PER_THREAD:
            readers.popitem(last=False)
        return connection


_threads = threading.local()


def _digest_of_all(schema: Schema, connection: apsw.Connection) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for table in sorted(schema.tables.values(), key=lambda table: table.name):
        order = ", ".join(table.key)
        for row in connection.execute(f"SELECT * FROM {table.name} ORDER BY {order}"):  # noqa: S608
            digest.update(json.dumps([table.name, *row]).encode())
    return digest.hexdigest()


class Hot:
    """The stores that hold an open database, least recently used first; the excess goes cold."""

    def __init__(self, limit: int = HOT_LIMIT) -> None:
        self.limit = limit
        self._stores: OrderedDict[int, Store] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._stores)

    def touch(self, store: Store) -> None:
        """Note a use of an open database, and close those that have gone unused longest beyond the limit."""
        with self._lock:
            self._stores[id(store)] = store
            self._stores.move_to_end(id(store))
            excess = len(self._stores) - self.limit
            if excess <= 0:
                return
            candidates = [other for other in self._stores.values() if other is not store]
        for other in candidates[:excess]:
            other.try_evict()  # a store in use by another thread stays, and is tried again at the next touch

    def forget(self, store: Store) -> None:
        """Drop a store that has closed its database."""
        with self._lock:
            self._stores.pop(id(store), None)


HOT = Hot()


class Store:
    """The rows of one session.

    Starts as its template; a `changeset` makes it start as a snapshot of another store. All methods are for the holder
    of `lock`, which `Session` takes around each of its own.
    """

    def __init__(self, template: Template, changeset: bytes = b"", hot: Hot = HOT) -> None:
        self.template = template
        self.lock = threading.RLock()
        self.before_write: Callable[[str], None] | None = None
        """Called with each writing statement before it runs; laws raise from it to prove calls atomic."""
        self._hot = hot
        self._cold = changeset
        self._database: apsw.Connection | None = None
        self._tracker: apsw.Session | None = None
        self._writing = False
        self._inside = False
        self._attempting = False

    # Reading and writing

    def connection(self) -> apsw.Connection:
        """Where to read now: the own database if there is one, else the template's reader of this thread."""
        if self._database is not None:
            return self._database
        return self._own() if self._cold else self.template.reader()

    def write(self, sql: str, values: tuple[Any, ...]) -> int:
        """Run one writing statement inside the transaction of the current call; returns the number of rows touched."""
        if not self._inside:
            raise RuntimeError("a write outside a transaction")
        if self.before_write is not None:
            self.before_write(sql)
        database = self._own()
        if not self._writing:
            database.execute("SAVEPOINT call" if self._attempting else "BEGIN IMMEDIATE")
            self._writing = True
        database.execute(sql, values)
        return database.changes()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside happen, or none: an exception takes them back and passes on."""
        fresh = self._database is None and not self._cold
        self._inside = True
        try:
            yield
            if self._writing and self._database is not None:
                self._database.execute("RELEASE call" if self._attempting else "COMMIT")
        except BaseException:
            if self._writing and self._database is not None:
                self._database.execute("ROLLBACK TO call; RELEASE call" if self._attempting else "ROLLBACK")
            if fresh and self._database is not None and not self._attempting:
                self._close()
            raise
        finally:
            self._inside = self._writing = False

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Whatever is done inside is taken back at the end, calls with transactions of their own included."""
        if self._attempting:
            raise RuntimeError("an attempt inside an attempt")
        database, cold = self._database, self._cold
        if database is not None:
            database.execute("SAVEPOINT attempt")
        self._attempting = True
        try:
            yield
        finally:
            self._attempting = False
            if database is not None:
                database.execute("ROLLBACK TO attempt; RELEASE attempt")
            else:
                self.restore(cold)

    # Snapshots, changes, digests

    def snapshot(self) -> bytes:
        """All changes since the template as a changeset; empty bytes if there are none."""
        if self._tracker is None:
            return self._cold
        return self._tracker.changeset()

    def restore(self, changeset: bytes) -> None:
        """Go to the state of a snapshot of the same template."""
        self._close()
        self._cold = changeset

    def changes(self, since: bytes = b"") -> tuple[Change, ...]:
        """The rows that differ from the snapshot `since` (default: from the template), in comparable form."""
        now = self.snapshot()
        return comparable(self.template.schema.tables, raw_changes(since), raw_changes(_between(since, now)))

    def digest(self) -> str:
        """A digest of the whole state; equal for equal states of one template, however they were reached."""
        raw = raw_changes(self.snapshot())
        if not raw:
            return self.template.digest
        digest = hashlib.blake2b(self.template.digest.encode(), digest_size=16)
        for change in raw:
            digest.update(json.dumps(change).encode())
        return digest.hexdigest()

    # Hot and cold

    def try_evict(self) -> bool:
        """Close the database and keep its changeset, unless another thread is using it."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            if self._inside or self._attempting:
                return False
            cold = self.snapshot()
            self._close()
            self._cold = cold
            return True
        finally:
            self.lock.release()

    def _own(self) -> apsw.Connection:
        if self._database is None:
            self._database = self.template.open()
            self._tracker = apsw.Session(self._database, "main")
            self._tracker.attach()
            if self._cold:
                apsw.Changeset.apply(self._cold, self._database)
                self._cold = b""
        self._hot.touch(self)
        return self._database

    def _close(self) -> None:
        if self._tracker is not None:
            self._tracker.close()
        if self._database is not None:
            self._database.close()
        self._tracker = self._database = None
        self._cold = b""
        self._hot.forget(self)

    close = _close


def raw_changes(changeset: bytes) -> list[RawChange]:
    """The rows of a changeset, sorted, so that two ways to one state give one list."""
    found: list[RawChange] = []
    for change in apsw.Changeset.iter(changeset):
        found.append((change.name, change.op, _plain(change.old), _plain(change.new)))
    return sorted(found, key=json.dumps)


def _between(before: bytes, after: bytes) -> bytes:
    if not before:
        return after
    builder = apsw.ChangesetBuilder()
    builder.add(apsw.Changeset.invert(before))
    builder.add(after)
    return builder.output()


def _plain(values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """The values of a change as JSON data: None where a column was left alone, else a list with the one value."""
    if values is None:
        return None
    return tuple(None if value is apsw.no_change else [value] for value in values)
