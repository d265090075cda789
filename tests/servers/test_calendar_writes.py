"""The calendar server does what an independent model of its writes says, and reads show it (support/calendar_model.py).

Covers: answers, refusals, messages and rows, on walks that seek the edges: of events that touch, of series that have
begun, of rooms that are just large enough, of reminders and of windows. Does not cover: the worlds as they open.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from proverl.laws.oracles import Row
from proverl.servers import load
from proverl.world.session import LocalSession
from support.calendar_books import broken_books
from support.calendar_model import Model, Watched
from support.oracles.calendar import Occurrence, attendance_of, now_of, seen_by_user, user_of, zone_of
from support.reach import calendar as ways

SERVER = load("calendar")
WRITES = [tool.name for tool in SERVER.tools if tool.effect != "read"]
SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
WORDS = ["Kite", "flying", "Pier", "Old", "club", "BOAT", "race"]


class Drawn:
    """Arguments for one call, most of them right, drawn from the rows and from what lies at an edge."""

    def __init__(self, session: Watched, chance: random.Random, focus: str = "") -> None:
        self.chance = chance
        self.focus = focus
        self.tables = session.tables
        self.model = Model(self.tables)
        self.now = now_of(self.tables)
        self.user = user_of(self.tables)
        self.people_of = attendance_of(self.tables)

    def rows(self, table: str) -> list[Row]:
        return self.tables.rows[table]

    def some(self, part: float, **given: Any) -> Row:
        """These arguments, each only now and then."""
        return {name: value() for name, value in given.items() if self.chance.random() < part}

    def one_of(self, right: list[Row], rows: list[Row]) -> Row:
        """Nine times of ten one that fits, if there is one."""
        return self.chance.choice(right if right and self.chance.random() < 0.9 else rows)

    def calendar(self) -> str:
        right = [row for row in self.rows("calendar") if row["role"] != "reader" and row["status"] == "active"]
        mains = [row for row in right if row["main"]]
        return str(self.one_of(mains if self.chance.random() < 0.6 else right, self.rows("calendar"))["calendar_id"])

    def event(self) -> Row:
        """Mostly one of the user's that is to come, often a series, often one that was touched before."""
        rows = seen_by_user(self.tables)
        focus = [row for row in rows if row["event_id"] == self.focus]
        if focus and self.chance.random() < 0.8:
            return focus[0]
        writable = {row["calendar_id"] for row in self.rows("calendar") if row["role"] != "reader"}
        right = [row for row in rows if row["organizer_id"] == self.user and row["calendar_id"] in writable]
        ahead = [row for row in right if datetime.fromisoformat(row["last_start"]) > self.now]
        wanted = self.chance.random()
        if wanted < 0.6:
            ahead = [row for row in ahead if bool(row["rrule"]) == (wanted < 0.4)]
        elif wanted < 0.8:
            ahead = ahead[-4:]
        return self.one_of(ahead, rows)

    def occurrence(self, event: Row) -> Occurrence:
        """Mostly one that is to come; often the first or last one."""
        every = self.model.occurrences(event)
        ahead = self.model.coming(every)
        found = ahead if ahead and self.chance.random() < 0.9 else every
        return self.chance.choice([found[0], found[-1], self.chance.choice(found)])

    def people(self, event: Row | None = None, most: int = 3) -> list[str]:
        """Mostly some who are not in the event; now and then some who are, or who have left."""
        there = self.people_of.get(event["event_id"], {}) if event else {}
        active = [row["person_id"] for row in self.rows("person") if row["status"] == "active"]
        others = [one for one in active if one not in there and one != self.user]
        number = self.chance.choice([1, 2, self.chance.randint(1, most), most])
        found = self.chance.sample(others, min(number, len(others)))
        if self.chance.random() < 0.2:
            strange = [*there, self.user, *(row["person_id"] for row in self.rows("person") if row["status"] == "left")]
            found[self.chance.randrange(len(found))] = self.chance.choice([*strange, "prs_0000"])
        return list(dict.fromkeys(found))

    def occupied(self, event: Row) -> list[str]:
        """People who take part in something on days of the event, and a few others."""
        there = self.people_of[event["event_id"]]
        days = {one.span.start.date() for one in self.model.occurrences(event)}
        others = [row for row in self.rows("event") if datetime.fromisoformat(row["starts_at"]).date() in days]
        found = {person: None for row in others for person in self.people_of[row["event_id"]] if person not in there}
        return [*found, *(one for one in self.people(event, 20) if one not in found), "prs_0000", "prs_9999"]

    def room(self, people: int = 0) -> str:
        """Mostly one that holds them, often just."""
        rooms = sorted(self.rows("room"), key=lambda row: int(row["capacity"]))
        fit = [row for row in rooms if row["capacity"] > people and row["status"] == "bookable"]
        return str(self.one_of(fit[:1] if self.chance.random() < 0.5 else fit, rooms)["room_id"])

    def moment(self, moment: datetime) -> str:
        """A moment as callers write it: with the user's offset, another one, or none."""
        moment = moment.astimezone(zone_of(self.tables))
        kinds = [moment.isoformat(), moment.replace(tzinfo=None).isoformat()]
        return self.chance.choice([*kinds, (moment - timedelta(hours=4)).replace(tzinfo=None).isoformat() + "Z"])

    def start(self, minutes: int) -> datetime:
        """When something could begin: far off, beside or over something else, or at the edge of what is allowed."""
        chance = self.chance
        edge = chance.random()
        if edge < 0.4:
            return self.now.replace(hour=3, minute=0) + chance.randint(100, 900) * DAY + chance.randint(0, 9) * MINUTE
        if edge < 0.5:
            years = timedelta(days=5 * 365)
            return self.now + chance.choice([-SECOND, timedelta(), SECOND, years, years + SECOND])
        return self.near(minutes)[0]

    def minutes(self) -> int:
        return self.chance.choice([5, 30, 60, 90, 1440])

    def title(self) -> str:
        return " ".join(self.chance.sample(WORDS, 2))

    def window(self, most: int, event: Row | None = None) -> Row:
        """A window that begins or ends where an occurrence does, or a second beside; mostly of a length that may be."""
        spans = [self.occurrence(event or self.event()).span for _ in range(2)]
        edges = [self.chance.choice([span.start, span.end, span.start - DAY]) for span in spans]
        low, high = (edge + self.chance.choice([-1, 0, 0, 1]) * SECOND for edge in edges)
        longest = low + timedelta(days=most)
        if not low < high <= longest and self.chance.random() < 0.8:
            high = low + self.chance.choice([SECOND, 50 * MINUTE, DAY, 5 * DAY, longest - low])
        elif self.chance.random() < 0.1:
            high = longest + SECOND
        return {"from_time": self.moment(low), "to_time": self.moment(high)}

    def near(self, minutes: int) -> tuple[datetime, Row]:
        """A start at which something of so many minutes touches or just overlaps an event, and the event."""
        event = self.event()
        span = self.occurrence(event).span
        beside = [span.end, span.end - MINUTE, span.start - minutes * MINUTE, span.start - (minutes - 1) * MINUTE]
        return self.chance.choice(beside), event


def create(drawn: Drawn) -> Row:
    minutes, people = drawn.minutes(), drawn.people(most=50 if drawn.chance.random() < 0.1 else 3)
    more = {"person_ids": lambda: people, "room_id": lambda: drawn.room(len(people)), "location": lambda: "Old Pier"}
    given = {"calendar_id": drawn.calendar(), "title": drawn.title(), "duration_minutes": minutes}
    given |= drawn.some(0.5, **more, on_conflict=lambda: "allow")
    start = drawn.start(minutes)
    if drawn.chance.random() < 0.4:
        start, event = drawn.near(minutes)
        given["calendar_id"] = event["calendar_id"] or given["calendar_id"]
        given |= {"room_id": event["room_id"], "person_ids": []} if event["room_id"] else {}
    return {**given, "start": drawn.moment(start)}


def repeat(drawn: Drawn) -> Row:
    chance, minutes, people = drawn.chance, drawn.minutes(), drawn.people()
    start = drawn.start(minutes)
    if chance.random() < 0.5:
        start = drawn.now.replace(hour=3) + chance.randint(1, 40) * DAY
    frequency = chance.choice(["daily", "weekly", "weekly", "weekly", "monthly", "yearly"])
    given = {"calendar_id": drawn.calendar(), "title": drawn.title(), "duration_minutes": minutes}
    if frequency == "weekly" or chance.random() < 0.1:
        own = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][start.weekday()]
        others = chance.sample(["FR", "MO", "SU", "WE"], 2)
        given |= drawn.some(0.6, weekdays=lambda: list(dict.fromkeys([*others, *([own] * (chance.random() < 0.8))])))
    until = (start.date() + chance.choice([-1, 0, 40, 259, 260]) * DAY).isoformat()
    ends: list[Row] = [{"count": chance.choice([2, 5, 13, 30])}, {"until": until}, {"count": 3, "until": until}, {}]
    given |= chance.choices(ends, (6, 6, 1, 1))[0]
    given |= drawn.some(0.4, person_ids=lambda: people, room_id=lambda: drawn.room(len(people)))
    interval = drawn.some(0.4, interval=lambda: chance.randint(1, 3))
    return {"start": drawn.moment(start), "frequency": frequency, **given, **interval}


def update(drawn: Drawn) -> Row:
    event = drawn.event()
    there = len(drawn.people_of[event["event_id"]]) - 1
    same = [name for name in ("title", "location", "description", "visibility", "room_id") if event[name]]
    new = drawn.some(
        0.4,
        title=drawn.title,
        location=lambda: drawn.chance.choice(["", "New Pier"]),
        room_id=lambda: drawn.room(there),
        description=lambda: drawn.chance.choice(["", "A kite\nand a boat"]),
        visibility=lambda: drawn.chance.choice(["private", "default"]),
    )
    again = {name: event[name] for name in drawn.chance.sample(same, min(len(same), 2))}
    return {"event_id": event["event_id"], **(again if drawn.chance.random() < 0.2 else {}), **new}


def scoped(drawn: Drawn, event: Row) -> Row:
    """The scope of a change, and an occurrence where it is needed; now and then wrong."""
    chance = drawn.chance
    if not event["rrule"] and chance.random() < 0.8:
        return {}
    scope = chance.choice(["this", "following", "all"])
    rule = drawn.occurrence(event).rule + (SECOND if chance.random() < 0.05 else timedelta())
    given = {"scope": scope, "occurrence": drawn.moment(rule)}
    if scope == "all" and chance.random() < 0.7:
        del given["occurrence"]
    if chance.random() < 0.1:
        del given[chance.choice(list(given))]
    return given


def move(drawn: Drawn) -> Row:
    event, chance = drawn.event(), drawn.chance
    start = drawn.start(event["duration_minutes"])
    if chance.random() < 0.3:
        start = drawn.occurrence(event).span.start + chance.choice([-1, 1, 2]) * timedelta(days=1, hours=1)
    more = drawn.some(0.4, duration_minutes=drawn.minutes, on_conflict=lambda: chance.choice(["allow", "reject"]))
    return {"event_id": event["event_id"], "new_start": drawn.moment(start), **scoped(drawn, event), **more}


def cancel(drawn: Drawn) -> Row:
    event = drawn.event()
    return {"event_id": event["event_id"], **scoped(drawn, event), **drawn.some(0.5, note=lambda: "No wind.")}


def add(drawn: Drawn) -> Row:
    event = drawn.event()
    crowded = [row for row in seen_by_user(drawn.tables) if len(drawn.people_of[row["event_id"]]) > 30]
    if crowded and drawn.chance.random() < 0.3:
        event = drawn.chance.choice(crowded)
    found = drawn.people(event, drawn.chance.choice([3, 20]))
    if drawn.chance.random() < 0.6:
        found = drawn.chance.sample(drawn.occupied(event), 3)
    return {"event_id": event["event_id"], "person_ids": found}


def remove(drawn: Drawn) -> Row:
    event = drawn.event()
    there = [one for one in drawn.people_of[event["event_id"]] if one != event["organizer_id"]]
    some = drawn.chance.sample(there, min(len(there), drawn.chance.randint(1, 20)))
    return {
        "event_id": event["event_id"],
        "person_ids": some if drawn.chance.random() < 0.8 and some else drawn.people(),
    }


def respond(drawn: Drawn) -> Row:
    events = {row["event_id"]: row for row in drawn.rows("event")}
    rows = drawn.rows("invitation")
    ahead = [row for row in rows if datetime.fromisoformat(events[row["event_id"]]["last_start"]) > drawn.now]
    series = [row for row in ahead if events[row["event_id"]]["rrule"]]
    right = series if drawn.chance.random() < 0.3 else ahead
    given = {"invitation_id": drawn.one_of(right, rows)["invitation_id"]}
    answer = drawn.chance.choice(["accepted", "accepted", "declined", "tentative"])
    return {**given, "answer": answer, **drawn.some(0.5, comment=lambda: "Gladly.")}


def remind(drawn: Drawn) -> Row:
    event = drawn.chance.choice(seen_by_user(drawn.tables)) if drawn.chance.random() < 0.4 else drawn.event()
    left = (drawn.occurrence(event).span.start - drawn.now) // MINUTE
    edge = min(max(left + drawn.chance.choice([-1, 0, 1]), 0), 10080)
    more = drawn.some(0.5, channel=lambda: drawn.chance.choice(["email", "popup"]))
    return {"event_id": event["event_id"], "minutes_before": drawn.chance.choice([edge, edge, 0, 10080]), **more}


def search(drawn: Drawn) -> Row:
    event = drawn.event()
    texts = [event[name] for name in ("title", "location", "description") if event[name]]
    word = drawn.chance.choice(" ".join(texts).split()).swapcase()
    person = drawn.chance.choice(list(drawn.people_of[event["event_id"]]))
    some = {"text": lambda: word + "  " + word[:2], "calendar_id": lambda: event["calendar_id"] or drawn.calendar()}
    given = drawn.some(0.5, **some, person_id=lambda: person)
    return {**given, **(drawn.window(92, event) if drawn.chance.random() < 0.8 else {})}


def dates(drawn: Drawn) -> Row:
    event = drawn.event()
    if not event["rrule"] and drawn.chance.random() < 0.9:
        event = drawn.chance.choice([row for row in seen_by_user(drawn.tables) if row["rrule"]])
    return {"event_id": event["event_id"], **(drawn.window(90, event) if drawn.chance.random() < 0.8 else {})}


def directory(drawn: Drawn) -> Row:
    person, room = drawn.chance.choice(drawn.rows("person")), drawn.chance.choice(drawn.rows("room"))
    texts = [person["name"], person["department"], person["email"], room["name"], room["building"]]
    return drawn.some(
        0.4,
        text=lambda: drawn.chance.choice(texts).swapcase(),
        kind=lambda: drawn.chance.choice(["person", "room"]),
        min_capacity=lambda: room["capacity"],
        equipment=lambda: drawn.chance.choice(["screen", "camera", "whiteboard", "phone"]),
    )


def available(drawn: Drawn) -> Row:
    event = drawn.event()
    people = list(drawn.people_of[event["event_id"]])[:4]
    room = drawn.some(0.6, room_id=lambda: event["room_id"] or drawn.room())
    return {"person_ids": people, **room, **drawn.window(14)}


def slots(drawn: Drawn) -> Row:
    return {**available(drawn), "duration_minutes": drawn.chance.choice([15, 20, 60, 240])}


MAKERS: dict[str, Callable[[Drawn], Row]] = {
    "list_calendars": lambda drawn: drawn.some(
        0.5,
        role=lambda: drawn.chance.choice(["owner", "editor", "reader"]),
        status=lambda: drawn.chance.choice(["active", "archived"]),
    ),
    "search_calendar_events": search,
    "get_calendar_event": lambda drawn: {"event_id": drawn.event()["event_id"]},
    "list_event_occurrences": dates,
    "search_calendar_directory": directory,
    "check_people_availability": available,
    "find_common_slots": slots,
    "list_event_invitations": lambda drawn: drawn.some(
        0.5, answer=lambda: drawn.chance.choice(["open", "accepted", "declined", "tentative"])
    ),
    "create_calendar_event": create,
    "create_recurring_event": repeat,
    "update_event_details": update,
    "reschedule_calendar_event": move,
    "cancel_calendar_event": cancel,
    "add_event_invitees": add,
    "remove_event_invitees": remove,
    "respond_to_event_invitation": respond,
    "set_event_reminder": remind,
}
"""For each tool a function that draws its arguments."""


OFTEN = {"list_calendars": 1, "list_event_invitations": 1, "search_calendar_directory": 2}
READS = [name for name in MAKERS if name not in WRITES for _ in range(OFTEN.get(name, 4))]


class Seen:
    """What walks came across: for each tool whether a second equal call after a success changed anything."""

    def __init__(self) -> None:
        self.again = dict[str, set[bool]]()

    def walk(self, seed: int, writes: int) -> int:
        """Make writes, each followed by reads, and let time pass to an edge now and then.

        Returns how many calls were compared with model or oracle.
        """
        session, chance = Watched(SERVER, seed), random.Random(f"calendar writes {seed}")
        for _ in range(writes):
            drawn = Drawn(session, chance)
            if chance.random() < 0.1:
                span = drawn.occurrence(drawn.event()).span
                moment = chance.choice([span.start, span.end]) + chance.choice([-1, 0, 1]) * SECOND
                if drawn.now < moment < drawn.now + 5 * DAY:
                    session.wait_until(moment)
                    drawn = Drawn(session, chance)
            tool = chance.choice(WRITES)
            arguments = MAKERS[tool](drawn)
            outcome = session.call(tool, arguments)
            if outcome.succeeded:
                self.repeat(session, tool, arguments)
                drawn = Drawn(session, chance, outcome.value["event_id"])
            for tool in chance.sample(READS, 2):
                session.call(tool, MAKERS[tool](drawn))
        assert broken_books(session, now_of(session.tables)) == []
        return session.compared

    def repeat(self, session: Watched, tool: str, arguments: Row) -> None:
        before = session.snapshot()
        with session.attempt():
            LocalSession.call(session, tool, arguments)
            self.again.setdefault(tool, set()).add(bool(session.changes(before)))


def test_the_model_knows_every_write_and_each_tool_is_walked() -> None:
    assert [name for name in WRITES if not hasattr(Model, name)] == []
    assert sorted(MAKERS) == sorted(tool.name for tool in SERVER.tools)


def test_calls_do_what_the_model_says_and_a_second_time_nothing_if_they_say_so(cases: Any) -> None:
    seen = Seen()
    cases["calls compared with a model"] += sum(seen.walk(seed, 45) for seed in range(2))
    idle = {tool for tool, changed in seen.again.items() if changed == {False}}
    assert idle == {tool.name for tool in SERVER.tools if tool.effect != "read" and tool.idempotent}


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10, 40))
def test_thousands_of_calls_do_what_the_model_says(seed: int, cases: Any) -> None:
    cases["calls compared with a model"] += Seen().walk(seed, 100)


@pytest.mark.parametrize(("tool", "code"), sorted(ways.reach()))
def test_each_way_to_a_refusal_does_what_the_model_says(tool: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "LocalSession", Watched)
    assert ways.reach()[tool, code]().code == code
