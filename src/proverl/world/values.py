"""Money and time as tools speak them.

Covers: dollars at the surface and cents inside, ISO 8601 dates and times. Does not cover: anything about one domain.
Each function that reads a caller's value refuses with the code the tool names.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta, timezone

from ..errors import Refused

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")  # date.fromisoformat reads weeks (2031-W01-1) as well


def dollars(cents: int) -> float:
    """An amount of cents in dollars, with at most two decimals."""
    return cents / 100


def cents(amount: float, name: str = "amount", *, least: int = 1) -> int:
    """A caller's dollars in cents.

    Raises:
        Refused: invalid_argument, for more than two decimals or less than `least` cents
    """
    exact = amount * 100
    whole = round(exact)
    if not math.isclose(exact, whole, rel_tol=4e-16, abs_tol=1e-6) or whole < least:
        floor = f"at least {least / 100:.2f}" if least > 1 else ("greater than 0" if least else "0 or more")
        raise Refused("invalid_argument", f"{name} {amount} must be {floor}, with at most two decimals")
    return whole


def parse_date(text: str, name: str, code: str = "invalid_argument") -> date:
    """A caller's day; refuses with `code` what is not written YYYY-MM-DD."""
    try:
        if DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise Refused(code, f"{name} {text!r} is not a day; write it as YYYY-MM-DD, such as 2031-05-14")


def parse_time(text: str, name: str, offset: timezone, code: str = "invalid_argument") -> datetime:
    """A caller's moment in the world's local time; without an offset it is taken as local already."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(code, f"{name} {text!r} is not an ISO 8601 time, such as 2031-05-14T16:00:00") from None
    try:
        return moment.replace(tzinfo=offset) if moment.tzinfo is None else moment.astimezone(offset)
    except OverflowError:
        raise Refused(code, f"{name} {text!r} lies outside the calendar") from None


def iso(moment: datetime) -> str:
    """A moment as tools print it: ISO 8601 with seconds and offset."""
    return moment.isoformat(timespec="seconds")


def day(moment: datetime | date) -> str:
    """A day as tools print it: YYYY-MM-DD."""
    return (moment.date() if isinstance(moment, datetime) else moment).isoformat()


def days(number: int) -> timedelta:
    """A span of days."""
    return timedelta(days=number)
