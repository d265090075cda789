"""Tools for baskets: listing, filling, changing, discarding, promo codes.

Covers: everything before an order is placed. Does not cover: placing it (orders.py). A removed line and an emptied
basket are marked; only discarding deletes.
"""

from __future__ import annotations

import json
from typing import Annotated, NamedTuple

from ....world.server import FREE, Field, Refused, World, tool
from ....world.state import Row
from ....world.values import dollars
from .. import lookup, promos
from ..lifecycle import seconds
from ..results import (
    AddedDish,
    AddressId,
    AppliedPromo,
    Basket,
    BasketId,
    BasketLine,
    BasketList,
    ChangedLine,
    DiscardedBasket,
    DishId,
    LineId,
    OptionId,
)

BASKET_LIMIT = 3
LINE_LIMIT = 20

OptionIds = Annotated[
    list[OptionId] | None,
    Field(max_length=12, json_schema_extra={"uniqueItems": True}),
]
Note = Annotated[str | None, Field(max_length=100), FREE]

_LINES = """
SELECT l.* FROM basket_line_now l JOIN basket b ON b.basket_id = l.basket_id
WHERE b.state = 'open' ORDER BY length(l.basket_line_id), l.basket_line_id
"""


@tool("read", refusals=["address_not_found"])
def list_food_baskets(world: World, dropoff_address_id: AddressId | None = None) -> BasketList:
    """Shows my open baskets with lines, subtotal, discount, minimum order and what is missing, the promo codes that
    would apply, and the balance of my app wallet in USD.

    Args:
        dropoff_address_id: address for which fee and total are worked out
    """
    if dropoff_address_id is not None:
        lookup.address(world, dropoff_address_id)
    lines: dict[str, list[BasketLine]] = {}
    for row in world.all(_LINES):
        lines.setdefault(row["basket_id"], []).append(_line(row))
    found = world.all(
        """
        SELECT b.*, (
          SELECT metres <= radius FROM ride WHERE dropoff_address_id = ? AND ride.restaurant_id = b.restaurant_id
        ) AS delivers
        FROM open_basket b ORDER BY length(b.basket_id), b.basket_id
        """,
        dropoff_address_id,
    )
    baskets = [_basket(world, row, lines.get(row["basket_id"], [])) for row in found]
    return {"count": len(baskets), "wallet_balance": dollars(lookup.wallet(world)), "baskets": baskets}


def _line(row: Row) -> BasketLine:
    return {
        "basket_line_id": row["basket_line_id"],
        "dish_id": row["dish_id"],
        "dish_name": row["dish_name"],
        "option_names": json.loads(row["option_names"]),
        "quantity": row["quantity"],
        "line_price": dollars(row["line_cents"]),
        "sold_out": bool(row["sold_out"]),
    }


def _basket(world: World, row: Row, lines: list[BasketLine]) -> Basket:
    discount = promos.discount(world, row)
    total = row["items_cents"] - discount + row["fee_cents"]
    return {
        "basket_id": row["basket_id"],
        "restaurant_id": row["restaurant_id"],
        "restaurant_name": row["restaurant_name"],
        "street": row["street"],
        "lines": lines,
        "subtotal": dollars(row["items_cents"]),
        "discount": dollars(discount),
        "delivery_fee": dollars(row["fee_cents"]) if row["delivers"] else None,
        "total": dollars(total) if row["delivers"] else None,
        "minimum_order": dollars(row["minimum_cents"]),
        "missing_to_minimum": _missing(row),
        "promo_code": row["promo_code"],
        "usable_promo_codes": promos.usable(world, row),
    }


def _missing(basket: Row) -> float:
    return dollars(max(0, basket["minimum_cents"] - basket["items_cents"]))


class Choice(NamedTuple):
    """Options as a line keeps them: a sorted JSON array, and what they add to the price."""

    option_ids: str
    extra_cents: int


def _options(world: World, option_ids: list[str]) -> list[Row]:
    """The rows of the options of a call; refuses an id that is no option at all."""
    found = world.all(
        "SELECT * FROM dish_option WHERE option_id IN (SELECT value FROM json_each(?)) ORDER BY option_id",
        json.dumps(option_ids),
    )
    unknown = sorted(set(option_ids) - {row["option_id"] for row in found})
    if unknown:
        raise Refused("dish_option_not_found", f"no option {unknown[0]!r}; get_dish_options lists those of a dish")
    return found


def _choice(world: World, dish: Row, options: list[Row], quantity: int, least: int) -> Choice:
    """Check a line in the order of the refusals: dish, required groups, options, their stock, quantity."""
    if dish["sold_out"]:
        raise Refused("dish_sold_out", f"{dish['name']} is sold out; see get_restaurant_menu for other dishes")
    own = [row for row in options if row["dish_id"] == dish["dish_id"]]
    groups = world.all("SELECT * FROM option_group WHERE dish_id = ? ORDER BY position", dish["dish_id"])
    chosen = {group["position"]: 0 for group in groups}
    for row in own:
        chosen[row["group_position"]] += 1
    for group in groups:
        if chosen[group["position"]] < group["least"]:
            raise Refused(
                "required_option_missing",
                f"{dish['name']} needs {group['least']} from the group {group['group_name']!r},"
                f" got {chosen[group['position']]}; see get_dish_options",
            )
    for row in options:
        if row["dish_id"] != dish["dish_id"]:
            raise Refused(
                "option_not_for_dish",
                f"the option {row['option_id']!r} ({row['name']}) is not one of {dish['name']}; see get_dish_options",
            )
    for group in groups:
        if chosen[group["position"]] > group["most"]:
            raise Refused(
                "invalid_argument",
                f"option_ids holds {chosen[group['position']]} from the group {group['group_name']!r}, which allows"
                f" {group['most']}; see get_dish_options",
            )
    for row in own:
        if row["sold_out"]:
            raise Refused("option_sold_out", f"{row['name']} for {dish['name']} is sold out; choose another option")
    if not least <= quantity <= LINE_LIMIT:
        raise Refused("quantity_limit", f"quantity {quantity} must be from {least} to {LINE_LIMIT}")
    return Choice(json.dumps([row["option_id"] for row in own]), sum(row["extra_cents"] for row in own))


@tool(
    "write",
    refusals=[
        "dish_not_found",
        "dish_option_not_found",
        "dish_sold_out",
        "required_option_missing",
        "option_not_for_dish",
        "invalid_argument",
        "option_sold_out",
        "quantity_limit",
        "basket_limit_reached",
    ],
)
def add_dish_to_basket(
    world: World, dish_id: DishId, quantity: int, option_ids: OptionIds = None, note: Note = None
) -> AddedDish:
    """Puts a dish with its options into the basket of its restaurant, opening the basket if needed (at most 3 baskets).
    Returns the basket with subtotal and what is missing to the minimum order in USD. The same dish with the same
    options and note joins the line that is there.

    Args:
        dish_id: dish from get_restaurant_menu
        quantity: 1 to 20
        option_ids: options from get_dish_options; each required group needs its number of choices
        note: wish to the kitchen, up to 100 characters
    """
    dish = lookup.dish(world, dish_id)
    choice = _choice(world, dish, _options(world, option_ids or []), quantity, 1)
    wish = (note or "").strip() or None
    same = world.one(
        """
        SELECT l.basket_line_id, l.quantity FROM basket_line l JOIN basket b ON b.basket_id = l.basket_id
        WHERE b.state = 'open' AND NOT l.removed AND l.dish_id = ? AND l.option_ids = ? AND l.note IS ?
        ORDER BY length(l.basket_line_id), l.basket_line_id
        """,
        dish_id,
        choice.option_ids,
        wish,
    )
    whole = quantity + (same["quantity"] if same else 0)
    if whole > LINE_LIMIT:
        raise Refused(
            "quantity_limit", f"quantity {quantity} would make the line {whole}; a line holds at most {LINE_LIMIT}"
        )
    basket_id = _basket_of(world, dish["restaurant_id"])
    unit = dish["price_cents"] + choice.extra_cents
    if same:
        line_id: str = same["basket_line_id"]
        world.update("basket_line", line_id, quantity=whole)
    else:
        line_id = world.new_id("line")
        world.insert(
            "basket_line",
            basket_line_id=line_id,
            basket_id=basket_id,
            dish_id=dish_id,
            option_ids=choice.option_ids,
            quantity=whole,
            unit_cents=unit,
            note=wish,
        )
    world.update("basket", basket_id, updated_at=seconds(world.now))
    basket = lookup.basket(world, basket_id)
    return {
        "basket_id": basket_id,
        "basket_line_id": line_id,
        "dish_name": dish["name"],
        "quantity": whole,
        "line_price": dollars(whole * unit),
        "subtotal": dollars(basket["items_cents"]),
        "missing_to_minimum": _missing(basket),
    }


def _basket_of(world: World, restaurant_id: str) -> str:
    """The open basket of a restaurant, opened if there is none."""
    held = world.value("SELECT basket_id FROM basket WHERE restaurant_id = ? AND state = 'open'", restaurant_id)
    if held is not None:
        return str(held)
    if world.value("SELECT count(*) FROM basket WHERE state = 'open'") >= BASKET_LIMIT:
        raise Refused(
            "basket_limit_reached",
            f"{BASKET_LIMIT} baskets are open already; order one with place_food_order or discard_food_basket first",
        )
    basket_id = world.new_id("bsk")
    world.insert(
        "basket", basket_id=basket_id, restaurant_id=restaurant_id, state="open", updated_at=seconds(world.now)
    )
    return basket_id


@tool(
    "write",
    refusals=[
        "line_not_found",
        "dish_option_not_found",
        "dish_sold_out",
        "required_option_missing",
        "option_not_for_dish",
        "invalid_argument",
        "option_sold_out",
        "quantity_limit",
    ],
    after=["add_dish_to_basket"],
    idempotent=True,
)
def change_basket_dish(
    world: World, basket_line_id: LineId, quantity: int, option_ids: OptionIds = None, note: Note = None
) -> ChangedLine:
    """Changes the quantity, options or note of a basket line; quantity 0 removes it. Returns the new subtotal in USD. A
    basket whose last line goes is closed, and a promo code whose minimum is no longer reached is dropped.

    Args:
        basket_line_id: line from list_food_baskets
        quantity: 0 to 20
        option_ids: replaces all options of the line
        note: replaces the note, up to 100 characters; an empty text removes it
    """
    line = world.one(
        """
        SELECT l.* FROM basket_line l JOIN basket b ON b.basket_id = l.basket_id
        WHERE l.basket_line_id = ? AND NOT l.removed AND b.state = 'open'
        """,
        basket_line_id,
    )
    if line is None:
        raise Refused("line_not_found", f"no basket line {basket_line_id!r}; list_food_baskets shows the lines")
    options = _options(world, json.loads(line["option_ids"]) if option_ids is None else option_ids)
    unit = line["unit_cents"]
    if quantity == 0:
        world.update("basket_line", basket_line_id, removed=1)
    else:
        dish = lookup.dish(world, line["dish_id"])
        choice = _choice(world, dish, options, quantity, 0)
        unit = dish["price_cents"] + choice.extra_cents
        wish = line["note"] if note is None else note.strip() or None
        world.update(
            "basket_line",
            basket_line_id,
            quantity=quantity,
            option_ids=choice.option_ids,
            unit_cents=unit,
            note=wish,
        )
    dropped, basket = _settle(world, line["basket_id"])
    return {
        "basket_id": line["basket_id"],
        "basket_line_id": basket_line_id,
        "quantity": quantity,
        "line_price": dollars(quantity * unit),
        "subtotal": dollars(basket["items_cents"]),
        "missing_to_minimum": _missing(basket),
        "promo_dropped": dropped,
    }


def _settle(world: World, basket_id: str) -> tuple[bool, Row]:
    """After a change: drop a promo below its minimum and close an empty basket; returns whether a promo went."""
    basket = lookup.basket(world, basket_id)
    promo = promos.by_code(world, basket["promo_code"]) if basket["promo_code"] else None
    dropped = promo is not None and basket["items_cents"] < promo["minimum_cents"]
    if dropped:
        world.update("basket", basket_id, promo_code=None)
    left = world.value("SELECT count(*) FROM basket_line WHERE basket_id = ? AND NOT removed", basket_id)
    world.update("basket", basket_id, state="open" if left else "emptied", updated_at=seconds(world.now))
    return dropped, basket


@tool("destructive", refusals=["basket_not_found", "basket_already_ordered"], after=["add_dish_to_basket"])
def discard_food_basket(world: World, basket_id: BasketId) -> DiscardedBasket:
    """Throws away one of my baskets with everything in it.

    Args:
        basket_id: basket from list_food_baskets
    """
    if world.value("SELECT state FROM basket WHERE basket_id = ?", basket_id) == "ordered":
        raise Refused(
            "basket_already_ordered", f"the basket {basket_id!r} is ordered; cancel_food_order may stop the order"
        )
    basket = lookup.basket(world, basket_id)
    lines = world.value("SELECT count(*) FROM basket_line WHERE basket_id = ? AND NOT removed", basket_id)
    world.run("DELETE FROM basket WHERE basket_id = ?", basket_id)
    return {
        "basket_id": basket_id,
        "restaurant_name": basket["restaurant_name"],
        "discarded_line_count": lines,
        "remaining_basket_count": world.value("SELECT count(*) FROM basket WHERE state = 'open'"),
    }


@tool(
    "write",
    refusals=[
        "basket_not_found",
        "promo_not_found",
        "promo_expired",
        "promo_already_used",
        "promo_wrong_restaurant",
        "below_promo_minimum",
    ],
    after=["add_dish_to_basket"],
    idempotent=True,
)
def apply_meal_promo(
    world: World, basket_id: BasketId, promo_code: Annotated[str, Field(min_length=1, max_length=20)]
) -> AppliedPromo:
    """Puts a promo code on a basket, replacing the one before. Returns the discount and the new subtotal in USD.

    Args:
        basket_id: basket from list_food_baskets or add_dish_to_basket
        promo_code: code, not case-sensitive
    """
    basket = lookup.basket(world, basket_id)
    promo = promos.by_code(world, promo_code)
    if promo is None:
        raise Refused("promo_not_found", f"no promo code {promo_code!r}; list_food_baskets shows the usable codes")
    promos.check(world, promo, basket)
    discount = promos.taken_off(promo, basket["items_cents"])
    world.resolves("promo_code", promo["code"])
    world.update("basket", basket_id, promo_code=promo["code"], updated_at=seconds(world.now))
    return {
        "basket_id": basket_id,
        "promo_code": promo["code"],
        "discount": dollars(discount),
        "subtotal_after_discount": dollars(basket["items_cents"] - discount),
    }
