"""What six scripted policies earn on synthesised conversations of all servers, and what the demo leaves behind."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from functools import cache, partial
from pathlib import Path
from statistics import fmean

import pytest

from proverl import evaluate, servers
from proverl.cli import flow as demo
from proverl.cli.episodes import read as episodes_of
from proverl.policies.acting import Acting
from proverl.policies.scripted import POLICIES
from proverl.records import Task
from proverl.synth import data

FEW = 36
MANY = 600


@cache
def episodes(count: int) -> tuple[evaluate.Episode, ...]:
    """All policies on so many tasks."""
    tasks = data.synthesise([servers.load(name) for name in servers.with_phrases()], count, seed=11).tasks
    found: list[evaluate.Episode] = []
    for name, policy in POLICIES.items():
        traces = asyncio.run(evaluate.play_all(tasks, partial(Acting, policy)))
        found += evaluate.scored(name, tasks, traces, ("paper", "robust"))
    return tuple(found)


def has_edge_within_a_turn(task: Task) -> bool:
    """Whether turning the calls of a turn around breaks an order: what a look-up supplies was in no earlier turn."""
    seen = ""
    for turn in task.turns:
        own = {step.index: step for step in turn.steps}
        for edge in (edge for step in turn.steps for edge in step.edges if edge.step in own):
            supplies = own[edge.step].supplies
            if edge.kind == "state" or not supplies or not all(str(value) in seen for value in supplies):
                return True
        seen += "".join(step.outcome.observation() for step in turn.steps)
    return False


def stops_short(task: Task) -> bool:
    """Whether some turn has more than one step."""
    return any(len(turn.steps) > 1 for turn in task.turns)


@pytest.fixture(params=[FEW, pytest.param(MANY, marks=pytest.mark.soak)])
def played(request: pytest.FixtureRequest, cases: Counter[str]) -> tuple[evaluate.Episode, ...]:
    cases["scored episodes"] += request.param * len(POLICIES)
    return episodes(request.param)


def test_no_episode_is_masked(played: tuple[evaluate.Episode, ...]) -> None:
    assert not [one.trace.masked for one in played if one.trace.masked]


def test_the_ground_truth_earns_everything_and_leaves_the_recorded_state(played: tuple[evaluate.Episode, ...]) -> None:
    for one in played:
        if one.policy != "ground_truth":
            continue
        assert one.scores["robust"].total == pytest.approx(1), one.task.id
        assert one.scores["paper"].total == pytest.approx(1.3 if one.task.steps else 1), one.task.id
        assert one.trace.digest == one.task.digest
        assert one.trace.stop == "answered"


@pytest.mark.parametrize("policy", sorted(set(POLICIES) - {"ground_truth"}))
@pytest.mark.parametrize(("profile", "best"), [("paper", 1.3), ("robust", 1.0)])
def test_every_other_policy_earns_less(
    played: tuple[evaluate.Episode, ...], policy: str, profile: str, best: float
) -> None:
    judged = 0
    for one in played:
        if one.policy != policy or not one.task.steps:
            continue
        if policy == "backwards" and not has_edge_within_a_turn(one.task):
            continue
        if policy == "first_call" and not stops_short(one.task):
            continue
        judged += 1
        assert one.scores[profile].total < best - 1e-6, one.task.id
    assert judged > FEW / 3


@pytest.mark.parametrize("policy", ["silent", "first_call", "wrong_values", "spam"])
def test_the_lazy_the_wrong_and_the_greedy_earn_less_than_half_on_every_shape_of_task(
    played: tuple[evaluate.Episode, ...], policy: str
) -> None:
    totals: dict[str, list[float]] = defaultdict(list)
    for one in played:
        if one.policy == policy:
            totals[data.shape(one.task)].append(one.scores["robust"].total)
    assert set(totals) == set(data.SHAPES)
    for shape, found in totals.items():
        assert fmean(found) < 0.5, (shape, fmean(found))


def test_the_demo_writes_its_run_and_says_what_to_try_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo.demo(tmp_path / "run", count=6, seed=2)
    tasks = data.read(tmp_path / "run" / "tasks.jsonl")
    assert len(tasks) == 6
    for name in POLICIES:
        traces = episodes_of(tmp_path / "run" / "traces" / f"{name}.jsonl")
        assert [trace.task_id for trace in traces] == [task.id for task in tasks]
    figures = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert figures["replay"]["observations_equal"] == figures["replay"]["final_states_equal"] == "100.0%"
    rows = [json.loads(line) for line in (tmp_path / "run" / "scores.jsonl").read_text().splitlines()]
    assert len(rows) == 6 * len(POLICIES)
    assert "proverl reward explain" in capsys.readouterr().out


def test_the_demo_writes_the_same_bytes_again(tmp_path: Path) -> None:
    for number in (1, 2):
        demo.demo(tmp_path / str(number), count=3, seed=4)
    files = sorted(path.relative_to(tmp_path / "1") for path in (tmp_path / "1").rglob("*") if path.is_file())
    assert len(files) == 3 + len(POLICIES)
    for name in files:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name
