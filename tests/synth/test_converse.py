"""Conversations on the support.shop: everything in them is real, nothing in them is idle."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from proverl import files as journal
from proverl.records import Step, Task, dump, load
from proverl.synth import data, machine
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
    from proverl.paths import at

    for task in tasks:
        for step in task.steps:
            for key, origin in step.origins.items():
                assert origin.step < step.index
                assert at(task.steps[origin.step].outcome.value, origin.path) == at(step.arguments, key)


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


@pytest.mark.soak
def test_a_run_gives_the_same_bytes_under_any_hash_seed_time_zone_and_locale(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from support.shop import server;"
        "from proverl import journal; from proverl.synth import data;"
        "journal.write(data.synthesise([server], 12, 3).tasks, Path(sys.argv[2]))"
    )
    found = set()
    for number, (seed, zone, lang) in enumerate(
        [("0", "UTC", "C"), ("1", "Asia/Kolkata", "C.UTF-8"), ("random", "UTC", "C.UTF-8")]
    ):
        out = tmp_path / f"{number}.jsonl"
        environment = {"PYTHONHASHSEED": seed, "TZ": zone, "LANG": lang, "PATH": "/usr/bin:/bin"}
        folder = str(Path(__file__).parents[1])
        subprocess.run([sys.executable, "-c", code, folder, str(out)], check=True, env=environment)
        found.add(out.read_bytes())
    assert len(found) == 1


def test_tasks_survive_their_file(tasks: list[Task], tmp_path: Path) -> None:
    journal.write(tasks, tmp_path / "tasks.jsonl")
    assert data.read(tmp_path / "tasks.jsonl") == tasks
    assert [json.loads(dump(task)) for task in tasks] == [json.loads(dump(load(Task, dump(task)))) for task in tasks]


def test_a_broken_line_is_named(tasks: list[Task], tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(dump(tasks[0]) + "\n{}\n")
    with pytest.raises(Exception, match="line 2"):
        data.read(path)


def test_an_interrupted_write_leaves_the_old_file(tasks: list[Task], tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    journal.write(tasks[:1], path)

    def broken() -> Iterator[Task]:
        yield tasks[1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        journal.write(broken(), path)
    assert data.read(path) == tasks[:1]
    assert list(tmp_path.iterdir()) == [path]


def test_states_lead_only_where_their_annotations_say() -> None:
    assert machine.allowed(machine.Query) == {machine.Model, machine.End}
    assert machine.allowed(machine.Execute) == {machine.Model, machine.Recover}
    assert machine.allowed(machine.Respond) == {machine.Continue}
    for state in (machine.Query, machine.Model, machine.Execute, machine.Recover, machine.Respond, machine.Continue):
        assert machine.allowed(state)


class Failing:
    """A teacher whose first call fails and whose second try works."""

    def __init__(self, item: str) -> None:
        self.item = item
        self.acted = 0

    def ask(self, talk: machine.Talk) -> machine.Draft | None:
        return machine.Draft("restock it")

    def act(self, talk: machine.Talk) -> list[machine.Proposal]:
        self.acted += 1
        if self.acted == 1:
            return [machine.Proposal("restock", {"item_id": self.item, "quantity": "three"})]
        if self.acted == 2:
            return [machine.Proposal("restock", {"item_id": "item_0", "quantity": 3})]
        return []

    def recover(self, talk: machine.Talk, failed: list[machine.Done]) -> list[machine.Proposal]:
        assert failed[0].outcome.code == "item_not_found"
        return [machine.Proposal("restock", {"item_id": self.item, "quantity": 3})]

    def respond(self, talk: machine.Talk) -> str:
        return "done"

    def carry_on(self, talk: machine.Talk) -> bool:
        return False


def test_a_malformed_call_is_regenerated_and_a_failed_one_recovered() -> None:
    session = LocalSession(server, 0)
    item = session.call("list_items", {}).value["items"][0]["item_id"]
    talk = machine.Talk(session, Failing(item))
    machine.drive(talk)
    assert talk.path == [
        "Query",
        "Model",
        "Model",
        "Execute",
        "Recover",
        "Execute",
        "Model",
        "Respond",
        "Continue",
        "End",
    ]
    assert [done.outcome.succeeded for done in talk.turn.done] == [False, True]


def test_a_chain_of_reads_alone_makes_read_only_tasks(domain: Domain) -> None:
    rng = random.Random(0)
    job = Job(0, "shop", rng.randrange(5), ("list_customers", "list_items"))
    task = converse(domain, job)
    assert task.turns[0].steps
    assert task.turns[0].steps[0].effect == "read"
