"""The rules of the calendar: who may change what, and what stands in the way of a time, a room or a guest.

Covers: the checks that several tools share, and storing an event. Each check refuses with the code that the tools list,
and changes nothing. Does not cover: what part of a series a change is for (scopes.py).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from proverl.world.domain import Row, World, check_moment, folded, iso, refuse

from .occurrences import Interval, Leave, Occurrence, clashes, occurrences
from .results import EVENT, EVERY_EVENT, PERSON, Span

FURTHEST = timedelta(days=5 * 365)
MOST_INVITEES = 50


def find_user(world: World) -> str:
    """The person_id of the user."""
    return str(world.value("SELECT person_id FROM employee"))


def title_of(event: Row) -> str:
    """What a message calls an event."""
    return event["title"] or "this private event"


# Times


def read_moment(world: World, name: str, text: str, code: str = "invalid_argument") -> datetime:
    """A caller's moment in whole seconds of the user's zone; refuses with `code` what is none."""
    moment = check_moment(text, name, world.offset, code)
    if moment.microsecond:
        refuse(code, f"{name} {text!r} has a fraction of a second; give whole seconds")
    world.resolves(name, iso(moment))
    return moment


def read_start(world: World, name: str, text: str) -> datetime:
    """A caller's start of an event; refuses invalid_argument also if it lies too far ahead."""
    start = read_moment(world, name, text)
    latest = world.now + FURTHEST
    if start > latest:
        refuse("invalid_argument", f"{name} {text!r} is more than five years ahead; {latest.date()} is the last day")
    return min(start, latest)


def read_window(
    world: World, from_time: str | None, to_time: str | None, usual: int, most: int | None = None
) -> tuple[datetime, datetime]:
    """A caller's window, by default `usual` days from now; refuses invalid_time_window, also above `most` days."""
    code = "invalid_time_window"
    latest = datetime.max.replace(tzinfo=world.offset)
    low = world.now if from_time is None else read_moment(world, "from_time", from_time, code)
    span = timedelta(days=usual)
    high = low + min(span, latest - low) if to_time is None else read_moment(world, "to_time", to_time, code)
    if high <= low:
        refuse(code, f"the window from {iso(low)} to {iso(high)} is empty; to_time must lie after from_time")
    if most is not None and high - low > timedelta(days=most):
        refuse(code, f"the window from {iso(low)} to {iso(high)} is longer than {most} days; ask for a shorter one")
    return low, high


def check_not_past(world: World, start: datetime) -> None:
    """Refuse time_in_past."""
    if start < world.now:
        refuse("time_in_past", f"{iso(start)} is past, it is {world.moment}; choose a later start")


def check_conflict(
    world: World, calendar_id: str | None, wanted: Sequence[Interval], on_conflict: str, leave: Leave | None = None
) -> None:
    """Refuse time_conflict: a confirmed event of the same calendar overlaps."""
    if on_conflict == "allow":
        return
    confirmed = {"status": "confirmed", "calendar_id": calendar_id}
    found = clashes(world, wanted, Span, EVENT, leave=leave, **confirmed)
    if found:
        place, (event, occurrence) = found[0]
        there = f"{event['title'] or 'a private event'} ({event['event_id']}) from {iso(occurrence.start)}"
        how = "choose another time or set on_conflict to allow"
        refuse("time_conflict", f"{iso(wanted[place][0])} overlaps {there} to {iso(occurrence.end)}; {how}")


# Rooms and people


def check_room(world: World, room: Row | None, wanted: Sequence[Interval], leave: Leave | None = None) -> None:
    """Refuse room_unavailable: closed, or taken by another event."""
    if room is None:
        return
    where = f"{room['name']} in {room['building']}"
    how = "search_calendar_directory shows other rooms"
    if room["status"] == "closed":
        refuse("room_unavailable", f"the room {where} is closed; {how}")
    taken = clashes(world, wanted, Span, EVERY_EVENT, leave=leave, room_id=room["room_id"])
    if taken:
        _, (_, occurrence) = taken[0]
        when = f"from {iso(occurrence.start)} to {iso(occurrence.end)}"
        refuse("room_unavailable", f"the room {where} is taken {when}; choose another time, or {how}")


def check_seats(room: Row | None, invitees: int) -> None:
    """Refuse room_too_small: the invitees and the organiser need a seat each."""
    if room is not None and invitees + 1 > room["capacity"]:
        how = "choose a larger room, search_calendar_directory has min_capacity"
        refuse("room_too_small", f"{room['name']} seats {room['capacity']}, {invitees + 1} are needed; {how}")


def find_people(world: World, person_ids: Sequence[str]) -> list[Row]:
    """The people; refuses person_not_found."""
    return [world.find(PERSON, person_id) for person_id in person_ids]


def check_people(people: Sequence[Row]) -> None:
    """Refuse person_left."""
    for person in people:
        if person["status"] == "left":
            name = f"{person['name']} from {person['department']}"
            refuse("person_left", f"{name} has left the company; leave {person['person_id']!r} out")


def check_not_user(world: World, person_ids: Sequence[str]) -> None:
    """Refuse invalid_argument: nobody invites themselves."""
    user = find_user(world)
    if user in person_ids:
        refuse("invalid_argument", f"{user!r} is the user, who organises the event; leave it out of person_ids")


# Events


def check_own(world: World, event: Row) -> None:
    """Refuse not_organizer, read_only_calendar."""
    if not event["mine"]:
        organizer = world.find(PERSON, event["organizer_id"])["name"]
        refuse("not_organizer", f"{title_of(event)} is organised by {organizer}; only the organiser can change it")
    check_writable(event)


def check_writable(calendar: Row) -> None:
    """Refuse read_only_calendar; takes a calendar, or an event with what it says of its calendar."""
    if not calendar["writable"]:
        name = calendar["calendar_name"]
        refuse("read_only_calendar", f"the calendar {name} is archived or only shared for reading; choose another")


def find_ahead(world: World, event: Row) -> list[Occurrence]:
    """The occurrences that have not started, cancelled ones included; refuses event_in_past, event_cancelled."""
    ahead = coming(world, occurrences(world, event))
    check_coming(event, ahead)
    check_not_cancelled(event, ahead)
    return ahead


def coming(world: World, found: Sequence[Occurrence]) -> list[Occurrence]:
    """The occurrences that have not started."""
    now = world.now
    return [one for one in found if one.start > now]


def living(found: Sequence[Occurrence]) -> list[Occurrence]:
    """The occurrences that are not cancelled."""
    return [one for one in found if one.state != "cancelled"]


def check_coming(event: Row, ahead: Sequence[Occurrence]) -> None:
    """Refuse event_in_past: what is meant has started; takes its occurrences that have not."""
    if not ahead:
        what = "has started or is over, and so are the occurrences meant, if it repeats"
        refuse("event_in_past", f"{title_of(event)} ({event['start']}) {what}; choose a later one")


def check_not_cancelled(event: Row, ahead: Sequence[Occurrence]) -> None:
    """Refuse event_cancelled: of the occurrences that have not started all are cancelled."""
    if ahead and not living(ahead):
        refuse("event_cancelled", f"{title_of(event)} on {ahead[0].start.date()} is cancelled; create a new event")


def count_invitees(world: World, event_id: str) -> int:
    """How many are invited, the organiser left out."""
    return int(world.value("SELECT count(*) FROM invitee WHERE event_id = ?", event_id))


def store_event(
    world: World, /, title: str, start: datetime, minutes: int, organizer_id: str, people: Sequence[str], **columns: Any
) -> str:
    """Add an event with its organiser and invitees, who have not answered; returns its id.

    `columns` are those of the table that are not usual: calendar_id, rrule and last_start of a series, and so on.
    """
    usual = {
        "calendar_id": None,
        "rrule": "",
        "last_start": iso(start),
        "location": None,
        "room_id": None,
        "description": None,
        "visibility": "default",
        "status": "confirmed",
        "reminder_minutes": 0,
        "reminder_channel": "popup",
    }
    columns = {**usual, **columns}
    event_id = world.add(
        EVENT,
        title=title,
        starts_at=iso(start),
        duration_minutes=minutes,
        organizer_id=organizer_id,
        searched=folded(title, columns["location"], columns["description"]),
        **columns,
    )
    world.insert("attendance", event_id=event_id, person_id=organizer_id, answer="accepted")
    invite(world, event_id, people)
    return event_id


def invite(world: World, event_id: str, people: Sequence[str]) -> None:
    """Add invitees, who have not answered."""
    world.run(
        "INSERT INTO attendance (event_id, person_id, answer) SELECT ?, value, 'open' FROM json_each(?)",
        event_id,
        json.dumps(list(people)),
    )
