"""Conversations on the support.shop: everything in them is real, nothing in them is idle."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from proverl.paths import get, taken
from proverl.records import Step, Task, dump
from proverl.synth import data
from proverl.synth.converse import Domain, Job, converse, plan
from proverl.synth.replay import replay, unprovided
from proverl.synth.sample import shown
from proverl.world.session import LocalSession
from support.shop import server


@pytest.fixture(scope="module")
def domain() -> Domain:
    return Domain.of(server)


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return data.synthesise([server], 48, seed=5).tasks


def ids_shown(task: Task, before: int) -> Iterator[str]:
    for step in task.steps[:before]:
        for one in shown(server.tool(step.tool), step.arguments, step.outcome.value):
            yield one.id


def test_every_call_executes_again_with_the_same_result_and_the_same_final_state(tasks: list[Task]) -> None:
    for task in tasks:
        found = replay(task, LocalSession(server, task.seed))
        assert found.equal, found.first
        assert found.errors == 0


def test_conversations_have_two_to_three_rounds_of_goals(tasks: list[Task]) -> None:
    for task in tasks:
        extra = sum(turn.kind == "missing_argument" or bool(turn.adds) for turn in task.turns)
        assert 2 <= len(task.turns) - extra <= 3


def test_no_id_is_used_before_a_result_has_shown_it(tasks: list[Task]) -> None:
    for task in tasks:
        for step in task.steps:
            for name in server.tool(step.tool).takes:
                value = step.arguments.get(name, [])
                needed = set(value if isinstance(value, list) else [value])
                assert needed <= set(ids_shown(task, step.index)), (task.id, step)


def test_every_origin_points_to_the_value_that_is_used(tasks: list[Task]) -> None:
    for task in tasks:
        for step in task.steps:
            for key, origin in step.origins.items():
                assert origin.step < step.index
                assert taken(origin, task.steps[origin.step].outcome.value) == get(step.arguments, key)


def test_the_user_never_says_an_id(tasks: list[Task]) -> None:
    for task in tasks:
        ids = set(ids_shown(task, len(task.steps)))
        for turn in task.turns:
            assert not [id for id in ids if id in turn.user]


def test_a_call_that_is_left_out_changes_something(tasks: list[Task]) -> None:
    for task in tasks[:16]:
        for step in task.steps:
            session = LocalSession(server, task.seed)
            others = [other for other in task.steps if other.index != step.index]
            outcomes = [session.call(other.tool, other.arguments) for other in others]
            same = [outcome.value for outcome in outcomes] == [other.outcome.value for other in others]
            feeds = any(origin.step == step.index for other in others for origin in other.origins.values())
            idle = same and session.digest() == task.digest and not step.terminal and not feeds
            assert not idle, (task.id, step)


def _ids(step: Step) -> set[str]:
    return {one.id for one in shown(server.tool(step.tool), step.arguments, step.outcome.value)}


def test_a_state_edge_is_a_call_without_which_the_later_one_fails(tasks: list[Task]) -> None:
    for task in tasks:
        for step in task.steps:
            for edge in step.edges:
                assert edge.step < step.index
                if edge.kind == "value":
                    assert any(origin.step == edge.step for origin in step.origins.values())


def test_a_missing_argument_is_asked_for_and_then_given(tasks: list[Task]) -> None:
    asked = [task for task in tasks if any(turn.kind == "missing_argument" for turn in task.turns)]
    assert asked
    for task in asked:
        first, second = task.turns[0], task.turns[1]
        assert not first.steps
        assert any(word in first.answer for word in first.missing)
        assert first.answer.endswith("?")
        assert second.steps
        goal = second.steps[-1]
        pin_or_count = {"pin", "quantity"} & set(goal.arguments)
        assert any(str(goal.arguments[name]) in second.user for name in pin_or_count)
        assert not any(str(goal.arguments[name]) in first.user.split() for name in ("pin",) if name in goal.arguments)


def test_a_missing_function_is_not_shown_until_it_comes_back(tasks: list[Task]) -> None:
    hidden = [task for task in tasks if task.meta["hidden"]]
    assert hidden
    for task in hidden:
        name = task.meta["hidden"]
        assert name not in {tool.name for tool in task.shown(0)}
        assert task.turns[0].kind == "missing_function"
        later = [turn for turn in task.turns if turn.adds]
        if later:
            assert later[0].adds == (name,)
            assert name in {step.tool for step in later[0].steps}
        assert all(step.effect == "read" for step in task.turns[0].prefix)


def test_secrets_come_from_the_user_or_an_earlier_result(tasks: list[Task]) -> None:
    assert all(unprovided(task) == () for task in tasks)
    leaking = next(task for task in tasks if any("pin" in step.arguments for step in task.steps))
    silent = replace(leaking, turns=tuple(replace(turn, user="please") for turn in leaking.turns))
    assert unprovided(silent)


def test_the_levels_follow_their_quota_and_fall_back_openly(tasks: list[Task]) -> None:
    wanted = Counter(job.level for job in plan([Domain.of(server)], 50, 1))
    assert wanted["missing"] >= 8
    assert wanted["minimal"] >= 8
    assert {task.meta["level"] for task in tasks} == {"complete", "missing", "minimal"}


def test_a_job_gives_the_same_task_again(domain: Domain) -> None:
    for job in plan([domain], 6, 9):
        assert dump(converse(domain, job)) == dump(converse(Domain.of(server), job))


def test_a_chain_of_reads_alone_makes_read_only_tasks(domain: Domain) -> None:
    rng = random.Random(0)
    job = Job(0, "shop", rng.randrange(5), ("list_customers", "list_items"))
    task = converse(domain, job)
    assert task.turns[0].steps
    assert task.turns[0].steps[0].effect == "read"
