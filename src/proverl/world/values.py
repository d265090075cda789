"""Money and time as tools speak them.

Covers: dollars at the surface and cents inside, ISO 8601 days and moments, and the checks of a caller's values that
JSON Schema cannot make. Does not cover: anything about one domain.

Each check refuses with the code that the tool names, and returns what the text means.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone

from .refusals import note

# Python's own readers take more than one could say in a description: weeks (2031-W01-1), any letter for the T, +05:60.
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MOMENT = re.compile(DAY.pattern + r"(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-5][0-9])?)?")


def dollars(cents: int) -> str:
    """An amount of cents as messages write it: 1234.50."""
    return f"{cents / 100:.2f}"


def cents(amount: float, name: str = "amount", code: str = "invalid_argument") -> int:
    """A caller's dollars in cents; refuses with `code` what has more than two decimals."""
    whole = round(amount * 100)
    if whole / 100 != amount:
        note(code, f"{name} {amount!r} has more than two decimals; give dollars and cents, such as {whole / 100:.2f}")
    return whole


def check_day(text: str, name: str, code: str = "invalid_argument") -> date:
    """A caller's day; refuses with `code` what is not written YYYY-MM-DD."""
    try:
        if DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    note(code, f"{name} {text!r} is not a day; write it as YYYY-MM-DD, such as 2031-05-14")
    return date.max


def check_period(
    first: str | None, last: str | None, code: str, names: tuple[str, str] = ("date_from", "date_to")
) -> None:
    """Refuse with `code` what are no days, and a last day before the first; either may be left out."""
    days = [check_day(text, name, code) for text, name in zip((first, last), names, strict=True) if text is not None]
    if len(days) == len(names) and days[1] < days[0]:
        note(code, f"{names[1]} {last!r} lies before {names[0]} {first!r}; swap them")


def check_moment(text: str, name: str, offset: timezone, code: str = "invalid_argument") -> datetime:
    """A caller's moment in the world's local time; without an offset it is taken as local already, a day as its start.

    Refuses with `code` what is not ISO 8601 with dashes and colons, such as 2031-05-14T16:00 or 2031-05-14T16:00:00Z.
    """
    try:
        moment = datetime.fromisoformat(text if MOMENT.fullmatch(text) else "")
        return moment.replace(tzinfo=offset) if moment.tzinfo is None else moment.astimezone(offset)
    except ValueError:
        note(code, f"{name} {text!r} is not an ISO 8601 time, such as 2031-05-14T16:00:00")
    except OverflowError:
        note(code, f"{name} {text!r} lies outside the calendar")
    return datetime.max.replace(tzinfo=offset)


def iso(moment: datetime) -> str:
    """A moment as tools print it: ISO 8601 with seconds and offset."""
    return moment.isoformat(timespec="seconds")


def day(moment: datetime | date) -> str:
    """A day as tools print it: YYYY-MM-DD."""
    return (moment.date() if isinstance(moment, datetime) else moment).isoformat()


def days(number: int) -> timedelta:
    """A span of days."""
    return timedelta(days=number)
