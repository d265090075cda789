"""Orders until they are delivered: listing, following, placing and cancelling them."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Annotated

from proverl.world.domain import (
    FREE,
    Day,
    Field,
    Moment,
    Money,
    Row,
    World,
    check_day,
    check_moment,
    dollars,
    folded,
    iso,
    refuse,
    shown,
    tool,
)

from ..results import (
    ADDRESS,
    ORDER,
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
from ..rules import PAGE, check_payment, clock, discount_on, find_basket, find_ride, part, pay, trimmed

SOONEST = timedelta(minutes=45)
LATEST = timedelta(hours=24)
MINUTE = 60


@tool("read", refusals="invalid_dates")
def list_food_orders(
    world: World,
    stage: Stage | None = None,
    query: Annotated[str | None, Field(min_length=1, max_length=60, pattern=r"\S")] = None,
    since: Day | None = None,
    page: Annotated[int, Field(ge=1)] = 1,
) -> FoodOrderPage:
    """Lists my food orders, newest first, with restaurant, total in USD, stage, and whether they can still be tipped,
    rated or reported; 20 rows per page.

    Args:
        stage: only orders at this stage (placed, confirmed, preparing, riding, delivered, cancelled)
        query: part of the restaurant's or a dish's name, up to 60 characters, not case-sensitive
        since: YYYY-MM-DD, first day
        page: page number from 1, default 1
    """
    if since is not None:
        check_day(since, "since", "invalid_dates")
    first = ("placed_at >= ?", since)
    found = world.page(FoodOrder, ORDER, page, PAGE, first, *part("searched", query), stage=stage)
    return {"count": found.count, "orders": found.rows}


@tool("read", refusals="order_not_found")
def track_food_order(world: World, order_id: OrderId) -> TrackedOrder:
    """Follows one food order: stage, expected arrival, courier and distance in km, the dishes, and what cancelling
    would cost now in USD.

    Args:
        order_id: order from list_food_orders
    """
    order = world.find(ORDER, order_id)
    metres = order["courier_metres"]
    lines = world.all("SELECT * FROM order_line_now WHERE order_id = ? ORDER BY position", order_id)
    return shown(
        TrackedOrder,
        order,
        courier_distance_km=None if metres is None else round(metres / 1000, 1),
        lines=[shown(OrderLine, line, option_names=json.loads(line["option_names"])) for line in lines],
    )


@tool(
    "write",
    refusals="invalid_argument basket_not_found address_not_found below_minimum_order restaurant_closed "
    "out_of_delivery_area address_incomplete dish_sold_out payment_not_possible",
    after="add_dish_to_basket",
    idempotent=True,
)
def place_food_order(
    world: World,
    basket_id: BasketId,
    dropoff_address_id: AddressId,
    pay_with: PayWith,
    tip_amount: Annotated[Money, Field(ge=0, le=50)] = 0,
    deliver_at: Moment | None = None,
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
    ahead = check_deliver_at(world, deliver_at)
    basket = find_basket(world, basket_id)
    address = world.find(ADDRESS, dropoff_address_id)
    ride = find_ride(world, address, basket["restaurant_id"])
    check_delivery(world, basket, ride, address, ahead)
    discount = discount_on(world, basket)
    total = basket["subtotal"] + basket["fee_cents"] + tip_amount - discount
    if pay_with == "cash" and not ride["accepts_cash"]:
        refuse("payment_not_possible", f"{ride['name']} takes no cash; pay with card or wallet")
    check_payment(world, pay_with, total, total)
    pay(world, pay_with, total)
    order_id = store_order(
        world,
        basket,
        ride,
        ahead,
        pay_with=pay_with,
        discount_cents=discount,
        tip_cents=tip_amount,
        promo_code=basket["promo_code"] if discount else None,
        courier_note=trimmed(courier_note),
    )
    if ahead is not None:
        world.resolves("deliver_at", iso(world.now + ahead))
    return shown(PlacedOrder, world.find(ORDER, order_id))


def check_deliver_at(world: World, text: str | None) -> timedelta | None:
    """How far ahead the moment lies for which an order is wanted; refuses invalid_argument."""
    if text is None:
        return None
    ahead = check_moment(text, "deliver_at", world.offset).replace(microsecond=0) - world.now
    if not SOONEST <= ahead <= LATEST:
        soonest, latest = f"{SOONEST // timedelta(minutes=1)} minutes", f"{LATEST // timedelta(hours=1)} hours"
        when = f"deliver_at {text!r} must be {soonest} to {latest} after now, {world.moment}"
        refuse("invalid_argument", f"{when}; leave it out for as soon as possible")
    return min(ahead, LATEST)


def check_delivery(world: World, basket: Row, ride: Row, address: Row, ahead: timedelta | None) -> None:
    """Refuse below_minimum_order, restaurant_closed, out_of_delivery_area, address_incomplete, dish_sold_out."""
    name, label = ride["name"], address["label"]
    if basket["missing_to_minimum"]:
        least = f"{name} delivers from {dollars(basket['minimum_order'])} USD"
        now = f"the basket is at {dollars(basket['subtotal'])}"
        refuse("below_minimum_order", f"{least}, {now}; add dishes with add_dish_to_basket")
    opens, closes = ride["open_from"], ride["open_until"]
    if not opens <= f"{world.now + (ahead or timedelta()):%H:%M}" < closes:
        refuse("restaurant_closed", f"{name} is open from {opens} to {closes}; give a deliver_at within these hours")
    if not ride["in_reach"]:
        where = "list_dropoff_addresses with restaurant_id shows where it does"
        refuse("out_of_delivery_area", f"{name} does not deliver to {label!r}; {where}")
    if not address["complete"]:
        how = "choose another address or save it anew with a unit"
        refuse("address_incomplete", f"{label!r} is a flat without a unit number; {how}")
    sql = "SELECT dish_name FROM basket_line_now WHERE basket_id = ? AND sold_out ORDER BY basket_line_id"
    sold_out = world.value(sql, basket["basket_id"])
    if sold_out is not None:
        which = f"{sold_out}, or one of its options, is sold out"
        refuse("dish_sold_out", f"{which}; change it with change_basket_dish")


def store_order(world: World, basket: Row, ride: Row, ahead: timedelta | None, **columns: object) -> str:
    """Turn a basket into an order; a code that is spent with it leaves all other baskets. Returns the order's id.

    The stages count from now, or back from the moment for which the order is wanted. Kitchens and radii are such that
    everything takes at most SOONEST, so counting back never leads to before now.
    """
    now, basket_id = clock(world), basket["basket_id"]
    wanted = None if ahead is None else now + round(ahead.total_seconds())
    delivered = now + ride["delivery_minutes"] * MINUTE if wanted is None else wanted
    start = delivered - ride["delivery_minutes"] * MINUTE
    lines = world.all("SELECT * FROM basket_line_now WHERE basket_id = ? ORDER BY basket_line_id", basket_id)
    order_id = world.add(
        ORDER,
        restaurant_id=ride["restaurant_id"],
        dropoff_address_id=ride["dropoff_address_id"],
        courier_id=world.value(
            "SELECT c.courier_id FROM courier c LEFT JOIN food_order o ON o.courier_id = c.courier_id"
            " GROUP BY c.courier_id ORDER BY count(o.order_id), c.courier_id"
        ),
        items_cents=basket["subtotal"],
        fee_cents=basket["fee_cents"],
        metres=ride["metres"],
        deliver_at=wanted,
        placed_at=now,
        confirmed_at=start + 5 * MINUTE,
        preparing_at=start + 8 * MINUTE,
        riding_at=start + (8 + ride["prep_minutes"]) * MINUTE,
        promised_at=delivered,
        delivered_at=delivered,
        searched=folded(ride["name"], *(line["dish_name"] for line in lines)),
        **columns,
    )
    for position, line in enumerate(lines, 1):
        kept = {name: line[name] for name in ("dish_id", "option_ids", "quantity", "unit_cents")}
        world.insert("food_order_line", order_id=order_id, position=position, **kept)
    world.run("UPDATE basket SET state = 'ordered', updated_at = ? WHERE basket_id = ?", now, basket_id)
    world.run("UPDATE basket SET promo_code = NULL WHERE promo_code = ? AND state = 'open'", columns["promo_code"])
    return order_id


@tool(
    "destructive",
    refusals="invalid_argument order_not_found already_cancelled already_on_the_way already_delivered "
    "cancel_fee_applies",
    after="place_food_order",
    idempotent=True,
    unechoed={"max_fee": "a limit, which changes nothing but whether the call is refused"},
)
def cancel_food_order(
    world: World, order_id: OrderId, max_fee: Annotated[Money, Field(ge=0, le=1000)] = 0
) -> CancelledOrder:
    """Cancels a food order: free until the restaurant confirms, for half of the total until the courier has it. Refused
    when the fee is above max_fee.

    Args:
        order_id: order that is placed, confirmed or preparing
        max_fee: highest fee in USD that I accept, 0 to 1000, at most two decimals, default 0
    """
    order = world.find(ORDER, order_id)
    name, fee = f"the order from {order['restaurant_name']}", order["cancel_fee_now"]
    if order["stage"] == "cancelled":
        refuse("already_cancelled", f"{name} is cancelled already; nothing is left to do")
    if order["stage"] == "riding":
        refuse("already_on_the_way", f"{name} is on the way; it cannot be cancelled any more")
    if order["stage"] == "delivered":
        refuse("already_delivered", f"{name} is delivered; report_food_problem is for what went wrong")
    if fee > max_fee:
        costs = f"cancelling costs {dollars(fee)} USD now, more than max_fee {dollars(max_fee)}"
        refuse("cancel_fee_applies", f"{costs}; ask whether that is accepted")
    refund = 0 if order["pay_with"] == "cash" else order["total"] - fee
    world.update(ORDER, order_id, cancelled=1, cancelled_at=clock(world), cancel_fee_cents=fee)
    pay(world, order["pay_with"], -refund)
    return {"order_id": order_id, "stage": "cancelled", "fee_charged": fee, "refund_amount": refund}
