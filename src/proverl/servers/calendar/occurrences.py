"""Occurrences: when events take place, with what was moved and cancelled applied.

Covers: expanding one event or all events of a window, what overlaps what, changing single occurrences. A single event
has one occurrence, its start. Does not cover: the rule alone (recurrence.py), parts of a series (scopes.py) and whether
a change is allowed (rules.py).
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from proverl.world.domain import Condition, Entity, Row, World, iso

from .recurrence import read_rule, starts
from .results import Span, State

LONGEST = timedelta(minutes=1440)
EARLIEST = datetime(2, 1, 1, tzinfo=UTC)
"""Nothing takes place before; a day earlier can still be written."""
AT_ONCE = 12
"""Occurrences of a series that are looked at where only the nearest ones matter."""

S = TypeVar("S", bound=Span)
Interval: TypeAlias = tuple[datetime, datetime]
Exceptions: TypeAlias = Mapping[str, Sequence[Row]]


class Occurrence(NamedTuple):
    """One occurrence: its start by the rule, when it takes place, and whether it was moved or cancelled."""

    original: datetime
    start: datetime
    end: datetime
    state: State


class Happening(NamedTuple, Generic[S]):
    """An occurrence and what was read of its event."""

    event: S
    occurrence: Occurrence


# Expanding


def occurrences(world: World, event: Mapping[str, Any]) -> list[Occurrence]:
    """All occurrences of an event by start, cancelled ones included; all of a cancelled event are cancelled."""
    return window(world, event, EARLIEST, datetime.max.replace(tzinfo=world.offset))


def window(world: World, event: Mapping[str, Any], low: datetime, high: datetime) -> list[Occurrence]:
    """The occurrences of an event that overlap a window, as `occurrences` gives them."""
    found = sorted(
        _expand(event, find_exceptions(world, event["event_id"]), low, high), key=lambda one: (one.start, one.original)
    )
    return [one._replace(state="cancelled") for one in found] if event["status"] == "cancelled" else found


def happenings(
    world: World, kind: type[S], entity: Entity, low: datetime, high: datetime, *conditions: Condition, **equal: Any
) -> list[Happening[S]]:
    """The occurrences, cancelled ones included, that overlap a window, of all events that meet the conditions."""
    since, until = iso(max(low, EARLIEST) - LONGEST), iso(high)
    within = ("last_start > ?", since), ("start < ?", until)
    events = world.rows(kind, entity, *within, *conditions, **equal)
    changed = world.all(
        "SELECT * FROM event_exception WHERE NOT dropped"
        " AND (occurrence BETWEEN ? AND ? OR starts_at BETWEEN ? AND ?) ORDER BY event_id, occurrence",
        *(since, until, since, until),
    )
    known = {event["event_id"] for event in events}
    strays = {row["event_id"] for row in changed}.difference(known)
    if strays:  # moved to where the series itself does not reach
        among = ("event_id IN (SELECT value FROM json_each(?))", json.dumps(sorted(strays)))
        events += world.rows(kind, entity, among, *conditions, **equal)
    exceptions = _by_event(changed)
    found = [Happening(event, one) for event in events for one in _expand(event, exceptions, low, high)]
    return sorted(found, key=lambda one: (one.occurrence.start, one.event["event_id"], one.occurrence.original))


def find_exceptions(world: World, event_id: str) -> Exceptions:
    """What differs from the rule of one series."""
    return _by_event(
        world.all("SELECT * FROM event_exception WHERE NOT dropped AND event_id = ? ORDER BY occurrence", event_id)
    )


def _by_event(changed: Iterable[Row]) -> Exceptions:
    found: dict[str, list[Row]] = {}
    for row in changed:
        found.setdefault(row["event_id"], []).append(row)
    return found


def _expand(event: Mapping[str, Any], exceptions: Exceptions, low: datetime, high: datetime) -> Iterator[Occurrence]:
    """The occurrences of an event that overlap a window; the moved ones last."""
    first, length = datetime.fromisoformat(event["start"]), timedelta(minutes=event["duration_minutes"])
    if not event["rrule"]:
        if first + length > low:  # the queries leave out what begins later
            yield Occurrence(first, first, first + length, "regular")
        return
    end = min(high, datetime.fromisoformat(event["last_start"]) + timedelta(seconds=1))
    changed = {row["occurrence"]: row for row in exceptions.get(event["event_id"], ())}
    for start in starts(read_rule(event["rrule"]), first, max(low, EARLIEST) - length, end):
        row = changed.get(iso(start)) if changed else None
        if start + length > low and (row is None or row["kind"] == "cancelled"):
            yield Occurrence(start, start, start + length, "regular" if row is None else "cancelled")
    for row in changed.values():
        if row["kind"] == "moved":
            start = datetime.fromisoformat(row["starts_at"])
            until = start + timedelta(minutes=row["duration_minutes"])
            if start < high and until > low:
                yield Occurrence(datetime.fromisoformat(row["occurrence"]), start, until, "moved")


# Overlaps


def intervals(found: Iterable[Occurrence]) -> list[Interval]:
    """When occurrences take place, by start."""
    return sorted((one.start, one.end) for one in found)


def clashes(
    world: World,
    wanted: Sequence[Interval],
    kind: type[S],
    entity: Entity,
    *conditions: Condition,
    leave: Leave | None = None,
    **equal: Any,
) -> list[tuple[int, Happening[S]]]:
    """What is not cancelled, meets the conditions and overlaps intervals: the place of the interval, what overlaps it.

    The intervals are sorted by start. `leave` is an event, or a part of it, that does not count.
    """
    if not wanted:
        return []
    begins = [start for start, _ in wanted]
    longest = max(end - start for start, end in wanted)
    found = []
    for one in happenings(world, kind, entity, begins[0], begins[-1] + longest, *conditions, **equal):
        event_id, (original, start, end, state) = one.event["event_id"], one.occurrence
        if state == "cancelled" or one.event["status"] == "cancelled" or (leave and leave.holds(event_id, original)):
            continue
        near = range(bisect_right(begins, start - longest), bisect_left(begins, end))
        found += [(place, one) for place in near if wanted[place][1] > start]
    return sorted(found, key=lambda pair: pair[0])


class Leave(NamedTuple):
    """The occurrences of one event from an original start on, or that one only."""

    event_id: str
    first: datetime | None = None
    only: bool = False

    def holds(self, event_id: str, original: datetime) -> bool:
        """Whether an occurrence is among them."""
        if event_id != self.event_id:
            return False
        return self.first is None or (original == self.first if self.only else original >= self.first)


# Changing


def store_exception(world: World, event_id: str, original: datetime, kind: State, **columns: Any) -> None:
    """Move or cancel one occurrence; what was said of it before holds no more."""
    columns = {"starts_at": None, "duration_minutes": None, "note": None, **columns}
    key = (event_id, iso(original))
    changed = world.run(
        "UPDATE event_exception SET kind = ?, starts_at = ?, duration_minutes = ?, note = ?, dropped = 0"
        " WHERE event_id = ? AND occurrence = ?",
        *(kind, columns["starts_at"], columns["duration_minutes"], columns["note"], *key),
    )
    if not changed:
        world.insert("event_exception", event_id=key[0], occurrence=key[1], kind=kind, dropped=0, **columns)


def drop_exceptions(world: World, event_id: str, since: datetime) -> None:
    """Forget what was moved and cancelled from an original start on: there the rule itself changes."""
    world.run(
        "UPDATE event_exception SET dropped = 1 WHERE event_id = ? AND occurrence >= ? AND NOT dropped",
        event_id,
        iso(since),
    )
