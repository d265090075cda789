"""A model behind an OpenAI-compatible endpoint: a vendor's service, vLLM, llama.cpp, `transformers serve`.

Covers: the form of messages and tools on that wire, time-outs, repeats, and replies whose calls stand in the text. Does
not cover: streaming, images, or endpoints of another form.

A completion changes nothing anywhere, so asking again after a connection error, a time-out, 408, 409, 429 or 5xx is
safe, and the openai package does so with growing pauses. Nothing else is repeated, and never a tool call.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import DeadlineExceeded, InfrastructureError, UsageError
from ..records import Json, Message, Tool
from ..strict_json import Unfit
from .model import Reply, ToolCall
from .text import fenced, hermes, read_object, without_thinking


class Endpoint:
    """A chat model behind `base_url`.

    `api_key` and `base_url` default to OPENAI_API_KEY and OPENAI_BASE_URL, which the openai package reads; a local
    server needs no key. `timeout` is seconds for one attempt, `retries` the further attempts. `options` go into each
    request as they are (temperature, top_p, seed, max_tokens, extra_body).
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 120.0,
        retries: int = 2,
        options: Mapping[str, Json] | None = None,
    ) -> None:
        self.model = model
        self._base_url = base_url
        self._api_key = api_key or ("none" if base_url else None)
        self._timeout = timeout
        self._retries = retries
        self._options = dict(options or {})
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"Endpoint({self.model!r}, base_url={self._base_url!r})"

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        """The model's next turn.

        Raises:
            DeadlineExceeded: no answer in time, repeats included
            InfrastructureError: the endpoint cannot be reached or cannot answer this
            UsageError: the endpoint refuses the key or does not know the model
        """
        request: dict[str, Any] = {"model": self.model, "messages": wire(messages), **self._options}
        if tools:
            request["tools"] = [tool.function() for tool in tools]
        import openai

        try:
            completion = await self._connection().chat.completions.create(**request)
        except openai.APITimeoutError as error:
            raise DeadlineExceeded(f"{self.model}: no answer within {self._timeout} s") from error
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            raise UsageError(f"{self.model} at {self._base_url or 'the default endpoint'}: {error.message}") from error
        except openai.BadRequestError as error:
            if _too_long(error):
                return Reply(truncated=True)
            raise InfrastructureError(f"{self.model}: {error.message}") from error
        except openai.OpenAIError as error:
            raise InfrastructureError(f"{self.model}: {error}") from error
        return self._read(completion, bool(tools))

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None and self._loop is asyncio.get_running_loop():
            await self._client.close()
        self._client = None

    def _connection(self) -> Any:
        """The client of the running event loop; connections of another loop cannot be used in it."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            import openai

            try:
                self._client = openai.AsyncOpenAI(
                    base_url=self._base_url, api_key=self._api_key, timeout=self._timeout, max_retries=self._retries
                )
            except openai.OpenAIError as error:
                raise UsageError(f"no endpoint: {error}; give a base_url, or an API key") from None
            self._loop = loop
        return self._client

    def _read(self, completion: Any, tools: bool) -> Reply:
        if not getattr(completion, "choices", None):
            raise InfrastructureError(f"{self.model}: an answer without choices")
        choice = completion.choices[0]
        content = choice.message.content or ""
        calls = tuple(_structured(call) for call in choice.message.tool_calls or ())
        text = without_thinking(content).strip()
        if tools and not calls:
            written = hermes(content)
            if not written.calls:
                written = fenced(content)
            text, calls = written.text, written.calls
        tokens = completion.usage.completion_tokens if completion.usage else 0
        return Reply(text, calls, choice.finish_reason == "length", tokens)


def _structured(call: Any) -> ToolCall:
    function = getattr(call, "function", None)
    if function is None:
        return ToolCall("", fragment=repr(call), problem="only calls of functions are known")
    text = function.arguments or "{}"  # some servers send nothing for a call without arguments
    try:
        return ToolCall(function.name, read_object(text))
    except Unfit as error:
        return ToolCall(function.name or "", fragment=text, problem=str(error))


def _too_long(error: Any) -> bool:
    """Whether the endpoint refuses because the conversation fills its context: the policy's doing, not a fault."""
    return error.code == "context_length_exceeded" or "maximum context length" in str(error.message).lower()


def wire(messages: Sequence[Message]) -> list[dict[str, Json]]:
    """The messages as an endpoint takes them: a result carries the id of the call that it answers.

    Ids are counted, nine letters and digits, which every server accepts. What answers no readable call (a parse error)
    goes as a user message after the results, since a result without a call is refused.
    """
    found: list[dict[str, Json]] = []
    open_ids: list[str] = []
    later: list[dict[str, Json]] = []
    count = 0
    for message in messages:
        if message.role == "tool":
            if message.name and open_ids:
                found.append({"role": "tool", "tool_call_id": open_ids.pop(0), "content": message.content})
            else:
                later.append({"role": "user", "content": message.content})
            continue
        found.extend(later)
        later.clear()
        entry = message.chat()
        open_ids = []
        for call in entry.get("tool_calls", ()):
            function = call["function"]
            call["id"] = f"call{count:05d}"
            call["function"] = {"name": function["name"], "arguments": _compact(function["arguments"])}
            open_ids.append(call["id"])
            count += 1
        found.append(entry)
    return found + later


def _compact(value: Json) -> str:

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
