"""Tools that show restaurants, menus and the options of dishes.

Covers: reads only. Does not cover: putting a dish into a basket (baskets.py).
"""

from __future__ import annotations

import json
from functools import cache
from typing import Annotated, Literal

from ....world.server import Field, World, tool
from ....world.state import Row
from ....world.values import cents, dollars
from .. import lookup
from ..lifecycle import delivery_minutes, is_open, seconds
from ..results import (
    AddressId,
    Cuisine,
    Dish,
    DishId,
    DishOptions,
    Menu,
    OptionGroup,
    Restaurant,
    RestaurantId,
    RestaurantPage,
)

PAGE = 20

# ?1 pattern, ?2 cuisine, ?3 address, ?4 least rating, ?5 highest fee, ?6 rows to skip. The shown rating has one
# decimal, and the filter goes by what is shown.
_ALL = "SELECT *, NULL AS metres FROM restaurant WHERE ?3 IS NULL"
_NEAR = "SELECT * FROM ride WHERE dropoff_address_id = ?3 AND metres <= radius"
_FOUND = """
SELECT {columns} FROM ({source}) r
WHERE (?2 IS NULL OR cuisine = ?2)
  AND (?4 IS NULL OR round(1.0 * stars / ratings, 1) >= ?4)
  AND (?5 IS NULL OR fee_cents <= ?5)
  AND (?1 IS NULL OR name LIKE ?1 ESCAPE '\\' OR EXISTS (
    SELECT 1 FROM dish WHERE dish.restaurant_id = r.restaurant_id AND dish.name LIKE ?1 ESCAPE '\\'
  ))
"""
_COLUMNS = """
restaurant_id, name, street, cuisine, round(1.0 * stars / ratings, 1) AS rating, open_from, open_until, minimum_cents,
fee_cents, accepts_cash, prep_minutes, metres
"""


@cache
def _search(near: bool) -> tuple[str, str]:
    """The queries for one page of a search and for the number of its hits."""
    source = _NEAR if near else _ALL
    rows = _FOUND.format(columns=_COLUMNS, source=source)
    return f"{rows} ORDER BY rating DESC, name, street LIMIT {PAGE} OFFSET ?6", _FOUND.format(
        columns="count(*)", source=source
    )


_MENU = """
SELECT d.*, g.required IS NOT NULL AS has_options, coalesce(g.required, 0) AS has_required_options FROM dish d
LEFT JOIN (
  SELECT g.dish_id, max(g.least > 0) AS required FROM option_group g JOIN dish USING (dish_id)
  WHERE dish.restaurant_id = ?1 GROUP BY g.dish_id
) g ON g.dish_id = d.dish_id
WHERE d.restaurant_id = ?1
  AND (?2 IS NULL OR d.diet = 'vegan' OR d.diet = ?2)
  AND (?3 IS NULL OR d.name LIKE ?3 ESCAPE '\\')
ORDER BY d.position
"""

_OPTIONS = """
SELECT g.group_name, g.least, g.most, o.option_id, o.name, o.extra_cents, o.sold_out FROM option_group g
JOIN dish_option o ON o.dish_id = g.dish_id AND o.group_position = g.position
WHERE g.dish_id = ? ORDER BY g.position, o.position
"""


@tool("read", refusals=["address_not_found", "invalid_argument"])
def search_restaurants(
    world: World,
    query: Annotated[str | None, Field(min_length=1, max_length=60)] = None,
    cuisine: Cuisine | None = None,
    dropoff_address_id: AddressId | None = None,
    min_rating: Annotated[float | None, Field(ge=1, le=5)] = None,
    max_delivery_fee: Annotated[float | None, Field(ge=0, le=100)] = None,
    page: Annotated[int, Field(ge=1)] = 1,
) -> RestaurantPage:
    """Searches restaurants by name or dish, cuisine and rating; with an address only those that deliver there, with
    fee in USD and minutes. Shows minimum order and whether it is open; 20 rows per page, best rated first.

    Args:
        query: part of the restaurant's name or of a dish
        cuisine: kind of kitchen (italian, indian, japanese, mexican, thai, burgers, bakery, vegan)
        dropoff_address_id: address to deliver to
        min_rating: 1.0 to 5.0
        max_delivery_fee: highest delivery fee in USD, 0 to 100
        page: page number from 1, default 1
    """
    fee = None if max_delivery_fee is None else cents(max_delivery_fee, "max_delivery_fee", least=0)
    if dropoff_address_id is not None:
        lookup.address(world, dropoff_address_id)
    filters = (lookup.pattern(query), cuisine, dropoff_address_id, min_rating, fee)
    rows, total = _search(dropoff_address_id is not None)
    found = world.all(rows, *filters, (page - 1) * PAGE)
    count = lookup.count(world, found, page, PAGE, total, filters)
    clock = seconds(world.now)
    return {"count": count, "restaurants": [_restaurant(row, clock) for row in found]}


def _restaurant(row: Row, clock: int) -> Restaurant:
    metres = row["metres"]
    return {
        "restaurant_id": row["restaurant_id"],
        "name": row["name"],
        "street": row["street"],
        "cuisine": row["cuisine"],
        "rating": row["rating"],
        "open_now": is_open(row, clock),
        "open_until": lookup.hour(row["open_until"]),
        "minimum_order": dollars(row["minimum_cents"]),
        "delivery_fee": dollars(row["fee_cents"]),
        "delivery_minutes": None if metres is None else delivery_minutes(row["prep_minutes"], metres),
        "accepts_cash": bool(row["accepts_cash"]),
    }


@tool("read", refusals=["restaurant_not_found"])
def get_restaurant_menu(
    world: World,
    restaurant_id: RestaurantId,
    diet: Literal["vegetarian", "vegan"] | None = None,
    query: Annotated[str | None, Field(min_length=1, max_length=60)] = None,
) -> Menu:
    """Shows the menu of a restaurant by section with price in USD, diet, allergens, whether a dish is sold out and
    whether it needs options.

    Args:
        restaurant_id: restaurant from search_restaurants
        diet: only dishes that suit this diet (vegetarian, vegan); vegan dishes are vegetarian too
        query: word in the dish name
    """
    restaurant = lookup.restaurant(world, restaurant_id)
    found = world.all(_MENU, restaurant_id, diet, lookup.pattern(query))
    return {
        "restaurant_id": restaurant_id,
        "name": restaurant["name"],
        "open_now": is_open(restaurant, seconds(world.now)),
        "minimum_order": dollars(restaurant["minimum_cents"]),
        "count": len(found),
        "dishes": [_dish(row) for row in found],
    }


def _dish(row: Row) -> Dish:
    return {
        "dish_id": row["dish_id"],
        "name": row["name"],
        "section": row["section"],
        "price": dollars(row["price_cents"]),
        "diet": row["diet"],
        "allergens": json.loads(row["allergens"]),
        "sold_out": bool(row["sold_out"]),
        "has_options": bool(row["has_options"]),
        "has_required_options": bool(row["has_required_options"]),
    }


@tool("read", refusals=["dish_not_found"])
def get_dish_options(world: World, dish_id: DishId) -> DishOptions:
    """Lists the option groups of a dish (size, side, spice and so on) with how many must and may be chosen, extra price
    in USD and stock.

    Args:
        dish_id: dish from get_restaurant_menu
    """
    dish = lookup.dish(world, dish_id)
    groups: dict[str, OptionGroup] = {}
    for row in world.all(_OPTIONS, dish_id):
        group = groups.setdefault(
            row["group_name"],
            {
                "group_name": row["group_name"],
                "required": row["least"] > 0,
                "min_choices": row["least"],
                "max_choices": row["most"],
                "options": [],
            },
        )
        group["options"].append(
            {
                "option_id": row["option_id"],
                "name": row["name"],
                "extra_price": dollars(row["extra_cents"]),
                "sold_out": bool(row["sold_out"]),
            }
        )
    return {
        "dish_id": dish_id,
        "name": dish["name"],
        "price": dollars(dish["price_cents"]),
        "group_count": len(groups),
        "option_groups": list(groups.values()),
    }
