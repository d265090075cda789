"""Scopes: what part of a series a change is for, and splitting a series.

Covers: `this` is one occurrence, `following` that one and all later ones, `all` whatever has not started; a single
event is one part whatever the scope. A change of the later part splits the series there: what comes before keeps its
event,
the later part becomes an event of its own, unless nothing comes before. Does not cover: when events take place
(occurrences.py).
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import NamedTuple

from proverl.world.domain import Row, World, iso, refuse

from .occurrences import Interval, Leave, Occurrence, drop_exceptions, occurrences, store_exception
from .recurrence import Rule, first_starts, read_rule, rrule
from .results import EVENT, Scope
from .rules import coming, store_event


class Part(NamedTuple):
    """What a change is for.

    `since` is the original start of its first occurrence, `one` says that there is no other; `ahead` are the
    occurrences meant that have not started, cancelled ones included, `earlier` and `later` all original starts before
    and from `since` on. `named` says that the part begins with the occurrence that
    was named, `known` that there is such an occurrence, or that none was named.
    """

    event: Row
    since: datetime
    one: bool
    ahead: list[Occurrence]
    earlier: list[datetime]
    later: list[datetime]
    named: bool
    known: bool

    @property
    def leave(self) -> Leave:
        """What stands in the way of no change, for it is what is changed."""
        return Leave(self.event["event_id"], self.since, self.one)


def find_part(world: World, event: Row, scope: Scope | None, occurrence: datetime | None) -> Part:
    """The part of an event that a change with this scope is for; refuses nothing."""
    every = occurrences(world, event)
    at = next((one for one in every if one.original == occurrence), None)
    named = at if event["rrule"] and scope in ("this", "following") else None
    chosen = every
    if named is not None:
        rest = [one for one in every if one.original > named.original and scope == "following"]
        chosen = [named, *rest] if coming(world, [named]) else []
    ahead = coming(world, chosen)
    since = min((one.original for one in ahead), default=every[-1].original)
    originals = sorted(one.original for one in every)
    return Part(
        event,
        since,
        not event["rrule"] or scope == "this",
        ahead,
        [start for start in originals if start < since],
        [start for start in originals if start >= since],
        named is not None,
        occurrence is None or at is not None,
    )


def check_scope(part: Part, scope: Scope | None, occurrence: datetime | None) -> None:
    """Refuse scope_required, occurrence_not_found."""
    title = part.event["title"]
    if part.event["rrule"] and scope is None:
        how = "set scope to this, following or all"
        refuse("scope_required", f"{title} repeats; {how}, and for this and following the occurrence")
    if part.event["rrule"] and scope in ("this", "following") and occurrence is None:
        how = "list_event_occurrences shows them"
        refuse("scope_required", f"the scope {scope!r} of {title} needs the occurrence; {how}")
    if occurrence is not None and not part.known:
        how = "list_event_occurrences shows the original starts"
        refuse("occurrence_not_found", f"{title} has no occurrence {iso(occurrence)}; {how}")


# Moving


class Move(NamedTuple):
    """Where a part moves to: its starts, one of a single occurrence, and how long they are."""

    starts: list[datetime]
    length: timedelta
    rule: Rule | None

    @property
    def wanted(self) -> list[Interval]:
        """When the occurrences take place."""
        return [(start, start + self.length) for start in self.starts]


def plan_move(part: Part, new_start: datetime, minutes: int | None) -> Move:
    """Where a part moves to if its first occurrence moves to a new start: the rule is kept, its weekdays move along."""
    usual = timedelta(minutes=part.event["duration_minutes"])
    if part.one:
        usual = part.ahead[0].end - part.ahead[0].start if part.ahead else usual
        return Move([new_start], usual if minutes is None else timedelta(minutes=minutes), None)
    rule = read_rule(part.event["rrule"]).shifted((new_start.date() - part.since.date()).days)
    starts = first_starts(rule, new_start, len(part.later))
    return Move(starts, usual if minutes is None else timedelta(minutes=minutes), rule)


def store_move(world: World, part: Part, move: Move) -> tuple[str, int]:
    """Move a part; returns its event_id and how many answers were set back to open."""
    event, minutes = part.event, move.length // timedelta(minutes=1)
    event_id = event["event_id"]
    columns = {"starts_at": iso(move.starts[0]), "duration_minutes": minutes, "last_start": iso(move.starts[-1])}
    answered = world.value("SELECT count(*) FROM invitee WHERE event_id = ? AND answer <> 'open'", event_id)
    if move.rule is not None and part.earlier:
        end_early(world, part)
        return _store_later_part(world, event, move, columns), answered
    if move.rule is not None:
        drop_exceptions(world, event_id, part.since)
        world.update(EVENT, event_id, rrule=rrule(move.rule, count=len(move.starts)), **columns)
    elif event["rrule"]:
        store_exception(world, event_id, part.since, "moved", starts_at=columns["starts_at"], duration_minutes=minutes)
    else:
        world.update(EVENT, event_id, **columns)
    world.run(
        "UPDATE attendance SET answer = 'open' WHERE event_id = ? AND person_id <> ?",
        event_id,
        event["organizer_id"],
    )
    return event_id, answered


def _store_later_part(world: World, event: Row, move: Move, columns: dict[str, object]) -> str:
    """Make the later part of a series an event of its own, with the same people, who have not answered."""
    invited = world.value("SELECT json_group_array(person_id) FROM invitee WHERE event_id = ?", event["event_id"])
    kept = ("calendar_id", "location", "room_id", "description", "visibility", "status")
    reminder = ("reminder_minutes", "reminder_channel")
    assert move.rule is not None
    return store_event(
        world,
        event["title"],
        move.starts[0],
        move.length // timedelta(minutes=1),
        event["organizer_id"],
        json.loads(invited),
        rrule=rrule(move.rule, count=len(move.starts)),
        last_start=columns["last_start"],
        **{name: event[name] for name in (*kept, *reminder)},
    )


# Cancelling


def store_cancelling(world: World, part: Part, note: str | None) -> None:
    """Cancel a part: one occurrence, the later part of a series, which then ends before it, or the whole event."""
    event = part.event
    if event["rrule"] and part.one:
        store_exception(world, event["event_id"], part.since, "cancelled", note=note)
    elif part.earlier:
        end_early(world, part)
        world.update(EVENT, event["event_id"], note=note)
    else:
        world.update(EVENT, event["event_id"], status="cancelled", note=note)


def end_early(world: World, part: Part) -> None:
    """Let a series end before a part that is not all of it."""
    event_id, kept = part.event["event_id"], part.earlier
    drop_exceptions(world, event_id, part.since)
    text = rrule(read_rule(part.event["rrule"]), count=len(kept))
    world.update(EVENT, event_id, rrule=text, last_start=iso(kept[-1]))
