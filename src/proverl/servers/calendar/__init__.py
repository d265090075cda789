"""The work calendar of one employee in Dubai, whose colleagues work in three time zones.

Covers: own and shared calendars, single and repeating events with moved and cancelled occurrences, invitations both
ways, meeting rooms, free and busy times, the directory of people and rooms, reminders. Zones have one offset all year,
as those of Dubai, India and West Africa have. Does not cover: mail to invitees, what colleagues do while a session
runs, attachments and video links.

Where the catalogue of the domain is silent or at odds with itself:

- A room or person that does not exist is room_not_found or person_not_found also where no list of refusals names it.
- Who may not write to a calendar cannot invite people to its events or take them off either (read_only_calendar).
- A cancelled event cannot be changed, moved, or given other invitees (event_cancelled).
- Of a series that has begun, `all` is whatever has not started: the past stays as it was, and the later part becomes a
  new event, as with `following`. Cancelling a later part ends the series before it.
- Occurrences have no invitees of their own: moving one of them sets the answers to the whole series back.
- Times are in whole seconds; one with a fraction is refused.
- A start lies at most five years of 365 days ahead. A series has at most 260 occurrences whatever ends it.
- An accepted invitation is in the user's main calendar; any other answer takes it out again.
"""

from proverl.world.domain import Server

from .seed import build
from .tools import calendars, directory, events, invitations, invitees, reminders, series

server = Server(
    "calendar",
    package=__name__,
    category="Productivity",
    about="""The work calendar of one office employee: own and shared calendars, single and repeating events,
        invitations, rooms, and the free and busy times of colleagues in several time zones.""",
    tools=[calendars, events, series, directory, invitees, invitations, reminders],
    seed=build,
    discovery=["list_calendars", "search_calendar_events", "search_calendar_directory", "list_event_invitations"],
    opens=8,
    offset=4,  # Dubai, which keeps no summer time
)
