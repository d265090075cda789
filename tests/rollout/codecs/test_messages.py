"""The codec of messages: a conversation as it is, and the tokens that the model reports."""

from __future__ import annotations

from proverl.chat import Reply, ToolCall
from proverl.records import Limits, Message
from proverl.rollout import MessageCodec, Tokens
from support.shop.episodes import call, episode
from support.shop.tasks import TOOLS, irrelevant

ASKED = [Message("system", "You work in a shop."), Message("user", "Go.")]


def test_a_prompt_holds_all_that_was_said_and_the_tools_shown_last() -> None:
    transcript = MessageCodec().start(ASKED, TOOLS[:1], Limits())
    reply = Reply("So be it.", (ToolCall("list_items"),))
    assert transcript.take(reply) == reply
    result = Message("tool", "{}", name="list_items")
    assert transcript.tell([result], TOOLS)
    prompt = transcript.prompt()
    assert prompt.messages == (*ASKED, reply.message(), result)
    assert prompt.tools == TOOLS
    assert transcript.tokens() == Tokens()


def test_tokens_that_the_model_reports_use_up_the_room_and_nothing_is_added_without_room() -> None:
    transcript = MessageCodec().start(ASKED, TOOLS, Limits(response_tokens=10))
    transcript.take(Reply("a", tokens=4))
    assert transcript.prompt().room == 6
    assert transcript.tell([Message("user", "And?")], TOOLS)
    transcript.take(Reply("b", tokens=6))
    before = transcript.prompt()
    assert not transcript.tell([Message("user", "And?")], TOOLS)
    assert transcript.prompt() == before


def test_an_episode_ends_at_its_length_when_the_room_is_used_up() -> None:
    long = Reply("", call("list_items", limit=1).calls, tokens=50)
    trace = episode(irrelevant(), long, long, response_tokens=100)
    assert trace.stop == "length"
    assert not trace.masked
    assert len(trace.turns[0].calls) == 2
