"""Each tool checks in the order in which it was ordered to, for every pair of refusals that can hold together.

The ways to single refusals (tests/support/reach) lead into states in which something is wrong. There each tool is
called with arguments mixed from all ways to its refusals, and a law (proverl.laws.refusals) listens to all refusals of
such a call. What is found is compared with tests/support/orders: the order, and that no pair is missing but those that
cannot meet.
"""

from __future__ import annotations

import importlib
import itertools
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from proverl import servers
from proverl.laws.refusals import refusals
from proverl.records import Outcome
from proverl.world.server import Server
from proverl.world.session import LocalSession
from proverl.world.tools import ToolFunction

FEW, MANY = 60, 2000
"""Mixed calls tried in each state: in order whatever is met, and until every pair is met."""
NUMBERS = [0.125, 600.125, 2000.125, 10**6]
DAYS = ["2031-02-30", "2001-01-01", "2002-02-02"]

Call = tuple[str, dict[str, Any]]
Way = tuple[int, list[Call]]
"""The seed of a session, and its calls; the last one is refused."""

each_server = pytest.mark.parametrize("name", servers.names())


def orders(name: str) -> Any:
    return importlib.import_module(f"support.orders.{name}")


@cache
def ways(name: str) -> dict[tuple[str, str], Way]:
    """The calls that lead to each refusal, and with `more()` into states in which several hold."""
    made: dict[int, Way] = {}
    held: list[LocalSession] = []
    call = LocalSession.call

    def noting(self: LocalSession, tool: str, arguments: dict[str, Any]) -> Outcome:
        if id(self) not in made:
            held.append(self)  # so that its id is not given to another one
            made[id(self)] = (self.seed, [])
        made[id(self)][1].append((tool, arguments))
        return call(self, tool, arguments)

    found: dict[tuple[str, str], Way] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalSession, "call", noting)
        reach = importlib.import_module(f"support.reach.{name}")
        more = reach.more() if hasattr(reach, "more") else {}
        for place, function in [*reach.reach().items(), *more.items()]:
            made.clear()
            held.clear()
            function()
            found[place] = next(way for way in made.values() if way[1][-1][0] == place[0])
    return found


def mixed(name: str, tool: str, most: int) -> set[tuple[str, ...]]:
    """The lists of refusals that mixed calls of a tool meet in the states of the ways to its refusals."""
    server = servers.load(name)
    function = server.function(tool)
    assert function is not None
    mine = {code: way for (of, code), way in sorted(ways(name).items()) if of == tool}
    pool = values(server, function, mine)
    chance = random.Random(f"{name} {tool}")
    found: set[tuple[str, ...]] = set()
    for seed, prelude, base in states(mine):
        session = LocalSession(server, seed)
        for of, arguments in prelude:
            session.call(of, arguments)
        every = {argument: [*pool[argument], *ids(session, function, argument)] for argument in pool}
        for arguments in mixtures(base, every, rows(session, function), chance, most):
            if function.judge.is_valid(arguments):
                found.add(tuple(refusals(session, tool, arguments, stand_in=chance.randrange(5000))))
        session.close()
    return found


def states(mine: dict[str, Way]) -> Iterator[tuple[int, list[Call], dict[str, Any]]]:
    """Seed, calls and last arguments of each way, and of two ways of one seed after each other."""
    for seed, calls in mine.values():
        yield seed, calls[:-1], calls[-1][1]
    for (seed, calls), (other, more) in itertools.combinations(mine.values(), 2):
        if seed == other and len(calls) > 1 and len(more) > 1:
            yield seed, [*calls[:-1], *more[:-1]], {**calls[-1][1], **more[-1][1]}


def values(server: Server, function: ToolFunction, mine: dict[str, Way]) -> dict[str, list[Any]]:
    """For each argument: what the ways call with, an id that is none, the ends of what the schema allows."""
    pool: dict[str, list[Any]] = {}
    for argument, schema in function.tool.input_schema["properties"].items():
        found = [calls[-1][1][argument] for _, calls in mine.values() if argument in calls[-1][1]]
        found += [schema[key] for key in ("minimum", "maximum") if key in schema] + list(schema.get("enum", ()))
        found += NUMBERS if schema.get("type") == "number" else []
        found += DAYS if function.times.get(argument) == "date" else []
        found += ["none_0000"] if argument in function.tool.takes else []
        pool[argument] = [value for place, value in enumerate(found) if value not in found[:place]]
    return pool


def ids(session: LocalSession, function: ToolFunction, argument: str) -> list[str]:
    """All ids of the entity that an argument takes."""
    taken = function.tool.takes.get(argument)
    for entity in session.definition.entities:
        if entity.name == taken and entity.prefix:
            rows = session.store.connection().execute(f"SELECT {entity.key} FROM {entity.view} ORDER BY {entity.order}")
            found = [row[0] for row in rows]
            return found[:: max(1, len(found) // 60)]
    return []


def rows(session: LocalSession, function: ToolFunction) -> list[dict[str, Any]]:
    """What rows hold under the names of arguments, such as number and bank of one payee."""
    connection = session.store.connection()
    names = function.tool.input_schema["properties"].keys()
    found = []
    for table in session.definition.schema.tables.values():
        mine = [column for column in table.columns if column in names and column not in table.refers]
        if mine and not table.name.startswith("world_"):
            held = connection.execute(f"SELECT {', '.join(mine)} FROM {table.name} ORDER BY 1 LIMIT 60").fetchall()
            found += [dict(zip(mine, row, strict=True)) for row in held]
    return found


def mixtures(
    base: dict[str, Any], pool: dict[str, list[Any]], held: list[dict[str, Any]], chance: random.Random, most: int
) -> Iterator[dict[str, Any]]:
    """The arguments as they are, with one taken from the pool or left out, and many with several so changed."""
    absent = object()
    choices = {name: [*found, absent] for name, found in sorted(pool.items())}
    changed: list[dict[str, Any]] = [{}, *({name: value} for name in choices for value in choices[name])]
    for _ in range(most if choices else 0):
        names = chance.sample(sorted(choices), chance.randint(1, len(choices)))
        row = chance.choice(held) if held and chance.random() < 0.2 else {}
        changed.append({**{name: chance.choice(choices[name]) for name in names}, **row})
    for change in changed:
        yield {name: value for name, value in {**base, **change}.items() if value is not absent}


@each_server
def test_the_published_order_is_the_one_that_was_ordered(name: str) -> None:
    published = {tool.name: " ".join(tool.refusals) for tool in servers.load(name).tools}
    assert published == orders(name).ORDER


def in_order(name: str, most: int, cases: Any) -> list[tuple[str, str, str]]:
    """Check the order of all that mixed calls meet; returns the pairs (tool, earlier code, later code) met nowhere."""
    wrong, missing = [], []
    for tool, codes in orders(name).ORDER.items():
        place = {code: number for number, code in enumerate(codes.split())}
        together = {pair for found in mixed(name, tool, most) for pair in itertools.combinations(found, 2)}
        wrong += [f"{tool}: {one} before {other}" for one, other in sorted(together) if place[one] > place[other]]
        missing += [(tool, *pair) for pair in itertools.combinations(codes.split(), 2) if pair not in together]
        cases["pairs of refusals in order"] += len(together)
    assert wrong == []
    return missing


@each_server
def test_refusals_that_hold_together_come_in_the_order_that_was_ordered(name: str, cases: Any) -> None:
    in_order(name, FEW, cases)


@pytest.mark.soak
@each_server
def test_every_pair_of_refusals_is_met_or_cannot_meet(name: str, cases: Any) -> None:
    missing = in_order(name, MANY, cases)
    apart = {pair for entry in orders(name).APART for pair in excused(entry, orders(name).ORDER)}
    assert sorted(set(missing) - apart) == [], "not met together, and nobody says why not"
    assert sorted(apart - set(missing)) == [], "said to be apart, and met together"


def excused(entry: Any, ordered: dict[str, str]) -> set[tuple[str, str, str]]:
    """(tool, earlier code, later code) of the pairs that an entry speaks of."""
    tools = ordered if entry.tools == "*" else entry.tools.split()
    one, other = set(entry.one.split()), set(entry.other.split())
    return {
        (tool, first, second)
        for tool in tools
        for first, second in itertools.combinations(ordered[tool].split(), 2)
        if (first in one and second in other) or (first in other and second in one)
    }
