"""What the reads of a server should answer, worked out in plain Python over its tables.

Covers: how an oracle sees a world, and how it refuses. Each server has a module here whose `ORACLES` maps the name of a
read tool to its oracle. An oracle is written from the tool's published description and schema.sql by someone who has
not opened the tool, so that the two share no mistake. Does not cover: drawing arguments and comparing
(tests/servers/test_oracles.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from proverl.records import Json
from proverl.world.session import LocalSession

Row: TypeAlias = dict[str, Any]
Oracle: TypeAlias = "Callable[[Tables, dict[str, Json]], Json]"
"""Takes the tables and the arguments of a call that fits the schema; returns the whole result, or raises `Refusal`."""


class Refusal(Exception):
    """The call is refused with this code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Tables:
    """All rows of a world: `rows["account"]` is a list of dictionaries by column name, in order of the primary key.

    `now` is the virtual time as local time without an offset, `offset` the world's hours and minutes east of UTC.
    """

    rows: dict[str, list[Row]]
    now: datetime
    offset: timedelta


def tables_of(session: LocalSession, offset: timedelta) -> Tables:
    """The rows of a session as they are now."""
    connection = session.store.connection()
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    ).fetchall()
    rows: dict[str, list[Row]] = {}
    for (name,) in names:
        info = connection.execute(f"PRAGMA table_info({name})").fetchall()
        key = [column[1] for column in sorted((c for c in info if c[5]), key=lambda column: column[5])]
        columns = [column[1] for column in info]
        found = connection.execute(f"SELECT * FROM {name} ORDER BY {', '.join(key)}").fetchall()
        rows[name] = [dict(zip(columns, row, strict=True)) for row in found]
    seconds = rows["world_clock"][0]["now"]
    return Tables(rows, datetime(1970, 1, 1) + timedelta(seconds=seconds), offset)
