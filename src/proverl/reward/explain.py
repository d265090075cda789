"""A score on one screen: which call stood for which step, which did not and why, and where the points went.

Covers: printing a score that was computed; turns, steps and calls are counted from 0, as in the files. Does not cover:
computing one; nothing here changes a number.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..records import TERMS, Call, Json, Match, Score, Step, Task, Trace, TraceTurn, TurnScore
from .match.values import agree
from .terms import Weights, level, named, steps_of

_LINES = 8
_WIDTH = 38


def explain(task: Task, trace: Trace, score: Score, console: Console, weights: Weights | None = None) -> None:
    """Print how a score came about; `weights` are those with which it was computed."""
    most = "1" if score.profile == "robust" else "1.3 at most"
    console.print(Text.assemble((f"{task.id}: {score.total:.3f}", "bold"), f" of {most}, profile {score.profile}"))
    if score.profile == "paper":
        steps = [step for turn in task.turns for step in steps_of(turn)]
        calls = [(index, call) for index, done in enumerate(trace.turns) for call in done.calls]
        _turn(task, steps, calls, score.turns[0], console)
    else:
        for index, turn in enumerate(task.turns):
            _heading(index, task, score.turns[index], trace, console)
            done = trace.turns[index] if index < len(trace.turns) else TraceTurn()
            late = {match.call for other in score.turns for match in other.matches if match.turn == index}
            calls = [(index, call) for call in done.calls]
            _turn(task, list(steps_of(turn)), calls, score.turns[index], console, late)
    console.print(_points(task, score, weights or Weights()))


def _heading(index: int, task: Task, turn: TurnScore, trace: Trace, console: Console) -> None:
    text = trace.turns[index].text.strip() if index < len(trace.turns) else ""
    said = f'says "{_short(text, 40)}"' if text else "no closing text"
    head = f"Turn {index} ({task.turns[index].kind.replace('_', ' ')}): {turn.total:.3f}"
    console.print()
    line = Text.assemble((head, "bold"), f", weight {turn.weight:g}; {turn.note or 'done'}; {said}")
    console.print(line, no_wrap=True, overflow="ellipsis")


def _turn(
    task: Task,
    steps: Sequence[Step],
    calls: Sequence[tuple[int, Call]],
    score: TurnScore,
    console: Console,
    late: Collection[int] = (),
) -> None:
    """The steps with what became of them, and the calls that stand for none."""
    if steps and score.matches:
        table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
        for name in ("step", "right call", "by call", "m", "o", "arg", "why"):
            table.add_column(name, justify="right" if name in ("m", "o", "arg") else "left", overflow="fold")
        for step, match in zip(steps, score.matches, strict=True):
            table.add_row(*_row(task, step, match, [call for _, call in calls]))
        console.print(table)
    taken = {match.call for match in score.matches if match.by and match.turn < 0}.union(late)
    for line in _others(task, calls, taken):
        console.print(Text(line, style="dim"), no_wrap=True, overflow="ellipsis")


def _row(task: Task, step: Step, match: Match, calls: Sequence[Call]) -> tuple[str | Text, ...]:
    right = Text(_call(step.tool, step.arguments))
    if not match.by:
        return str(step.index), right, Text("none", "red"), "0", "0", "0", Text(match.reason)
    by = f"{match.call}" + (f" of turn {match.turn}" if match.turn >= 0 else "")
    by += " (other read)" if match.by == "other read" else ""
    style = "green" if match.m * match.o == 1 and match.agreement == 1 else "yellow"
    why = _why(task, step, match, calls)
    numbers = (f"{value:.2f}".rstrip("0").rstrip(".") for value in (match.m, match.o, match.agreement))
    return str(step.index), right, Text(by, style), *numbers, Text(why)


def _why(task: Task, step: Step, match: Match, calls: Sequence[Call]) -> str:
    """What keeps a matched step from full marks."""
    parts = []
    if match.agreement < 1 and match.by == "call" and match.turn < 0:
        tool = next((tool for tool in task.tools if tool.name == step.tool), None)
        properties = tool.input_schema.get("properties", {}) if tool else {}
        for name in step.arguments:
            given = calls[match.call].arguments.get(name)
            if (name in step.compared or name in step.dictated) and not agree(
                step.arguments[name], given, properties.get(name)
            ):
                parts.append(f"{name} is {_short(json.dumps(given, ensure_ascii=False), 24)}")
    if match.o < 1:
        steps = ", ".join(str(edge.step) for edge in step.edges)
        parts.append(f"not after what it depends on ({steps})")
    return "; ".join(parts)


def _others(task: Task, calls: Sequence[tuple[int, Call]], taken: set[int]) -> Iterator[str]:
    """One line for each run of like calls that stand for no step."""
    shown = [{tool.name: tool for tool in task.shown(index)} for index in range(len(task.turns))]
    rest = [
        (at, call, level(call, shown[index]) if index < len(shown) else 0)
        for at, (index, call) in enumerate(calls)
        if at not in taken
    ]
    runs = [
        list(run) for _, run in groupby(rest, key=lambda one: (one[1].name, one[1].outcome.kind, one[1].outcome.code))
    ]
    for run in runs[:_LINES]:
        at, call, thirds = run[0]
        place = f"call {at}" if len(run) == 1 else f"calls {at} to {run[-1][0]}"
        what = _call(call.name, call.arguments) if named(call) else f"unreadable: {_short(call.text, _WIDTH)}"
        outcome = call.outcome.code or call.outcome.kind.value
        yield f"  {place}: {what} -> {outcome}, level {thirds}/3, stands for no step"
    if len(runs) > _LINES:
        yield f"  and {sum(len(run) for run in runs[_LINES:])} more calls that stand for no step"


def _points(task: Task, score: Score, weights: Weights) -> Table:
    """Each term's value, and the points that it gave and lost."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", title_justify="left")
    table.add_column("term")
    for name in ("value", "weight", "points", "lost"):
        table.add_column(name, justify="right")
    robust = score.profile == "robust"
    scale = (weights.normaliser or 1.0) if robust else 1.0
    steps = float(any(steps_of(turn) for turn in task.turns))
    if robust:
        whole = sum(turn.weight for turn in score.turns) or 1.0
        pairs = zip(task.turns, score.turns, strict=True)
        steps = sum(scored.weight for turn, scored in pairs if steps_of(turn)) / whole
    for name in TERMS:
        weight = 1.0 if name == "abstention" else getattr(weights, name) / scale
        if name == "goal" and not robust:
            continue
        reach = {"efficiency": 0.0, "abstention": 1.0 - steps}.get(name, steps)
        value = score.terms[name]
        numbers = (value, weight, weight * value, weight * (value - reach))
        table.add_row(name, *(f"{number + 0.0:.3f}" for number in numbers))
    return table


def _call(name: str, arguments: Json) -> str:
    if not isinstance(arguments, dict):
        return _short(f"{name}({arguments!r})", _WIDTH)
    given = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
    return _short(f"{name}({given})", _WIDTH)


def _short(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 3] + "..."
