"""Reading tool calls out of what a model wrote.

Covers: strict JSON for arguments; Hermes-style `<tool_call>{json}</tool_call>` blocks; ```json fences that hold a call;
taking the thinking away. Does not cover: judging a readable call (the session does), or the chat template that the
model was prompted with (rollout/codecs/tokens.py).

A call that cannot be read is still a call, or the reward could not see it: each reader returns it as an `ToolCall` with
its fragment. Reading is strict where two readers could differ (duplicate keys, NaN, lone surrogates), because a lenient
reader here and a strict one where the model is served would reward what does not work.
"""

from __future__ import annotations

import re

from ..records import Json
from ..strict_json import Unfit, decode_at
from .model import Reply, ToolCall

OPEN, CLOSE = "<tool_call>", "</tool_call>"
FENCE = re.compile(r"```[ \t]*(?:json|tool_call|tool_code)?[ \t]*\r?\n(.*?)\n?[ \t]*```", re.DOTALL)


def read_object(text: str) -> dict[str, Json]:
    """The one JSON object that the text is.

    Raises:
        Unfit: it is not, or two readers could read it differently (strict_json.py), or anything follows the object
    """
    start = len(text) - len(text.lstrip())
    value, end = decode_at(text, start)
    if text[end:].strip():
        raise Unfit(f"text after the object at character {end}")
    if not isinstance(value, dict):
        raise Unfit(f"an object was expected, not {_kind(value)}")
    return value


def _kind(value: Json) -> str:
    names: dict[type, str] = {list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null" if value is None else "an object")


def read_call(value: Json, fragment: str) -> ToolCall:
    """The call that a JSON value of the form {"name", "arguments"} asks for."""
    if not isinstance(value, dict):
        return ToolCall("", fragment=fragment, problem=f"a call must be an object, not {_kind(value)}")
    name, arguments = value.get("name"), value.get("arguments")
    if not isinstance(name, str) or not name:
        return ToolCall("", fragment=fragment, problem='a call needs a "name"')
    if not isinstance(arguments, dict):
        what = _kind(arguments) if "arguments" in value else "missing"
        return ToolCall(name, fragment=fragment, problem=f'"arguments" must be an object, not {what}')
    return ToolCall(name, arguments)


def without_thinking(text: str) -> str:
    """The text without its <think> part; all of it is thinking if the part is never closed.

    A closing tag without an opening one ends thinking that began in the prompt, as some templates make it.
    """
    kept = []
    opened = text.find("<think>")
    closed = text.find("</think>")
    if closed >= 0 and not 0 <= opened < closed:
        text = text[closed + len("</think>") :]
    while (opened := text.find("<think>")) >= 0:
        kept.append(text[:opened])
        closed = text.find("</think>", opened)
        text = "" if closed < 0 else text[closed + len("</think>") :]
    return "".join([*kept, text])


def hermes(text: str) -> Reply:
    """The reply that a text with <tool_call> blocks is; calls inside thinking do not count."""
    body = without_thinking(text)
    calls, prose, place = [], [], 0
    while (opened := body.find(OPEN, place)) >= 0:
        prose.append(body[place:opened])
        call, place = _block(body, opened + len(OPEN))
        calls.append(call)
    prose.append(body[place:])
    return Reply("".join(prose).strip(), tuple(calls))


def _block(body: str, start: int) -> tuple[ToolCall, int]:
    """The call of the block whose inside begins at `start`, and where the block ends.

    A closing tag inside a JSON string does not end the block. The last block may lack its closing tag, since engines
    that stop at it leave it out.
    """
    try:
        begin = start + len(body[start:]) - len(body[start:].lstrip())
        value, end = decode_at(body, begin)
        rest = body[end:].lstrip()
        after = len(body) - len(rest)
        if rest.startswith(CLOSE):
            return read_call(value, body[start:end].strip()), after + len(CLOSE)
        if not rest or rest.startswith(OPEN):
            return read_call(value, body[start:end].strip()), after
        raise Unfit(f"text after the call at character {end - begin}")
    except Unfit as error:
        ends = [place for place in (body.find(CLOSE, start), body.find(OPEN, start)) if place >= 0]
        end = min(ends, default=len(body))
        after = end + len(CLOSE) if body.startswith(CLOSE, end) else end
        return ToolCall("", fragment=body[start:end].strip() or "(empty)", problem=str(error)), after


def fenced(text: str) -> Reply:
    """The reply that a text with ```json fences is, where a fence holds a call or a list of calls.

    Fences with anything else stay text.
    """
    calls: list[ToolCall] = []

    def lift(match: re.Match[str]) -> str:
        found = _fence(match[1])
        calls.extend(found)
        return "" if found else match[0]

    rest = FENCE.sub(lift, without_thinking(text))
    return Reply(rest.strip(), tuple(calls))


def _fence(inside: str) -> list[ToolCall]:
    fragment = inside.strip()
    if not fragment.startswith(("{", "[")) or '"name"' not in fragment or '"arguments"' not in fragment:
        return []
    try:
        value, end = decode_at(fragment, 0)
        if fragment[end:].strip():
            raise Unfit(f"text after the call at character {end}")
    except Unfit as error:
        return [ToolCall("", fragment=fragment, problem=str(error))]
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, dict) and {"name", "arguments"} <= item.keys() for item in items):
        return []
    return [read_call(item, fragment) for item in items]
