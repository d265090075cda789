"""The codec for engines that take and return token ids: Hermes-style calls in the model's own chat template.

Covers: rendering with the tokenizer's template, masks, where one assistant turn ends, reading calls from sampled ids,
and keeping control tokens out of what tools and users say. Does not cover: loading a tokenizer, which is handed in, or
calls of another style than `<tool_call>{"name": ..., "arguments": ...}</tool_call>`.

Nothing sampled is ever tokenised again: the ids of an episode are the prompt, then what was sampled and what was
inserted, in turn. What is inserted after an assistant turn is what the template writes in a dummy conversation behind
the token that ends such a turn, so all results of one turn are rendered together as the template groups them.

A tool result or a user may hold the text of a control token ("<|im_end|>"). Such text is broken in two before it is
tokenised, so the policy reads the same characters but never the control token.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from ...chat import Reply, hermes
from ...errors import InfrastructureError, UsageError
from ...records import Json, Limits, Message, Tool
from ..protocol import Sampled, TokenPrompt, Tokens

TAGS = (
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
    "<tools>",
    "</tools>",
    "<think>",
    "</think>",
)
ANCHOR = "what the assistant said"
"""The words of the dummy assistant turn behind which the next messages are cut off."""
MARKS = [chr(code) for code in range(0xE000, 0xE100)]
"""Private-use characters; one that occurs nowhere in the text marks where a control token is broken."""


class Tokenizer(Protocol):
    """What the codec needs of a tokenizer: the interface of transformers."""

    @property
    def all_special_tokens(self) -> list[str]:
        """The texts of the special tokens."""
        ...

    def get_added_vocab(self) -> Mapping[str, int]:
        """The tokens that are matched before the text is split, special or not."""
        ...

    def apply_chat_template(self, conversation: list[dict[str, Any]], **options: Any) -> Any:
        """The conversation as text (with tokenize=False)."""
        ...

    def encode(self, text: str, *, add_special_tokens: bool = ...) -> list[int]:
        """The ids of a text; the texts of special tokens become those tokens."""
        ...

    def decode(self, token_ids: list[int], **options: Any) -> str:
        """The text of ids."""
        ...


class TokenCodec:
    """Begins conversations of token ids for one tokenizer; `options` go to its template (enable_thinking, say).

    Raises:
        UsageError: the template ends an assistant's turn without a token of its own
    """

    def __init__(self, tokenizer: Tokenizer, **options: Json) -> None:
        self._tokenizer = tokenizer
        self._options = options
        added = {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}
        controls = sorted({*TAGS, *(text for text in added if len(text) > 1 and not text.isspace())}, key=len)
        self._control = re.compile("(?=(" + "|".join(re.escape(text) for text in reversed(controls)) + "))")
        self.end = self._find_end(added)
        self.end_id = self._ids(self.end)[0]

    def start(self, messages: Sequence[Message], tools: Sequence[Tool], limits: Limits) -> TokenTranscript:
        """The transcript of a new episode."""
        chat = [message.chat() for message in messages]
        functions = [tool.function() for tool in tools]
        mark, (chat, functions) = self._broken((chat, functions))
        text = self._render(chat, functions, generation=True)
        return TokenTranscript(self, messages, self._encode(text, mark), limits)

    def extension(self, messages: Sequence[Message]) -> list[int]:
        """The ids between the end of an assistant's turn and the beginning of its next one."""
        assistant: dict[str, Json] = {"role": "assistant", "content": ANCHOR}
        names = [message.name or "unknown" for message in messages if message.role == "tool"]
        if names:
            assistant["tool_calls"] = [{"type": "function", "function": {"name": n, "arguments": {}}} for n in names]
        mark, chat = self._broken([message.chat() for message in messages])
        text = self._render([{"role": "user", "content": "u"}, assistant, *chat], [], generation=True)
        end = text.find(self.end, text.find(ANCHOR))
        if end < 0:
            raise UsageError("the chat template leaves out what an assistant said; it cannot be used")
        return self._encode(text[end + len(self.end) :], mark)

    def read(self, ids: Sequence[int]) -> Reply:
        """The reply that sampled ids are."""
        kept = list(ids)
        while kept and kept[-1] == self.end_id:
            kept.pop()
        text = self._tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return hermes(text)

    def spell(self, reply: Reply) -> list[int]:
        """The ids of a reply, the ending token included, as a model would write them."""
        written = [
            call.fragment
            if not call.readable
            else json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
            for call in reply.calls
        ]
        mark, (text, written) = self._broken((reply.text, written))
        parts = [text] if text else []
        parts.extend(f"<tool_call>\n{inside}\n</tool_call>" for inside in written)
        return self._encode("\n".join(parts) + self.end, mark)

    # Rendering

    def _render(self, chat: list[dict[str, Json]], tools: list[dict[str, Json]], *, generation: bool) -> str:
        text = self._tokenizer.apply_chat_template(
            chat, tools=tools or None, add_generation_prompt=generation, tokenize=False, **self._options
        )
        assert isinstance(text, str)
        return text

    def _find_end(self, added: Iterable[str]) -> str:
        """The control token behind an assistant's words."""
        text = self._render(
            [{"role": "user", "content": "u"}, {"role": "assistant", "content": ANCHOR}], [], generation=False
        )
        tail = text[text.rindex(ANCHOR) + len(ANCHOR) :]
        found = sorted((tail.index(token), -len(token), token) for token in added if token and token in tail)
        if not found:
            raise UsageError("the chat template ends an assistant's turn without a special token; it cannot be used")
        return found[0][2]

    def _broken(self, data: Any) -> tuple[str, Any]:
        """A mark, and the data with it inside each text of a control token; no mark if there is nothing to break."""
        texts = list(_texts(data))
        if not any(self._control.search(text) for text in texts):
            return "", data
        mark = next(mark for mark in MARKS if not any(mark in text for text in texts))
        return mark, _mapped(data, lambda text: _insert(self._control, text, mark))

    def _encode(self, text: str, mark: str) -> list[int]:
        parts = text.split(mark) if mark else [text]
        return [token for part in parts for token in self._ids(part)]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False))


class TokenTranscript:
    """A conversation as token ids."""

    def __init__(
        self, codec: TokenCodec, messages: Sequence[Message], prompt_ids: Sequence[int], limits: Limits
    ) -> None:
        self._codec = codec
        self._messages = list(messages)
        self._limit = limits.response_tokens
        self._prompt_ids = tuple(prompt_ids)
        self._ids: list[int] = []
        self._mask: list[int] = []
        self._logprobs: list[float] = []

    @property
    def room(self) -> int:
        """The ids that may still be added."""
        return self._limit - len(self._ids)

    def prompt(self) -> TokenPrompt:
        """All ids so far."""
        return TokenPrompt((*self._prompt_ids, *self._ids), self.room, tuple(self._messages))

    def take(self, answer: Sampled) -> Reply:
        """Add what was sampled, as it is; what exceeds the room is cut off.

        Raises:
            InfrastructureError: as many log probabilities as ids were expected
        """
        if answer.logprobs is not None and len(answer.logprobs) != len(answer.ids):
            raise InfrastructureError(f"the engine gave {len(answer.ids)} ids and {len(answer.logprobs)} logprobs")
        fits = len(answer.ids) <= self.room
        ids = list(answer.ids[: self.room])
        self._add(ids, 1, answer.logprobs)
        reply = self._codec.read(ids)
        reply = Reply(reply.text, reply.calls, not (answer.finished and fits), len(ids))
        self._messages.append(reply.message())
        return reply

    def tell(self, messages: Sequence[Message], tools: Sequence[Tool]) -> bool:
        """Add results or a user message, masked; tools that are new are announced by the message itself."""
        ids = self._codec.extension(messages)
        if not self._ids or self._ids[-1] != self._codec.end_id:
            ids = [self._codec.end_id, *ids]  # an engine that stops at the ending token may leave it out
        if len(ids) >= self.room:
            return False
        self._add(ids, 0, None)
        self._messages.extend(messages)
        return True

    def tokens(self) -> Tokens:
        """The token fields so far."""
        return Tokens(self._prompt_ids, tuple(self._ids), tuple(self._mask), tuple(self._logprobs))

    def _add(self, ids: Sequence[int], mask: int, logprobs: Sequence[float] | None) -> None:
        self._ids.extend(ids)
        self._mask.extend([mask] * len(ids))
        self._logprobs.extend([0.0] * len(ids) if logprobs is None else list(logprobs)[: len(ids)])


def _texts(data: Any) -> Iterable[str]:
    """All texts in nested data, keys included."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from _texts(value)
    elif isinstance(data, list | tuple):
        for item in data:
            yield from _texts(item)


def _mapped(data: Any, change: Callable[[str], str]) -> Any:
    """Nested data with each text changed."""
    if isinstance(data, str):
        return change(data)
    if isinstance(data, dict):
        return {change(key): _mapped(value, change) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_mapped(item, change) for item in data]
    return data


def _insert(control: re.Pattern[str], text: str, mark: str) -> str:
    """The text with a mark behind the first character of each place where a control token begins."""
    parts, last = [], 0
    for match in control.finditer(text):
        parts.append(text[last : match.start() + 1])
        last = match.start() + 1
    parts.append(text[last:])
    return mark.join(parts)
