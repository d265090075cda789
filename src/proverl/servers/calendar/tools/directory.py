"""The directory: finding people and rooms, when they are busy, and when all of them are free."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Annotated, Literal

from proverl.world.domain import Field, Moment, Row, World, iso, shown, tool, words

from ..free_time import both, gaps, merged, quarter_hours, working_times
from ..occurrences import Interval, happenings
from ..results import (
    BUSY_EVENT,
    EVERY_EVENT,
    PERSON,
    ROOM,
    Availability,
    Block,
    BusySpan,
    DirectoryPage,
    Equipment,
    People,
    PersonRow,
    PersonTime,
    RoomId,
    RoomRow,
    RoomTime,
    SlotList,
    Span,
    StoredRoom,
)
from ..rules import find_people, find_user, read_window

SHOWN = 10
LONGEST_WINDOW = 14


@tool("read")
def search_calendar_directory(
    world: World,
    text: Annotated[str | None, Field(min_length=2, pattern=r"\S")] = None,
    kind: Literal["person", "room"] | None = None,
    min_capacity: Annotated[int | None, Field(ge=1, le=100)] = None,
    equipment: Equipment | None = None,
) -> DirectoryPage:
    """Find colleagues and meeting rooms. People match by name, department or e-mail; rooms by name or building,
    minimum capacity and equipment, which leave people out unless kind is person. Returns person_id or room_id, every
    match by name, no paging.

    Args:
        text: words of a name, department, e-mail or building, at least 2 characters
        kind: person or room; default both
        min_capacity: rooms only: seats needed, 1 to 100
        equipment: rooms only: screen, camera, whiteboard or phone
    """
    room_wanted = kind == "room" or (kind is None and (min_capacity or equipment))
    people = [] if room_wanted else world.rows(PersonRow, PERSON, *words("searched", text))
    has = [("capacity >= ?", min_capacity), ("instr(equipment, ?)", equipment)]
    rooms = [] if kind == "person" else world.rows(StoredRoom, ROOM, *words("searched", text), *has)
    found = [shown(RoomRow, room, equipment=json.loads(room["equipment"])) for room in rooms]
    return {"count": len(people) + len(found), "people": people, "rooms": found}


@tool("read", refusals="person_not_found room_not_found invalid_time_window")
def check_people_availability(
    world: World, person_ids: People, from_time: Moment, to_time: Moment, room_id: RoomId | None = None
) -> Availability:
    """Show busy blocks and working hours of up to 20 people, and optionally one room, inside a window of at most 14
    days. Blocks are merged and cut to the window; those of a person are in that person's zone. Events a person has
    declined take no time.

    Args:
        person_ids: 1 to 20 person ids
        from_time: start of the window, ISO 8601
        to_time: end of the window, ISO 8601
        room_id: also show this room
    """
    people = find_people(world, person_ids)
    room = world.find(ROOM, room_id)
    low, high = read_window(world, from_time, to_time, usual=LONGEST_WINDOW, most=LONGEST_WINDOW)
    busy = busy_times(world, person_ids, low, high)
    rows = [
        shown(PersonTime, person, busy=_blocks(merged(busy[person["person_id"]], low, high), zone_of(person)))
        for person in people
    ]
    taken: RoomTime | None = None
    if room is not None:
        blocks = _blocks(merged(room_times(world, room, low, high), low, high), world.offset)
        taken = {"room_id": room["room_id"], "busy": blocks}
    count = sum(len(row["busy"]) for row in (*rows, *filter(None, [taken])))
    return {"count": count, "people": rows, "room": taken}


@tool("read", refusals="person_not_found room_not_found invalid_time_window")
def find_common_slots(
    world: World,
    person_ids: People,
    duration_minutes: Annotated[int, Field(ge=15, le=480)],
    from_time: Moment,
    to_time: Moment,
    room_id: RoomId | None = None,
) -> SlotList:
    """Find times from now on when the user, all given people and optionally a room are free within everyone's working
    hours. Returns up to 10 slots, earliest first, on quarter hours; count says how many there are in all. With someone
    who has left, or in a closed room, there are none.

    Args:
        person_ids: 1 to 20 person ids, the user is included anyway
        duration_minutes: length of the slot, 15 to 480 minutes
        from_time: earliest start, ISO 8601
        to_time: latest end, ISO 8601, at most 14 days after from_time
        room_id: room that must be free as well
    """
    user = find_user(world)
    people = find_people(world, list(dict.fromkeys([*person_ids, user])))
    room = world.find(ROOM, room_id)
    low, high = read_window(world, from_time, to_time, usual=LONGEST_WINDOW, most=LONGEST_WINDOW)
    low = max(low, world.now)
    if any(person["status"] == "left" for person in people) or (room and room["status"] == "closed"):
        return {"count": 0, "slots": []}
    busy = [] if room is None else room_times(world, room, low, high)
    for times in busy_times(world, [person["person_id"] for person in people], low, high).values():
        busy += times
    free = gaps(merged(busy, low, high), low, high)
    for hours, zone in dict.fromkeys((person["working_hours"], zone_of(person)) for person in people):
        free = both(free, working_times(hours, zone, low, high))
    slots = list(quarter_hours(free, timedelta(minutes=duration_minutes), world.offset))
    return {"count": len(slots), "slots": _blocks(slots[:SHOWN], world.offset)}


def busy_times(world: World, person_ids: Sequence[str], low: datetime, high: datetime) -> dict[str, list[Interval]]:
    """When each of these people takes part in something inside a window."""
    found: dict[str, list[Interval]] = {person_id: [] for person_id in person_ids}
    among = ("person_id IN (SELECT value FROM json_each(?))", json.dumps(list(found)))
    for event, one in happenings(world, BusySpan, BUSY_EVENT, low, high, among):
        if one.state != "cancelled":
            found[event["person_id"]].append((one.start, one.end))
    return found


def room_times(world: World, room: Row, low: datetime, high: datetime) -> list[Interval]:
    """When a room is taken inside a window."""
    found = happenings(world, Span, EVERY_EVENT, low, high, "status <> 'cancelled'", room_id=room["room_id"])
    return [(one.start, one.end) for _, one in found if one.state != "cancelled"]


def zone_of(person: Row) -> timezone:
    """The zone of a person."""
    return timezone(timedelta(minutes=person["utc_minutes"]))


def _blocks(found: Iterable[Interval], zone: timezone) -> list[Block]:
    return [{"start": iso(start.astimezone(zone)), "end": iso(end.astimezone(zone))} for start, end in found]
