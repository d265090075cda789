"""What the reads of a server should answer, worked out in plain Python over its tables by somebody else.

Covers: how an oracle sees a world and how it refuses; walking sessions and comparing each read with its oracle. Does
not cover: any oracle. One is written from a tool's published description and schema.sql by somebody who has not opened
the tool, so that the two share no mistake.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from ..records import Json, Kind, Outcome, Tool
from ..world.server import Server
from ..world.session import LocalSession
from .arguments import Drawn, Family, Generator

Row: TypeAlias = dict[str, Any]
Oracle: TypeAlias = "Callable[[Tables, dict[str, Json]], Json]"
"""Takes the tables and the arguments of a call that fits the schema; returns the whole result, or raises `Refusal`."""

FAMILIES: tuple[Family, ...] = ("live", "live", "valid", "hostile")


class Refusal(Exception):
    """The call is refused with this code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Tables:
    """All rows of a world: `rows["account"]` is a list of dictionaries by column name, in order of the primary key.

    `now` is the virtual time as local time without an offset, `offset` how far it lies east of UTC.
    """

    rows: dict[str, list[Row]]
    now: datetime
    offset: timedelta


@dataclass(frozen=True)
class Difference:
    """A read that answered something else than its oracle: a value, or the code of a refusal."""

    tool: str
    seed: int
    arguments: dict[str, Json]
    oracle: Json
    answer: Json

    def __str__(self) -> str:
        asked = f"{self.tool} {self.arguments!r}, seed {self.seed}"
        return f"{asked}: the oracle says {str(self.oracle)[:600]}, the tool {str(self.answer)[:600]}"


def tables_of(session: LocalSession) -> Tables:
    """The rows of a session as they are now."""
    schema, store = session.definition.schema, session.store
    rows = {name: store.sample(name, table.columns, -1) for name, table in sorted(schema.tables.items())}
    now = datetime(1970, 1, 1) + timedelta(seconds=rows["world_clock"][0]["now"])
    return Tables(rows, now, session.definition.offset.utcoffset(None))


def differences(server: Server, oracles: Mapping[str, Oracle], seed: int, calls: int) -> Iterator[Difference | None]:
    """One item for each read that was compared: None where the two agree.

    A session is walked with drawn calls, writes included; after each of them every read is asked with arguments that
    fit its schema, the ends of what that allows included.
    """
    session, chance = LocalSession(server, seed), random.Random(f"oracle:{server.name}:{seed}")

    def trial(call: Drawn) -> Outcome:
        with session.attempt():
            return session.call(call.tool, call.arguments)

    generator = Generator(session.tools, f"oracle:{seed}", secrets=session.secrets(), trial=trial)
    for _ in range(calls):
        drawn = generator.call()
        generator.learn(drawn, session.call(drawn.tool, drawn.arguments))
        tables = tables_of(session)
        for tool in session.tools:
            if tool.effect == "read":
                arguments = _edges(tool, generator.arguments(tool, chance.choice(FAMILIES)), chance)
                outcome = session.call(tool.name, arguments)
                if outcome.kind is not Kind.BAD_ARGUMENTS:
                    right = _answer(oracles[tool.name], tables, arguments)
                    told = (outcome.code, outcome.value)
                    same = right == told
                    yield None if same else Difference(tool.name, seed, arguments, right, told)
    session.close()


def _answer(oracle: Oracle, tables: Tables, arguments: dict[str, Json]) -> tuple[str, Json]:
    try:
        return "", oracle(tables, arguments)
    except Refusal as refusal:
        return refusal.code, None


def _edges(tool: Tool, arguments: dict[str, Json], chance: random.Random) -> dict[str, Json]:
    """The arguments with one of them at an end of what its schema allows, or one of the values that it lists."""
    properties = tool.input_schema["properties"]
    ends = [(name, part[key]) for name, part in properties.items() for key in ("minimum", "maximum") if key in part]
    ends += [(name, value) for name, schema in properties.items() for value in schema.get("enum", ())]
    return {**arguments, **dict(chance.sample(ends, 1))} if ends else arguments
