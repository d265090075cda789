"""The calendar server: its rules, worked out independently, and what a caller reads of what was written.

When events take place is worked out here day by day from the text of their rules (support/calendar_books.py).
"""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proverl.laws.arguments import Drawn, Family, Generator
from proverl.records import Outcome
from proverl.servers import load
from proverl.servers.calendar.recurrence import Rule, read_rule, rrule, starts
from proverl.world.session import LocalSession
from support.calendar_books import broken_books, now, repeats_on
from support.reach.calendar import AHEAD, MINE, PEOPLE, done, sql, world_with

SERVER = load("calendar")
Row = dict[str, Any]


def opened(seed: int = 0) -> LocalSession:
    return LocalSession(SERVER, seed)


def main_calendar(session: LocalSession) -> str:
    return str(sql(session, "SELECT calendar_id FROM calendar WHERE main")[0]["calendar_id"])


def create(session: LocalSession, start: str, **more: Any) -> Row:
    given = {"calendar_id": main_calendar(session), "title": "Kite flying", "duration_minutes": 60, "start": start}
    return done(session, "create_calendar_event", **{**given, **more})


def repeat(session: LocalSession, start: str, **more: Any) -> Row:
    given = {"calendar_id": main_calendar(session), "title": "Kite club", "duration_minutes": 60, "start": start}
    return done(session, "create_recurring_event", **{**given, "frequency": "weekly", **more})


def dates(session: LocalSession, event_id: str, **window: str) -> list[Row]:
    found: list[Row] = done(session, "list_event_occurrences", event_id=event_id, **window)["occurrences"]
    return found


def far(session: LocalSession, days: int = 700, hour: str = "03:00") -> str:
    """A start on a Monday so many days ahead or a little later, when no world has events."""
    day = now(session).date() + timedelta(days=days)
    return f"{day + timedelta(days=-day.weekday() % 7)}T{hour}:00+04:00"


def people(session: LocalSession, number: int) -> list[str]:
    return [row["person_id"] for row in sql(session, PEOPLE.format(number))]


# Rules


rules = st.builds(
    Rule,
    st.sampled_from(["daily", "weekly", "monthly", "yearly"]),
    st.integers(1, 12),
    st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple(sorted(days))),
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(rules, st.dates(date(2031, 1, 1), date(2036, 12, 31)), st.integers(-400, 1500), st.integers(1, 1200))
def test_a_rule_has_the_starts_that_looking_at_every_day_finds(rule: Rule, day: date, after: int, length: int) -> None:
    rule = rule if rule.frequency == "weekly" else Rule(rule.frequency, rule.interval)
    first = datetime.combine(day, time(10, 30))
    low = first + timedelta(days=after)
    high = low + timedelta(days=length)
    text = dict(part.split("=") for part in rrule(rule, count=9).split(";"))
    every = (datetime.combine(low.date() + timedelta(days=number), time(10, 30)) for number in range(-1, length + 2))
    expected = [one for one in every if low <= one < high and repeats_on(text, day, one.date())]
    assert list(starts(rule, first, low, high)) == expected
    assert read_rule(rrule(rule, count=9)) == rule


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.integers(0, 5), st.integers(0, 40), st.integers(-70, 60), st.integers(1, 40), st.integers(1, 40))
def test_the_occurrences_of_a_window_are_those_of_its_two_parts(
    seed: int, place: int, after: int, one: int, other: int
) -> None:
    session = opened(seed)
    series = sql(session, "SELECT event_id FROM event_now WHERE rrule <> '' ORDER BY event_id")
    event_id = series[place % len(series)]["event_id"]
    low = now(session) + timedelta(days=after, minutes=place)
    middle, high = low + timedelta(days=one), low + timedelta(days=one + other)

    def found(start: datetime, end: datetime) -> set[tuple[str, ...]]:
        rows = dates(session, event_id, from_time=start.isoformat(), to_time=end.isoformat())
        return {tuple(row.values()) for row in rows}

    assert found(low, middle) | found(middle, high) == found(low, high)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(0, 5), st.integers(-50, 60), st.integers(1, 20), st.integers(1, 20))
def test_a_search_of_a_window_finds_what_searches_of_its_two_parts_find(
    seed: int, after: int, one: int, other: int
) -> None:
    session = opened(seed)
    low = now(session) + timedelta(days=after)
    middle, high = low + timedelta(hours=one), low + timedelta(hours=one + other)

    def found(start: datetime, end: datetime) -> set[tuple[Any, ...]]:
        window = {"from_time": start.isoformat(), "to_time": end.isoformat()}
        answer = done(session, "search_calendar_events", **window)
        assert answer["count"] == len(answer["events"])
        return {tuple(row.values()) for row in answer["events"]}

    assert found(low, middle) | found(middle, high) == found(low, high)


@pytest.mark.parametrize(
    ("start", "more", "expected"),
    [
        ("2033-01-31T10:00", {"frequency": "monthly", "count": 4}, ["01-31", "03-31", "05-31", "07-31"]),
        ("2032-02-29T10:00", {"frequency": "monthly", "count": 3}, ["02-29", "03-29", "04-29"]),
        (
            "2033-05-02T10:00",
            {"frequency": "daily", "interval": 3, "until": "2033-05-11"},
            ["05-02", "05-05", "05-08", "05-11"],
        ),
        (
            "2033-05-02T10:00",
            {"interval": 2, "weekdays": ["FR", "MO"], "count": 4},
            ["05-02", "05-06", "05-16", "05-20"],
        ),
        ("2033-05-06T10:00", {"interval": 2, "weekdays": ["MO", "FR"], "count": 3}, ["05-06", "05-16", "05-20"]),
    ],
)
def test_series_have_the_dates_of_rfc_5545(start: str, more: Row, expected: list[str]) -> None:
    session = opened(4) if start < "2033" else opened()
    if start[:19] < now(session).isoformat():
        start = start.replace("2032", "2036")
    made = repeat(session, start, **more)
    window = {"from_time": start, "to_time": f"{start[:4]}-12-31"}
    assert [row["start"][5:10] for row in dates(session, made["event_id"], **window)] == expected
    assert made["occurrences"] == len(expected)


# Every state


def walk(seed: int, calls: int) -> Counter[str]:
    """Random calls; after each, the books are right."""
    session = opened(seed)

    def trial(drawn: Drawn) -> Outcome:
        with session.attempt():
            return session.call(drawn.tool, drawn.arguments)

    shares: dict[Family, float] = {"live": 0.9, "valid": 0.05, "broken": 0.0, "hostile": 0.05}
    generator = Generator(SERVER.tools, seed, shares=shares, trial=trial)
    made: Counter[str] = Counter()
    for _ in range(calls):
        drawn = generator.call()
        outcome = session.call(drawn.tool, drawn.arguments)
        generator.learn(drawn, outcome)
        made[drawn.tool] += outcome.succeeded
        if SERVER.tool(drawn.tool).effect != "read":
            assert broken_books(session, now(session)) == [], drawn
    return made


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(6))
def test_no_long_sequence_of_calls_breaks_the_books(seed: int) -> None:
    assert walk(seed, 150).total() > 75


# Reading what was written


def test_a_new_event_is_found_shown_and_takes_time_and_room() -> None:
    session = opened()
    start, guests = far(session), people(session, 2)
    room = sql(session, "SELECT room_id FROM room WHERE status = 'bookable' AND capacity > 3")[0]["room_id"]
    made = create(session, start, person_ids=guests, room_id=room)
    window = {"from_time": start, "to_time": start[:11] + "04:00"}
    found = done(session, "search_calendar_events", text="kite", **window)["events"]
    assert [(row["event_id"], row["start"], row["recurring"]) for row in found] == [(made["event_id"], start, False)]
    shown = done(session, "get_calendar_event", event_id=made["event_id"])
    assert {row["person_id"]: row["answer"] for row in shown["invitees"]} == dict.fromkeys(guests, "open")
    assert (shown["title"], shown["room_id"], shown["start"]) == ("Kite flying", room, start)
    busy = done(session, "check_people_availability", person_ids=guests, room_id=room, **window)
    assert busy["count"] == 3
    assert {datetime.fromisoformat(row["busy"][0]["start"]) for row in busy["people"]} == {
        datetime.fromisoformat(start)
    }


def test_an_event_may_begin_when_another_ends_and_not_a_minute_before() -> None:
    session = opened()
    create(session, far(session))
    create(session, far(session, hour="04:00"))
    late = {"calendar_id": main_calendar(session), "title": "Late", "start": far(session, hour="04:59")}
    assert session.call("create_calendar_event", {**late, "duration_minutes": 30}).code == "time_conflict"
    assert session.call("create_calendar_event", {**late, "duration_minutes": 30, "on_conflict": "allow"}).succeeded


def test_a_room_seats_the_invitees_and_the_organiser_and_nobody_more() -> None:
    session = opened()
    room = sql(session, "SELECT room_id, capacity FROM room WHERE status = 'bookable' AND capacity BETWEEN 4 AND 20")[0]
    many = people(session, room["capacity"])
    made = create(session, far(session), person_ids=many[:-1], room_id=room["room_id"])
    one_more = {"event_id": made["event_id"], "person_ids": many[-1:]}
    assert session.call("add_event_invitees", one_more).code == "room_too_small"


def test_a_room_is_freed_when_its_event_is_cancelled() -> None:
    session = opened()
    room = sql(session, "SELECT room_id FROM room WHERE status = 'bookable'")[0]["room_id"]
    made = create(session, far(session), room_id=room)
    again = {"calendar_id": main_calendar(session), "title": "Second", "start": far(session), "room_id": room}
    again |= {"duration_minutes": 30, "on_conflict": "allow"}
    assert session.call("create_calendar_event", again).code == "room_unavailable"
    done(session, "cancel_calendar_event", event_id=made["event_id"], note="No wind.")
    assert session.call("create_calendar_event", again).succeeded


def test_a_room_of_a_series_is_taken_on_each_of_its_dates() -> None:
    session = opened()
    room = sql(session, "SELECT room_id FROM room WHERE status = 'bookable'")[0]["room_id"]
    made = repeat(session, far(session), count=5, room_id=room)
    moved = dates(session, made["event_id"], from_time=far(session))[2]["occurrence"]
    scope = {"event_id": made["event_id"], "scope": "this", "occurrence": moved}
    done(session, "reschedule_calendar_event", **scope, new_start=moved.replace("T03", "T06"))
    other = {"calendar_id": main_calendar(session), "title": "Second", "room_id": room, "duration_minutes": 30}
    other |= {"frequency": "daily", "on_conflict": "allow"}
    at = moved[:10]
    for hour, code in (("03", ""), ("06", "room_unavailable")):
        given = {key: value for key, value in other.items() if key != "frequency"}
        assert session.call("create_calendar_event", {**given, "start": f"{at}T{hour}:00"}).code == code
    series = {key: value for key, value in other.items() if key != "on_conflict"}
    taken = session.call("create_recurring_event", {**series, "start": far(session, 690), "count": 30})
    assert taken.code == "room_unavailable"


def test_one_occurrence_is_moved_and_another_cancelled_and_the_rest_stays() -> None:
    session = opened()
    made = repeat(session, far(session), count=4)
    before = dates(session, made["event_id"], from_time=far(session))
    one, other = before[1]["occurrence"], before[2]["occurrence"]
    scope = {"event_id": made["event_id"], "scope": "this"}
    later = one.replace("T03", "T05")
    done(session, "reschedule_calendar_event", **scope, occurrence=one, new_start=later, duration_minutes=30)
    assert done(session, "cancel_calendar_event", **scope, occurrence=other)["cancelled_occurrences"] == 1
    after = dates(session, made["event_id"], from_time=far(session))
    assert [row["state"] for row in after] == ["regular", "moved", "cancelled", "regular"]
    assert (after[1]["start"], after[1]["end"]) == (later, later.replace("05:00", "05:30"))
    assert [row["occurrence"] for row in after] == [row["occurrence"] for row in before]


@pytest.mark.parametrize("place", [0, 2])
def test_moving_this_and_following_splits_a_series_and_loses_no_date(place: int) -> None:
    session = opened()
    made = repeat(session, far(session), count=6, person_ids=people(session, 2))
    before = dates(session, made["event_id"], from_time=far(session))
    at = before[place]["occurrence"]
    later = (datetime.fromisoformat(at) + timedelta(days=1, hours=2)).isoformat()
    scope = {"event_id": made["event_id"], "scope": "following", "occurrence": at, "new_start": later}
    moved = done(session, "reschedule_calendar_event", **scope)
    assert (moved["event_id"] == made["event_id"]) == (place == 0), "nothing comes before the first occurrence"
    early = [row["start"] for row in before[:place]]
    late = [row["start"] for row in dates(session, moved["event_id"], from_time=far(session))]
    if place:
        assert [row["start"] for row in dates(session, made["event_id"], from_time=far(session))] == early
    shift = timedelta(days=1, hours=2)
    assert [datetime.fromisoformat(one) - shift for one in late] == [
        datetime.fromisoformat(row["start"]) for row in before[place:]
    ]
    shown = done(session, "get_calendar_event", event_id=moved["event_id"])
    assert len(shown["invitees"]) == 2
    assert f"COUNT={6 - place}" in shown["rrule"]
    assert "BYDAY=TU" in shown["rrule"]


def test_cancelling_this_and_following_ends_a_series_before_it() -> None:
    session = opened()
    made = repeat(session, far(session), count=6)
    before = dates(session, made["event_id"], from_time=far(session))
    scope = {"event_id": made["event_id"], "scope": "following", "occurrence": before[4]["occurrence"]}
    assert done(session, "cancel_calendar_event", **scope)["cancelled_occurrences"] == 2
    assert dates(session, made["event_id"], from_time=far(session)) == before[:4]
    assert done(session, "cancel_calendar_event", event_id=made["event_id"], scope="all")["cancelled_occurrences"] == 4
    assert {row["state"] for row in dates(session, made["event_id"], from_time=far(session))} == {"cancelled"}


def test_what_a_series_has_held_stays_when_all_of_it_is_moved() -> None:
    running = (
        f"SELECT e.event_id FROM event_now e, world_now w WHERE {AHEAD.replace('>', '<')} AND e.mine AND e.writable"
    )
    query = running.replace("e.rrule = ''", "e.rrule LIKE 'FREQ=WEEKLY;INTERVAL=1%' AND e.last_start > w.moment")
    session, row = world_with(query + " ORDER BY e.event_id")
    window = {"from_time": (now(session) - timedelta(days=80)).isoformat(), "to_time": now(session).isoformat()}
    held = dates(session, row["event_id"], **window)
    start = far(session)
    moved = done(session, "reschedule_calendar_event", **row, scope="all", new_start=start, on_conflict="allow")
    assert moved["event_id"] != row["event_id"]
    assert dates(session, row["event_id"], **window) == held
    assert dates(session, row["event_id"]) == []
    assert dates(session, moved["event_id"], from_time=start)[0]["start"] == start


def test_moving_an_event_sets_all_answers_back() -> None:
    answered = "(SELECT count(*) FROM invitee i WHERE i.event_id = e.event_id AND i.answer <> 'open')"
    session, row = world_with(MINE.format(f"{AHEAD} AND e.room_id IS NULL AND {answered} > 1"))
    shown = done(session, "get_calendar_event", event_id=row["event_id"])
    answers = [one["answer"] for one in shown["invitees"]]
    moved = done(session, "reschedule_calendar_event", **row)
    assert moved["answers_reset"] == sum(one != "open" for one in answers)
    after = done(session, "get_calendar_event", event_id=row["event_id"])
    assert {one["answer"] for one in after["invitees"]} == {"open"}
    assert len(after["invitees"]) == len(answers)


def test_an_answer_is_kept_once_and_decides_whether_the_event_is_in_the_calendar() -> None:
    query = "SELECT invitation_id, event_id FROM invitation_now, world_now WHERE answer = 'open' AND start > moment"
    session, row = world_with(f"{query} AND status = 'confirmed' ORDER BY invitation_id")
    for answer in ("tentative", "accepted", "declined", "accepted"):
        given = {"invitation_id": row["invitation_id"], "answer": answer}
        assert done(session, "respond_to_event_invitation", **given)["answer"] == answer
        assert session.call("respond_to_event_invitation", given).code == "same_answer"
        listed = done(session, "list_event_invitations", answer=answer)["invitations"]
        assert row["invitation_id"] in {one["invitation_id"] for one in listed}
        shown = done(session, "get_calendar_event", event_id=row["event_id"])
        user = sql(session, "SELECT person_id FROM employee")[0]["person_id"]
        assert [one["answer"] for one in shown["invitees"] if one["person_id"] == user] == [answer]
        assert shown["calendar_id"] == (main_calendar(session) if answer == "accepted" else None)


def test_accepting_reports_what_is_in_the_way() -> None:
    query = "SELECT i.invitation_id, i.start FROM invitation_now i, world_now WHERE answer = 'open' AND start > moment"
    session, row = world_with(
        f"{query} AND status = 'confirmed' AND rrule = '' ORDER BY invitation_id".replace(
            "invitation_now i", "invitation_now i JOIN (SELECT event_id, rrule FROM event) USING (event_id)"
        )
    )
    mine = create(session, row["start"], on_conflict="allow")
    given = {"invitation_id": row["invitation_id"], "answer": "accepted"}
    conflicts = done(session, "respond_to_event_invitation", **given)["conflicts"]
    assert {"event_id": mine["event_id"], "title": "Kite flying"} in conflicts


def test_people_are_taken_off_and_can_be_invited_again() -> None:
    session = opened()
    guests = people(session, 3)
    event_id = create(session, far(session), person_ids=guests)["event_id"]
    assert done(session, "remove_event_invitees", event_id=event_id, person_ids=guests[:2])["invitee_count"] == 1
    one = {"event_id": event_id, "person_ids": guests[:1]}
    assert session.call("remove_event_invitees", one).code == "not_invited"
    assert done(session, "add_event_invitees", **one)["invitee_count"] == 2
    assert session.call("add_event_invitees", one).code == "already_invited"


def test_who_is_invited_to_two_events_at_a_time_is_told_busy() -> None:
    session = opened()
    one, other = people(session, 2)
    create(session, far(session), person_ids=[one])
    second = create(session, far(session, hour="03:30"), on_conflict="allow")["event_id"]
    added = done(session, "add_event_invitees", event_id=second, person_ids=[one, other])
    assert added["busy_person_ids"] == [one]


def test_a_reminder_is_kept_and_turned_off() -> None:
    session = opened()
    event_id = create(session, far(session))["event_id"]
    told = done(session, "set_event_reminder", event_id=event_id, minutes_before=90, channel="email")
    assert told["remind_at"] == far(session, hour="01:30")
    assert done(session, "get_calendar_event", event_id=event_id)["reminder_minutes"] == 90
    assert done(session, "set_event_reminder", event_id=event_id, minutes_before=0)["remind_at"] is None


def test_details_are_changed_and_found_by_their_new_words() -> None:
    session = opened()
    event_id = create(session, far(session))["event_id"]
    new = {"title": "Boat race", "location": "Old pier", "visibility": "private"}
    assert done(session, "update_event_details", event_id=event_id, **new)["changed"] == list(new)
    window = {"from_time": far(session), "to_time": far(session, hour="09:00")}
    assert done(session, "search_calendar_events", text="PIER boat", **window)["count"] == 1
    assert done(session, "search_calendar_events", text="kite", **window)["count"] == 0


def test_a_time_without_an_offset_is_the_users_and_one_with_it_means_the_same_moment() -> None:
    session = opened()
    day = far(session)[:10]
    local = create(session, f"{day}T06:30")
    assert local["start"] == f"{day}T06:30:00+04:00"
    assert create(session, f"{day}T06:30+05:30")["start"] == f"{day}T05:00:00+04:00"
    assert create(session, f"{day}T06:10:20Z")["start"] == f"{day}T10:10:20+04:00"


def test_private_events_of_others_show_their_times_and_nothing_else() -> None:
    query = """
        SELECT e.event_id, e.title, v.start, v.end FROM event e JOIN event_now v USING (event_id)
        WHERE v.shut AND v.rrule = '' ORDER BY e.event_id
    """
    session, row = world_with(query)
    window = {"from_time": row["start"], "to_time": row["end"]}
    found = done(session, "search_calendar_events", **window)["events"]
    (shown,) = [one for one in found if one["event_id"] == row["event_id"]]
    assert (shown["title"], shown["location"], shown["start"]) == (None, None, row["start"])
    by_words = done(session, "search_calendar_events", text=row["title"], **window)["events"]
    assert row["event_id"] not in {one["event_id"] for one in by_words}
    assert session.call("get_calendar_event", {"event_id": row["event_id"]}).code == "event_private"
