"""The interface between the loop and whatever produces the assistant's turns.

Covers: the types that pass between the loop, a codec and a `generate`. Does not cover: the codecs (codecs/messages.py,
codecs/tokens.py), the loop (run.py) or its limits (records.py).

A codec begins one `Transcript` per episode. The loop asks it for the next prompt, hands that to `generate`, gives the
answer back to the transcript, which reads a `Reply` from it, and tells the transcript what tools and user said.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

from ..chat import Reply
from ..records import Limits, Message, Tool
from ..world.session import Session

Prompt = TypeVar("Prompt")
Answer = TypeVar("Answer")
PromptOut = TypeVar("PromptOut", covariant=True)
AnswerIn = TypeVar("AnswerIn", contravariant=True)

Generate: TypeAlias = Callable[[Prompt], Awaitable[Answer]]
"""What produces the assistant's next turn: an engine, an endpoint, or a script."""

Opener: TypeAlias = Callable[[str, int], Awaitable[Session]]
"""Opens a session of a server by name, with a seed; whoever calls it closes the session."""


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """What a `generate` of messages gets: the conversation, the tools shown now, and the tokens left (`max_tokens`)."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    room: int


@dataclass(frozen=True, slots=True)
class TokenPrompt:
    """What a `generate` of tokens gets: all ids so far, the most it may add, and the same conversation as messages."""

    ids: tuple[int, ...]
    room: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Sampled:
    """What a `generate` of tokens gives: the ids it sampled, their log probabilities if it knows them.

    `finished` says that the model ended its turn by itself, with or without the ending token among the ids.
    """

    ids: Sequence[int]
    logprobs: Sequence[float] | None = None
    finished: bool = True


@dataclass(frozen=True, slots=True)
class Tokens:
    """The token fields of a trace."""

    prompt_ids: tuple[int, ...] = ()
    response_ids: tuple[int, ...] = ()
    response_mask: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()


class Transcript(Protocol[PromptOut, AnswerIn]):
    """One episode's conversation in the form that a `generate` takes."""

    @property
    def room(self) -> int:
        """The tokens that the policy may still write."""
        ...

    def prompt(self) -> PromptOut:
        """What to generate from next."""
        ...

    def take(self, answer: AnswerIn) -> Reply:
        """Add what was generated, and read it."""
        ...

    def tell(self, messages: Sequence[Message], tools: Sequence[Tool]) -> bool:
        """Add all results of one assistant turn, or a user message; False, and nothing added, if there is no room.

        `tools` are those shown from now on.
        """
        ...

    def tokens(self) -> Tokens:
        """The token fields so far; all empty where there are no tokens."""
        ...


class Codec(Protocol[PromptOut, AnswerIn]):
    """Begins transcripts; one for all episodes of a model."""

    def start(
        self, messages: Sequence[Message], tools: Sequence[Tool], limits: Limits
    ) -> Transcript[PromptOut, AnswerIn]:
        """The transcript of a new episode that begins with these messages and tools."""
        ...
