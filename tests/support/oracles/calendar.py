"""What the reads of the work calendar should answer.

Covers: all reads of calendar. Does not cover: writes.

Written from the published descriptions, schema.sql and the domain's rules, without the tools.
"""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, datetime, timedelta, timezone

from proverl.laws.oracles import Oracle, Refusal, Row, Tables
from proverl.records import Json

EVENTS_SHOWN, OCCURRENCES_SHOWN, SLOTS_SHOWN = 50, 60, 10
SEARCH_DAYS, LONGEST_SEARCH, LISTED_DAYS, LONGEST_AVAILABILITY = 14, 92, 90, 14
ISO = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)
QUARTER = timedelta(minutes=15)
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class Span:
    """A stretch of time, its end outside; both with an offset."""

    start: datetime
    end: datetime

    def meets(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Occurrence:
    """One time at which an event takes place; `rule` is when it should by the rule, itself for a single event."""

    rule: datetime
    span: Span
    state: str


def row_of(rows: Iterable[Row], column: str, value: Json, code: str) -> Row:
    for row in rows:
        if row[column] == value:
            return row
    raise Refusal(code)


def zone_of(tables: Tables) -> timezone:
    return timezone(tables.offset)


def now_of(tables: Tables) -> datetime:
    return tables.now.replace(tzinfo=zone_of(tables))


def stamp(moment: datetime, zone: timezone) -> str:
    return moment.astimezone(zone).isoformat(timespec="seconds")


def _shown(span: Span, zone: timezone) -> dict[str, Json]:
    return {"start": stamp(span.start, zone), "end": stamp(span.end, zone)}


def moment_of(text: str, tables: Tables) -> datetime:
    """In the user's zone, which a time without an offset is read in; a day alone is its midnight.

    Of what ISO 8601 allows this is the common part: the extended form, offsets with a colon, in whole seconds.
    """
    if not ISO.fullmatch(text):
        raise ValueError(text)
    moment = datetime.fromisoformat(text)
    if moment.microsecond:
        raise ValueError(text)
    return moment.replace(tzinfo=zone_of(tables)) if moment.tzinfo is None else moment.astimezone(zone_of(tables))


def later(moment: datetime, days: int) -> datetime:
    return moment + min(timedelta(days=days), datetime.max.replace(tzinfo=moment.tzinfo) - moment)


def _window(tables: Tables, arguments: dict[str, Json], days: int, longest: int | None) -> Span:
    """From now if nothing else is said, `days` long; it must not be empty, and at most `longest` days.

    A window that nobody gave an end ends with the year 9999 at the latest: it is empty of events, not wrong.
    """
    try:
        start = moment_of(arguments["from_time"], tables) if "from_time" in arguments else now_of(tables)
        end = moment_of(arguments["to_time"], tables) if "to_time" in arguments else later(start, days)
    except (ValueError, OverflowError):
        raise Refusal("invalid_time_window") from None
    if end <= start or (longest is not None and end - start > timedelta(days=longest)):
        raise Refusal("invalid_time_window")
    return Span(start, end)


# Repetition


def _months_on(start: datetime, months: int) -> datetime | None:
    """The same day so many months later, None where that month is too short (RFC 5545 skips it)."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if year > MAXYEAR or start.day > monthrange(year, month + 1)[1]:
        return None
    return start.replace(year=year, month=month + 1)


def candidates(start: datetime, rule: dict[str, str]) -> Iterator[datetime]:
    """All starts from the first one on, without an end but that of the calendar."""
    interval = int(rule.get("INTERVAL", "1"))
    if rule["FREQ"] in ("MONTHLY", "YEARLY"):
        step = interval * (12 if rule["FREQ"] == "YEARLY" else 1)
        for months in range(0, (MAXYEAR + 1 - start.year) * 12, step):
            moment = _months_on(start, months)
            if moment is not None:
                yield moment
        return
    weekly = rule["FREQ"] == "WEEKLY"
    wanted = rule.get("BYDAY", DAYS[start.weekday()][:2].upper() if weekly else "MO,TU,WE,TH,FR,SA,SU").split(",")
    monday = start.date() - timedelta(days=start.weekday())
    moment = start
    while moment.year < MAXYEAR:
        period = (moment.date() - monday).days // 7 if weekly else (moment - start).days
        if period % interval == 0 and DAYS[moment.weekday()][:2].upper() in wanted:
            yield moment
        moment += timedelta(days=1)


def _starts(event: Row) -> list[datetime]:
    """All starts of an event by its rule; COUNT counts those that are cancelled or moved as well."""
    start = datetime.fromisoformat(event["starts_at"])
    if not event["rrule"]:
        return [start]
    rule = dict(part.split("=") for part in event["rrule"].split(";"))
    until = datetime.strptime(rule["UNTIL"], "%Y%m%dT%H%M%S%z") if "UNTIL" in rule else None
    most = int(rule.get("COUNT", "0"))
    found: list[datetime] = []
    for moment in candidates(start, rule):
        if (until is not None and moment > until) or (most and len(found) == most):
            break
        found.append(moment)
    return found


def occurrences_of(tables: Tables, event: Row) -> list[Occurrence]:
    """By start. A cancelled one stays where the rule puts it; exceptions that were dropped are none."""
    exceptions = {
        datetime.fromisoformat(row["occurrence"]): row
        for row in tables.rows["event_exception"]
        if row["event_id"] == event["event_id"] and not row["dropped"]
    }
    found = []
    for rule in _starts(event):
        exception = exceptions.get(rule)
        start, minutes, state = rule, event["duration_minutes"], "regular"
        if exception is not None:
            state = exception["kind"]
            if state == "moved":
                start, minutes = datetime.fromisoformat(exception["starts_at"]), exception["duration_minutes"]
        found.append(Occurrence(rule, Span(start, start + timedelta(minutes=minutes)), state))
    return sorted(found, key=lambda occurrence: (occurrence.span.start, occurrence.rule))


# What the user sees


def user_of(tables: Tables) -> str:
    return str(tables.rows["employee"][0]["person_id"])


def attendance_of(tables: Tables) -> dict[str, dict[str, Row]]:
    """By event and person."""
    groups: dict[str, dict[str, Row]] = {}
    for row in tables.rows["attendance"]:
        groups.setdefault(row["event_id"], {})[row["person_id"]] = row
    return groups


def seen_by_user(tables: Tables) -> list[Row]:
    invited = {row["event_id"] for row in tables.rows["invitation"]}
    return [row for row in tables.rows["event"] if row["calendar_id"] is not None or row["event_id"] in invited]


def is_shut(event: Row, people: dict[str, Row], user: str) -> bool:
    """Private to others: the user takes no part in it."""
    return bool(event["visibility"] == "private") and user not in people


def list_calendars(tables: Tables, arguments: dict[str, Json]) -> Json:
    """By name."""
    shown = ("calendar_id", "name", "role", "time_zone", "color", "status")
    calendars = [
        {name: row[name] for name in shown}
        for row in sorted(tables.rows["calendar"], key=lambda row: row["name"])
        if all(row[name] == value for name, value in arguments.items())
    ]
    return {"count": len(calendars), "now": stamp(now_of(tables), zone_of(tables)), "calendars": calendars}


def _holds(fields: Iterable[str | None], text: str) -> bool:
    """Every word of the text is part of one of the fields, in any case and order."""
    folded = [field.casefold() for field in fields if field is not None]
    return all(any(word in field for field in folded) for word in text.casefold().split())


def search_calendar_events(tables: Tables, arguments: dict[str, Json]) -> Json:
    """What takes place for a part of the window at least, by start."""
    if "calendar_id" in arguments:
        row_of(tables.rows["calendar"], "calendar_id", arguments["calendar_id"], "calendar_not_found")
    if "person_id" in arguments:
        row_of(tables.rows["person"], "person_id", arguments["person_id"], "person_not_found")
    window = _window(tables, arguments, SEARCH_DAYS, LONGEST_SEARCH)
    attendance, user = attendance_of(tables), user_of(tables)
    hits: list[tuple[datetime, str, dict[str, Json]]] = []
    for event in tables.rows["event"]:
        people = attendance.get(event["event_id"], {})
        shut = is_shut(event, people, user)
        if not _matches(event, people, shut, arguments):
            continue
        hits += [
            (occurrence.span.start, event["event_id"], _hit(tables, event, occurrence, shut))
            for occurrence in occurrences_of(tables, event)
            if occurrence.span.meets(window)
        ]
    hits.sort(key=lambda hit: hit[:2])
    return {"count": len(hits), "events": [row for _, _, row in hits[:EVENTS_SHOWN]]}


def _matches(event: Row, people: dict[str, Row], shut: bool, arguments: dict[str, Json]) -> bool:
    fields = () if shut else (event["title"], event["location"], event["description"])
    """What is private to others matches no words and no person: who takes part in it is private as well."""
    return (
        event["calendar_id"] is not None
        and arguments.get("calendar_id", event["calendar_id"]) == event["calendar_id"]
        and ("person_id" not in arguments or (not shut and arguments["person_id"] in people))
        and ("text" not in arguments or _holds(fields, arguments["text"]))
    )


def _hit(tables: Tables, event: Row, occurrence: Occurrence, shut: bool) -> dict[str, Json]:
    zone, recurring = zone_of(tables), bool(event["rrule"])
    return {
        "event_id": event["event_id"],
        "occurrence": stamp(occurrence.rule, zone) if recurring else None,
        "calendar_id": event["calendar_id"],
        "title": None if shut else event["title"],
        **_shown(occurrence.span, zone),
        "location": None if shut else event["location"],
        "recurring": recurring,
        "status": "cancelled" if occurrence.state == "cancelled" else event["status"],
    }


def _first(event: Row) -> Span:
    """The first time by the rule, moved or not."""
    start = datetime.fromisoformat(event["starts_at"])
    return Span(start, start + timedelta(minutes=event["duration_minutes"]))


def get_calendar_event(tables: Tables, arguments: dict[str, Json]) -> Json:
    """The invitees by name."""
    event = row_of(seen_by_user(tables), "event_id", arguments["event_id"], "event_not_found")
    people = attendance_of(tables).get(event["event_id"], {})
    if is_shut(event, people, user_of(tables)):
        raise Refusal("event_private")
    names = {row["person_id"]: row["name"] for row in tables.rows["person"]}
    invitees = [
        {"person_id": person, "name": names[person], "answer": row["answer"]}
        for person, row in people.items()
        if person != event["organizer_id"]
    ]
    same = ("event_id", "calendar_id", "title", "rrule", "location", "room_id", "description", "organizer_id")
    return {
        **{name: event[name] for name in (*same, "reminder_minutes", "visibility", "status")},
        **_shown(_first(event), zone_of(tables)),
        "invitees": sorted(invitees, key=lambda row: (row["name"], row["person_id"])),
    }


def list_event_occurrences(tables: Tables, arguments: dict[str, Json]) -> Json:
    """What takes place for a part of the window at least, by start; a window may be as long as one likes."""
    event = row_of(seen_by_user(tables), "event_id", arguments["event_id"], "event_not_found")
    if not event["rrule"]:
        raise Refusal("not_recurring")
    window, zone = _window(tables, arguments, LISTED_DAYS, None), zone_of(tables)
    called_off = event["status"] == "cancelled"
    rows = [
        {
            "occurrence": stamp(occurrence.rule, zone),
            **_shown(occurrence.span, zone),
            "state": "cancelled" if called_off else occurrence.state,
        }
        for occurrence in occurrences_of(tables, event)
        if occurrence.span.meets(window)
    ]
    return {"count": len(rows), "occurrences": rows[:OCCURRENCES_SHOWN]}


def list_event_invitations(tables: Tables, arguments: dict[str, Json]) -> Json:
    """Newest first."""
    attendance, user = attendance_of(tables), user_of(tables)
    events = {row["event_id"]: row for row in tables.rows["event"]}
    names = {row["person_id"]: row["name"] for row in tables.rows["person"]}
    found = []
    for row in sorted(tables.rows["invitation"], key=lambda row: row["received_at"], reverse=True):
        event, answer = events[row["event_id"]], attendance[row["event_id"]][user]["answer"]
        if arguments.get("answer", answer) == answer:
            found.append(
                {
                    "invitation_id": row["invitation_id"],
                    "event_id": event["event_id"],
                    "title": event["title"],
                    "organizer_name": names[event["organizer_id"]],
                    **_shown(_first(event), zone_of(tables)),
                    "received_at": row["received_at"],
                    "answer": answer,
                }
            )
    return {"count": len(found), "invitations": found}


# People and rooms


def search_calendar_directory(tables: Tables, arguments: dict[str, Json]) -> Json:
    """By name. What is said about rooms only leaves people out, unless people were asked for."""
    kind, text = arguments.get("kind"), arguments.get("text", "")
    about_rooms = "min_capacity" in arguments or "equipment" in arguments
    people: list[dict[str, Json]] = []
    rooms: list[dict[str, Json]] = []
    if kind == "person" or (kind is None and not about_rooms):
        shown = ("person_id", "name", "department", "email", "time_zone", "working_hours", "status")
        people = [
            {name: row[name] for name in shown}
            for row in sorted(tables.rows["person"], key=lambda row: (row["name"], row["department"], row["person_id"]))
            if _holds((row["name"], row["department"], row["email"]), text)
        ]
    if kind != "person":
        rooms = [
            {
                **{name: row[name] for name in ("room_id", "name", "building", "capacity", "status")},
                "equipment": json.loads(row["equipment"]),
            }
            for row in sorted(tables.rows["room"], key=lambda row: (row["name"], row["room_id"]))
            if _holds((row["name"], row["building"]), text)
            and row["capacity"] >= arguments.get("min_capacity", 0)
            and ("equipment" not in arguments or arguments["equipment"] in json.loads(row["equipment"]))
        ]
    return {"count": len(people) + len(rooms), "people": people, "rooms": rooms}


def _asked(tables: Tables, arguments: dict[str, Json]) -> tuple[list[Row], Row | None]:
    """The people in the order in which they were named, and the room."""
    people = [row_of(tables.rows["person"], "person_id", key, "person_not_found") for key in arguments["person_ids"]]
    room = None
    if "room_id" in arguments:
        room = row_of(tables.rows["room"], "room_id", arguments["room_id"], "room_not_found")
    return people, room


def _taken(tables: Tables, events: Iterable[Row], window: Span) -> list[Span]:
    """The time that events take of a window, merged where stretches overlap or touch."""
    spans = [
        Span(max(occurrence.span.start, window.start), min(occurrence.span.end, window.end))
        for event in events
        if event["status"] != "cancelled"
        for occurrence in occurrences_of(tables, event)
        if occurrence.state != "cancelled" and occurrence.span.meets(window)
    ]
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _busy(tables: Tables, person_id: str, window: Span) -> list[Span]:
    """All events count, seen by the user or not, and every answer but declined."""
    attended = {
        row["event_id"]
        for row in tables.rows["attendance"]
        if row["person_id"] == person_id and row["answer"] != "declined"
    }
    return _taken(tables, (row for row in tables.rows["event"] if row["event_id"] in attended), window)


def _booked(tables: Tables, room_id: str, window: Span) -> list[Span]:
    return _taken(tables, (row for row in tables.rows["event"] if row["room_id"] == room_id), window)


def check_people_availability(tables: Tables, arguments: dict[str, Json]) -> Json:
    """People in the order asked; times of the room in the user's zone."""
    people, room = _asked(tables, arguments)
    window = _window(tables, arguments, 0, LONGEST_AVAILABILITY)
    rows = []
    for person in people:
        zone = timezone(timedelta(minutes=person["utc_minutes"]))
        busy = [_shown(span, zone) for span in _busy(tables, person["person_id"], window)]
        rows.append({**{name: person[name] for name in ("person_id", "time_zone", "working_hours")}, "busy": busy})
    count, booked = sum(len(row["busy"]) for row in rows), None
    if room is not None:
        blocks = [_shown(span, zone_of(tables)) for span in _booked(tables, room["room_id"], window)]
        booked = {"room_id": room["room_id"], "busy": blocks}
        count += len(blocks)
    return {"count": count, "people": rows, "room": booked}


def _works(person: Row, slot: Span) -> bool:
    """The whole slot lies within the hours of one working day of the person's zone."""
    hours, days = person["working_hours"].split(" ")
    opens, closes = (timedelta(hours=int(part[:2]), minutes=int(part[3:])) for part in hours.split("-"))
    first, last = (DAYS.index(day.lower()) for day in days.split("-"))
    start = slot.start.astimezone(timezone(timedelta(minutes=person["utc_minutes"])))
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    return first <= start.weekday() <= last and midnight + opens <= start and slot.end <= midnight + closes


def find_common_slots(tables: Tables, arguments: dict[str, Json]) -> Json:
    """One slot for each quarter of an hour at which it can begin, so slots overlap each other."""
    people, room = _asked(tables, arguments)
    window = _window(tables, arguments, 0, LONGEST_AVAILABILITY)
    everyone = {row["person_id"]: row for row in tables.rows["person"] if row["person_id"] == user_of(tables)}
    everyone.update({row["person_id"]: row for row in people})
    slots: list[dict[str, Json]] = []
    usable = all(row["status"] == "active" for row in people) and (room is None or room["status"] == "bookable")
    if usable and window.end > now_of(tables):
        window = Span(max(window.start, now_of(tables)), window.end)
        taken = [span for person_id in everyone for span in _busy(tables, person_id, window)]
        taken += _booked(tables, room["room_id"], window) if room is not None else []
        slots = [
            _shown(slot, zone_of(tables))
            for slot in _quarters(window, timedelta(minutes=arguments["duration_minutes"]))
            if all(_works(person, slot) for person in everyone.values()) and not any(slot.meets(span) for span in taken)
        ]
    return {"count": len(slots), "slots": slots[:SLOTS_SHOWN]}


def _quarters(window: Span, length: timedelta) -> Iterator[Span]:
    """All stretches of that length in the window that begin on a quarter of an hour."""
    hour = window.start.replace(minute=0, second=0, microsecond=0)
    start = hour + -((hour - window.start) // QUARTER) * QUARTER
    while start + length <= window.end:
        yield Span(start, start + length)
        start += QUARTER


ORACLES: dict[str, Oracle] = {
    "list_calendars": list_calendars,
    "search_calendar_events": search_calendar_events,
    "get_calendar_event": get_calendar_event,
    "list_event_occurrences": list_event_occurrences,
    "search_calendar_directory": search_calendar_directory,
    "check_people_availability": check_people_availability,
    "find_common_slots": find_common_slots,
    "list_event_invitations": list_event_invitations,
}
