"""Reads on worlds whose rows stand on an edge, beside worlds whose rows do not.

Rows are changed behind the tools' back, where seeds and calls seldom lead: the second in which a stage begins, a radius
that is just reached, a code at its minimum. What is right says the oracle of the reads (tests/support/oracles). Each
changed world is asked right after the world that it comes from, so that nothing read in one is told in the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from proverl.laws.oracles import Refusal, tables_of
from proverl.servers import load
from proverl.world.session import LocalSession
from support.oracles.food_delivery import ORACLES
from support.reach.food_delivery import put, sql

SERVER = load("food_delivery")
Row = dict[str, Any]

ORDERS, BASKETS, PLACES = ("list_food_orders", "track_food_order"), ("list_food_baskets",), ("search_restaurants",)
ADDRESSES, MENUS = ("list_dropoff_addresses",), ("get_restaurant_menu", "get_dish_options")
TODAY = "(SELECT date(now, 'unixepoch') FROM world_clock)"
SUBTOTAL = """
(SELECT sum(quantity * unit_cents) FROM basket_line JOIN basket USING (basket_id) WHERE state = 'open' AND NOT removed
 GROUP BY basket_id ORDER BY basket_id LIMIT 1)
"""
NOON = 12 * 60
STAGES = ("confirmed_at", "preparing_at", "riding_at", "delivered_at")
LATEST = "(SELECT {} FROM food_order WHERE NOT cancelled ORDER BY placed_at DESC LIMIT 1)"
ALL_OPTIONS = "(SELECT json_group_array(option_id ORDER BY name DESC) FROM dish_option o WHERE o.dish_id = {}.dish_id)"
WHOLE = "discount_cents = 0, promo_code = NULL, items_cents = {} - fee_cents - tip_cents"

EDGES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **{
        f"the clock {late} s after {stage}": (
            ORDERS,
            (f"UPDATE world_clock SET now = {LATEST.format(stage)} + {late}",),
        )
        for stage in STAGES
        for late in (-1, 0)
    },
    "halfway on the road": (
        ORDERS,
        (f"UPDATE world_clock SET now = ({LATEST.format('riding_at')} + {LATEST.format('delivered_at')}) / 2",),
    ),
    "all orders cancelled": (
        (*ORDERS, *BASKETS),
        ("UPDATE food_order SET cancelled = 1, cancelled_at = placed_at + 1, cancel_fee_cents = 0",),
    ),
    "odd totals": (ORDERS, ("UPDATE food_order SET fee_cents = fee_cents + 1",)),
    **{
        f"cash orders of {total} cents": (
            ORDERS,
            ("UPDATE food_order SET tip_cents = 0", f"UPDATE food_order SET pay_with = 'cash', {WHOLE.format(total)}"),
        )
        for total in (5999, 6000)
    },
    **{
        f"wallet orders and {held} cents": (
            (*ORDERS, *BASKETS),
            ("UPDATE food_order SET pay_with = 'wallet'", f"UPDATE account SET wallet_cents = {held}"),
        )
        for held in (0, 1)
    },
    **{
        f"tips of {tip} cents": (ORDERS, (f"UPDATE food_order SET pay_with = 'card', tip_cents = {tip}",))
        for tip in (4999, 5000)
    },
    "lines with all options": (
        (*ORDERS, *BASKETS),
        tuple(
            f"UPDATE {table} SET option_ids = {ALL_OPTIONS.format(table)}"
            for table in ("basket_line", "food_order_line")
        ),
    ),
    "what was in stock sold out": ((*BASKETS, *MENUS), ("UPDATE dish SET sold_out = 1 - sold_out",)),
    "options sold out": ((*BASKETS, *MENUS), ("UPDATE dish_option SET sold_out = 1 - sold_out",)),
    "menus turned round": (
        MENUS,
        ("UPDATE dish SET position = -position", "UPDATE dish_option SET position = -position"),
    ),
    "no group required": (MENUS, ("UPDATE option_group SET least = 0",)),
    "all of one rating": (PLACES, ("UPDATE restaurant SET stars = 4 * ratings",)),
    "all rated 4.15": (PLACES, ("UPDATE restaurant SET stars = 83, ratings = 20",)),
    "on the edge of open hours": (
        (*PLACES, *MENUS),
        (
            f"UPDATE restaurant SET open_from = {NOON} + (rowid % 2)",
            f"UPDATE restaurant SET open_from = 0, open_until = {NOON} + rowid / 4 % 2 WHERE rowid % 4 > 1",
        ),
    ),
    "another fee, minimum and kitchen": (
        (*PLACES, *BASKETS),
        (
            "UPDATE restaurant SET fee_cents = 299 + rowid % 3, minimum_cents = minimum_cents + 777,"
            " prep_minutes = prep_minutes + 5, accepts_cash = 1 - accepts_cash",
        ),
    ),
    "distances in steps of 125 metres": (
        (*PLACES, *ADDRESSES, *BASKETS),
        (
            "UPDATE dropoff_address SET x = 0, y = -125",
            "UPDATE restaurant SET x = 125 * (rowid % 20 - 10), y = -125 * (rowid % 3), radius = 1000",
        ),
    ),
    "nobody far enough": ((*PLACES, *ADDRESSES, *BASKETS), ("UPDATE restaurant SET radius = 249",)),
    "flats without a unit": (ADDRESSES, ("UPDATE dropoff_address SET is_flat = 1, unit = NULL WHERE rowid % 2",)),
    **{
        f"codes {above} cents above a basket": (BASKETS, (f"UPDATE promo SET minimum_cents = {SUBTOTAL} + {above}",))
        for above in (0, 1)
    },
    **{
        f"codes from {first} to {last} days after today": (
            BASKETS,
            (
                f"UPDATE promo SET valid_from = date({TODAY}, '{first} days')",
                f"UPDATE promo SET valid_until = date({TODAY}, '{last} days')",
            ),
        )
        for first, last in ((-1, 0), (1, 1), (-1, -1))
    },
    "codes for a first order": (BASKETS, ("UPDATE promo SET first_order = 1",)),
    "codes of no restaurant": (BASKETS, ("UPDATE promo SET restaurant_id = NULL, first_order = 0",)),
    "codes of more than a basket": (
        BASKETS,
        ("UPDATE promo SET percent = 0, off_cents = 1000000, minimum_cents = 0",),
    ),
    "codes of a third, to a fraction of a cent": (
        BASKETS,
        ("UPDATE promo SET percent = 33, off_cents = 0, minimum_cents = 0",),
    ),
}


def ids(session: LocalSession, table: str, key: str, least: int = 1) -> list[str]:
    """About every n-th id of a table, `least` of them at least."""
    found = [row[0] for row in sql(session, f"SELECT {key} FROM {table} ORDER BY {key}")]
    return found[:: max(1, len(found) // least)]


def asked(session: LocalSession) -> Iterator[tuple[str, Row]]:
    """Calls of every read, each argument by itself and some together."""
    addresses = ids(session, "dropoff_address", "dropoff_address_id", 100)
    days = [row[0] for row in sql(session, "SELECT DISTINCT date(placed_at, 'unixepoch') FROM food_order ORDER BY 1")]
    dish = sql(session, "SELECT name FROM dish WHERE dish_id IN (SELECT dish_id FROM food_order_line) ORDER BY 1")[0][0]
    for page in (1, 3):
        yield "search_restaurants", {"page": page}
    for address in addresses:
        yield "search_restaurants", {"dropoff_address_id": address}
        yield "list_food_baskets", {"dropoff_address_id": address}
    parts = ({"query": dish[1:].upper()}, {"query": f" {dish[:-1].lower()} "})
    for arguments in ({"cuisine": "thai"}, {"min_rating": 4.2}, {"max_delivery_fee": 2.99}, *parts):
        yield "search_restaurants", arguments
    for restaurant in ids(session, "restaurant", "restaurant_id", 8):
        yield "get_restaurant_menu", {"restaurant_id": restaurant}
        for diet in ("vegetarian", "vegan"):
            yield "get_restaurant_menu", {"restaurant_id": restaurant, "diet": diet}
        yield "get_restaurant_menu", {"restaurant_id": restaurant, "query": " ED "}
        yield "list_dropoff_addresses", {"restaurant_id": restaurant}
    for one in ids(session, "(SELECT DISTINCT dish_id FROM option_group)", "dish_id", 25):
        yield "get_dish_options", {"dish_id": one}
    for tool in ("list_food_baskets", "list_dropoff_addresses"):
        yield tool, {}
    pages = ({}, {"page": 2}, {"stage": "delivered"}, {"stage": "riding"}, {"since": days[-3]})
    for arguments in (*pages, *parts):
        yield "list_food_orders", arguments
    for order in ids(session, "food_order", "order_id", 100):
        yield "track_food_order", {"order_id": order}


def expected(session: LocalSession, calls: list[tuple[str, Row]]) -> list[Any]:
    tables = tables_of(session)
    found: list[Any] = []
    for tool, arguments in calls:
        try:
            found.append(ORACLES[tool](tables, arguments))
        except Refusal as refusal:
            found.append(refusal.code)
    return found


def answered(session: LocalSession, calls: list[tuple[str, Row]]) -> list[Any]:
    outcomes = [session.call(tool, arguments) for tool, arguments in calls]
    return [outcome.code or outcome.value for outcome in outcomes]


@pytest.mark.parametrize("seed", range(3))
def test_every_read_of_a_new_world_answers_what_the_oracle_works_out(seed: int) -> None:
    session = LocalSession(SERVER, seed)
    calls = list(asked(session))
    for call, told, right in zip(calls, answered(session, calls), expected(session, calls), strict=True):
        assert told == right, call


@pytest.mark.parametrize("edge", EDGES)
def test_reads_of_a_world_on_an_edge_answer_what_the_oracle_works_out(edge: str) -> None:
    tools, statements = EDGES[edge]
    session = LocalSession(SERVER, 2)
    put(session, f"INSERT INTO promo VALUES ('ALL25', 25, 0, 0, {TODAY}, {TODAY}, NULL, 0)")
    put(session, "UPDATE basket SET promo_code = 'ALL25' WHERE state = 'open'")
    calls = [(tool, arguments) for tool, arguments in asked(session) if tool in tools]
    before = answered(session, calls)
    for statement in statements:
        put(session, statement)
    after = answered(session, calls)
    for call, told, right in zip(calls, after, expected(session, calls), strict=True):
        assert told == right, call
    assert after != before, "the edge shows in no answer"
