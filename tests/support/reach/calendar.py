"""How each refusal of the calendar server is reached from a seed, in at most five calls.

A way is a query over the rows of a new world that yields the arguments of the last call, or a function that makes a few
calls. Worlds are tried from seed 0 on until one has what the query asks for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from proverl.records import Outcome
from proverl.servers import load
from proverl.world.session import LocalSession

MOST_CALLS = 5
MOST_SEEDS = 60
Row = dict[str, Any]
Way = Callable[[], Outcome]
Table = dict[tuple[str, str], Way]

MINE = """
    SELECT e.event_id, date(w.today, '+300 days') || 'T03:07:00' AS new_start FROM event_now e, world_now w
    WHERE e.mine AND e.writable AND {} ORDER BY e.event_id
"""
AHEAD = "e.status = 'confirmed' AND e.start > w.moment AND e.rrule = ''"
PAST = "e.start < w.moment AND e.rrule = ''"
CANCELLED = "e.status = 'cancelled' AND e.start > w.moment AND e.rrule = ''"
SERIES = "e.status = 'confirmed' AND e.start > w.moment AND e.rrule <> ''"
OTHERS = """
    SELECT event_id FROM event_now, world_now WHERE NOT mine AND status = 'cancelled' AND start > moment
    AND calendar_id IS NULL ORDER BY event_id
"""
SHUT_OFF = "SELECT event_id FROM event_now WHERE mine AND NOT writable ORDER BY event_id"
NO_EVENT = "SELECT 'evn_0000' AS event_id"
FREE = """
    SELECT calendar_id, date(today, '+300 days') || 'T03:07:00' AS start FROM calendar_now, world_now
    WHERE writable ORDER BY main DESC, calendar_id
"""
PEOPLE = """
    SELECT p.person_id FROM person p WHERE p.status = 'active' AND p.person_id <> (SELECT person_id FROM employee)
    ORDER BY p.person_id LIMIT {}
"""


def sql(session: LocalSession, query: str, *values: Any) -> list[Row]:
    """Rows of the session's store, behind the tools' back."""
    cursor = session.store.connection().execute(query, values)
    first = cursor.fetchone()
    names = [] if first is None else [column[0] for column in cursor.get_description()]
    return [] if first is None else [dict(zip(names, row, strict=True)) for row in (first, *cursor.fetchall())]


def world_with(query: str) -> tuple[LocalSession, Row]:
    """A session on the first world in which a query finds a row, and that row; `..._ids` columns are JSON arrays."""
    for seed in range(MOST_SEEDS):
        session = LocalSession(load("calendar"), seed)
        found = session.store.connection().execute(query).fetchone()
        if found is not None:
            row = sql(session, query)[0]
            return session, {name: json.loads(value) if name.endswith("_ids") else value for name, value in row.items()}
    raise AssertionError(f"none of {MOST_SEEDS} worlds has a row for {query}")


def call(tool: str, query: str, *also: str, **more: Any) -> Way:
    """One call with the columns of the rows that the queries find, those of the tool's arguments only, and `more`."""

    def way() -> Outcome:
        session, arguments = world_with(query)
        for one in also:
            arguments.update(sql(session, one)[0])
        arguments = {
            name: json.loads(value) if name.endswith("_ids") and isinstance(value, str) else value
            for name, value in arguments.items()
        }
        properties = load("calendar").tool(tool).input_schema["properties"]
        return session.call(tool, {name: value for name, value in {**arguments, **more}.items() if name in properties})

    return way


def done(session: LocalSession, tool: str, **arguments: Any) -> Row:
    """The result of a call that must succeed."""
    outcome = session.call(tool, arguments)
    assert outcome.succeeded, (tool, outcome)
    value: Row = outcome.value
    return value


def people(number: int, *more: str) -> str:
    """A query for so many people, as person_ids, and more that SQL names."""
    also = "".join(f" UNION ALL SELECT {one}" for one in more)
    return f"SELECT json_group_array(person_id) AS person_ids FROM (SELECT * FROM ({PEOPLE.format(number)}){also})"


NOBODY, LEFT = "'prs_0000'", "(SELECT person_id FROM person WHERE status = 'left')"
USER = "(SELECT person_id FROM employee)"
SMALL = "SELECT room_id FROM room WHERE capacity = 2"
SMALLISH = "SELECT room_id FROM room WHERE capacity < 25 AND status = 'bookable' ORDER BY capacity"
LARGE = "SELECT room_id FROM room WHERE capacity = 40"
CLOSED = "SELECT room_id FROM room WHERE status = 'closed'"


def _reads() -> Table:
    search, get, dates = "search_calendar_events", "get_calendar_event", "list_event_occurrences"
    window = {"from_time": "2031-01-05", "to_time": "2031-01-01"}
    series = "SELECT event_id FROM event_now WHERE rrule <> '' ORDER BY event_id"
    found: Table = {
        (search, "calendar_not_found"): call(search, "SELECT 'cal_0000' AS calendar_id"),
        (search, "person_not_found"): call(search, "SELECT 'prs_0000' AS person_id"),
        (search, "invalid_time_window"): call(search, FREE, **window),
        (get, "event_not_found"): call(get, NO_EVENT),
        (get, "event_private"): call(get, "SELECT event_id FROM event_now WHERE shut ORDER BY event_id"),
        (dates, "event_not_found"): call(dates, NO_EVENT),
        (dates, "not_recurring"): call(dates, series.replace("<>", "=")),
        (dates, "invalid_time_window"): call(dates, series, **window),
    }
    for tool in ("check_people_availability", "find_common_slots"):
        right = {"from_time": "2031-01-05", "to_time": "2031-01-06", "duration_minutes": 30}
        found |= {
            (tool, "person_not_found"): call(tool, people(1, NOBODY), **right),
            (tool, "room_not_found"): call(tool, people(1), **right, room_id="rom_0000"),
            (tool, "invalid_time_window"): call(tool, people(1), **{**right, **window}),
        }
    return found


def _creating() -> Table:
    found: Table = {}
    given = {"title": "Tea tasting", "duration_minutes": 30, "frequency": "weekly", "count": 5}
    when = """
        SELECT e.calendar_id, e.start FROM event_now e JOIN calendar_now c USING (calendar_id), world_now w
        WHERE e.status = 'confirmed' AND e.rrule = '' AND {} ORDER BY c.main DESC, e.start
    """
    reader = when.format("NOT c.writable AND e.start > w.moment")
    for tool in ("create_calendar_event", "create_recurring_event"):
        found |= {
            (tool, "invalid_argument"): call(tool, FREE, people(1, USER, NOBODY, LEFT), **given),
            (tool, "calendar_not_found"): call(tool, FREE, **given, calendar_id="cal_0000"),
            (tool, "room_not_found"): call(tool, FREE, **given, room_id="rom_0000"),
            (tool, "person_not_found"): call(tool, FREE, people(24, NOBODY), **given),
            (tool, "read_only_calendar"): call(tool, reader, **given),
            (tool, "time_in_past"): call(tool, when.format("c.writable AND e.start < w.moment"), **given),
            (tool, "room_unavailable"): call(tool, FREE, CLOSED, people(25), **given),
            (tool, "room_too_small"): call(tool, FREE, SMALLISH, people(25), **given),
            (tool, "person_left"): call(tool, FREE, people(24, LEFT), **given),
        }
    single, series = "create_calendar_event", "create_recurring_event"
    friday = """
        SELECT calendar_id, date(today, '+301 days', 'weekday 5') || 'T03:07:00' AS start FROM calendar_now, world_now
        WHERE writable ORDER BY main DESC, calendar_id
    """
    return {
        **found,
        (single, "time_conflict"): call(single, when.format("c.writable AND e.start > w.moment"), **given),
        (series, "until_or_count_required"): call(series, FREE, **{**given, "until": "2040-01-01"}),
        (series, "start_not_on_weekday"): call(series, friday, **given, weekdays=["SA", "SU"]),
    }


def _changing() -> Table:
    found: Table = {}
    tools = ("update_event_details", "reschedule_calendar_event", "cancel_calendar_event")
    for tool in (*tools, "add_event_invitees", "remove_event_invitees"):
        later = MINE.format(AHEAD)
        more = {"title": "Tea tasting"}
        also = (people(1),)
        start = ("SELECT date(today, '+300 days') || 'T03:07:00' AS new_start FROM world_now",)
        found |= {
            (tool, "event_not_found"): call(tool, NO_EVENT, *also, *start, **more),
            (tool, "not_organizer"): call(tool, OTHERS, *also, *start, **more),
            (tool, "read_only_calendar"): call(tool, SHUT_OFF, *also, *start, **more),
            (tool, "event_in_past"): call(tool, MINE.format(PAST), *also, **more),
        }
        if tool in ("update_event_details", "remove_event_invitees"):
            found[tool, "event_cancelled"] = call(tool, MINE.format(CANCELLED), *also, **more)
        if tool in ("reschedule_calendar_event", "cancel_calendar_event"):
            odd = {"occurrence": "2031-01-01T10:00", "scope": "this"}
            found |= {
                (tool, "invalid_argument"): call(tool, later, occurrence="soon", scope="this"),
                (tool, "scope_required"): call(tool, MINE.format(SERIES)),
                (tool, "occurrence_not_found"): call(tool, MINE.format(SERIES), **odd),
            }
    update, move, cancel = tools
    booked = f"""
        SELECT e.event_id, other.start AS new_start FROM event_now e, world_now w, event_now other
        WHERE e.mine AND e.writable AND {AHEAD} AND other.event_id <> e.event_id AND other.rrule = ''
        AND other.start > w.moment AND other.status = 'confirmed' AND {{}} ORDER BY e.event_id, other.start
    """
    seats = "(SELECT count(*) FROM invitee i WHERE i.event_id = e.event_id)"
    closed = "(SELECT capacity FROM room WHERE status = 'closed')"
    crowd = MINE.format(AHEAD + " AND (SELECT count(*) FROM invitee i WHERE i.event_id = e.event_id) > 1")
    over = booked.replace("other.start > w.moment", "other.start < w.moment")
    over = over.format("other.calendar_id = e.calendar_id AND other.room_id = e.room_id")
    return {
        **found,
        (update, "room_not_found"): call(update, MINE.format(AHEAD), room_id="rom_0000"),
        (update, "nothing_to_change"): call(update, MINE.format(AHEAD)),
        (update, "room_unavailable"): call(update, MINE.format(f"{AHEAD} AND {seats} >= {closed}"), CLOSED),
        (update, "room_too_small"): call(update, crowd, SMALL),
        (move, "time_in_past"): call(move, over),
        (move, "event_cancelled"): _move_cancelled_series,
        (move, "time_conflict"): call(move, booked.format("other.calendar_id = e.calendar_id")),
        (move, "room_unavailable"): call(
            move,
            booked.format("other.room_id = e.room_id AND other.status <> 'cancelled'"),
            on_conflict="allow",
        ),
        (cancel, "already_cancelled"): call(cancel, MINE.format(CANCELLED)),
    }


def _move_cancelled_series() -> Outcome:
    """A series in a room, to a time at which the room is taken."""
    session, row = world_with(f"""
        SELECT e.event_id, other.start AS new_start FROM event_now e JOIN event_all other USING (room_id), world_now w
        WHERE e.mine AND e.writable AND {SERIES} AND other.event_id <> e.event_id AND other.start > w.moment
        AND other.status = 'confirmed' ORDER BY e.event_id, other.start
    """)
    done(session, "cancel_calendar_event", event_id=row["event_id"], scope="all")
    return session.call("reschedule_calendar_event", row)


def _add_to_crowd(state: str) -> Way:
    """Add 20 people to an event of 35, in the largest room."""

    def way() -> Outcome:
        session, row = world_with(FREE)
        every = [found["person_id"] for found in sql(session, PEOPLE.format(55))]
        start = row["start"]
        if state == "started":
            moment = sql(session, "SELECT moment FROM world_now")[0]["moment"]
            start = (datetime.fromisoformat(moment) + timedelta(minutes=1)).isoformat()
        room = {} if state == "started" else sql(session, LARGE)[0]
        given = {"calendar_id": row["calendar_id"], "title": "Tea tasting", "start": start, "duration_minutes": 30}
        made = done(session, "create_calendar_event", **given, **room, person_ids=every[:35], on_conflict="allow")
        if state == "cancelled":
            done(session, "cancel_calendar_event", event_id=made["event_id"])
        return session.call("add_event_invitees", {"event_id": made["event_id"], "person_ids": every[35:]})

    return way


def _people_and_answers() -> Table:
    add, remove, answer = "add_event_invitees", "remove_event_invitees", "respond_to_event_invitation"
    remind, seat = "set_event_reminder", "(SELECT count(*) FROM invitee i WHERE i.event_id = e.event_id)"
    later = MINE.format(AHEAD)
    invited = MINE.format(f"{AHEAD} AND {seat} > 0").replace(
        "e.event_id,",
        "e.event_id, (SELECT json_array(max(person_id), (SELECT person_id FROM person WHERE status = 'left'))"
        " FROM invitee i WHERE i.event_id = e.event_id) AS person_ids,",
        1,
    )
    small = MINE.format(f"{AHEAD} AND {seat} = 0 AND e.room_id IN (SELECT room_id FROM room WHERE capacity < 13)")
    strangers = "SELECT json_group_array(person_id) AS person_ids FROM (SELECT person_id FROM employee)"
    found: Table = {
        (add, "already_invited"): call(add, invited),
        (add, "person_left"): call(add, later, people(19, LEFT)),
        (add, "too_many_invitees"): _add_to_crowd("to come"),
        (add, "event_cancelled"): _add_to_crowd("cancelled"),
        (add, "event_in_past"): _add_to_crowd("started"),
        (add, "room_too_small"): call(add, small, people(20)),
        (remove, "not_invited"): call(remove, later, strangers),
    }
    for tool in (add, remove):
        found[tool, "person_not_found"] = call(tool, later, people(19, NOBODY))
    mine = "SELECT invitation_id FROM invitation_now, world_now WHERE {} ORDER BY invitation_id"
    ahead = "start > moment AND status = 'confirmed'"
    given = {"answer": "accepted"}
    return {
        **found,
        (answer, "invitation_not_found"): call(answer, "SELECT 'ivt_0000' AS invitation_id", **given),
        (answer, "event_in_past"): call(answer, mine.format("start < moment AND answer <> 'accepted'"), **given),
        (answer, "event_cancelled"): call(
            answer, mine.format("start > moment AND status = 'cancelled' AND answer = 'accepted'"), **given
        ),
        (answer, "same_answer"): call(answer, mine.format(f"{ahead} AND answer = 'accepted'"), **given),
        (remind, "event_not_found"): call(remind, NO_EVENT, minutes_before=5),
        (remind, "event_in_past"): call(remind, MINE.format(PAST), minutes_before=0),
        (remind, "event_cancelled"): call(
            remind, MINE.format(f"{CANCELLED} AND e.start < date(w.today, '+7 days')"), minutes_before=0
        ),
        (remind, "reminder_in_past"): call(
            remind, MINE.format(AHEAD + " AND e.start < date(w.today, '+5 days')"), minutes_before=10080
        ),
    }


def reach() -> Table:
    """For each (tool, code): a function that opens a session and ends with the call that is refused with the code."""
    return {**_reads(), **_creating(), **_changing(), **_people_and_answers()}
