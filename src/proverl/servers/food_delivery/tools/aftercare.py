"""Tools for what comes with and after delivery: tips, ratings, complaints.

Covers: the windows in which each is possible, and the compensation. Does not cover: the stages themselves
(lifecycle.py).
"""

from __future__ import annotations

import json
from typing import Annotated, Literal

from ....world.server import FREE, Field, Refused, World, tool
from ....world.state import Row
from ....world.values import cents, dollars
from .. import lifecycle, lookup
from ..results import DishId, OrderId, ProblemCase, Rated, Tipped

HIGHEST_TIP = 50

Problem = Literal["missing", "wrong", "cold", "spilled", "late"]


@tool(
    "write",
    refusals=[
        "invalid_argument",
        "order_not_found",
        "order_cancelled",
        "tip_window_closed",
        "tip_not_raised",
        "tip_too_high",
        "payment_not_possible",
    ],
    after=["place_food_order"],
)
def tip_food_courier(world: World, order_id: OrderId, tip_amount: float) -> Tipped:
    """Sets the courier's tip on an order to an amount in USD, until 60 minutes after delivery. It can be raised only,
    and is paid the way the order was.

    Args:
        order_id: order from list_food_orders
        tip_amount: USD in all, above the present tip, at most 50
    """
    # Beyond 1000 dollars only the sign matters, and cents of such a number may not be a whole number.
    tip = cents(max(-1000.0, min(tip_amount, 1000.0)), "tip_amount", least=-100_000)
    order = lookup.order(world, order_id)
    held, name = order["tip_cents"], order["restaurant_name"]
    if order["stage"] == "cancelled":
        raise Refused("order_cancelled", f"the order from {name} was cancelled; there is no courier to tip")
    if not lifecycle.can_tip(order):
        came = lifecycle.moment(order["delivered_at"], world.offset)
        raise Refused("tip_window_closed", f"the order from {name} came at {came}; tips end 60 minutes after delivery")
    if tip <= held:
        raise Refused(
            "tip_not_raised", f"tip_amount {tip_amount} is not above the present tip of {dollars(held):.2f} USD"
        )
    if tip > HIGHEST_TIP * 100:
        raise Refused("tip_too_high", f"tip_amount {tip_amount} is above {HIGHEST_TIP} USD; give at most that")
    if order["pay_with"] == "wallet":
        _pay(world, tip - held)
    world.update("food_order", order_id, tip_cents=tip)
    return {
        "order_id": order_id,
        "courier_name": order["courier_name"] if order["stage"] in ("riding", "delivered") else None,
        "tip": dollars(tip),
        "total": dollars(order["total_cents"] + tip - held),
    }


def _pay(world: World, amount: int) -> None:
    """Take money out of the wallet."""
    held = lookup.wallet(world)
    if amount > held:
        raise Refused(
            "payment_not_possible",
            f"the order was paid by wallet, which holds {dollars(held):.2f} USD, less than the {dollars(amount):.2f}"
            " USD that the tip rises by; give a lower tip",
        )
    world.update("account", 1, wallet_cents=held - amount)


@tool(
    "write",
    refusals=["order_not_found", "not_delivered", "already_rated", "rating_window_closed", "stars_out_of_range"],
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
    order = lookup.order(world, order_id)
    name = order["restaurant_name"]
    if order["stage"] != "delivered":
        raise Refused("not_delivered", f"the order from {name} is {order['stage']}; only delivered orders can be rated")
    if world.value("SELECT 1 FROM order_rating WHERE order_id = ?", order_id):
        raise Refused("already_rated", f"the order from {name} is rated already; an order is rated once")
    if not lifecycle.can_rate(order):
        came = lifecycle.moment(order["delivered_at"], world.offset)
        raise Refused("rating_window_closed", f"the order from {name} came at {came}; ratings end 7 days after that")
    for argument, stars in (("restaurant_stars", restaurant_stars), ("courier_stars", courier_stars)):
        if stars is not None and not 1 <= stars <= 5:
            raise Refused("stars_out_of_range", f"{argument} {stars} must be from 1 to 5")
    world.insert(
        "order_rating",
        order_id=order_id,
        restaurant_stars=restaurant_stars,
        courier_stars=courier_stars,
        comment=(comment or "").strip() or None,
    )
    world.run(
        "UPDATE restaurant SET stars = stars + ?, ratings = ratings + 1 WHERE restaurant_id = ?",
        restaurant_stars,
        order["restaurant_id"],
    )
    rating = world.value(
        "SELECT round(1.0 * stars / ratings, 1) FROM restaurant WHERE restaurant_id = ?", order["restaurant_id"]
    )
    return {
        "order_id": order_id,
        "restaurant_name": name,
        "restaurant_stars": restaurant_stars,
        "restaurant_rating": rating,
    }


@tool(
    "write",
    refusals=[
        "order_not_found",
        "dish_not_found",
        "not_delivered",
        "report_window_closed",
        "already_reported",
        "dish_needed",
        "dish_not_in_order",
        "problem_not_accepted",
    ],
    after=["track_food_order"],
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
        dish_ids: dishes concerned, from track_food_order; needed for all problems but late
        details: up to 300 characters
    """
    order = lookup.order(world, order_id)
    dishes = sorted(set(dish_ids or []))
    _check_dishes_exist(world, dishes)
    name = order["restaurant_name"]
    if order["stage"] != "delivered":
        raise Refused(
            "not_delivered", f"the order from {name} is {order['stage']}; problems are reported after delivery"
        )
    if not lifecycle.can_report(order):
        came = lifecycle.moment(order["delivered_at"], world.offset)
        raise Refused("report_window_closed", f"the order from {name} came at {came}; reports end 48 hours after that")
    case = world.value("SELECT case_id FROM problem_case WHERE order_id = ?", order_id)
    if case is not None:
        raise Refused("already_reported", f"the order from {name} has the case {case} already; one report per order")
    amount = _compensation(world, order, problem, dishes)
    case_id = world.new_id("case")
    world.insert(
        "problem_case",
        case_id=case_id,
        order_id=order_id,
        problem=problem,
        details=(details or "").strip() or None,
        compensation_cents=amount,
        reported_at=order["now"],
    )
    for dish_id in dishes:
        world.insert("problem_dish", case_id=case_id, dish_id=dish_id)
    balance = lookup.wallet(world) + amount
    world.update("account", 1, wallet_cents=balance)
    return {
        "case_id": case_id,
        "order_id": order_id,
        "compensation": dollars(amount),
        "wallet_balance": dollars(balance),
    }


def _check_dishes_exist(world: World, dishes: list[str]) -> None:
    found = world.all(
        "SELECT dish_id FROM dish WHERE dish_id IN (SELECT value FROM json_each(?)) ORDER BY 1", json.dumps(dishes)
    )
    unknown = sorted(set(dishes) - {row["dish_id"] for row in found})
    if unknown:
        raise Refused("dish_not_found", f"no dish {unknown[0]!r}; track_food_order shows the dishes of an order")


def _compensation(world: World, order: Row, problem: Problem, dishes: list[str]) -> int:
    """What a problem gives back, in cents: the price of the dishes, half of it, or the delivery fee."""
    prices = {
        row["dish_id"]: int(row["cents"])
        for row in world.all(
            "SELECT dish_id, sum(quantity * unit_cents) AS cents FROM food_order_line WHERE order_id = ?"
            " GROUP BY dish_id ORDER BY dish_id",
            order["order_id"],
        )
    }
    if problem != "late" and not dishes:
        raise Refused("dish_needed", f"a problem of the kind {problem!r} needs dish_ids; see track_food_order")
    strange = [dish_id for dish_id in dishes if dish_id not in prices]
    if strange:
        raise Refused("dish_not_in_order", f"the dish {strange[0]!r} is not in this order; see track_food_order")
    if problem == "late":
        late = order["delivered_at"] - order["promised_at"]
        if late <= lifecycle.LATE:
            raise Refused(
                "problem_not_accepted",
                f"the order came {max(0, late) // 60} minutes after the promised time; compensation for problem 'late'"
                " begins above 20 minutes",
            )
        return int(order["fee_cents"])
    price = sum(prices[dish_id] for dish_id in dishes)
    return price if problem in ("missing", "wrong") else price // 2
