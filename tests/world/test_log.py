"""The log of calls: what was logged stays as it was, whoever holds what, and comes back equal."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.records import Kind, Outcome
from proverl.world.log import CallLog

numbers = st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none()
json_values = st.recursive(
    numbers | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)
arguments = st.dictionaries(st.text(max_size=3), json_values, max_size=3)
outcomes = st.builds(Outcome, st.sampled_from(Kind), json_values, st.text(max_size=3), st.text(max_size=3), arguments)
calls = st.lists(st.tuples(st.text(max_size=5), arguments, outcomes), max_size=6)


def logged(made: list[Any]) -> CallLog:
    log = CallLog()
    for call in made:
        log.add(*call)
    return log


def exact(value: object) -> str:
    """Equal texts for equal values of equal types: 1, 1.0 and true are three."""
    return repr(value)


@given(calls)
def test_calls_come_back_in_order_and_exactly_as_they_were(made: list[Any]) -> None:
    log = logged(made)
    assert exact(list(log)) == exact(made)
    assert len(log) == len(made)
    assert all(type(outcome.kind) is Kind for _, _, outcome in log)


def test_nobody_who_holds_what_was_logged_or_read_changes_the_log() -> None:
    given_, value, resolved = {"ids": ["a"]}, {"rows": [{"id": "a"}]}, {"ids": ["/a"]}
    log = logged([("buy", given_, Outcome(Kind.OK, value, resolved=resolved))])
    before = exact(list(log))
    twin = log.copy()
    for _, arguments_, outcome in [*log, *twin, ("buy", given_, Outcome(Kind.OK, value, resolved=resolved))]:
        arguments_["ids"].append("b")
        outcome.value["rows"][0].clear()
        outcome.value["rows"].clear()
        outcome.resolved.clear()
    assert exact(list(log)) == exact(list(twin)) == before


@given(calls, st.integers(0, 8))
def test_a_copy_goes_its_own_way_and_cutting_keeps_the_first_calls(made: list[Any], length: int) -> None:
    log = logged(made)
    twin = log.copy()
    twin.add("more", {}, Outcome(Kind.OK))
    twin.cut(length)
    assert exact(list(twin)) == exact([*made, ("more", {}, Outcome(Kind.OK))][:length])
    assert exact(list(log)) == exact(made)


def deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(10_000):
        value = [value]
    return value


@pytest.mark.parametrize("odd", [deep(), {"a": object()}, object(), {"a": [lambda: 0]}])
def test_what_is_no_json_at_all_is_logged_as_its_text(odd: Any) -> None:
    log = logged([("buy", odd, Outcome(Kind.BAD_ARGUMENTS, code="invalid_json")), (odd, {}, Outcome(Kind.OK))])
    for (name, arguments_, outcome), kind in zip(log, (Kind.BAD_ARGUMENTS, Kind.OK), strict=True):
        assert type(name) is str
        assert arguments_.keys() == {"unfit"}
        assert outcome.kind is kind
        assert len(repr((name, arguments_))) < 1000


def test_arguments_that_hold_themselves_are_logged_somehow() -> None:
    circle: dict[str, Any] = {}
    circle["a"] = circle
    ((name, arguments_, outcome),) = logged([("buy", circle, Outcome(Kind.BAD_ARGUMENTS))])
    assert (name, outcome) == ("buy", Outcome(Kind.BAD_ARGUMENTS))
    assert "a" in repr(arguments_)
