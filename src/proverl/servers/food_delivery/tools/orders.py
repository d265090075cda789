"""Tools for orders: listing, following, placing, cancelling.

Covers: an order until it is delivered or cancelled. Does not cover: tips, ratings and complaints (aftercare.py).
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated

from ....world.server import FREE, Field, Refused, World, tool
from ....world.state import Row
from ....world.values import cents, dollars, parse_date, parse_time
from .. import lifecycle, lookup, promos
from ..results import (
    AddressId,
    BasketId,
    CancelledOrder,
    FoodOrder,
    FoodOrderPage,
    OrderId,
    OrderLine,
    PayWith,
    PlacedOrder,
    Stage,
    TrackedOrder,
)

PAGE = 20
CASH_LIMIT = 6000

# ?1 stage, ?2 pattern, ?3 first moment, ?4 rows to skip.
_FOUND = """
SELECT {columns} FROM food_order_now o
WHERE (?1 IS NULL OR o.stage = ?1)
  AND (?3 IS NULL OR o.placed_at >= ?3)
  AND (?2 IS NULL OR o.restaurant_name LIKE ?2 ESCAPE '\\' OR EXISTS (
    SELECT 1 FROM food_order_line l JOIN dish d ON d.dish_id = l.dish_id
    WHERE l.order_id = o.order_id AND d.name LIKE ?2 ESCAPE '\\'
  ))
"""
_COLUMNS = """
o.order_id, o.restaurant_id, o.restaurant_name, o.street, o.placed_at, o.stage, o.total_cents, o.tip_cents,
o.delivered_at, o.now,
EXISTS (SELECT 1 FROM order_rating r WHERE r.order_id = o.order_id) AS rated,
EXISTS (SELECT 1 FROM problem_case p WHERE p.order_id = o.order_id) AS reported
"""
_LIST = f"{_FOUND.format(columns=_COLUMNS)} ORDER BY o.placed_at DESC, o.order_id LIMIT {PAGE} OFFSET ?4"
_COUNT = _FOUND.format(columns="count(*)")

_LINES = """
SELECT l.dish_id, d.name AS dish_name, l.quantity, l.quantity * l.unit_cents AS line_cents, (
  SELECT json_group_array(o.name ORDER BY j.key)
  FROM json_each(l.option_ids) j JOIN dish_option o ON o.option_id = j.value
) AS option_names
FROM food_order_line l JOIN dish d ON d.dish_id = l.dish_id
WHERE l.order_id = ? ORDER BY l.position
"""


@tool("read", refusals=["invalid_dates"])
def list_food_orders(
    world: World,
    stage: Stage | None = None,
    query: Annotated[str | None, Field(min_length=1, max_length=60)] = None,
    since: str | None = None,
    page: Annotated[int, Field(ge=1)] = 1,
) -> FoodOrderPage:
    """Lists my food orders, newest first, with restaurant, total in USD, stage, and whether they can still be tipped,
    rated or reported; 20 rows per page.

    Args:
        stage: only orders at this stage (placed, confirmed, preparing, riding, delivered, cancelled)
        query: part of the restaurant's or a dish's name
        since: YYYY-MM-DD, first day
        page: page number from 1, default 1
    """
    first: int | None = None
    if since is not None:
        midnight = datetime.combine(parse_date(since, "since", "invalid_dates"), datetime.min.time())
        first = lifecycle.seconds(midnight)
    filters = (stage, lookup.pattern(query), first)
    found = world.all(_LIST, *filters, (page - 1) * PAGE)
    count = lookup.count(world, found, page, PAGE, _COUNT, filters)
    return {"count": count, "orders": [_order(world, row) for row in found]}


def _order(world: World, row: Row) -> FoodOrder:
    delivered = row["stage"] == "delivered"
    return {
        "order_id": row["order_id"],
        "restaurant_id": row["restaurant_id"],
        "restaurant_name": row["restaurant_name"],
        "street": row["street"],
        "placed_at": lifecycle.moment(row["placed_at"], world.offset),
        "stage": row["stage"],
        "total": dollars(row["total_cents"]),
        "tip": dollars(row["tip_cents"]),
        "delivered_at": lifecycle.moment(row["delivered_at"], world.offset) if delivered else None,
        "can_tip": lifecycle.can_tip(row),
        "can_rate": lifecycle.can_rate(row) and not row["rated"],
        "can_report": lifecycle.can_report(row) and not row["reported"],
    }


@tool("read", refusals=["order_not_found"])
def track_food_order(world: World, order_id: OrderId) -> TrackedOrder:
    """Follows one food order: stage, expected arrival, courier and distance in km, the dishes, and what cancelling
    would cost now in USD.

    Args:
        order_id: order from list_food_orders
    """
    order = lookup.order(world, order_id)
    stage, offset = order["stage"], world.offset
    fee = lifecycle.cancel_fee(order)
    riding = stage == "riding"
    left = order["delivered_at"] - order["now"]
    whole = order["delivered_at"] - order["riding_at"]
    return {
        "order_id": order_id,
        "restaurant_id": order["restaurant_id"],
        "restaurant_name": order["restaurant_name"],
        "street": order["street"],
        "stage": stage,
        "stage_since": lifecycle.moment(lifecycle.stage_since(order), offset),
        "arrives_at": None if stage == "cancelled" else lifecycle.moment(order["delivered_at"], offset),
        "promised_at": lifecycle.moment(order["promised_at"], offset),
        "courier_name": order["courier_name"] if stage in ("riding", "delivered") else None,
        "courier_distance_km": round(order["metres"] * left / whole / 1000, 1) if riding else None,
        "total": dollars(order["total_cents"]),
        "tip": dollars(order["tip_cents"]),
        "pay_with": order["pay_with"],
        "cancel_fee_now": None if fee is None else dollars(fee),
        "free_cancel_until": lifecycle.moment(order["confirmed_at"], offset) if stage == "placed" else None,
        "lines": [_order_line(row) for row in world.all(_LINES, order_id)],
    }


def _order_line(row: Row) -> OrderLine:
    return {
        "dish_id": row["dish_id"],
        "dish_name": row["dish_name"],
        "option_names": json.loads(row["option_names"]),
        "quantity": row["quantity"],
        "line_price": dollars(row["line_cents"]),
    }


@tool(
    "write",
    refusals=[
        "basket_not_found",
        "address_not_found",
        "invalid_argument",
        "below_minimum_order",
        "restaurant_closed",
        "out_of_delivery_area",
        "address_incomplete",
        "dish_sold_out",
        "payment_not_possible",
    ],
    after=["add_dish_to_basket"],
)
def place_food_order(
    world: World,
    basket_id: BasketId,
    dropoff_address_id: AddressId,
    pay_with: PayWith,
    tip_amount: Annotated[float, Field(ge=0, le=50)] = 0,
    deliver_at: str | None = None,
    courier_note: Annotated[str | None, Field(max_length=150), FREE] = None,
) -> PlacedOrder:
    """Orders a basket to an address and pays it by card on file, cash (up to 60 USD, where accepted) or app wallet.
    Returns the order with total in USD and expected arrival.

    Args:
        basket_id: basket at or above the restaurant's minimum order
        dropoff_address_id: complete address in the delivery area
        pay_with: card on file, cash at the door, or app wallet (card, cash, wallet)
        tip_amount: USD for the courier, 0 to 50, default 0
        deliver_at: ISO 8601 time, 45 minutes to 24 hours ahead, within opening hours; default as soon as possible
        courier_note: up to 150 characters
    """
    basket = lookup.basket(world, basket_id)
    address = lookup.address(world, dropoff_address_id)
    tip = cents(tip_amount, "tip_amount", least=0)
    wanted = None if deliver_at is None else _wanted(world, deliver_at)
    restaurant = lookup.restaurant(world, basket["restaurant_id"])
    metres = lookup.metres(world, dropoff_address_id, basket["restaurant_id"])
    _check_delivery(world, basket, restaurant, address, metres, wanted)
    discount = promos.discount(world, basket)
    total = basket["items_cents"] + basket["fee_cents"] + tip - discount
    _check_payment(world, restaurant, pay_with, total)

    placed = lifecycle.seconds(world.now)
    plan = lifecycle.plan(placed, restaurant["prep_minutes"], metres, wanted)
    order_id = world.new_id("ford")
    world.insert(
        "food_order",
        order_id=order_id,
        restaurant_id=basket["restaurant_id"],
        dropoff_address_id=dropoff_address_id,
        courier_id=_courier(world),
        pay_with=pay_with,
        items_cents=basket["items_cents"],
        fee_cents=basket["fee_cents"],
        discount_cents=discount,
        tip_cents=tip,
        promo_code=basket["promo_code"] if discount else None,
        metres=metres,
        deliver_at=wanted,
        courier_note=(courier_note or "").strip() or None,
        placed_at=placed,
        promised_at=plan.delivered_at,
        **plan._asdict(),
    )
    _move_lines(world, basket, order_id, placed)
    if pay_with == "wallet":
        world.run("UPDATE account SET wallet_cents = wallet_cents - ? WHERE account_id = 1", total)
    return _placed(world, order_id)


def _placed(world: World, order_id: str) -> PlacedOrder:
    order = lookup.order(world, order_id)
    return {
        "order_id": order_id,
        "restaurant_name": order["restaurant_name"],
        "stage": order["stage"],
        "total": dollars(order["total_cents"]),
        "tip": dollars(order["tip_cents"]),
        "arrives_at": lifecycle.moment(order["delivered_at"], world.offset),
        "free_cancel_until": lifecycle.moment(order["confirmed_at"], world.offset),
    }


def _wanted(world: World, deliver_at: str) -> int:
    """The moment for which an order is wanted."""
    wanted = lifecycle.seconds(parse_time(deliver_at, "deliver_at", world.offset))
    ahead = wanted - lifecycle.seconds(world.now)
    if not lifecycle.SOONEST_DELIVERY <= ahead <= lifecycle.LATEST_DELIVERY:
        raise Refused(
            "invalid_argument",
            f"deliver_at {deliver_at!r} must be 45 minutes to 24 hours after now,"
            f" {lifecycle.moment(lifecycle.seconds(world.now), world.offset)}; leave it out for as soon as possible",
        )
    return wanted


def _check_delivery(world: World, basket: Row, restaurant: Row, address: Row, metres: int, wanted: int | None) -> None:
    """Refuse what cannot be cooked or brought."""
    name = restaurant["name"]
    if basket["items_cents"] < basket["minimum_cents"]:
        least, now = dollars(basket["minimum_cents"]), dollars(basket["items_cents"])
        raise Refused(
            "below_minimum_order",
            f"{name} delivers from {least:.2f} USD, the basket is at {now:.2f}; add dishes with add_dish_to_basket",
        )
    if not lifecycle.is_open(restaurant, lifecycle.seconds(world.now) if wanted is None else wanted):
        opens, closes = lookup.hour(restaurant["open_from"]), lookup.hour(restaurant["open_until"])
        raise Refused(
            "restaurant_closed", f"{name} is open from {opens} to {closes}; give a deliver_at within these hours"
        )
    if metres > restaurant["radius"]:
        raise Refused(
            "out_of_delivery_area",
            f"{name} does not deliver to {address['label']!r}; list_dropoff_addresses with restaurant_id shows where it"
            " does",
        )
    if address["is_flat"] and address["unit"] is None:
        raise Refused(
            "address_incomplete",
            f"{address['label']!r} is a flat without a unit number; choose another address or save it anew with a unit",
        )
    sold_out = world.value(
        "SELECT dish_name FROM basket_line_now WHERE basket_id = ? AND sold_out"
        " ORDER BY length(basket_line_id), basket_line_id",
        basket["basket_id"],
    )
    if sold_out is not None:
        raise Refused(
            "dish_sold_out", f"{sold_out}, or one of its options, is sold out; change it with change_basket_dish"
        )


def _check_payment(world: World, restaurant: Row, pay_with: PayWith, total: int) -> None:
    """Refuse a way of paying that does not work for this restaurant and total."""
    amount = f"{dollars(total):.2f} USD"
    if pay_with == "cash" and not restaurant["accepts_cash"]:
        raise Refused("payment_not_possible", f"{restaurant['name']} takes no cash; pay with card or wallet")
    if pay_with == "cash" and total > CASH_LIMIT:
        raise Refused(
            "payment_not_possible", f"cash is possible up to 60 USD, the total is {amount}; pay with card or wallet"
        )
    if pay_with == "wallet" and total > lookup.wallet(world):
        held = dollars(lookup.wallet(world))
        raise Refused(
            "payment_not_possible", f"the wallet holds {held:.2f} USD, the total is {amount}; pay with card or cash"
        )


def _courier(world: World) -> int:
    """Whoever has ridden least."""
    found: int = world.value(
        "SELECT c.courier_id FROM courier c LEFT JOIN food_order o ON o.courier_id = c.courier_id"
        " GROUP BY c.courier_id ORDER BY count(o.order_id), c.courier_id"
    )
    return found


def _move_lines(world: World, basket: Row, order_id: str, placed: int) -> None:
    """Copy the lines of a basket into its order, and close the basket; a spent code leaves all other baskets."""
    world.run(
        """
        INSERT INTO food_order_line (order_id, position, dish_id, option_ids, quantity, unit_cents)
        SELECT ?, row_number() OVER (ORDER BY length(basket_line_id), basket_line_id), dish_id, option_ids, quantity,
          unit_cents
        FROM basket_line WHERE basket_id = ? AND NOT removed
        ORDER BY length(basket_line_id), basket_line_id
        """,
        order_id,
        basket["basket_id"],
    )
    world.update("basket", basket["basket_id"], state="ordered", updated_at=placed)
    if basket["promo_code"] is not None:
        world.run("UPDATE basket SET promo_code = NULL WHERE promo_code = ? AND state = 'open'", basket["promo_code"])


@tool(
    "destructive",
    refusals=[
        "order_not_found",
        "already_cancelled",
        "already_on_the_way",
        "already_delivered",
        "cancel_fee_applies",
    ],
    after=["place_food_order"],
)
def cancel_food_order(
    world: World, order_id: OrderId, max_fee: Annotated[float, Field(ge=0, le=1000)] = 0
) -> CancelledOrder:
    """Cancels a food order: free until the restaurant confirms, for half of the total until the courier has it. Refused
    when the fee is above max_fee.

    Args:
        order_id: order that is placed, confirmed or preparing
        max_fee: highest fee in USD that I accept, default 0
    """
    accepted = round(max_fee * 100)
    order = lookup.order(world, order_id)
    name = order["restaurant_name"]
    if order["stage"] == "cancelled":
        raise Refused("already_cancelled", f"the order from {name} is cancelled already; nothing is left to do")
    if order["stage"] == "riding":
        raise Refused("already_on_the_way", f"the order from {name} is on the way; it cannot be cancelled any more")
    fee = lifecycle.cancel_fee(order)
    if fee is None:
        raise Refused(
            "already_delivered", f"the order from {name} is delivered; report_food_problem is for what went wrong"
        )
    if fee > accepted:
        raise Refused(
            "cancel_fee_applies",
            f"cancelling costs {dollars(fee):.2f} USD now, more than max_fee {max_fee}; ask whether that is accepted",
        )
    refund = 0 if order["pay_with"] == "cash" else order["total_cents"] - fee
    world.update("food_order", order_id, cancelled=1, cancelled_at=order["now"], cancel_fee_cents=fee)
    if order["pay_with"] == "wallet":
        world.run("UPDATE account SET wallet_cents = wallet_cents + ? WHERE account_id = 1", refund)
    return {
        "order_id": order_id,
        "stage": "cancelled",
        "fee_charged": dollars(fee),
        "refund_amount": dollars(refund),
    }
