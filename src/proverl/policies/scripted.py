"""Six policies as generators of replies that see the results of their calls.

Covers: policies that work on any task. Does not cover: a policy that decides anything; each follows the ground truth or
departs from it in one way.

`ground_truth`   each step, parallel ones together, then the right closing text
`silent`         nothing at all
`first_call`     the first step of the task, then nothing to the end
`wrong_values`   each step with other values of the right type, then the right closing text
`spam`           the right steps, then calls of the same tools up to 40, then the right closing text
`backwards`      the steps in reversed order, one at a time, then the right closing text
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias

from ..chat import Reply, ToolCall
from ..paths import retaken
from ..records import Json, Message, Step, Task, Turn
from .least_call import least_call
from .wrong_values import changed

Script: TypeAlias = Generator[Reply, tuple[Message, ...], None]
"""Yields replies; receives the messages that came since (results of its calls, or what the user said)."""


Policy: TypeAlias = Callable[[Task], Script]


SPAM = 40


def ground_truth(task: Task) -> Script:
    """The right calls, then the right closing text, in each turn."""
    results: dict[int, Json] = {}
    for turn in task.turns:
        yield from _play(_groups(turn.steps), results)
        yield Reply(closing(turn))


def silent(task: Task) -> Script:
    """Says nothing and does nothing."""
    for _ in task.turns:
        yield Reply()


def first_call(task: Task) -> Script:
    """The first step of the task when its turn comes, then silence to the end."""
    results: dict[int, Json] = {}
    for turn in task.turns:
        yield from _play([tuple(step for step in turn.steps if step.index == 0)], results)
        yield Reply()


def wrong_values(task: Task) -> Script:
    """The right calls with other values of the right type, then the right closing text."""
    results: dict[int, Json] = {}
    tools = {tool.name: tool for tool in task.tools}

    def change(step: Step, arguments: dict[str, Json]) -> dict[str, Json]:
        return changed(tools[step.tool], arguments, step.compared) if step.tool in tools else arguments

    for turn in task.turns:
        yield from _play(_groups(turn.steps), results, change)
        yield Reply(closing(turn))


def spam(task: Task) -> Script:
    """The right calls and then more of them, 40 in all in each turn, then the right closing text.

    Where there is nothing to call it calls a tool that is shown with the least arguments that fit.
    """
    results: dict[int, Json] = {}
    for index, turn in enumerate(task.turns):
        yield from _play(_groups(turn.steps), results)
        calls = [
            ToolCall(step.tool, retaken(step.arguments, step.origins, results)) for step in turn.steps or turn.prefix
        ]
        calls = calls or [least_call(task.shown(index))]
        more = SPAM - len(turn.steps)
        if calls[0].name and more > 0:
            yield Reply("", tuple(calls[number % len(calls)] for number in range(more)))
        yield Reply(closing(turn))


def backwards(task: Task) -> Script:
    """The right calls in reversed order, one at a time, then the right closing text.

    An id that the episode has not made yet is written as the ground truth saw it.
    """
    results: dict[int, Json] = {}
    for turn in task.turns:
        yield from _play([(step,) for step in reversed(turn.steps)], results)
        yield Reply(closing(turn))


POLICIES: dict[str, Policy] = {
    "ground_truth": ground_truth,
    "silent": silent,
    "first_call": first_call,
    "wrong_values": wrong_values,
    "spam": spam,
    "backwards": backwards,
}


def _play(
    groups: Sequence[Sequence[Step]],
    results: dict[int, Json],
    change: Callable[[Step, dict[str, Json]], dict[str, Json]] = lambda step, arguments: arguments,
) -> Script:
    """One assistant turn for each group; what comes back is kept in `results` by step."""
    for group in groups:
        if not group:
            continue
        news = yield Reply(
            "",
            tuple(ToolCall(step.tool, change(step, retaken(step.arguments, step.origins, results))) for step in group),
        )
        answers = [message for message in news if message.role == "tool"]
        for step, answer in zip(group, answers, strict=False):
            results[step.index] = json.loads(answer.content)


def _groups(steps: Sequence[Step]) -> list[tuple[Step, ...]]:
    """The steps, neighbours of one parallel group together."""
    found: list[tuple[Step, ...]] = []
    for step in steps:
        if found and step.group >= 0 and found[-1][-1].group == step.group:
            found[-1] = (*found[-1], step)
        else:
            found.append((step,))
    return found


def closing(turn: Turn) -> str:
    """The right closing text of a turn; made up where the task holds none."""
    text = turn.answer.strip()
    if turn.kind == "steps":  # a question would make the user go on with this turn
        return text.rstrip("? ") or "Done."
    if text:
        return text
    if turn.kind == "missing_argument" and turn.missing:
        return f"Which {turn.missing[0]} do you mean?"
    if turn.kind == "missing_function" and turn.missing:
        return f"I have no tool for that: {turn.missing[0]}."
    return "I cannot do that with the tools that I have."
