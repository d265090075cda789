"""The nouns that travel, and their JSON."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from proverl.errors import BadFile
from proverl.records import (
    PROFILES,
    TERMS,
    Call,
    Kind,
    Limits,
    Message,
    Outcome,
    Task,
    Tool,
    Trace,
    TraceTurn,
    Turn,
    dump,
    load,
    plain,
)
from support.shop.tasks import TASKS, tool_comes_later


@pytest.mark.parametrize("make", TASKS)
def test_a_task_comes_back_from_its_line(make: Callable[[], Task]) -> None:
    task = make()
    line = dump(task)
    assert "\n" not in line
    assert load(Task, line) == task
    assert json.loads(line) == plain(task)


def test_a_trace_with_every_kind_of_call_comes_back_from_its_line() -> None:
    calls = tuple(Call("t", {"a": [1.0, None, "ü"]}, Outcome(kind, code="c", message="m")) for kind in Kind)
    trace = Trace("one", (TraceTurn(calls, "Done."),), (Message("assistant", "", (("t", {}),)),), masked="why")
    assert load(Trace, dump(trace)) == trace


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "not a Trace: task_id"),
        ("[]", "not a Trace: the record"),
        ("{", "not a Trace"),
        ('{"task_id": 3, "turns": []}', "task_id.*got '3'"),
        ('{"task_id": "a", "turns": [], "stop": "tired"}', "stop.*got 'tired'"),
    ],
)
def test_what_is_no_record_is_named_with_its_first_wrong_field(text: str, words: str) -> None:
    with pytest.raises(BadFile, match=words):
        load(Trace, text)


def test_a_result_is_shown_as_it_is_and_everything_else_as_an_error() -> None:
    shown = {kind: json.loads(Outcome(kind, [1], "code", "why").observation()) for kind in Kind}
    assert shown.pop(Kind.OK) == shown.pop(Kind.EMPTY) == [1]
    assert shown == {kind: {"error": {"kind": kind.value, "code": "code", "message": "why"}} for kind in shown}


def test_a_tool_that_comes_with_a_turn_is_shown_from_there_on() -> None:
    task = tool_comes_later()
    before, after = ({tool.name for tool in task.shown(turn)} for turn in (0, 1))
    assert after - before == {"buy"}
    assert task.steps == task.turns[1].steps


def test_a_tool_in_the_form_of_endpoints_keeps_name_description_and_schema() -> None:
    tool = Tool("t", "Does it.", {"type": "object", "required": ["a"]}, {})
    function = {"name": "t", "description": "Does it.", "parameters": {"type": "object", "required": ["a"]}}
    assert tool.function() == {"type": "function", "function": function}
    assert tool.required == ("a",)


def test_a_message_in_the_form_of_chat_templates_has_only_what_it_holds() -> None:
    assert Message("user", "Go.").chat() == {"role": "user", "content": "Go."}
    assert Message("tool", "{}", name="t").chat() == {"role": "tool", "content": "{}", "name": "t"}
    (sent,) = Message("assistant", "", (("t", {"a": 1}),)).chat()["tool_calls"]
    assert sent == {"type": "function", "function": {"name": "t", "arguments": {"a": 1}}}


def test_the_figures_of_the_specification_stand_here() -> None:
    """Specification 3, 4, 7.1, 7.3 and 7.5."""
    assert PROFILES == ("paper", "robust")
    assert len(TERMS) == 7
    limits = Limits()
    assert (limits.assistant_turns, limits.user_messages, limits.calls_per_turn) == (10, 5, 8)
    assert (limits.prompt_tokens, limits.response_tokens) == (12_384, 16_384)
    assert Turn("Go.").kind == "steps"
