"""docs/one_task.md: its code runs, prints what stands there, and what it prints is right."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

from proverl import servers
from proverl.records import Score, Task, Trace
from proverl.reward import score
from proverl.synth.replay import replay
from support.pages import DOCS, tool, worked_task

PAGE = DOCS / "one_task.md"
WEIGHTS = {"validity": "0.5", "coverage": "0.5", "efficiency": "0.15", "name": "0.2", "argument": "0.1", "goal": "1.3"}
"""Of specification 7.3."""


def test_the_page_shows_what_its_code_prints() -> None:
    assert PAGE.read_text() == worked_task().text, "run `python docs/generate.py`"


def test_only_the_code_says_numbers_and_quotes_the_task() -> None:
    prose = re.sub(r"^```.*?^```$", "", PAGE.read_text(), flags=re.S | re.M)
    prose = re.sub(r"\]\([^)]*\)", "]", prose)
    assert re.findall(r"[0-9]", prose) == []
    task: Task = worked_task().names["task"]
    said = (
        [turn.user for turn in task.turns] + [turn.answer for turn in task.turns] + [step.tool for step in task.steps]
    )
    assert [words for words in said if words in prose] == []


def test_the_task_is_the_first_that_suits_and_replays_equal() -> None:
    names = worked_task().names
    task: Task = names["task"]
    assert names["suits"](task)
    assert [turn.kind for turn in task.turns] == ["steps", "steps"]
    assert any(step.effect != "read" for step in task.steps)
    assert replay(task, servers.open_session(task.server, task.seed)).equal


def test_the_script_makes_the_right_calls_but_for_one_value() -> None:
    names = worked_task().names
    task: Task = names["task"]
    trace: Trace = names["trace"]
    calls = [call for turn in trace.turns for call in turn.calls]
    assert [call.name for call in calls] == [step.tool for step in task.steps]
    wrong = [
        (step.index, name)
        for step, call in zip(task.steps, calls, strict=True)
        for name, value in step.arguments.items()
        if call.arguments[name] != value
    ]
    last = max(step.index for step in task.steps if step.effect != "read")
    assert wrong == [(last, names["mistaken"][0])]


def test_the_score_on_the_page_is_the_sum_that_the_specification_writes() -> None:
    """The mean over turns, weighted by their steps, of max(0, weighted terms) / 2.6, in fractions."""
    names = worked_task().names
    task: Task = names["task"]
    judged: Score = names["judged"]
    total = whole = Fraction(0)
    for turn, scored in zip(task.turns, judged.turns, strict=True):
        points = sum(
            (
                Fraction(weight) * Fraction(scored.terms[term]).limit_denominator(10_000)
                for term, weight in WEIGHTS.items()
            ),
            Fraction(0),
        )
        total += len(turn.steps) * max(Fraction(0), points) / Fraction("2.6")
        whole += len(turn.steps)
    expected = float(total / whole)
    assert expected < 1
    assert f"robust: {expected:.3f} by hand, {expected:.3f} by proverl" in PAGE.read_text()
    assert f"paper:  {score(task, names['trace'], 'paper').total:.3f}," in PAGE.read_text()


def test_the_mistaken_step_agrees_in_all_but_its_one_wrong_value() -> None:
    """m and agreement by specification 7.3: shares of the compared arguments, and of the required ones among them."""
    names = worked_task().names
    task: Task = names["task"]
    step = names["last"]
    turn = next(at for at, one in enumerate(task.turns) if step in one.steps)
    match = next(match for match in names["judged"].turns[turn].matches if match.step == step.index)
    call = [call for done in names["trace"].turns for call in done.calls][step.index]
    required = set(step.compared) & set(servers.load(task.server).tool(step.tool).required)
    right = required - set(names["mistaken"])
    if call.outcome.succeeded:
        assert match.agreement == (len(step.compared) - 1) / len(step.compared)
        assert match.m == (len(right) / len(required) if required else 1)
    else:
        assert (match.by, match.m, match.agreement) == ("", 0, 0)


def test_a_page_that_says_something_else_is_written_anew(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "One.\n\n```python\na = 2\n```\n\nTwo.\n\n```python\nprint(a + 1)\n```\n\n```text\n7\n```\n\n"
        "```python\nprint(a)\n```\n\nEnd.\n"
    )
    expected = (
        "One.\n\n```python\na = 2\n```\n\nTwo.\n\n```python\nprint(a + 1)\n```\n\n```text\n3\n```\n\n"
        "```python\nprint(a)\n```\n\n```text\n2\n```\n\nEnd.\n"
    )
    assert tool("worked").worked(page).text == expected
    page.write_text(expected)
    assert tool("worked").worked(page).text == expected
