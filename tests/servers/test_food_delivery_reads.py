"""What the reads of the food delivery server show, filter and order, on both sides of each edge.

Right values are worked out from rows, not by the server's own queries.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest

from proverl.servers import load
from proverl.world.session import LocalSession
from support.reach.food_delivery import done, in_cents, put, sql

SERVER = load("food_delivery")
SEEDS = range(4)
Row = dict[str, Any]


def restaurants(session: LocalSession, **arguments: Any) -> list[Row]:
    """All pages of a search."""
    found: list[Row] = []
    while len(found) < (page := done(session, "search_restaurants", page=len(found) // 20 + 1, **arguments))["count"]:
        found += page["restaurants"]
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_ratings_are_shown_filtered_and_ordered_in_tenths_with_halves_up(seed: int) -> None:
    session = LocalSession(SERVER, seed)
    put(session, "UPDATE restaurant SET stars = 801, ratings = 180 WHERE rowid % 3 = 0")  # 4.45
    put(session, "UPDATE restaurant SET stars = 194, ratings = 40 WHERE rowid % 3 = 1")  # 4.85
    means = {
        row[0]: Decimal(row[1]) / row[2] for row in sql(session, "SELECT restaurant_id, stars, ratings FROM restaurant")
    }
    right = {key: float(mean.quantize(Decimal("0.1"), ROUND_HALF_UP)) for key, mean in means.items()}
    shown = restaurants(session)
    assert {row["restaurant_id"]: row["rating"] for row in shown} == right
    assert {4.5, 4.9} <= set(right.values())
    assert shown == sorted(shown, key=lambda row: (-row["rating"], row["name"], row["street"]))
    for least in (4.5, 4.9):
        assert done(session, "search_restaurants", min_rating=least)["count"] == sum(r >= least for r in right.values())


def test_a_search_finds_part_of_a_name_in_any_case() -> None:
    session = LocalSession(SERVER, 1)
    restaurant, name = sql(session, "SELECT restaurant_id, name FROM restaurant ORDER BY restaurant_id")[0]
    dish, own = sql(session, "SELECT name, restaurant_id FROM dish ORDER BY dish_id")[5]
    for query, wanted in ((name[1:-1].upper(), restaurant), (f" {dish[2:].lower()} ", own)):
        found = done(session, "search_restaurants", query=query)
        assert wanted in [row["restaurant_id"] for row in found["restaurants"]] or found["count"] > 20
    part = done(session, "get_restaurant_menu", restaurant_id=own, query=dish[2:].upper())["dishes"]
    assert dish in [row["name"] for row in part]
    assert all(dish[2:].casefold() in row["name"].casefold() for row in part)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_search_takes_a_fee_of_just_the_highest(seed: int) -> None:
    session = LocalSession(SERVER, seed)
    fees = dict(sql(session, "SELECT restaurant_id, fee_cents FROM restaurant"))
    for highest in (0, 99, 100, 298, 299):
        found = restaurants(session, max_delivery_fee=highest / 100)
        assert {row["restaurant_id"] for row in found} == {key for key, fee in fees.items() if fee <= highest}
        assert all(in_cents(row["delivery_fee"]) == fees[row["restaurant_id"]] for row in found)


@pytest.mark.parametrize(
    ("diet", "suitable"),
    [(None, {"none", "vegetarian", "vegan"}), ("vegetarian", {"vegetarian", "vegan"}), ("vegan", {"vegan"})],
)
def test_a_menu_shows_what_suits_a_diet_in_its_order(diet: str | None, suitable: set[str]) -> None:
    session = LocalSession(SERVER, 2)
    for (restaurant,) in sql(session, "SELECT restaurant_id FROM restaurant ORDER BY 1")[:12]:
        rows = sql(session, "SELECT dish_id, diet FROM dish WHERE restaurant_id = ? ORDER BY position", restaurant)
        menu = done(session, "get_restaurant_menu", restaurant_id=restaurant, **({"diet": diet} if diet else {}))
        assert [dish["dish_id"] for dish in menu["dishes"]] == [dish for dish, kind in rows if kind in suitable]
        assert menu["count"] == len(menu["dishes"])


@pytest.mark.parametrize("seed", SEEDS)
def test_orders_are_listed_from_a_day_on_newest_first(seed: int) -> None:
    session = LocalSession(SERVER, seed)
    placed = dict(sql(session, "SELECT order_id, date(placed_at, 'unixepoch') FROM food_order ORDER BY placed_at DESC"))
    some = sorted(placed.values())[-12]
    for first in (some, (date.fromisoformat(some) + timedelta(days=1)).isoformat()):
        listed = done(session, "list_food_orders", since=first)
        right = [order for order, day in placed.items() if day >= first]
        assert [row["order_id"] for row in listed["orders"]] == right
        assert listed["count"] == len(right)
    everything = (
        done(session, "list_food_orders", page=1)["orders"] + done(session, "list_food_orders", page=2)["orders"]
    )
    assert [row["order_id"] for row in everything] == list(placed)[:40]


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
