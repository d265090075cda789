"""Series whose parts are moved and cancelled, and all-day events; each call does what the model or the oracle says.

Covers: rules whose days move along, what is forgotten when a series changes, occurrences that meet, events of a day's
length. Does not cover: what walks reach (test_calendar_writes.py).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from support.calendar_desk import DAY, HOUR, Desk
from support.reach.calendar import sql

SECOND = timedelta(seconds=1)
Row = dict[str, Any]

RULES: dict[str, Row] = {
    "three days a week": {"frequency": "weekly", "weekdays": ["MO", "WE", "SU"], "count": 8},
    "every other week": {"frequency": "weekly", "interval": 2, "count": 4},
    "every third day": {"frequency": "daily", "interval": 3, "until": ""},
    "monthly": {"frequency": "monthly", "count": 5},
    "yearly": {"frequency": "yearly", "count": 3},
}


@pytest.mark.parametrize("scope", ["all", "following"])
@pytest.mark.parametrize(("rule", "days"), list(zip(RULES, [1, -3, 26, 1, -3], strict=True)))
def test_a_part_of_a_series_moves_with_its_days_and_keeps_their_number(rule: str, days: int, scope: str) -> None:
    desk = Desk()
    ends = {"until": (desk.monday + 20 * DAY).date().isoformat()} if "until" in RULES[rule] else {}
    event = desk.repeat(desk.monday, **{**RULES[rule], **ends})["event_id"]
    before = desk.dates(event, desk.monday, desk.monday + 1500 * DAY)["occurrences"]
    third = before[2]["occurrence"]
    desk.done(
        "reschedule_calendar_event", event_id=event, scope="this", occurrence=third, new_start=third[:11] + "05:00"
    )
    desk.done("cancel_calendar_event", event_id=event, scope="this", occurrence=before[1]["occurrence"])
    first = desk.monday if scope == "all" else desk.at(third)
    where = {"scope": scope, **({} if scope == "all" else {"occurrence": third})}
    start = first + days * DAY + HOUR
    moved = desk.done(
        "reschedule_calendar_event", event_id=event, **where, new_start=start.isoformat(), duration_minutes=45
    )
    after = desk.dates(moved["event_id"], desk.monday - 9 * DAY, desk.monday + 2000 * DAY)["occurrences"]
    assert {row["state"] for row in after} == {"regular"}
    assert after[0]["start"] == start.isoformat()
    assert len(after) == len(before) - (0 if scope == "all" else 2)
    if scope == "following":
        kept = desk.dates(event, desk.monday, desk.monday + 2000 * DAY)["occurrences"]
        assert [row["state"] for row in kept] == ["regular", "cancelled"]


def test_what_was_said_of_later_occurrences_is_forgotten_when_they_are_cancelled() -> None:
    desk = Desk()
    event = desk.repeat(desk.monday, count=6)["event_id"]
    days = [(desk.monday + number * DAY).isoformat() for number in range(6)]
    far = (desk.monday + 90 * DAY).isoformat()
    for place in (1, 4):
        move = {"event_id": event, "scope": "this", "occurrence": days[place]}
        desk.done("reschedule_calendar_event", **move, new_start=far, on_conflict="allow")
    cancelled = desk.done(
        "cancel_calendar_event", event_id=event, scope="following", occurrence=days[3], note="Enough."
    )
    assert cancelled["cancelled_occurrences"] == 3
    found = desk.dates(event, desk.monday, desk.monday + 99 * DAY)["occurrences"]
    assert [row["start"] for row in found] == [days[0], days[2], far]
    assert desk.search(desk.monday + 89 * DAY, desk.monday + 99 * DAY)["count"] == 1


def test_an_occurrence_that_was_moved_can_be_moved_cancelled_and_moved_with_the_rest() -> None:
    desk = Desk()
    guest = desk.people[:1]
    event = desk.repeat(desk.monday, count=4, person_ids=guest)["event_id"]
    second = {"event_id": event, "scope": "this", "occurrence": (desk.monday + DAY).isoformat()}
    for number in (1, 2):
        start = (desk.monday + DAY + number * HOUR).isoformat()
        desk.done("reschedule_calendar_event", **second, new_start=start, duration_minutes=60 * number)
    assert desk.done("cancel_calendar_event", **second, note="No wind.")["notified"] == 1
    move = {"event_id": event, "scope": "all", "new_start": (desk.monday + 7 * DAY).isoformat()}
    assert desk.done("reschedule_calendar_event", **move)["answers_reset"] == 0
    found = desk.dates(event, desk.monday, desk.monday + 99 * DAY)["occurrences"]
    assert [row["state"] for row in found] == ["regular"] * 4


@pytest.mark.parametrize(("minutes", "clashing"), [(59, True), (60, False), (-59, True), (-60, False)])
def test_a_new_series_is_in_the_way_of_what_overlaps_by_a_minute_and_not_of_what_touches(
    minutes: int, clashing: bool
) -> None:
    desk = Desk()
    room = sql(desk.session, "SELECT room_id FROM room WHERE status = 'bookable'")[0]
    other = desk.plan(desk.monday + 2 * DAY + timedelta(minutes=minutes), **room)
    told = desk.repeat(desk.monday, count=5)["conflicts"]
    assert [row["event_id"] for row in told] == ([other] if clashing else [])
    series = {"calendar_id": desk.main, "title": "Kites", "frequency": "daily", "count": 5, "duration_minutes": 60}
    booked = desk.call("create_recurring_event", **series, **room, start=desk.monday.isoformat())
    assert booked.code == ("room_unavailable" if clashing else "")


@pytest.mark.parametrize("minute", [29, 30])
def test_an_occurrence_that_is_shorter_than_the_others_ends_earlier(minute: int) -> None:
    desk = Desk()
    event = desk.repeat(desk.monday, count=3)["event_id"]
    second = desk.monday + DAY
    move = {"event_id": event, "scope": "this", "occurrence": second.isoformat()}
    desk.done("reschedule_calendar_event", **move, new_start=second.isoformat(), duration_minutes=30)
    guest = desk.people[:1]
    room = sql(desk.session, "SELECT room_id FROM room WHERE status = 'bookable' AND capacity > 3")[0]
    desk.plan(second + timedelta(minutes=minute), person_ids=guest, **room)
    booked = desk.call("update_event_details", event_id=event, **room)
    assert booked.code == ("room_unavailable" if minute < 30 else "")
    added = desk.done("add_event_invitees", event_id=event, person_ids=guest)
    assert added["busy_person_ids"] == (guest if minute < 30 else [])


def test_occurrences_that_start_together_come_in_order_of_the_rule() -> None:
    desk = Desk()
    event = desk.repeat(desk.monday, count=4)["event_id"]
    first, third = desk.monday.isoformat(), (desk.monday + 2 * DAY).isoformat()
    move = {"event_id": event, "scope": "this", "occurrence": first, "new_start": third}
    assert desk.call("reschedule_calendar_event", **move).code == "time_conflict"
    desk.done("reschedule_calendar_event", **move, on_conflict="allow")
    for found in (
        desk.dates(event, desk.monday, desk.monday + 9 * DAY)["occurrences"],
        desk.search(desk.monday, desk.monday + 9 * DAY)["events"],
    ):
        assert [row["occurrence"] for row in found] == [
            (desk.monday + number * DAY).isoformat() for number in (1, 0, 2, 3)
        ]
    again = {"calendar_id": desk.main, "title": "Boats", "start": third, "duration_minutes": 60, "frequency": "daily"}
    told = desk.done("create_recurring_event", **again, count=2)["conflicts"]
    assert [row["event_id"] for row in told] == [event] * 3


@pytest.mark.parametrize("more", [{}, {"count": 2, "frequency": "weekly"}])
def test_an_event_of_a_whole_day_is_in_the_way_until_its_last_second(more: Row) -> None:
    desk = Desk()
    room = sql(desk.session, "SELECT room_id FROM room WHERE status = 'bookable' AND capacity > 2")[0]
    guest = desk.people[:1]
    plan = desk.repeat if more else desk.plan
    plan(desk.monday, duration_minutes=1440, **more, **room, person_ids=guest)
    end = desk.monday + DAY
    for low, number in ((end - SECOND, 1), (end, 0)):
        assert desk.search(low, low + HOUR)["count"] == number
        window = {"from_time": low.isoformat(), "to_time": (low + HOUR).isoformat()}
        busy = desk.done("check_people_availability", person_ids=guest, **room, **window)
        assert busy["count"] == 2 * number
        new = {"calendar_id": desk.main, "title": "Boats", "start": low.isoformat(), "duration_minutes": 30}
        assert desk.call("create_calendar_event", **new).code == ("time_conflict" if number else "")
        other = {**new, **room, "on_conflict": "allow"}
        assert desk.call("create_calendar_event", **other).code == ("room_unavailable" if number else "")


def test_no_time_suits_somebody_who_has_left_a_closed_room_or_the_past() -> None:
    desk = Desk()
    left = [row["person_id"] for row in sql(desk.session, "SELECT person_id FROM person WHERE status = 'left'")]
    closed = sql(desk.session, "SELECT room_id FROM room WHERE status = 'closed'")[0]
    window = {"from_time": desk.monday.isoformat(), "to_time": (desk.monday + 7 * DAY).isoformat()}
    usual = {"duration_minutes": 60, **window}
    assert desk.done("find_common_slots", person_ids=desk.people[:2], **usual)["count"] > 10
    assert desk.done("find_common_slots", person_ids=desk.people[:2] + left, **usual)["count"] == 0
    assert desk.done("find_common_slots", person_ids=desk.people[:2], **usual, **closed)["count"] == 0
    desk.session.wait_until(desk.monday + 3 * DAY + 9 * HOUR)
    fewer = desk.done("find_common_slots", person_ids=desk.people[:2], **usual)
    assert fewer["slots"][0]["start"] >= (desk.monday + 3 * DAY).isoformat()
    desk.session.wait_until(desk.monday + 7 * DAY)
    assert desk.done("find_common_slots", person_ids=desk.people[:2], **usual)["count"] == 0
