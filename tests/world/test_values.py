"""Money and time at the surface: exact for every amount that money can have, and refusals for all else."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import Refused
from proverl.strict_json import MAX_INTEGER
from proverl.world.values import cents, day, dollars, iso, parse_date, parse_time

LOCAL = timezone(timedelta(hours=-5))


@given(st.integers(1, MAX_INTEGER // 100))
def test_every_amount_of_cents_comes_back_from_dollars(amount):
    assert cents(dollars(amount)) == amount
    assert cents(float(Decimal(amount) / 100)) == amount


@given(st.integers(1, 10**12), st.integers(1, 9))
def test_a_third_decimal_is_refused_whatever_the_amount(whole, third):
    amount = float(Decimal(whole) / 100 + Decimal(third) / 1000)
    with pytest.raises(Refused) as caught:
        cents(amount)
    assert caught.value.code == "invalid_argument"
    assert str(amount) in caught.value.message


@pytest.mark.parametrize(("amount", "least"), [(0, 1), (-1, 1), (0.004, 1), (0.99, 100), (-0.01, 0), (1e-9 - 1, 0)])
def test_an_amount_below_the_least_is_refused(amount, least):
    with pytest.raises(Refused, match=str(amount)):
        cents(amount, least=least)


def test_the_least_amount_passes():
    assert (cents(0.01), cents(1, least=100), cents(0, least=0)) == (1, 100, 0)
    assert cents(0.1 + 0.2) == 30


@given(st.dates())
def test_a_day_is_read_as_it_is_written(moment):
    assert parse_date(day(moment), "day") == moment
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
        parse_date(text, "day", "invalid_day")
    assert caught.value.code == "invalid_day"
    assert repr(text) in caught.value.message


@given(st.datetimes(timezones=st.just(LOCAL)).map(lambda moment: moment.replace(microsecond=0)))
def test_a_moment_is_read_as_it_is_written_with_or_without_offset(moment):
    assert parse_time(iso(moment), "at", LOCAL) == moment
    assert parse_time(iso(moment.replace(tzinfo=None)), "at", LOCAL) == moment


def test_a_moment_elsewhere_is_turned_into_local_time():
    assert iso(parse_time("2031-05-14T16:00:00+00:00", "at", LOCAL)) == "2031-05-14T11:00:00-05:00"
    assert iso(parse_time("2031-05-14T16:00:00Z", "at", LOCAL)) == "2031-05-14T11:00:00-05:00"


@pytest.mark.parametrize("text", ["", "noon", "16:00", "2031-05-14T25:00", "0001-01-01T00:00:00+14:00"])
def test_what_is_no_moment_is_refused(text):
    with pytest.raises(Refused, match="invalid_time") as caught:
        parse_time(text, "at", LOCAL, "invalid_time")
    assert repr(text) in caught.value.message


def test_a_day_of_a_date_is_that_date():
    assert day(date(2031, 5, 14)) == "2031-05-14"
