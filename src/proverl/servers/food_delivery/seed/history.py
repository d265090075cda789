"""What the user has ordered so far, booked by the tools at moments of the past.

Covers: an order at every stage, delivered ones on both sides of every window (60 minutes, 48 hours, 7 days), some that
came late, two cancelled, ratings, complaints, and months of older orders. Does not cover: open baskets (wishes.py).

No two orders of one day are from restaurants of one name, for that is how people tell orders apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from proverl.world.domain import Builder

from ..results import PayWith, Problem
from ..rules import CASH_LIMIT, wallet
from ..tools.after_delivery import rate_food_order, report_food_problem
from ..tools.baskets import apply_meal_promo
from ..tools.orders import cancel_food_order, place_food_order
from .names import words
from .rows import City, Line, Ride, worth
from .wishes import fill_basket

DISH_PROBLEMS: tuple[Problem, ...] = ("missing", "wrong", "cold", "spilled")
TIPS = (0, 0, 0, 150, 200, 300, 400, 500)


@dataclass(frozen=True)
class Past:
    """An order: so many hours ago it was delivered, and what else became of it; `delay` and the like are minutes."""

    hours: tuple[float, float]
    delay: int = 0
    rated: bool = False
    reported: bool = False
    cancelled_after: int = 0
    promo: tuple[str, int] | None = None


@dataclass
class Diary:
    """The orders planned so far, and what the next ones must heed."""

    world: Builder
    city: City
    favourites: list[Ride]
    taken: set[tuple[str, date]] = field(default_factory=set)

    def free(self, ride: Ride, placed: datetime) -> bool:
        """Whether a restaurant is open then, and has no order of the user on that day."""
        opens, closes, name = (ride.restaurant[key] for key in ("open_from", "open_until", "name"))
        return opens <= placed.hour * 60 + placed.minute < closes and (name, placed.date()) not in self.taken

    def plan(self, ride: Ride, placed: datetime, past: Past) -> None:
        """Let an order be placed, and all that follows happen."""
        least = max(ride.restaurant["minimum_cents"], past.promo[1] if past.promo else 0)
        lines = self.city.draw_lines(self.world, ride.restaurant, least)
        self.taken.add((ride.restaurant["name"], placed.date()))
        self.world.plan(placed, _order, ride, lines, past)


def plan_orders(world: Builder, city: City, spent: list[tuple[str, int]]) -> None:
    """All orders of a new world; `spent` are promo codes that two of them use, with their minimums."""
    random = world.random
    liked = {ride.restaurant["name"] for ride in random.sample(city.rides, min(14, len(city.rides)))}
    diary = Diary(world, city, [ride for ride in city.rides if ride.restaurant["name"] in liked])
    for stage in ("placed", "confirmed", "preparing", "riding"):
        _plan_running(diary, stage)
    for past in _pasts(world, spent):
        _plan_past(diary, past)


def _pasts(world: Builder, spent: list[tuple[str, int]]) -> Iterator[Past]:
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
        delay, rated, reported = random.choice((0, 0, 0, 4, 11, 26)), random.random() < 0.5, random.random() < 0.1
        yield Past((200, 2800), delay=delay, rated=rated, reported=reported)


def _plan_running(diary: Diary, stage: str) -> None:
    """One order that is at this stage when the world opens."""
    rides = diary.city.rides
    for ride in diary.world.random.sample(rides, len(rides)):
        seconds = _seconds_ago(diary, stage, ride)
        placed = diary.world.opening - timedelta(seconds=seconds)
        if seconds and diary.free(ride, placed):
            diary.plan(ride, placed, Past((0, 0)))
            return
    raise AssertionError(f"no restaurant for an order that is {stage}")


def _seconds_ago(diary: Diary, stage: str, ride: Ride) -> int:
    """How long ago an order at this stage was placed; 0 if the ride is too short to be on the way."""
    kitchen = 8 + ride.restaurant["prep_minutes"]
    spans = {"placed": (1, 3), "confirmed": (5, 7), "preparing": (9, kitchen - 2)}
    first, last = spans.get(stage, (kitchen + 1, ride.minutes - 2))
    return diary.world.random.randrange(first * 60, last * 60) if first < last else 0


def _plan_past(diary: Diary, past: Past) -> None:
    random = diary.world.random
    for attempt in range(2000):
        ride = random.choice(diary.favourites if attempt < 100 and random.random() < 0.8 else diary.city.rides)
        age = timedelta(seconds=round(random.uniform(*past.hours) * 3600))
        placed = diary.world.opening - age - timedelta(minutes=ride.minutes + past.delay)
        if diary.free(ride, placed):
            diary.plan(ride, placed, past)
            return
    raise AssertionError(f"no restaurant for an order of {past.hours} hours ago")


# What happens


def _order(world: Builder, ride: Ride, lines: list[Line], past: Past) -> None:
    """Fill a basket, order it, and plan what follows."""
    random = world.random
    basket_id = fill_basket(world, lines)
    if past.promo:
        apply_meal_promo(world, basket_id, past.promo[0])
    tip = random.choice(TIPS)
    pay_with = _pay_with(world, ride, worth(lines) + ride.restaurant["fee_cents"] + tip)
    order_id = place_food_order(world, basket_id, ride.address_id, pay_with, tip)["order_id"]
    sql = "UPDATE food_order SET riding_at = riding_at + ?, delivered_at = delivered_at + ? WHERE order_id = ?"
    world.run(sql, past.delay * 60, past.delay * 60, order_id)
    came = world.now + timedelta(minutes=ride.minutes + past.delay)
    if past.cancelled_after:
        world.plan(world.now + timedelta(minutes=past.cancelled_after), cancel_food_order, order_id, 1000_00)
    if past.rated:
        comment = random.choice(words()["comments"]) if random.random() < 0.4 else None
        stars, courier = random.choice((2, 3, 4, 4, 5, 5)), random.choice((None, 4, 5, 5))
        world.plan(_between(world, came, 20), rate_food_order, order_id, stars, courier, comment)
    if past.reported:
        problem = random.choice(DISH_PROBLEMS)
        details = random.choice(words()["details"]) if random.random() < 0.5 else None
        dish_ids = [random.choice(lines).dish_id]
        world.plan(_between(world, came, 2), report_food_problem, order_id, problem, dish_ids, details)


def _between(world: Builder, came: datetime, hours: int) -> datetime:
    """A moment within so many hours of a delivery."""
    return came + timedelta(seconds=world.random.randrange(300, hours * 3600))


def _pay_with(world: Builder, ride: Ride, most: int) -> PayWith:
    """A way to pay an order of at most so many cents."""
    chance = world.random.random()
    if chance < 0.2:
        return "wallet" if most <= wallet(world) else "card"
    return "cash" if chance < 0.4 and ride.restaurant["accepts_cash"] and most <= CASH_LIMIT else "card"
