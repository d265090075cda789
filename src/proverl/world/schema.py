"""schema.sql: the tables of a domain and what the marks on its columns say.

Covers: reading the tables, and refusing at import whatever would let a world differ from its changesets or between two
runs. Does not cover: worlds and their rows (world/state.py). Only this module and world/state.py know SQLite.

A changeset is blind to tables without a primary key, to NULL keys, to the autoincrement sequence and to virtual tables,
and applying one would fire triggers a second time. All of these are refused, as are columns that read the wall clock or
chance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import apsw

from ..errors import DefinitionError
from .changes import Table
from .marks import Entity

FRAMEWORK_SQL = """
CREATE TABLE world_clock (
  clock_id INTEGER NOT NULL PRIMARY KEY,  -- @id
  now INTEGER NOT NULL,                   -- @clock seconds of local time since 1970-01-01
  offset TEXT NOT NULL                    -- of local time from UTC, such as -07:00
);
CREATE VIEW world_now AS
SELECT date(now, 'unixepoch') AS today, strftime('%Y-%m-%dT%H:%M:%S', now, 'unixepoch') || offset AS moment
FROM world_clock;
CREATE TABLE world_counter (
  prefix TEXT NOT NULL PRIMARY KEY,       -- @id
  value INTEGER NOT NULL                  -- @counter the last number given out
);
CREATE TABLE world_secret (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);
"""
MARKS = ("id", "clock", "counter", "free")
COLUMN = re.compile(r"^\s*(?P<name>\w+)\b.*--\s*@(?P<mark>\w+)")
TABLE = re.compile(r"^\s*CREATE\s+TABLE\s+(?P<name>\w+)\s*\(", re.IGNORECASE)
WHOLE = re.compile(r"--\s*@(?P<mark>\w+)")
COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
VIEW = re.compile(r"\bCREATE\s+VIEW\b[^;]*;", re.IGNORECASE)
FORBIDDEN = (
    (r"\bAUTOINCREMENT\b", "AUTOINCREMENT is invisible to changesets; use world.new_id"),
    (r"\bCREATE\s+VIRTUAL\s+TABLE\b", "a virtual table is invisible to changesets; use an ordinary one"),
    (r"\bCREATE\s+TEMP", "a temporary table or view is invisible to changesets"),
    (r"\bCREATE\s+TRIGGER\b", "a trigger would run again when a changeset is applied; change the rows in the tool"),
    (r"\bGENERATED\s+ALWAYS\b|\bAS\s*\(", "a generated column is not in changesets; compute it in the query"),
    (r"\bON\s+CONFLICT\b", "ON CONFLICT in a table definition can undo more than one call; handle it in the tool"),
    (r"\bCURRENT_(TIMESTAMP|DATE|TIME)\b|'now'", "the wall clock; use world.now"),
    (r"\bRANDOM(BLOB)?\s*\(", "random() differs from run to run; use world.random in seed.py"),
    (r"\bBLOB\b", "a BLOB is not JSON; keep text"),
)


@dataclass(frozen=True)
class Schema:
    """The tables of one domain, read from its schema.sql.

    A column's line may end in `-- @id`, `-- @clock`, `-- @counter` or `-- @free`: such columns do not count when final
    states are compared (free text counts as filled or not). The mark on a CREATE TABLE line goes for all its columns.

    Raises:
        DefinitionError: the SQL is wrong, or holds something that a world cannot have; the message names it
    """

    sql: str
    tables: dict[str, Table] = field(init=False)
    """By name, sorted."""
    order: tuple[str, ...] = field(init=False)
    """The tables, each after those that it refers to (where they do not refer to each other in a circle)."""

    def __post_init__(self) -> None:
        full = FRAMEWORK_SQL + self.sql
        bare = COMMENT.sub(" ", full)
        without_views = VIEW.sub(" ", bare)  # in which `WITH x AS (` is no generated column
        for pattern, why in FORBIDDEN:
            if found := re.search(pattern, without_views if "AS" in pattern else bare, re.IGNORECASE):
                raise DefinitionError(f"schema.sql: {' '.join(found[0].split())!r}: {why}")
        marks = _marks(full)
        connection = apsw.Connection(":memory:")
        try:
            connection.execute(full)
        except apsw.Error as error:
            raise DefinitionError(f"schema.sql: {error}") from None
        tables_of = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1"
        names = [name for (name,) in connection.execute(tables_of)]
        unread = sorted(set(names) - set(marks))
        if unread:
            raise DefinitionError(f"schema.sql: begin a line with CREATE TABLE {unread[0]} (, with a plain name")
        tables = {name: _table(connection, name, marks[name]) for name in names}
        for table in tables.values():
            _check_references(connection, table, tables)
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "order", _parents_first(tables))

    def create(self, connection: apsw.Connection) -> None:
        """Create all tables in an empty database."""
        connection.execute(FRAMEWORK_SQL + self.sql)

    def check_entity(self, entity: Entity) -> None:
        """Make sure that what an entity says of its rows is so.

        Raises:
            DefinitionError: no such table, another primary key, or a view that lacks the key or a column of the order
        """
        table = self.tables.get(entity.table)
        if table is None:
            if entity.prefix:
                raise DefinitionError(f"{entity.name}: schema.sql has no table {entity.table}; name it in the Entity")
            return  # ids that are words of their own, such as paths, need no table
        if table.key != (entity.key,):
            raise DefinitionError(f"{entity.name}: the primary key of {table.name} is {table.key}, not {entity.key}")
        connection = apsw.Connection(":memory:")
        self.create(connection)
        try:
            connection.execute(f"SELECT {entity.key} FROM {entity.view} ORDER BY {entity.order}")
        except apsw.Error as error:
            where = f"its view is {entity.view}, its order {entity.order}"
            raise DefinitionError(f"{entity.name}: {error}; {where}") from None


def _check_references(connection: apsw.Connection, table: Table, tables: dict[str, Table]) -> None:
    """Refuse foreign keys to what is no primary key.

    A parent that gave such a value to another row would take its children along when a changeset is applied, though
    they are not in it.
    """
    for _, _, target, column, to, *_ in connection.execute(f"PRAGMA foreign_key_list({table.name})"):
        if target not in tables:
            raise DefinitionError(f"schema.sql: {table.name}.{column} refers to {target}, which is no table")
        if to is not None and to not in tables[target].key:
            raise DefinitionError(f"schema.sql: {table.name}.{column} refers to {target}.{to}, which is no primary key")


def _parents_first(tables: dict[str, Table]) -> tuple[str, ...]:
    seen: set[str] = set()
    found: list[str] = []

    def visit(name: str) -> None:
        if name not in seen:
            seen.add(name)
            for parent in tables[name].refers.values():
                visit(parent)
            found.append(name)

    for name in tables:
        visit(name)
    return tuple(found)


def _marks(sql: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    table = ""
    for line in sql.splitlines():
        if opened := TABLE.match(line):
            table = opened["name"]
            whole = WHOLE.search(line)
            found[table] = {"*": whole["mark"]} if whole else {}
        elif table and (mark := COLUMN.match(line)):
            found[table][mark["name"]] = mark["mark"]
    return found


def _table(connection: apsw.Connection, name: str, marks: dict[str, str]) -> Table:
    info: list[tuple[Any, ...]] = connection.execute(f"PRAGMA table_info({name})").fetchall()
    columns = tuple(row[1] for row in info)
    key = tuple(row[1] for row in sorted((row for row in info if row[5]), key=lambda row: row[5]))
    if not key or any(row[5] and not row[3] for row in info):
        raise DefinitionError(f"schema.sql: table {name} needs a PRIMARY KEY of NOT NULL columns")
    for column, mark in marks.items():
        if mark not in MARKS:
            raise DefinitionError(f"schema.sql: @{mark} on {name}.{column} is none of @{', @'.join(MARKS)}")
        if column != "*" and column not in columns:
            raise DefinitionError(f"schema.sql: @{mark} stands on {column}, which is no column of {name}")
    if "*" in marks:
        marks = {**dict.fromkeys(columns, marks["*"]), **{c: mark for c, mark in marks.items() if c != "*"}}
    refers = {row[3]: row[2] for row in connection.execute(f"PRAGMA foreign_key_list({name})")}
    return Table(name, columns, key, marks, refers)
