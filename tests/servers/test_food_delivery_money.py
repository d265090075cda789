"""Money, windows and limits of the food delivery server on both sides of their edges, and what refusals tell of them.

Right values come from the rules: cash up to 60 dollars in all, tips up to 50, reports for 48 hours, and so on. Clocks
and rows are moved behind the tools' back where a world does not stand on the edge by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from proverl.records import Kind
from proverl.servers import load
from proverl.world.session import LocalSession
from support.reach.food_delivery import FITS, ORDER, PLAIN, READY, done, in_cents, put, sql, wallet, world_with

SERVER = load("food_delivery")
SEEDS = range(4)
HOUR = 3600
Row = dict[str, Any]


def orders(session: LocalSession) -> list[Row]:
    found: list[Row] = []
    while len(page := done(session, "list_food_orders", page=len(found) // 20 + 1)["orders"]) == 20:
        found += page
    return found + page


# Cash


def a_cash_order(least: int = 2000, most: int = 5000) -> tuple[LocalSession, Row, int]:
    """A new order in cash, and its total in cents."""
    session, ready = world_with(
        f"{READY} {FITS} AND r.accepts_cash AND b.subtotal + r.delivery_fee BETWEEN {least} AND {most}"
    )
    order = done(session, "place_food_order", **ready, pay_with="cash")
    return session, order, in_cents(order["total"])


def test_a_tip_keeps_a_cash_order_within_60_dollars() -> None:
    session, order, total = a_cash_order()
    gap = 6000 - total
    for tip in (gap + 1, 5000):
        outcome = session.call("tip_food_courier", {"order_id": order["order_id"], "tip_amount": tip / 100})
        assert outcome.code == "payment_not_possible", tip
    assert done(session, "tip_food_courier", order_id=order["order_id"], tip_amount=gap / 100)["total"] == 60


def test_a_full_tip_on_a_cash_order_of_41_dollars_is_refused_and_changes_nothing() -> None:
    session, order, total = a_cash_order(least=2000, most=4139)
    before = session.digest()
    outcome = session.call("tip_food_courier", {"order_id": order["order_id"], "tip_amount": 50})
    assert outcome.code == "payment_not_possible"
    assert f"{(total + 5000) / 100:.2f}" in outcome.message
    assert session.digest() == before


# The wallet


def test_the_discount_is_applied_to_what_the_wallet_pays() -> None:
    rich = " AND b.subtotal + r.delivery_fee + 200 <= (SELECT wallet_cents FROM account)"
    session, ready = world_with(READY + FITS + rich)
    basket, address = ready["basket_id"], ready["dropoff_address_id"]
    (row,) = [one for one in done(session, "list_food_baskets")["baskets"] if one["basket_id"] == basket]
    code = row["usable_promo_codes"][0]
    discount = in_cents(done(session, "apply_meal_promo", basket_id=basket, promo_code=code)["discount"])
    listed = done(session, "list_food_baskets", dropoff_address_id=address)["baskets"]
    (shown,) = [one for one in listed if one["basket_id"] == basket]
    held = wallet(session)
    order = done(session, "place_food_order", **ready, pay_with="wallet", tip_amount=2)
    assert discount > 0
    assert in_cents(shown["discount"]) == discount
    assert in_cents(shown["total"]) == in_cents(shown["subtotal"]) + in_cents(shown["delivery_fee"]) - discount
    assert in_cents(order["total"]) == in_cents(shown["total"]) + 200 == held - wallet(session)
    assert done(session, "list_food_baskets")["wallet_balance"] == wallet(session) / 100


def test_the_wallet_pays_to_its_last_cent_and_no_further() -> None:
    session, ready = world_with(READY + FITS)
    total = in_cents(done(session.fork(), "place_food_order", **ready, pay_with="card")["total"])
    for held in (total - 1, total):
        fork = session.fork()
        put(fork, "UPDATE account SET wallet_cents = ?", held)
        outcome = fork.call("place_food_order", {**ready, "pay_with": "wallet"})
        assert outcome.succeeded == (held == total), outcome
        assert wallet(fork) == (0 if held == total else held)
    tip = {"order_id": outcome.value["order_id"], "tip_amount": 0.01}
    assert fork.call("tip_food_courier", tip).code == "payment_not_possible"
    assert not next(row for row in orders(fork) if row["order_id"] == tip["order_id"])["can_tip"]


# What can be done, and until when


@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_list_says_can_be_done_is_what_the_tools_accept(seed: int) -> None:
    session = LocalSession(SERVER, seed)
    seen: Counter[tuple[str, bool]] = Counter()
    for row in orders(session):
        order = {"order_id": row["order_id"]}
        dish = done(session, "track_food_order", **order)["lines"][0]["dish_id"]
        calls = {
            "can_tip": ("tip_food_courier", {"tip_amount": round(row["tip"] + 0.01, 2)}),
            "can_rate": ("rate_food_order", {"restaurant_stars": 4}),
            "can_report": ("report_food_problem", {"problem": "cold", "dish_ids": [dish]}),
        }
        for flag, (tool, arguments) in calls.items():
            assert session.fork().call(tool, {**order, **arguments}).succeeded == row[flag], (row, flag)
            seen[flag, row[flag]] += 1
    assert len(seen) == 6


def test_an_order_with_the_highest_tip_cannot_be_tipped() -> None:
    session, row = world_with(ORDER.format("riding") + " AND pay_with = 'card'")
    done(session, "tip_food_courier", **row, tip_amount=49.99)
    assert next(one for one in orders(session) if one["order_id"] == row["order_id"])["can_tip"]
    done(session, "tip_food_courier", **row, tip_amount=50)
    assert not next(one for one in orders(session) if one["order_id"] == row["order_id"])["can_tip"]


def test_an_order_at_the_limit_for_cash_cannot_be_tipped() -> None:
    session, order, total = a_cash_order()
    done(session, "tip_food_courier", order_id=order["order_id"], tip_amount=(6000 - total) / 100)
    assert not next(one for one in orders(session) if one["order_id"] == order["order_id"])["can_tip"]


@pytest.mark.parametrize(
    ("tool", "arguments", "flag", "window"),
    [
        ("tip_food_courier", {"tip_amount": 20}, "can_tip", HOUR),
        ("rate_food_order", {"restaurant_stars": 5}, "can_rate", 7 * 24 * HOUR),
        ("report_food_problem", {"problem": "missing"}, "can_report", 48 * HOUR),
    ],
)
def test_a_window_closes_one_second_after_its_end(tool: str, arguments: Row, flag: str, window: int) -> None:
    session, row = world_with(ORDER.format("riding") + " AND pay_with = 'card'")
    if tool == "report_food_problem":
        lines = done(session, "track_food_order", **row)["lines"]
        arguments = {**arguments, "dish_ids": [lines[0]["dish_id"]]}
    ((delivered,),) = sql(session, "SELECT delivered_at FROM food_order WHERE order_id = ?", row["order_id"])
    for late, open_still in ((0, True), (1, False)):
        put(session, "UPDATE world_clock SET now = ?", delivered + window + late)
        (listed,) = [one for one in orders(session) if one["order_id"] == row["order_id"]]
        assert listed[flag] == open_still
        outcome = session.fork().call(tool, {**row, **arguments})
        assert outcome.succeeded == open_still
        assert open_still or outcome.code.endswith("window_closed")
    put(session, "UPDATE world_clock SET now = ?", delivered - 1)
    assert session.call(tool, {**row, **arguments}).code == ("" if flag == "can_tip" else "not_delivered")


@pytest.mark.parametrize(("late", "accepted"), [(1200, False), (1201, True)])
def test_an_order_is_late_from_the_first_second_after_20_minutes(late: int, accepted: bool) -> None:
    session, row = world_with(
        "SELECT order_id FROM food_order_now WHERE can_report AND fee_cents > 0 AND since_delivery < 40 * 3600"
    )
    put(session, "UPDATE food_order SET promised_at = delivered_at - ? WHERE order_id = ?", late, row["order_id"])
    outcome = session.call("report_food_problem", {**row, "problem": "late"})
    assert outcome.succeeded if accepted else outcome.code == "problem_not_accepted"


@pytest.mark.parametrize(("minutes", "stage", "half"), [(4, "placed", False), (5, "confirmed", True)])
def test_cancelling_costs_from_the_moment_of_confirmation(minutes: int, stage: str, half: bool) -> None:
    session, ready = world_with(READY + FITS)
    start = sql(session, "SELECT now FROM world_clock")[0][0]
    order = done(session, "place_food_order", **ready, pay_with="card")
    put(session, "UPDATE world_clock SET now = ?", start + minutes * 60)
    tracked = done(session, "track_food_order", order_id=order["order_id"])
    assert (tracked["stage"], in_cents(tracked["cancel_fee_now"])) == (stage, in_cents(order["total"]) // 2 * half)
    assert session.call("cancel_food_order", {"order_id": order["order_id"], "max_fee": 13.336}).code == (
        "invalid_argument"
    )
    assert session.call("cancel_food_order", {"order_id": order["order_id"]}).succeeded != half


# Quantities and texts


@pytest.mark.parametrize(("quantity", "right"), [(0, False), (1, True), (20, True), (21, False)])
def test_a_line_holds_1_to_20(quantity: int, right: bool) -> None:
    session, dish = world_with(PLAIN)
    outcome = session.call("add_dish_to_basket", {**dish, "quantity": quantity})
    assert outcome.succeeded if right else outcome.code == "quantity_limit"
    if right:
        once_more = session.call("add_dish_to_basket", {**dish, "quantity": 1})
        assert once_more.succeeded if quantity < 20 else once_more.code == "quantity_limit"


def test_what_is_added_to_a_line_counts_with_what_it_holds() -> None:
    session, dish = world_with(PLAIN)
    assert done(session, "add_dish_to_basket", **dish, quantity=12)["quantity"] == 12
    assert session.call("add_dish_to_basket", {**dish, "quantity": 9}).code == "quantity_limit"
    added = done(session, "add_dish_to_basket", **dish, quantity=8)
    lines = [line for basket in done(session, "list_food_baskets")["baskets"] for line in basket["lines"]]
    (line,) = [one for one in lines if one["basket_line_id"] == added["basket_line_id"]]
    assert (added["quantity"], line["quantity"], line["line_price"]) == (20, 20, added["line_price"])
    for quantity, code in ((21, "quantity_limit"), (-1, "quantity_limit"), (20, ""), (0, "")):
        changed = session.call("change_basket_dish", {"basket_line_id": line["basket_line_id"], "quantity": quantity})
        assert changed.code == code


def test_free_texts_are_kept_without_the_blanks_around_them() -> None:
    session, dish = world_with(PLAIN)
    added = done(session, "add_dish_to_basket", **dish, quantity=1, note="  no salt ")
    notes = "SELECT note FROM basket_line WHERE basket_line_id = ?"
    assert sql(session, notes, added["basket_line_id"]) == [("no salt",)]
    line = {"basket_line_id": added["basket_line_id"], "quantity": 2}
    for note, kept in (("hot\t", "hot"), (None, "hot"), ("", None)):
        done(session, "change_basket_dish", **line, **({} if note is None else {"note": note}))
        assert sql(session, notes, added["basket_line_id"]) == [(kept,)]
    session, ready = world_with(READY + FITS)
    order = done(session, "place_food_order", **ready, pay_with="card", courier_note=" ring twice ")["order_id"]
    assert sql(session, "SELECT courier_note FROM food_order WHERE order_id = ?", order) == [("ring twice",)]
    delivered = sql(session, "SELECT delivered_at FROM food_order WHERE order_id = ?", order)[0][0]
    put(session, "UPDATE world_clock SET now = ?", delivered)
    done(session, "rate_food_order", order_id=order, restaurant_stars=2, courier_stars=5, comment=" so so ")
    rating = "SELECT restaurant_stars, courier_stars, comment FROM order_rating WHERE order_id = ?"
    assert sql(session, rating, order) == [(2, 5, "so so")]
    dishes = [line["dish_id"] for line in done(session, "track_food_order", order_id=order)["lines"]]
    report = done(session, "report_food_problem", order_id=order, problem="cold", dish_ids=dishes, details=" torn ")
    case = "SELECT problem, details, compensation_cents FROM problem_case WHERE case_id = ?"
    assert sql(session, case, report["case_id"]) == [("cold", "torn", in_cents(report["compensation"]))]
    kept = sql(session, "SELECT dish_id FROM problem_dish WHERE case_id = ? ORDER BY 1", report["case_id"])
    assert [one for (one,) in kept] == sorted(set(dishes))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_restaurants", {"query": "  "}),
        ("list_food_orders", {"query": "\t"}),
        ("get_restaurant_menu", {"restaurant_id": "rst_0000", "query": " "}),
        ("apply_meal_promo", {"basket_id": "bsk_0000", "promo_code": " "}),
        ("add_dropoff_address", {"label": "  ", "street": "1 A Street", "postcode": "1"}),
        ("add_dropoff_address", {"label": "a", "street": "1 A Street", "postcode": "1", "unit": " "}),
    ],
)
def test_a_name_or_a_search_of_blanks_is_no_argument(tool: str, arguments: Row) -> None:
    assert LocalSession(SERVER, 0).call(tool, arguments).kind is Kind.BAD_ARGUMENTS


def test_an_amount_with_three_decimals_is_refused_before_an_id_is_looked_up() -> None:
    session = LocalSession(SERVER, 0)
    for tool, arguments in {
        "search_restaurants": {"dropoff_address_id": "drp_0000", "max_delivery_fee": 2.005},
        "place_food_order": {
            "basket_id": "bsk_0000",
            "dropoff_address_id": "drp_0000",
            "pay_with": "card",
            "tip_amount": 1.001,
        },
        "cancel_food_order": {"order_id": "ford_0000", "max_fee": 13.336},
        "tip_food_courier": {"order_id": "ford_0000", "tip_amount": 1.001},
    }.items():
        assert session.call(tool, arguments).code == "invalid_argument", tool


def test_a_moment_for_delivery_is_resolved_to_the_time_of_the_city() -> None:
    session, ready = world_with(READY + FITS + " AND r.open_until >= '16:40'")
    ((noon,),) = sql(session, "SELECT moment FROM world_now")
    there = noon.replace("T12:00:00+00:00", "T15:00:00+02:00")
    outcome = session.call("place_food_order", {**ready, "pay_with": "card", "deliver_at": there})
    assert outcome.value["arrives_at"] == outcome.resolved["deliver_at"] == noon.replace("T12:", "T13:")


def test_a_restaurant_is_open_from_its_first_minute_to_the_one_before_the_last() -> None:
    session, ready = world_with(READY + FITS + " AND r.open_until BETWEEN '13:20' AND '23:00'")
    ((restaurant, opens, closes, midnight),) = sql(
        session,
        "SELECT restaurant_id, open_from, open_until, now / 86400 * 86400 FROM restaurant JOIN basket USING"
        " (restaurant_id), world_clock WHERE basket_id = ?",
        ready["basket_id"],
    )
    for seconds, is_open in (
        (opens * 60 - 1, False),
        (opens * 60, True),
        (closes * 60 - 1, True),
        (closes * 60, False),
    ):
        fork = session.fork()
        put(fork, "UPDATE world_clock SET now = ?", midnight + seconds)
        assert done(fork, "get_restaurant_menu", restaurant_id=restaurant)["open_now"] == is_open
        outcome = fork.call("place_food_order", {**ready, "pay_with": "card"})
        assert outcome.succeeded if is_open else outcome.code == "restaurant_closed"


def test_every_tool_but_adding_a_dish_can_be_called_twice() -> None:
    assert [tool.name for tool in SERVER.tools if not tool.idempotent] == ["add_dish_to_basket"]
    assert timedelta(minutes=3) == SERVER.tick


# What a refusal tells


def told_amounts(message: str) -> list[str]:
    return re.findall(r"[0-9]+\.[0-9]{2}\b", message)


def test_a_refusal_names_the_amounts_that_it_is_about() -> None:
    session, order = world_with(ORDER.format("preparing") + " AND pay_with = 'card' AND tip > 100")
    tracked = done(session, "track_food_order", **order)
    fee, tip = f"{in_cents(tracked['total']) // 2 / 100:.2f}", f"{tracked['tip']:.2f}"
    for tool, arguments, code, amounts in (
        ("cancel_food_order", {"max_fee": 0.5}, "cancel_fee_applies", [fee, "0.50"]),
        ("tip_food_courier", {"tip_amount": 0.25}, "tip_not_raised", ["0.25", tip]),
        ("tip_food_courier", {"tip_amount": 50.01}, "tip_too_high", ["50.01", "50.00"]),
    ):
        outcome = session.call(tool, {**order, **arguments})
        assert (outcome.code, told_amounts(outcome.message)) == (code, amounts)


def test_a_refusal_of_a_basket_names_what_it_holds_and_what_it_needs() -> None:
    session, row = world_with("SELECT * FROM basket_now WHERE state = 'open' AND missing_to_minimum > 0")
    basket, subtotal = {"basket_id": row["basket_id"]}, f"{row['subtotal'] / 100:.2f}"
    ((address,),) = sql(session, "SELECT min(dropoff_address_id) FROM dropoff_address")
    put(session, "INSERT INTO promo VALUES ('BIG9', 0, 900, 123456, '2000-01-01', '2100-01-01', NULL, 0)")
    order = session.call("place_food_order", {**basket, "dropoff_address_id": address, "pay_with": "card"})
    assert told_amounts(order.message) == [f"{row['minimum_order'] / 100:.2f}", subtotal]
    promo = session.call("apply_meal_promo", {**basket, "promo_code": "big9"})
    assert (promo.code, told_amounts(promo.message)) == ("below_promo_minimum", ["1234.56", subtotal])


@pytest.mark.parametrize(("pay_with", "limit"), [("cash", "60.00"), ("wallet", "1.23")])
def test_a_refused_payment_names_what_is_there_and_what_is_asked(pay_with: str, limit: str) -> None:
    session, ready = world_with(READY + FITS + " AND r.accepts_cash AND b.subtotal > 1500")
    put(session, "UPDATE account SET wallet_cents = 123")
    total = done(session.fork(), "place_food_order", **ready, pay_with="card", tip_amount=50)["total"]
    refused = session.call("place_food_order", {**ready, "pay_with": pay_with, "tip_amount": 50})
    assert (refused.code, told_amounts(refused.message)) == ("payment_not_possible", [limit, f"{total:.2f}"])


# Codes and defaults


@pytest.mark.parametrize(("mine", "others", "dropped"), [(0, 10**6, False), (10**6, 0, True)])
def test_a_code_is_dropped_for_its_own_minimum_and_no_other(mine: int, others: int, dropped: bool) -> None:
    session, line = world_with("SELECT basket_line_id, quantity, basket_id FROM basket_line_now WHERE NOT sold_out")
    codes = [code for (code,) in sql(session, "SELECT code FROM promo ORDER BY 1")]
    for code in (codes[0], codes[len(codes) // 2], codes[-1]):
        fork = session.fork()
        put(fork, "UPDATE promo SET minimum_cents = iif(code = ?, ?, ?)", code, mine, others)
        put(fork, "UPDATE basket SET promo_code = ? WHERE basket_id = ?", code, line["basket_id"])
        change = {"basket_line_id": line["basket_line_id"], "quantity": line["quantity"]}
        assert done(fork, "change_basket_dish", **change)["promo_dropped"] == dropped
        left = sql(fork, "SELECT promo_code FROM basket WHERE basket_id = ?", line["basket_id"])
        assert left == [(None if dropped else code,)]


def test_a_default_is_the_one_that_the_description_tells() -> None:
    found = 0
    for tool in SERVER.tools:
        for name, schema in tool.input_schema["properties"].items():
            told = re.search(r"default ([0-9]+)", schema["description"])
            assert schema.get("default") == (None if told is None else int(told[1])), (tool.name, name)
            found += told is not None
    assert found == 4
