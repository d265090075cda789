"""The figures of a batch of rollouts."""

import math
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.records import TERMS, Call, Kind, Message, Outcome, Score, Stop, Trace, TraceTurn
from proverl.train.metrics import figures


def trace(*kinds: Kind, masked: str = "") -> Trace:
    calls = tuple(Call("t", {}, Outcome(kind)) for kind in kinds)
    messages = tuple(Message("assistant", "") for _ in range(len(kinds) + 1))
    stop: Stop = "infrastructure" if masked else "answered"
    return Trace("t", (TraceTurn(calls, "Done."),), messages, stop=stop, masked=masked)


def score(total: float) -> Score:
    return Score("robust", total, dict.fromkeys(TERMS, total))


def test_figures_are_shares_of_calls_and_of_rollouts():
    traces = [
        trace(Kind.OK, Kind.REFUSED),
        trace(Kind.UNPARSABLE, Kind.UNKNOWN_TOOL),
        trace(Kind.BAD_ARGUMENTS, Kind.EMPTY),
        trace(masked="gone"),
    ]
    found = figures(traces, [score(1.0), score(0.5), score(0.0), None], 2)
    expected = {
        "reward/total": 0.5,
        "reward/goal": 0.5,
        "tools/call_frequency": 6 / 4,
        "tools/failure_frequency": 4 / 6,
        "tools/refused_frequency": 1 / 6,
        "tools/malformed_frequency": 1 / 6,
        "tools/unknown_name_frequency": 1 / 6,
        "tools/bad_arguments_frequency": 1 / 6,
        "rollout/assistant_turns_mean": 10 / 4,
        "rollout/unscorable_frac": 1 / 4,
        "rollout/stop_answered_frac": 3 / 4,
        "rollout/stop_infrastructure_frac": 1 / 4,
        "rollout/zero_variance_frac": 1 / 2,
        "rollout/silent_frac": 0.0,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@given(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=8))
def test_every_batch_has_the_same_figures_and_only_a_mean_over_nothing_is_no_number(totals):
    scores = [None if total is None else score(total) for total in totals]
    found = figures([trace(Kind.OK)] * len(totals), scores, 2)
    assert found.keys() == figures([trace()], [None], 1).keys()
    empty = {name for name, value in found.items() if math.isnan(value)}
    assert all(name.startswith("reward/") for name in empty)
    assert bool(empty) == all(one is None for one in scores)


def test_the_figures_hold_every_term_of_a_score():
    assert len(fields(Score)) == 4
    assert {name.removeprefix("reward/") for name in figures([trace()], [None], 1) if "reward/" in name} == {
        "total",
        *TERMS,
    }
