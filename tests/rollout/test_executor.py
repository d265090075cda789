"""What a call comes to: which tools can be called, and sessions of other servers."""

import asyncio
from dataclasses import replace

from proverl.chat import Reply, ToolCall
from proverl.records import Kind, Tool
from proverl.rollout import MessageCodec, run
from proverl.world.session import LocalSession
from support.shop import server
from support.shop.episodes import call, episode, kinds, open_both, say, with_distractor
from support.shop.tasks import (
    irrelevant,
    tool_comes_later,
    world,
)


def test_a_tool_that_is_hidden_in_this_turn_is_unknown_though_the_server_has_it():
    task = tool_comes_later()
    bought = ToolCall("buy", task.turns[1].steps[0].arguments)
    trace = episode(task, Reply("", (bought,)), "I cannot.", Reply("", (bought,)), "Bought.")
    assert kinds(trace) == [[Kind.UNKNOWN_TOOL], [Kind.OK]]
    assert trace.digest == task.digest


def test_a_tool_of_another_server_is_called_in_a_session_of_that_server():
    ann, pin, items = world()
    task = with_distractor(irrelevant())
    bought = call("far_buy", customer_id=ann, item_ids=[items[0]["item_id"]], pin=pin)
    trace = episode(task, call("far_list_items"), bought, "No.", opener=open_both)
    assert kinds(trace) == [[Kind.OK, Kind.OK]]
    assert {change.table for change in trace.turns[0].changes} == {
        "far.purchase",
        "far.purchase_line",
        "far.item",
        "far.customer",
    }
    assert trace.digest != task.digest
    only_read = episode(task, call("far_list_items"), "No.", opener=open_both)
    assert only_read.digest == task.digest


def test_a_tool_of_another_server_that_cannot_be_opened_is_refused_if_the_call_is_right():
    task = with_distractor(irrelevant())
    generate = say(Reply("", (ToolCall("far_list_items"), ToolCall("far_list_items", {"limit": "x"}))), "No.")
    session = LocalSession(server, 7)
    trace = asyncio.run(run(task, session, generate, MessageCodec()))
    assert kinds(trace) == [[Kind.REFUSED, Kind.BAD_ARGUMENTS]]
    assert trace.turns[0].calls[0].outcome.code == "not_available"
    assert not trace.masked
    assert trace.digest == task.digest


def test_a_value_outside_an_enumeration_that_was_not_shown_is_refused_and_not_of_bad_arguments():
    def loose(tool: Tool) -> Tool:
        properties = {"limit": {"type": "integer", "description": "rows"}}
        return replace(tool, input_schema={**tool.input_schema, "properties": properties})

    task = irrelevant()
    stripped = replace(task, tools=tuple(loose(t) if t.name == "list_items" else t for t in task.tools))
    assert kinds(episode(task, call("list_items", limit=99), "No.")) == [[Kind.BAD_ARGUMENTS]]
    assert kinds(episode(stripped, call("list_items", limit=99), "No.")) == [[Kind.REFUSED]]
    assert kinds(episode(stripped, call("list_items", limit="x"), "No.")) == [[Kind.BAD_ARGUMENTS]]
