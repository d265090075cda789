"""Rows by the ids that callers give, refused where there is no such row.

Covers: one function per entity. Does not cover: anything that a tool checks after it has the row.
"""

from __future__ import annotations

from typing import Any

from ...world.server import Refused, World
from ...world.state import Row


def restaurant(world: World, restaurant_id: str) -> Row:
    """A restaurant."""
    row = world.one("SELECT * FROM restaurant WHERE restaurant_id = ?", restaurant_id)
    if row is None:
        raise Refused("restaurant_not_found", f"no restaurant {restaurant_id!r}; search_restaurants finds them")
    return row


def dish(world: World, dish_id: str) -> Row:
    """A dish."""
    row = world.one("SELECT * FROM dish WHERE dish_id = ?", dish_id)
    if row is None:
        raise Refused("dish_not_found", f"no dish {dish_id!r}; get_restaurant_menu lists the dishes of a restaurant")
    return row


def basket(world: World, basket_id: str) -> Row:
    """An open basket with its restaurant, subtotal and minimum."""
    row = world.one("SELECT * FROM open_basket WHERE basket_id = ?", basket_id)
    if row is None:
        raise Refused("basket_not_found", f"no open basket {basket_id!r}; list_food_baskets shows the open ones")
    return row


def address(world: World, dropoff_address_id: str) -> Row:
    """A delivery address."""
    row = world.one("SELECT * FROM dropoff_address WHERE dropoff_address_id = ?", dropoff_address_id)
    if row is None:
        raise Refused(
            "address_not_found", f"no address {dropoff_address_id!r}; list_dropoff_addresses shows the saved ones"
        )
    return row


def order(world: World, order_id: str) -> Row:
    """An order with its stage, total, restaurant and courier."""
    row = world.one("SELECT * FROM food_order_now WHERE order_id = ?", order_id)
    if row is None:
        raise Refused("order_not_found", f"no order {order_id!r}; list_food_orders shows the orders")
    return row


def metres(world: World, dropoff_address_id: str, restaurant_id: str) -> int:
    """How far an address is from a restaurant."""
    found: int = world.value(
        "SELECT metres FROM ride WHERE dropoff_address_id = ? AND restaurant_id = ?", dropoff_address_id, restaurant_id
    )
    return found


def wallet(world: World) -> int:
    """The balance of the app wallet in cents."""
    found: int = world.value("SELECT wallet_cents FROM account WHERE account_id = 1")
    return found


def count(world: World, found: list[Row], page: int, size: int, sql: str, values: tuple[Any, ...]) -> int:
    """How many rows a paged query has in all; asks only if the page does not tell."""
    if len(found) < size and (found or page == 1):
        return (page - 1) * size + len(found)
    whole: int = world.value(sql, *values)
    return whole


def pattern(text: str | None) -> str | None:
    """A LIKE pattern, escaped with a backslash, for texts that hold `text`; None for None."""
    if text is None:
        return None
    escaped = text.strip().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def hour(minute: int) -> str:
    """A minute of the day as HH:MM."""
    return f"{minute // 60:02d}:{minute % 60:02d}"
