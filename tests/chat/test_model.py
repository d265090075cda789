"""The scripted double, and a reply as a message."""

import asyncio

import pytest

from proverl.chat import Reply, Scripted, ToolCall, hermes
from proverl.errors import UsageError
from proverl.records import Message
from support.shop import server

GOOD = '{"name": "buy", "arguments": {"n": 1}}'


BUY = ToolCall("buy", {"n": 1})


def block(inside: str) -> str:
    return f"<tool_call>\n{inside}\n</tool_call>"


def test_the_message_of_a_reply_keeps_what_could_not_be_read_in_its_text():
    message = hermes(f"Hm. {block(GOOD)}{block('{')}").message()
    assert message.tool_calls == (("buy", {"n": 1}),)
    assert message.content == "Hm.\n<tool_call>{</tool_call>"


def test_the_scripted_model_gives_its_replies_in_order_and_remembers_what_it_was_asked():
    model = Scripted(["One.", Reply("", (BUY,))])

    async def both() -> list[Reply]:
        return [await model.reply((Message("user", text),), ()) for text in "ab"]

    assert asyncio.run(both()) == [Reply("One."), Reply("", (BUY,))]
    assert [messages[0].content for messages, _ in model.seen] == ["a", "b"]
    with pytest.raises(UsageError, match="2 replies"):
        asyncio.run(model.reply((), ()))


def test_the_scripted_model_can_answer_by_a_function():
    model = Scripted(lambda messages, tools: f"{len(messages)} and {len(tools)}")
    assert asyncio.run(model.reply((Message("user", "a"),), server.tools[:2])) == Reply("1 and 2")
