"""The life of an order: placed, confirmed, preparing, riding, delivered, or cancelled on the way.

Covers: when each stage begins, until when what can be done, what cancelling costs. The stage itself is worked out on
reading, by the view `food_order_now` of schema.sql from the moments planned here. Does not cover: who may do what and
how it is refused (tools/).

Moments are seconds as in the world's clock, money is cents.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

from ...world.state import Row
from ...world.values import iso
from ...world.world import EPOCH

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR

CONFIRMED_AFTER = 5 * MINUTE
PREPARING_AFTER = 8 * MINUTE
RIDE_PER_KM = 4 * MINUTE

SOONEST_DELIVERY = 45 * MINUTE
LATEST_DELIVERY = 24 * HOUR
TIP_WINDOW = 60 * MINUTE
RATING_WINDOW = 7 * DAY
REPORT_WINDOW = 48 * HOUR
LATE = 20 * MINUTE


class Plan(NamedTuple):
    """When the stages of an order begin."""

    confirmed_at: int
    preparing_at: int
    riding_at: int
    delivered_at: int


def delivery_minutes(prep_minutes: int, metres: int) -> int:
    """Minutes from placing an order to the door."""
    return (PREPARING_AFTER + ride(metres)) // MINUTE + prep_minutes


def ride(metres: int) -> int:
    """Seconds that a courier takes for a distance; whole minutes, for distances come in quarters of a kilometre."""
    return metres * RIDE_PER_KM // 1000


def plan(placed_at: int, prep_minutes: int, metres: int, deliver_at: int | None = None) -> Plan:
    """The stages of an order, counted from placing it, or back from the moment for which it is wanted.

    Kitchens and radii are such that everything takes at most SOONEST_DELIVERY, so counting back never leads to before
    the order was placed.
    """
    start = placed_at if deliver_at is None else deliver_at - delivery_minutes(prep_minutes, metres) * MINUTE
    riding_at = start + PREPARING_AFTER + prep_minutes * MINUTE
    return Plan(start + CONFIRMED_AFTER, start + PREPARING_AFTER, riding_at, riding_at + ride(metres))


def cancel_fee(order: Row) -> int | None:
    """What cancelling an order costs now in cents; None if it is not possible any more."""
    if order["stage"] == "placed":
        return 0
    if order["stage"] in ("confirmed", "preparing"):
        return int(order["total_cents"]) // 2
    return None


def stage_since(order: Row) -> int:
    """When the present stage of an order began."""
    moment: int = order[f"{order['stage']}_at"]
    return moment


def can_tip(order: Row) -> bool:
    """Whether the courier of an order can still be tipped."""
    return bool(order["stage"] != "cancelled" and order["now"] <= order["delivered_at"] + TIP_WINDOW)


def can_rate(order: Row) -> bool:
    """Whether a delivered order is young enough to be rated; whether it is rated already is not looked at."""
    return bool(order["stage"] == "delivered" and order["now"] <= order["delivered_at"] + RATING_WINDOW)


def can_report(order: Row) -> bool:
    """Whether a delivered order is young enough for a complaint; whether there is one already is not looked at."""
    return bool(order["stage"] == "delivered" and order["now"] <= order["delivered_at"] + REPORT_WINDOW)


def seconds(moment: datetime) -> int:
    """A moment of the world as its clock counts it."""
    return round((moment.replace(tzinfo=None) - EPOCH).total_seconds())


def moment(clock: int, offset: timezone) -> str:
    """Seconds of the world's clock as tools print them."""
    day, second = divmod(clock, DAY)
    date, zone = _midnight(day, offset)
    return f"{date}{second // HOUR:02d}:{second % HOUR // MINUTE:02d}:{second % MINUTE:02d}{zone}"


@lru_cache(maxsize=4096)
def _midnight(day: int, offset: timezone) -> tuple[str, str]:
    """What stands before and after the time of the day; a page of orders prints 40 moments of few days."""
    text = iso((EPOCH + timedelta(days=day)).replace(tzinfo=offset))
    return text[:11], text[19:]


def minute_of_day(clock: int) -> int:
    """The minute of the day, from 0 to 1439."""
    return clock % DAY // MINUTE


def is_open(restaurant: Row, clock: int) -> bool:
    """Whether a restaurant takes orders at a moment."""
    return bool(restaurant["open_from"] <= minute_of_day(clock) < restaurant["open_until"])
