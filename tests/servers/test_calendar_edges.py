"""Rare states of the calendar that walks seldom reach; each call in them does what the model or the oracle says.

Covers: several of everything (namesakes, busy people, pages that overflow), the twelfth occurrence and the one after
it, moved occurrences beyond their series, scopes that are half said, the ends of the calendar, the limits of arguments.
Does not cover: what walks reach (test_calendar_writes.py).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from proverl.records import Kind
from proverl.servers import load
from proverl.world.session import LocalSession
from support.calendar_books import now
from support.calendar_desk import DAY, HOUR, Desk
from support.reach import calendar as ways
from support.reach.calendar import MINE, SERIES, sql

SERVER = load("calendar")
Row = dict[str, Any]


# Several of everything


def test_invitees_of_one_name_are_told_apart_in_order_of_their_ids() -> None:
    desk = Desk()
    twins = sql(
        desk.session,
        "SELECT person_id, name FROM person WHERE name IN (SELECT name FROM person GROUP BY name HAVING count(*) > 1)"
        " ORDER BY person_id DESC",
    )
    event = desk.plan(desk.monday, person_ids=[row["person_id"] for row in twins] + desk.people[:1])
    shown = desk.done("get_calendar_event", event_id=event)["invitees"]
    ordered = sorted((row["name"], row["person_id"]) for row in shown)
    assert [(row["name"], row["person_id"]) for row in shown] == ordered
    assert len(shown) >= 2


def test_all_who_are_busy_are_told_in_order() -> None:
    desk = Desk()
    people = desk.people[:12]
    desk.plan(desk.monday, person_ids=people[:9])
    other = desk.plan(desk.monday + 30 * timedelta(minutes=1))
    added = desk.done("add_event_invitees", event_id=other, person_ids=people[::-1])
    assert added["busy_person_ids"] == sorted(people[:9])


def test_all_who_are_invited_already_or_not_at_all_are_named() -> None:
    desk = Desk()
    event = desk.plan(desk.monday, person_ids=desk.people[:3])
    user = sql(desk.session, "SELECT person_id FROM employee")[0]["person_id"]
    for people in (desk.people[4:0:-1], [*desk.people[:2], user], desk.people[5:7] + desk.people[:1]):
        there = [one for one in people if one in [*desk.people[:3], user]]
        assert desk.call("add_event_invitees", event_id=event, person_ids=people).code == "already_invited" * bool(
            there
        )
        strangers = [one for one in people if one not in desk.people[:3]]
        assert strangers
        assert desk.call("remove_event_invitees", event_id=event, person_ids=people).code == "not_invited"


def test_a_page_is_full_at_its_limit_and_count_says_how_many_there_are() -> None:
    desk = Desk()
    event = desk.repeat(desk.monday, count=61)["event_id"]
    found = desk.dates(event, desk.monday, desk.monday + 80 * DAY)
    assert (found["count"], len(found["occurrences"])) == (61, 60)
    found = desk.search(desk.monday, desk.monday + 80 * DAY)
    assert (found["count"], len(found["events"])) == (61, 50)
    for number, shown in ((60, 60), (50, 50)):
        high = desk.monday + number * DAY
        assert (
            len(desk.dates(event, desk.monday, high)["occurrences"]) == shown == desk.search(desk.monday, high)["count"]
        )


def test_an_event_takes_fifty_invitees_and_no_more() -> None:
    desk = Desk(1)
    event = desk.plan(desk.monday, person_ids=desk.people[:49])
    assert desk.call("add_event_invitees", event_id=event, person_ids=desk.people[49:51]).code == "too_many_invitees"
    added = desk.done("add_event_invitees", event_id=event, person_ids=desk.people[49:50])
    assert added["invitee_count"] == 50
    assert desk.call("add_event_invitees", event_id=event, person_ids=desk.people[50:51]).code == "too_many_invitees"


def test_a_room_takes_as_many_as_it_seats_with_whichever_tool_they_come() -> None:
    desk = Desk()
    query = "SELECT room_id, capacity FROM room WHERE status = 'bookable' AND capacity BETWEEN 4 AND 20"
    room = sql(desk.session, query)[0]
    many, room_id = desk.people[: room["capacity"]], {"room_id": room["room_id"]}
    usual = {"calendar_id": desk.main, "title": "Kites", "start": desk.monday.isoformat(), "duration_minutes": 30}
    usual |= room_id
    assert desk.call("create_calendar_event", **usual, person_ids=many).code == "room_too_small"
    series = {"frequency": "weekly", "count": 3}
    assert desk.call("create_recurring_event", **usual, **series, person_ids=many).code == "room_too_small"
    made = desk.done("create_recurring_event", **usual, **series, person_ids=many[:-1])["event_id"]
    assert desk.call("add_event_invitees", event_id=made, person_ids=many[-1:]).code == "room_too_small"
    for guests, code in ((many, "room_too_small"), (many[:-1], "")):
        other = desk.plan(desk.monday + HOUR, person_ids=guests)
        assert desk.call("update_event_details", event_id=other, **room_id).code == code


# The twelfth occurrence


def test_clashes_are_told_of_the_next_twelve_occurrences_and_no_later_one() -> None:
    desk = Desk()
    guest = desk.people[:1]
    late = [desk.plan(desk.monday + number * DAY, person_ids=guest) for number in (0, 11, 12)]
    made = desk.repeat(desk.monday, count=14)
    assert [row["event_id"] for row in made["conflicts"]] == late[:2]
    for number, busy in ((11, guest), (12, [])):
        desk = Desk()
        desk.plan(desk.monday + number * DAY, person_ids=guest)
        series = desk.repeat(desk.monday, count=14)["event_id"]
        added = desk.done("add_event_invitees", event_id=series, person_ids=guest)
        assert added["busy_person_ids"] == busy


def test_accepting_a_series_tells_of_clashes_with_its_next_twelve_occurrences_in_own_calendars() -> None:
    session, row = ways.world_with("""
        SELECT i.invitation_id, e.event_id, e.starts_at FROM invitation_now i JOIN event e USING (event_id)
        WHERE e.rrule LIKE '%;COUNT=1_' AND substr(e.rrule, -1) > '2' AND e.status = 'confirmed' ORDER BY e.event_id
    """)
    desk = Desk(session.seed)
    first = datetime.fromisoformat(row["starts_at"])
    desk.session.wait_until(first - DAY)
    ahead = desk.dates(row["event_id"], first, first + 400 * DAY)["occurrences"]
    mine = [desk.plan(datetime.fromisoformat(ahead[place]["start"])) for place in (0, 11, 12)]
    team = sql(desk.session, "SELECT calendar_id FROM calendar WHERE role = 'editor'")[0]["calendar_id"]
    desk.plan(datetime.fromisoformat(ahead[1]["start"]), calendar_id=team)
    for answer in ("declined", "accepted", "tentative", "accepted"):
        told = desk.call("respond_to_event_invitation", invitation_id=row["invitation_id"], answer=answer)
    assert {one["event_id"] for one in told.value["conflicts"]} & set(mine) == set(mine[:2])


# Moved and cancelled occurrences


def test_a_cancelled_series_is_cancelled_in_every_read_and_takes_neither_time_nor_room() -> None:
    desk = Desk()
    guest = desk.people[:1]
    room = sql(desk.session, "SELECT room_id FROM room WHERE status = 'bookable' AND capacity > 2")[0]["room_id"]
    event = desk.repeat(desk.monday, count=4, person_ids=guest, room_id=room)["event_id"]
    second = (desk.monday + DAY).isoformat()
    moved = {"scope": "this", "occurrence": second, "new_start": (desk.monday + 5 * DAY).isoformat()}
    desk.done("reschedule_calendar_event", event_id=event, **moved)
    desk.done("cancel_calendar_event", event_id=event, scope="all")
    low, high = desk.monday, desk.monday + 9 * DAY
    assert desk.done("get_calendar_event", event_id=event)["status"] == "cancelled"
    assert [row["state"] for row in desk.dates(event, low, high)["occurrences"]] == ["cancelled"] * 4
    assert [row["status"] for row in desk.search(low, high)["events"]] == ["cancelled"] * 4
    window = {"from_time": low.isoformat(), "to_time": high.isoformat()}
    assert desk.done("check_people_availability", person_ids=guest, room_id=room, **window)["count"] == 0


def test_one_cancelled_occurrence_is_cancelled_in_the_reads_of_occurrences_and_its_series_is_not() -> None:
    desk = Desk()
    guest = desk.people[:1]
    event = desk.repeat(desk.monday, count=3, person_ids=guest)["event_id"]
    second = (desk.monday + DAY).isoformat()
    desk.done("cancel_calendar_event", event_id=event, scope="this", occurrence=second)
    low, high = desk.monday, desk.monday + 9 * DAY
    assert desk.done("get_calendar_event", event_id=event)["status"] == "confirmed"
    assert [row["state"] for row in desk.dates(event, low, high)["occurrences"]] == ["regular", "cancelled", "regular"]
    assert [row["status"] for row in desk.search(low, high)["events"]] == ["confirmed", "cancelled", "confirmed"]
    window = {"from_time": low.isoformat(), "to_time": high.isoformat()}
    assert desk.done("check_people_availability", person_ids=guest, **window)["count"] == 2


@pytest.mark.parametrize("days", [-20, 20])
def test_an_occurrence_that_was_moved_beyond_its_series_is_found_there_and_takes_time_and_room(days: int) -> None:
    desk = Desk()
    guest = desk.people[:1]
    room = sql(desk.session, "SELECT room_id FROM room WHERE status = 'bookable' AND capacity > 2")[0]["room_id"]
    event = desk.repeat(desk.monday, count=3, person_ids=guest, room_id=room)["event_id"]
    place, far = desk.monday + DAY, desk.monday + days * DAY
    moved = {"scope": "this", "occurrence": place.isoformat(), "new_start": far.isoformat(), "duration_minutes": 90}
    desk.done("reschedule_calendar_event", event_id=event, **moved)
    low, high = far - DAY, far + DAY
    assert [row["start"] for row in desk.search(low, high, text="kite club")["events"]] == [far.isoformat()]
    assert desk.dates(event, low, high)["count"] == 1
    for start, end in ((low, far), (far + 1.5 * HOUR, high)):
        assert desk.dates(event, start, end)["count"] == desk.search(start, end)["count"] == 0
    for start, end in ((low, far + HOUR / 60), (far + 1.4 * HOUR, high)):
        assert desk.dates(event, start, end)["count"] == desk.search(start, end)["count"] == 1
    assert desk.search(place, place + 2 * HOUR)["count"] == desk.dates(event, place, place + 2 * HOUR)["count"] == 0
    window = {"from_time": low.isoformat(), "to_time": high.isoformat()}
    assert desk.done("check_people_availability", person_ids=guest, room_id=room, **window)["count"] == 2
    usual = {"calendar_id": desk.main, "title": "Boats", "duration_minutes": 30}
    late = {"start": (far + HOUR).isoformat(), **usual}
    assert desk.call("create_calendar_event", **late).code == "time_conflict"
    assert desk.call("create_calendar_event", **late, on_conflict="allow", room_id=room).code == "room_unavailable"
    assert desk.call("create_calendar_event", start=(far + 1.5 * HOUR).isoformat(), **usual, room_id=room).succeeded
    again = {"scope": "this", "occurrence": place.isoformat(), "new_start": (far + 30 * DAY).isoformat()}
    told = desk.done("reschedule_calendar_event", event_id=event, **again)
    assert told["duration_minutes"] == 90, "as long as that occurrence was before"
    desk.done("cancel_calendar_event", event_id=event, scope="this", occurrence=place.isoformat())
    assert [row["state"] for row in desk.dates(event, place, place + HOUR)["occurrences"]] == ["cancelled"]


def test_what_is_cancelled_already_is_skipped_by_reminders_and_counts() -> None:
    desk = Desk()
    event = desk.repeat(desk.monday, count=3)["event_id"]
    days = [(desk.monday + number * DAY).isoformat() for number in range(3)]
    desk.done("cancel_calendar_event", event_id=event, scope="this", occurrence=days[0])
    told = desk.done("set_event_reminder", event_id=event, minutes_before=60)
    assert told["remind_at"] == (desk.monday + DAY - HOUR).isoformat()
    again = desk.call("cancel_calendar_event", event_id=event, scope="this", occurrence=days[0])
    assert again.code == "already_cancelled"
    assert desk.done("cancel_calendar_event", event_id=event, scope="all")["cancelled_occurrences"] == 2
    other = desk.repeat(desk.monday + HOUR, count=2)["event_id"]
    for number in range(2):
        at = (desk.monday + HOUR + number * DAY).isoformat()
        desk.done("cancel_calendar_event", event_id=other, scope="this", occurrence=at)
    for key in (event, other):
        assert desk.call("set_event_reminder", event_id=key, minutes_before=0).code == "event_cancelled"
        assert desk.call("update_event_details", event_id=key, title="New").code == "event_cancelled"
        assert desk.call("add_event_invitees", event_id=key, person_ids=desk.people[:1]).code == "event_cancelled"


@pytest.mark.parametrize(("minutes", "code"), [(7199, ""), (7200, "reminder_in_past"), (7201, "reminder_in_past")])
def test_a_reminder_lies_ahead(minutes: int, code: str) -> None:
    desk = Desk()
    event = desk.plan(now(desk.session) + 5 * DAY + timedelta(minutes=1))  # creating takes one
    assert desk.call("set_event_reminder", event_id=event, minutes_before=minutes).code == code


def test_a_reminder_that_only_later_occurrences_can_have_is_theirs() -> None:
    desk = Desk()
    start = now(desk.session) + DAY
    event = desk.repeat(start, count=3)["event_id"]
    told = desk.done("set_event_reminder", event_id=event, minutes_before=2 * 24 * 60)
    assert told["remind_at"] == start.isoformat()


def test_private_events_of_others_are_not_found_by_their_people_and_not_named_where_they_are_in_the_way() -> None:
    session, row = ways.world_with("""
        SELECT e.calendar_id, e.event_id, e.start, e.end, e.organizer_id, v.title FROM event_now e
        JOIN event v USING (event_id), world_now w
        WHERE e.shut AND e.writable AND e.start > w.moment AND e.status = 'confirmed' ORDER BY e.event_id
    """)
    desk = Desk(session.seed)
    window = {"from_time": row["start"], "to_time": row["end"]}
    found = desk.done("search_calendar_events", **window, person_id=row["organizer_id"])["events"]
    assert row["event_id"] not in {one["event_id"] for one in found}
    new = {"title": "Kites", "start": row["start"], "duration_minutes": 30, "calendar_id": row["calendar_id"]}
    clash = desk.call("create_calendar_event", **new)
    assert clash.code == "time_conflict"
    assert row["title"] not in clash.message
    assert desk.done("set_event_reminder", event_id=row["event_id"], minutes_before=0)["title"] is None


# Scopes


def test_a_scope_without_its_occurrence_is_asked_for_it_though_the_next_one_is_cancelled() -> None:
    desk = Desk()
    event = desk.repeat(desk.monday, count=3)["event_id"]
    first, start = desk.monday.isoformat(), (desk.monday + 40 * DAY).isoformat()
    desk.done("cancel_calendar_event", event_id=event, scope="this", occurrence=first)
    move = {"event_id": event, "new_start": start}
    odd = (desk.monday + HOUR).isoformat()
    for scope in ("this", "following"):
        assert desk.call("reschedule_calendar_event", **move, scope=scope).code == "scope_required"
        assert (
            desk.call("reschedule_calendar_event", **move, scope=scope, occurrence=odd).code == "occurrence_not_found"
        )
        assert desk.call("reschedule_calendar_event", **move, scope=scope, occurrence=first).code == "event_cancelled"
    assert desk.call("reschedule_calendar_event", **move).code == "scope_required"
    assert desk.call("reschedule_calendar_event", **move, scope="all", occurrence=odd).code == "occurrence_not_found"
    assert desk.call("reschedule_calendar_event", **move, scope="all", occurrence=first).succeeded


def test_a_single_event_needs_no_scope_and_its_occurrence_is_its_start() -> None:
    desk = Desk()
    event = desk.plan(desk.monday)
    move = {"event_id": event, "new_start": (desk.monday + DAY).isoformat()}
    odd = {"occurrence": (desk.monday + HOUR).isoformat()}
    assert desk.call("reschedule_calendar_event", **move, **odd).code == "occurrence_not_found"
    assert desk.call("cancel_calendar_event", event_id=event, **odd).code == "occurrence_not_found"
    right = {"scope": "following", "occurrence": desk.monday.isoformat()}
    assert desk.done("reschedule_calendar_event", **move, **right)["event_id"] == event
    assert desk.done("cancel_calendar_event", event_id=event, scope="this")["cancelled_occurrences"] == 1


def test_later_occurrences_of_a_series_that_moves_leave_its_earlier_ones_and_may_clash_with_them() -> None:
    desk = Desk()
    event = desk.repeat(desk.monday, count=5)["event_id"]
    third = {"occurrence": (desk.monday + 2 * DAY).isoformat()}
    onto = {"event_id": event, "new_start": (desk.monday + HOUR / 2).isoformat()}
    assert desk.call("reschedule_calendar_event", **onto, **third, scope="following").code == "time_conflict"
    assert desk.call("reschedule_calendar_event", **onto, **third, scope="this").code == "time_conflict"
    assert desk.call("reschedule_calendar_event", **onto, scope="all").succeeded
    shift = {**onto, "new_start": (desk.monday + 1.5 * HOUR).isoformat()}
    first = {"occurrence": (desk.monday + HOUR / 2).isoformat()}
    assert desk.call("reschedule_calendar_event", **shift, **first, scope="this").succeeded


def test_a_series_that_has_begun_is_moved_and_cancelled_from_now_on() -> None:
    for tool in ("reschedule_calendar_event", "cancel_calendar_event"):
        desk = Desk()
        event = desk.repeat(desk.monday, count=5, person_ids=desk.people[:2])["event_id"]
        desk.session.wait_until(desk.monday + 2 * DAY)
        new = {"new_start": (desk.monday + 30 * DAY).isoformat()} if tool.startswith("resch") else {}
        second = {"scope": "following", "occurrence": (desk.monday + DAY).isoformat()}
        assert desk.call(tool, event_id=event, **second, **new).code == "event_in_past"
        told = desk.done(tool, event_id=event, scope="all", **new)
        assert told.get("cancelled_occurrences", 2) == 2, "the third has just started"
        low, high = desk.monday, desk.monday + 60 * DAY
        assert desk.dates(event, low, high)["count"] == 3
        assert (told["event_id"] == event) == (not new)


# Times


def test_windows_reach_both_ends_of_the_calendar() -> None:
    desk = Desk()
    event = desk.repeat(desk.monday, count=3)["event_id"]
    ends = {"from_time": "0001-01-01", "to_time": "9999-12-31T23:59:59"}
    assert desk.done("list_event_occurrences", event_id=event, **ends)["count"] == 3
    assert desk.done("list_event_occurrences", event_id=event, from_time="0001-01-01")["count"] == 0
    assert desk.done("list_event_occurrences", event_id=event, from_time="9999-12-31")["count"] == 0
    for window in ({"from_time": "0001-01-01", "to_time": "0001-01-09"}, {"from_time": "9999-12-28"}):
        assert desk.done("search_calendar_events", **window)["count"] == 0
    beyond = {"from_time": "0001-01-01T00:00:00+04:00"}
    assert desk.call("list_event_occurrences", event_id=event, **beyond).code == "invalid_time_window"
    assert desk.call("search_calendar_events", **ends).code == "invalid_time_window"


@pytest.mark.parametrize("hour", [0, 23])
def test_until_is_the_last_possible_day_whole(hour: int) -> None:
    desk = Desk()
    start = desk.monday.replace(hour=hour)
    made = desk.repeat(start, until=(start + 2 * DAY).date().isoformat())
    assert made["occurrences"] == 3
    assert made["rrule"].endswith(f"UNTIL={start + 2 * DAY:%Y%m%d}T195959Z")
    one = desk.repeat(start, until=start.date().isoformat(), title="Once")
    assert one["occurrences"] == 1


@pytest.mark.parametrize("frequency", ["daily", "yearly"])
@pytest.mark.parametrize("ends", [{}, {"count": 3, "until": "2099-01-01"}])
def test_a_series_has_one_end(frequency: str, ends: Row) -> None:
    desk = Desk()
    usual = {"calendar_id": desk.main, "title": "Kites", "duration_minutes": 30, "frequency": frequency}
    refused = desk.call("create_recurring_event", **usual, start=desk.monday.isoformat(), **ends)
    assert refused.code == "until_or_count_required"


def test_a_series_has_at_most_260_occurrences_whichever_way_it_ends() -> None:
    desk = Desk()
    last = [(desk.monday + number * DAY).date().isoformat() for number in (259, 260)]
    assert desk.repeat(desk.monday, until=last[0])["occurrences"] == 260
    usual = {"calendar_id": desk.main, "title": "Kites", "duration_minutes": 30, "frequency": "daily"}
    over = desk.call("create_recurring_event", **usual, start=desk.monday.isoformat(), until=last[1])
    assert (over.code, "260" in over.message) == ("invalid_argument", True)


@pytest.mark.parametrize("text", ["2031-13-01", "soon", "2031-05-01T10:00:00.5", "2031-05-01T10:00+99:00", "20310501"])
@pytest.mark.parametrize("name", ["start", "new_start", "occurrence", "from_time"])
def test_what_is_no_moment_in_whole_seconds_is_refused_and_quoted(name: str, text: str) -> None:
    desk = Desk()
    event = sql(desk.session, MINE.format(SERIES))[0]["event_id"]
    usual = {"calendar_id": desk.main, "title": "Kites", "duration_minutes": 30}
    calls: dict[str, tuple[str, Row]] = {
        "start": ("create_calendar_event", usual),
        "new_start": ("reschedule_calendar_event", {"event_id": event}),
        "occurrence": ("cancel_calendar_event", {"event_id": event, "scope": "this"}),
        "from_time": ("list_event_occurrences", {"event_id": event}),
    }
    tool, more = calls[name]
    outcome = desk.session.call(tool, {**more, name: text})
    if outcome.kind is not Kind.BAD_ARGUMENTS:
        assert outcome.code == ("invalid_time_window" if name == "from_time" else "invalid_argument")
        assert name in outcome.message
        assert text in outcome.message


# Arguments

TEXTS = {
    ("create_calendar_event", "title"): (1, 120),
    ("create_calendar_event", "location"): (0, 120),
    ("create_recurring_event", "title"): (1, 120),
    ("update_event_details", "title"): (1, 120),
    ("update_event_details", "location"): (0, 120),
    ("update_event_details", "description"): (0, 1000),
    ("cancel_calendar_event", "note"): (0, 300),
    ("respond_to_event_invitation", "comment"): (0, 300),
    ("search_calendar_events", "text"): (2, None),
    ("search_calendar_directory", "text"): (2, None),
}
NUMBERS = {
    ("create_calendar_event", "duration_minutes"): (5, 1440),
    ("create_recurring_event", "duration_minutes"): (5, 1440),
    ("reschedule_calendar_event", "duration_minutes"): (5, 1440),
    ("create_recurring_event", "interval"): (1, 12),
    ("create_recurring_event", "count"): (2, 260),
    ("find_common_slots", "duration_minutes"): (15, 480),
    ("search_calendar_directory", "min_capacity"): (1, 100),
    ("set_event_reminder", "minutes_before"): (0, 10080),
}
LISTS = {
    ("create_calendar_event", "person_ids"): (0, 50),
    ("create_recurring_event", "person_ids"): (0, 50),
    ("create_recurring_event", "weekdays"): (1, 7),
    ("add_event_invitees", "person_ids"): (1, 20),
    ("remove_event_invitees", "person_ids"): (1, 20),
    ("check_people_availability", "person_ids"): (1, 20),
    ("find_common_slots", "person_ids"): (1, 20),
}
"""The least and the most that the catalogue of the domain lets an argument have."""


def fits(tool: str, name: str, value: Any) -> bool:
    """Whether the published schema of a tool takes a value for an argument, the others being right."""
    usual = {
        "title": "Kites", "duration_minutes": 30, "frequency": "weekly", "minutes_before": 5, "answer": "accepted",
        "person_ids": ["prs_0000"], "calendar_id": "cal_0000", "event_id": "evn_0000", "invitation_id": "ivt_0000",
        **dict.fromkeys(("start", "new_start", "from_time", "to_time"), "2031-05-01T10:00"),
    }  # fmt: skip
    needed = {one: usual[one] for one in SERVER.tool(tool).input_schema["required"]} if needs(tool) else {}
    return LocalSession(SERVER, 0).call(tool, {**needed, name: value}).kind is not Kind.BAD_ARGUMENTS


def needs(tool: str) -> bool:
    return bool(SERVER.tool(tool).input_schema.get("required"))


@pytest.mark.parametrize(("tool", "name"), TEXTS)
def test_texts_may_be_as_long_as_the_catalogue_says(tool: str, name: str) -> None:
    least, most = TEXTS[tool, name]
    assert fits(tool, name, "x" * least)
    assert not fits(tool, name, "x" * (least - 1)) or not least
    assert fits(tool, name, "  \n") == (least == 0)
    assert most is None or (fits(tool, name, "x" * most) and not fits(tool, name, "x" * (most + 1)))


@pytest.mark.parametrize(("tool", "name"), NUMBERS)
def test_numbers_may_be_what_the_catalogue_says(tool: str, name: str) -> None:
    least, most = NUMBERS[tool, name]
    assert [fits(tool, name, value) for value in (least - 1, least, most, most + 1)] == [False, True, True, False]


@pytest.mark.parametrize(("tool", "name"), LISTS)
def test_lists_may_be_as_long_as_the_catalogue_says_and_name_nothing_twice(tool: str, name: str) -> None:
    least, most = LISTS[tool, name]
    days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    values = days if name == "weekdays" else [f"prs_{number:04d}" for number in range(9000, 9051)]
    assert fits(tool, name, values[:most])
    assert len(values) == most or not fits(tool, name, values[: most + 1])
    assert fits(tool, name, []) == (least == 0)
    assert not fits(tool, name, [values[0], values[0]])


# Messages of reads


def test_a_read_that_is_refused_says_of_what_it_speaks() -> None:
    table = ways.reach()
    single = table["list_event_occurrences", "not_recurring"]()
    private = table["get_calendar_event", "event_private"]()
    session, row = ways.world_with(
        "SELECT e.event_id, p.name, v.title FROM event_now e JOIN event v USING (event_id)"
        " JOIN person p ON p.person_id = e.organizer_id WHERE e.shut ORDER BY e.event_id"
    )
    assert row["name"] in private.message
    assert row["event_id"] in private.message
    assert row["title"] not in private.message
    _, once = ways.world_with("SELECT event_id, title, start FROM event_now WHERE rrule = '' ORDER BY event_id")
    assert once["start"] in single.message
    for tool in ("search_calendar_events", "check_people_availability", "find_common_slots"):
        window = table[tool, "invalid_time_window"]()
        assert "2031-01-05" in window.message
        assert "2031-01-01" in window.message
    session.close()
