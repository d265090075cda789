"""What the writes of the food delivery server keep, and what makes no difference to them.

Covers: rows that no read shows in full, lists of ids as sets, codes, addresses. What a write answers and what reads
show after it is compared on walks (test_food_delivery_worlds.py).
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

import pytest

from proverl.servers import load
from proverl.world.session import LocalSession
from support.reach.food_delivery import FITS, LINE, PLAIN, READY, done, in_cents, put, sql, world_with

SERVER = load("food_delivery")
SEEDS = range(3)
Row = dict[str, Any]


def clock(session: LocalSession) -> int:
    ((now,),) = sql(session, "SELECT now FROM world_clock")
    return int(now)


# Lists of ids are sets

SOME_ORDER = """
SELECT o.order_id, json_group_array(DISTINCT l.dish_id) AS d_ids
FROM food_order_now o JOIN food_order_line l USING (order_id)
WHERE o.can_report GROUP BY o.order_id HAVING count(DISTINCT l.dish_id) > 1
"""
STRANGE = "SELECT dish_id FROM dish WHERE dish_id NOT IN (SELECT dish_id FROM food_order_line) ORDER BY 1 LIMIT 3"
TWO_GROUPS = """
SELECT d.dish_id, (
  SELECT json_group_array(first) FROM (
    SELECT max(o.option_id) AS first FROM dish_option o
    WHERE o.dish_id = d.dish_id AND NOT o.sold_out GROUP BY o.group_position
  )
) AS o_ids
FROM dish d JOIN option_group g USING (dish_id) WHERE NOT d.sold_out GROUP BY d.dish_id
HAVING count(*) > 1 AND max(g.least) <= 1 AND json_array_length(o_ids) > 1
"""


def assert_order_is_nothing(session: LocalSession, tool: str, name: str, ids: list[str], **arguments: Any) -> None:
    """A call with a list of ids and one with the list turned round answer the same and leave the same state."""
    one, other = session.fork(), session.fork()
    outcomes = [fork.call(tool, {**arguments, name: ids[::turn]}) for fork, turn in ((one, 1), (other, -1))]
    assert outcomes[0] == outcomes[1]
    assert one.digest() == other.digest()
    assert len(ids) > 1


@pytest.mark.parametrize("problem", ["missing", "late"])
def test_the_order_of_dishes_in_a_report_is_nothing(problem: str) -> None:
    session, row = world_with(SOME_ORDER)
    report = {"order_id": row["order_id"], "problem": problem}
    strange = [dish for (dish,) in sql(session, STRANGE)]
    for dishes in (row["d_ids"], strange, ["dish_0001", "dish_0000"], [*row["d_ids"], *strange]):
        assert_order_is_nothing(session, "report_food_problem", "dish_ids", dishes, **report)


def test_the_order_of_options_is_nothing() -> None:
    session, row = world_with(TWO_GROUPS)
    added = done(session, "add_dish_to_basket", dish_id=row["dish_id"], quantity=1, option_ids=row["o_ids"])
    strange = [one for (one,) in sql(session, "SELECT min(option_id) FROM dish_option GROUP BY dish_id LIMIT 3")]
    for tool, key in (("add_dish_to_basket", "dish_id"), ("change_basket_dish", "basket_line_id")):
        line = {key: {**row, **added}[key], "quantity": 2}
        for options in (row["o_ids"], strange, ["opt_0001", "opt_0000"], [*row["o_ids"], *strange]):
            assert_order_is_nothing(session, tool, "option_ids", options, **line)


def test_the_same_options_in_any_order_join_one_line() -> None:
    session, row = world_with(TWO_GROUPS)
    dish = {"dish_id": row["dish_id"], "quantity": 1}
    first = done(session, "add_dish_to_basket", **dish, option_ids=row["o_ids"])
    again = done(session, "add_dish_to_basket", **dish, option_ids=row["o_ids"][::-1])
    assert (again["basket_line_id"], again["quantity"]) == (first["basket_line_id"], 2)
    changed = done(session, "change_basket_dish", basket_line_id=first["basket_line_id"], quantity=1)
    assert changed["line_price"] == first["line_price"], "options that are left out stay"
    assert done(session, "add_dish_to_basket", **dish, option_ids=row["o_ids"])["quantity"] == 2


EXTRA = """
SELECT g.dish_id, g.group_name, json_group_array(o.option_id) AS o_ids FROM option_group g JOIN dish d USING (dish_id)
JOIN dish_option o ON o.dish_id = g.dish_id AND o.group_position = g.position
WHERE g.least = 0 AND g.most > 1 AND o.extra_cents > 0 AND NOT o.sold_out AND NOT d.sold_out
AND NOT EXISTS (SELECT 1 FROM option_group h WHERE h.dish_id = g.dish_id AND h.least > 0)
GROUP BY g.dish_id, g.position HAVING count(*) > 1
"""


def test_a_line_whose_options_change_has_their_price_and_joins_the_next_with_them() -> None:
    session, row = world_with(EXTRA)
    chosen = row["o_ids"][:2]
    prices = dict(sql(session, "SELECT option_id, extra_cents FROM dish_option"))
    ((price,),) = sql(session, "SELECT price_cents FROM dish WHERE dish_id = ?", row["dish_id"])
    added = done(session, "add_dish_to_basket", dish_id=row["dish_id"], quantity=2)
    line = {"basket_line_id": added["basket_line_id"]}
    assert in_cents(added["line_price"]) == 2 * price
    changed = done(session, "change_basket_dish", **line, quantity=3, option_ids=chosen[::-1])
    unit = price + sum(prices[option] for option in chosen)
    assert in_cents(changed["line_price"]) == 3 * unit
    assert in_cents(changed["subtotal"]) == in_cents(added["subtotal"]) - 2 * price + 3 * unit
    joined = done(session, "add_dish_to_basket", dish_id=row["dish_id"], quantity=1, option_ids=chosen[::-1])
    assert (joined["basket_line_id"], in_cents(joined["line_price"])) == (added["basket_line_id"], 4 * unit)
    plain = done(session, "change_basket_dish", **line, quantity=4, option_ids=[])
    assert (
        in_cents(plain["line_price"])
        == 4 * price
        == in_cents(plain["subtotal"]) - in_cents(added["subtotal"]) + 2 * price
    )


def test_a_message_names_the_first_of_several_that_are_wrong() -> None:
    session, row = world_with(TWO_GROUPS.replace("max(g.least) <= 1", "min(g.least) = 1"))
    groups = done(session, "get_dish_options", dish_id=row["dish_id"])["option_groups"]
    dish = {"dish_id": row["dish_id"], "quantity": 1}
    assert repr(groups[0]["group_name"]) in session.call("add_dish_to_basket", dish).message
    twice = [option["option_id"] for group in groups for option in group["options"]]
    assert repr(groups[0]["group_name"]) in session.call("add_dish_to_basket", {**dish, "option_ids": twice}).message
    nothing = {**dish, "option_ids": ["opt_0001", "opt_0000"]}
    assert "'opt_0000'" in session.call("add_dish_to_basket", nothing).message
    session, order = world_with(SOME_ORDER)
    report = {"order_id": order["order_id"], "problem": "cold", "dish_ids": ["dish_0001", "dish_0000"]}
    assert "'dish_0000'" in session.call("report_food_problem", report).message


# Rows


def test_a_basket_is_as_new_as_the_last_write_to_it() -> None:
    session, row = world_with(f"{PLAIN} AND restaurant_id NOT IN (SELECT restaurant_id FROM basket)")
    updated = "SELECT updated_at FROM basket WHERE basket_id = ?"
    added = done(session, "add_dish_to_basket", **row, quantity=20)
    basket = added["basket_id"]
    moments = [sql(session, updated, basket)[0][0]]
    put(session, "UPDATE promo SET minimum_cents = 0, restaurant_id = NULL, first_order = 0")
    ((code,),) = sql(session, "SELECT min(code) FROM promo_on_basket WHERE basket_id = ? AND usable", basket)
    put(session, "UPDATE restaurant SET radius = 9000, open_from = 0, open_until = 1440")
    ((address,),) = sql(session, "SELECT min(dropoff_address_id) FROM dropoff_address_now WHERE complete")
    for tool, arguments in (
        ("add_dish_to_basket", {**row, "quantity": 20, "note": "no salt"}),
        ("apply_meal_promo", {"basket_id": basket, "promo_code": code}),
        ("change_basket_dish", {"basket_line_id": added["basket_line_id"], "quantity": 19}),
        ("place_food_order", {"basket_id": basket, "dropoff_address_id": address, "pay_with": "card"}),
    ):
        now = clock(session)
        done(session, tool, **arguments)
        moments.append(sql(session, updated, basket)[0][0])
        assert moments[-1] == now > moments[-2], tool


@pytest.mark.parametrize("seed", SEEDS)
def test_an_order_is_kept_with_its_moments_and_the_courier_who_rides_least(seed: int) -> None:
    session = LocalSession(SERVER, seed)
    basket, address = sql(session, READY + FITS)[0]
    rides = Counter(courier for (courier,) in sql(session, "SELECT courier_id FROM food_order"))
    idle = min((rides[courier], courier) for (courier,) in sql(session, "SELECT courier_id FROM courier"))
    ((restaurant, prep, metres),) = sql(
        session,
        "SELECT r.restaurant_id, r.prep_minutes, r.metres FROM ride r JOIN basket b USING (restaurant_id)"
        " WHERE b.basket_id = ? AND r.dropoff_address_id = ?",
        basket,
        address,
    )
    now = clock(session)
    arguments = {"basket_id": basket, "dropoff_address_id": address, "pay_with": "card", "courier_note": " ring "}
    order = done(session, "place_food_order", **arguments)["order_id"]
    row = sql(
        session,
        "SELECT restaurant_id, dropoff_address_id, courier_id, courier_note, deliver_at, cancelled, cancelled_at,"
        " metres, placed_at, confirmed_at, preparing_at, riding_at, promised_at, delivered_at"
        " FROM food_order WHERE order_id = ?",
        order,
    )[0]
    minutes = (0, 5, 8, 8 + prep, 8 + prep + metres // 250, 8 + prep + metres // 250)
    kept = (restaurant, address, idle[1], "ring", None, 0, None, metres)
    assert row == (*kept, *(now + 60 * minute for minute in minutes))
    positions = [place for (place,) in sql(session, "SELECT position FROM food_order_line WHERE order_id = ?", order)]
    assert positions == list(range(1, len(positions) + 1))


def test_a_courier_who_never_rode_is_next() -> None:
    session, row = world_with(READY + FITS)
    put(session, "INSERT INTO courier (courier_id, name) VALUES (99, 'Nia')")
    order = done(session, "place_food_order", **row, pay_with="card")["order_id"]
    rides = Counter(courier for (courier,) in sql(session, "SELECT courier_id FROM food_order"))
    ((courier,),) = sql(session, "SELECT courier_id FROM food_order WHERE order_id = ?", order)
    assert rides[courier] == 1


def test_an_order_for_later_keeps_the_moment_that_was_asked_for() -> None:
    session, ready = world_with(READY + FITS + " AND r.open_until >= '16:40'")
    wanted = clock(session) + 90 * 60
    text = (datetime(1970, 1, 1) + timedelta(seconds=wanted)).isoformat()
    order = done(session, "place_food_order", **ready, pay_with="card", deliver_at=text)["order_id"]
    kept = sql(session, "SELECT deliver_at, promised_at, delivered_at FROM food_order WHERE order_id = ?", order)
    assert kept == [(wanted, wanted, wanted)]


def test_a_cancelled_order_keeps_when_and_for_how_much() -> None:
    session, row = world_with("SELECT order_id FROM food_order_now WHERE stage = 'preparing'")
    now = clock(session)
    fee = done(session, "cancel_food_order", **row, max_fee=1000)["fee_charged"]
    kept = sql(
        session,
        "SELECT cancelled, cancelled_at, cancel_fee_cents / 100.0 FROM food_order WHERE order_id = ?",
        *row.values(),
    )
    assert kept == [(1, now, fee)]


def test_a_report_keeps_when_it_came() -> None:
    session, row = world_with("SELECT order_id FROM food_order_now WHERE can_report AND late_by > 1200")
    now = clock(session)
    case = done(session, "report_food_problem", **row, problem="late")["case_id"]
    assert sql(session, "SELECT reported_at FROM problem_case WHERE case_id = ?", case) == [(now,)]


def test_a_line_of_quantity_0_goes_and_the_rest_of_its_basket_stays() -> None:
    session, row = world_with(LINE)
    line = row["basket_line_id"]
    ((basket, dish),) = sql(session, "SELECT basket_id, dish_id FROM basket_line WHERE basket_line_id = ?", line)
    other = done(session, "add_dish_to_basket", dish_id=dish_beside(session, dish), quantity=1)
    assert other["basket_id"] == basket
    before = done(session, "list_food_baskets")["baskets"]
    done(session, "change_basket_dish", basket_line_id=line, quantity=0)
    after = done(session, "list_food_baskets")["baskets"]
    left = {one["basket_line_id"] for row in before for one in row["lines"]} - {line}
    assert {one["basket_line_id"] for row in after for one in row["lines"]} == left
    assert session.call("change_basket_dish", {"basket_line_id": line, "quantity": 1}).code == "line_not_found"


def dish_beside(session: LocalSession, dish: str) -> str:
    """Another dish of the same restaurant, without options."""
    query = f"{PLAIN} AND dish_id <> ? AND restaurant_id = (SELECT restaurant_id FROM dish WHERE dish_id = ?)"
    return str(sql(session, query, dish, dish)[0][0])


# Codes


def test_a_code_with_several_faults_is_refused_for_the_first_that_is_left() -> None:
    session, row = world_with(f"SELECT basket_id, dropoff_address_id FROM ({READY} {FITS})")
    ((mine, other),) = sql(
        session,
        "SELECT b.restaurant_id, min(r.restaurant_id) FROM basket b JOIN restaurant r"
        " ON r.restaurant_id <> b.restaurant_id WHERE b.basket_id = ?",
        row["basket_id"],
    )
    order = "(SELECT min(order_id) FROM food_order WHERE NOT cancelled)"
    today = "(SELECT date(now, 'unixepoch') FROM world_clock)"
    put(
        session,
        f"INSERT INTO promo VALUES ('ALL9', 0, 900, 1000000, date({today}, '1 day'), date({today}, '2 days'), ?, 1)",
        other,
    )
    put(session, f"UPDATE food_order SET promo_code = 'ALL9', restaurant_id = ? WHERE order_id = {order}", mine)
    for code, mend in (
        ("promo_expired", f"UPDATE promo SET valid_from = {today} WHERE code = 'ALL9'"),
        ("promo_already_used", f"UPDATE food_order SET promo_code = NULL WHERE order_id = {order}"),
        ("promo_already_used", f"UPDATE food_order SET cancelled = 1 WHERE restaurant_id = '{mine}'"),
        ("promo_wrong_restaurant", f"UPDATE promo SET restaurant_id = '{mine}' WHERE code = 'ALL9'"),
        ("below_promo_minimum", "UPDATE promo SET minimum_cents = 0 WHERE code = 'ALL9'"),
    ):
        promo = {"basket_id": row["basket_id"], "promo_code": " all9 "}
        assert session.call("apply_meal_promo", promo).code == code, mend
        put(session, mend)
    outcome = session.call("apply_meal_promo", promo)
    assert (outcome.resolved, outcome.value["promo_code"]) == ({"promo_code": "ALL9"}, "ALL9")


# Addresses


def test_an_address_is_read_as_it_was_saved() -> None:
    session = LocalSession(SERVER, 0)
    street, postcode = sql(session, "SELECT street_name, postcode FROM street ORDER BY street_name")[3]
    saved = done(
        session,
        "add_dropoff_address",
        label=" cabin ",
        street=f"{street} 7",
        postcode=postcode,
        unit=" 4B",
        instructions=" ring twice ",
    )
    (row,) = [one for one in done(session, "list_dropoff_addresses")["addresses"] if one["label"] == "cabin"]
    assert row == {
        "dropoff_address_id": saved["dropoff_address_id"],
        "label": "cabin",
        "street": f"7 {street}",
        "unit": "4B",
        "postcode": postcode,
        "instructions": "ring twice",
        "complete": True,
        "deliverable": None,
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_a_house_stands_where_its_number_says_and_is_a_flat_from_a_number_on(seed: int) -> None:
    session = LocalSession(SERVER, seed)
    for street in sql(session, "SELECT * FROM street ORDER BY 1")[::12]:
        name, postcode, x, y, step_x, step_y, last, flats = street
        for number in (1, flats - 1, flats, last):
            fork = session.fork()
            house = {"street": f"{name} {number}", "postcode": f" {postcode} ", "label": "cabin"}
            saved = done(fork, "add_dropoff_address", **house)
            kept = sql(
                fork,
                "SELECT x, y, is_flat FROM dropoff_address WHERE dropoff_address_id = ?",
                saved["dropoff_address_id"],
            )
            assert kept == [(x + number * step_x, y + number * step_y, number >= flats)]
            assert saved["complete"] == (number < flats)


def test_a_street_has_the_postcode_of_its_own_world() -> None:
    worlds = [
        (session, dict(sql(session, "SELECT street_name, postcode FROM street")))
        for session in (LocalSession(SERVER, seed) for seed in range(6))
    ]
    unlike = 0
    for (one, streets), (other, also) in combinations(worlds, 2):
        for name in sorted(name for name in streets if also.get(name, streets[name]) != streets[name])[:1]:
            unlike += 1
            house = {"street": f"1 {name}", "label": "cabin"}
            for session, postcode in ((one, streets[name]), (other, also[name]), (one, streets[name])):
                assert session.fork().call("add_dropoff_address", {**house, "postcode": postcode}).succeeded
    assert unlike
