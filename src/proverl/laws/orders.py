"""In which order the tools of a server refuse, for every pair of refusals that can hold together.

Covers: calls mixed from the ways to single refusals, and all refusals that each of them meets. Does not cover: which
order is right; whoever asked for the server knows that, and compares.

A way is data: a seed, and calls of which the last one is refused. In the states that the ways lead to, the tool is
called with arguments of all its ways, ids of all rows, values of single rows, and the ends of what its schema allows.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from ..errors import UsageError
from ..records import Json
from ..schemas import fits
from ..world.server import Server
from ..world.session import LocalSession
from ..world.tools import ToolFunction
from .refusals import refusals

Arguments: TypeAlias = dict[str, Json]

NOBODY: Final = "none_0000"
"""An id that no world has."""
NUMBERS: Final = (0.125, 600.125, 2000.125, 10**6)
DAYS: Final = ("2031-02-30", "2001-01-01", "2002-02-02")
MOST_ROWS: Final = 60
FROM_A_ROW: Final = 0.2
_ABSENT: Final = object()


class Way(NamedTuple):
    """How a refusal is reached: the calls of one session on a seed, the last of which is refused."""

    seed: int
    calls: Sequence[tuple[str, Arguments]]


def met_together(server: Server, tool: str, ways: Mapping[str, Way], most: int) -> set[tuple[str, ...]]:
    """The lists of codes, each in the order of the checks, that calls of a tool meet.

    `ways` maps a name (a code, say) to a way whose last call is one of this tool. `most` is how many calls with several
    arguments changed are tried in each state, besides those with one. The same arguments give the same lists.

    Raises:
        UsageError: the server has no such tool
    """
    function = server.function(tool)
    if function is None:
        raise UsageError(f"{server.name} has no tool {tool!r}")
    chance = random.Random(f"{server.name} {tool}")
    pool = _values(function, ways.values())
    found: set[tuple[str, ...]] = set()
    for seed, before, base in _states([ways[name] for name in sorted(ways)]):
        session = LocalSession(server, seed)
        for name, arguments in before:
            session.call(name, arguments)
        every = {argument: [*pool[argument], *_ids(session, function, argument)] for argument in pool}
        for arguments in _mixtures(base, every, _rows(session, function), chance, most):
            if fits(function.tool.input_schema, arguments):
                found.add(tuple(refusals(session, tool, arguments, stand_in=chance.randrange(5000))))
        session.close()
    return found


def _states(ways: Sequence[Way]) -> Iterator[tuple[int, Sequence[tuple[str, Arguments]], Arguments]]:
    """Seed, calls and last arguments of each way, and of two ways of one seed after each other."""
    for seed, calls in ways:
        yield seed, calls[:-1], calls[-1][1]
    for one, other in itertools.combinations(ways, 2):
        if one.seed == other.seed and len(one.calls) > 1 and len(other.calls) > 1:
            last = {**one.calls[-1][1], **other.calls[-1][1]}
            yield one.seed, [*one.calls[:-1], *other.calls[:-1]], last


def _values(function: ToolFunction, ways: Iterable[Way]) -> dict[str, list[Json]]:
    """For each argument: what the ways call with, an id that is none, the ends of what the schema allows."""
    last = [way.calls[-1][1] for way in ways]
    pool: dict[str, list[Json]] = {}
    for argument, schema in function.tool.input_schema["properties"].items():
        found = [arguments[argument] for arguments in last if argument in arguments]
        found += [schema[key] for key in ("minimum", "maximum") if key in schema] + list(schema.get("enum", ()))
        found += NUMBERS if schema.get("type") == "number" else ()
        found += DAYS if function.times.get(argument) == "date" else ()
        found += [NOBODY] if argument in function.tool.takes else ()
        pool[argument] = [value for place, value in enumerate(found) if value not in found[:place]]
    return pool


def _ids(session: LocalSession, function: ToolFunction, argument: str) -> list[str]:
    """Ids of the entity that an argument takes, from all over its list."""
    taken = function.tool.takes.get(argument)
    for entity in session.definition.entities:
        if entity.name == taken and entity.table in session.definition.schema.tables:
            found = session.store.keys(entity)
            return found[:: max(1, len(found) // MOST_ROWS)]
    return []


def _rows(session: LocalSession, function: ToolFunction) -> list[Arguments]:
    """What rows hold under the names of arguments, such as number and bank of one payee."""
    names = function.tool.input_schema["properties"].keys()
    found: list[Arguments] = []
    for table in session.definition.schema.tables.values():
        mine = [column for column in table.columns if column in names and column not in table.refers]
        if mine and not table.name.startswith("world_"):
            found += session.store.sample(table.name, mine, MOST_ROWS)
    return found


def _mixtures(
    base: Arguments, pool: Mapping[str, list[Json]], rows: Sequence[Arguments], chance: random.Random, most: int
) -> Iterator[Arguments]:
    """The arguments as they are, with one taken from the pool or left out, and many with several so changed."""
    choices = {name: [*found, _ABSENT] for name, found in sorted(pool.items())}
    changed: list[Arguments] = [{}, *({name: value} for name in choices for value in choices[name])]
    for _ in range(most if choices else 0):
        names = chance.sample(sorted(choices), chance.randint(1, len(choices)))
        row = chance.choice(rows) if rows and chance.random() < FROM_A_ROW else {}
        changed.append({**{name: chance.choice(choices[name]) for name in names}, **row})
    for change in changed:
        yield {name: value for name, value in {**base, **change}.items() if value is not _ABSENT}
