"""The laws of the reward, and its alignment against a naive second implementation."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from io import StringIO
from itertools import combinations, permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rich.console import Console

from proverl import reward
from proverl.errors import InfrastructureError, UsageError
from proverl.records import (
    TERMS,
    Call,
    Change,
    Edge,
    Kind,
    Origin,
    Outcome,
    Score,
    Step,
    Task,
    Trace,
    TraceTurn,
    Turn,
    dump,
    load,
)
from proverl.reward import Weights, explain, score, success
from proverl.reward.match.alignment import NODES, Alignment
from proverl.reward.match.assignment import assign
from proverl.reward.match.steps import LocatedCall, plan_of
from proverl.reward.robust import judge
from proverl.reward.terms import Budget
from support import reward_policies as policies
from support import reward_shapes as shapes
from support.reward_oracle import At, Oracle, ground_truth, random_call, random_task, random_trace

CASES = settings().max_examples
"""What the profile says; cheap laws take a multiple of it."""

SEEDS = st.integers(0, 2**32).map(random.Random)
CELLS = [(policy, shape) for policy in policies.POLICIES for shape in shapes.SHAPES]
TINY = 1e-9


# The alignment


def cut(task: Task, trace: Trace, turns: int) -> tuple[Task, Trace]:
    return replace(task, turns=task.turns[:turns]), replace(trace, turns=trace.turns[:turns])


def compare_with_oracle(rng: random.Random, most_steps: int, most_calls: int) -> None:
    task = random_task(rng, most_steps)
    trace = random_trace(rng, task, most_calls)
    for reached in range(1, len(trace.turns) + 1):
        before = judge(
            replace(task, turns=task.turns[: reached - 1]), replace(trace, turns=trace.turns[: reached - 1]), Budget()
        )[1]
        after = judge(replace(task, turns=task.turns[:reached]), replace(trace, turns=trace.turns[:reached]), Budget())[
            1
        ]
        known = {
            index: At(where.seen.moment, where.seen.place, where.seen.call, where.by == "other read")
            for index, where in before.items()
            if where.seen is not None
        }
        part, done = cut(task, trace, reached)
        todo = [step.index for step in part.steps if step.index not in known]
        oracle = Oracle(part, done, known)
        coverage, mine, agreement = oracle.best(reached - 1, todo)
        found = [after[index] for index in todo]
        assert math.isclose(sum(where.m * where.o for where in found), coverage, abs_tol=TINY)
        own = [after[step.index] for step in part.turns[reached - 1].steps]
        assert math.isclose(sum(where.m * where.o for where in own), mine, abs_tol=TINY)
        assert math.isclose(sum(where.agreement for where in found), agreement, abs_tol=TINY)


@given(SEEDS)
@settings(max_examples=10 * CASES)
def test_the_alignment_is_as_good_as_trying_all(rng: random.Random) -> None:
    compare_with_oracle(rng, 4, 5)


@pytest.mark.soak
@given(SEEDS)
@settings(max_examples=5 * CASES)
def test_the_alignment_is_as_good_as_trying_all_in_many_larger_cases(rng: random.Random) -> None:
    compare_with_oracle(rng, 5, 7)


ROWS = st.lists(st.integers(-9, 9), min_size=5, max_size=5)


@given(st.lists(ROWS, min_size=1, max_size=4))
@settings(max_examples=5 * CASES)
def test_the_assignment_is_as_good_as_trying_all(table: list[list[int]]) -> None:
    right = max(sum(row[at] for row, at in zip(table, way, strict=True)) for way in permutations(range(5), len(table)))
    found = assign([dict(enumerate(row)) for row in table], 5)
    assert len(set(found)) == len(table)
    assert sum(row[at] for row, at in zip(table, found, strict=True)) == right


def test_a_made_up_trace_with_very_many_alignments_is_scored_in_bounded_work() -> None:
    steps = tuple(
        Step(
            index,
            "write_c",
            {"x": f"{index}", "y": "1"},
            Outcome(Kind.OK, {}),
            "write",
            index,
            tuple(Edge(before, "state") for before in range(max(0, index - 3), index)),
            compared=("x", "y"),
        )
        for index in range(15)
    )
    task = Task("wide", "any", 1, random_task(random.Random(0)).tools, (Turn("Go.", steps=steps),))
    rng = random.Random(1)
    done = [{"x": f"{rng.randrange(15)}", "y": rng.choice("12")} for _ in range(46)]
    calls = [Call("write_c", arguments, Outcome(Kind.OK, {}), at) for at, arguments in enumerate(done)]
    plan = plan_of(task)
    window = [LocatedCall(at, (0, at), at, call) for at, call in enumerate(calls)]
    alignment = Alignment(plan, frozenset(range(15)), plan.views.values(), window, (), {})
    placed = alignment.solve()
    assert alignment.nodes <= NODES
    assert sum(where.m * where.o for where in placed.values()) > 5


# Laws


@given(SEEDS)
@settings(max_examples=5 * CASES)
def test_a_score_lies_within_its_bounds_and_is_the_same_again(rng: random.Random) -> None:
    task = random_task(rng)
    trace = random_trace(rng, task, 12)
    robust, paper = score(task, trace), score(task, trace, "paper")
    check(robust)
    check(paper)
    again = load(Task, dump(task)), load(Trace, dump(trace))
    assert dump(score(*again)) == dump(robust)
    assert dump(score(*again, "paper")) == dump(paper)


def check(found: Score) -> None:
    most = 1.0 if found.profile == "robust" else 1.3
    assert found.total <= most + TINY
    assert found.total >= 0 or found.profile == "paper"
    for terms in (found.terms, *(turn.terms for turn in found.turns)):
        assert tuple(terms) == TERMS
        for name, value in terms.items():
            assert math.isfinite(value)
            assert value <= TINY if name == "efficiency" else -TINY <= value <= 1 + TINY
    for turn in found.turns:
        assert all(0 <= match.m <= 1 and match.o in (0, 1) and 0 <= match.agreement <= 1 for match in turn.matches)
        assert all(bool(match.by) != bool(match.reason) for match in turn.matches)


@given(SEEDS)
@settings(max_examples=5 * CASES)
def test_the_ground_truth_gets_all_there_is(rng: random.Random) -> None:
    task = random_task(rng, 8)
    trace = ground_truth(task)
    assert score(task, trace).total == pytest.approx(1, abs=TINY)
    assert score(task, trace, "paper").total == pytest.approx(1.3, abs=TINY)
    assert success(task, trace)


@given(SEEDS)
@settings(max_examples=5 * CASES)
def test_right_calls_in_any_order_that_keeps_the_dependencies_get_all_there_is(rng: random.Random) -> None:
    task = random_task(rng, 6)
    # Of two equal calls of one turn nobody can say which made the thing that a later turn speaks of.
    assume(
        all(one.tool != other.tool or one.arguments != other.arguments for one, other in combinations(task.steps, 2))
    )
    right = ground_truth(task)
    turns = []
    for turn, done in zip(task.turns, right.turns, strict=True):
        left = list(zip(turn.steps, done.calls, strict=True))
        ordered: list[Call] = []
        while left:
            waiting = {step.index for step, _ in left}
            free = [pair for pair in left if not any(edge.step in waiting for edge in pair[0].edges)]
            pair = rng.choice(free)
            left.remove(pair)
            ordered.append(replace(pair[1], assistant_turn=turn.steps[0].index + len(ordered)))
        turns.append(replace(done, calls=tuple(ordered)))
    assert score(task, replace(right, turns=tuple(turns))).total == pytest.approx(1, abs=TINY)


@given(SEEDS)
@settings(max_examples=5 * CASES)
def test_without_dependencies_the_order_of_calls_does_not_matter(rng: random.Random) -> None:
    task = random_task(rng)
    bare = [[replace(step, edges=(), origins={}) for step in turn.steps] for turn in task.turns]
    turns = zip(task.turns, bare, strict=True)
    task = replace(task, turns=tuple(replace(turn, steps=tuple(steps)) for turn, steps in turns))
    trace = random_trace(rng, task, 2)  # all within the first 2B
    mixed = tuple(replace(turn, calls=tuple(rng.sample(turn.calls, len(turn.calls)))) for turn in trace.turns)
    assert score(task, replace(trace, turns=mixed)).total == pytest.approx(score(task, trace).total, abs=TINY)


def with_excess(rng: random.Random, trace: Trace, turn: int, place: int) -> Trace:
    """The trace with one valid read more that stands for no step and shows nothing."""
    done = trace.turns[turn]
    near = done.calls[max(0, place - 1) : place + 1]
    excess = Call("noise", {}, Outcome(Kind.OK, {"rows": []}), near[0].assistant_turn if near else 0)
    more = replace(done, calls=(*done.calls[:place], excess, *done.calls[place:]))
    return replace(trace, turns=(*trace.turns[:turn], more, *trace.turns[turn + 1 :]))


@given(SEEDS)
@settings(max_examples=5 * CASES)
def test_an_excess_call_at_the_end_of_a_turn_never_raises_the_score(rng: random.Random) -> None:
    task = random_task(rng)
    trace = random_trace(rng, task, 8)
    turn = rng.randrange(len(trace.turns))
    after = with_excess(rng, trace, turn, len(trace.turns[turn].calls))
    assert score(task, after).total <= score(task, trace).total + TINY


@given(SEEDS)
@settings(max_examples=5 * CASES)
def test_an_excess_call_anywhere_in_the_last_turn_never_raises_the_score(rng: random.Random) -> None:
    # In an earlier turn it may push a wrong call beyond the first 2B, so that its step stays open and is done later.
    task = random_task(rng)
    trace = random_trace(rng, task, 8)
    turn = len(trace.turns) - 1
    after = with_excess(rng, trace, turn, rng.randint(0, len(trace.turns[turn].calls)))
    assert score(task, after).total <= score(task, trace).total + TINY


@given(SEEDS)
@settings(max_examples=5 * CASES)
def test_repeating_a_right_call_never_raises_a_full_score(rng: random.Random) -> None:
    task = random_task(rng)
    trace = ground_truth(task)
    for _ in range(3):
        turn = rng.randrange(len(trace.turns))
        done = trace.turns[turn]
        calls = (*done.calls, replace(rng.choice(done.calls), assistant_turn=done.calls[-1].assistant_turn + 0))
        trace = replace(trace, turns=(*trace.turns[:turn], replace(done, calls=calls), *trace.turns[turn + 1 :]))
        assert score(task, trace).total <= 1 + TINY
    assert score(task, trace).total < 1 or all(len(done.calls) <= 6 for done in trace.turns)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["v1", "2031-05-14T10:00:00Z"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyzab"), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["read_a", "read_b", "write_c", "write_d", "noise", "", "nothing"])
KINDS = st.sampled_from([kind for kind in Kind if kind is not Kind.INFRASTRUCTURE])
OUTCOMES = st.builds(Outcome, KINDS, JSON, resolved=st.dictionaries(st.sampled_from("xy"), JSON, max_size=1))
CALLS = st.builds(Call, NAMES, JSON, OUTCOMES, st.integers(-1, 4), st.text(max_size=3))
PAIRS = st.lists(st.tuples(st.sampled_from(["a", "b"]), JSON), max_size=2).map(tuple)
CHANGES = st.builds(
    Change, st.sampled_from("tu"), st.sampled_from(["insert", "update", "delete"]), st.just(""), PAIRS, PAIRS
)
MADE = st.builds(Origin, st.integers(-1, 4), st.sampled_from(["id", "rows[0].id", "", "[["]), st.booleans())
STEPS = st.builds(
    Step,
    st.integers(0, 4),
    NAMES,
    st.dictionaries(st.sampled_from("xyz"), JSON, max_size=3),
    OUTCOMES,
    st.sampled_from(["read", "write", "destructive"]),
    st.integers(-1, 2),
    st.lists(st.builds(Edge, st.integers(-1, 5), st.sampled_from(["value", "state"])), max_size=2).map(tuple),
    st.dictionaries(st.sampled_from(["x", "y[0]", "z.a", ""]), MADE, max_size=2),
    st.lists(st.sampled_from("xyz"), max_size=3, unique=True).map(tuple),
    st.lists(st.sampled_from("xyz"), max_size=1).map(tuple),
    st.booleans(),
    st.lists(JSON, max_size=2).map(tuple),
)
WORDS = st.lists(st.sampled_from(["amount", "how much", "", "("]), max_size=2).map(tuple)
TURNS = st.builds(
    Turn,
    st.just("Do it."),
    st.sampled_from(["steps", "steps", "irrelevant", "missing_argument", "missing_function", "imported"]),
    st.lists(STEPS, max_size=3).map(tuple),
    st.lists(CHANGES, max_size=2).map(tuple),
    st.lists(st.text(max_size=3), max_size=1).map(tuple),
    missing=WORDS,
    present=st.lists(WORDS, max_size=2).map(tuple),
    prefix=st.lists(STEPS, max_size=1).map(tuple),
    adds=st.lists(NAMES, max_size=1).map(tuple),
)
TOOLS = random_task(random.Random(0)).tools
ANY = st.just("any")
TASKS = st.builds(Task, ANY, ANY, st.just(1), st.just(TOOLS), st.lists(TURNS, max_size=3).map(tuple))
SOME_CHANGES = st.lists(CHANGES, max_size=3).map(tuple)
TEXTS = st.text(max_size=5) | st.just("How much?")
DONE = st.builds(TraceTurn, st.lists(CALLS, max_size=5).map(tuple), TEXTS, SOME_CHANGES)
TRACES = st.builds(Trace, st.just("any"), st.lists(DONE, max_size=4).map(tuple))


def renumbered(task: Task) -> Task:
    """The task with its steps counted from 0, as a task's steps are."""
    numbers = iter(range(100))
    counted = [[replace(step, index=next(numbers)) for step in turn.steps] for turn in task.turns]
    turns = zip(task.turns, counted, strict=True)
    return replace(task, turns=tuple(replace(turn, steps=tuple(steps)) for turn, steps in turns))


@given(TASKS.map(renumbered), TRACES)
@settings(max_examples=CASES)
def test_every_trace_has_a_score_and_an_explanation(task: Task, trace: Trace) -> None:
    console = Console(file=StringIO(), width=100)
    for profile in ("robust", "paper"):
        found = score(task, trace, profile)
        check(found)
        explain(task, trace, found, console)
    success(task, trace)


def test_random_calls_reach_every_kind_of_match() -> None:
    """The laws above would say little if their cases were all alike."""
    ways = set()
    for seed in range(300):
        rng = random.Random(seed)
        task = random_task(rng)
        trace = random_trace(rng, task, 8)
        assert random_call(rng, task, 0).name
        for turn in score(task, trace).turns:
            ways |= {(match.by, match.o, match.m < 1, match.turn >= 0) for match in turn.matches}
    assert {("call", 1.0, False, False), ("call", 0.0, False, False), ("call", 1.0, True, False)} <= ways
    assert {("other read", 1.0, False, False), ("call", 1.0, False, True), ("", 0.0, True, False)} <= ways


# Settings


@pytest.mark.parametrize("term", ["validity", "coverage", "efficiency", "name", "argument", "goal"])
def test_a_term_without_weight_does_not_count_and_the_ground_truth_still_scores_1(term: str) -> None:
    weights = replace(Weights(), **{term: 0.0})
    task, trace = policies.act("ground truth", "mixed")
    assert score(task, trace, weights=weights).total == pytest.approx(1)
    paper = 1.3 - (0 if term in ("goal", "efficiency") else getattr(Weights(), term))
    assert score(task, trace, "paper", weights).total == pytest.approx(paper)
    task, trace = policies.act("spam", "mixed")
    terms = score(task, trace).terms
    kept = {name: getattr(weights, name) * terms[name] for name in terms if name != "abstention"}
    norm = 2.6 - (0 if term == "efficiency" else getattr(Weights(), term))
    assert score(task, trace, weights=weights).total == pytest.approx(sum(kept.values()) / norm)


def test_all_weights_zero_is_worth_nothing() -> None:
    assert score(*policies.act("ground truth", "mixed"), weights=Weights(0, 0, 0, 0, 0, 0)).total == 0


def test_alpha_and_beta_set_the_penalty() -> None:
    task, trace = policies.act("two reads more", "read")
    assert score(task, trace, beta=0).terms["efficiency"] == pytest.approx(-0.5 * (4 - 2) / 2)
    assert score(task, trace, alpha=0.2).terms["efficiency"] == pytest.approx(-0.2 * (4 - 3) / 3)
    assert score(task, trace, "paper", beta=1).terms["efficiency"] == 0


def test_settings_that_make_no_sense_are_refused() -> None:
    task, trace = policies.act("ground truth", "read")
    with pytest.raises(UsageError, match="beta -1"):
        score(task, trace, beta=-1)
    with pytest.raises(UsageError, match="no profile 'best'"):
        score(task, trace, "best")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="weight"):
        Weights(validity=math.nan)
    with pytest.raises(UsageError, match="task 'other'"):
        score(task, replace(trace, task_id="other"))


@pytest.mark.parametrize("profile", ["robust", "paper"])
def test_a_masked_trace_has_no_score(profile: str) -> None:
    task, trace = policies.act("ground truth", "read")
    broken = replace(trace.turns[0].calls[0], outcome=Outcome(Kind.INFRASTRUCTURE, code="server_died", message="gone"))
    for masked in (
        replace(trace, masked="no time left"),
        replace(trace, stop="infrastructure"),
        replace(trace, turns=(replace(trace.turns[0], calls=(broken,)),)),
    ):
        assert reward.masked(masked)
        with pytest.raises(InfrastructureError, match="masked"):
            score(task, masked, profile)  # type: ignore[arg-type]
        with pytest.raises(InfrastructureError, match="masked"):
            success(task, masked)
    assert reward.masked(trace) == ""
