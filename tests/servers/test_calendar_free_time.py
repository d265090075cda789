"""Free time in the calendar: merging and cutting stretches, working hours, common slots, worked out minute by minute.

Does not cover: which events take time (test_calendar_writes.py compares with an oracle).
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from proverl.servers import load
from proverl.servers.calendar.free_time import both, gaps, merged, working_times
from proverl.world.session import LocalSession
from support.calendar_books import now
from support.reach.calendar import PEOPLE, done, sql

SERVER = load("calendar")
stretches = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=8)
MIDNIGHT = datetime(2031, 5, 1)


def at(minute: int) -> datetime:
    return MIDNIGHT + timedelta(minutes=minute)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(stretches, stretches)
def test_stretches_of_time_are_sets_of_minutes(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    low, high = 5, 55

    def minutes(found: list[tuple[datetime, datetime]]) -> set[int]:
        return {minute for minute in range(100) for start, end in found if start <= at(minute) < end}

    def merge(given: list[tuple[int, int]]) -> list[tuple[datetime, datetime]]:
        return merged([(at(start), at(start + length)) for start, length in given], at(low), at(high))

    taken = {minute for start, length in one for minute in range(start, start + length)} & set(range(low, high))
    also = {minute for start, length in other for minute in range(start, start + length)} & set(range(low, high))
    assert minutes(merge(one)) == taken
    assert minutes(gaps(merge(one), at(low), at(high))) == set(range(low, high)) - taken
    assert minutes(both(merge(one), merge(other))) == taken & also
    for found in (merge(one), gaps(merge(one), at(low), at(high)), both(merge(one), merge(other))):
        assert all(start < end for start, end in found)
        assert all(end <= start for (_, end), (start, _) in pairwise(found))
    assert all(end < start for (_, end), (start, _) in pairwise(merge(one))), "what touches is merged"


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    st.sampled_from(["09:00-17:00 Mon-Fri", "08:30-13:00 Mon-Wed", "10:00-19:15 Tue-Sat"]),
    st.sampled_from([60, 240, 330]),
    st.integers(0, 700),
    st.integers(1, 700),
)
def test_working_times_are_the_minutes_of_a_window_at_which_somebody_works(
    hours: str, zone: int, after: int, length: int
) -> None:
    low = MIDNIGHT.replace(tzinfo=timezone(timedelta(hours=4))) + after * timedelta(minutes=15)
    high = low + length * timedelta(minutes=15)
    found = working_times(hours, timezone(timedelta(minutes=zone)), low, high)
    assert all(low <= start < end <= high for start, end in found)
    quarters = [low + number * timedelta(minutes=15) for number in range(length)]
    at_work = [one for one in quarters if works(hours, zone, one, one + timedelta(minutes=15))]
    assert [one for one in quarters if any(start <= one < end for start, end in found)] == at_work


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    st.integers(0, 5), st.integers(1, 6), st.integers(15, 120), st.integers(1, 10), st.booleans(), st.integers(0, 7200)
)
def test_slots_are_exactly_the_quarter_hours_at_which_all_are_free_and_at_work(
    seed: int, number: int, minutes: int, days: int, with_room: bool, after: int
) -> None:
    session = LocalSession(SERVER, seed)
    user = sql(session, "SELECT person_id FROM employee")[0]["person_id"]
    room = sql(session, "SELECT room_id FROM room WHERE status = 'bookable'")[0] if with_room else {}
    low = now(session) + timedelta(seconds=after)
    high = low + timedelta(days=days)
    window = {"from_time": low.isoformat(), "to_time": high.isoformat(), **room}
    guests = [row["person_id"] for row in sql(session, PEOPLE.format(number))]
    slots = done(session, "find_common_slots", person_ids=guests, duration_minutes=minutes, **window)
    told = done(session, "check_people_availability", person_ids=[*guests, user], **window)
    busy = [block for one in (*told["people"], *([told["room"]] if room else [])) for block in one["busy"]]
    times = [(datetime.fromisoformat(one["start"]), datetime.fromisoformat(one["end"])) for one in busy]
    zones = {row["person_id"]: row["utc_minutes"] for row in sql(session, "SELECT person_id, utc_minutes FROM person")}
    expected, start = [], now(session)
    while start < low:
        start += timedelta(minutes=15)
    while start + timedelta(minutes=minutes) <= high:
        end = start + timedelta(minutes=minutes)
        free = all(end <= one or start >= other for one, other in times)
        at_work = all(works(row["working_hours"], zones[row["person_id"]], start, end) for row in told["people"])
        if free and at_work:
            expected.append((start, end))
        start += timedelta(minutes=15)
    assert slots["count"] == len(expected)
    assert slots["slots"] == [{"start": one.isoformat(), "end": end.isoformat()} for one, end in expected[:10]]


def works(hours: str, zone: int, start: datetime, end: datetime) -> bool:
    """Whether a stretch lies in the working hours, such as 09:00-17:00 Mon-Fri, of a zone."""
    shift = timedelta(minutes=zone)
    begin, finish = (one - (one.utcoffset() or timedelta()) + shift for one in (start, end))
    span, week = hours.split(" ")
    opens, closes = span.split("-")
    first, last = (["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].index(one) for one in week.split("-"))
    same_day = begin.date() == finish.date()
    inside = opens <= f"{begin:%H:%M}" and f"{finish:%H:%M}" <= closes
    return same_day and inside and first <= begin.weekday() <= last
