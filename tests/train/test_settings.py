"""What a run is told and what it reports; no engine is needed for these."""

import math
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import MissingExtra, UsageError
from proverl.records import Call, Kind, Message, Outcome, Score, Trace, TraceTurn
from proverl.train.metrics import TERMS, figures
from proverl.train.settings import Settings
from proverl.train.trl.trainer import train
from support.shop.tasks import buy_and_cancel, open_session


def test_the_defaults_are_the_papers():
    settings = Settings(model="m", out=Path("o"))
    assert (settings.batch, settings.group, settings.beta, settings.steps) == (16, 16, 0.01, 350)
    limits = settings.limits
    assert (limits.prompt_tokens, limits.response_tokens) == (12_384, 16_384)
    assert (limits.assistant_turns, limits.user_messages) == (10, 5)


@pytest.mark.parametrize(
    "wrong",
    [{"steps": 0}, {"group": 1}, {"batch": 0}, {"micro_batch": 5}, {"reply_tokens": 0}, {"threads": 0}],
)
def test_settings_that_make_no_run_are_refused_with_the_field_and_its_value(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(UsageError, match=f"{name}.*{value}"):
        Settings(model="m", out=Path("o"), **wrong)


@pytest.mark.parametrize("missing", ["torch", "trl"])
def test_without_the_extra_the_command_that_installs_it_is_named(missing, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtra, match=r"pip install 'proverl\[train\]'"):
        train(Settings(model="tiny", out=tmp_path), [buy_and_cancel()], open_session)


def test_importing_the_training_modules_imports_no_engine():
    code = (
        "import sys, proverl.train.settings, proverl.train.trl.trainer, proverl.train.tiny; "
        "print(sorted({'torch', 'trl', 'transformers', 'datasets'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def trace(*kinds: Kind, masked: str = "") -> Trace:
    calls = tuple(Call("t", {}, Outcome(kind)) for kind in kinds)
    messages = tuple(Message("assistant", "") for _ in range(len(kinds) + 1))
    stop = "infrastructure" if masked else "answered"
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
