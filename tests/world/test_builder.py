"""Worlds being made: what is planned happens in order of time, and what the rules refuse does not happen."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import DefinitionError
from proverl.world.builder import Builder
from proverl.world.domain import refuse
from proverl.world.schema import Schema
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
    assert steps == {1, 2, 3}


def test_the_opening_is_the_time_of_the_world_that_is_handed_over() -> None:
    world = builder()
    assert (world.opening, world.now, world.offset) == (OPENING, OPENING, OPENING.tzinfo)
    world.set_clock(world.ago(days=3))
    world.set_clock(world.opening)
    template = world.finish()
    seconds = (datetime(2031, 5, 14, 9) - datetime(1970, 1, 1)).total_seconds()
    assert template.open().execute("SELECT * FROM world_clock").fetchall() == [(1, seconds, "-07:00")]


def test_a_fraction_of_a_second_in_the_opening_is_no_part_of_the_offset() -> None:
    world = Builder(shop.schema, "shop", 1, [])
    world.open_at(OPENING.replace(microsecond=250_000))
    assert world.all("SELECT offset, moment FROM world_clock, world_now") == [
        {"offset": "-07:00", "moment": OPENING.isoformat()}
    ]


@pytest.mark.parametrize("hours", [-11, 0, 5.75])
def test_the_offset_of_the_opening_is_that_of_all_times(hours: float) -> None:
    world = Builder(shop.schema, "shop", 1, [])
    opening = datetime(2031, 5, 14, 9, tzinfo=timezone(timedelta(hours=hours)))
    world.open_at(opening)
    assert (world.moment, world.value("SELECT moment FROM world_now")) == (opening.isoformat(), opening.isoformat())


def test_a_time_of_the_day_takes_the_place_of_the_openings_and_its_parts_are_nothing_if_not_given() -> None:
    world = builder()
    assert world.ago() == OPENING
    assert world.ago(hour=0) == OPENING.replace(hour=0)
    assert world.ago(days=40, hour=23, minute=59) == OPENING.replace(month=4, day=4, hour=23, minute=59)


def test_many_rows_are_added_at_once_in_their_order_and_none_is_no_fault() -> None:
    world = builder()
    rows = [{"customer_id": f"c{number}", "name": f"n{number}", "balance": number} for number in range(5)]
    world.insert_all("customer", iter(rows))
    world.insert_all("customer", [])
    world.insert_all("customer", [{"name": "one", "customer_id": "c5", "balance": 0}])
    one = {"customer_id": "c5", "name": "one", "balance": 0}
    assert world.all("SELECT * FROM customer ORDER BY customer_id") == [*rows, one]


def test_a_plan_gets_what_it_was_made_with_and_the_last_event_of_a_moment_wins() -> None:
    world = builder()
    seen: list[Any] = []

    def event(world: Builder, *given: Any, **named: Any) -> None:
        seen.append((given, named))

    world.plan(OPENING, event, 1, "a", key="b")
    world.plan(OPENING, event)
    world.happen()
    world.happen()
    assert seen == [((1, "a"), {"key": "b"}), ((), {})]


def test_refused_plans_are_counted_by_code_and_those_before_and_after_them_stay() -> None:
    world = builder()

    def sell(world: Builder, name: str, code: str) -> None:
        world.add(CUSTOMER, name=name, balance=1)
        if code:
            refuse(code, "no")

    for number, code in enumerate(["", "late", "", "late", "poor", ""]):
        world.plan(OPENING + timedelta(seconds=number), sell, f"n{number}", code)
    world.happen()
    assert world.dropped == {"late": 2, "poor": 1}
    assert [row["name"] for row in world.all("SELECT name FROM customer ORDER BY name")] == ["n0", "n2", "n5"]


def test_a_finished_world_has_the_rows_counters_and_secrets_that_it_was_given() -> None:
    world = builder()
    last = [world.add(CUSTOMER, name=name, balance=1) for name in "ab"][-1]
    world.keep_secret("pin", "0042")
    connection = world.finish().open()
    assert connection.execute("SELECT name FROM customer ORDER BY name").fetchall() == [("a",), ("b",)]
    assert connection.execute("SELECT * FROM world_secret").fetchall() == [("pin", "0042")]
    counters = dict(connection.execute("SELECT prefix, value FROM world_counter"))
    assert counters["cus"] == int(last.removeprefix("cus_"))
    assert set(counters) == {"cus", "item", "ord"}


def test_a_row_without_its_parent_does_not_get_into_a_world() -> None:
    world = builder()
    with pytest.raises(apsw.ConstraintError):
        world.insert("purchase", purchase_id="a", customer_id="nobody", placed_at="")


def test_a_row_whose_parent_never_comes_does_not_get_into_a_world_that_is_finished() -> None:
    late = "REFERENCES pair DEFERRABLE INITIALLY DEFERRED"
    sql = f"CREATE TABLE pair (\n  a INTEGER NOT NULL PRIMARY KEY,\n  b INTEGER {late}\n);"
    for rows, whole in (([(1, 2), (2, 1)], True), ([(1, 2)], False)):
        world = Builder(Schema(sql), "pairs", 1, [])
        world.open_at(OPENING)
        for a, b in rows:
            world.insert("pair", a=a, b=b)
        if whole:
            assert world.finish().open().execute("SELECT * FROM pair ORDER BY a").fetchall() == rows
        else:
            with pytest.raises(apsw.ConstraintError):
                world.finish()


def test_chance_hangs_on_the_name_and_the_seed_and_on_nothing_else() -> None:
    def numbers(name: str, seed: int) -> list[int]:
        return [Builder(shop.schema, name, seed, []).random.randrange(10**9) for _ in range(2)]

    assert len({tuple(numbers(name, seed)) for name in ("shop", "sho") for seed in range(3)}) == 6
    assert all(len(set(numbers("shop", seed))) == 1 for seed in range(3))


def test_counters_start_between_a_hundred_and_eight_thousand() -> None:
    first = [
        int(Builder(shop.schema, "shop", seed, ["item"]).new_id(ITEM).removeprefix("item_")) for seed in range(300)
    ]
    assert 101 <= min(first) < 300
    assert 7700 < max(first) <= 8002


@pytest.mark.parametrize("start", [100, 7999])
def test_the_lowest_and_the_highest_number_at_which_a_counter_starts(start: int) -> None:
    """It is the first thing that is drawn, and what a world without rows holds."""
    seed = next(seed for seed in range(10**6) if Random(f"shop:{seed}").randrange(100, 8000) == start)
    world = Builder(shop.schema, "shop", seed, ["item"])
    world.open_at(OPENING)
    counters = world.finish().open().execute("SELECT * FROM world_counter").fetchall()
    assert counters == [("item", start)]
    beyond = next(seed for seed in range(10**6) if Random(f"shop:{seed}").randrange(100, 8001) == 8000)
    assert int(Builder(shop.schema, "shop", beyond, ["item"]).new_id(ITEM).removeprefix("item_")) <= 8002
