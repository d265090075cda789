"""What comes with and after delivery: tips, ratings, complaints and their compensation."""

from __future__ import annotations

from typing import Annotated

from proverl.world.domain import FREE, Field, Money, Row, World, dollars, refuse, shown, tool

from ..results import (
    CASE,
    DISH,
    ORDER,
    RESTAURANT,
    DishId,
    OrderId,
    Problem,
    ProblemCase,
    Rated,
    Tipped,
)
from ..rules import check_payment, clock, pay, trimmed, wallet

HIGHEST_TIP = 50_00
LATE = 20 * 60


@tool(
    "write",
    refusals="invalid_argument order_not_found order_cancelled tip_window_closed tip_not_raised tip_too_high "
    "payment_not_possible",
    after="place_food_order",
    idempotent=True,
)
def tip_food_courier(world: World, order_id: OrderId, tip_amount: Money) -> Tipped:
    """Sets the courier's tip on an order to an amount in USD, until 60 minutes after delivery. It can be raised only,
    and is paid the way the order was: a cash order stays within 60 USD in all.

    Args:
        order_id: order from list_food_orders
        tip_amount: USD in all, above the present tip, at most 50
    """
    order = world.find(ORDER, order_id)
    name, rise = f"the order from {order['restaurant_name']}", tip_amount - order["tip"]
    if order["stage"] == "cancelled":
        refuse("order_cancelled", f"{name} was cancelled; there is no courier to tip")
    elif not order["tip_open"]:
        refuse("tip_window_closed", f"{name} came at {order['delivered_at']}; tips end 60 minutes after delivery")
    if rise <= 0:
        held = f"tip_amount {dollars(tip_amount)} is not above the present tip of {dollars(order['tip'])} USD"
        refuse("tip_not_raised", f"{held}; give a higher one")
    if tip_amount > HIGHEST_TIP:
        most = dollars(HIGHEST_TIP)
        refuse("tip_too_high", f"tip_amount {dollars(tip_amount)} is above {most} USD; give at most that")
    check_payment(world, order["pay_with"], order["total"] + rise, rise)
    pay(world, order["pay_with"], rise)
    world.update(ORDER, order_id, tip_cents=tip_amount)
    return shown(Tipped, world.find(ORDER, order_id))


@tool(
    "write",
    refusals="order_not_found not_delivered already_rated rating_window_closed stars_out_of_range",
    idempotent=True,
)
def rate_food_order(
    world: World,
    order_id: OrderId,
    restaurant_stars: int,
    courier_stars: int | None = None,
    comment: Annotated[str | None, Field(max_length=300), FREE] = None,
) -> Rated:
    """Rates a delivered order with 1 to 5 stars for the restaurant and, if wanted, the courier. Once per order, within
    7 days.

    Args:
        order_id: delivered order, not rated yet
        restaurant_stars: 1 to 5
        courier_stars: 1 to 5
        comment: up to 300 characters
    """
    order = world.find(ORDER, order_id)
    name = f"the order from {order['restaurant_name']}"
    if order["stage"] != "delivered":
        refuse("not_delivered", f"{name} is {order['stage']}; only delivered orders can be rated")
    if order["rated"]:
        refuse("already_rated", f"{name} is rated already; an order is rated once")
    if order["stage"] == "delivered" and not order["rating_open"]:
        refuse("rating_window_closed", f"{name} came at {order['delivered_at']}; ratings end 7 days after that")
    for argument, stars in (("restaurant_stars", restaurant_stars), ("courier_stars", courier_stars)):
        if stars is not None and not 1 <= stars <= 5:
            refuse("stars_out_of_range", f"{argument} {stars} must be from 1 to 5; ask the user for another number")
    world.insert(
        "order_rating",
        order_id=order_id,
        restaurant_stars=restaurant_stars,
        courier_stars=courier_stars,
        comment=trimmed(comment),
    )
    sql = "UPDATE restaurant SET stars = stars + ?, ratings = ratings + 1 WHERE restaurant_id = ?"
    world.run(sql, restaurant_stars, order["restaurant_id"])
    rating = world.find(RESTAURANT, order["restaurant_id"])["rating"]
    return shown(Rated, order, restaurant_stars=restaurant_stars, restaurant_rating=rating)


@tool(
    "write",
    refusals="order_not_found dish_not_found not_delivered report_window_closed already_reported dish_needed "
    "dish_not_in_order problem_not_accepted",
    after="track_food_order",
    idempotent=True,
)
def report_food_problem(
    world: World,
    order_id: OrderId,
    problem: Problem,
    dish_ids: Annotated[list[DishId] | None, Field(max_length=20, json_schema_extra={"uniqueItems": True})] = None,
    details: Annotated[str | None, Field(max_length=300), FREE] = None,
) -> ProblemCase:
    """Reports what went wrong with a delivered order within 48 hours and decides the compensation at once, paid into
    the app wallet in USD.

    Args:
        order_id: delivered order without a report
        problem: what went wrong (missing, wrong, cold, spilled, late)
        dish_ids: dishes concerned, from track_food_order; needed for all problems but late; up to 20
        details: up to 300 characters
    """
    order = world.find(ORDER, order_id)
    dishes = [world.find(DISH, dish_id) for dish_id in sorted(dish_ids or [])]
    name, stage = f"the order from {order['restaurant_name']}", order["stage"]
    if stage != "delivered":
        refuse("not_delivered", f"{name} is {stage}; problems are reported after delivery")
    if stage == "delivered" and not order["report_open"]:
        refuse("report_window_closed", f"{name} came at {order['delivered_at']}; reports end 48 hours after that")
    if order["case_id"] is not None:
        refuse("already_reported", f"{name} has the case {order['case_id']} already; one report per order")
    amount = compensation(world, order, problem, dishes)
    case_id = world.add(
        CASE,
        order_id=order_id,
        problem=problem,
        details=trimmed(details),
        compensation_cents=amount,
        reported_at=clock(world),
    )
    for dish in dishes:
        world.insert("problem_dish", case_id=case_id, dish_id=dish["dish_id"])
    pay(world, "wallet", -amount)
    return {"case_id": case_id, "order_id": order_id, "compensation": amount, "wallet_balance": wallet(world)}


def compensation(world: World, order: Row, problem: Problem, dishes: list[Row]) -> int:
    """The price of the dishes, half of it, or the delivery fee, in cents.

    Refuses dish_needed, dish_not_in_order, problem_not_accepted.
    """
    sql = "SELECT dish_id, sum(line_price) AS price FROM order_line_now WHERE order_id = ? GROUP BY dish_id"
    prices = {row["dish_id"]: int(row["price"]) for row in world.all(sql, order["order_id"])}
    if problem != "late" and not dishes:
        refuse("dish_needed", f"a problem of the kind {problem!r} needs dish_ids; see track_food_order")
    for dish in dishes:
        if dish["dish_id"] not in prices:
            refuse("dish_not_in_order", f"the dish {dish['dish_id']!r} is not in this order; see track_food_order")
    if problem == "late" and order["late_by"] <= LATE:
        late = f"the order came {max(0, order['late_by']) // 60} minutes after the promised time"
        refuse("problem_not_accepted", f"{late}; compensation for problem 'late' begins above {LATE // 60} minutes")
    if problem == "late":
        return int(order["fee_cents"])
    price = sum(prices.get(dish["dish_id"], 0) for dish in dishes)
    return price if problem in ("missing", "wrong") else price // 2
