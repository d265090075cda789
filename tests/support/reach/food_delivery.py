"""How each refusal of the food delivery server is reached from a seed, in at most five calls.

A way is a query over the rows of a new world that yields the arguments of the call, or a function that makes a few
calls. Worlds are tried from seed 0 on until one has what the query asks for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from proverl.records import Outcome
from proverl.servers import load
from proverl.world.session import LocalSession

MOST_SEEDS = 80
Row = dict[str, Any]
Way = Callable[[], Outcome]


def world_with(query: str, first: int = 0) -> tuple[LocalSession, Row]:
    """A session on the first world in which a query finds a row, and that row; `..._ids` columns are JSON arrays.

    For what few worlds have, `first` says from which seed on it is worth looking.
    """
    for seed in range(first, first + MOST_SEEDS):
        session = LocalSession(load("food_delivery"), seed)
        cursor = session.store.connection().execute(query)
        found = cursor.fetchone()
        if found is not None:
            names = [column[0] for column in cursor.get_description()]
            row = dict(zip(names, found, strict=True))
            return session, {name: json.loads(value) if name.endswith("_ids") else value for name, value in row.items()}
    raise AssertionError(f"none of {MOST_SEEDS} worlds has a row for {query}")


def call(tool: str, query: str, first: int = 0, **more: Any) -> Way:
    """One call whose arguments are the columns of the row that a query finds, and `more`."""

    def way() -> Outcome:
        session, arguments = world_with(query, first)
        return session.call(tool, {**arguments, **more})

    return way


def done(session: LocalSession, tool: str, **arguments: Any) -> Row:
    """The result of a call that must succeed."""
    outcome = session.call(tool, arguments)
    assert outcome.succeeded, (tool, outcome)
    value: Row = outcome.value
    return value


def sql(session: LocalSession, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Rows of the session's store, behind the tools' back."""
    return session.store.connection().execute(query, values).fetchall()


def put(session: LocalSession, statement: str, *values: Any) -> None:
    """Change rows behind the tools' back."""
    with session.store.transaction():
        session.store.write(statement, values)


def wallet(session: LocalSession) -> int:
    ((held,),) = sql(session, "SELECT wallet_cents FROM account")
    return int(held)


def in_cents(amount: float) -> int:
    return round(amount * 100)


ANY = "SELECT restaurant_id FROM restaurant"
PLAIN = "SELECT dish_id FROM dish WHERE NOT sold_out AND dish_id NOT IN (SELECT dish_id FROM option_group)"
REQUIRED = "SELECT dish_id FROM option_group JOIN dish USING (dish_id) WHERE least = 1 AND NOT sold_out"
LINE = "SELECT basket_line_id FROM basket_line_now WHERE NOT sold_out"
ORDER = "SELECT order_id FROM food_order_now WHERE stage = '{}'"

# An open basket at or above its minimum, of an open restaurant, with an address that a condition picks.
READY = """
SELECT b.basket_id, a.dropoff_address_id FROM basket_now b
JOIN ride r ON r.restaurant_id = b.restaurant_id
JOIN dropoff_address a ON a.dropoff_address_id = r.dropoff_address_id
WHERE b.state = 'open' AND b.missing_to_minimum = 0 AND r.open_until >= '13:20'
"""
FITS = " AND r.metres <= r.radius AND NOT (a.is_flat AND a.unit IS NULL)"

# A dish in stock with one group of options.
OPTIONS = """
SELECT {columns} FROM dish d JOIN option_group g USING (dish_id) JOIN dish_option o USING (dish_id)
WHERE NOT d.sold_out AND (SELECT count(*) FROM option_group h WHERE h.dish_id = d.dish_id) = 1 {condition}
"""
TOO_MANY = OPTIONS.format(
    columns="d.dish_id, json_group_array(o.option_id) AS option_ids",
    condition="GROUP BY d.dish_id HAVING max(g.most) < 3",
)
SOLD_OUT_OPTION = OPTIONS.format(
    columns="d.dish_id, json_array(o.option_id) AS option_ids", condition="AND g.least < 2 AND o.sold_out"
)
FOREIGN_OPTION = f"""
SELECT dish_id, (SELECT json_array(min(option_id)) FROM dish_option) AS option_ids FROM ({PLAIN})
"""

# The same for a line of a basket.
ON_LINE = (
    "SELECT l.basket_line_id, {columns} FROM basket_line_now l JOIN dish d USING (dish_id) WHERE NOT d.sold_out {more}"
)
LINE_SOLD_OUT_OPTION = ON_LINE.format(columns="1 AS quantity", more="AND l.sold_out")
LINE_REQUIRED = ON_LINE.format(
    columns="1 AS quantity, '[]' AS option_ids",
    more="AND EXISTS (SELECT 1 FROM option_group g WHERE g.dish_id = d.dish_id AND g.least > 0)",
)
LINE_TOO_MANY = ON_LINE.format(
    columns="""
    1 AS quantity, (SELECT json_group_array(option_id) FROM dish_option o WHERE o.dish_id = d.dish_id) AS option_ids
    """,
    more="AND EXISTS (SELECT 1 FROM option_group g WHERE g.dish_id = d.dish_id AND g.most < 3)",
)
LINE_PLAIN = ON_LINE.format(
    columns="1 AS quantity, (SELECT json_array(min(option_id)) FROM dish_option) AS option_ids",
    more="AND NOT EXISTS (SELECT 1 FROM option_group g WHERE g.dish_id = d.dish_id)",
)

PROMO = """
SELECT b.basket_id, p.code AS promo_code FROM basket_now b, promo p, world_clock w
WHERE b.state = 'open' AND date(w.now, 'unixepoch') {now} BETWEEN p.valid_from AND p.valid_until AND {more}
"""
UNUSED = "p.code NOT IN (SELECT promo_code FROM food_order WHERE promo_code IS NOT NULL) AND NOT p.first_order"

DELIVERED = """
SELECT o.order_id {columns} FROM food_order_now o WHERE o.stage = 'delivered' {more} ORDER BY o.delivered_at DESC
"""
FRESH = DELIVERED.format(
    columns="",
    more="""
    AND o.since_delivery < 48 * 3600 AND NOT EXISTS (SELECT 1 FROM problem_case p WHERE p.order_id = o.order_id)
    """,
)
STRANGE_DISH = (
    "(SELECT json_array(min(dish_id)) FROM dish WHERE dish_id NOT IN (SELECT dish_id FROM food_order_line)) AS dish_ids"
)
FRESH_WITH_STRANGE_DISH = FRESH.replace("o.order_id  FROM", f"o.order_id, {STRANGE_DISH} FROM")


def three_baskets_and_one_more() -> Outcome:
    session, _ = world_with(ANY)
    plain = f"""
        SELECT min(d.dish_id) FROM dish d WHERE d.dish_id IN ({PLAIN})
        AND d.restaurant_id NOT IN (SELECT restaurant_id FROM basket WHERE state = 'open')
        GROUP BY d.restaurant_id ORDER BY 1
    """
    first, second = (row[0] for row in session.store.connection().execute(plain).fetchall()[:2])
    done(session, "add_dish_to_basket", dish_id=first, quantity=1)
    return session.call("add_dish_to_basket", {"dish_id": second, "quantity": 1})


def a_line_of_21() -> Outcome:
    session, dish = world_with(PLAIN)
    done(session, "add_dish_to_basket", **dish, quantity=12)
    return session.call("add_dish_to_basket", {**dish, "quantity": 9})


def a_basket_that_is_ordered() -> Outcome:
    session, ready = world_with(READY + FITS)
    done(session, "place_food_order", **ready, pay_with="card")
    return session.call("discard_food_basket", {"basket_id": ready["basket_id"]})


def an_eighth_address() -> Outcome:
    query = (
        "SELECT '1 ' || street_name AS street, postcode FROM street WHERE (SELECT count(*) FROM dropoff_address) = 6"
    )
    session, place = world_with(query)
    done(session, "add_dropoff_address", label="cabin", **place)
    return session.call("add_dropoff_address", {"label": "hut", **place})


def an_order_with_something_sold_out() -> Outcome:
    """The basket below its minimum holds a sold-out dish in some worlds; other dishes lift it above."""
    session, short = world_with(
        f"""
        SELECT b.basket_id, a.dropoff_address_id, d.dish_id FROM basket_now b
        JOIN ride r ON r.restaurant_id = b.restaurant_id JOIN dropoff_address a USING (dropoff_address_id)
        JOIN dish d ON d.restaurant_id = b.restaurant_id AND d.dish_id IN ({PLAIN})
        WHERE EXISTS (SELECT 1 FROM basket_line_now l WHERE l.basket_id = b.basket_id AND l.sold_out) {FITS}
        """
    )
    done(session, "add_dish_to_basket", dish_id=short.pop("dish_id"), quantity=20)
    return session.call("place_food_order", {**short, "pay_with": "card"})


def at_three_in_the_night() -> Outcome:
    session, ready = world_with(READY + FITS)
    (noon,) = session.store.connection().execute("SELECT now FROM world_clock").fetchone()
    (night,) = session.store.connection().execute("SELECT datetime(?, 'unixepoch', '+15 hours')", (noon,)).fetchone()
    return session.call("place_food_order", {**ready, "pay_with": "card", "deliver_at": night.replace(" ", "T")})


def _reads() -> dict[tuple[str, str], Way]:
    unknown = {"restaurant_id": "rst_0000", "dish_id": "dish_0000", "dropoff_address_id": "drp_0000"}

    def bad(tool: str, argument: str) -> Way:
        return lambda: LocalSession(load("food_delivery"), 0).call(tool, {argument: unknown[argument]})

    def plain(tool: str, **arguments: Any) -> Way:
        return lambda: LocalSession(load("food_delivery"), 0).call(tool, arguments)

    return {
        ("search_restaurants", "address_not_found"): bad("search_restaurants", "dropoff_address_id"),
        ("search_restaurants", "invalid_argument"): plain("search_restaurants", max_delivery_fee=2.005),
        ("get_restaurant_menu", "restaurant_not_found"): bad("get_restaurant_menu", "restaurant_id"),
        ("get_dish_options", "dish_not_found"): bad("get_dish_options", "dish_id"),
        ("list_food_baskets", "address_not_found"): bad("list_food_baskets", "dropoff_address_id"),
        ("list_dropoff_addresses", "restaurant_not_found"): bad("list_dropoff_addresses", "restaurant_id"),
        ("list_food_orders", "invalid_dates"): plain("list_food_orders", since="14 May"),
        ("track_food_order", "order_not_found"): plain("track_food_order", order_id="ford_0000"),
    }


def _baskets() -> dict[tuple[str, str], Way]:
    add, change = "add_dish_to_basket", "change_basket_dish"
    sold_out_line = "SELECT basket_line_id FROM basket_line_now JOIN dish d USING (dish_id) WHERE d.sold_out"
    return {
        (add, "dish_not_found"): call(add, ANY.replace("restaurant_id", "'dish_0000' AS dish_id"), quantity=1),
        (add, "dish_option_not_found"): call(add, PLAIN, quantity=1, option_ids=["opt_0000"]),
        (add, "dish_sold_out"): call(add, "SELECT dish_id FROM dish WHERE sold_out", quantity=1),
        (add, "required_option_missing"): call(add, REQUIRED, quantity=1),
        (add, "option_not_for_dish"): call(add, FOREIGN_OPTION, quantity=1),
        (add, "invalid_argument"): call(add, TOO_MANY, quantity=1),
        (add, "option_sold_out"): call(add, SOLD_OUT_OPTION, quantity=1),
        (add, "quantity_limit"): a_line_of_21,
        (add, "basket_limit_reached"): three_baskets_and_one_more,
        (change, "line_not_found"): call(change, "SELECT 'line_0000' AS basket_line_id", quantity=1),
        (change, "dish_option_not_found"): call(change, LINE, quantity=1, option_ids=["opt_0000"]),
        (change, "dish_sold_out"): call(change, sold_out_line, quantity=2),
        (change, "required_option_missing"): call(change, LINE_REQUIRED),
        (change, "option_not_for_dish"): call(change, LINE_PLAIN),
        (change, "invalid_argument"): call(change, LINE_TOO_MANY),
        (change, "option_sold_out"): call(change, LINE_SOLD_OUT_OPTION, 16),
        (change, "quantity_limit"): call(change, LINE, quantity=21),
        ("discard_food_basket", "basket_not_found"): call("discard_food_basket", "SELECT 'bsk_0000' AS basket_id"),
        ("discard_food_basket", "basket_already_ordered"): a_basket_that_is_ordered,
    }


def _promos() -> dict[tuple[str, str], Way]:
    tool = "apply_meal_promo"
    running = "p.restaurant_id IS NULL AND p.minimum_cents"
    used = "p.code IN (SELECT promo_code FROM food_order)"
    other = f"{UNUSED} AND p.restaurant_id <> b.restaurant_id"
    return {
        (tool, "basket_not_found"): call(tool, "SELECT 'bsk_0000' AS basket_id", promo_code="NOON10"),
        (tool, "promo_not_found"): call(
            tool, "SELECT basket_id FROM basket_now WHERE state = 'open'", promo_code="nothing"
        ),
        (tool, "promo_expired"): call(tool, PROMO.format(now="NOT", more="1")),
        (tool, "promo_already_used"): call(tool, PROMO.format(now="", more=used)),
        (tool, "promo_wrong_restaurant"): call(tool, PROMO.format(now="", more=other)),
        (tool, "below_promo_minimum"): call(tool, PROMO.format(now="", more=f"{UNUSED} AND {running} > b.subtotal")),
    }


def _addresses() -> dict[tuple[str, str], Way]:
    tool = "add_dropoff_address"
    house = "SELECT '1 ' || street_name AS street, postcode FROM street"
    return {
        (tool, "duplicate_label"): call(tool, "SELECT upper(label) AS label, street, postcode FROM dropoff_address"),
        (tool, "outside_service_area"): call(
            tool, "SELECT '1 Nowhere Street' AS street, '40215' AS postcode", label="a"
        ),
        (tool, "invalid_postcode"): call(tool, house, label="a", postcode="99999"),
        (tool, "address_limit_reached"): an_eighth_address,
    }


def _placing() -> dict[tuple[str, str], Way]:
    tool, card = "place_food_order", {"pay_with": "card"}
    below = """
        SELECT basket_id, (SELECT min(dropoff_address_id) FROM dropoff_address) AS dropoff_address_id
        FROM basket_now WHERE state = 'open' AND missing_to_minimum > 0
    """
    far = " AND r.metres > r.radius"
    bare = " AND r.metres <= r.radius AND a.is_flat AND a.unit IS NULL"
    return {
        (tool, "basket_not_found"): call(tool, READY + FITS, **card, basket_id="bsk_0000"),
        (tool, "address_not_found"): call(tool, READY + FITS, **card, dropoff_address_id="drp_0000"),
        (tool, "invalid_argument"): call(tool, READY + FITS, **card, deliver_at="soon"),
        (tool, "below_minimum_order"): call(tool, below, **card),
        (tool, "restaurant_closed"): at_three_in_the_night,
        (tool, "out_of_delivery_area"): call(tool, READY + far, **card),
        (tool, "address_incomplete"): call(tool, READY + bare, **card),
        (tool, "dish_sold_out"): an_order_with_something_sold_out,
        (tool, "payment_not_possible"): call(tool, READY + FITS + " AND NOT r.accepts_cash", pay_with="cash"),
    }


def _after_placing() -> dict[tuple[str, str], Way]:
    cancel, tip = "cancel_food_order", "tip_food_courier"
    unknown = "SELECT 'ford_0000' AS order_id"
    poor = """
        SELECT o.order_id FROM food_order_now o, account WHERE o.stage IN ('placed', 'confirmed', 'preparing', 'riding')
        AND o.pay_with = 'wallet' AND wallet_cents < 5000 - o.tip
    """
    return {
        (cancel, "invalid_argument"): call(cancel, ORDER.format("preparing"), max_fee=13.336),
        (cancel, "order_not_found"): call(cancel, unknown),
        (cancel, "already_cancelled"): call(cancel, ORDER.format("cancelled")),
        (cancel, "already_on_the_way"): call(cancel, ORDER.format("riding")),
        (cancel, "already_delivered"): call(cancel, ORDER.format("delivered")),
        (cancel, "cancel_fee_applies"): call(cancel, ORDER.format("preparing")),
        (tip, "invalid_argument"): call(tip, ORDER.format("riding"), tip_amount=6.005),
        (tip, "order_not_found"): call(tip, unknown, tip_amount=9),
        (tip, "order_cancelled"): call(tip, ORDER.format("cancelled"), tip_amount=9),
        (tip, "tip_window_closed"): call(tip, ORDER.format("delivered") + " AND since_delivery > 3600", tip_amount=9),
        (tip, "tip_not_raised"): call(tip, ORDER.format("riding"), tip_amount=0),
        (tip, "tip_too_high"): call(tip, ORDER.format("riding"), tip_amount=51),
        (tip, "payment_not_possible"): call(tip, poor, 18, tip_amount=50),
    }


def _after_delivery() -> dict[tuple[str, str], Way]:
    rate, report, stars = "rate_food_order", "report_food_problem", {"restaurant_stars": 3}
    unknown = "SELECT 'ford_0000' AS order_id"
    rated = DELIVERED.format(columns="", more="AND EXISTS (SELECT 1 FROM order_rating r WHERE r.order_id = o.order_id)")
    unrated = rated.replace("AND EXISTS", "AND NOT EXISTS")
    week = "AND o.since_delivery > 7 * 86400 AND NOT EXISTS"
    two_days = DELIVERED.format(columns="", more="AND o.since_delivery > 48 * 3600")
    reported = FRESH.replace("NOT EXISTS", "EXISTS")
    on_time = FRESH.replace("ORDER BY", "AND o.late_by <= 1200 ORDER BY")
    return {
        (rate, "order_not_found"): call(rate, unknown, **stars),
        (rate, "not_delivered"): call(rate, ORDER.format("riding"), **stars),
        (rate, "already_rated"): call(rate, rated, **stars),
        (rate, "rating_window_closed"): call(rate, rated.replace("AND EXISTS", week), **stars),
        (rate, "stars_out_of_range"): call(rate, unrated, restaurant_stars=6),
        (report, "order_not_found"): call(report, unknown, problem="late"),
        (report, "dish_not_found"): call(report, FRESH, problem="cold", dish_ids=["dish_0000"]),
        (report, "not_delivered"): call(report, ORDER.format("cancelled"), problem="late"),
        (report, "report_window_closed"): call(report, two_days, problem="late"),
        (report, "already_reported"): call(report, reported, problem="late"),
        (report, "dish_needed"): call(report, FRESH, problem="missing"),
        (report, "dish_not_in_order"): call(report, FRESH_WITH_STRANGE_DISH, problem="wrong"),
        (report, "problem_not_accepted"): call(report, on_time, problem="late"),
    }


# States in which several refusals hold together

# All that can be wrong with the options of a dish: none of a required group, all of another group, of which one is sold
# out, one of another dish, and one that does not exist.
WRONG_OPTIONS = """
SELECT d.dish_id, json_insert(
  json_group_array(o.option_id), '$[#]', (SELECT min(option_id) FROM dish_option x WHERE x.dish_id <> d.dish_id),
  '$[#]', 'opt_0000'
) AS option_ids
FROM dish d JOIN option_group g USING (dish_id)
JOIN dish_option o ON o.dish_id = d.dish_id AND o.group_position = g.position
WHERE EXISTS (SELECT 1 FROM option_group h WHERE h.dish_id = d.dish_id AND h.position <> g.position AND h.least > 0)
{more} GROUP BY d.dish_id, g.position HAVING count(*) > g.most AND max(o.sold_out)
"""
SOLD_OUT_LINE = """
SELECT l.basket_line_id, 21 AS quantity, json_group_array(o.option_id) AS option_ids
FROM basket_line_now l JOIN dish d USING (dish_id) JOIN dish_option o USING (dish_id) WHERE d.sold_out
GROUP BY l.basket_line_id HAVING {more}
"""


def all_wrong_with_three_baskets() -> Outcome:
    elsewhere = "AND d.restaurant_id NOT IN (SELECT restaurant_id FROM basket WHERE state = 'open')"
    session, wrong = world_with(WRONG_OPTIONS.format(more=f"AND d.sold_out {elsewhere}"))
    other = f"""
        SELECT min(p.dish_id) FROM dish p, dish d WHERE d.dish_id = ? AND p.dish_id IN ({PLAIN})
        AND p.restaurant_id <> d.restaurant_id {elsewhere.replace("d.", "p.")}
    """
    done(session, "add_dish_to_basket", dish_id=sql(session, other, wrong["dish_id"])[0][0], quantity=1)
    return session.call("add_dish_to_basket", {**wrong, "quantity": 21})


def all_wrong_on_a_line() -> Outcome:
    plain = "NOT EXISTS (SELECT 1 FROM option_group k WHERE k.dish_id = d.dish_id AND k.least > 1)"
    session, wrong = world_with(WRONG_OPTIONS.format(more=f"AND NOT d.sold_out AND {plain}"))
    right = """
        SELECT min(option_id) FROM dish_option o JOIN option_group g USING (dish_id)
        WHERE dish_id = ? AND o.group_position = g.position AND g.least = 1 AND NOT o.sold_out GROUP BY g.position
    """
    chosen = [option_id for (option_id,) in sql(session, right, wrong["dish_id"])]
    added = done(session, "add_dish_to_basket", dish_id=wrong["dish_id"], quantity=1, option_ids=chosen)
    line = {"basket_line_id": added["basket_line_id"], "quantity": 21}
    return session.call("change_basket_dish", {**line, "option_ids": wrong["option_ids"]})


def a_code_of_one_restaurant_that_is_used() -> Outcome:
    """Tried on a basket of another restaurant, which is below the code's minimum."""
    session, row = world_with(
        f"""
        SELECT r.*, p.code, b.basket_id AS other FROM ({READY} {FITS}) r
        JOIN promo_on_basket p ON p.basket_id = r.basket_id AND p.restaurant_id IS NOT NULL AND p.usable
        JOIN basket_now b ON b.state = 'open' AND b.basket_id <> r.basket_id AND b.subtotal < p.minimum_cents
        """
    )
    code, other = row.pop("code"), row.pop("other")
    done(session, "apply_meal_promo", basket_id=row["basket_id"], promo_code=code)
    done(session, "place_food_order", **row, pay_with="card")
    return session.call("apply_meal_promo", {"basket_id": other, "promo_code": code})


def more() -> dict[tuple[str, str], Way]:
    """Ways into states in which refusals hold together that the ways to single ones do not bring together."""
    change, save = "change_basket_dish", "add_dropoff_address"
    required = "EXISTS (SELECT 1 FROM option_group g WHERE g.dish_id = l.dish_id AND g.least > 0)"
    last = "SELECT (last_number + 1) || ' ' || street_name AS street, '99999' AS postcode FROM street"
    full = "SELECT 'cabin' AS label, '1 ' || street_name AS street, postcode FROM street"
    poor = """
        SELECT basket_id, dropoff_address_id FROM basket_now b JOIN ride r USING (restaurant_id)
        WHERE b.state = 'open' AND b.missing_to_minimum > 0 AND NOT r.accepts_cash
    """

    def no_house_and_seven_addresses() -> Outcome:
        session, house = world_with(f"{full} WHERE (SELECT count(*) FROM dropoff_address) = 6")
        done(session, save, **house)
        return session.call(save, {"label": "hut", "street": f"0{house['street'][1:]}", "postcode": "99999"})

    return {
        ("add_dish_to_basket", "all with three baskets"): all_wrong_with_three_baskets,
        (change, "all but sold out"): all_wrong_on_a_line,
        (change, "sold out, and none chosen"): call(change, SOLD_OUT_LINE.format(more=required), 60, option_ids=[]),
        (change, "sold out, and all chosen"): call(change, SOLD_OUT_LINE.format(more="max(o.sold_out)"), 110),
        ("apply_meal_promo", "used, elsewhere and short"): a_code_of_one_restaurant_that_is_used,
        (save, "no house, and a wrong postcode"): call(save, last, label="cabin"),
        (save, "no house, and seven addresses"): no_house_and_seven_addresses,
        ("place_food_order", "short, and no cash"): call("place_food_order", poor, pay_with="cash"),
    }


def reach() -> dict[tuple[str, str], Way]:
    """For each (tool, code): a function that opens a session and ends with the call that is refused with the code."""
    return {
        **_reads(),
        **_baskets(),
        **_promos(),
        **_addresses(),
        **_placing(),
        **_after_placing(),
        **_after_delivery(),
    }
