"""Tasks and a model to episodes: order, resumption by plain data, and when a run fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

import pytest

from proverl.chat import Scripted
from proverl.errors import InfrastructureError, UsageError
from proverl.evaluate import IN_FLIGHT, play_all, refuse_masked, rows, scored
from proverl.policies.acting import Acting
from proverl.policies.scripted import POLICIES
from proverl.records import MAX_MASKED, PROFILES, TERMS, Task, Trace
from proverl.world.session import LocalSession
from support.shop.tasks import TASKS, irrelevant, open_session

ALL = [make() for make in TASKS]
ACTING = partial(Acting, POLICIES["ground_truth"])


def test_traces_come_in_the_order_of_the_tasks_and_each_is_told_once() -> None:
    told: list[Trace] = []
    traces = asyncio.run(play_all(ALL, ACTING, open_session, on_episode=told.append))
    assert [trace.task_id for trace in traces] == [task.id for task in ALL]
    assert sorted(told, key=repr) == sorted(traces, key=repr)
    assert [trace.digest for trace in traces] == [task.digest for task in ALL]
    assert {trace.seconds for trace in traces} == {0.0}


def test_what_is_finished_is_taken_as_it_is_and_not_played_again() -> None:
    old = Trace(ALL[1].id, (), stop="length")
    told: list[Trace] = []
    asked: list[str] = []

    def model(task: Task) -> Acting:
        asked.append(task.id)
        return ACTING(task)

    finished = {old.task_id: old, "of another run": old}
    traces = asyncio.run(play_all(ALL, model, open_session, finished=finished, on_episode=told.append))
    assert traces[1] is old
    others = {task.id for task in ALL} - {old.task_id}
    assert set(asked) == {trace.task_id for trace in told} == others


def test_no_more_episodes_than_the_limit_are_played_at_a_time() -> None:
    playing = most = 0

    async def counted(name: str, seed: int) -> LocalSession:
        nonlocal playing, most
        playing += 1
        most = max(most, playing)
        await asyncio.sleep(0)
        return await open_session(name, seed)

    def ended(trace: Trace) -> None:
        nonlocal playing
        playing -= 1

    many = [replace(irrelevant(), id=str(number)) for number in range(2 * IN_FLIGHT)]
    asyncio.run(play_all(many, lambda task: Scripted(["No."]), counted, on_episode=ended))
    assert most == IN_FLIGHT
    assert playing == 0


def test_what_the_caller_got_wrong_ends_the_run() -> None:
    with pytest.raises(UsageError, match="0 replies"):
        asyncio.run(play_all([irrelevant()], lambda task: Scripted([]), open_session))


def test_means_are_over_what_could_be_scored() -> None:
    right, wrong = irrelevant(), replace(irrelevant(), id="wrong")
    lost = replace(irrelevant(), id="lost")
    tasks = [right, wrong, lost]
    traces = asyncio.run(
        play_all([right, wrong], lambda task: Scripted(["No." if task is right else ""]), open_session)
    )
    masked = Trace(lost.id, (), stop="infrastructure", masked="gone")
    episodes = scored("a_policy", tasks, [*traces, masked], PROFILES)
    assert episodes[2].scores == {}
    (row,) = rows(episodes, "robust")
    assert row == {
        "policy": "a policy",
        "episodes": 3,
        "masked": 1,
        "total": 0.5,  # declining is worth 1, silence 0
        **{term: 0.5 if term == "abstention" else 0.0 for term in TERMS},
    }
    (nothing,) = rows(scored("none", [lost], [masked], ["robust"]), "robust")
    assert nothing == {"policy": "none", "episodes": 1, "masked": 1, "total": None}


def test_a_run_fails_when_more_than_its_share_is_masked() -> None:
    good, bad = Trace("good", ()), Trace("bad", (), masked="the server died")
    allowed = round(1 / MAX_MASKED)
    refuse_masked([good] * (allowed - 1) + [bad])
    refuse_masked([])
    with pytest.raises(InfrastructureError, match=f"1 of {allowed - 1} episodes .* bad: the server died"):
        refuse_masked([good] * (allowed - 2) + [bad])
