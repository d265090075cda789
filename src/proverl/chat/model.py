"""What a model is asked and what it answers.

Covers: `Model`, the one protocol; `Reply` and `ToolCall`, its answer; `Scripted`, the test double that ships. Does not
cover: any real model (endpoint.py), or where in a text a call stands (text.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..errors import UsageError
from ..records import Json, Message, Tool


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that a model asks for.

    A call that cannot be read stays a call: `fragment` is then what was written and `problem` why it cannot be read;
    `name` is what could still be made out, and the arguments are empty. `fragment` is empty for a readable call.
    """

    name: str
    arguments: dict[str, Json] = field(default_factory=dict)
    fragment: str = ""
    problem: str = ""

    @property
    def readable(self) -> bool:
        """Whether name and arguments could be read."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a model: text without its thinking, and calls in the order in which they were written.

    `truncated` says that the model was cut off before it ended its turn. `tokens` is the length of the answer where the
    model reports it, else 0.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    truncated: bool = False
    tokens: int = 0

    def message(self) -> Message:
        """The reply as a message of the conversation; what could not be read stands in its text, as it was written."""
        fragments = [f"<tool_call>{call.fragment}</tool_call>" for call in self.calls if not call.readable]
        content = "\n".join(part for part in (self.text, *fragments) if part)
        calls = tuple((call.name, call.arguments) for call in self.calls if call.readable)
        return Message("assistant", content, calls)


class Model(Protocol):
    """Anything that answers a conversation."""

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        """The model's next turn.

        Raises:
            InfrastructureError: no answer could be had; the same question may be asked again
        """
        ...


class Scripted:
    """A model that answers from a list, or by a function of what it is asked; it remembers what it was asked.

    Raises:
        UsageError: it is asked more often than the list is long
    """

    def __init__(
        self, replies: Iterable[Reply | str] | Callable[[Sequence[Message], Sequence[Tool]], Reply | str]
    ) -> None:
        self._function = replies if callable(replies) else None
        self._replies = [] if callable(replies) else list(replies)
        self.seen: list[tuple[tuple[Message, ...], tuple[Tool, ...]]] = []

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        """The next scripted reply."""
        self.seen.append((tuple(messages), tuple(tools)))
        if self._function is not None:
            answer = self._function(messages, tools)
        elif len(self.seen) <= len(self._replies):
            answer = self._replies[len(self.seen) - 1]
        else:
            raise UsageError(f"the script holds {len(self._replies)} replies, and reply {len(self.seen)} is asked for")
        return Reply(answer) if isinstance(answer, str) else answer
