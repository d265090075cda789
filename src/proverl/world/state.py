"""The store: templates, sessions' rows, snapshots, changes and digests. Knows SQLite, as does world/schema.py.

Covers: one world per (domain, seed) built once and kept as bytes; reading it from any thread; a database of its own
for a session from its first write on; one transaction per call; changesets as snapshots and as the cold form of
sessions that have not been used for long. Does not cover: schemas of tools, call logs, or any domain.

A session reads its template's connection until it writes. There is one such connection per thread, opened query-only,
because one connection must never serve two threads at once. A session's own database has one lock.
"""

from __future__ import annotations

import hashlib
import json
import threading
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import apsw

from ..errors import InfrastructureError
from ..records import Change
from .changes import RawChange, comparable
from .marks import Entity
from .schema import Schema

Row = dict[str, Any]

HOT_LIMIT = 256
SPARE_LIMIT = 64
STATEMENTS_KEPT = 400  # a server has 100 to 300 statements; preparing one costs as much as running three
READERS_PER_THREAD = 64


def connect() -> apsw.Connection:
    """An empty database in memory, as templates, sessions and worlds in the making have it."""
    connection = apsw.Connection(":memory:", statementcachesize=STATEMENTS_KEPT)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_FKEY, True)
    # Without this SQLite plans many joins anew for each bound value: 8 us instead of 2 for a look-up of one row.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, True)
    return connection


def rows(connection: apsw.Connection, sql: str, values: tuple[Any, ...]) -> list[Row]:
    """The rows of a query as dictionaries by column name."""
    cursor = connection.execute(sql, values)
    first = cursor.fetchone()
    if first is None:
        return []
    names = [column[0] for column in cursor.get_description()]
    return [dict(zip(names, row, strict=True)) for row in (first, *cursor.fetchall())]


class Template:
    """One world as it is before any call: the bytes of its database, its digest, and a reader for each thread."""

    def __init__(self, schema: Schema, blob: bytes) -> None:
        self.schema = schema
        self.blob = blob
        self.digest = _digest_of_all(schema, self.open())

    def open(self) -> apsw.Connection:
        """A new database of one's own with this world in it."""
        connection = connect()
        connection.deserialize("main", self.blob)
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
    for table in schema.tables.values():
        order = ", ".join(table.key)
        for row in connection.execute(f"SELECT * FROM {table.name} ORDER BY {order}"):
            digest.update(json.dumps([table.name, *row]).encode())
    return digest.hexdigest()


class Hot:
    """The databases that are open: those of stores in use, least recently used first, and spare ones.

    Stores beyond `limit` go cold. A store that closes leaves its database behind as a spare, rolled back to its
    template: the next store of that template takes it with its parsed schema and prepared statements, which is most of
    what a first write costs. A store that nobody holds any more is not kept alive here.
    """

    def __init__(self, limit: int = HOT_LIMIT, spare: int = SPARE_LIMIT) -> None:
        self.limit = limit
        self._spare = spare
        self._stores: OrderedDict[int, weakref.ref[Store]] = OrderedDict()
        self._spares: dict[Template, list[apsw.Connection]] = {}
        self._order: OrderedDict[apsw.Connection, Template] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._stores)

    def touch(self, store: Store) -> None:
        """Note a use of an open database, and close those that have gone unused longest beyond the limit."""
        with self._lock:
            self._stores[id(store)] = store.reference
            self._stores.move_to_end(id(store))
            excess = max(len(self._stores) - self.limit, 0)
            oldest = list(islice(self._stores.items(), excess))
        for key, reference in oldest:
            other = reference()
            if other is None:
                with self._lock:
                    if self._stores.get(key) is reference:
                        del self._stores[key]
            elif other is not store:
                other.try_evict()  # a store in use by another thread stays, and is tried again at the next touch

    def forget(self, store: Store) -> None:
        """Drop a store that has closed its database."""
        with self._lock:
            self._stores.pop(id(store), None)

    def take(self, template: Template) -> apsw.Connection:
        """A database with this world in it, inside an open transaction."""
        with self._lock:
            spares = self._spares.get(template)
            database = self._drop(template, spares[-1]) if spares else None
        if database is None:
            database = template.open()
        database.execute("BEGIN")
        return database

    def give(self, template: Template, database: apsw.Connection) -> None:
        """Take a database back: what was done since `take` is undone, and it waits for the next store."""
        if database.in_transaction:
            database.execute("ROLLBACK")
        with self._lock:
            self._spares.setdefault(template, []).append(database)
            self._order[database] = template
            if len(self._order) > self._spare:
                oldest, home = next(iter(self._order.items()))
                self._drop(home, oldest)

    def _drop(self, template: Template, database: apsw.Connection) -> apsw.Connection:
        """Strike a spare from the lists."""
        del self._order[database]
        self._spares[template].remove(database)
        if not self._spares[template]:
            del self._spares[template]
        return database


HOT = Hot()


class Store:
    """The rows of one session.

    Starts as its template; a `changeset` makes it start as a snapshot of another store. All methods are for the holder
    of `lock`, which `Session` takes around each of its own.

    From its first write on a store owns a database, in which one transaction stays open: rolling it back gives the
    template again. Calls and attempts are savepoints inside it.
    """

    def __init__(self, template: Template, changeset: bytes = b"", hot: Hot = HOT) -> None:
        self.template = template
        self.lock = threading.RLock()
        self.reference = weakref.ref(self)
        self.before_write: Callable[[str], None] | None = None
        """Called with each writing statement before it runs; laws raise from it to prove calls atomic."""
        self._hot = hot
        self._cold = changeset
        self._database: apsw.Connection | None = None
        self._tracker: apsw.Session | None = None
        self._snapshot: bytes | None = None  # the changeset of now, once somebody has asked for it
        self._inside = False
        self._writable = False
        self._writing = False
        self._attempts = 0
        self._lost = False

    @property
    def schema(self) -> Schema:
        """The tables."""
        return self.template.schema

    # Reading and writing

    def connection(self) -> apsw.Connection:
        """Where to read now: the own database if there is one, else the template's reader of this thread."""
        if self._database is not None:
            return self._database
        return self._own() if self._cold or self._lost else self.template.reader()

    def write(self, sql: str, values: tuple[Any, ...]) -> int:
        """Run one writing statement inside the transaction of the current call; returns the number of rows touched."""
        if not self._writable:
            raise RuntimeError("a write in a read tool, or outside of a call")
        if self.before_write is not None:
            self.before_write(sql)
        if not self._writing:
            self._own().execute("SAVEPOINT call")
            self._writing, self._snapshot = True, None
        assert self._database is not None
        self._database.execute(sql, values)
        return self._database.changes()

    @contextmanager
    def transaction(self, *, writable: bool = True) -> Iterator[None]:
        """All writes inside happen, or none: an exception takes them back and passes on."""
        self._inside, self._writable = True, writable
        try:
            yield
            if self._writing:
                self._keep()
        except BaseException:
            if self._writing:
                self._take_back()
            raise
        finally:
            self._inside = self._writable = self._writing = False

    def _keep(self) -> None:
        """End the call's savepoint; only the outermost one would check deferred foreign keys, so that is done here."""
        database = self._own()
        if database.status(apsw.SQLITE_DBSTATUS_DEFERRED_FKS)[0]:
            raise apsw.ConstraintError("FOREIGN KEY constraint failed at the end of the call")
        database.execute("RELEASE call")

    def _take_back(self) -> None:
        database = self._database
        assert database is not None
        if not database.in_transaction:  # out of memory, say: SQLite has rolled back the whole transaction itself
            self._leave()
            self._lost = True
            return
        database.execute("ROLLBACK TO call; RELEASE call")

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Whatever is done inside is taken back at the end; calls and further attempts may stand inside."""
        database = self._own() if self._cold else self._database
        snapshot = self._snapshot
        if database is not None:
            database.execute("SAVEPOINT attempt")
        self._attempts += 1
        try:
            yield
        finally:
            self._attempts -= 1
            if database is None:
                self._leave()
            elif database is self._database:
                database.execute("ROLLBACK TO attempt; RELEASE attempt")
                self._snapshot = snapshot

    # Snapshots, changes, digests

    def snapshot(self) -> bytes:
        """All changes since the template as a changeset; empty bytes if there are none."""
        if self._lost:
            self._own()
        if self._tracker is None:
            return self._cold
        if self._snapshot is None:
            self._snapshot = self._tracker.changeset()
        return self._snapshot

    def restore(self, changeset: bytes) -> None:
        """Go to the state of a snapshot of the same template."""
        if self._attempts:
            raise RuntimeError("a restore inside an attempt")
        self._leave()
        self._cold = changeset

    def fork(self) -> Store:
        """A store of its own with the same rows."""
        return Store(self.template, self.snapshot(), self._hot)

    def changes(self, since: bytes = b"") -> tuple[Change, ...]:
        """The rows that differ from the snapshot `since` (default: from the template), in comparable form."""
        return comparable(self.template.schema.tables, raw_changes(since), self.changed_rows(since))

    def sample(self, table: str, columns: Sequence[str], most: int) -> list[Row]:
        """The first rows of a table in order of its key, `most` of them (all if negative); for laws."""
        order = ", ".join(self.schema.tables[table].key)
        shown = ", ".join(f"[{column}]" for column in columns)
        return rows(self.connection(), f"SELECT {shown} FROM {table} ORDER BY {order} LIMIT ?", (most,))

    def keys(self, entity: Entity) -> list[str]:
        """The ids of all rows of an entity's view, in the entity's order; for laws."""
        found = self.connection().execute(f"SELECT {entity.key} FROM {entity.view} ORDER BY {entity.order}")
        return [key for (key,) in found]

    def changed_rows(self, since: bytes = b"") -> list[RawChange]:
        """The rows that differ from the snapshot `since`, all columns as they are; for laws."""
        return raw_changes(_between(since, self.snapshot()))

    def row_of(self, change: RawChange) -> tuple[Any, ...] | None:
        """The whole row that was changed, as it is now, where a change holds what is new; None if the row is gone."""
        table, _, old, new = change
        read = self.schema.tables[table]
        there = zip(read.columns, old or new or (), strict=True)
        key = {column: one for column, value in there if column in read.key for one in value}
        where = " AND ".join(f"{column} = ?" for column in key)
        found: tuple[Any, ...] | None = (
            self.connection().execute(f"SELECT * FROM {table} WHERE {where}", list(key.values())).fetchone()
        )
        return found

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
        """Give the database back and keep its changeset, unless a call is using it."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            if self._inside or self._attempts:
                return False
            cold = self.snapshot()
            self._leave()
            self._cold = cold
            return True
        finally:
            self.lock.release()

    def close(self) -> None:
        """Give the database back and forget all changes."""
        self._leave()

    def _own(self) -> apsw.Connection:
        """The own database, opened and brought up to the snapshot if need be."""
        if self._lost:
            raise InfrastructureError("SQLite ran out of memory and dropped the session's rows; reset it")
        if self._database is None:
            database = self._hot.take(self.template)
            tracker = apsw.Session(database, "main")
            tracker.attach()
            if self._cold:
                _refill(database, self.template.schema, self._cold)
                self._snapshot, self._cold = self._cold, b""
            self._database, self._tracker = database, tracker
        self._hot.touch(self)
        return self._database

    def _leave(self) -> None:
        self._tracker = None  # which ends it, before what it follows is rolled back
        if self._database is not None:
            self._hot.give(self.template, self._database)
            self._hot.forget(self)
        self._database = self._snapshot = None
        self._cold, self._lost = b"", False


def raw_changes(changeset: bytes) -> list[RawChange]:
    """The rows of a changeset, sorted, so that two ways to one state give one list."""
    found: list[RawChange] = []
    for change in apsw.Changeset.iter(changeset):
        found.append((change.name, change.op, _plain(change.old), _plain(change.new)))
    return sorted(found, key=json.dumps)


def _refill(database: apsw.Connection, schema: Schema, changeset: bytes) -> None:
    """Bring a database from the template to the state of a changeset.

    Plain statements, which the connection keeps prepared, do it in a fraction of the time of `Changeset.apply`. One
    that breaks a constraint now (a unique value not yet given up, a parent not yet there) waits for the others. Where
    that does not help (unique values that change places), all are taken back and `Changeset.apply` does it.
    """
    database.execute("SAVEPOINT refill")
    waiting = _statements(schema, changeset)
    while left := [(sql, values) for sql, values in waiting if not _run_one(database, sql, values)]:
        if len(left) == len(waiting):
            database.execute("ROLLBACK TO refill")
            # Cascades are in the changeset as rows of their own; run again, they would take rows away too early.
            apsw.Changeset.apply(changeset, database, flags=apsw.SQLITE_CHANGESETAPPLY_FKNOACTION)
            break
        waiting = left
    database.execute("RELEASE refill")


def _run_one(database: apsw.Connection, sql: str, values: list[Any]) -> bool:
    """Change one row; whether that could be done and the row was there (its parent may have taken it along)."""
    try:
        database.execute(sql, values)
    except apsw.ConstraintError:
        return False
    return bool(database.changes())


def _statements(schema: Schema, changeset: bytes) -> list[tuple[str, list[Any]]]:
    """The changes as statements: updates, deletes with children first, inserts with parents first."""
    found: dict[tuple[str, str], list[tuple[str, list[Any]]]] = defaultdict(list)
    for change in apsw.Changeset.iter(changeset):
        table = schema.tables[change.name]
        if change.op == "INSERT":
            values = list(change.new or ())
            sql = f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(values))})"
            found[change.op, table.name].append((sql, values))
            continue
        old = dict(zip(table.columns, change.old or (), strict=True))
        key = [old[column] for column in table.key]
        where = " AND ".join(f"{column} = ?" for column in table.key)
        if change.op == "DELETE":
            found[change.op, table.name].append((f"DELETE FROM {table.name} WHERE {where}", key))
            continue
        new = zip(table.columns, change.new or (), strict=True)
        changed = {column: value for column, value in new if value is not apsw.no_change}
        assignments = ", ".join(f"{column} = ?" for column in changed)
        sql = f"UPDATE {table.name} SET {assignments} WHERE {where}"
        found[change.op, table.name].append((sql, [*changed.values(), *key]))
    turns = (("UPDATE", schema.order), ("DELETE", schema.order[::-1]), ("INSERT", schema.order))
    return [one for op, tables in turns for table in tables for one in found[op, table]]


def _between(before: bytes, after: bytes) -> bytes:
    if not before:
        return after
    builder = apsw.ChangesetBuilder()  # type: ignore[no-untyped-call]
    builder.add(apsw.Changeset.invert(before))
    builder.add(after)
    merged: bytes = builder.output()
    return merged


def _plain(values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """The values of a change as JSON data: None where a column was left alone, else a list with the one value."""
    if values is None:
        return None
    return tuple(None if value is apsw.no_change else [value] for value in values)
