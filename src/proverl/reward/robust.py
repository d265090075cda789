"""The profile `robust`: pays for the task done (specification 7.3 and 7.4).

Covers: the terms of a turn with steps, the score of one without, and the conversation. Does not cover: the alignment
(match/alignment.py), the comparison of rows (match/goal.py), the rules for turns without steps (abstention.py).

One turn after the other: steps that a turn leaves unmatched stay open and may be matched by calls of a later turn. They
then count in the coverage and the argument term of the turn that they belong to; validity, name, efficiency and goal of
a turn only see that turn's own calls and rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..records import TERMS, Call, Change, Match, Score, Task, Tool, Trace, TraceTurn, Turn, TurnScore
from .abstention import abstention
from .match import goal as goals
from .match.alignment import Alignment
from .match.steps import NOWHERE, LocatedCall, Placed, Plan, View, plan_of
from .match.values import SearchableResult
from .terms import Budget, Weights, level, named, steps_of


@dataclass
class _Judged:
    """One turn while the conversation is read."""

    turn: Turn
    done: TraceTurn | None
    views: tuple[View, ...]
    window: list[LocatedCall] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    terms: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TERMS, 0.0))
    beyond: int = 0
    note: str = ""

    @property
    def weight(self) -> float:
        """What the turn counts in the conversation."""
        return float(max(1, len(self.views)))

    @property
    def succeeded(self) -> bool:
        """Goal reached, nothing beyond it, and a closing text; or the right abstention (specification 7.1)."""
        if self.done is None:
            return False
        if not self.views:
            return self.terms["abstention"] == 1.0
        return self.terms["goal"] == 1.0 and self.beyond == 0 and bool(self.done.text.strip())


def score(task: Task, trace: Trace, weights: Weights, budget: Budget) -> Score:
    """The mean over turns of their scores, weighted by max(1, n); a turn that was never reached scores 0.

    The terms of the conversation are means with the same weights, a term that a turn has not counting 0. So the total
    is their weighted sum, divided by 2.6, plus abstention, unless a turn was cut off at 0.
    """
    judged, placed = judge(task, trace, budget)
    found = tuple(_turn_score(each, placed, weights) for each in judged)
    whole = sum([turn.weight for turn in found]) or 1.0
    terms = dict.fromkeys(TERMS, 0.0)
    total = 0.0
    for turn in found:
        total += turn.weight * turn.total
        for name, value in turn.terms.items():
            terms[name] += turn.weight * value
    return Score("robust", total / whole, {name: value / whole for name, value in terms.items()}, found)


def success(task: Task, trace: Trace) -> bool:
    """Whether the task counts as done: every turn of it (specification 7.1)."""
    return all(each.succeeded for each in judge(task, trace, Budget())[0])


def _turn_score(judged: _Judged, placed: Mapping[int, Placed], weights: Weights) -> TurnScore:
    """max(0, sum of weighted terms + 1.3 goal) / 2.6, or the abstention score (specification 7.3 and 7.4)."""
    terms = judged.terms
    if judged.done is None or not judged.views:
        return TurnScore(terms["abstention"], judged.weight, terms, note=judged.note)
    total = weights.total(terms) + weights.goal * terms["goal"]
    # The upper bound holds by the formulas; min only takes off what floats add.
    total = min(1.0, max(0.0, total) / weights.normaliser) if weights.normaliser else 0.0
    matches = tuple(_match(view, placed[view.index], judged) for view in judged.views)
    return TurnScore(total, judged.weight, terms, matches, judged.note)


def judge(task: Task, trace: Trace, budget: Budget) -> tuple[list[_Judged], dict[int, Placed]]:
    """Every turn with its terms, and where each step was placed."""
    plan = plan_of(task)
    placed: dict[int, Placed] = {}
    reads: list[tuple[LocatedCall, SearchableResult]] = []
    owed: list[tuple[Change, tuple[str, ...]]] = []
    judged: list[_Judged] = []
    place = 0
    for index, turn in enumerate(task.turns):
        done = trace.turns[index] if index < len(trace.turns) else None
        each = _Judged(turn, done, tuple(plan.views[step.index] for step in steps_of(turn)))
        judged.append(each)
        placed.update((view.index, NOWHERE) for view in each.views)
        if done is None:
            each.note = "never reached"
            continue
        calls = [LocatedCall(place + at, (index, call.assistant_turn), at, call) for at, call in enumerate(done.calls)]
        place += len(calls)
        shown = plan.shown[index]
        if not each.views:
            # No step is matched here, but what these reads show may serve the look-ups of later turns.
            each.window = calls
            each.terms["abstention"], each.note = abstention(turn, done, shown, budget)
        else:
            # Who tries everything finds the right call too, so calls far beyond the budget stand for no step.
            each.window = calls[: 2 * budget.calls(len(each.views))]
        for seen in each.window:
            if plan.reads(seen.call.name) and seen.call.outcome.succeeded:
                reads.append((seen, SearchableResult(seen.call.outcome.value)))
        if each.views:
            _align(plan, each, reads, placed)
            _terms(plan, each, placed, shown, budget, owed)
        elif done.changes:
            # Only for `owed`: what an earlier turn left undone may be done here, and is then owed no longer.
            goals.rows((), done.changes, owed, ())
    for each in judged:  # only now, for a later turn may have matched what a turn had left open
        if each.views and each.done is not None:
            each.terms["coverage"] = coverage(each, placed)
            each.terms["argument"] = argument(each, placed)
    return judged, placed


def _align(
    plan: Plan, each: _Judged, reads: Sequence[tuple[LocatedCall, SearchableResult]], placed: dict[int, Placed]
) -> None:
    """Match this turn's steps, and those that are still open, with the turn's first 2B calls."""
    mine = frozenset(view.index for view in each.views)
    still_open = [plan.views[index] for index, where in placed.items() if where.seen is None]
    placed.update(Alignment(plan, mine, still_open, each.window, reads, placed).solve())


def _terms(
    plan: Plan,
    each: _Judged,
    placed: Mapping[int, Placed],
    shown: Mapping[str, Tool],
    budget: Budget,
    owed: list[tuple[Change, tuple[str, ...]]],
) -> None:
    """The terms that only see this turn: all but coverage and argument."""
    assert each.done is not None
    calls, count = each.done.calls, len(each.views)
    each.levels = [level(call, shown) for call in calls]
    have = _have(each, placed)
    terms = each.terms
    terms["validity"] = validity(each, have)
    terms["name"] = name(each, have, budget.slack(count))
    terms["efficiency"] = budget.efficiency(len(calls), count)
    terms["goal"] = goal(plan, each, placed, owed)


def coverage(each: _Judged, placed: Mapping[int, Placed]) -> float:
    """The mean of m(g) o(g) over the turn's steps (specification 7.3)."""
    return sum(placed[view.index].m * placed[view.index].o for view in each.views) / len(each.views)


def argument(each: _Judged, placed: Mapping[int, Placed]) -> float:
    """The mean over the turn's steps of the share of compared arguments that agree; 0 for a step without a call."""
    return sum(placed[view.index].agreement for view in each.views) / len(each.views)


class _Have(NamedTuple):
    """What steps have by name alone: how many another read serves, and how many others have a call of their name.

    `best` is the sum of the levels, in thirds, of the best calls of those names.
    """

    served: int
    called: int
    best: int


def _have(each: _Judged, placed: Mapping[int, Placed]) -> _Have:
    """Steps and calls by name, one to one, the best calls first; what serves a look-up of its own name is used up."""
    assert each.done is not None
    served = 0
    spent, own = set(), set()
    wanted: dict[str, int] = {}
    for view in each.views:
        where = placed[view.index]
        if where.by == "other read":
            served += 1
            if where.seen is not None and where.seen.call.name == view.step.tool:
                spent.add(where.seen.place)
            continue
        wanted[view.step.tool] = wanted.get(view.step.tool, 0) + 1
        if where.seen is not None:
            own.add(where.seen.place)
    spent -= own
    start = each.window[0].place if each.window else 0
    pools: dict[str, list[int]] = {}
    for at, call in enumerate(each.done.calls):
        if call.name in wanted and named(call) and start + at not in spent:
            pools.setdefault(call.name, []).append(each.levels[at])
    called = best = 0
    for tool, levels in pools.items():
        levels.sort(reverse=True)
        taken = levels[: wanted[tool]]
        called += len(taken)
        best += sum(taken)
    return _Have(served, called, best)


def validity(each: _Judged, have: _Have) -> float:
    """max(0, the levels of the best calls of the steps' names, less (1 - level) of every other call) / n (7.3).

    A step that another read serves counts as having a call of level 1.
    """
    others = 3 * (len(each.levels) - have.called) - (sum(each.levels) - have.best)
    return max(0, 3 * have.served + have.best - others) / (3 * len(each.views))


def name(each: _Judged, have: _Have, slack: int) -> float:
    """Steps that have a call of their name, one to one, or that another read serves / max(n, N - s) (7.3)."""
    return (have.served + have.called) / max(len(each.views), len(each.levels) - slack)


def goal(plan: Plan, each: _Judged, placed: Mapping[int, Placed], owed: list[tuple[Change, tuple[str, ...]]]) -> float:
    """max(0, rows made + reads done - rows beyond) / (rows + reads); coverage if there are neither (7.3)."""
    assert each.done is not None
    wanted = each.turn.changes
    made, each.beyond = goals.rows(wanted, each.done.changes, owed, each.turn.dictated)
    terminal = [view for view in each.views if view.step.terminal]
    if not wanted and not terminal:
        each.note = f"no goal but its steps; rows changed beyond: {each.beyond}"
        return coverage(each, placed)
    told = goals.reads(terminal, placed, each.window, plan.views)
    rows, told_of = f"rows {made} of {len(wanted)}", f"reads {told} of {len(terminal)}"
    each.note = f"{rows}, {told_of}" if wanted and terminal else rows if wanted else told_of
    if each.beyond:
        each.note += f", rows beyond: {each.beyond}"
    return max(0, made + told - each.beyond) / (len(wanted) + len(terminal))


# What a score tells about its steps


def _match(view: View, where: Placed, judged: _Judged) -> Match:
    if where.seen is None:
        return Match(view.index, -1, 0.0, 0.0, 0.0, "", _why_not(view, judged))
    own = any(seen is where.seen for seen in judged.window)
    turn = -1 if own else where.seen.moment[0]
    return Match(view.index, where.seen.at, where.m, float(where.o), where.agreement, where.by, turn=turn)


def _why_not(view: View, judged: _Judged) -> str:
    """Why a step has no call."""
    calls: Sequence[Call] = judged.done.calls if judged.done else ()
    tool = view.step.tool
    own = [call for call in calls if named(call) and call.name == tool]
    if not own:
        return f"no call of {tool}"
    window = [seen.call for seen in judged.window if seen.call.name == tool and named(seen.call)]
    if not window:
        return f"calls of {tool} only after the first {len(judged.window)} calls"
    failed = [call.outcome for call in window if not call.outcome.succeeded]
    if len(failed) == len(window):
        return f"called, but {failed[-1].code or failed[-1].kind.value}"
    return f"the calls of {tool} stand for other steps"
