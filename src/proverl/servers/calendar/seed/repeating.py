"""Series of a calendar world.

Covers: series of the user by the tools, with moved and cancelled occurrences, one that ends next week and one that is
over; series of colleagues. Does not cover: single events (meetings.py).
"""

from __future__ import annotations

from datetime import date, datetime

from proverl.world.domain import Builder, days, iso

from ..recurrence import Rule, first_starts, make_rule, rrule
from ..results import Frequency
from ..tools.events import cancel_calendar_event, reschedule_calendar_event
from ..tools.series import create_recurring_event
from .meetings import answer, host, plan_answer
from .rows import AHEAD, BACK, Office

EARLY = 14
"""Most days between setting up a series and its first occurrence."""


def plan_series(office: Office) -> None:
    """Let the user and colleagues set up series before the first of them takes place."""
    random, today = office.random, office.world.opening.date()
    monday = today + days(7 - today.weekday())
    _plan_own(office, "main", monday + days(random.randrange(5)) - days(7 * 6), "weekly", 1, 7, promised=True)
    _plan_own(office, "main", office.workday(-BACK, -50), "weekly", 1, random.randint(3, 5), promised=True)
    _plan_own(office, "main", monday + days(random.randrange(5)) - days(7 * 6), "weekly", 1, 12, promised=True, moved=9)
    for _ in range(random.randrange(12, 17)):
        _plan_drawn(office, "main" if office.happens(0.8) else "team", -55, -5)
    for _ in range(random.randrange(3, 6)):
        _plan_drawn(office, "main", 2, 20)
    for place in range(random.randrange(8, 12)):
        _plan_hosted(office, ("team", "read", None, None, "invited")[place % 5])


def _plan_drawn(office: Office, role: str, first: int, last: int) -> None:
    random = office.random
    day = office.workday(first, last)
    frequency: Frequency = random.choices(("weekly", "daily", "monthly"), (7, 1, 2))[0]
    interval = random.choice((1, 1, 2)) if frequency == "weekly" else 1
    count = random.randint(8, 14) if frequency == "daily" else random.randint(4, 18 // interval)
    _plan_own(office, role, day, frequency, interval, count)


def _plan_own(
    office: Office,
    role: str,
    day: date,
    frequency: Frequency,
    interval: int,
    count: int,
    *,
    promised: bool = False,
    moved: int = 0,
) -> None:
    """Let the user set up a series.

    One that every world has (`promised`) has nothing that could be refused, and no exception but the occurrence at
    place `moved`, if it is given.
    """
    random = office.random
    start = office.at(day)
    starts = _starts(office, make_rule(frequency, interval, None, start), start, count)
    title, people = office.title("series_kinds", *starts), office.people(4)
    minutes = random.choice((15, 30, 30, 45, 60))
    room_id = None if promised else office.room(len(people), 0.4)
    until = starts[-1].date().isoformat() if office.happens(0.5) else None

    def set_up(world: Builder) -> None:
        ends = {"until": until} if until else {"count": len(starts)}
        given = (iso(start), minutes, frequency, interval, None)
        made = create_recurring_event(
            world, office.calendars[role], title, *given, person_ids=people, room_id=room_id, **ends
        )
        answer(office, made["event_id"], people)
        changed = 0 if promised else min(len(starts[1:-1]), random.choice((0, 1, 1, 2, 3)))
        for occurrence in random.sample(starts[1:-1], changed):
            _plan_exception(office, made["event_id"], title, occurrence, people)
        if moved:
            _plan_exception(office, made["event_id"], title, starts[moved], people, cancels=False)

    office.world.plan(office.before(start, EARLY), set_up)


def _starts(office: Office, rule: Rule, first: datetime, number: int) -> list[datetime]:
    """The first starts of a series, as far ahead as a world goes."""
    return first_starts(rule, first, number, office.world.opening + days(AHEAD))


def _plan_exception(
    office: Office, event_id: str, title: str, occurrence: datetime, people: list[str], *, cancels: bool = True
) -> None:
    """Let one occurrence be moved, or cancelled, in the days before it, or today in the small hours."""
    world = office.world
    moment = max(office.before(occurrence, 3), world.now)
    if cancels and office.happens(0.5):
        world.plan(moment, lambda _: cancel_calendar_event(world, event_id, "this", iso(occurrence)))
        return
    while not office.take(title, later := office.day_after(occurrence)):
        pass

    def move(_: Builder) -> None:
        reschedule_calendar_event(world, event_id, iso(later), scope="this", occurrence=iso(occurrence))
        answer(office, event_id, people)

    world.plan(moment, move)


def _plan_hosted(office: Office, role: str | None) -> None:
    """A weekly series of a colleague: in a shared calendar, in none of the user's, or with the user."""
    random, world = office.random, office.world
    start = office.at(office.workday(-40, -3))
    invited = role == "invited"
    organizer, *people = random.sample(office.circle, random.randint(2, 6))
    people = [office.user, *people] if invited else people
    rule = make_rule("weekly", random.choice((1, 1, 2)), None, start)
    starts = _starts(office, rule, start, random.randint(6, 16))
    title, minutes = office.title("series_kinds", *starts), random.choice((30, 45, 60))
    room_id = office.room(len(people), 0.4)
    columns = {
        "calendar_id": office.calendars.get(role or ""),
        "room_id": room_id,
        "rrule": rrule(rule, count=len(starts)),
        "last_start": iso(starts[-1]),
    }

    def set_up(_: Builder) -> None:
        event_id = host(world, office, title, starts, minutes, organizer, people, **columns)
        if invited:
            plan_answer(office, event_id, start)

    world.plan(office.before(start, EARLY), set_up)
