"""Invitees: inviting people to the user's own events, and taking them off."""

from __future__ import annotations

import json

from proverl.world.domain import Row, World, refuse, tool

from ..occurrences import AT_ONCE, Leave, clashes, intervals
from ..results import BUSY_EVENT, EVENT, ROOM, AddedInvitees, BusySpan, EventId, People, RemovedInvitees
from ..rules import (
    MOST_INVITEES,
    check_own,
    check_people,
    check_seats,
    count_invitees,
    find_ahead,
    find_people,
    invite,
    living,
)


@tool(
    "write",
    refusals="event_not_found person_not_found not_organizer read_only_calendar event_in_past event_cancelled "
    "already_invited person_left too_many_invitees room_too_small",
    idempotent=True,
)
def add_event_invitees(world: World, event_id: EventId, person_ids: People) -> AddedInvitees:
    """Invite more people to an event the user organises, the whole series if it repeats; an event has at most 50
    invitees. Returns who is busy at that time, of a series during any of its next 12 occurrences.

    Args:
        event_id: id of the event
        person_ids: 1 to 20 person ids
    """
    event = world.find(EVENT, event_id)
    people = find_people(world, person_ids)
    check_own(world, event)
    ahead = find_ahead(world, event)
    attending = find_attending(world, event, people)
    if attending:
        refuse("already_invited", f"{', '.join(attending)} take part in {event['title']} already; leave them out")
    check_people(people)
    invited = count_invitees(world, event["event_id"]) + len(person_ids)
    if invited > MOST_INVITEES:
        refuse(
            "too_many_invitees", f"{event['title']} would have {invited} invitees; at most {MOST_INVITEES} are allowed"
        )
    check_seats(world.find(ROOM, event["room_id"]), invited)
    among = ("person_id IN (SELECT value FROM json_each(?))", json.dumps(person_ids))
    wanted = intervals(living(ahead)[:AT_ONCE])
    busy = {
        one.event["person_id"] for _, one in clashes(world, wanted, BusySpan, BUSY_EVENT, among, leave=Leave(event_id))
    }
    invite(world, event_id, person_ids)
    return {
        "event_id": event_id,
        "title": event["title"],
        "added": len(person_ids),
        "invitee_count": invited,
        "busy_person_ids": sorted(busy),
    }


@tool(
    "destructive",
    refusals="event_not_found person_not_found not_organizer read_only_calendar event_in_past event_cancelled "
    "not_invited",
    idempotent=True,
)
def remove_event_invitees(world: World, event_id: EventId, person_ids: People) -> RemovedInvitees:
    """Take people off an event the user organises; they lose the invitation and their answer.

    Args:
        event_id: id of the event
        person_ids: 1 to 20 person ids
    """
    event = world.find(EVENT, event_id)
    people = find_people(world, person_ids)
    check_own(world, event)
    find_ahead(world, event)
    attending = find_attending(world, event, people)
    strangers = [one for one in person_ids if one not in attending or one == event["organizer_id"]]
    if strangers:
        how = "get_calendar_event shows who is"
        refuse("not_invited", f"{', '.join(strangers)} are not invited to {event['title']}; {how}")
    world.run(
        "DELETE FROM attendance WHERE event_id = ? AND person_id IN (SELECT value FROM json_each(?))",
        event_id,
        json.dumps(person_ids),
    )
    left = count_invitees(world, event_id)
    return {"event_id": event_id, "title": event["title"], "removed": len(person_ids), "invitee_count": left}


def find_attending(world: World, event: Row, people: list[Row]) -> list[str]:
    """Those of the people who take part in an event, the organiser included."""
    found = world.all(
        "SELECT person_id FROM attendance WHERE event_id = ? AND person_id IN (SELECT value FROM json_each(?))"
        " ORDER BY person_id",
        event["event_id"],
        json.dumps([person["person_id"] for person in people]),
    )
    return [row["person_id"] for row in found]
