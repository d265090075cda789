"""Repetition rules: the part of RFC 5545 that the calendar offers, as text and as starts.

Covers: daily, weekly on weekdays, monthly and yearly rules with an interval; all starts of a rule inside a window,
without going through those before it. As in RFC 5545, weeks begin on Monday, and a month or year that lacks the day is
skipped. Does not cover: what was moved or cancelled (occurrences.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import MAXYEAR, UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple, get_args

from .results import Frequency, Weekday

WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)
PLACES: dict[str, int] = {weekday: place for place, weekday in enumerate(WEEKDAYS)}
FREQUENCIES: dict[str, Frequency] = {one.upper(): one for one in get_args(Frequency)}
MOST = 260
"""Occurrences of a series."""
MONTHS = {"monthly": 1, "yearly": 12}


class Rule(NamedTuple):
    """How a series repeats; `weekdays` count from Monday, 0, and are sorted."""

    frequency: Frequency
    interval: int
    weekdays: tuple[int, ...] = ()

    def shifted(self, days: int) -> Rule:
        """The same rule on weekdays that lie so many days later."""
        return self._replace(weekdays=tuple(sorted((weekday + days) % 7 for weekday in self.weekdays)))


def make_rule(frequency: Frequency, interval: int, weekdays: Sequence[Weekday] | None, first: datetime) -> Rule:
    """A rule as callers give it; a weekly one without weekdays repeats on that of its first start."""
    if frequency == "weekly" and not weekdays:
        weekdays = [WEEKDAYS[first.weekday()]]
    return Rule(frequency, interval, tuple(place for weekday, place in PLACES.items() if weekday in (weekdays or ())))


def rrule(rule: Rule, *, count: int | None = None, until: datetime | None = None) -> str:
    """A rule as RFC 5545 writes it; `until` is the last moment at which an occurrence may start."""
    parts = [f"FREQ={rule.frequency.upper()}", f"INTERVAL={rule.interval}"]
    if rule.weekdays:
        parts.append("BYDAY=" + ",".join(WEEKDAYS[weekday] for weekday in rule.weekdays))
    parts.append(f"COUNT={count}" if until is None else f"UNTIL={until.astimezone(UTC):%Y%m%dT%H%M%SZ}")
    return ";".join(parts)


def read_rule(text: str) -> Rule:
    """The rule that `rrule` wrote."""
    parts = dict([part.split("=") for part in text.split(";")])
    days = parts.get("BYDAY")
    weekdays = tuple([PLACES[one] for one in days.split(",")]) if days else ()
    return Rule(FREQUENCIES[parts["FREQ"]], int(parts["INTERVAL"]), weekdays)


def starts(rule: Rule, first: datetime, low: datetime, high: datetime) -> Iterator[datetime]:
    """The starts of a series that begins at `first`, in order, from `low` to before `high`."""
    found = _by_months(rule, first, low) if rule.frequency in MONTHS else _by_days(rule, first, low)
    for start in found:
        if start >= high:
            return
        if start >= low and start >= first:
            yield start


def first_starts(rule: Rule, first: datetime, number: int, high: datetime = datetime.max) -> list[datetime]:
    """The first starts of a series, those before `high`; fewer where the calendar ends before."""
    return list(islice(starts(rule, first, first, high.replace(tzinfo=first.tzinfo)), number))


def _by_days(rule: Rule, first: datetime, low: datetime) -> Iterator[datetime]:
    """All starts of a daily or weekly rule from the turn of `low` on, and some before `first`."""
    base, span, offsets = first, rule.interval, [timedelta()]
    if rule.frequency == "weekly":
        base, span = first - timedelta(days=first.weekday()), rule.interval * 7
        offsets = [timedelta(days=weekday) for weekday in rule.weekdays]
    step = timedelta(days=span)
    turn = base + step * max(0, (low - base) // step)
    try:
        while True:
            for offset in offsets:
                yield turn + offset
            turn += step
    except OverflowError:  # the calendar ends
        return


def _by_months(rule: Rule, first: datetime, low: datetime) -> Iterator[datetime]:
    """All starts of a monthly or yearly rule from the month of `low` on."""
    step = rule.interval * MONTHS[rule.frequency]
    origin = first.year * 12 + first.month - 1
    month = origin + max(0, (low.year * 12 + low.month - 1 - origin) // step) * step
    while month < (MAXYEAR + 1) * 12:
        with suppress(ValueError):  # this month has no such day
            yield first.replace(year=month // 12, month=month % 12 + 1)
        month += step
