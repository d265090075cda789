"""The food delivery server: its rules. The way to each refusal is in tests/support/reach.

Right values come from the rules and from the rows that a world begins with, counted here anew; stages, fees and
distances are worked out from those, not asked of the server's own modules.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from proverl.records import Kind
from proverl.servers import load
from proverl.world.session import LocalSession
from support.reach.food_delivery import FITS, PLAIN, READY, done, in_cents, sql, wallet, world_with

SERVER = load("food_delivery")
STAGES = ("placed", "confirmed", "preparing", "riding", "delivered")
SEEDS = range(4)
Row = dict[str, Any]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=None)


def now(session: LocalSession) -> datetime:
    ((seconds,),) = sql(session, "SELECT now FROM world_clock")
    return datetime(1970, 1, 1) + timedelta(seconds=seconds)


def kilometres(session: LocalSession, address_id: str, restaurant_id: str) -> float:
    """The length of a ride: both legs of the street grid, to the nearest quarter of a kilometre, at least one."""
    ((ax, ay, rx, ry),) = sql(
        session,
        "SELECT a.x, a.y, r.x, r.y FROM dropoff_address a, restaurant r"
        " WHERE dropoff_address_id = ? AND restaurant_id = ?",
        address_id,
        restaurant_id,
    )
    metres = abs(ax - rx) + abs(ay - ry)
    return max(1, (2 * metres + 250) // 500) / 4


def pass_time(session: LocalSession) -> None:
    """Let three minutes pass: any write does."""
    lines = sql(session, "SELECT basket_line_id, quantity FROM basket_line_now WHERE NOT sold_out")
    if lines:
        done(session, "change_basket_dish", basket_line_id=lines[0][0], quantity=lines[0][1])
    else:
        done(session, "add_dish_to_basket", dish_id=sql(session, PLAIN)[0][0], quantity=1)


# Refusals


def test_of_two_faults_the_one_that_a_tool_lists_first_is_named() -> None:
    session, row = world_with("SELECT dish_id FROM dish WHERE sold_out")
    assert session.call("add_dish_to_basket", {**row, "quantity": 99}).code == "dish_sold_out"
    session, row = world_with(PLAIN)
    stranger = sql(session, "SELECT min(option_id) FROM dish_option")[0][0]
    faults = {**row, "quantity": 99, "option_ids": [stranger]}
    assert session.call("add_dish_to_basket", faults).code == "option_not_for_dish"
    home = {"label": "home", "street": "1 Nowhere Street", "postcode": "0"}
    assert session.call("add_dropoff_address", home).code == "duplicate_label"
    assert session.call("add_dropoff_address", {**home, "label": "hut"}).code == "outside_service_area"
    ((order,),) = sql(
        session, "SELECT order_id FROM food_order_now WHERE stage = 'delivered' ORDER BY placed_at LIMIT 1"
    )
    tip = {"order_id": order, "tip_amount": 0}
    assert session.call("tip_food_courier", tip).code == "tip_window_closed"
    report = {"order_id": order, "problem": "missing"}
    assert session.call("report_food_problem", report).code == "report_window_closed"


def test_an_order_that_breaks_several_rules_is_refused_for_the_first() -> None:
    session, short = world_with(
        """
        SELECT b.basket_id, a.dropoff_address_id, d.dish_id
        FROM basket_now b JOIN ride r ON r.restaurant_id = b.restaurant_id
        JOIN dropoff_address a USING (dropoff_address_id) JOIN dish d ON d.restaurant_id = b.restaurant_id
        WHERE b.state = 'open' AND b.missing_to_minimum > 0 AND NOT d.sold_out
          AND NOT r.accepts_cash AND r.metres > r.radius AND d.dish_id NOT IN (SELECT dish_id FROM option_group)
        """
    )
    night = (now(session) + timedelta(hours=15)).isoformat()
    order = {
        "basket_id": short["basket_id"],
        "dropoff_address_id": short["dropoff_address_id"],
        "pay_with": "cash",
        "deliver_at": night,
    }
    assert session.call("place_food_order", order).code == "below_minimum_order"
    done(session, "add_dish_to_basket", dish_id=short["dish_id"], quantity=20)
    assert session.call("place_food_order", order).code == "restaurant_closed"
    del order["deliver_at"]
    assert session.call("place_food_order", order).code == "out_of_delivery_area"


# The life of an order


@pytest.mark.parametrize("seed", SEEDS)
def test_stages_follow_the_clock_from_placing_on(seed: int) -> None:
    session = LocalSession(SERVER, seed)
    basket, address = sql(session, READY + FITS)[0]
    ((restaurant, prep),) = sql(
        session,
        "SELECT restaurant_id, prep_minutes FROM basket JOIN restaurant USING (restaurant_id) WHERE basket_id = ?",
        basket,
    )
    ride = 4 * kilometres(session, address, restaurant)
    begins = (0, 5, 8, 8 + prep, 8 + prep + ride)
    placed_at = now(session)
    placed = done(session, "place_food_order", basket_id=basket, dropoff_address_id=address, pay_with="card")
    assert moment(placed["arrives_at"]) == placed_at + timedelta(minutes=begins[4])
    assert moment(placed["free_cancel_until"]) == placed_at + timedelta(minutes=5)
    seen = []
    for _ in range(20):
        tracked = done(session, "track_food_order", order_id=placed["order_id"])
        minutes = (now(session) - placed_at).total_seconds() / 60
        stage = sum(minutes >= begin for begin in begins) - 1
        assert tracked["stage"] == STAGES[stage]
        assert moment(tracked["stage_since"]) == placed_at + timedelta(minutes=begins[stage])
        assert (tracked["courier_name"] is not None) == (stage >= 3)
        if stage == 3:
            assert tracked["courier_distance_km"] == pytest.approx((begins[4] - minutes) / 4, abs=0.051)
        seen.append(tracked["stage"])
        pass_time(session)
    assert list(dict.fromkeys(seen)) == list(STAGES)


def test_the_stages_of_an_order_for_later_count_back_from_its_delivery() -> None:
    session, ready = world_with(READY + FITS + " AND r.open_until >= '16:40'")
    wanted = now(session) + timedelta(minutes=60)
    ((prep, metres),) = sql(
        session,
        "SELECT prep_minutes, metres FROM ride JOIN basket USING (restaurant_id)"
        " WHERE basket_id = ? AND dropoff_address_id = ?",
        *ready.values(),
    )
    start = wanted - timedelta(minutes=8 + prep + 4 * metres / 1000)
    order = done(session, "place_food_order", **ready, pay_with="card", deliver_at=wanted.isoformat())
    assert moment(order["arrives_at"]) == wanted
    assert moment(order["free_cancel_until"]) == start + timedelta(minutes=5) > now(session)
    while now(session) < start + timedelta(minutes=5):
        assert done(session, "track_food_order", order_id=order["order_id"])["stage"] == "placed"
        pass_time(session)
    assert done(session, "track_food_order", order_id=order["order_id"])["stage"] in ("confirmed", "preparing")


@pytest.mark.parametrize(("minutes", "right"), [(44, False), (45, True), (24 * 60, True), (24 * 60 + 1, False)])
def test_deliver_at_lies_45_minutes_to_24_hours_ahead(minutes: int, right: bool) -> None:
    session, ready = world_with(READY + FITS + " AND r.open_from <= '11:40'")
    wanted = (now(session) + timedelta(minutes=minutes)).isoformat()
    outcome = session.call("place_food_order", {**ready, "pay_with": "card", "deliver_at": wanted})
    assert outcome.succeeded if right else outcome.code == "invalid_argument"


@pytest.mark.parametrize("pay_with", ["card", "cash", "wallet"])
def test_cancelling_is_free_while_placed_then_costs_half_and_cash_gets_nothing_back(pay_with: str) -> None:
    rich = " AND r.accepts_cash AND b.subtotal + r.delivery_fee < min(6000, (SELECT wallet_cents FROM account))"
    session, ready = world_with(READY + FITS + rich + " AND r.prep_minutes >= 12")
    held = wallet(session)
    for minutes, half in ((3, False), (6, True)):
        fork = session.fork()
        order = done(fork, "place_food_order", **ready, pay_with=pay_with)
        total = in_cents(order["total"])
        assert wallet(fork) == held - (total if pay_with == "wallet" else 0)
        for _ in range(minutes // 3 - 1):
            pass_time(fork)
        fee = total // 2 if half else 0
        if half:
            assert fork.call("cancel_food_order", {"order_id": order["order_id"], "max_fee": (fee - 1) / 100}).code == (
                "cancel_fee_applies"
            )
        result = done(fork, "cancel_food_order", order_id=order["order_id"], max_fee=fee / 100)
        refund = 0 if pay_with == "cash" else total - fee
        assert (in_cents(result["fee_charged"]), in_cents(result["refund_amount"])) == (fee, refund)
        assert wallet(fork) == (held - fee if pay_with == "wallet" else held)
        assert done(fork, "track_food_order", order_id=order["order_id"])["stage"] == "cancelled"


def test_cash_is_taken_up_to_60_dollars() -> None:
    session, ready = world_with(
        READY
        + FITS
        + " AND r.accepts_cash AND b.promo_code IS NULL AND b.subtotal + r.delivery_fee BETWEEN 3000 AND 6000"
    )
    ((items, fee),) = sql(session, "SELECT subtotal, fee_cents FROM basket_now WHERE basket_id = ?", ready["basket_id"])
    gap = 6000 - items - fee
    over = {**ready, "pay_with": "cash", "tip_amount": (gap + 1) / 100}
    assert session.call("place_food_order", over).code == "payment_not_possible"
    assert done(session, "place_food_order", **{**over, "tip_amount": gap / 100})["total"] == 60


def test_an_order_holds_what_the_basket_held_and_closes_it() -> None:
    session, ready = world_with(READY + FITS)
    before = done(session, "list_food_baskets", dropoff_address_id=ready["dropoff_address_id"])["baskets"]
    basket = next(row for row in before if row["basket_id"] == ready["basket_id"])
    order = done(session, "place_food_order", **ready, pay_with="card", tip_amount=2.5)
    assert order["total"] == pytest.approx(basket["total"] + 2.5)
    lines = done(session, "track_food_order", order_id=order["order_id"])["lines"]
    kept = ("dish_id", "dish_name", "option_names", "quantity", "line_price")
    assert lines == [{key: line[key] for key in kept} for line in basket["lines"]]
    after = done(session, "list_food_baskets")["baskets"]
    assert [row["basket_id"] for row in after] == [row["basket_id"] for row in before if row != basket]
    line = {"basket_line_id": basket["lines"][0]["basket_line_id"], "quantity": 1}
    assert session.call("change_basket_dish", line).code == "line_not_found"


# Tips, ratings, complaints


def test_a_tip_is_only_raised_and_up_to_50_dollars() -> None:
    session, row = world_with("SELECT order_id FROM food_order_now WHERE stage = 'riding' AND pay_with = 'card'")
    before = done(session, "track_food_order", **row)
    for amount in (12.34, 50):
        after = done(session, "tip_food_courier", **row, tip_amount=amount)
        assert after["tip"] == amount
        assert after["total"] == pytest.approx(before["total"] - before["tip"] + amount)
    for amount, code in (
        (50, "tip_not_raised"),
        (-3, "tip_not_raised"),
        (50.01, "tip_too_high"),
        (1e12, "tip_too_high"),
        (-1e12, "tip_not_raised"),
    ):
        assert session.call("tip_food_courier", {**row, "tip_amount": amount}).code == code


def test_a_tip_on_a_wallet_order_comes_out_of_the_wallet() -> None:
    session, row = world_with(
        "SELECT o.order_id, o.tip FROM food_order_now o, account"
        " WHERE o.stage = 'riding' AND o.pay_with = 'wallet' AND account.wallet_cents >= 1000"
    )
    held, tip = wallet(session), row["tip"]
    done(session, "tip_food_courier", order_id=row["order_id"], tip_amount=(tip + 900) / 100)
    assert wallet(session) == held - 900


def test_a_rating_moves_the_average_once() -> None:
    session, row = world_with(
        "SELECT o.order_id, r.restaurant_id, r.stars, r.ratings"
        " FROM food_order_now o JOIN restaurant r USING (restaurant_id)"
        " WHERE o.stage = 'delivered' AND o.since_delivery < 7 * 86400 AND r.ratings < 60"
        " AND o.order_id NOT IN (SELECT order_id FROM order_rating)"
    )
    rating = {"order_id": row["order_id"], "restaurant_stars": 1}
    result = done(session, "rate_food_order", **rating)
    assert result["restaurant_rating"] == pytest.approx((row["stars"] + 1) / (row["ratings"] + 1), abs=0.0501)
    assert session.call("rate_food_order", rating).code == "already_rated"
    ((name,),) = sql(session, "SELECT name FROM restaurant WHERE restaurant_id = ?", row["restaurant_id"])
    hits = done(session, "search_restaurants", query=name)["restaurants"]
    assert result["restaurant_rating"] in [
        hit["rating"] for hit in hits if hit["restaurant_id"] == row["restaurant_id"]
    ]


@pytest.mark.parametrize("problem", ["missing", "wrong", "cold", "spilled"])
def test_dishes_that_went_wrong_are_paid_back_whole_or_half(problem: str) -> None:
    session, row = world_with(
        "SELECT o.order_id FROM food_order_now o WHERE o.stage = 'delivered' AND o.since_delivery < 40 * 3600"
        " AND o.order_id NOT IN (SELECT order_id FROM problem_case)"
        " AND (SELECT count(*) FROM food_order_line l WHERE l.order_id = o.order_id) >= 3"
    )
    held = wallet(session)
    lines = done(session, "track_food_order", **row)["lines"][:2]
    price = sum(in_cents(line["line_price"]) for line in lines)
    result = done(session, "report_food_problem", **row, problem=problem, dish_ids=[line["dish_id"] for line in lines])
    assert in_cents(result["compensation"]) == (price if problem in ("missing", "wrong") else price // 2)
    assert in_cents(result["wallet_balance"]) == wallet(session) == held + in_cents(result["compensation"])


def test_an_order_more_than_20_minutes_late_gives_the_delivery_fee_back() -> None:
    query = """
        SELECT order_id, fee_cents FROM food_order_now WHERE stage = 'delivered' AND since_delivery < 47 * 3600
        AND late_by > 1200 AND fee_cents > 0
    """
    session, row = world_with(query)
    result = done(session, "report_food_problem", order_id=row["order_id"], problem="late")
    assert in_cents(result["compensation"]) == row["fee_cents"]


# Baskets and promos


def test_the_same_dish_joins_its_line_and_another_wish_opens_a_new_one() -> None:
    session, row = world_with(PLAIN)
    first = done(session, "add_dish_to_basket", **row, quantity=2)
    again = done(session, "add_dish_to_basket", **row, quantity=3)
    other = done(session, "add_dish_to_basket", **row, quantity=1, note="no salt")
    assert again["basket_line_id"] == first["basket_line_id"] != other["basket_line_id"]
    assert again["quantity"] == 5
    assert again["line_price"] == pytest.approx(first["line_price"] / 2 * 5)


def test_options_add_to_the_price_and_are_named_on_the_line() -> None:
    session, row = world_with(
        """
        SELECT d.dish_id, d.price_cents, o.option_id, o.name, o.extra_cents
        FROM dish d JOIN option_group g USING (dish_id) JOIN dish_option o USING (dish_id)
        WHERE g.least = 1 AND o.extra_cents > 0 AND NOT o.sold_out AND NOT d.sold_out
        AND (SELECT count(*) FROM option_group h WHERE h.dish_id = d.dish_id) = 1
        """
    )
    chosen = {"dish_id": row["dish_id"], "option_ids": [row["option_id"]]}
    added = done(session, "add_dish_to_basket", **chosen, quantity=2)
    assert in_cents(added["line_price"]) == 2 * (row["price_cents"] + row["extra_cents"])
    lines = [line for basket in done(session, "list_food_baskets")["baskets"] for line in basket["lines"]]
    (line,) = [line for line in lines if line["basket_line_id"] == added["basket_line_id"]]
    assert line["option_names"] == [row["name"]]


def test_the_last_line_of_a_basket_takes_the_basket_along_and_no_row_is_deleted() -> None:
    session, row = world_with(
        PLAIN + " AND restaurant_id NOT IN (SELECT restaurant_id FROM basket WHERE state = 'open')"
    )
    added = done(session, "add_dish_to_basket", **row, quantity=1)
    rows = sql(session, "SELECT count(*) FROM basket_line")
    removed = done(session, "change_basket_dish", basket_line_id=added["basket_line_id"], quantity=0)
    assert (removed["subtotal"], removed["quantity"]) == (0, 0)
    assert added["basket_id"] not in [row["basket_id"] for row in done(session, "list_food_baskets")["baskets"]]
    assert sql(session, "SELECT count(*) FROM basket_line") == rows
    anew = done(session, "add_dish_to_basket", **row, quantity=1)
    assert anew["basket_id"] != added["basket_id"]


@pytest.mark.parametrize("seed", SEEDS)
def test_exactly_the_codes_that_are_listed_as_usable_apply_and_take_off_what_they_say(seed: int) -> None:
    session = LocalSession(SERVER, seed)
    codes = {code: (percent, off) for code, percent, off in sql(session, "SELECT code, percent, off_cents FROM promo")}
    for basket in done(session, "list_food_baskets")["baskets"]:
        applied = []
        for code, (percent, off) in sorted(codes.items()):
            outcome = session.fork().call(
                "apply_meal_promo", {"basket_id": basket["basket_id"], "promo_code": code.lower()}
            )
            if outcome.succeeded:
                applied.append(code)
                subtotal = in_cents(basket["subtotal"])
                discount = off or subtotal * percent // 100
                assert in_cents(outcome.value["discount"]) == discount
                assert in_cents(outcome.value["subtotal_after_discount"]) == subtotal - discount
        assert applied == basket["usable_promo_codes"]
    ready = max(done(session, "list_food_baskets")["baskets"], key=lambda row: -row["missing_to_minimum"])
    assert len(ready["usable_promo_codes"]) >= 2


def test_a_code_is_spent_with_its_order_and_leaves_the_other_basket() -> None:
    shared = """
        AND EXISTS (
          SELECT 1 FROM promo_on_basket p JOIN promo_on_basket q ON p.code = q.code AND p.basket_id <> q.basket_id
          WHERE p.basket_id = b.basket_id AND p.usable AND q.usable
        )
    """
    session, ready = world_with(READY + FITS + shared)
    baskets = done(session, "list_food_baskets")["baskets"]
    other = next(row for row in baskets if row["basket_id"] != ready["basket_id"])
    plain = next(row for row in baskets if row["basket_id"] == ready["basket_id"])
    code = sorted(set(plain["usable_promo_codes"]) & set(other["usable_promo_codes"]))[0]
    for basket in baskets:
        discount = done(session, "apply_meal_promo", basket_id=basket["basket_id"], promo_code=code)["discount"]
        if basket is plain:
            off = discount
    fee = sql(session, "SELECT fee_cents FROM basket_now WHERE basket_id = ?", ready["basket_id"])[0][0]
    order = done(session, "place_food_order", **ready, pay_with="card")
    assert in_cents(order["total"]) == in_cents(plain["subtotal"]) + fee - in_cents(off)
    (left,) = done(session, "list_food_baskets")["baskets"]
    assert (left["promo_code"], left["discount"]) == (None, 0)
    again = session.call("apply_meal_promo", {"basket_id": left["basket_id"], "promo_code": code})
    assert again.code == "promo_already_used"


def test_a_code_is_dropped_when_the_basket_falls_below_its_minimum() -> None:
    session, row = world_with(
        """
        SELECT b.basket_id, p.code AS promo_code, l.basket_line_id, l.quantity
        FROM basket_now b, promo p, world_clock w JOIN basket_line_now l ON l.basket_id = b.basket_id
        WHERE p.minimum_cents <= b.subtotal AND b.subtotal - l.line_price < p.minimum_cents AND NOT l.sold_out
          AND date(w.now, 'unixepoch') BETWEEN p.valid_from AND p.valid_until AND p.restaurant_id IS NULL
          AND NOT p.first_order AND p.code NOT IN (SELECT promo_code FROM food_order WHERE promo_code IS NOT NULL)
        """
    )
    done(session, "apply_meal_promo", basket_id=row["basket_id"], promo_code=row["promo_code"])
    line = row["basket_line_id"]
    assert not done(session, "change_basket_dish", basket_line_id=line, quantity=row["quantity"])["promo_dropped"]
    fork = session.fork()
    assert done(session, "change_basket_dish", basket_line_id=line, quantity=0)["promo_dropped"]
    assert sql(session, "SELECT promo_code FROM basket WHERE basket_id = ?", row["basket_id"]) == [(None,)]
    assert sql(fork, "SELECT promo_code FROM basket WHERE basket_id = ?", row["basket_id"]) == [(row["promo_code"],)]


# Addresses and searching


@pytest.mark.parametrize("seed", SEEDS)
def test_a_search_with_an_address_shows_just_the_restaurants_in_whose_radius_it_lies(seed: int) -> None:
    session = LocalSession(SERVER, seed)
    places = {row[0]: row[1:] for row in sql(session, "SELECT restaurant_id, radius, prep_minutes FROM restaurant")}
    for (address,) in sql(session, "SELECT dropoff_address_id FROM dropoff_address"):
        expected = {
            place: round(8 + prep + 4 * kilometres(session, address, place))
            for place, (radius, prep) in places.items()
            if kilometres(session, address, place) <= radius / 1000
        }
        shown: dict[str, int] = {}
        for page in range(1, 6):
            found = done(session, "search_restaurants", dropoff_address_id=address, page=page)
            assert found["count"] == len(expected)
            shown.update((row["restaurant_id"], row["delivery_minutes"]) for row in found["restaurants"])
        assert shown == expected


def test_a_search_is_sorted_by_rating_and_keeps_to_its_filters() -> None:
    session = LocalSession(SERVER, 3)
    found = done(session, "search_restaurants", cuisine="thai", min_rating=3.8, max_delivery_fee=3)["restaurants"]
    assert found
    assert all(row["cuisine"] == "thai" and row["rating"] >= 3.8 and row["delivery_fee"] <= 3 for row in found)
    everything = [row for page in range(1, 6) for row in done(session, "search_restaurants", page=page)["restaurants"]]
    assert len(everything) == done(session, "search_restaurants")["count"]
    assert [row["rating"] for row in everything] == sorted((row["rating"] for row in everything), reverse=True)
    kept = [
        row["restaurant_id"]
        for row in everything
        if row["cuisine"] == "thai" and row["rating"] >= 3.8 and row["delivery_fee"] <= 3
    ]
    assert [row["restaurant_id"] for row in found] == kept


def test_a_percent_sign_in_a_query_means_itself() -> None:
    assert LocalSession(SERVER, 0).call("search_restaurants", {"query": "%"}).kind is Kind.EMPTY


@pytest.mark.parametrize("text", ["12 {0}", "{0} 12", "  12   {1} "])
def test_a_street_is_understood_with_the_number_before_or_after_it(text: str) -> None:
    session = LocalSession(SERVER, 0)
    street, postcode = sql(session, "SELECT street_name, postcode FROM street ORDER BY street_name")[0]
    arguments = {"label": "cabin", "street": text.format(street, street.lower()), "postcode": postcode, "unit": "3"}
    outcome = session.call("add_dropoff_address", arguments)
    assert outcome.value["complete"]
    assert outcome.resolved == {"street": f"12 {street}"}
    saved = done(session, "list_dropoff_addresses")["addresses"][-1]
    assert (saved["label"], saved["street"]) == ("cabin", f"12 {street}")
    found = done(session, "search_restaurants", dropoff_address_id=saved["dropoff_address_id"])
    assert found["count"] == outcome.value["restaurant_count"]


@pytest.mark.parametrize("text", ["{0}", "12", "12 {0} 14", "0 {0}", "{1} {0}", "12 Nowhere Street"])
def test_what_is_no_house_of_the_city_is_outside_the_service_area(text: str) -> None:
    session = LocalSession(SERVER, 0)
    street, postcode, last = sql(session, "SELECT street_name, postcode, last_number FROM street ORDER BY 1")[0]
    arguments = {"label": "cabin", "street": text.format(street, last + 1), "postcode": postcode}
    assert session.call("add_dropoff_address", arguments).code == "outside_service_area"
    assert done(session, "add_dropoff_address", label="cabin", street=f"{last} {street}", postcode=postcode)


def test_an_address_in_reach_without_its_unit_is_deliverable_by_area_and_not_complete() -> None:
    session, row = world_with(READY + " AND r.metres <= r.radius AND a.is_flat AND a.unit IS NULL")
    ((restaurant,),) = sql(session, "SELECT restaurant_id FROM basket WHERE basket_id = ?", row["basket_id"])
    addresses = done(session, "list_dropoff_addresses", restaurant_id=restaurant)["addresses"]
    (flat,) = [one for one in addresses if one["dropoff_address_id"] == row["dropoff_address_id"]]
    assert (flat["deliverable"], flat["complete"]) == (True, False)
    assert session.call("place_food_order", {**row, "pay_with": "card"}).code == "address_incomplete"


def test_a_flat_is_complete_only_with_a_unit() -> None:
    session = LocalSession(SERVER, 0)
    ((street, postcode, last),) = sql(session, "SELECT street_name, postcode, last_number FROM street LIMIT 1")
    flat = {"street": f"{last} {street}", "postcode": postcode}
    assert not done(session.fork(), "add_dropoff_address", label="cabin", **flat)["complete"]
    assert done(session, "add_dropoff_address", label="cabin", **flat, unit="4B")["complete"]
