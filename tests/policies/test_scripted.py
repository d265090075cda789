"""The scripted policies: right, silent, hasty, wrong, greedy, backwards."""

import asyncio

import pytest

from proverl.policies.acting import Acting
from proverl.policies.scripted import POLICIES, closing
from proverl.records import Kind, Limits, Task, Trace, Turn
from proverl.rollout import MessageCodec, asking, play
from proverl.schemas import fits
from support.shop.tasks import (
    TASKS,
    ask_first,
    buy_and_cancel,
    irrelevant,
    open_session,
    tool_comes_later,
    two_at_once,
)


def act(name: str, task: Task) -> Trace:
    return asyncio.run(play(task, open_session, asking(Acting(POLICIES[name], task)), MessageCodec(), Limits()))


def names(trace: Trace) -> list[list[str]]:
    return [[call.name for call in turn.calls] for turn in trace.turns]


def test_the_silent_policy_does_and_says_nothing():
    trace = act("silent", buy_and_cancel())
    assert names(trace) == [[], []]
    assert [turn.text for turn in trace.turns] == ["", ""]


def test_the_hasty_policy_makes_the_first_call_of_the_task_and_is_silent_to_the_end():
    trace = act("first_call", buy_and_cancel())
    assert names(trace) == [["list_customers"], []]
    assert [turn.text for turn in trace.turns] == ["", ""]
    assert names(act("first_call", ask_first())) == [[], ["buy"]]


@pytest.mark.parametrize("make", TASKS)
def test_wrong_values_keep_names_keys_and_types_and_change_every_compared_argument(make):
    task = make()
    trace = act("wrong_values", task)
    right = act("ground_truth", task)
    assert names(trace) == names(right)
    tools = {tool.name: tool for tool in task.tools}
    for turn, made in zip(task.turns, trace.turns, strict=True):
        for step, call in zip(turn.steps, made.calls, strict=True):
            assert call.arguments.keys() == step.arguments.keys()
            assert all(call.arguments[name] != step.arguments[name] for name in step.compared)
            assert fits(tools[call.name].input_schema, call.arguments)
            assert call.outcome.kind is not Kind.BAD_ARGUMENTS


def test_the_greedy_policy_makes_forty_calls_in_a_turn_of_which_the_right_ones_come_first():
    task = buy_and_cancel()
    trace = act("spam", task)
    assert [len(turn.calls) for turn in trace.turns] == [40, 40]
    for turn, made in zip(task.turns, trace.turns, strict=True):
        assert [call.name for call in made.calls[: len(turn.steps)]] == [step.tool for step in turn.steps]
        assert all(call.outcome.succeeded for call in made.calls[: len(turn.steps)])


def test_the_greedy_policy_calls_something_where_there_is_nothing_to_call():
    trace = act("spam", irrelevant())
    assert len(trace.turns[0].calls) == 40
    assert trace.turns[0].calls[0].outcome.succeeded


def test_the_backward_policy_makes_the_calls_of_a_turn_in_reversed_order():
    task = buy_and_cancel()
    assert names(act("backwards", task)) == [["buy", "list_customers"], ["cancel_purchase"]]


def test_parallel_steps_are_asked_for_in_one_reply():
    script = POLICIES["ground_truth"](two_at_once())
    assert [call.name for call in next(script).calls] == ["buy", "buy"]


@pytest.mark.parametrize("make", [ask_first, tool_comes_later, irrelevant])
def test_a_turn_without_steps_gets_text_and_no_call(make):
    trace = act("ground_truth", make())
    assert trace.turns[0].calls == ()
    assert trace.turns[0].text


def test_a_closing_text_is_made_up_where_the_task_holds_none():
    asks = closing(Turn("", kind="missing_argument", missing=("amount",)))
    assert "amount" in asks
    assert asks.endswith("?")
    refuses = closing(Turn("", kind="missing_function", missing=("transfer",)))
    assert "transfer" in refuses
    assert not refuses.endswith("?")
    assert closing(Turn("", kind="imported"))
    assert closing(Turn("", answer="Done. Anything else?")) == "Done. Anything else"
