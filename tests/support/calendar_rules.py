"""The rules of the calendar as a model of its writes has them: what is found, checked and stored for several tools.

Covers: times, parts of series, overlaps, rooms, people; plain Python over the rows of a session, after schema.sql, the
descriptions of the tools and the rules of the catalogue. Does not cover: what each tool does with them
(calendar_model.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import takewhile
from typing import Any

from proverl.laws.oracles import Refusal, Row, Tables
from support.oracles.calendar import (
    DAYS,
    Occurrence,
    Span,
    is_shut,
    moment_of,
    now_of,
    occurrences_of,
    row_of,
    seen_by_user,
    stamp,
    user_of,
    zone_of,
)

Arguments = dict[str, Any]
Rule = dict[str, str]
SOON, MOST_OCCURRENCES, MOST_INVITEES = 12, 260, 50
YEARS = timedelta(days=5 * 365)


class Words:
    """Equal to every text that holds just the words of these, without case."""

    def __init__(self, *texts: str | None) -> None:
        self.words = sorted(" ".join(text for text in texts if text).casefold().split())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and sorted(other.split()) == self.words

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"Words{self.words}"


class Named(Refusal):
    """A refusal whose message names these values; of a set one of them."""

    def __init__(self, code: str, values: tuple[Any, ...]) -> None:
        super().__init__(code)
        self.values = [one if isinstance(one, set) else {str(one)} for one in values]


def refuse(code: str, *values: Any, when: Any = True) -> None:
    if when:
        raise Named(code, values)


@dataclass
class Part:
    """What a change is for, as the docstring of the package says it.

    `since` is the first original start that is meant, `earlier` and `later` all original starts before and from there
    on, `ahead` the occurrences meant that have not started, `named` the one that was named.
    """

    event: Row
    since: datetime
    one: bool
    ahead: list[Occurrence]
    earlier: list[datetime]
    later: list[datetime]
    named: Occurrence | None

    def holds(self, event: Row, original: datetime) -> bool:
        """Whether an occurrence is in the part."""
        if event["event_id"] != self.event["event_id"]:
            return False
        return original == self.since if self.one else original >= self.since


def living(found: Iterable[Occurrence]) -> list[Occurrence]:
    return [one for one in found if one.state != "cancelled"]


def parts_of(text: str) -> Rule:
    return dict(part.split("=") for part in text.split(";"))


def with_count(rule: Rule, count: int) -> str:
    """The text of a rule that ends after so many."""
    parts = [f"{name}={rule[name]}" for name in ("FREQ", "INTERVAL", "BYDAY") if name in rule]
    return ";".join([*parts, f"COUNT={count}"])


def codes() -> list[str]:
    """MO to SU."""
    return [day[:2].upper() for day in DAYS]


def until_day(every: Iterable[datetime], last: date) -> Iterable[datetime]:
    return takewhile(lambda one: one.date() <= last, every)


def shifted(rule: Rule, days: int) -> Rule:
    """The rule on weekdays so many days later."""
    if "BYDAY" not in rule:
        return rule
    places = sorted((codes().index(code) + days) % 7 for code in rule["BYDAY"].split(","))
    return {**rule, "BYDAY": ",".join(codes()[place] for place in places)}


class Rules:
    """A world before a write, with what several tools find, check and store."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.now = now_of(tables)
        self.user = user_of(tables)

    def stamp(self, moment: datetime) -> str:
        return stamp(moment, zone_of(self.tables))

    def span(self, span: Span) -> tuple[str, str]:
        return self.stamp(span.start), self.stamp(span.end)

    def of(self, table: str, key: str, wanted: str | None) -> Row:
        """A row that must be there."""
        name = key.removesuffix("_id")
        try:
            rows = seen_by_user(self.tables) if table == "event" else self.tables.rows[table]
            return row_of(rows, key, wanted, f"{name}_not_found")
        except Refusal as refusal:
            raise Named(refusal.code, (wanted,)) from None

    def maybe_room(self, a: Arguments) -> Row | None:
        return self.of("room", "room_id", a["room_id"]) if "room_id" in a else None

    def new_id(self, prefix: str) -> str:
        (counter,) = [row for row in self.tables.rows["world_counter"] if row["prefix"] == prefix]
        counter["value"] += 1
        return f"{prefix}_{counter['value']:04d}"

    # Times

    def moment(self, name: str, text: str) -> datetime:
        try:
            return moment_of(text, self.tables)
        except (ValueError, OverflowError):
            raise Named("invalid_argument", (name, text)) from None

    def start(self, name: str, text: str) -> datetime:
        moment = self.moment(name, text)
        latest = self.now + YEARS
        refuse("invalid_argument", name, text, latest.date(), when=moment > latest)
        return moment

    def occurrences(self, event: Row) -> list[Occurrence]:
        found = occurrences_of(self.tables, event)
        called_off = event["status"] == "cancelled"
        return [Occurrence(one.rule, one.span, "cancelled") for one in found] if called_off else found

    def coming(self, found: Iterable[Occurrence]) -> list[Occurrence]:
        return [one for one in found if one.span.start > self.now]

    def overlapping(
        self, events: Iterable[Row], wanted: Sequence[Span], leave: Part | str | None = None
    ) -> list[tuple[int, Row, Occurrence]]:
        """What takes place and overlaps a span: the place of the span, the event, the occurrence; `leave` is left out,
        a part of an event or all of one."""
        found = []
        if not wanted:
            return []
        all_of = Span(wanted[0].start, wanted[-1].end)
        for event in events:
            for one in living(self.occurrences(event)):
                left_out = leave == event["event_id"] or (isinstance(leave, Part) and leave.holds(event, one.rule))
                if not left_out and one.span.meets(all_of):
                    found += [(place, event, one) for place, span in enumerate(wanted) if one.span.meets(span)]
        return sorted(found, key=lambda hit: (hit[0], hit[2].span.start, hit[1]["event_id"], hit[2].rule))

    def confirmed_in(self, *calendars: str) -> list[Row]:
        rows = self.tables.rows["event"]
        return [row for row in rows if row["calendar_id"] in calendars and row["status"] == "confirmed"]

    def check_not_past(self, start: datetime) -> None:
        refuse("time_in_past", self.stamp(start), self.stamp(self.now), when=start < self.now)

    def check_conflict(self, calendar: str, wanted: list[Span], a: Arguments, leave: Part | None = None) -> None:
        hits = self.overlapping(self.confirmed_in(calendar), wanted, leave)
        if hits and a.get("on_conflict", "reject") == "reject":
            there = [(hit, one) for at, hit, one in hits if at == hits[0][0]]
            named = [f"{self.title(hit)} ({hit['event_id']}) {' to '.join(self.span(one.span))}" for hit, one in there]
            refuse(
                "time_conflict", self.stamp(wanted[hits[0][0]].start), {text.replace(") ", ") from ") for text in named}
            )

    def check_room(self, room: Row | None, wanted: list[Span], leave: Part | str | None = None) -> None:
        if room is not None:
            name = room["name"], room["building"]
            refuse("room_unavailable", *name, when=room["status"] == "closed")
            there = [row for row in self.tables.rows["event"] if row["room_id"] == room["room_id"]]
            hits = self.overlapping(there, wanted, leave)
            refuse("room_unavailable", *name, *(self.span(hits[0][2].span) if hits else ()), when=hits)

    def check_seats(self, room: Row | None, invitees: int) -> None:
        if room is not None:
            too_small = room["capacity"] < invitees + 1
            refuse("room_too_small", room["name"], room["capacity"], invitees + 1, when=too_small)

    # People and events

    def people(self, person_ids: Iterable[str]) -> list[Row]:
        return [self.of("person", "person_id", key) for key in person_ids]

    def check_stay(self, people: Iterable[Row]) -> None:
        for person in people:
            refuse("person_left", person["name"], person["person_id"], when=person["status"] == "left")

    def check_without_user(self, person_ids: Collection[str]) -> None:
        refuse("invalid_argument", self.user, "person_ids", when=self.user in person_ids)

    def attending(self, event: Row) -> dict[str, Row]:
        rows = self.tables.rows["attendance"]
        return {row["person_id"]: row for row in rows if row["event_id"] == event["event_id"]}

    def invitees(self, event: Row) -> dict[str, Row]:
        return {key: row for key, row in self.attending(event).items() if key != event["organizer_id"]}

    def check_writable(self, calendar: Row) -> None:
        shut = calendar["role"] == "reader" or calendar["status"] == "archived"
        refuse("read_only_calendar", calendar["name"], when=shut)

    def title(self, event: Row) -> str:
        shut = is_shut(event, self.attending(event), self.user)
        return "private event" if shut else str(event["title"])

    def own_event(self, key: str) -> Row:
        return self.check_own(self.of("event", "event_id", key))

    def check_own(self, event: Row) -> Row:
        organizer = self.of("person", "person_id", event["organizer_id"])["name"]
        refuse("not_organizer", self.title(event), organizer, when=event["organizer_id"] != self.user)
        self.check_writable(self.of("calendar", "calendar_id", event["calendar_id"]))
        return event

    def check_coming(self, event: Row, ahead: Collection[Occurrence]) -> None:
        refuse("event_in_past", self.title(event), event["starts_at"], when=not ahead)

    def check_lives(self, event: Row, ahead: Sequence[Occurrence]) -> None:
        if not living(ahead):
            refuse("event_cancelled", self.title(event), ahead[0].span.start.date())

    def ahead(self, event: Row) -> list[Occurrence]:
        """What of an event is to come; it must be something, and not all cancelled."""
        ahead = self.coming(self.occurrences(event))
        self.check_coming(event, ahead)
        self.check_lives(event, ahead)
        return ahead

    def store(self, start: datetime, minutes: int, people: Iterable[str], **columns: Any) -> str:
        key = self.new_id("evn")
        usual: Row = {"rrule": "", "location": None, "room_id": None, "description": None, "visibility": "default"}
        usual |= {"status": "confirmed", "note": None, "reminder_minutes": 0, "reminder_channel": "popup"}
        times = {"starts_at": self.stamp(start), "last_start": self.stamp(start), "duration_minutes": minutes}
        row = {"event_id": key, "organizer_id": self.user, **times, **usual, **columns}
        row["searched"] = Words(row["title"], row["location"], row["description"])
        self.tables.rows["event"].append(row)
        self.join(key, self.user, "accepted")
        for person in people:
            self.join(key, person, "open")
        return key

    def join(self, event: str, person: str, answer: str) -> None:
        row = {"event_id": event, "person_id": person, "answer": answer, "comment": None}
        self.tables.rows["attendance"].append(row)

    # Parts of series

    def part(self, event: Row, a: Arguments, original: datetime | None) -> Part:
        every, scope = self.occurrences(event), a.get("scope")
        named = next((one for one in every if one.rule == original), None)
        one, meant = not event["rrule"] or scope == "this", every
        if event["rrule"] and named is not None and scope in ("this", "following"):
            later = [other for other in every if other.rule > named.rule and scope == "following"]
            meant = [named, *later] if self.coming([named]) else []
        ahead = self.coming(meant)
        since = min([one.rule for one in ahead], default=every[-1].rule)
        starts = sorted(one.rule for one in every)
        earlier, later_starts = [each for each in starts if each < since], [each for each in starts if each >= since]
        return Part(event, since, one, ahead, earlier, later_starts, named)

    def check_scope(self, part: Part, a: Arguments, original: datetime | None) -> None:
        title, scope = part.event["title"], a.get("scope")
        if part.event["rrule"]:
            refuse("scope_required", title, "scope", when=scope is None)
            needed = scope in ("this", "following") and original is None
            refuse("scope_required", title, scope, "occurrence", when=needed)
        if original is not None and part.named is None:
            refuse("occurrence_not_found", title, self.stamp(original))
