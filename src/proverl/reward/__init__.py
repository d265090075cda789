"""The reward: how far an episode did what its task asks, computed from records alone.

Covers: two profiles, chosen by name. `robust` (the default) pays for the task done and lies between 0 and 1; `paper`
computes the formulas of the method's paper literally, at most 1.3 and without lower bound. Does not cover: running
anything; a task and a trace hold all that is needed.

    terms.py       weights, budget, the level of a call; what both profiles share
    paper.py       the profile `paper`
    robust.py      the profile `robust`: the terms of a turn, and the conversation
    abstention.py  turns in which the right thing is to decline or to ask
    explain.py     one screen that says where the points went
    match/steps.py       what each step wants of a call
    match/alignment.py   which call stands for which step; match/assignment.py is the method that it searches with
    match/goal.py        rows changed and reads made, against what the user asked for
    match/values.py      when two values agree

An episode that is masked, for it met a fault of the machine or of ours, cannot be scored, and is never worth 0: `score`
and `success` raise `InfrastructureError`. Ask `masked` first, and leave the episode out of the update.
"""

from __future__ import annotations

from ..errors import InfrastructureError, UsageError
from ..records import Kind, Profile, Score, Task, Trace
from . import paper, robust
from .explain import explain
from .terms import Budget, Weights

__all__ = ["Weights", "explain", "masked", "score", "success"]

DEFAULT = Weights()


def masked(trace: Trace) -> str:
    """Why a trace cannot be scored; empty if it can."""
    if trace.masked:
        return trace.masked
    # Our loop has noted such a call in `masked`; a trace that another engine wrote may not have.
    for turn in trace.turns:
        for call in turn.calls:
            if call.outcome.kind is Kind.INFRASTRUCTURE:
                return f"{call.name} met {call.outcome.code or 'a fault'}: {call.outcome.message}"
    return "the episode ended by a fault" if trace.stop == "infrastructure" else ""


def score(
    task: Task,
    trace: Trace,
    profile: Profile = "robust",
    weights: Weights = DEFAULT,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> Score:
    """The reward of one episode, with every term and match.

    Any trace that is not masked has a score: the function is total, deterministic and changes nothing.

    Raises:
        InfrastructureError: the trace is masked; it must not be scored
        UsageError: the trace is of another task, or there is no such profile
    """
    _check(task, trace)
    if profile == "robust":
        return robust.score(task, trace, weights, Budget(alpha, beta))
    if profile == "paper":
        return paper.score(task, trace, weights, Budget(alpha, beta))
    raise UsageError(f"no profile {profile!r}; known: paper, robust")


def success(task: Task, trace: Trace) -> bool:
    """Whether the task is done: in every turn the goal and no row beyond it, and a closing text (or right abstention).

    Raises:
        InfrastructureError: the trace is masked; it must not be scored
        UsageError: the trace is of another task
    """
    _check(task, trace)
    return robust.success(task, trace)


def _check(task: Task, trace: Trace) -> None:
    if trace.task_id != task.id:
        raise UsageError(f"the trace is of task {trace.task_id!r}, not of {task.id!r}")
    why = masked(trace)
    if why:
        raise InfrastructureError(f"the episode of {task.id} is masked: {why}")
