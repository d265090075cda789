"""Replay finds every difference, and every secret that came from nowhere."""

from __future__ import annotations

from dataclasses import replace

from proverl.records import Kind, Task
from proverl.synth.replay import replay, summary, unprovided
from proverl.world.session import LocalSession
from support.shop import server
from support.shop.tasks import buy_and_cancel


def again(task: Task) -> LocalSession:
    return LocalSession(server, task.seed)


def changed(task: Task, **fields: object) -> Task:
    """The task with its first step changed."""
    first, *turns = task.turns
    step, *steps = first.steps
    return replace(task, turns=(replace(first, steps=(replace(step, **fields), *steps)), *turns))  # type: ignore[arg-type]


def test_a_task_replays_to_its_own_observations_and_state() -> None:
    found = replay(buy_and_cancel(), again(buy_and_cancel()))
    assert found.equal
    assert (found.calls, found.errors, found.observations_equal, found.first) == (3, 0, 3, "")


def test_another_observation_or_state_is_named() -> None:
    task = buy_and_cancel()
    other = changed(task, outcome=replace(task.steps[0].outcome, value={"customers": []}))
    found = replay(other, again(task))
    assert not found.equal
    assert (found.observations_equal, found.digest_equal) == (2, True)
    assert found.first.startswith("step 0 (list_customers): ")
    kind = replay(changed(task, outcome=replace(task.steps[0].outcome, kind=Kind.EMPTY)), again(task))
    assert kind.observations_equal == 2
    state = replay(replace(task, digest="0" * 32), again(task))
    assert (state.observations_equal, state.digest_equal, state.first) == (3, False, "the final state")


def test_a_call_that_fails_now_is_an_error() -> None:
    task = buy_and_cancel()
    found = replay(changed(task, arguments={"no such argument": 1}), again(task))
    assert found.errors == 1
    assert not found.equal


def test_a_secret_that_nobody_said_or_showed_is_found() -> None:
    task = buy_and_cancel()
    assert unprovided(task) == ()
    silent = replace(task, turns=(replace(task.turns[0], user="Buy it for Ann."), *task.turns[1:]))
    assert unprovided(silent) == ("buy.pin",)
    assert not replay(silent, again(task)).equal


def test_the_figures_of_many_replays_are_one_row() -> None:
    task = buy_and_cancel()
    row = summary([replay(task, again(task)), replay(replace(task, digest="0"), again(task))])
    assert row == {
        "conversations": 2,
        "calls": 6,
        "errors": 0,
        "observations_equal": "100.0%",
        "final_states_equal": "50.0%",
        "secrets_from_nowhere": 0,
    }
