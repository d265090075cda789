"""What must hold in every state of a calendar world, worked out from the tables in plain Python.

Covers: when events take place, day by day from the text of their rules; that rooms hold one event at a time and all who
come; answers, invitations and series. Does not cover: what the tools say.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

from proverl.world.session import LocalSession
from support.reach.calendar import sql

DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
Row = dict[str, Any]


def now(session: LocalSession) -> datetime:
    """The session's virtual time."""
    return datetime.fromisoformat(sql(session, "SELECT moment FROM world_now")[0]["moment"])


def repeats_on(rule: dict[str, str], first: date, day: date) -> bool:
    """Whether a series that begins on a day has an occurrence on another, by the definition of RFC 5545."""
    interval = int(rule["INTERVAL"])
    months = (day.year - first.year) * 12 + day.month - first.month
    if day < first:
        return False
    if rule["FREQ"] == "DAILY":
        return (day - first).days % interval == 0
    if rule["FREQ"] == "WEEKLY":
        weeks = (day - timedelta(day.weekday()) - (first - timedelta(first.weekday()))).days // 7
        return weeks % interval == 0 and DAYS[day.weekday()] in rule["BYDAY"].split(",")
    step = interval * (12 if rule["FREQ"] == "YEARLY" else 1)
    return day.day == first.day and months % step == 0


def originals(event: Row) -> list[datetime]:
    """The starts of an event by its rule, found by looking at every day."""
    first, last = datetime.fromisoformat(event["starts_at"]), datetime.fromisoformat(event["last_start"])
    if not event["rrule"]:
        return [first]
    rule = dict(part.split("=") for part in event["rrule"].split(";"))
    every = ((first + timedelta(days=number)) for number in range((last - first).days + 1))
    return [start for start in every if repeats_on(rule, first.date(), start.date())]


def takings(session: LocalSession) -> list[tuple[Row, datetime, datetime, datetime]]:
    """(event, original start, start, end) of every occurrence that is not cancelled."""
    changed = {
        (row["event_id"], row["occurrence"]): row
        for row in sql(session, "SELECT * FROM event_exception WHERE NOT dropped")
    }
    found = []
    for event in sql(session, "SELECT * FROM event WHERE status <> 'cancelled' ORDER BY event_id"):
        for original in originals(event):
            row = changed.get((event["event_id"], original.isoformat()))
            if row is not None and row["kind"] == "cancelled":
                continue
            start = original if row is None else datetime.fromisoformat(row["starts_at"])
            minutes = (event if row is None else row)["duration_minutes"]
            found.append((event, original, start, start + timedelta(minutes=minutes)))
    return found


def broken_rooms(session: LocalSession, since: datetime) -> list[str]:
    """Rooms that two events have at a time, or that are too small, from a moment on."""
    booked: dict[str, list[tuple[datetime, datetime, str]]] = defaultdict(list)
    sizes = {row["room_id"]: row["capacity"] for row in sql(session, "SELECT room_id, capacity FROM room")}
    coming = Counter(row["event_id"] for row in sql(session, "SELECT event_id FROM attendance"))
    wrong = []
    for event, _, start, end in takings(session):
        if event["room_id"] is not None and end > since:
            booked[event["room_id"]].append((start, end, event["event_id"]))
            if coming[event["event_id"]] > sizes[event["room_id"]]:
                wrong.append(f"{event['event_id']} has too many people for {event['room_id']}")
    for room, times in booked.items():
        times.sort()
        wrong += [
            f"{room} is taken by {one} and {other} at {start}"
            for (_, end, one), (start, _, other) in pairwise(times)
            if start < end
        ]
    return wrong


QUESTIONS = {
    "the organiser has not accepted": """
        SELECT event_id FROM event e WHERE NOT EXISTS (SELECT 1 FROM attendance a
        WHERE a.event_id = e.event_id AND a.person_id = e.organizer_id AND a.answer = 'accepted')""",
    "an invitation without an answer": """
        SELECT invitation_id FROM invitation i WHERE NOT EXISTS (SELECT 1 FROM attendance a
        WHERE a.event_id = i.event_id AND a.person_id = (SELECT person_id FROM employee))""",
    "an event is in the main calendar if and only if its invitation is accepted": """
        SELECT i.invitation_id FROM invitation i JOIN event e USING (event_id) JOIN attendance a
        ON a.event_id = i.event_id AND a.person_id = (SELECT person_id FROM employee)
        WHERE (a.answer = 'accepted') <> (e.calendar_id IS (SELECT calendar_id FROM calendar WHERE main))""",
    "more than 50 invitees": "SELECT event_id FROM invitee GROUP BY event_id HAVING count(*) > 50",
    "an event organised by the user in a calendar that the user can only read": """
        SELECT event_id FROM event_now WHERE mine AND NOT writable
        AND calendar_id NOT IN (SELECT calendar_id FROM calendar WHERE status = 'archived')""",
    "a series that ends before it begins": "SELECT event_id FROM event WHERE last_start < starts_at",
    "a single event with a last start of its own": """
        SELECT event_id FROM event WHERE rrule = '' AND last_start <> starts_at""",
}
"""Each finds what must not be."""


def broken_books(session: LocalSession, since: datetime) -> list[str]:
    """What is wrong with the state; rooms from a moment on."""
    wrong = [what for what, query in QUESTIONS.items() if sql(session, query)]
    for event in sql(session, "SELECT * FROM event WHERE rrule <> '' ORDER BY event_id"):
        starts, rule = originals(event), dict(part.split("=") for part in event["rrule"].split(";"))
        if starts[-1].isoformat() != event["last_start"] or not 1 <= len(starts) <= 260:
            wrong.append(f"{event['event_id']} does not end with its last start")
        if "COUNT" in rule and int(rule["COUNT"]) != len(starts):
            wrong.append(f"{event['event_id']} has {len(starts)} occurrences, not {rule['COUNT']}")
    return wrong + broken_rooms(session, since)
