"""Calendar worlds: a seed becomes an employee with calendars, colleagues, rooms, events and invitations.

What happens is planned, sorted by time and done by the tools and the functions under them, so that no world breaks the
rules of the calendar. What the rules refuse (a time that clashes, a room that is taken) does not happen.

Every world holds what the domain is about: two calendars with similar names, an archived one and one that is shared for
reading only; two people of one name, part-timers, three time zones, somebody who has left; a closed room; events that
clash, private ones of others, the same title twice on a day; series with moved and cancelled occurrences, one that ends
next week and one that is over; invitations that are open, answered, over and cancelled.
"""

from __future__ import annotations

from proverl.world.domain import Builder

from ..results import CALENDAR
from .meetings import plan_hosted_meetings, plan_own_meetings
from .names import vocabulary
from .places import store_calendars, store_people, store_rooms
from .repeating import plan_series
from .rows import Office, workday_from

NEEDED = {
    "350 to 700 events": "SELECT count(*) BETWEEN 350 AND 700 FROM event",
    "20 to 40 series": "SELECT count(*) BETWEEN 20 AND 40 FROM event WHERE rrule <> ''",
    "moved occurrences to come": """
        SELECT count(*) > 0 FROM event_exception, world_now WHERE starts_at > moment""",
    "20 to 45 invitations": "SELECT count(*) BETWEEN 20 AND 45 FROM invitation",
    "invitations with each answer": "SELECT count(DISTINCT answer) = 4 FROM invitation_now",
    "an invitation to a cancelled event to come": """
        SELECT count(*) > 0 FROM invitation_now, world_now
        WHERE status = 'cancelled' AND start > moment""",
    "an unanswered invitation to an event that is over": """
        SELECT count(*) > 0 FROM invitation_now, world_now
        WHERE answer = 'open' AND start < moment AND status = 'confirmed'""",
    "a private event of somebody else": "SELECT count(*) > 0 FROM event_now WHERE shut",
    "ten events to come in the main calendar": """
        SELECT count(*) >= 10 FROM event_now, world_now
        WHERE status = 'confirmed' AND start > moment
        AND calendar_id = (SELECT calendar_id FROM calendar WHERE main)""",
    "a title twice on a day": """
        SELECT count(*) > 0 FROM (
          SELECT 1 FROM event_now WHERE title IS NOT NULL GROUP BY title, substr(start, 1, 10) HAVING count(*) > 1)""",
}
"""What every world must hold, each as a query for 1."""


def build(world: Builder) -> None:
    """Make the world of a seed; it opens on a working day."""
    world.opening = workday_from(world.opening)
    world.set_clock(world.opening)
    office = Office(world, topics=world.random.sample(vocabulary()["topics"], 22))
    store_people(office)
    store_rooms(office)
    store_calendars(office)
    plan_series(office)
    plan_own_meetings(office)
    plan_hosted_meetings(office)
    world.happen()
    world.update(CALENDAR, office.calendars["archived"], status="archived")
    lacking = [what for what, query in NEEDED.items() if not world.value(query)]
    assert not lacking, f"this world lacks {lacking}"
