"""The numbers of the specification that can be checked without a trained model."""

from __future__ import annotations

import statistics
from fractions import Fraction

import pytest

import claims
from proverl import servers
from proverl.records import Trace, TraceTurn, Turn
from proverl.reward import Weights, score, success
from proverl.reward.terms import Budget
from support import reward_policies as policies
from support import reward_shapes as shapes

CELLS = [(policy, shape) for policy, row in claims.TABLE.items() for shape in row]


def near(value: float, right: Fraction) -> bool:
    return abs(value - float(right)) < 1e-12


@pytest.mark.parametrize(("policy", "shape"), CELLS, ids=[f"{policy} on {shape}" for policy, shape in CELLS])
def test_a_policy_gets_the_score_that_was_computed_by_hand(policy: str, shape: str) -> None:
    row = claims.TABLE[policy][shape]
    task, trace = policies.act(policy, shape)
    robust, paper = score(task, trace), score(task, trace, "paper")
    for turn, right in zip(robust.turns, row.robust, strict=True):
        if isinstance(right, claims.Terms):
            assert {name: turn.terms[name] for name in vars(right)} == pytest.approx(vars(right), abs=1e-12)
        else:
            assert near(turn.terms["abstention"], right)
    assert tuple(int(turn.weight) for turn in robust.turns) == claims.SHAPES[shape]
    assert near(robust.total, row.total(claims.SHAPES[shape]))
    if isinstance(row.paper, claims.Terms):
        rights = {name: value for name, value in vars(row.paper).items() if name != "goal"}
        assert {name: paper.terms[name] for name in rights} == pytest.approx(rights, abs=1e-12)
    assert near(paper.total, row.paper_total)
    assert success(task, trace) is row.success


def test_the_table_is_large_enough_and_every_policy_is_acted() -> None:
    broad = [policy for policy, row in claims.TABLE.items() if len(set(row) - {"irrelevant"}) == 6]
    assert len(broad) >= 16
    assert set(claims.TABLE) == set(policies.POLICIES)
    assert set(claims.SHAPES) == set(shapes.SHAPES)


def test_only_what_is_as_good_as_the_ground_truth_scores_1() -> None:
    whole = {
        policy
        for policy, row in claims.TABLE.items()
        for shape in row
        if score(*policies.act(policy, shape)).total == 1 and policy != "ground truth"
    }
    assert whole == claims.EQUAL_TO_GROUND_TRUTH


def test_without_the_goal_nothing_scores_above_one_half() -> None:
    reached = []
    for policy, shape in CELLS:
        task, trace = policies.act(policy, shape)
        for turn, judged in zip(task.turns, score(task, trace).turns, strict=True):
            if turn.kind == "steps" and judged.terms["goal"] == 0:
                reached.append(judged.total)
    assert max(reached) == float(claims.WITHOUT_GOAL_AT_MOST)


# The worked examples: three calls are the shape "write"


def test_the_worked_examples_come_out_as_the_specification_says() -> None:
    def paper(policy: str, shape: str = "write") -> float:
        return score(*policies.act(policy, shape), "paper").total

    task, right = policies.act("ground truth", "write")
    calls = right.turns[0].calls
    spam = Trace(task.id, (TraceTurn(calls + calls[:1] * 17),))
    single = shapes.shape(
        "single", [Turn("Add Bob.", steps=(shapes.step(0, shapes.ADD),))], [(shapes.ADD,)], ["Added."]
    )
    found = (
        paper("ground truth"),
        paper("first call"),
        paper("wrong values, refused"),
        paper("wrong values"),
        score(task, spam, "paper").total,
        score(single.task, Trace("single", (TraceTurn((shapes.ADD,) * 100),)), "paper").total,
    )
    assert [f"{value:.3f}" for value in found] == list(claims.WORKED_ROUNDED)
    assert all(near(value, right) for value, right in zip(found, claims.WORKED.values(), strict=True))


def test_one_outlier_hides_the_difference_between_good_and_fair() -> None:
    good, fair = (
        float(claims.WORKED["3 calls, all right"]),
        float(claims.WORKED["3 calls, one easy read and then silence"]),
    )
    group = [good] * 8 + [fair] * 7 + [float(claims.WORKED["1 call, then 99 valid repeats"])]
    assert f"{(good - fair) / statistics.pstdev(group):.2f}" == claims.GAP_IN_DEVIATIONS


# Settings and counts


def test_the_weights_are_those_of_the_specification() -> None:
    weights = Weights()
    assert {name: getattr(weights, name) for name in claims.WEIGHTS} == pytest.approx(claims.WEIGHTS)
    assert near(weights.goal, claims.GOAL_WEIGHT)
    assert near(weights.normaliser, claims.ROBUST_NORMALISER)
    assert Budget() == Budget(float(claims.ALPHA), float(claims.BETA))


@pytest.mark.parametrize("steps", range(1, 31))
def test_the_budget_is_n_and_half_of_it_rounded_up(steps: int) -> None:
    assert Budget().calls(steps) == claims.budget(steps)


def test_the_counts_of_servers_and_tools_add_up() -> None:
    assert len(claims.TOOLS_PER_SERVER) == claims.SERVERS
    assert sum(claims.TOOLS_PER_SERVER.values()) == claims.TOOLS


@pytest.mark.parametrize("name", servers.names())
def test_a_server_has_as_many_tools_as_the_specification_says(name: str) -> None:
    assert len(servers.load(name).tools) == claims.TOOLS_PER_SERVER[name]
