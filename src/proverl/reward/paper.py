"""The profile `paper`: section 3 of the specification, literally.

Covers: the five terms over the whole conversation, and abstention where no turn has steps. Does not cover: anything
that the paper leaves out: whether a matched call succeeded, what the calls changed, what the assistant says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..records import TERMS, Call, Match, Score, Step, Task, Tool, Trace, TurnScore
from .match.values import same
from .terms import Budget, Weights, level, named, steps_of


def score(task: Task, trace: Trace, weights: Weights, budget: Budget) -> Score:
    """Total = 0.5 validity + 0.5 coverage + 0.15 efficiency + 0.2 name + 0.1 argument (specification 3).

    At most 1.3 with the weights as they stand, without lower bound. Where no turn has steps: abstention.
    """
    steps = [step for turn in task.turns for step in steps_of(turn)]
    calls, levels = _calls(task, trace)
    terms = dict.fromkeys(TERMS, 0.0)
    if not steps:
        total = terms["abstention"] = abstention(calls)
        return Score("paper", total, terms, (TurnScore(total, 1.0, terms),))
    matches = align(task, calls)
    terms["validity"] = validity(levels)
    terms["coverage"] = coverage(task, matches)
    terms["efficiency"] = budget.efficiency(len(calls), len(steps))
    terms["name"] = name(calls, steps)
    terms["argument"] = argument(matches)
    total = weights.total(terms)
    return Score("paper", total, terms, (TurnScore(total, 1.0, terms, tuple(matches[step.index] for step in steps)),))


def _calls(task: Task, trace: Trace) -> tuple[list[Call], list[int]]:
    """All calls in order, each with its level among the tools shown in its turn."""
    calls: list[Call] = []
    levels: list[int] = []
    for index, done in enumerate(trace.turns[: len(task.turns)]):
        shown: Mapping[str, Tool] = {tool.name: tool for tool in task.shown(index)} if done.calls else {}
        calls.extend(done.calls)
        levels.extend(level(call, shown) for call in done.calls)
    return calls, levels


def abstention(calls: Sequence[Call]) -> float:
    """1 for no call at all, else 0 (specification 3 and 7.2)."""
    return 0.0 if calls else 1.0


def validity(levels: Sequence[int]) -> float:
    """The mean level of the calls, in thirds; 0 without a call (specification 3 and 7.2)."""
    return sum(levels) / (3 * len(levels)) if levels else 0.0


def name(calls: Sequence[Call], steps: Sequence[Step]) -> float:
    """The share of the calls whose name occurs in the ground truth; 0 without a call (specification 3)."""
    wanted = {step.tool for step in steps}
    return sum(named(call) and call.name in wanted for call in calls) / len(calls) if calls else 0.0


def coverage(task: Task, matches: Mapping[int, Match]) -> float:
    """(1 / |G|) sum over g of m(g) o(g), with parallel calls as one step (specification 3 and 7.1).

    A parallel group is matched if each of its calls is; its order holds if each of its edges does.
    """
    groups: dict[tuple[int, int], float] = {}
    for turn_index, turn in enumerate(task.turns):
        for step in steps_of(turn):
            key = (turn_index, step.group) if step.group >= 0 else (-1, step.index)
            match = matches[step.index]
            groups[key] = min(groups.get(key, 1.0), match.m * match.o)
    return sum(groups.values()) / len(groups)


def argument(matches: Mapping[int, Match]) -> float:
    """Over the aligned pairs, the mean share of g's arguments whose values agree; 0 with nothing aligned."""
    shares = [match.agreement for match in matches.values() if match.by]
    return sum(shares) / len(shares) if shares else 0.0


def align(task: Task, calls: Sequence[Call]) -> dict[int, Match]:
    """mu: one to one, in the order of the steps, the earliest call that keeps the order (specification 7.2).

    A call can be matched that has the step's name and all of its argument keys; it need not have succeeded. If none of
    these keeps the order, the earliest is matched all the same, and o(g) = 0. o(g) = 0 too if a predecessor has no
    match. The share of g's arguments that agree is by JSON equality, 1 for a step without arguments.
    """
    found: dict[int, Match] = {}
    place: dict[int, int] = {}
    used: set[int] = set()
    for step in (step for turn in task.turns for step in steps_of(turn)):
        before = [edge.step for edge in step.edges if edge.step in found]
        after = max((place.get(index, -1) for index in before), default=-1)
        fit = [at for at, call in enumerate(calls) if at not in used and _fits(call, step)]
        at = next((at for at in fit if at > after), fit[0] if fit else -1)
        if at < 0:
            found[step.index] = Match(step.index, -1, 0.0, 0.0, 0.0, "", f"no call of {step.tool} with all of its keys")
            continue
        used.add(at)
        place[step.index] = at
        order = float(all(index in place for index in before) and at > after)
        found[step.index] = Match(step.index, at, 1.0, order, _agreement(calls[at], step), "call")
    return found


def _fits(call: Call, step: Step) -> bool:
    return (
        named(call)
        and call.name == step.tool
        and isinstance(call.arguments, dict)
        and all(key in call.arguments for key in step.arguments)
    )


def _agreement(call: Call, step: Step) -> float:
    if not step.arguments:
        return 1.0
    return sum(same(value, call.arguments[key]) for key, value in step.arguments.items()) / len(step.arguments)
