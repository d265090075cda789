"""Series: the dates of a repeating event, and creating one."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Annotated

from proverl.world.domain import Day, Field, Moment, World, check_day, iso, refuse, tool

from ..occurrences import AT_ONCE, clashes, window
from ..recurrence import MOST, WEEKDAYS, first_starts, make_rule, rrule
from ..results import (
    CALENDAR,
    EVENT,
    ROOM,
    CalendarId,
    CreatedSeries,
    EventId,
    Frequency,
    Invitees,
    Minutes,
    OccurrenceList,
    RoomId,
    Span,
    Title,
    Weekday,
)
from ..rules import (
    check_not_past,
    check_not_user,
    check_people,
    check_room,
    check_seats,
    check_writable,
    find_people,
    find_user,
    read_start,
    read_window,
    store_event,
    title_of,
)

SHOWN = 60


@tool("read", refusals="event_not_found not_recurring invalid_time_window")
def list_event_occurrences(
    world: World, event_id: EventId, from_time: Moment | None = None, to_time: Moment | None = None
) -> OccurrenceList:
    """Expand a repeating event into its dates, including moved and cancelled ones. Returns up to 60 occurrences by
    start, from now or inside a window; count says how many there are in all.

    Args:
        event_id: id of a repeating event
        from_time: start of the window, ISO 8601, default now
        to_time: end of the window, ISO 8601, default 90 days after from_time
    """
    event = world.find(EVENT, event_id)
    if not event["rrule"]:
        refuse("not_recurring", f"{title_of(event)} takes place once, at {event['start']}; it has no other dates")
    low, high = read_window(world, from_time, to_time, usual=90)
    found = window(world, event, low, high)
    return {
        "count": len(found),
        "occurrences": [
            {"occurrence": iso(one.original), "start": iso(one.start), "end": iso(one.end), "state": one.state}
            for one in found[:SHOWN]
        ],
    }


@tool(
    "write",
    refusals="invalid_argument calendar_not_found room_not_found person_not_found read_only_calendar time_in_past "
    "until_or_count_required start_not_on_weekday room_unavailable room_too_small person_left",
    unechoed={"until": "the rule holds it as RFC 5545 writes it, in UTC"},
)
def create_recurring_event(
    world: World,
    calendar_id: CalendarId,
    title: Title,
    start: Moment,
    duration_minutes: Minutes,
    frequency: Frequency,
    interval: Annotated[int, Field(ge=1, le=12)] = 1,
    weekdays: Annotated[list[Weekday] | None, Field(min_length=1, json_schema_extra={"uniqueItems": True})] = None,
    until: Day | None = None,
    count: Annotated[int | None, Field(ge=2, le=MOST)] = None,
    person_ids: Invitees | None = None,
    room_id: RoomId | None = None,
) -> CreatedSeries:
    """Create a repeating event. Give either `until` or `count`; weekly events may name several weekdays, one of them
    that of the start. Any clash within the first 12 occurrences is reported. Returns the series' event_id.

    Args:
        calendar_id: calendar to put it in; role owner or editor
        title: 1 to 120 characters
        start: first start, ISO 8601, not in the past, at most five years ahead
        duration_minutes: 5 to 1440 minutes
        frequency: daily, weekly, monthly or yearly
        interval: every how many days, weeks, months or years, 1 to 12, default 1
        weekdays: weekly only: MO TU WE TH FR SA SU
        until: last possible day, YYYY-MM-DD, for at most 260 occurrences
        count: number of occurrences, 2 to 260
        person_ids: people to invite, up to 50
        room_id: room to book for every occurrence
    """
    begins = read_start(world, "start", start)
    last = None if until is None else read_until(until, begins)
    if weekdays and frequency != "weekly":
        refuse("invalid_argument", f"weekdays {weekdays!r} are for weekly events; leave them out of a {frequency} one")
    person_ids = person_ids or []
    check_not_user(world, person_ids)
    rule = make_rule(frequency, interval, weekdays, begins)
    starts = first_starts(rule, begins, MOST + 1 if count is None else count, last or datetime.max)
    if last is not None and len(starts) > MOST:
        refuse("invalid_argument", f"until {until!r} gives more than {MOST} occurrences; choose an earlier day")
    calendar = world.find(CALENDAR, calendar_id)
    room = world.find(ROOM, room_id)
    people = find_people(world, person_ids)
    check_writable(calendar)
    check_not_past(world, begins)
    if (until is None) == (count is None):
        refuse("until_or_count_required", f"{title} needs one end: give either until or count, not both")
    if rule.weekdays and begins.weekday() not in rule.weekdays:
        day = WEEKDAYS[begins.weekday()]
        refuse("start_not_on_weekday", f"the start {iso(begins)} is a {day}; move it to one of {weekdays}")
    length = timedelta(minutes=duration_minutes)
    wanted = [(one, one + length) for one in starts]
    check_room(world, room, wanted)
    check_seats(room, len(person_ids))
    check_people(people)
    there = clashes(world, wanted[:AT_ONCE], Span, EVENT, calendar_id=calendar_id, status="confirmed")
    text = rrule(rule, count=count, until=last)
    columns = {"calendar_id": calendar_id, "room_id": room_id, "rrule": text, "last_start": iso(starts[-1])}
    event_id = store_event(world, title, begins, duration_minutes, find_user(world), person_ids, **columns)
    return {
        "event_id": event_id,
        "title": title,
        "rrule": text,
        "first_start": iso(begins),
        "occurrences": len(starts),
        "conflicts": [{"occurrence": iso(wanted[place][0]), "event_id": one.event["event_id"]} for place, one in there],
    }


def read_until(until: str, begins: datetime) -> datetime:
    """The last moment of the last possible day; refuses invalid_argument also if the start lies after it."""
    day = check_day(until, "until")
    if day < begins.date():
        refuse("invalid_argument", f"until {until!r} lies before the start {iso(begins)}; choose a later day")
    return datetime.combine(day, time.max, begins.tzinfo)
