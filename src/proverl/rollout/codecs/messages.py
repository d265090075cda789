"""The codec for whatever takes messages: endpoints and scripted policies.

Covers: keeping the conversation as messages, and counting the tokens that the model reports. Does not cover: token ids
(tokens.py) or the form of an endpoint's wire (chat/endpoint.py).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from ...chat import Model, Reply
from ...records import Limits, Message, Tool
from ..protocol import ChatPrompt, Tokens


def asking(model: Model) -> Callable[[ChatPrompt], Awaitable[Reply]]:
    """A `generate` that asks a model."""

    async def generate(prompt: ChatPrompt) -> Reply:
        return await model.reply(prompt.messages, prompt.tools)

    return generate


class MessageTranscript:
    """A conversation as messages.

    Only what the model reports as its own tokens counts against the response limit: observations have no length here.
    """

    def __init__(self, messages: Sequence[Message], tools: Sequence[Tool], limits: Limits) -> None:
        self._messages = list(messages)
        self._tools = tuple(tools)
        self.room = limits.response_tokens

    def prompt(self) -> ChatPrompt:
        """The conversation so far."""
        return ChatPrompt(tuple(self._messages), self._tools, self.room)

    def take(self, answer: Reply) -> Reply:
        """Add the model's reply."""
        self._messages.append(answer.message())
        self.room -= answer.tokens
        return answer

    def tell(self, messages: Sequence[Message], tools: Sequence[Tool]) -> bool:
        """Add results or a user message."""
        if self.room <= 0:
            return False
        self._messages.extend(messages)
        self._tools = tuple(tools)
        return True

    def tokens(self) -> Tokens:
        """None."""
        return Tokens()


class MessageCodec:
    """Begins conversations that stay messages."""

    def start(self, messages: Sequence[Message], tools: Sequence[Tool], limits: Limits) -> MessageTranscript:
        """The transcript of a new episode."""
        return MessageTranscript(messages, tools, limits)
