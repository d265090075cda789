"""Baskets: listing, filling, changing and discarding them, promo codes.

A removed line and an emptied basket are marked; only discarding deletes.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

from proverl.world.domain import FREE, Field, Row, World, dollars, refuse, shown, tool

from ..results import (
    ADDRESS,
    BASKET,
    DISH,
    LINE,
    OPTION,
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
from ..rules import clock, discount_on, find_basket, find_ride, trimmed, wallet

BASKET_LIMIT = 3
LINE_LIMIT = 20

OptionIds = Annotated[list[OptionId] | None, Field(max_length=12, json_schema_extra={"uniqueItems": True})]
Note = Annotated[str | None, Field(max_length=100), FREE]


@tool("read", refusals="address_not_found")
def list_food_baskets(world: World, dropoff_address_id: AddressId | None = None) -> BasketList:
    """Shows my open baskets with lines, subtotal, discount, minimum order and what is missing, the promo codes that
    would apply, and the balance of my app wallet in USD.

    Args:
        dropoff_address_id: address for which fee and total are worked out
    """
    address = world.find(ADDRESS, dropoff_address_id)
    found = world.all("SELECT * FROM basket_now WHERE state = 'open' ORDER BY basket_id")
    baskets = [basket_for(world, row, address) for row in found]
    return {"count": len(baskets), "wallet_balance": wallet(world), "baskets": baskets}


def basket_for(world: World, basket: Row, address: Row | None) -> Basket:
    """An open basket as it would be delivered to an address, if there is one."""
    lines = world.all("SELECT * FROM basket_line_now WHERE basket_id = ? ORDER BY basket_line_id", basket["basket_id"])
    sql = "SELECT code FROM promo_on_basket WHERE basket_id = ? AND usable ORDER BY code"
    discount, fee = discount_on(world, basket), basket["fee_cents"]
    reached = address is not None and find_ride(world, address, basket["restaurant_id"])["in_reach"]
    return shown(
        Basket,
        basket,
        lines=[shown(BasketLine, line, option_names=json.loads(line["option_names"])) for line in lines],
        discount=discount,
        delivery_fee=fee if reached else None,
        total=basket["subtotal"] - discount + fee if reached else None,
        usable_promo_codes=[row["code"] for row in world.all(sql, basket["basket_id"])],
    )


# Lines


@tool(
    "write",
    refusals="dish_not_found dish_option_not_found dish_sold_out required_option_missing option_not_for_dish "
    "invalid_argument option_sold_out quantity_limit basket_limit_reached",
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
        option_ids: options from get_dish_options; each required group needs its number of choices; up to 12
        note: wish to the kitchen, up to 100 characters
    """
    dish = world.find(DISH, dish_id)
    options = [world.find(OPTION, option_id) for option_id in sorted(option_ids or [])]
    line = {"option_ids": json.dumps([option["option_id"] for option in options]), "note": trimmed(note)}
    sql = """
        SELECT basket_line_id, quantity FROM basket_line_now
        WHERE dish_id = ? AND option_ids = ? AND note IS ? ORDER BY basket_line_id LIMIT 1
    """
    same = world.one(sql, dish["dish_id"], *line.values()) or {"basket_line_id": None, "quantity": 0}
    check_options(world, dish, options)
    check_quantity(quantity, 1, same["quantity"])
    basket_id = world.value(
        "SELECT basket_id FROM basket_now WHERE restaurant_id = ? AND state = 'open'", dish["restaurant_id"]
    )
    if basket_id is None and world.count(BASKET, state="open") >= BASKET_LIMIT:
        full = f"{BASKET_LIMIT} baskets are open already"
        refuse("basket_limit_reached", f"{full}; order one with place_food_order or discard_food_basket first")
    now = clock(world)
    if basket_id is None:
        basket_id = world.add(BASKET, restaurant_id=dish["restaurant_id"], state="open", updated_at=now)
    world.update(BASKET, basket_id, updated_at=now)
    line_id = same["basket_line_id"]
    if line_id is None:
        unit = price_of(dish, options)
        line_id = world.add(LINE, basket_id=basket_id, dish_id=dish_id, quantity=quantity, unit_cents=unit, **line)
    else:
        world.update(LINE, line_id, quantity=same["quantity"] + quantity)
    return shown(AddedDish, {**world.find(BASKET, basket_id), **world.find(LINE, line_id)})


@tool(
    "write",
    refusals="line_not_found dish_option_not_found dish_sold_out required_option_missing option_not_for_dish "
    "invalid_argument option_sold_out quantity_limit",
    after="add_dish_to_basket",
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
        option_ids: replaces all options of the line, up to 12
        note: replaces the note, up to 100 characters; an empty text removes it
    """
    line = world.find(LINE, basket_line_id)
    chosen = json.loads(line["option_ids"]) if option_ids is None else sorted(option_ids)
    options = [world.find(OPTION, option_id) for option_id in chosen]
    dish = world.find(DISH, line["dish_id"])
    if quantity:
        check_options(world, dish, options)
    check_quantity(quantity, 0)
    unit = price_of(dish, options)
    world.update(
        LINE,
        basket_line_id,
        quantity=quantity or line["quantity"],
        option_ids=json.dumps(chosen),
        unit_cents=unit,
        note=line["note"] if note is None else trimmed(note),
        removed=quantity == 0,
    )
    basket = world.find(BASKET, line["basket_id"])
    sql = "SELECT short FROM promo_on_basket WHERE basket_id = ? AND code = ?"
    dropped = world.value(sql, basket["basket_id"], basket["promo_code"]) or 0
    world.update(
        BASKET,
        basket["basket_id"],
        promo_code=None if dropped else basket["promo_code"],
        state="open" if world.count(LINE, basket_id=basket["basket_id"]) else "emptied",
        updated_at=clock(world),
    )
    price = quantity * unit
    return shown(
        ChangedLine,
        basket,
        basket_line_id=basket_line_id,
        quantity=quantity,
        line_price=price,
        promo_dropped=dropped,
    )


def check_options(world: World, dish: Row, options: list[Row]) -> None:
    """Refuse dish_sold_out, required_option_missing, option_not_for_dish, invalid_argument, option_sold_out."""
    name, how = dish["name"], "see get_dish_options"
    groups = world.all("SELECT * FROM option_group WHERE dish_id = ? ORDER BY position", dish["dish_id"])
    own = [option for option in options if option["dish_id"] == dish["dish_id"]]
    chosen = Counter(option["group_position"] for option in own)
    if dish["sold_out"]:
        refuse("dish_sold_out", f"{name} is sold out; see get_restaurant_menu for other dishes")
    for group in groups:
        number = chosen[group["position"]]
        if number < group["least"]:
            needs = f"{name} needs {group['least']} from the group {group['group_name']!r}, got {number}"
            refuse("required_option_missing", f"{needs}; {how}")
    for option in options:
        if option not in own:
            strange = f"the option {option['option_id']!r} ({option['name']}) is not one of {name}"
            refuse("option_not_for_dish", f"{strange}; {how}")
    for group in groups:
        number = chosen[group["position"]]
        if number > group["most"]:
            many = f"option_ids holds {number} from the group {group['group_name']!r}, which allows {group['most']}"
            refuse("invalid_argument", f"{many}; {how}")
    for option in own:
        if option["sold_out"]:
            refuse("option_sold_out", f"{option['name']} for {name} is sold out; choose another option")


def check_quantity(quantity: int, least: int, held: int = 0) -> None:
    """Refuse quantity_limit: a number for one line, on top of what it holds already."""
    if quantity < least or quantity + held > LINE_LIMIT:
        holds = f", of which the basket holds {held} already" if held else ""
        refuse("quantity_limit", f"quantity {quantity} must be from {least}, and at most {LINE_LIMIT} a line{holds}")


def price_of(dish: Row, options: list[Row]) -> int:
    """What one of a dish with its options costs, in cents."""
    return int(dish["price"] + sum(option["extra_price"] for option in options))


# Whole baskets


@tool("destructive", refusals="basket_not_found basket_already_ordered", after="add_dish_to_basket", idempotent=True)
def discard_food_basket(world: World, basket_id: BasketId) -> DiscardedBasket:
    """Throws away one of my baskets with everything in it.

    Args:
        basket_id: basket from list_food_baskets
    """
    basket = world.find(BASKET, basket_id)
    if basket["state"] == "ordered":
        refuse("basket_already_ordered", f"the basket {basket_id!r} is ordered; cancel_food_order may stop the order")
    lines = world.count(LINE, basket_id=basket_id)
    world.run("DELETE FROM basket WHERE basket_id = ?", basket_id)
    left = world.count(BASKET, state="open")
    return shown(DiscardedBasket, basket, discarded_line_count=lines, remaining_basket_count=left)


@tool(
    "write",
    refusals="basket_not_found promo_not_found promo_expired promo_already_used promo_wrong_restaurant "
    "below_promo_minimum",
    after="add_dish_to_basket",
    idempotent=True,
)
def apply_meal_promo(
    world: World, basket_id: BasketId, promo_code: Annotated[str, Field(min_length=1, max_length=20, pattern=r"\S")]
) -> AppliedPromo:
    """Puts a promo code on a basket, replacing the one before. Returns the discount and the new subtotal in USD.

    Args:
        basket_id: basket from list_food_baskets or add_dish_to_basket
        promo_code: code, up to 20 characters, not case-sensitive
    """
    basket = find_basket(world, basket_id)
    sql = "SELECT * FROM promo_on_basket WHERE basket_id = ? AND code = ?"
    promo = world.one(sql, basket["basket_id"], promo_code.strip())
    if promo is None:
        refuse("promo_not_found", f"no promo code {promo_code!r}; list_food_baskets shows the usable codes")
    check_promo(world, promo, basket)
    code, discount = promo["code"], promo["discount"]
    world.resolves("promo_code", code)
    world.update(BASKET, basket_id, promo_code=code, updated_at=clock(world))
    return {
        "basket_id": basket_id,
        "promo_code": code,
        "discount": discount,
        "subtotal_after_discount": basket["subtotal"] - discount,
    }


def check_promo(world: World, promo: Row, basket: Row) -> None:
    """Refuse promo_expired, promo_already_used, promo_wrong_restaurant, below_promo_minimum."""
    code, name = f"the code {promo['code']}", basket["restaurant_name"]
    if promo["lapsed"]:
        span = f"{promo['valid_from']} to {promo['valid_until']}, today is {world.today}"
        refuse("promo_expired", f"{code} is valid from {span}; try another code")
    if promo["used"]:
        refuse("promo_already_used", f"{code} was used on an order already, and a code works once; try another code")
    if promo["repeated"]:
        refuse("promo_already_used", f"{code} is for a first order only, and {name} has had one; try another code")
    if promo["elsewhere"]:
        refuse("promo_wrong_restaurant", f"{code} is for another restaurant than {name}; try another code")
    if promo["short"]:
        least = f"{code} needs a subtotal of {dollars(promo['minimum_cents'])} USD"
        refuse("below_promo_minimum", f"{least}, the basket is at {dollars(basket['subtotal'])}; add dishes first")
