"""Single events of a calendar world, and the invitations of the user.

Covers: what the user plans by the tools, what colleagues plan with the user, without or in calendars that are shared,
answers, and what is moved, cancelled or changed before it takes place. Does not cover: series (repeating.py).
"""

from __future__ import annotations

from bisect import bisect
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from proverl.world.domain import Builder, iso

from ..results import EVENT, PERSON, ROOM, Answer, AnswerSoFar, OnConflict
from ..rules import check_room, store_event
from ..tools.events import cancel_calendar_event, create_calendar_event, reschedule_calendar_event, update_event_details
from ..tools.invitations import respond_to_event_invitation, store_answer, store_invitation
from ..tools.reminders import set_event_reminder
from .names import vocabulary
from .rows import AHEAD, BACK, Office

Fate: TypeAlias = Literal["cancelled"] | AnswerSoFar

MEETINGS: tuple[tuple[str, int, int, int, int, OnConflict], ...] = (
    ("main", 115, 130, -BACK, AHEAD, "reject"),
    ("team", 24, 34, -BACK, AHEAD, "reject"),
    ("archived", 10, 16, -BACK, -25, "reject"),
    ("main", 12, 18, -20, 25, "allow"),
)
"""What the user plans: the calendar, how many (at least, fewer than), the days, and whether over something else."""
SEQUELS = (0.12, 0.24, 0.30, 0.36)
"""How many of these events get a description, a reminder, are cancelled or moved: each share with those before it."""
HIDDEN, SHARED = 80, 60
INVITATIONS = (26, 42)
FATES: tuple[Fate, ...] = ("cancelled", "cancelled", "accepted", "declined", "tentative", "open", "open", "open")
"""What becomes of the first invitations; the rest is left to chance."""
ANSWERS: list[AnswerSoFar] = ["accepted", "declined", "tentative", "open"]


# What the user plans


def plan_own_meetings(office: Office) -> None:
    """Let the user plan meetings in the own calendars and in the team's, some of them over others."""
    random = office.random
    for role, least, most, first, last, on_conflict in MEETINGS:
        for _ in range(random.randrange(least, most)):
            _plan_meeting(office, role, first, last, on_conflict=on_conflict)
    for _ in range(4):  # one title twice on a day
        start = office.at(office.workday(1, 20), 9, 12)
        both = start, start + timedelta(hours=random.randint(2, 4))
        title = office.title("kinds", *both)
        for begins in both:
            _plan_meeting(office, "main", 0, 0, start=begins, title=title, on_conflict="allow")
    for _ in range(random.randrange(18, 28)):
        _plan_errand(office)
    for _ in range(random.randrange(5, 9)):
        day = office.workday(-BACK, AHEAD)
        start = datetime(day.year, day.month, day.day, tzinfo=office.world.offset)
        title = f"{random.choice(vocabulary()['days_off'])} {random.choice(office.topics)}"
        if office.take(title, start):
            whole = {"calendar_id": office.calendars["personal"], "status": random.choice(["tentative", "confirmed"])}
            office.world.plan(office.before(start), store_event, title, start, 1440, office.user, [], **whole)


def _plan_meeting(
    office: Office,
    role: str,
    first: int,
    last: int,
    *,
    on_conflict: OnConflict = "reject",
    start: datetime | None = None,
    title: str = "",
) -> None:
    random, words = office.random, vocabulary()
    begins = start or office.at(office.workday(first, last))
    people = office.people(5) if office.happens(0.75) else []
    room_id = office.room(len(people), 0.35)
    location = random.choice(words["places"]) if room_id is None and office.happens(0.5) else None
    name = title or office.title("kinds", begins)
    minutes = office.minutes()

    def create(world: Builder) -> None:
        given = (iso(begins), minutes, people, room_id, location, on_conflict)
        made = create_calendar_event(world, office.calendars[role], name, *given)
        answer(office, made["event_id"], people)
        _plan_sequel(office, made["event_id"], name, begins)

    office.world.plan(office.before(begins), create)


def _plan_sequel(office: Office, event_id: str, title: str, start: datetime) -> None:
    """Some events get a description or a reminder, some are moved or cancelled."""
    random, world = office.random, office.world
    moment = office.until(start)
    kind = bisect(SEQUELS, random.random())
    if kind == 0:
        text = random.choice(vocabulary()["descriptions"]).format(topic=title.lower())
        world.plan(moment, lambda _: update_event_details(world, event_id, description=text))
    elif kind == 1:
        minutes = random.choice((5, 10, 15, 30, 60))
        world.plan(moment, lambda _: set_event_reminder(world, event_id, minutes, random.choice(("popup", "email"))))
    elif kind == 2:
        note = random.choice([None, *vocabulary()["notes"]])
        world.plan(moment, lambda _: cancel_calendar_event(world, event_id, note=note))
    elif kind == 3:
        later = office.day_after(start)
        if office.take(title, later):
            world.plan(moment, lambda _: reschedule_calendar_event(world, event_id, iso(later)))


def _plan_errand(office: Office) -> None:
    random, words = office.random, vocabulary()
    start = office.at(office.workday(-BACK, AHEAD), 8, 18)
    surname = random.choice(words["surnames"])
    title = f"{random.choice(words['errands'])} {surname}"
    if not office.take(title, start):
        return
    roles = ["personal", *(["second"] if "second" in office.calendars else [])]
    given = (title, iso(start), random.choice((30, 45, 60)))
    calendar_id = office.calendars[random.choice(roles)]
    office.world.plan(office.before(start), lambda world: create_calendar_event(world, calendar_id, *given))


# What colleagues plan


def plan_hosted_meetings(office: Office) -> None:
    """Let colleagues plan meetings among themselves, in shared calendars, and with the user."""
    random = office.random
    for _ in range(HIDDEN):
        _plan_hosted(office, None, -10, 30)
    shared = [role for role in ("team", "read", "read", "other", "joint") if role in office.calendars]
    for _ in range(SHARED):
        _plan_hosted(office, random.choice(shared), -BACK, AHEAD)
    for place in range(random.randrange(*INVITATIONS)):
        ahead = place < 7 or (place > 8 and office.happens(0.6))
        start = office.at(office.workday(1, 40) if ahead else office.workday(-45, -1))
        _plan_invitation(office, start, place)


def _plan_hosted(office: Office, role: str | None, first: int, last: int) -> None:
    random = office.random
    start = office.at(office.workday(first, last))
    organizer, *people = random.sample(office.circle + office.others, random.randint(2, 6))
    columns = {
        "calendar_id": None if role is None else office.calendars[role],
        "room_id": office.room(len(people), 0.3),
        "location": random.choice(vocabulary()["places"]) if office.happens(0.3) else None,
        "visibility": "private" if role is not None and office.happens(0.15) else "default",
        "status": "tentative" if office.happens(0.1) else "confirmed",
    }
    title, minutes = office.title("kinds", start), office.minutes()
    office.world.plan(office.before(start), host, office, title, [start], minutes, organizer, people, **columns)


def host(
    world: Builder,
    /,
    office: Office,
    title: str,
    starts: list[datetime],
    minutes: int,
    organizer: str,
    people: list[str],
    **columns: Any,
) -> str:
    """Let a colleague plan an event now that takes place at these starts; returns its id. Refuses room_unavailable."""
    room = world.find(ROOM, columns.get("room_id"))
    check_room(world, room, [(start, start + timedelta(minutes=minutes)) for start in starts])
    event_id = store_event(world, title, starts[0], minutes, organizer, people, **columns)
    answer(office, event_id, [one for one in people if one != office.user])
    return event_id


def _plan_invitation(office: Office, start: datetime, place: int) -> None:
    random, world = office.random, office.world
    organizer = random.choice(office.circle)
    name = world.find(PERSON, organizer)["name"]
    title = office.title("kinds", start)
    while (title, name) in office.invited:
        title = office.title("kinds", start)
    office.invited.add((title, name))
    people = [office.user, *random.sample([one for one in office.circle if one != organizer], random.randint(0, 4))]
    room_id, minutes = office.room(len(people), 0.3) if place > 8 else None, office.minutes()
    fate = FATES[place] if place < len(FATES) else None

    def send(_: Builder) -> None:
        event_id = host(world, office, title, [start], minutes, organizer, people, room_id=room_id)
        plan_answer(office, event_id, start, fate)

    world.plan(office.before(start, 12), send)


def plan_answer(office: Office, event_id: str, start: datetime, fate: Fate | None = None) -> None:
    """Let an invitation to a stored event arrive now; some are answered, some events are cancelled."""
    random, world = office.random, office.world
    invitation_id = store_invitation(world, event_id)
    moment = office.until(start)
    chosen = fate or random.choices(ANSWERS, (28, 11, 11, 50))[0]
    if chosen == "cancelled":
        if office.happens(0.5):
            accept = world.now + (moment - world.now) / 2
            world.plan(accept, lambda _: respond_to_event_invitation(world, invitation_id, "accepted"))
        world.plan(moment, lambda _: world.update(EVENT, event_id, status="cancelled"))
    elif chosen != "open":
        given: Answer = chosen
        world.plan(moment, lambda _: respond_to_event_invitation(world, invitation_id, given))


def answer(office: Office, event_id: str, people: list[str]) -> None:
    """Let invitees answer, or not."""
    for person_id, chosen in zip(people, office.random.choices(ANSWERS, (6, 1, 1, 2), k=len(people)), strict=True):
        if chosen != "open":
            store_answer(office.world, event_id, person_id, chosen)
