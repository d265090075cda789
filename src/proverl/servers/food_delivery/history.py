"""What the user of a new world has ordered so far.

Covers: an order at every stage, delivered ones on both sides of every window (60 minutes, 48 hours, 7 days), one that
came late, two cancelled, ratings, a complaint, and months of older orders. Does not cover: open baskets (wishes.py).

No two orders of one day are from restaurants of one name, for that is how people tell orders apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...world.state import Row
from ...world.world import Builder
from . import city as names
from . import lifecycle, promos
from .lifecycle import DAY, HOUR, MINUTE
from .places import City, Line, Ride, draw_lines


@dataclass
class Past:
    """An order of the past: between so many hours ago it was delivered, and what else became of it."""

    hours: tuple[float, float]
    delay: int = 0
    rated: bool = False
    reported: bool = False
    cancelled_after: int = 0
    promo: Row | None = None


@dataclass
class Ledger:
    """The orders written so far, and what the next ones must heed."""

    world: Builder
    clock: int
    rides: list[Ride]
    favourites: list[Ride]
    taken: set[tuple[str, int]] = field(default_factory=set)


def fill_history(world: Builder, city: City, spent: list[Row]) -> None:
    """All orders of a new world, and the wallet; `spent` are promo codes that two of them used."""
    random = world.random
    couriers = random.sample(names.COURIERS, random.randrange(8, 13))
    world.insert_all("courier", [{"courier_id": number + 1, "name": name} for number, name in enumerate(couriers)])
    world.insert("account", account_id=1, wallet_cents=random.randrange(40, 950) * 10)
    rides = city.rides()
    liked = {ride.restaurant.name for ride in random.sample(rides, min(14, len(rides)))}
    favourites = [ride for ride in rides if ride.restaurant.name in liked]
    ledger = Ledger(world, lifecycle.seconds(world.now), rides, favourites)
    _running_orders(ledger, len(couriers))
    for past in _pasts(world, spent):
        _past_order(ledger, past, len(couriers))


def _pasts(world: Builder, spent: list[Row]) -> Iterator[Past]:
    """What the past holds, from the newest order to the oldest."""
    random = world.random
    yield Past((0.3, 0.8))
    yield Past((18, 28))
    yield Past((24, 40), delay=random.randrange(24, 48))
    yield Past((26, 46), rated=True, reported=True)
    yield Past((40, 47.5), rated=random.random() < 0.5)
    yield Past((49, 62))
    yield Past((60, 160), rated=True)
    for _ in range(random.randrange(1, 4)):
        yield Past((60, 165), delay=random.choice((0, 0, 5, 30)))
    yield Past((169, 210))
    yield Past((100, 900), cancelled_after=random.randrange(1, 5))
    yield Past((100, 900), cancelled_after=random.randrange(6, 16))
    for promo in spent:
        yield Past((200, 500), rated=random.random() < 0.5, promo=promo)
    for _ in range(random.randrange(14, 25)):
        yield Past(
            (200, 2800),
            delay=random.choice((0, 0, 0, 4, 11, 26)),
            rated=random.random() < 0.5,
            reported=random.random() < 0.1,
        )


def _running_orders(ledger: Ledger, couriers: int) -> None:
    """One order just placed, one confirmed, one being prepared, one on the way."""
    random = ledger.world.random
    for stage in ("placed", "confirmed", "preparing", "riding"):
        for ride in random.sample(ledger.rides, len(ledger.rides)):
            minutes = _minutes_ago(ledger, stage, ride)
            placed_at = ledger.clock - minutes * MINUTE
            if minutes and _free(ledger, ride, placed_at):
                lines = draw_lines(random, ride.restaurant, ride.restaurant.minimum_cents)
                _insert_order(ledger, ride, placed_at, lines, Past((0, 0)), couriers)
                break
        else:
            raise AssertionError(f"no restaurant for an order that is {stage}")


def _minutes_ago(ledger: Ledger, stage: str, ride: Ride) -> int:
    """How long ago an order at this stage was placed; 0 if the ride is too short to be on the way."""
    random = ledger.world.random
    if stage == "placed":
        return random.randrange(1, 3)
    if stage == "confirmed":
        return random.randrange(5, 7)
    if stage == "preparing":
        return random.randrange(9, 8 + ride.restaurant.prep_minutes - 2)
    minutes = lifecycle.ride(ride.metres) // MINUTE
    return 8 + ride.restaurant.prep_minutes + random.randrange(1, minutes - 2) if minutes >= 4 else 0


def _free(ledger: Ledger, ride: Ride, placed_at: int) -> bool:
    """Whether a restaurant was open then, and had no order of the user on that day."""
    opens, closes = ride.restaurant.hours
    open_then = opens <= lifecycle.minute_of_day(placed_at) < closes
    return open_then and (ride.restaurant.name, placed_at // DAY) not in ledger.taken


def _past_order(ledger: Ledger, past: Past, couriers: int) -> None:
    random = ledger.world.random
    for attempt in range(2000):
        ride = random.choice(ledger.favourites if attempt < 100 and random.random() < 0.8 else ledger.rides)
        age = round(random.uniform(*past.hours) * HOUR)
        takes = lifecycle.delivery_minutes(ride.restaurant.prep_minutes, ride.metres) + past.delay
        placed_at = (ledger.clock - age - takes * MINUTE) // MINUTE * MINUTE
        if _free(ledger, ride, placed_at):
            least = max(ride.restaurant.minimum_cents, past.promo["minimum_cents"] if past.promo else 0)
            _insert_order(ledger, ride, placed_at, draw_lines(random, ride.restaurant, least), past, couriers)
            return
    raise AssertionError(f"no restaurant for an order of {past.hours} hours ago")


def _insert_order(ledger: Ledger, ride: Ride, placed_at: int, lines: list[Line], past: Past, couriers: int) -> None:
    world, random = ledger.world, ledger.world.random
    restaurant = ride.restaurant
    ledger.taken.add((restaurant.name, placed_at // DAY))
    plan = lifecycle.plan(placed_at, restaurant.prep_minutes, ride.metres)
    items = sum(line.cents for line in lines)
    discount = promos.taken_off(past.promo, items) if past.promo else 0
    tip = random.choice((0, 0, 0, 150, 200, 300, 400, 500))
    total = items + restaurant.fee_cents + tip - discount
    order_id = world.new_id("ford")
    world.insert(
        "food_order",
        order_id=order_id,
        restaurant_id=restaurant.restaurant_id,
        dropoff_address_id=ride.address.address_id,
        courier_id=random.randrange(couriers) + 1,
        pay_with=_pay_with(ledger, restaurant.accepts_cash and total <= 6000),
        items_cents=items,
        fee_cents=restaurant.fee_cents,
        discount_cents=discount,
        tip_cents=tip,
        promo_code=past.promo["code"] if past.promo else None,
        metres=ride.metres,
        placed_at=placed_at,
        confirmed_at=plan.confirmed_at,
        preparing_at=plan.preparing_at,
        riding_at=plan.riding_at + past.delay * MINUTE,
        promised_at=plan.delivered_at,
        delivered_at=plan.delivered_at + past.delay * MINUTE,
        cancelled=past.cancelled_after > 0,
        cancelled_at=placed_at + past.cancelled_after * MINUTE if past.cancelled_after else None,
        cancel_fee_cents=_fee(past.cancelled_after, total),
    )
    world.insert_all(
        "food_order_line",
        [
            {
                "order_id": order_id,
                "position": number + 1,
                "dish_id": line.dish.dish_id,
                "option_ids": line.option_ids,
                "quantity": line.quantity,
                "unit_cents": line.unit_cents,
            }
            for number, line in enumerate(lines)
        ],
    )
    _aftermath(ledger, order_id, plan.delivered_at, lines, past)


def _fee(cancelled_after: int, total: int) -> int | None:
    """What cancelling an order after so many minutes cost; None for one that was not cancelled."""
    if not cancelled_after:
        return None
    return 0 if cancelled_after * MINUTE < lifecycle.CONFIRMED_AFTER else total // 2


def _pay_with(ledger: Ledger, cash: bool) -> str:
    chance = ledger.world.random.random()
    if chance < 0.25:
        return "wallet"
    return "cash" if cash and chance < 0.4 else "card"


def _aftermath(ledger: Ledger, order_id: str, delivered_at: int, lines: list[Line], past: Past) -> None:
    """The rating and the complaint of an order; the restaurant's average holds the stars already."""
    world, random = ledger.world, ledger.world.random
    if past.rated:
        world.insert(
            "order_rating",
            order_id=order_id,
            restaurant_stars=random.choice((2, 3, 4, 4, 5, 5)),
            courier_stars=random.choice((None, 4, 5, 5)),
            comment=random.choice(names.COMMENTS) if random.random() < 0.4 else None,
        )
    if past.reported:
        line = random.choice(lines)
        problem = random.choice(("missing", "wrong", "cold", "spilled"))
        case_id = world.new_id("case")
        world.insert(
            "problem_case",
            case_id=case_id,
            order_id=order_id,
            problem=problem,
            compensation_cents=line.cents if problem in ("missing", "wrong") else line.cents // 2,
            reported_at=delivered_at + random.randrange(5, 90) * MINUTE,
        )
        world.insert("problem_dish", case_id=case_id, dish_id=line.dish.dish_id)
