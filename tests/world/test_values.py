"""Money and time at the surface: exact for every amount that money can have, and refusals for all else."""

import re
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import Refused
from proverl.strict_json import MAX_INTEGER
from proverl.world.refusals import noting
from proverl.world.values import cents, check_day, check_moment, check_period, day, days, dollars, iso

LOCAL = timezone(timedelta(hours=-5))


@given(st.integers(0, MAX_INTEGER // 100))
def test_every_amount_of_cents_comes_back_from_dollars(amount):
    assert cents(float(dollars(amount))) == amount
    assert cents(float(Decimal(amount) / 100)) == amount


@given(st.integers(0, 10**10), st.integers(1, 10**7 - 1))
def test_more_than_two_decimals_are_refused_whatever_the_amount_and_however_near_to_a_cent(whole, rest):
    amount = float(Decimal(whole) / 100 + Decimal(rest) / 10**9)
    if amount == float(Decimal(whole) / 100) or amount == float(Decimal(whole + 1) / 100):
        return  # too large an amount for a float to tell the two apart
    with pytest.raises(Refused) as caught:
        cents(amount, "tip", "bad_tip")
    assert caught.value.code == "bad_tip"
    assert f"tip {amount!r}" in caught.value.message


@pytest.mark.parametrize("amount", [19.999999999, 0.1 + 0.2, 0.004, 1e-9])
def test_a_hair_beside_a_cent_is_no_cent(amount):
    with pytest.raises(Refused, match=re.escape(repr(amount))):
        cents(amount)


@pytest.mark.parametrize(
    ("first", "last", "refused"),
    [
        (None, None, False),
        ("2031-05-14", None, False),
        (None, "2031-05-14", False),
        ("2031-05-14", "2031-05-14", False),
        ("2031-05-13", "2031-05-14", False),
        ("2031-05-15", "2031-05-14", True),
        ("2031-02-30", None, True),
        (None, "tomorrow", True),
    ],
)
def test_a_period_is_two_days_in_order_either_of_which_may_be_left_out(first, last, refused):
    if not refused:
        check_period(first, last, "bad_dates")
        return
    with pytest.raises(Refused) as caught:
        check_period(first, last, "bad_dates")
    assert caught.value.code == "bad_dates"


def test_inside_noting_refusals_are_written_down_in_order_and_the_call_goes_on():
    with noting() as found:
        check_day("x", "day", "one")
        assert cents(0.125, "fee", "two") == 12
        check_period("b", "a", "three")
    assert [refused.code for refused in found] == ["one", "two", "three", "three"]
    with pytest.raises(Refused):
        check_day("x", "day")


@given(st.dates())
def test_a_day_is_read_as_it_is_written(moment):
    assert check_day(day(moment), "day") == moment
    assert day(datetime(moment.year, moment.month, moment.day, 23, tzinfo=LOCAL)) == moment.isoformat()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2031-5-14",
        "20310514",
        "2031-W01-1",
        "2031-02-29",
        "14.05.2031",
        "2031-05-14T00:00",
        "２０３１-05-14",
        "x" * 10,
    ],
)
def test_what_is_no_day_is_refused_with_the_code_that_the_tool_names(text):
    with pytest.raises(Refused) as caught:
        check_day(text, "day", "invalid_day")
    assert caught.value.code == "invalid_day"
    assert repr(text) in caught.value.message


@given(st.datetimes(timezones=st.just(LOCAL)).map(lambda moment: moment.replace(microsecond=0)))
def test_a_moment_is_read_as_it_is_written_with_or_without_offset(moment):
    assert check_moment(iso(moment), "at", LOCAL) == moment
    assert check_moment(iso(moment.replace(tzinfo=None)), "at", LOCAL) == moment


def test_a_moment_elsewhere_is_turned_into_local_time():
    assert iso(check_moment("2031-05-14T16:00:00+00:00", "at", LOCAL)) == "2031-05-14T11:00:00-05:00"
    assert iso(check_moment("2031-05-14T16:00:00Z", "at", LOCAL)) == "2031-05-14T11:00:00-05:00"


@pytest.mark.parametrize("text", ["", "noon", "16:00", "2031-05-14T25:00", "0001-01-01T00:00:00+14:00"])
def test_what_is_no_moment_is_refused(text):
    with pytest.raises(Refused, match="invalid_time") as caught:
        check_moment(text, "at", LOCAL, "invalid_time")
    assert repr(text) in caught.value.message


def test_a_day_of_a_date_is_that_date():
    assert day(date(2031, 5, 14)) == "2031-05-14"


@pytest.mark.parametrize("amount", [0, 5, 10, 99, 100, 101, 123450, 10**12 + 1])
def test_dollars_are_written_with_two_decimals(amount):
    assert dollars(amount) == f"{amount // 100}.{amount % 100:02d}"


def test_an_amount_that_is_refused_is_named_with_one_that_would_do():
    with pytest.raises(Refused) as caught:
        cents(12.345)
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == (
        "amount 12.345 has more than two decimals; give dollars and cents, such as "
        + caught.value.message.rpartition(" ")[2]
    )
    assert caught.value.message.endswith(("12.34", "12.35"))


def test_each_day_of_a_period_is_named_as_the_tool_calls_it():
    for first, last, names in (("x", None, ("since", "until")), (None, "x", ("since", "until")), ("x", None, None)):
        with pytest.raises(Refused) as caught:
            check_period(first, last, "bad", *([names] if names else []))
        name = (names or ("date_from", "date_to"))[0 if first else 1]
        assert caught.value.message.startswith(f"{name} 'x' is not a day")
    with pytest.raises(Refused, match="until '2031-01-01' lies before since '2031-01-02'"):
        check_period("2031-01-02", "2031-01-01", "bad", ("since", "until"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2031-05-14", "2031-05-14T00:00:00-05:00"),
        ("2031-05-14T16:30", "2031-05-14T16:30:00-05:00"),
        ("2031-05-14T16:30:05", "2031-05-14T16:30:05-05:00"),
        ("2031-05-14T16:30:05.9", "2031-05-14T16:30:05-05:00"),
        ("2031-05-14T16:30:05.123456", "2031-05-14T16:30:05-05:00"),
        ("2031-05-14T16:30Z", "2031-05-14T11:30:00-05:00"),
        ("2031-05-14T00:30+01:30", "2031-05-13T18:00:00-05:00"),
        ("2031-05-14T16:30:05-05:00", "2031-05-14T16:30:05-05:00"),
    ],
)
def test_a_moment_may_leave_out_what_is_nothing_and_its_offset(text, shown):
    assert iso(check_moment(text, "at", LOCAL)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "2031-05-14 16:30",
        "2031-05-14t16:30",
        "2031-05-14T16",
        "2031-05-14T1630",
        "2031-05-14T16:30:5",
        "2031-05-14T16:30:05.1234567",
        "2031-05-14T16:30:05,5",
        "2031-05-14Z",
        "2031-05-14T16:30z",
        "2031-05-14T16:30+05",
        "2031-05-14T16:30+0500",
        "2031-05-14T16:30+05:60",
        "2031-05-14T16:30+05:00:00",
        "2031-05-14T16:60",
        "2031-02-29T10:00",
        "2031-W01-1T10:00",
        "20310514T10:00",
        " 2031-05-14",
        "2031-05-14\n",
        "2031-05-14T16:30 ",
        "9999-12-31T23:00:00-14:00",
    ],
)
def test_what_one_could_not_say_in_a_description_is_no_moment(text):
    with pytest.raises(Refused) as caught:
        check_moment(text, "at", LOCAL)
    assert caught.value.code == "invalid_argument"
    assert f"at {text!r}" in caught.value.message


def test_days_and_moments_that_are_refused_stand_at_the_end_of_time_where_a_law_listens():
    with noting() as found:
        assert check_day("x", "day") == date.max
        assert check_moment("x", "at", LOCAL) == datetime.max.replace(tzinfo=LOCAL)
        assert check_moment("0001-01-01T00:00:00+14:00", "at", LOCAL) == datetime.max.replace(tzinfo=LOCAL)
    assert [refused.message.partition(" ")[0] for refused in found] == ["day", "at", "at"]
    assert "outside the calendar" in found[2].message


def test_spans_of_days():
    assert [days(number) for number in (0, 1, -3)] == [timedelta(), timedelta(hours=24), timedelta(hours=-72)]
