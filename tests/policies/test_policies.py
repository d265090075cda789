"""The scripted policies: right, silent, hasty, wrong, greedy, backwards."""

import asyncio
import json
from dataclasses import replace

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.chat import Reply
from proverl.policies.acting import Acting
from proverl.policies.examples import example, least_call
from proverl.policies.origins import resolved
from proverl.policies.scripted import POLICIES, closing
from proverl.policies.wrong_values import changed
from proverl.records import Kind, Message, Origin, Step, Task, Trace, Turn
from proverl.rollout import Limits, MessageCodec, asking, play
from support.shop.tasks import (
    TASKS,
    TOOLS,
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
            assert jsonschema_rs.is_valid(tools[call.name].input_schema, call.arguments)
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
    assert [asked.name for asked in next(script).calls] == ["buy", "buy"]


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


def test_a_policy_is_silent_once_its_script_is_over():
    policy = Acting(POLICIES["silent"], irrelevant())
    asked = [Message("user", "a")]
    assert [policy.next(asked) for _ in range(3)] == [Reply()] * 3


def test_what_an_episode_made_is_taken_from_its_results_by_place_and_by_pattern():
    origins = {
        "ids[1]": Origin(0, "made[0].id", made=True),
        "code": Origin(1, "messages[0].body", made=True, match="[0-9]{6}"),
        "kept": Origin(0, "made[0].id"),
    }
    step = Step(2, "t", {"ids": ["a", "b"], "code": "000000", "kept": "k"}, None, origins=origins)  # type: ignore[arg-type]
    results = {0: {"made": [{"id": "new"}]}, 1: {"messages": [{"body": "The code is 123456."}]}}
    assert resolved(step, results) == {"ids": ["a", "new"], "code": "123456", "kept": "k"}
    assert step.arguments["ids"] == ["a", "b"]
    refused = {0: {"error": {"kind": "refused"}}, 1: {"messages": []}}
    assert resolved(step, refused) == step.arguments


SCHEMAS = st.sampled_from(
    [
        {"type": "string", "enum": ["a", "b"]},
        {"type": "string", "pattern": "^[0-9]{4}$"},
        {"type": "string", "minLength": 3, "maxLength": 3},
        {"type": "integer", "minimum": 3, "maximum": 4},
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False},
    ]
)
VALUES = {
    "enum": ["a", "b"],
    "pattern": ["0000", "9999"],
    "minLength": ["abc", "---"],
    "minimum": [3, 4],
    "exclusiveMinimum": [0.5, 7],
    "boolean": [True, False],
    "items": [["x"], ["x", "y"]],
    "properties": [{"n": 0}],
}


@given(SCHEMAS, st.data())
def test_a_changed_value_differs_and_still_fits_the_schema(schema, data):
    kind = next(key for key in VALUES if key in schema or schema["type"] == key)
    value = data.draw(st.sampled_from(VALUES[kind]))
    whole = {"type": "object", "properties": {"v": schema}, "required": ["v"], "additionalProperties": False}
    tool = replace(TOOLS[0], input_schema=whole)
    other = changed(tool, {"v": value}, ("v",))
    if value != "---":  # three signs that no rule for other texts fits
        assert json.dumps(other["v"]) != json.dumps(value)
    assert jsonschema_rs.is_valid(whole, other)


@given(SCHEMAS.filter(lambda schema: "pattern" not in schema))
def test_an_example_fits_its_schema(schema):
    assert jsonschema_rs.is_valid(schema, example(schema))


def test_a_date_is_changed_to_another_day():
    whole = {"type": "object", "properties": {"v": {"type": "string"}}}
    tool = replace(TOOLS[0], input_schema=whole)
    assert changed(tool, {"v": "2031-05-31"}, ("v",)) == {"v": "2031-06-01"}
    assert changed(tool, {"v": "2031-05-31T23:00:00-05:00"}, ("v",)) == {"v": "2031-06-01T23:00:00-05:00"}


def test_the_least_call_is_a_read_with_few_arguments():
    asked = least_call(TOOLS)
    tool = next(tool for tool in TOOLS if tool.name == asked.name)
    assert tool.effect == "read"
    assert asked.arguments == {}
