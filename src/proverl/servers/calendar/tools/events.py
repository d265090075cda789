"""Events: searching them, one in full, creating, changing, moving and cancelling one."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from proverl.world.domain import FREE, Field, Moment, World, folded, iso, refuse, shown, tool, words

from ..occurrences import Leave, happenings, intervals
from ..results import (
    CALENDAR,
    EVENT,
    PERSON,
    ROOM,
    CalendarId,
    CancelledEvent,
    ChangedEvent,
    CreatedEvent,
    EventDetails,
    EventId,
    EventList,
    EventRow,
    FoundSpan,
    Invitee,
    Invitees,
    Minutes,
    MovedEvent,
    OnConflict,
    PersonId,
    Place,
    RoomId,
    Scope,
    Title,
    Visibility,
)
from ..rules import (
    check_coming,
    check_conflict,
    check_not_cancelled,
    check_not_past,
    check_not_user,
    check_own,
    check_people,
    check_room,
    check_seats,
    check_writable,
    count_invitees,
    find_ahead,
    find_people,
    find_user,
    living,
    read_moment,
    read_start,
    read_window,
    store_event,
)
from ..scopes import check_scope, find_part, plan_move, store_cancelling, store_move

SHOWN = 50


@tool("read", refusals="calendar_not_found person_not_found invalid_time_window")
def search_calendar_events(
    world: World,
    text: Annotated[str | None, Field(min_length=2, pattern=r"\S")] = None,
    calendar_id: CalendarId | None = None,
    person_id: PersonId | None = None,
    from_time: Moment | None = None,
    to_time: Moment | None = None,
) -> EventList:
    """Search events in the user's calendars by words, calendar, person or time window; repeating events appear once
    per occurrence inside the window, with the occurrence's original start. Without a window it covers the next 14 days.
    Cancelled events and occurrences are shown as cancelled, private ones of others without a title. Returns up to 50
    events by start time.

    Args:
        text: words in title, location or description, at least 2 characters
        calendar_id: only this calendar
        person_id: only events this person organises or is invited to
        from_time: start of the window, ISO 8601, default now
        to_time: end of the window, ISO 8601, at most 92 days after from_time; default 14 days after it
    """
    world.find(CALENDAR, calendar_id)
    world.find(PERSON, person_id)
    low, high = read_window(world, from_time, to_time, usual=14, most=92)
    attends = "NOT shut AND event_id IN (SELECT event_id FROM attendance WHERE person_id = ?)"
    conditions = ["calendar_id IS NOT NULL", *words("searched", text), (attends, person_id)]
    found = happenings(world, FoundSpan, EVENT, low, high, *conditions, calendar_id=calendar_id)
    events = [
        shown(
            EventRow,
            event,
            occurrence=iso(one.original) if event["recurring"] else None,
            start=iso(one.start),
            end=iso(one.end),
            status="cancelled" if one.state == "cancelled" else event["status"],
        )
        for event, one in found[:SHOWN]
    ]
    return {"count": len(found), "events": events}


@tool("read", refusals="event_not_found event_private")
def get_calendar_event(world: World, event_id: EventId) -> EventDetails:
    """Show one event in full: times (of a series those of its first occurrence), repetition rule, room, description,
    organiser, every invitee's answer, the user's reminder (0 is off) and visibility.

    Args:
        event_id: id of the event or series
    """
    event = world.find(EVENT, event_id)
    if event["shut"]:
        organizer = world.find(PERSON, event["organizer_id"])["name"]
        refuse("event_private", f"{event_id!r} is a private event of {organizer}; only its times can be seen")
    invitees = world.all(
        "SELECT person_id, name, answer FROM invitee WHERE event_id = ? ORDER BY name, person_id", event_id
    )
    return shown(EventDetails, event, invitees=[shown(Invitee, row) for row in invitees])


@tool(
    "write",
    refusals="invalid_argument calendar_not_found room_not_found read_only_calendar time_in_past time_conflict "
    "room_unavailable room_too_small person_not_found person_left",
    unechoed={"on_conflict": "it only decides whether an overlap is refused"},
)
def create_calendar_event(
    world: World,
    calendar_id: CalendarId,
    title: Title,
    start: Moment,
    duration_minutes: Minutes,
    person_ids: Invitees | None = None,
    room_id: RoomId | None = None,
    location: Place | None = None,
    on_conflict: OnConflict = "reject",
) -> CreatedEvent:
    """Create a single event, optionally with invitees and a room. Fails on a clash in the same calendar unless
    on_conflict is allow. Returns the event_id.

    Args:
        calendar_id: calendar to put it in; role owner or editor
        title: 1 to 120 characters
        start: ISO 8601, not in the past, at most five years ahead
        duration_minutes: 5 to 1440 minutes
        person_ids: people to invite, up to 50
        room_id: room to book
        location: place in words when there is no room, up to 120 characters
        on_conflict: reject (default) or allow an overlap in this calendar
    """
    begins = read_start(world, "start", start)
    person_ids = person_ids or []
    check_not_user(world, person_ids)
    calendar = world.find(CALENDAR, calendar_id)
    room = world.find(ROOM, room_id)
    check_writable(calendar)
    check_not_past(world, begins)
    wanted = [(begins, begins + timedelta(minutes=duration_minutes))]
    check_conflict(world, calendar["calendar_id"], wanted, on_conflict)
    check_room(world, room, wanted)
    check_seats(room, len(person_ids))
    check_people(find_people(world, person_ids))
    where = {"calendar_id": calendar_id, "room_id": room_id, "location": location}
    event_id = store_event(world, title, begins, duration_minutes, find_user(world), person_ids, **where)
    return shown(CreatedEvent, world.find(EVENT, event_id), invited=len(person_ids))


@tool(
    "write",
    refusals="event_not_found room_not_found not_organizer read_only_calendar event_in_past event_cancelled "
    "nothing_to_change room_unavailable room_too_small",
    idempotent=True,
)
def update_event_details(
    world: World,
    event_id: EventId,
    title: Title | None = None,
    location: Place | None = None,
    room_id: RoomId | None = None,
    description: Annotated[str | None, Field(max_length=1000), FREE] = None,
    visibility: Visibility | None = None,
) -> ChangedEvent:
    """Change title, location, room, description or visibility of an event the user organises, for the whole series if
    it repeats. Times and invitees have tools of their own. Give at least one new value.

    Args:
        event_id: id of the event
        title: new title, 1 to 120 characters
        location: new place in words, up to 120 characters
        room_id: room to use instead
        description: new description, up to 1000 characters
        visibility: default or private
    """
    event = world.find(EVENT, event_id)
    room = world.find(ROOM, room_id)
    check_own(world, event)
    ahead = find_ahead(world, event)
    given: dict[str, Any] = {
        "title": title,
        "location": location,
        "room_id": room_id,
        "description": description,
        "visibility": visibility,
    }
    new = {name: value for name, value in given.items() if value is not None and value != event[name]}
    if not new:
        refuse("nothing_to_change", f"nothing new was given for {event['title']}; give a value that it does not have")
    if "room_id" in new:
        check_room(world, room, intervals(living(ahead)), Leave(event["event_id"]))
        check_seats(room, count_invitees(world, event["event_id"]))
    after = {**event, **new}
    searched = folded(after["title"], after["location"], after["description"])
    world.update(EVENT, event_id, **new, searched=searched)
    return shown(ChangedEvent, after, changed=list(new))


@tool(
    "write",
    refusals="invalid_argument event_not_found not_organizer read_only_calendar event_in_past event_cancelled "
    "time_in_past scope_required occurrence_not_found time_conflict room_unavailable",
    unechoed={"on_conflict": "it only decides whether an overlap is refused"},
    idempotent=True,
)
def reschedule_calendar_event(
    world: World,
    event_id: EventId,
    new_start: Moment,
    duration_minutes: Minutes | None = None,
    scope: Scope | None = None,
    occurrence: Moment | None = None,
    on_conflict: OnConflict = "reject",
) -> MovedEvent:
    """Move an event the user organises to a new start, and optionally a new length. For a repeating event choose the
    scope; this and following need the occurrence. The new start is that of the first occurrence moved; following, and
    all if the series has begun, give the later part a new event_id. Invitees must answer again.

    Args:
        event_id: id of the event
        new_start: ISO 8601, not in the past, at most five years ahead
        duration_minutes: new length, 5 to 1440 minutes; default as before
        scope: repeating events: this occurrence, this and following, or all that have not started
        occurrence: original start of the occurrence, ISO 8601, for this or following
        on_conflict: reject (default) or allow an overlap
    """
    begins = read_start(world, "new_start", new_start)
    original = None if occurrence is None else read_moment(world, "occurrence", occurrence)
    event = world.find(EVENT, event_id)
    check_own(world, event)
    part = find_part(world, event, scope, original)
    check_coming(event, part.ahead)
    check_not_cancelled(event, part.ahead[:1] if part.named else part.ahead)
    check_not_past(world, begins)
    check_scope(part, scope, original)
    move = plan_move(part, begins, duration_minutes)
    check_conflict(world, event["calendar_id"], move.wanted, on_conflict, part.leave)
    room = world.find(ROOM, event["room_id"])
    check_room(world, room, move.wanted, part.leave)
    moved, reset = store_move(world, part, move)
    return {
        "event_id": moved,
        "title": event["title"],
        "start": iso(begins),
        "end": iso(begins + move.length),
        "duration_minutes": move.length // timedelta(minutes=1),
        "scope": scope,
        "occurrence": None if original is None else iso(original),
        "answers_reset": reset,
    }


@tool(
    "destructive",
    refusals="invalid_argument event_not_found not_organizer read_only_calendar event_in_past scope_required "
    "occurrence_not_found already_cancelled",
    idempotent=True,
)
def cancel_calendar_event(
    world: World,
    event_id: EventId,
    scope: Scope | None = None,
    occurrence: Moment | None = None,
    note: Annotated[str | None, Field(max_length=300), FREE] = None,
) -> CancelledEvent:
    """Cancel an event the user organises and tell the invitees. For a repeating event choose the scope; this and
    following need the occurrence. A room is freed.

    Args:
        event_id: id of the event
        scope: repeating events: this occurrence, this and following, or all that have not started
        occurrence: original start of the occurrence, ISO 8601, for this or following
        note: message to the invitees, up to 300 characters
    """
    original = None if occurrence is None else read_moment(world, "occurrence", occurrence)
    event = world.find(EVENT, event_id)
    check_own(world, event)
    part = find_part(world, event, scope, original)
    check_coming(event, part.ahead)
    check_scope(part, scope, original)
    cancelled = len(living(part.ahead))
    if not cancelled:
        refuse("already_cancelled", f"{event['title']} ({event_id}) is cancelled already; nothing is left to do")
    store_cancelling(world, part, note)
    return {
        "event_id": event_id,
        "title": event["title"],
        "scope": scope,
        "occurrence": None if original is None else iso(original),
        "cancelled_occurrences": cancelled,
        "notified": count_invitees(world, event_id),
        "note": note,
    }
