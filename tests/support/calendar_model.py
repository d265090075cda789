"""What the writes of the calendar server should do: the refusal, the answer, and every row that is different after it.

Covers: the nine tools that write, after their descriptions; `difference`, what a write did otherwise; `Watched`, a
session each of whose writes is compared with the model and each of whose reads with its oracle. Does not cover: the
rules that several tools share (calendar_rules.py), reads (oracles).
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from operator import itemgetter
from typing import Any

from proverl.laws.oracles import Refusal, Row, Tables, tables_of
from proverl.records import Kind, Outcome
from proverl.world.session import LocalSession
from support.calendar_rules import (
    MOST_INVITEES,
    MOST_OCCURRENCES,
    SOON,
    Arguments,
    Named,
    Part,
    Rule,
    Rules,
    Words,
    codes,
    living,
    parts_of,
    refuse,
    shifted,
    until_day,
    with_count,
)
from support.oracles.calendar import ORACLES, Span, candidates, is_shut, moment_of, user_of


class Model(Rules):
    """A world before a write. The tool's method changes its rows as the tool should, and returns the answer."""

    # Creating

    def create_calendar_event(self, a: Arguments) -> Row:
        begins, people = self.start("start", a["start"]), a.get("person_ids", [])
        self.check_without_user(people)
        calendar = self.of("calendar", "calendar_id", a["calendar_id"])
        room = self.maybe_room(a)
        self.check_writable(calendar)
        self.check_not_past(begins)
        span = Span(begins, begins + timedelta(minutes=a["duration_minutes"]))
        self.check_conflict(a["calendar_id"], [span], a)
        self.check_room(room, [span])
        self.check_seats(room, len(people))
        self.check_stay(self.people(people))
        columns = {name: a.get(name) for name in ("calendar_id", "title", "room_id", "location")}
        key = self.store(begins, a["duration_minutes"], people, **columns)
        start, end = self.span(span)
        shown = {"title": a["title"], "start": start, "end": end, "room_id": a.get("room_id")}
        return {"event_id": key, **shown, "invited": len(people)}

    def create_recurring_event(self, a: Arguments) -> Row:
        begins, people = self.start("start", a["start"]), a.get("person_ids", [])
        until = self.until(a["until"], begins) if "until" in a else None
        weekly, weekdays = a["frequency"] == "weekly", a.get("weekdays")
        refuse("invalid_argument", "weekdays", *(weekdays or ()), a["frequency"], when=weekdays and not weekly)
        self.check_without_user(people)
        rule = {"FREQ": a["frequency"].upper(), "INTERVAL": str(a.get("interval", 1))}
        if weekly:
            named = weekdays or [codes()[begins.weekday()]]
            rule["BYDAY"] = ",".join(code for code in codes() if code in named)
        every = candidates(begins, rule)
        starts = [*islice(every if until is None else until_day(every, until), a.get("count", MOST_OCCURRENCES + 1))]
        endless = until is not None and len(starts) > MOST_OCCURRENCES
        refuse("invalid_argument", a.get("until"), MOST_OCCURRENCES, when=endless)
        calendar = self.of("calendar", "calendar_id", a["calendar_id"])
        room = self.maybe_room(a)
        found = self.people(people)
        self.check_writable(calendar)
        self.check_not_past(begins)
        refuse("until_or_count_required", a["title"], "until", "count", when=("until" in a) == ("count" in a))
        off = weekly and codes()[begins.weekday()] not in rule["BYDAY"]
        refuse("start_not_on_weekday", self.stamp(begins), codes()[begins.weekday()], *(weekdays or ()), when=off)
        length = timedelta(minutes=a["duration_minutes"])
        wanted = [Span(one, one + length) for one in starts]
        self.check_room(room, wanted)
        self.check_seats(room, len(people))
        self.check_stay(found)
        hits = self.overlapping(self.confirmed_in(a["calendar_id"]), wanted[:SOON])
        conflicts = [{"occurrence": self.stamp(starts[at]), "event_id": hit["event_id"]} for at, hit, _ in hits]
        text = with_count(rule, a.get("count", 0))
        if until is not None:
            last = datetime(until.year, until.month, until.day, 23, 59, 59, tzinfo=begins.tzinfo)
            text = text.replace("COUNT=0", f"UNTIL={last.astimezone(UTC):%Y%m%dT%H%M%SZ}")
        columns = {"calendar_id": a["calendar_id"], "title": a["title"], "room_id": a.get("room_id"), "rrule": text}
        last_start = self.stamp(starts[-1])
        key = self.store(begins, a["duration_minutes"], people, **columns, last_start=last_start)
        shown = {"title": a["title"], "rrule": text, "first_start": self.stamp(begins), "occurrences": len(starts)}
        return {"event_id": key, **shown, "conflicts": conflicts}

    def until(self, text: str, begins: datetime) -> date:
        try:
            day = datetime.strptime(text, "%Y-%m-%d").date()
        except ValueError:
            raise Named("invalid_argument", ("until", text)) from None
        refuse("invalid_argument", "until", text, when=day.isoformat() != text)
        refuse("invalid_argument", "until", text, self.stamp(begins), when=day < begins.date())
        return day

    # Changing

    def update_event_details(self, a: Arguments) -> Row:
        event = self.of("event", "event_id", a["event_id"])
        room = self.maybe_room(a)
        self.check_own(event)
        ahead = self.ahead(event)
        names = ("title", "location", "room_id", "description", "visibility")
        changed = [name for name in names if name in a and a[name] != event[name]]
        refuse("nothing_to_change", event["title"], when=not changed)
        if "room_id" in changed:
            self.check_room(room, [one.span for one in living(ahead)], event["event_id"])
            self.check_seats(room, len(self.invitees(event)))
        event.update({name: a[name] for name in changed})
        event["searched"] = Words(event["title"], event["location"], event["description"])
        return {"event_id": event["event_id"], **{name: event[name] for name in names}, "changed": changed}

    def reschedule_calendar_event(self, a: Arguments) -> Row:
        begins = self.start("new_start", a["new_start"])
        original = self.moment("occurrence", a["occurrence"]) if "occurrence" in a else None
        event = self.own_event(a["event_id"])
        part = self.part(event, a, original)
        self.check_coming(event, part.ahead)
        first_only = a.get("scope") in ("this", "following") and part.named is not None and event["rrule"]
        self.check_lives(event, part.ahead[:1] if first_only else part.ahead)
        self.check_not_past(begins)
        self.check_scope(part, a, original)
        minutes: int = event["duration_minutes"]
        if part.one:
            minutes = (part.ahead[0].span.end - part.ahead[0].span.start) // timedelta(minutes=1)
        minutes = int(a.get("duration_minutes", minutes))
        length, starts, rule = timedelta(minutes=minutes), [begins], None
        if not part.one:
            rule = shifted(parts_of(event["rrule"]), (begins.date() - part.since.date()).days)
            starts = [*islice(candidates(begins, rule), len(part.later))]
        wanted = [Span(one, one + length) for one in starts]
        self.check_conflict(event["calendar_id"], wanted, a, part)
        room = None if event["room_id"] is None else self.of("room", "room_id", event["room_id"])
        self.check_room(room, wanted, part)
        answered = [row for row in self.invitees(event).values() if row["answer"] != "open"]
        moved, many = self.move(part, starts, minutes, rule), len(answered)
        shown = {"event_id": moved, "title": event["title"], "start": self.stamp(begins)}
        shown |= {"end": self.stamp(begins + length), "duration_minutes": minutes, "scope": a.get("scope")}
        return {**shown, "occurrence": original and self.stamp(original), "answers_reset": many}

    def move(self, part: Part, starts: list[datetime], minutes: int, rule: Rule | None) -> str:
        """Move a part; returns the id of the event that it is then."""
        event, first, last = part.event, self.stamp(starts[0]), self.stamp(starts[-1])
        if rule is not None and part.earlier:
            self.end_early(part)
            names = ("title", "calendar_id", "location", "room_id", "description", "visibility", "status")
            kept = {name: event[name] for name in (*names, "reminder_minutes", "reminder_channel")}
            later = {"rrule": with_count(rule, len(starts)), "last_start": last}
            return self.store(starts[0], minutes, self.invitees(event), **kept, **later)
        if rule is None and event["rrule"]:
            self.change_one(part, "moved", starts_at=first, duration_minutes=minutes)
        else:
            self.forget(event, part.since)
            event.update(starts_at=first, last_start=last, duration_minutes=minutes)
            event["rrule"] = "" if rule is None else with_count(rule, len(starts))
        for row in self.invitees(event).values():
            row.update({"answer": "open", "comment": None} if row["answer"] != "open" else {})
        return str(event["event_id"])

    def end_early(self, part: Part) -> None:
        event = part.event
        self.forget(event, part.since)
        text = with_count(parts_of(event["rrule"]), len(part.earlier))
        event.update(rrule=text, last_start=self.stamp(part.earlier[-1]))

    def forget(self, event: Row, since: datetime) -> None:
        for row in self.tables.rows["event_exception"]:
            if row["event_id"] == event["event_id"] and datetime.fromisoformat(row["occurrence"]) >= since:
                row["dropped"] = 1

    def change_one(self, part: Part, kind: str, **columns: Any) -> None:
        key = {"event_id": part.event["event_id"], "occurrence": self.stamp(part.since)}
        rows = self.tables.rows["event_exception"]
        rows[:] = [row for row in rows if {name: row[name] for name in key} != key]
        rows.append({**key, "kind": kind, "starts_at": None, "duration_minutes": None, "note": None, **columns})
        rows[-1]["dropped"] = 0

    def cancel_calendar_event(self, a: Arguments) -> Row:
        original = self.moment("occurrence", a["occurrence"]) if "occurrence" in a else None
        event, note = self.own_event(a["event_id"]), a.get("note")
        part = self.part(event, a, original)
        self.check_coming(event, part.ahead)
        self.check_scope(part, a, original)
        number = len(living(part.ahead))
        refuse("already_cancelled", event["title"], a["event_id"], when=not number)
        if part.one and event["rrule"]:
            self.change_one(part, "cancelled", note=note)
        elif part.earlier:
            self.end_early(part)
            event["note"] = note
        else:
            event.update(status="cancelled", note=note)
        shown = {"event_id": a["event_id"], "title": event["title"], "scope": a.get("scope"), "note": note}
        shown |= {"cancelled_occurrences": number, "notified": len(self.invitees(event))}
        return {**shown, "occurrence": original and self.stamp(original)}

    # People and answers

    def add_event_invitees(self, a: Arguments) -> Row:
        event = self.of("event", "event_id", a["event_id"])
        people = self.people(a["person_ids"])
        self.check_own(event)
        ahead = self.ahead(event)
        there = sorted(set(a["person_ids"]) & set(self.attending(event)))
        refuse("already_invited", ", ".join(there), event["title"], when=there)
        self.check_stay(people)
        number = len(self.invitees(event)) + len(people)
        refuse("too_many_invitees", event["title"], number, MOST_INVITEES, when=number > MOST_INVITEES)
        self.check_seats(None if event["room_id"] is None else self.of("room", "room_id", event["room_id"]), number)
        soon = [one.span for one in living(ahead)[:SOON]]
        busy = [key for key in a["person_ids"] if self.overlapping(self.taking_time_of(key), soon, event["event_id"])]
        for person in a["person_ids"]:
            self.join(event["event_id"], person, "open")
        shown = {"event_id": a["event_id"], "title": event["title"], "added": len(people), "invitee_count": number}
        return {**shown, "busy_person_ids": sorted(busy)}

    def taking_time_of(self, person: str) -> list[Row]:
        rows = self.tables.rows["attendance"]
        events = {row["event_id"] for row in rows if row["person_id"] == person and row["answer"] != "declined"}
        return [row for row in self.tables.rows["event"] if row["event_id"] in events]

    def remove_event_invitees(self, a: Arguments) -> Row:
        event = self.of("event", "event_id", a["event_id"])
        self.people(a["person_ids"])
        self.check_own(event)
        self.ahead(event)
        strangers = [key for key in a["person_ids"] if key not in self.invitees(event)]
        refuse("not_invited", ", ".join(strangers), event["title"], when=strangers)
        rows, gone = self.tables.rows["attendance"], {(event["event_id"], key) for key in a["person_ids"]}
        rows[:] = [row for row in rows if (row["event_id"], row["person_id"]) not in gone]
        shown = {"event_id": a["event_id"], "title": event["title"], "removed": len(gone)}
        return {**shown, "invitee_count": len(self.invitees(event))}

    def respond_to_event_invitation(self, a: Arguments) -> Row:
        invitation, answer = self.of("invitation", "invitation_id", a["invitation_id"]), a["answer"]
        event = self.of("event", "event_id", invitation["event_id"])
        ahead = self.ahead(event)
        mine = self.attending(event)[self.user]
        refuse("same_answer", event["title"], answer, when=mine["answer"] == answer)
        own = [row["calendar_id"] for row in self.tables.rows["calendar"] if row["role"] == "owner"]
        (main,) = [row["calendar_id"] for row in self.tables.rows["calendar"] if row["main"]]
        conflicts = {}
        if answer == "accepted":
            soon = [one.span for one in living(ahead)[:SOON]]
            hits = self.overlapping(self.confirmed_in(*own), soon, event["event_id"])
            conflicts = {hit["event_id"]: hit["title"] for _, hit, _ in hits}
        mine.update(answer=answer, comment=a.get("comment"))
        event["calendar_id"] = main if answer == "accepted" else None
        shown = {"invitation_id": a["invitation_id"], "event_id": event["event_id"], "title": event["title"]}
        found = [{"event_id": key, "title": title} for key, title in conflicts.items()]
        return {**shown, "answer": answer, "comment": a.get("comment"), "conflicts": found}

    def set_event_reminder(self, a: Arguments) -> Row:
        event, minutes = self.of("event", "event_id", a["event_id"]), a["minutes_before"]
        ahead = self.coming(self.occurrences(event))
        self.check_coming(event, ahead)
        moments = [one.span.start - timedelta(minutes=minutes) for one in living(ahead) or ahead]
        moments = [moment for moment in moments if moment > self.now]
        refuse("reminder_in_past", minutes, self.title(event), when=minutes and not moments)
        self.check_lives(event, ahead)
        channel = a.get("channel", "popup")
        event.update(reminder_minutes=minutes, reminder_channel=channel)
        shut = is_shut(event, self.attending(event), self.user)
        shown = {"event_id": a["event_id"], "title": None if shut else event["title"], "minutes_before": minutes}
        return {**shown, "remind_at": self.stamp(moments[0]) if minutes else None, "channel": channel}


# Comparing


def by_key(session: LocalSession, tables: Tables) -> dict[tuple[Any, ...], Row]:
    """The rows of all tables but the clock, by table and key."""
    keys = {name: itemgetter(*table.key) for name, table in session.definition.schema.tables.items()}
    return {(name, key(row)): row for name, key in keys.items() if name != "world_clock" for row in tables.rows[name]}


def difference(session: Watched, before: Tables, tool: str, arguments: Arguments, outcome: Outcome) -> str:
    """In what a write differs from the model; empty if in nothing. `before` is used up."""
    after, started = session.tables, before.now
    unsaid: list[Any] = []
    try:
        right: tuple[str, Any] = ("", getattr(Model(before), tool)(arguments))
    except Refusal as refusal:
        right = (refusal.code, None)
        unsaid = [value for value in getattr(refusal, "values", ()) if not any(one in outcome.message for one in value)]
    if right != (outcome.code, outcome.value):
        return f"the model says {right}, the tool {outcome}"
    if unsaid:
        return f"the message says nothing of {unsaid}: {outcome.message}"
    expected, now = by_key(session, before), by_key(session, after)
    wrong = [
        f"{key}: the model has {expected.get(key)}, the tool {now.get(key)}"
        for key in (sorted({*expected, *now}, key=str) if expected != now else ())
        if expected.get(key) != now.get(key)
    ]
    if after.now != started + timedelta(minutes=1 if outcome.succeeded else 0):
        wrong.append(f"the clock went from {started} to {after.now}")
    return "; ".join(wrong + told_secrets(after, outcome))


def told_secrets(tables: Tables, outcome: Outcome) -> list[str]:
    """Titles of what is private to others that an answer tells and that nothing else is called."""
    user = user_of(tables)
    attended = {row["event_id"] for row in tables.rows["attendance"] if row["person_id"] == user}
    shut = [row for row in tables.rows["event"] if row["visibility"] == "private" and row["event_id"] not in attended]
    open_ones = {row["event_id"] for row in tables.rows["event"]} - {row["event_id"] for row in shut}
    known = "\n".join(row["title"] for row in tables.rows["event"] if row["event_id"] in open_ones)
    said = outcome.message + json.dumps(outcome.value)
    return [f"it tells {row['title']!r}" for row in shut if row["title"] in said and row["title"] not in known]


MOMENTS = ("start", "new_start", "occurrence", "from_time", "to_time")


class Watched(LocalSession):
    """A session each of whose calls does what the model or the oracle says; `compared` counts them."""

    compared = 0
    _known: Tables | None = None

    @property
    def tables(self) -> Tables:
        """The rows as they are now."""
        self._known = self._known or tables_of(self)
        return self._known

    def call(self, name: str, arguments: Arguments) -> Outcome:
        before = self.tables
        outcome = super().call(name, arguments)
        if outcome.kind is not Kind.BAD_ARGUMENTS:
            if name in ORACLES:
                wrong = self.wrong_read(before, name, arguments, outcome)
            else:
                self._known = tables_of(self)
                wrong = difference(self, before, name, arguments, outcome)
            wrong = wrong or self.wrong_moments(before, arguments, outcome)
            assert not wrong, f"{name} {arguments}: {wrong}"
            self.compared += 1
        return outcome

    def wrong_read(self, tables: Tables, name: str, arguments: Arguments, outcome: Outcome) -> str:
        try:
            right: tuple[str, Any] = ("", ORACLES[name](tables, arguments))
        except Refusal as refusal:
            right = (refusal.code, None)
        told = (outcome.code, outcome.value)
        return "" if right == told else f"the oracle says {right}, the tool {told}"

    def wrong_moments(self, tables: Tables, arguments: Arguments, outcome: Outcome) -> str:
        """Moments that were given and are not noted in full, in the user's zone; rewards compare what is noted."""
        if outcome.code:
            return ""
        given = {name: moment_of(arguments[name], tables) for name in MOMENTS if name in arguments}
        full = {name: moment.isoformat() for name, moment in given.items()}
        return "" if full == outcome.resolved else f"it notes {outcome.resolved}, not {full}"

    def wait_until(self, moment: datetime) -> None:
        """Set the clock to this moment."""
        seconds = round((moment.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds())
        with self.store.transaction():
            self.store.write("UPDATE world_clock SET now = ?", (seconds,))
        self._known = None
