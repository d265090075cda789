"""The food delivery server: what holds in every world, and in every state that calls can lead to."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from proverl.laws.arguments import Drawn, Family, Generator
from proverl.laws.check import check
from proverl.records import Outcome
from proverl.servers import load
from proverl.synth.phrases import read
from proverl.world.session import LocalSession
from support.reach.food_delivery import FITS, READY, done, in_cents, sql, wallet

SERVER = load("food_delivery")
STAGES = ("placed", "confirmed", "preparing", "riding", "delivered")
SEEDS = range(10)
MANY_SEEDS = range(1000)
Row = dict[str, Any]


def books(session: LocalSession) -> list[str]:
    """What is wrong with the state."""
    found = []
    for order, total, items, fee, tip, discount in sql(
        session, "SELECT order_id, total_cents, items_cents, fee_cents, tip_cents, discount_cents FROM food_order_now"
    ):
        ((lines,),) = sql(session, "SELECT sum(quantity * unit_cents) FROM food_order_line WHERE order_id = ?", order)
        if (
            items != lines
            or total != lines + fee + tip - discount
            or not 0 <= discount <= items
            or not 0 <= tip <= 5000
        ):
            found.append(f"{order}: total {total}, lines {lines}, fee {fee}, tip {tip}, discount {discount}")
    if sql(session, "SELECT count(*) FROM basket WHERE state = 'open'")[0][0] > 3:
        found.append("more than 3 baskets")
    if sql(session, "SELECT count(*) FROM dropoff_address")[0][0] > 7:
        found.append("more than 7 addresses")
    if sql(session, "SELECT 1 FROM basket_line WHERE quantity NOT BETWEEN 1 AND 20"):
        found.append("a line outside of 1 to 20")
    if sql(session, "SELECT 1 FROM open_basket WHERE basket_id NOT IN (SELECT basket_id FROM basket_line_now)"):
        found.append("an open basket without lines")
    if sql(session, "SELECT 1 FROM food_order GROUP BY promo_code HAVING promo_code IS NOT NULL AND count(*) > 1"):
        found.append("a code on two orders")
    return found


def owed(outcome: Outcome, tool: str, before: dict[str, Row]) -> int:
    """By how much a successful call changes the wallet, from its result and the orders as they were."""
    value = outcome.value
    if tool == "report_food_problem":
        return in_cents(value["compensation"])
    order = before.get(value.get("order_id", ""), {})
    if order.get("pay_with") != "wallet":
        return 0
    if tool == "cancel_food_order":
        return in_cents(value["refund_amount"])
    return -in_cents(value["tip"]) + in_cents(order["tip"]) if tool == "tip_food_courier" else 0


def orders(session: LocalSession) -> dict[str, Row]:
    names = ("stage", "tip", "pay_with", "total")
    return {
        row[0]: dict(zip(names, row[1:], strict=True))
        for row in sql(session, "SELECT order_id, stage, tip_cents / 100.0, pay_with, total_cents FROM food_order_now")
    }


def walk(seed: int, calls: int) -> Counter[str]:
    """Random calls; after each, stages only moved forward, the wallet is conserved, tips only rose, books are right."""
    session = LocalSession(SERVER, seed)

    def trial(drawn: Drawn) -> Outcome:
        with session.attempt():
            return session.call(drawn.tool, drawn.arguments)

    shares: dict[Family, float] = {"live": 0.9, "valid": 0.05, "broken": 0.0, "hostile": 0.05}
    generator = Generator(SERVER.tools, seed, shares=shares, trial=trial)
    counts: Counter[str] = Counter()
    for _ in range(calls):
        before, held = orders(session), wallet(session)
        drawn = generator.call()
        outcome = session.call(drawn.tool, drawn.arguments)
        generator.learn(drawn, outcome)
        after = orders(session)
        counts[drawn.tool] += outcome.succeeded
        for order, row in before.items():
            was, is_now = row["stage"], after[order]["stage"]
            assert was == is_now or is_now == "cancelled" or STAGES.index(was) < STAGES.index(is_now), (drawn, order)
            assert after[order]["tip"] >= row["tip"]
        spent = sum(row["total"] for order, row in after.items() if order not in before and row["pay_with"] == "wallet")
        gained = owed(outcome, drawn.tool, before) if outcome.succeeded else 0
        assert wallet(session) == held - spent + gained, drawn
        assert books(session) == [], drawn
    return counts


@pytest.mark.parametrize("seed", range(3))
def test_orders_move_forward_and_money_is_conserved_whatever_is_called(seed: int, cases: Counter[str]) -> None:
    counts = walk(seed, 200)
    cases["calls on food_delivery"] += 200
    assert sum(counts.values()) > 100


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 140))
def test_orders_move_forward_and_money_is_conserved_on_long_walks(seed: int) -> None:
    walk(seed, 1000)


def test_the_laws_of_every_server_hold() -> None:
    report = check(SERVER, seeds=range(1), calls=120)
    assert report.ok, str(report)


# Worlds


def outside(low: int, value: int, high: int) -> bool:
    return not low <= value <= high


def counts(session: LocalSession) -> Counter[str]:
    return Counter(
        {
            table: sql(session, f"SELECT count(*) FROM {table}")[0][0]
            for table in ("restaurant", "dish", "dish_option", "basket", "dropoff_address", "promo", "food_order")
        }
    )


SIZES = {
    "restaurant": (60, 80),
    "dish": (700, 1000),
    "dish_option": (600, 900),
    "basket": (2, 2),
    "dropoff_address": (4, 6),
    "promo": (10, 14),
    "food_order": (30, 45),
}
SAME_NAME_ONCE = {
    "restaurant": "SELECT name, street FROM restaurant",
    "dish": "SELECT restaurant_id, name FROM dish",
    "option": "SELECT dish_id, name FROM dish_option",
    "basket line": "SELECT r.name, d.name FROM basket_line JOIN dish d USING (dish_id)"
    " JOIN restaurant r USING (restaurant_id)",
    "order": "SELECT r.name, placed_at / 86400 FROM food_order JOIN restaurant r USING (restaurant_id)",
    "address": "SELECT lower(label), '' FROM dropoff_address",
}
MUST_EXIST = {
    "a branch": "SELECT 1 FROM restaurant GROUP BY name HAVING count(*) >= 2",
    "branches with one menu": "SELECT 1 FROM restaurant a JOIN restaurant b ON a.name = b.name AND a.street < b.street"
    " JOIN dish d ON d.restaurant_id = a.restaurant_id"
    " JOIN dish e ON e.restaurant_id = b.restaurant_id AND e.name = d.name",
    "a dish name at unlike restaurants": "SELECT 1 FROM dish JOIN restaurant r USING (restaurant_id)"
    " GROUP BY dish.name HAVING count(DISTINCT r.name) >= 3",
    "a closed restaurant": "SELECT 1 FROM restaurant WHERE open_from > 720 OR open_until <= 720",
    "a sold-out dish": "SELECT 1 FROM dish WHERE sold_out",
    "a sold-out option": "SELECT 1 FROM dish_option WHERE sold_out",
    "a required group": "SELECT 1 FROM option_group WHERE least > 0",
    "a basket that can be ordered": READY + FITS,
    "a basket below its minimum": "SELECT 1 FROM open_basket WHERE items_cents < minimum_cents",
    "addresses with similar labels": "SELECT 1 FROM dropoff_address a JOIN dropoff_address b"
    " ON a.label <> b.label AND instr(b.label, a.label)",
    "an incomplete address": "SELECT 1 FROM dropoff_address WHERE is_flat AND unit IS NULL",
    "an address out of most areas": "SELECT 1 FROM ride GROUP BY dropoff_address_id"
    " HAVING sum(metres <= radius) < 0.4 * count(*)",
    "a restaurant that reaches three addresses": "SELECT 1 FROM ride GROUP BY restaurant_id"
    " HAVING sum(metres <= radius) >= 3 AND max(open_from) <= 720 AND max(open_until) > 720",
    "an expired code": "SELECT 1 FROM promo, world_clock WHERE date(now, 'unixepoch') > valid_until",
    "a first-order code": "SELECT 1 FROM promo WHERE first_order",
    "a used code": "SELECT 1 FROM food_order WHERE promo_code IS NOT NULL",
    "a code of one restaurant": "SELECT 1 FROM promo WHERE restaurant_id IS NOT NULL",
    "an order that can be tipped": "SELECT 1 FROM food_order_now WHERE stage = 'delivered'"
    " AND now - delivered_at < 3600",
    "an order that can be rated only": "SELECT 1 FROM food_order_now WHERE stage = 'delivered'"
    " AND now - delivered_at BETWEEN 48 * 3600 AND 7 * 86400",
    "an old order": "SELECT 1 FROM food_order_now WHERE stage = 'delivered' AND now - delivered_at > 7 * 86400",
    "a late order in the window": "SELECT 1 FROM food_order_now WHERE stage = 'delivered'"
    " AND now - delivered_at < 48 * 3600 AND delivered_at - promised_at > 1200",
    "a rated order": "SELECT 1 FROM order_rating",
    "a reported order in the window": "SELECT 1 FROM problem_case JOIN food_order_now USING (order_id)"
    " WHERE now - delivered_at < 48 * 3600",
}
MUST_NOT_EXIST = {
    "an order outside opening hours": "SELECT 1 FROM food_order o JOIN restaurant r USING (restaurant_id)"
    " WHERE placed_at % 86400 / 60 NOT BETWEEN open_from AND open_until - 1",
    "an order below its minimum": "SELECT 1 FROM food_order o JOIN restaurant r USING (restaurant_id)"
    " WHERE items_cents < minimum_cents",
    "an order out of the area": "SELECT 1 FROM food_order o JOIN ride USING (restaurant_id, dropoff_address_id)"
    " WHERE o.metres <> ride.metres OR ride.metres > ride.radius",
    "cash where it is not taken": "SELECT 1 FROM food_order_now o JOIN restaurant r USING (restaurant_id)"
    " WHERE pay_with = 'cash' AND (NOT accepts_cash OR total_cents > 6000)",
    "a required group without enough stock": "SELECT 1 FROM option_group g JOIN dish_option o"
    " ON o.dish_id = g.dish_id AND o.group_position = g.position GROUP BY g.dish_id, g.position"
    " HAVING sum(NOT o.sold_out) < g.least",
    "a kitchen that needs more than 45 minutes": "SELECT 1 FROM restaurant"
    " WHERE 8 + prep_minutes + radius * 4 / 1000.0 > 45",
    "a line in the ready basket that is sold out": "SELECT 1 FROM open_basket JOIN basket_line_now USING (basket_id)"
    " WHERE items_cents >= minimum_cents AND sold_out",
    "a rating of an order that did not come": "SELECT 1 FROM order_rating JOIN food_order_now USING (order_id)"
    " WHERE stage <> 'delivered'",
    "a case of an order that did not come": "SELECT 1 FROM problem_case JOIN food_order_now USING (order_id)"
    " WHERE stage <> 'delivered' OR reported_at > now OR reported_at < promised_at",
}


def faults(session: LocalSession) -> list[str]:
    """What a new world lacks or should not have."""
    found = [
        f"{value} rows of {table}"
        for table, value in counts(session).items()
        if outside(*_between(SIZES[table], value))
    ]
    for what, query in SAME_NAME_ONCE.items():
        twice = [key for key, number in Counter(sql(session, query)).items() if number > 1]
        found += [f"two of one name: {what} {key}" for key in twice]
    stages = Counter(stage for (stage,) in sql(session, "SELECT stage FROM food_order_now"))
    wanted = {"placed": 1, "confirmed": 1, "preparing": 1, "riding": 1, "cancelled": 2}
    found += [f"{stages[stage]} orders are {stage}" for stage, number in wanted.items() if stages[stage] != number]
    found += [f"no {what}" for what, query in MUST_EXIST.items() if not sql(session, query)]
    found += [what for what, query in MUST_NOT_EXIST.items() if sql(session, query)]
    return found + books(session)


def _between(limits: tuple[int, int], value: int) -> tuple[int, int, int]:
    return limits[0], value, limits[1]


@pytest.mark.parametrize("seed", range(20))
def test_a_world_is_whole_and_has_what_makes_it_interesting(seed: int) -> None:
    assert faults(LocalSession(SERVER, seed)) == []


@pytest.mark.soak
def test_a_thousand_worlds_differ_and_are_whole(cases: Counter[str]) -> None:
    digests = set()
    for seed in MANY_SEEDS:
        session = LocalSession(SERVER, seed)
        assert faults(session) == [], seed
        digests.add(session.digest())
        cases["worlds of food_delivery"] += 1
    assert len(digests) == len(MANY_SEEDS)


def test_some_worlds_start_one_below_the_limits() -> None:
    sizes = [counts(LocalSession(SERVER, seed)) for seed in SEEDS]
    assert any(size["dropoff_address"] == 6 for size in sizes)
    assert all(size["basket"] == 2 for size in sizes)


def test_the_phrases_fit_the_tools() -> None:
    phrases = read(SERVER)
    assert set(phrases.tools) == {tool.name for tool in SERVER.tools}
    assert all(len(entry.ask) >= 2 for entry in phrases.tools.values())


def test_every_id_that_a_tool_takes_is_shown_by_a_read() -> None:
    shown = {entity for tool in SERVER.tools if tool.effect == "read" for entity in tool.gives.values()}
    assert shown >= {entity for tool in SERVER.tools for entity in tool.takes.values()}


def test_the_codes_on_posters_work_in_any_world() -> None:
    """The scripted user knows them by heart, for no look-up tells a user what to wish for."""
    values = read(SERVER).tools["apply_meal_promo"].values["promo_code"]["pick"]
    for session in (LocalSession(SERVER, seed) for seed in SEEDS[:6]):
        usable = {code for row in done(session, "list_food_baskets")["baskets"] for code in row["usable_promo_codes"]}
        assert len(usable & set(values)) >= 2
