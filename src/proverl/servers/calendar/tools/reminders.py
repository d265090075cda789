"""Reminders: setting one for an event."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from proverl.world.domain import Field, World, iso, refuse, shown, tool

from ..occurrences import occurrences
from ..results import EVENT, Channel, EventId, Reminder
from ..rules import check_coming, check_not_cancelled, coming, living, title_of


@tool("write", refusals="event_not_found event_in_past reminder_in_past event_cancelled", idempotent=True)
def set_event_reminder(
    world: World, event_id: EventId, minutes_before: Annotated[int, Field(ge=0, le=10080)], channel: Channel = "popup"
) -> Reminder:
    """Set or replace the user's reminder for an event, in minutes before its start; 0 turns it off. For a repeating
    event it counts for every occurrence. Returns the next moment at which the user is reminded.

    Args:
        event_id: id of the event
        minutes_before: 0 (off) to 10080 minutes
        channel: popup (default) or email
    """
    event = world.find(EVENT, event_id)
    ahead = coming(world, occurrences(world, event))
    check_coming(event, ahead)
    before, now = timedelta(minutes=minutes_before), world.now
    moments = [one.start - before for one in living(ahead) or ahead if one.start - before > now]
    if minutes_before and not moments:
        latest = "and no later occurrence would have one" if event["rrule"] else "set one for later"
        refuse("reminder_in_past", f"{minutes_before} minutes before {title_of(event)} are past; {latest}")
    check_not_cancelled(event, ahead)
    world.update(EVENT, event_id, reminder_minutes=minutes_before, reminder_channel=channel)
    remind_at = iso(moments[0]) if minutes_before else None
    return shown(Reminder, event, minutes_before=minutes_before, remind_at=remind_at, channel=channel)
