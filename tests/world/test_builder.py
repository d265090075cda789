"""Worlds being made: what is planned happens in order of time, and what the rules refuse does not happen."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import DefinitionError
from proverl.world.builder import Builder
from proverl.world.domain import refuse
from support.shop import server as shop
from support.shop.tools import CUSTOMER, ITEM

OPENING = datetime(2031, 5, 14, 9, tzinfo=timezone(timedelta(hours=-7)))


def builder() -> Builder:
    world = Builder(shop.schema, "shop", 1, ["cus", "item", "ord"])
    world.open_at(OPENING)
    return world


@given(st.lists(st.integers(-(10**6), 10**6), max_size=20))
def test_plans_happen_in_order_of_time_and_those_of_one_moment_as_they_were_planned(offsets: list[int]) -> None:
    world = builder()
    seen: list[tuple[int, int]] = []

    def note(world: Builder, offset: int, number: int) -> None:
        assert world.now == OPENING + timedelta(seconds=offset)
        seen.append((offset, number))

    for number, offset in enumerate(offsets):
        world.plan(OPENING + timedelta(seconds=offset), note, offset, number)
    world.happen()
    assert seen == sorted(zip(offsets, range(len(offsets)), strict=True), key=lambda pair: pair[0])
    assert world.now == OPENING


def test_a_plan_that_is_refused_leaves_nothing_behind_and_is_counted() -> None:
    world = builder()

    def half(world: Builder) -> None:
        world.add(CUSTOMER, name="Ann", balance=1)
        refuse("too_late", "no")

    world.plan(OPENING - timedelta(days=1), half)
    world.happen()
    assert world.count(CUSTOMER) == 0
    assert world.dropped == {"too_late": 1}


def test_a_plan_may_plan_what_follows_from_it() -> None:
    world = builder()

    def grow(world: Builder, left: int) -> None:
        world.add(CUSTOMER, name=f"customer {left}", balance=left)
        if left:
            world.plan(world.now + timedelta(hours=1), grow, left - 1)

    world.plan(OPENING - timedelta(days=1), grow, 3)
    world.happen()
    assert [row["balance"] for row in world.all("SELECT balance FROM customer ORDER BY customer_id")] == [3, 2, 1, 0]


def test_a_fault_in_a_plan_is_no_refusal_and_passes_on() -> None:
    world = builder()
    world.plan(OPENING, lambda world: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        world.happen()


def test_a_world_with_plans_left_is_not_finished() -> None:
    world = builder()
    world.plan(OPENING, lambda world: None)
    with pytest.raises(DefinitionError, match=r"1 plans are left.*world\.happen"):
        world.finish()


def test_times_before_the_opening_keep_its_offset() -> None:
    world = builder()
    assert world.ago(days=2) == OPENING - timedelta(days=2)
    assert world.ago(days=1, hour=18, minute=5, second=7).isoformat() == "2031-05-13T18:05:07-07:00"
    world.set_clock(world.ago(days=1, hour=18))
    assert (world.moment, world.today) == ("2031-05-13T18:00:00-07:00", "2031-05-13")


def test_ids_have_gaps_and_start_anywhere() -> None:
    world = builder()
    numbers = [int(world.add(ITEM, name="a", price=1, stock=1).removeprefix("item_")) for _ in range(50)]
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    assert numbers[0] >= 100
    assert steps <= {1, 2, 3}
    assert len(steps) > 1
