"""The laws of the reward, and its alignment against a naive second implementation."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import reward_policies as policies
import reward_shapes as shapes
from proverl import reward
from proverl.errors import InfrastructureError, UsageError
from proverl.records import (
    Call,
    Change,
    Edge,
    Kind,
    Origin,
    Outcome,
    Score,
    Step,
    Task,
    Tool,
    Trace,
    TraceTurn,
    Turn,
    dump,
    load,
)
from proverl.reward import Weights, explain, score, success
from proverl.reward.alignment import NODES, Alignment
from proverl.reward.assignment import assign
from proverl.reward.plan import Seen, plan_of
from proverl.reward.robust import judge
from proverl.reward.terms import Budget
from proverl.reward.values import Shown, agree, same
from reward_oracle import At, Oracle, ground_truth, random_call, random_task, random_trace

SEEDS = st.integers(0, 2**32).map(random.Random)
CELLS = [(policy, shape) for policy in policies.POLICIES for shape in shapes.SHAPES]
TINY = 1e-9


# The alignment


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
        part = replace(task, turns=task.turns[:reached])
        todo = [step.index for step in part.steps if step.index not in known]
        oracle = Oracle(part, replace(trace, turns=trace.turns[:reached]), known)
        coverage, agreement = oracle.best(reached - 1, todo)
        found = [after[index] for index in todo]
        assert math.isclose(sum(where.m * where.o for where in found), coverage, abs_tol=TINY)
        assert math.isclose(sum(where.agreement for where in found), agreement, abs_tol=TINY)


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_the_alignment_is_as_good_as_trying_all(rng: random.Random) -> None:
    compare_with_oracle(rng, 4, 5)


@pytest.mark.soak
@given(SEEDS)
@settings(max_examples=5_000, deadline=None)
def test_the_alignment_is_as_good_as_trying_all_in_many_larger_cases(rng: random.Random) -> None:
    compare_with_oracle(rng, 5, 7)


@given(
    st.integers(1, 4).flatmap(
        lambda rows: st.lists(st.lists(st.integers(-9, 9), min_size=5, max_size=5), min_size=rows, max_size=rows)
    )
)
@settings(max_examples=100, deadline=None)
def test_the_assignment_is_as_good_as_trying_all(table: list[list[int]]) -> None:
    from itertools import permutations

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
    calls = [
        Call("write_c", {"x": f"{rng.randrange(15)}", "y": rng.choice("12")}, Outcome(Kind.OK, {}), at)
        for at in range(46)
    ]
    plan = plan_of(task)
    window = [Seen(at, (0, at), at, call) for at, call in enumerate(calls)]
    alignment = Alignment(plan, frozenset(range(15)), plan.views.values(), window, (), {})
    placed = alignment.solve()
    assert alignment._nodes <= NODES + 50
    assert sum(where.m * where.o for where in placed.values()) > 5


# Laws


@given(SEEDS)
@settings(max_examples=150, deadline=None)
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
        assert tuple(terms) == reward.TERMS
        for name, value in terms.items():
            assert math.isfinite(value)
            assert value <= TINY if name == "efficiency" else -TINY <= value <= 1 + TINY
    for turn in found.turns:
        assert all(0 <= match.m <= 1 and match.o in (0, 1) and 0 <= match.agreement <= 1 for match in turn.matches)
        assert all(bool(match.by) != bool(match.reason) for match in turn.matches)


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_the_ground_truth_gets_all_there_is(rng: random.Random) -> None:
    task = random_task(rng, 8)
    trace = ground_truth(task)
    assert score(task, trace).total == pytest.approx(1, abs=TINY)
    assert score(task, trace, "paper").total == pytest.approx(1.3, abs=TINY)
    assert success(task, trace)


@given(SEEDS)
@settings(max_examples=100, deadline=None)
def test_right_calls_in_any_order_that_keeps_the_dependencies_get_all_there_is(rng: random.Random) -> None:
    task = random_task(rng, 6)
    right = ground_truth(task)
    turns = []
    for turn, done in zip(task.turns, right.turns, strict=True):
        left, ordered = list(zip(turn.steps, done.calls, strict=True)), []
        while left:
            waiting = {step.index for step, _ in left}
            free = [pair for pair in left if not any(edge.step in waiting for edge in pair[0].edges)]
            pair = rng.choice(free)
            left.remove(pair)
            ordered.append(replace(pair[1], assistant_turn=turn.steps[0].index + len(ordered)))
        turns.append(replace(done, calls=tuple(ordered)))
    assert score(task, replace(right, turns=tuple(turns))).total == pytest.approx(1, abs=TINY)


@given(SEEDS)
@settings(max_examples=100, deadline=None)
def test_without_dependencies_the_order_of_calls_does_not_matter(rng: random.Random) -> None:
    task = random_task(rng)
    bare = [
        replace(turn, steps=tuple(replace(step, edges=(), origins={}) for step in turn.steps)) for turn in task.turns
    ]
    task = replace(task, turns=tuple(bare))
    trace = random_trace(rng, task, 2)  # all within the first 2B
    mixed = tuple(replace(turn, calls=tuple(rng.sample(turn.calls, len(turn.calls)))) for turn in trace.turns)
    assert score(task, replace(trace, turns=mixed)).total == pytest.approx(score(task, trace).total, abs=TINY)


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_an_excess_call_never_raises_the_score(rng: random.Random) -> None:
    task = random_task(rng)
    trace = random_trace(rng, task, 8)
    turn = rng.randrange(len(trace.turns))
    done = trace.turns[turn]
    excess = Call("noise", {}, Outcome(Kind.OK, {"rows": []}), done.calls[-1].assistant_turn if done.calls else 0)
    more = replace(done, calls=(*done.calls, excess))
    after = replace(trace, turns=(*trace.turns[:turn], more, *trace.turns[turn + 1 :]))
    assert score(task, after).total <= score(task, trace).total + TINY


@given(SEEDS)
@settings(max_examples=100, deadline=None)
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
TASKS = st.builds(
    Task, st.just("any"), st.just("any"), st.just(1), st.just(TOOLS), st.lists(TURNS, max_size=3).map(tuple)
)
DONE = st.builds(
    TraceTurn,
    st.lists(CALLS, max_size=5).map(tuple),
    st.text(max_size=5) | st.just("How much?"),
    st.lists(CHANGES, max_size=3).map(tuple),
)
TRACES = st.builds(Trace, st.just("any"), st.lists(DONE, max_size=4).map(tuple))


def renumbered(task: Task) -> Task:
    """The task with its steps counted from 0, as a task's steps are."""
    numbers = iter(range(100))
    turns = [
        replace(turn, steps=tuple(replace(step, index=next(numbers)) for step in turn.steps)) for turn in task.turns
    ]
    return replace(task, turns=tuple(turns))


@given(TASKS.map(renumbered), TRACES)
@settings(max_examples=150, deadline=None)
def test_every_trace_has_a_score_and_an_explanation(task: Task, trace: Trace) -> None:
    console = Console(file=StringIO(), width=100)
    for profile in ("robust", "paper"):
        found = score(task, trace, profile)
        check(found)
        explain(task, trace, found, console)
    success(task, trace)


# Settings


@pytest.mark.parametrize("term", ["validity", "coverage", "efficiency", "name", "argument", "goal"])
def test_a_term_without_weight_does_not_count_and_the_ground_truth_still_scores_1(term: str) -> None:
    weights = replace(Weights(), **{term: 0.0})
    task, trace = policies.act("ground truth", "mixed")
    assert score(task, trace, weights=weights).total == pytest.approx(1)
    paper = 1.3 - (0 if term in ("goal", "efficiency") else getattr(Weights(), term))
    assert score(task, trace, "paper", weights).total == pytest.approx(paper)
    task, trace = policies.act("spam", "mixed")
    kept = {
        name: getattr(weights, name) * value for name, value in score(task, trace).terms.items() if name != "abstention"
    }
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


# Validity


def one_call(call: Call, tool: Tool | None = None) -> float:
    """The validity, in `paper`, of a trace of this call on a task of one step."""
    tool = tool or shapes.TOOLS[call.name]
    step = Step(0, tool.name, {}, Outcome(Kind.OK, {}), tool.effect)
    task = Task("one", "bank", 1, (tool,), (Turn("Go.", steps=(step,)),))
    return score(task, Trace("one", (TraceTurn((call,)),)), "paper").terms["validity"]


def typed(kind: str, **more: object) -> Tool:
    found = shapes.tool("t", "read", {"v": kind})
    return replace(found, input_schema={**found.input_schema, **more})


@pytest.mark.parametrize(
    ("kind", "value", "level"),
    [
        ("integer", 5, 3),
        ("integer", 5.0, 3),
        ("integer", 5.5, 1),
        ("integer", "5", 1),
        ("integer", True, 1),
        ("number", 5, 3),
        ("number", False, 1),
        ("boolean", 1, 1),
        ("string", 5, 1),
        ("string", None, 1),
    ],
)
def test_types_are_judged_by_json_schema(kind: str, value: object, level: int) -> None:
    assert one_call(shapes.ok("t", {}, v=value), typed(kind)) == pytest.approx(level / 3)


def test_unknown_keys_fail_only_where_the_schema_says_so() -> None:
    call = shapes.ok("t", {}, v="a", w=1)
    assert one_call(call, typed("string")) == pytest.approx(1 / 3)
    assert one_call(call, typed("string", additionalProperties=True)) == 1


def test_an_enumeration_that_is_not_shown_cannot_make_arguments_bad() -> None:
    call = Call("t", {"v": "blue"}, Outcome(Kind.BAD_ARGUMENTS, code="schema"))
    assert one_call(call, typed("string")) == pytest.approx(2 / 3)
    shown = {"properties": {"v": {"type": "string", "enum": ["red"]}}}
    assert one_call(call, typed("string", **shown)) == pytest.approx(1 / 3)


def test_text_that_says_error_does_not_make_a_call_fail() -> None:
    assert one_call(shapes.ok("t", {"error": "not found"}, v="a"), typed("string")) == 1
    assert one_call(Call("t", {"v": "a"}, Outcome(Kind.EMPTY, {"count": 0})), typed("string")) == 1


def test_a_tool_of_a_later_turn_is_not_known_before() -> None:
    task, trace = policies.act("calls the hidden tool", "missing")
    hidden = replace(trace.turns[0].calls[0], outcome=Outcome(Kind.OK, {}))
    after = replace(trace, turns=(replace(trace.turns[0], calls=(hidden,)), trace.turns[1]))
    assert score(task, after, "paper").terms["validity"] == pytest.approx(2 / 3)


# Values


@pytest.mark.parametrize(
    ("right", "given", "schema", "equal"),
    [
        (5, 5.0, {}, True),
        (0.3, 0.1 + 0.2, {}, True),
        (100, 101, {}, False),
        (1, True, {}, False),
        (True, 1, {}, False),
        (10**400, 10**400 + 1, {}, False),
        (0.5, 10**400, {}, False),
        ("5", 5, {}, False),
        ("2031-05-14T16:00:00-05:00", "2031-05-14T21:00:00Z", {}, True),
        ("2031-05-14T16:00:00-05:00", "2031-05-14T16:00", {}, True),
        ("2031-05-14T16:00:00-05:00", "2031-05-14T16:00:00Z", {}, False),
        ("2031-05-14", "2031-05-15", {}, False),
        ("2031-05-14", "2031-05-14T00:00:00", {}, False),
        ("2031-99-99T16:00:00", "2031-99-99T16:00:01", {}, False),
        ("Ana@Example.com", "ana@example.com", {}, True),
        ("Ana", "ana", {}, False),
        ("/home/ana/work", "/home/ana/./x/../work/", {}, True),
        ("/home/ana", "//home/ana", {}, True),
        ("work", "./work", {}, False),
        ("caf\u00e9  bar", "cafe\u0301 bar ", {}, True),
        (["a", "b"], ["b", "a"], {}, False),
        (["a", "b"], ["b", "a"], {"uniqueItems": True}, True),
        (["a", "a"], ["a", "b"], {"uniqueItems": True}, False),
        ([["b", "a"]], [["a", "b"]], {"items": {"uniqueItems": True}}, True),
        ({"to": ["a", "b"]}, {"to": ["b", "a"]}, {"properties": {"to": {"uniqueItems": True}}}, True),
        ({"a": 1}, {"a": 1, "b": 2}, {}, False),
        (None, None, {}, True),
        (None, False, {}, False),
    ],
)
def test_values_agree_as_their_schema_reads_them(
    right: object, given: object, schema: dict[str, object], equal: bool
) -> None:
    assert agree(right, given, schema) is equal


def test_json_equality_is_strict_about_booleans_and_text() -> None:
    assert same({"a": [1, None]}, {"a": [1.0, None]})
    assert not same(1, True)
    assert not same(0, False)
    assert not same("a@b.co", "A@b.co")
    assert not same([1], [1, 2])


def test_a_result_shows_a_value_as_its_own_or_as_words_of_a_text() -> None:
    shown = Shown({"rows": [{"id": "acc-12", "left": 7.5, "open": True}], "body": "Your code is 482913."})
    assert shown.holds("acc-12")
    assert shown.holds(["acc-12", 7.5])
    assert shown.holds("482913")
    assert not shown.holds("acc-1")
    assert not shown.holds("8291")
    assert not shown.holds(True)
    assert not shown.holds([])


# Steps


def single(step: Step, call: Call, turn: Turn | None = None, rows: tuple[Change, ...] = ()) -> Score:
    task = Task("one", "bank", 1, tuple(shapes.TOOLS.values()), (replace(turn or Turn("Go."), steps=(step,)),))
    return score(task, Trace("one", (TraceTurn((call,), "Done.", rows),)))


def test_free_text_counts_only_where_the_user_dictated_it() -> None:
    right = replace(shapes.transfer(), arguments={**shapes.transfer().arguments, "memo": "for the rent"})
    given = replace(right, arguments={**right.arguments, "memo": "rent"})
    step = shapes.step(0, right)
    assert single(step, given).terms["argument"] == 1
    assert single(replace(step, dictated=("memo",)), given).terms["argument"] == pytest.approx(3 / 4)


def test_a_required_text_that_was_dictated_counts_in_coverage() -> None:
    tool = replace(shapes.tool("say", "write", {"to": "string", "body": "string"}), free=("body",))
    step = Step(
        0, "say", {"to": "a", "body": "hello"}, Outcome(Kind.OK, {}), "write", compared=("to",), dictated=("body",)
    )
    task = Task("one", "bank", 1, (tool,), (Turn("Go.", steps=(step,)),))
    trace = Trace("one", (TraceTurn((shapes.ok("say", {}, to="a", body="bye"),)),))
    assert score(task, trace).terms["coverage"] == pytest.approx(1 / 2)


def test_an_argument_left_out_is_what_the_schema_takes_for_it() -> None:
    tool = shapes.tool("list_rows", "read", {}, {"limit": "integer"})
    tool.input_schema["properties"]["limit"]["default"] = 20
    step = Step(0, "list_rows", {"limit": 20}, Outcome(Kind.OK, {"rows": [1]}), compared=("limit",), terminal=True)
    task = Task("one", "bank", 1, (tool,), (Turn("Go.", steps=(step,)),))
    done = Trace("one", (TraceTurn((shapes.ok("list_rows", {"rows": []}),), "Done."),))
    assert score(task, done).total == 1


def test_a_terminal_read_with_a_filter_more_must_show_the_same() -> None:
    right = shapes.BRANCHES
    step = replace(shapes.step(0, right), terminal=True)
    assert single(step, shapes.BRANCHES_IN).terms["goal"] == 1  # it shows what the ground truth shows
    other = replace(shapes.BRANCHES_IN, outcome=Outcome(Kind.OK, {"count": 0, "branches": []}))
    assert single(step, other).terms["goal"] == 0
    assert single(step, other).terms["coverage"] == 1


def test_an_empty_result_of_wrong_values_is_not_what_the_user_wanted_to_know() -> None:
    step = replace(shapes.step(0, shapes.LOOK_NONE), terminal=True)
    other = replace(shapes.LOOK_NONE, arguments={"owner": "Somebody"})
    assert single(step, shapes.LOOK_NONE).terms["goal"] == 1
    assert single(step, other).terms["goal"] == 0


def test_paths_are_compared_as_the_server_resolved_them() -> None:
    tool = shapes.tool("read_file", "read", {"path": "string"})
    step = Step(
        0, "read_file", {"path": "/home/ana/a.txt"}, Outcome(Kind.OK, {"text": "x"}), compared=("path",), terminal=True
    )
    task = Task("one", "bank", 1, (tool,), (Turn("Go.", steps=(step,)),))

    def scored(path: str, resolved: str) -> float:
        call = Call("read_file", {"path": path}, Outcome(Kind.OK, {"text": "y"}, resolved={"path": resolved}))
        return score(task, Trace("one", (TraceTurn((call,), "Read."),))).total

    assert scored("a.txt", "/home/ana/a.txt") == 1
    assert scored("a.txt", "/tmp/a.txt") < 0.5


def made_twice(first: str, second: str, used: str, other: str) -> Score:
    """Two payees are added, then each is paid; the ground truth made pay-8 and pay-9."""
    adds = [
        shapes.ok("add_payee", {"payee_id": made}, name=name, iban="X")
        for made, name in (("pay-8", "Al"), ("pay-9", "Bo"))
    ]
    pays = [shapes.transfer(payee="pay-8"), shapes.transfer(payee="pay-9", amount=7.0)]
    steps = [shapes.step(index, call) for index, call in enumerate(adds)]
    for index, call in enumerate(pays):
        origin = {"payee_id": Origin(index, "payee_id", made=True)}
        steps.append(shapes.step(2 + index, call, (Edge(index, "value"),), origins=origin))
    task = Task("two", "bank", 1, tuple(shapes.TOOLS.values()), (Turn("Go.", steps=tuple(steps)),))
    calls = [
        shapes.ok("add_payee", {"payee_id": first}, name="Bo", iban="X"),
        shapes.ok("add_payee", {"payee_id": second}, name="Al", iban="X"),
        shapes.transfer(payee=used),
        shapes.transfer(payee=other, amount=7.0),
    ]
    trace = Trace(
        "two", (TraceTurn(tuple(replace(call, assistant_turn=at) for at, call in enumerate(calls)), "Done."),)
    )
    return score(task, trace)


def test_an_id_made_in_the_episode_is_the_one_that_its_own_call_made() -> None:
    # Bo is added first and so becomes pay-8: right is to pay pay-9 for Al, and pay-8 for Bo.
    assert made_twice("pay-8", "pay-9", "pay-9", "pay-8").terms["coverage"] == 1
    swapped = made_twice("pay-8", "pay-9", "pay-8", "pay-9")
    assert swapped.terms["coverage"] == pytest.approx((1 + 1 + 2 / 3 + 2 / 3) / 4)


def test_a_look_up_is_not_served_by_a_read_that_came_after_its_value_was_used() -> None:
    task, trace = policies.act("look-up by another read", "read")
    search, balance = trace.turns[0].calls
    late = (replace(balance, assistant_turn=0), replace(search, assistant_turn=1))
    found = score(task, replace(trace, turns=(replace(trace.turns[0], calls=late),)))
    assert found.terms["coverage"] == pytest.approx(1 / 2)
    assert found.turns[0].matches[0].by == ""


def test_one_read_of_an_earlier_turn_serves_a_later_look_up() -> None:
    task, trace = policies.act("reads, then asks", "clarify")
    second = replace(trace.turns[1], calls=trace.turns[1].calls[1:])
    found = score(task, replace(trace, turns=(trace.turns[0], second)))
    assert found.turns[1].total == 1
    assert found.turns[1].matches[0].turn == 0


def test_calls_after_the_first_2b_are_not_aligned() -> None:
    task, trace = policies.act("ground truth", "read")  # n 2, B 3
    noise = tuple(replace(shapes.BRANCHES, assistant_turn=at) for at in range(5))
    look, balance = trace.turns[0].calls
    for before, right in ((4, 1.0), (5, 0.5)):
        calls = (*noise[:before], replace(look, assistant_turn=8), replace(balance, assistant_turn=9))
        found = score(task, replace(trace, turns=(replace(trace.turns[0], calls=calls),)))
        assert found.terms["coverage"] == right


# Rows


def rows_of(wanted: list[Change], made: list[Change], dictated: tuple[str, ...] = ()) -> float:
    turn = Turn("Go.", changes=tuple(wanted), dictated=dictated)
    return single(shapes.step(0, shapes.ADD), shapes.ADD, turn, tuple(made)).terms["goal"]


def note(text: str | None, op: str = "insert") -> Change:
    return Change("note", op, "" if op == "insert" else "1", (("of", "a"),), (("body", text),))  # type: ignore[arg-type]


def test_rows_are_compared_as_multisets() -> None:
    one, two = shapes.paid(), shapes.left(1.0)
    assert rows_of([one, two], [two, one]) == 1
    assert rows_of([one, one], [one]) == 0.5
    assert rows_of([one], [one, one]) == 0
    assert rows_of([one, two], [one, one]) == 0
    assert rows_of([one], []) == 0


def test_free_columns_must_only_be_filled_unless_dictated() -> None:
    assert rows_of([note("hello")], [note("hi")]) == 1
    assert rows_of([note("hello")], [note(" ")]) == 0
    assert rows_of([note("hello")], [note(None)]) == 0
    assert rows_of([note("hello")], [note("hi")], ("hello",)) == 0
    assert rows_of([note("hello")], [note(" hello")], ("hello",)) == 1
    assert rows_of([note("Dear Bo, hello")], [note("hello there")], ("hello",)) == 1
    assert rows_of([note(None)], [note("more")]) == 1
    assert rows_of([note("", "update")], [note("more", "update")]) == 0
    assert rows_of([Change("note", "update", "1", (("of", "a"),))], [note("more", "update")]) == 0


def test_the_strictest_row_takes_what_only_fits_it() -> None:
    assert rows_of([note("any"), note("hello")], [note("hello"), note("other")], ("hello",)) == 1


# Abstention


def abstained(text: str, kind: str = "missing_argument", calls: tuple[Call, ...] = ()) -> float:
    turn = Turn(
        "Pay.",
        kind,
        missing=("amount", "how much"),
        present=(("payee",), ("account", "from which")),  # type: ignore[arg-type]
    )
    task = Task("one", "bank", 1, tuple(shapes.TOOLS.values()), (turn,))
    return score(task, Trace("one", (TraceTurn(calls, text),))).total


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("What AMOUNT?", 1.0),
        ("How  much is it?", 1.0),
        ("What amount, and to which payee?", 1.0),
        ("What amount, which payee, which account?", 0.5),
        ("Tell me the amount.", 0.5),
        ("Which paramount?", 0.5),
        ("Amounts?", 0.5),
        (" \n", 0.0),
    ],
)
def test_a_question_must_name_the_missing_slot_as_a_word(text: str, right: float) -> None:
    assert abstained(text) == right


@pytest.mark.parametrize("kind", [Kind.OK, Kind.REFUSED, Kind.BAD_ARGUMENTS])
def test_trying_to_write_instead_of_asking_is_worth_nothing(kind: Kind) -> None:
    call = replace(shapes.transfer(), outcome=Outcome(kind, {}))
    assert abstained("What amount?", calls=(call,)) == 0


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I can\u2019t set the amount.", 1.0),
        ("There is no way to change the amount.", 1.0),
        ("I changed the amount.", 0.5),
        ("I cannot do that.", 0.5),
        ("", 0.0),
    ],
)
def test_a_missing_function_is_refused_by_name(text: str, right: float) -> None:
    assert abstained(text, "missing_function") == right


@pytest.mark.parametrize("kind", ["irrelevant", "imported", "steps"])
def test_where_nothing_is_to_be_called_text_alone_is_right(kind: str) -> None:
    assert abstained("Sorry.", kind) == 1
    assert abstained("", kind) == 0
    assert abstained("Sorry.", kind, (shapes.LOOK,)) == 0
    assert abstained("Sorry.", kind, (shapes.UNREADABLE,)) == 0


# Paper


def test_in_paper_a_parallel_group_is_one_step_and_all_of_its_calls_must_be_there() -> None:
    steps = tuple(replace(shapes.step(index, call), group=3) for index, call in enumerate((shapes.LOOK, shapes.PAYEES)))
    last = replace(shapes.step(2, shapes.ADD), group=4)
    task = Task("one", "bank", 1, tuple(shapes.TOOLS.values()), (Turn("Go.", steps=(*steps, last)),))

    def covered(*calls: Call) -> float:
        return score(task, Trace("one", (TraceTurn(calls),)), "paper").terms["coverage"]

    assert covered(shapes.LOOK, shapes.PAYEES, shapes.ADD) == 1
    assert covered(shapes.LOOK, shapes.ADD) == 0.5
    assert covered(shapes.LOOK) == 0


def test_in_paper_the_earliest_call_that_keeps_the_order_is_matched() -> None:
    task, trace = policies.act("ground truth", "read")
    look, balance = trace.turns[0].calls
    found = score(task, Trace("read", (TraceTurn((balance, look, balance)),)), "paper")
    assert [match.call for match in found.turns[0].matches] == [1, 2]
    assert found.terms["coverage"] == 1


# Explanation


@pytest.mark.parametrize(
    ("policy", "shape"), [("reversed", "mixed"), ("spam", "multi-turn"), ("acts instead of asking", "clarify")]
)
def test_an_explanation_fits_one_screen_and_says_what_is_lost(policy: str, shape: str) -> None:
    task, trace = policies.act(policy, shape)
    out = StringIO()
    explain(task, trace, score(task, trace), Console(file=out, width=100))
    lines = out.getvalue().splitlines()
    assert len(lines) <= 40
    assert all(len(line) <= 100 for line in lines)
    assert any(line.startswith("goal") for line in lines)
    if policy == "reversed":
        assert "no call of transfer succeeded: not_found" in out.getvalue()
    if policy == "spam":
        assert "calls 2 to 39" in out.getvalue()


def test_the_points_of_an_explanation_add_up_to_the_score() -> None:
    for policy, shape in (("last value wrong", "multi-turn"), ("reads, then asks", "clarify")):
        task, trace = policies.act(policy, shape)
        found, out = score(task, trace), StringIO()
        explain(task, trace, found, Console(file=out, width=100))
        rows = [line.split() for line in out.getvalue().splitlines() if line.split(" ")[0] in reward.TERMS]
        assert len(rows) == len(reward.TERMS)
        assert sum(float(row[3]) for row in rows) == pytest.approx(found.total, abs=0.005)
        assert 1 + sum(float(row[4]) for row in rows) == pytest.approx(found.total, abs=0.005)


def test_exact_fractions_of_terms_survive_a_file() -> None:
    found = score(*policies.act("last value wrong", "write"))
    assert load(Score, dump(found)) == found
    assert Fraction(found.terms["coverage"]).limit_denominator(100) == Fraction(8, 9)


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
