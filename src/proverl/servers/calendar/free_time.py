"""Free time: when people work, when they are busy, and when all of them could meet.

Covers: merging stretches of time, working windows in a person's own zone, the quarter hours at which a meeting fits.
Does not cover: which events take a person's time (schema.sql, busy_event) and when they take place (occurrences.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time, timedelta, timezone

from .occurrences import Interval

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
QUARTER = timedelta(minutes=15)


def merged(busy: Iterable[Interval], low: datetime, high: datetime) -> list[Interval]:
    """The stretches that are covered inside a window, those that overlap or touch made one."""
    found: list[Interval] = []
    for start, end in sorted((max(start, low), min(end, high)) for start, end in busy):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        elif start < end:
            found.append((start, end))
    return found


def working_times(hours: str, zone: timezone, low: datetime, high: datetime) -> list[Interval]:
    """The working times inside a window of somebody with hours such as `09:00-17:00 Mon-Fri` in a zone."""
    span, _, week = hours.partition(" ")
    begins, ends = (time.fromisoformat(one) for one in span.split("-"))
    first, last = (DAYS.index(one) for one in week.split("-"))
    day = low.astimezone(zone).date()
    found = []
    while (start := datetime.combine(day, begins, zone)) < high:
        end = datetime.combine(day, ends, zone)
        if first <= day.weekday() <= last and end > low:
            found.append((max(start, low), min(end, high)))
        day += timedelta(days=1)
    return found


def both(one: Sequence[Interval], other: Sequence[Interval]) -> list[Interval]:
    """What lies in a stretch of the one and in a stretch of the other."""
    found = []
    left, right = 0, 0
    while left < len(one) and right < len(other):
        start, end = max(one[left][0], other[right][0]), min(one[left][1], other[right][1])
        if start < end:
            found.append((start, end))
        if one[left][1] < other[right][1]:
            left += 1
        else:
            right += 1
    return found


def gaps(busy: Sequence[Interval], low: datetime, high: datetime) -> list[Interval]:
    """What is left of a window between merged stretches."""
    edges = [low, *(edge for stretch in busy for edge in stretch), high]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]


def quarter_hours(free: Iterable[Interval], length: timedelta, offset: timezone) -> Iterator[Interval]:
    """Every stretch of a length that starts on a quarter hour and lies in a free one."""
    for low, high in free:
        start = low.astimezone(offset)
        start += (start.replace(minute=0, second=0, microsecond=0) - start) % QUARTER
        while start + length <= high:
            yield start, start + length
            start += QUARTER
