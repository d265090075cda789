"""Calendar worlds hold what the domain promises, break none of its rules, and differ from each other."""

from __future__ import annotations

import itertools
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import apsw
import pytest

from proverl.servers import load
from proverl.servers.calendar.seed import NEEDED
from proverl.servers.calendar.seed.rows import workday_from
from proverl.world.session import LocalSession
from support.calendar_books import broken_books, now, takings
from support.reach.calendar import done, sql

SERVER = load("calendar")
SEEDS = range(8)
MANY_SEEDS = range(150)
LONG_AGO = datetime.fromisoformat("2030-01-01T00:00:00+04:00")
NAMES = {
    "people": "SELECT name FROM person",
    "rooms": "SELECT name FROM room",
    "buildings": "SELECT building FROM room",
    "departments": "SELECT department FROM person",
    "calendars": "SELECT name FROM calendar",
    "events": "SELECT title FROM event",
}
Promises = dict[str, bool]
Row = dict[str, Any]


def column(session: LocalSession, query: str) -> list[Any]:
    return [next(iter(row.values())) for row in sql(session, query)]


def of_calendars(session: LocalSession) -> Promises:
    told = done(session, "list_calendars")
    rows = told["calendars"]
    roles = Counter(row["role"] for row in rows)
    names = [row["name"] for row in rows]
    opening = datetime.fromisoformat(told["now"])
    return {
        "5-8 calendars": 5 <= len(rows) <= 8,
        "own, shared for editing, shared for reading": set(roles) == {"owner", "editor", "reader"},
        "one archived": [row["status"] for row in rows].count("archived") == 1,
        "two with similar names": any(one[:4] == other[:4] for one, other in itertools.combinations(names, 2)),
        "names are unique": len(set(names)) == len(names),
        "it opens at 08:00 of a working day": (opening.hour, opening.minute) == (8, 0) and opening.weekday() < 5,
    }


def of_people_and_rooms(session: LocalSession) -> Promises:
    found = done(session, "search_calendar_directory")
    people, rooms = found["people"], found["rooms"]
    names = Counter(row["name"] for row in people)
    twins = [row["department"] for row in people if names[row["name"]] > 1]
    hours = Counter(row["working_hours"] for row in people)
    capacities = [row["capacity"] for row in rooms]
    return {
        "60-110 people": 60 <= len(people) <= 110,
        "two people of one name in different departments": len(set(twins)) == len(twins) == 2,
        "people are unique": len({(row["name"], row["department"]) for row in people}) == len(people),
        "three time zones": len({row["time_zone"] for row in people}) == 3,
        "part-timers": any(not one.endswith("Mon-Fri") or "13:00" in one for one in hours),
        "one who has left": [row["status"] for row in people].count("left") == 1,
        "8-15 rooms for 2 to 40": 8 <= len(rooms) <= 15 and (min(capacities), max(capacities)) == (2, 40),
        "one closed": [row["status"] for row in rooms].count("closed") == 1,
        "rooms are unique": len({(row["name"], row["building"]) for row in rooms}) == len(rooms),
    }


def of_events(session: LocalSession) -> Promises:
    today, found = now(session), takings(session)
    events, invited = sql(session, "SELECT * FROM event"), set(column(session, "SELECT event_id FROM invitation"))
    user = column(session, "SELECT person_id FROM employee")[0]
    visible = [
        (event["title"], start)
        for event, _, start, _ in found
        if event["calendar_id"] is not None or event["event_id"] in invited
    ]
    per_day = Counter((title, start.date()) for title, start in visible)
    kinds = Counter(column(session, "SELECT kind FROM event_exception WHERE NOT dropped"))
    starts = [start for _, _, start, _ in found]
    monday = today.date() + timedelta(days=7 - today.weekday())
    last: dict[str, datetime] = {}
    for event, _, start, _ in found:
        if event["rrule"] and event["organizer_id"] == user:
            last[event["event_id"]] = max(start, last.get(event["event_id"], start))
    return {
        "350-700 events": 350 <= len(events) <= 700,
        "20-40 series": 20 <= sum(event["rrule"] != "" for event in events) <= 40,
        "a title and a start mean one event": max(Counter(visible).values()) == 1,
        "some titles twice on a day": max(per_day.values()) > 1,
        "from 60 days back to 90 ahead": (today - min(starts)).days <= 61 and (max(starts) - today).days <= 93,
        "moved and cancelled occurrences": min(kinds["moved"], kinds["cancelled"]) > 0,
        "all-day events": any(row["duration_minutes"] == 1440 for row in events),
        "private events of others": bool(column(session, "SELECT 1 FROM event_now WHERE shut")),
        "one series is over": any(one < today for one in last.values()),
        "one series ends next week": any(monday <= one.date() < monday + timedelta(days=7) for one in last.values()),
        "events of the main calendar that clash": clash(session, found),
    }


def clash(session: LocalSession, found: list[tuple[Row, datetime, datetime, datetime]]) -> bool:
    main = column(session, "SELECT calendar_id FROM calendar WHERE main")[0]
    times = sorted((start, end) for event, _, start, end in found if event["calendar_id"] == main)
    return any(end > start for (_, end), (start, _) in itertools.pairwise(times))


def of_invitations(session: LocalSession) -> Promises:
    rows = done(session, "list_event_invitations")["invitations"]
    moment = now(session).isoformat()
    return {
        "20-45 invitations": 20 <= len(rows) <= 45,
        "each answer": {row["answer"] for row in rows} == {"open", "accepted", "declined", "tentative"},
        "some to events that are over, unanswered": any(r["answer"] == "open" and r["end"] < moment for r in rows),
        "received before the event and the opening": all(r["received_at"] < min(r["start"], moment) for r in rows),
        "not all on a full minute": any(row["received_at"][17:19] != "00" for row in rows),
        "title and organiser mean one invitation": len({(r["title"], r["organizer_name"]) for r in rows}) == len(rows),
    }


def faults(seed: int) -> list[str]:
    """What a world lacks of what the domain promises, and which of its rules its history breaks."""
    session = LocalSession(SERVER, seed)
    promised = [of_calendars, of_people_and_rooms, of_events, of_invitations]
    broken = [what for of in promised for what, holds in of(session).items() if not holds]
    return broken + broken_books(session, LONG_AGO)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_world_holds_all_that_the_domain_promises_and_its_history_breaks_no_rule(seed: int) -> None:
    assert faults(seed) == []


@pytest.mark.soak
def test_many_seeds_give_as_many_valid_worlds() -> None:
    digests = set()
    for seed in MANY_SEEDS:
        assert faults(seed) == [], f"seed {seed}"
        digests.add(SERVER.template(seed).digest)
    assert len(digests) == len(MANY_SEEDS)


MOMENT = "(SELECT moment FROM world_now)"
MAIN = "(SELECT calendar_id FROM calendar WHERE main)"
USER = "(SELECT person_id FROM employee)"
MINE = f"(person_id = {USER} AND event_id IN (SELECT event_id FROM invitation))"
CALLED_OFF = f"status = 'cancelled' AND event_id IN (SELECT event_id FROM invitation) AND starts_at > {MOMENT}"
UNANSWERED = f"event_id IN (SELECT event_id FROM attendance WHERE answer = 'open' AND person_id = {USER})"


def events(number: int) -> str:
    """Leave or make so many events."""
    return f"""
        DELETE FROM event WHERE event_id NOT IN (SELECT event_id FROM event LIMIT {number});
        CREATE TEMP TABLE more AS SELECT * FROM event; UPDATE more SET event_id = 'x' || event_id;
        INSERT INTO event SELECT * FROM more LIMIT {number} - (SELECT count(*) FROM event)
    """


def series(number: int) -> str:
    few = f"SELECT event_id FROM event LIMIT {number}"
    return f"UPDATE event SET rrule = iif(event_id IN ({few}), 'FREQ=DAILY', '')"


def invitations(number: int) -> str:
    few = f"SELECT 'x' || event_id, event_id, starts_at FROM event LIMIT {number}"
    return f"DELETE FROM invitation; INSERT INTO invitation {few}"


def coming(number: int) -> str:
    few = f"SELECT event_id FROM event WHERE organizer_id = {USER} LIMIT {number}"
    return f"""
        UPDATE event SET calendar_id = NULL WHERE calendar_id = {MAIN};
        UPDATE event SET calendar_id = {MAIN}, status = 'confirmed', starts_at = '2099' WHERE event_id IN ({few})
    """


LACKS = {
    "350 to 700 events": {events(349): 0, events(350): 1, events(700): 1, events(701): 0},
    "20 to 40 series": {series(19): 0, series(20): 1, series(40): 1, series(41): 0},
    "moved occurrences to come": {
        f"UPDATE event_exception SET starts_at = {MOMENT} WHERE kind = 'moved'": 0,
        "DELETE FROM event_exception WHERE kind = 'moved'": 0,
    },
    "20 to 45 invitations": {invitations(19): 0, invitations(20): 1, invitations(45): 1, invitations(46): 0},
    "invitations with each answer": {f"UPDATE attendance SET answer = 'open' WHERE answer = 'tentative' AND {MINE}": 0},
    "an invitation to a cancelled event to come": {
        f"UPDATE event SET status = 'tentative' WHERE {CALLED_OFF}": 0,
        f"UPDATE event SET starts_at = {MOMENT} WHERE {CALLED_OFF}": 0,
    },
    "an unanswered invitation to an event that is over": {
        f"UPDATE event SET status = 'cancelled' WHERE {UNANSWERED} AND starts_at < {MOMENT}": 0,
        f"UPDATE event SET starts_at = {MOMENT} WHERE {UNANSWERED} AND starts_at < {MOMENT}": 0,
        f"UPDATE attendance SET answer = 'declined' WHERE answer = 'open' AND {MINE}": 0,
    },
    "a private event of somebody else": {
        "UPDATE event SET visibility = 'default'": 0,
        f"DELETE FROM attendance WHERE person_id = {USER};"
        f" INSERT INTO attendance SELECT event_id, {USER}, 'open', NULL FROM event": 0,
    },
    "ten events to come in the main calendar": {
        coming(9): 0,
        coming(10): 1,
        f"{coming(10)}; UPDATE event SET status = 'tentative' WHERE starts_at = '2099'": 0,
        f"{coming(10)}; UPDATE event SET starts_at = {MOMENT} WHERE starts_at = '2099'": 0,
        f"{coming(10)}; UPDATE event SET calendar_id = NULL WHERE starts_at = '2099'": 0,
    },
    "a title twice on a day": {
        "UPDATE event SET title = event_id": 0,
        "UPDATE event SET title = event_id; UPDATE event SET title = 'Kite' WHERE event_id IN"
        f" (SELECT event_id FROM event WHERE calendar_id = {MAIN} GROUP BY substr(starts_at, 1, 10) LIMIT 9)": 0,
        f"{events(350)}; UPDATE event SET title = 'Kite', calendar_id = {MAIN}, starts_at = '2031-05-01'": 1,
    },
}
"""Changes to the rows of a world, and whether it then still holds what every world must hold."""


@pytest.mark.parametrize("what", NEEDED)
def test_a_world_that_lacks_what_every_world_must_hold_is_noticed(what: str) -> None:
    for change, holds in LACKS[what].items():
        rows = SERVER.template(0).open()
        assert rows.execute(NEEDED[what]).fetchone() == (1,)
        rows.execute("PRAGMA foreign_keys = OFF")
        rows.execute(change)
        assert rows.execute(NEEDED[what]).fetchone() == (holds,), change


WRONG = [
    "UPDATE calendar SET role = 'guest'",
    "UPDATE calendar SET name = 'Same'",
    "UPDATE calendar SET color = 'black'",
    "UPDATE calendar SET status = 'open'",
    "UPDATE calendar SET main = 2",
    "UPDATE person SET email = 'same@example.com'",
    "UPDATE person SET status = 'away'",
    "UPDATE room SET status = 'open'",
    "UPDATE event SET duration_minutes = 4",
    "UPDATE event SET duration_minutes = 1441",
    "UPDATE event SET visibility = 'public'",
    "UPDATE event SET status = 'open'",
    "UPDATE event SET reminder_channel = 'letter'",
    "UPDATE event SET calendar_id = 'cal_0000'",
    "UPDATE event SET room_id = 'rom_0000'",
    "UPDATE event SET organizer_id = 'prs_0000'",
    "UPDATE event_exception SET kind = 'gone'",
    "UPDATE event_exception SET dropped = 2",
    "UPDATE event_exception SET starts_at = NULL WHERE kind = 'moved'",
    "UPDATE event_exception SET duration_minutes = NULL WHERE kind = 'moved'",
    "UPDATE event_exception SET starts_at = '2031-05-01' WHERE kind = 'cancelled'",
    "UPDATE event_exception SET duration_minutes = 5 WHERE kind = 'cancelled'",
    "UPDATE event_exception SET event_id = 'evn_0000'",
    "UPDATE attendance SET answer = 'maybe'",
    "UPDATE attendance SET person_id = 'prs_0000'",
    "UPDATE invitation SET event_id = (SELECT event_id FROM event)",
]


@pytest.mark.parametrize("change", WRONG)
def test_rows_that_make_no_sense_are_not_kept(change: str) -> None:
    with pytest.raises(apsw.ConstraintError):
        SERVER.template(1).open().execute(change)


@pytest.mark.parametrize("minutes", [5, 1440])
def test_an_event_may_last_five_minutes_or_a_day(minutes: int) -> None:
    SERVER.template(1).open().execute(f"UPDATE event SET duration_minutes = {minutes}")


@pytest.mark.parametrize(("day", "opening"), [(2, 2), (6, 6), (7, 9), (8, 9), (9, 9)])
def test_a_world_opens_on_the_working_day_that_was_drawn_or_the_one_after_it(day: int, opening: int) -> None:
    """The second of June 2031 is a Monday."""
    drawn = datetime(2031, 6, day, 8, tzinfo=LONG_AGO.tzinfo)
    assert workday_from(drawn) == datetime(2031, 6, opening, 8, tzinfo=LONG_AGO.tzinfo)


@pytest.mark.parametrize("part", NAMES)
def test_two_worlds_share_at_most_half_of_their_names(part: str) -> None:
    names = [set(column(LocalSession(SERVER, seed), NAMES[part])) for seed in SEEDS]
    alike = [len(one & other) / len(one | other) for one, other in itertools.combinations(names, 2)]
    assert sum(alike) / len(alike) <= 0.5
