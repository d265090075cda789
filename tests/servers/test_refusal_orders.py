"""Each tool checks in the order in which it was ordered to, for every pair of refusals that can hold together.

The ways to single refusals (tests/support/reach) lead into states in which something is wrong. There each tool is
called with arguments mixed from all ways to its refusals, and a law (proverl.laws.orders) listens to all refusals of
such a call. What is found is compared with tests/support/orders: the order, and that no pair is missing but those that
cannot meet.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import pytest

from proverl import servers
from proverl.laws.orders import Way, met_together
from proverl.records import Outcome
from proverl.world.session import LocalSession
from support.tested import NAMES, part

TOO_MANY = {"filesystem"}
"""Forty tools with up to ten codes each take ten minutes; their order is checked on what is met."""
FEW, MANY = 10, 2000
"""Mixed calls tried in each state: in order whatever is met, and until every pair is met."""
each_server = pytest.mark.parametrize("name", NAMES)


def orders(name: str) -> Any:
    return part(name, "orders")


@cache
def ways(name: str) -> dict[tuple[str, str], Way]:
    """The calls that lead to each refusal, and with `more()` into states in which several hold."""
    made: dict[int, tuple[int, list[tuple[str, dict[str, Any]]]]] = {}
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
        reach = part(name, "reach")
        more = reach.more() if hasattr(reach, "more") else {}
        for place, function in [*reach.reach().items(), *more.items()]:
            made.clear()
            held.clear()
            function()
            # A way may try several seeds; the last session is the one that was refused as it should be.
            found[place] = [Way(*way) for way in made.values() if way[1][-1][0] == place[0]][-1]
    return found


@each_server
def test_the_published_order_is_the_one_that_was_ordered(name: str) -> None:
    published = {tool.name: " ".join(tool.refusals) for tool in servers.load(name).tools}
    assert published == orders(name).ORDER


def met(name: str, tool: str, most: int) -> set[tuple[str, ...]]:
    """The lists of refusals that mixed calls of a tool meet."""
    mine = {code: way for (of, code), way in ways(name).items() if of == tool}
    return met_together(servers.load(name), tool, mine, most)


def in_order(name: str, most: int, cases: Any) -> list[tuple[str, str, str]]:
    """Check the order of all that mixed calls meet; returns the pairs (tool, earlier code, later code) met nowhere."""
    wrong, missing = [], []
    for tool, codes in orders(name).ORDER.items():
        place = {code: number for number, code in enumerate(codes.split())}
        together = {pair for found in met(name, tool, most) for pair in itertools.combinations(found, 2)}
        wrong += [f"{tool}: {one} before {other}" for one, other in sorted(together) if place[one] > place[other]]
        missing += [(tool, *pair) for pair in itertools.combinations(codes.split(), 2) if pair not in together]
        cases["pairs of refusals in order"] += len(together)
    assert wrong == []
    return missing


@each_server
def test_refusals_that_hold_together_come_in_the_order_that_was_ordered(name: str, cases: Any) -> None:
    assert met_though_apart(name, in_order(name, FEW, cases)) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in NAMES if name not in TOO_MANY])
def test_every_pair_of_refusals_is_met_or_cannot_meet(name: str, cases: Any) -> None:
    missing = in_order(name, MANY, cases)
    apart = {pair for entry in orders(name).APART for pair in excused(entry, orders(name).ORDER)}
    assert sorted(set(missing) - apart) == [], "not met together, and nobody says why not"
    assert met_though_apart(name, missing) == []


def met_though_apart(name: str, missing: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The pairs that are said to be apart and are not missing; a stand-in row may meet anything by chance."""
    apart = {pair for entry in orders(name).APART for pair in excused(entry, orders(name).ORDER)}
    return sorted(pair for pair in apart - set(missing) if not pair[1].endswith("_not_found"))


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
