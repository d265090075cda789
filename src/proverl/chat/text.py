"""Reading tool calls out of what a model wrote.

Covers: strict JSON for arguments; Hermes-style `<tool_call>{json}</tool_call>` blocks; ```json fences that hold a call;
taking the thinking away. Does not cover: judging a readable call (the session does), or the chat template that the
model was prompted with (rollout/tokens.py).

A call that cannot be read is still a call, or the reward could not see it: each reader returns it as an `Asked` with
its fragment. Reading is strict where two readers could differ (duplicate keys, NaN, lone surrogates), because a lenient
reader here and a strict one where the model is served would reward what does not work.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from ..records import Json
from .model import Asked, Reply

OPEN, CLOSE = "<tool_call>", "</tool_call>"
MAX_DEPTH = 64
FENCE = re.compile(r"```[ \t]*(?:json|tool_call|tool_code)?[ \t]*\r?\n(.*?)\n?[ \t]*```", re.DOTALL)


class Unreadable(ValueError):
    """The text is not the JSON that was expected; the message says why."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise Unreadable(f"the key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice in one object")
    return found


def _constant(text: str) -> Any:
    raise Unreadable(f"{text} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Unreadable(f"the number {text[:20]} is too large")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant, parse_float=_finite)


def _decode(text: str, start: int = 0) -> tuple[Json, int]:
    """The JSON value that begins at `start`, and where it ends."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise Unreadable(f"{error.msg} at character {error.pos - start}") from None
    except RecursionError:
        raise Unreadable(f"nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as error:  # an integer of more digits than Python converts
        raise Unreadable(str(error)) from None
    _sound(value, MAX_DEPTH)
    return value, end


def _sound(value: Json, levels: int) -> None:
    """Refuse what could not be written down again: lone surrogates and bottomless nesting."""
    if isinstance(value, str):
        if not value.isascii() and any(0xD800 <= ord(character) <= 0xDFFF for character in value):
            raise Unreadable("a lone surrogate is not a character")
    elif isinstance(value, dict | list):
        if levels == 0:
            raise Unreadable(f"nested deeper than {MAX_DEPTH} levels")
        for item in (*value.keys(), *value.values()) if isinstance(value, dict) else value:
            _sound(item, levels - 1)


def read_object(text: str) -> dict[str, Json]:
    """The one JSON object that the text is.

    Raises:
        Unreadable: it is not; also for duplicate keys, NaN and Infinity, numbers too large, lone surrogates, and
            anything after the object
    """
    start = len(text) - len(text.lstrip())
    value, end = _decode(text, start)
    if text[end:].strip():
        raise Unreadable(f"text after the object at character {end}")
    if not isinstance(value, dict):
        raise Unreadable(f"an object was expected, not {_kind(value)}")
    return value


def _kind(value: Json) -> str:
    names: dict[type, str] = {list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null" if value is None else "an object")


def asked(value: Json, fragment: str) -> Asked:
    """The call that a JSON value of the form {"name", "arguments"} asks for."""
    if not isinstance(value, dict):
        return Asked("", fragment=fragment, problem=f"a call must be an object, not {_kind(value)}")
    name, arguments = value.get("name"), value.get("arguments")
    if not isinstance(name, str) or not name:
        return Asked("", fragment=fragment, problem='a call needs a "name"')
    if not isinstance(arguments, dict):
        what = _kind(arguments) if "arguments" in value else "missing"
        return Asked(name, fragment=fragment, problem=f'"arguments" must be an object, not {what}')
    return Asked(name, arguments)


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


def _block(body: str, start: int) -> tuple[Asked, int]:
    """The call of the block whose inside begins at `start`, and where the block ends.

    A closing tag inside a JSON string does not end the block. The last block may lack its closing tag, since engines
    that stop at it leave it out.
    """
    try:
        begin = start + len(body[start:]) - len(body[start:].lstrip())
        value, end = _decode(body, begin)
        rest = body[end:].lstrip()
        after = len(body) - len(rest)
        if rest.startswith(CLOSE):
            return asked(value, body[start:end].strip()), after + len(CLOSE)
        if not rest or rest.startswith(OPEN):
            return asked(value, body[start:end].strip()), after
        raise Unreadable(f"text after the call at character {end - begin}")
    except Unreadable as error:
        ends = [place for place in (body.find(CLOSE, start), body.find(OPEN, start)) if place >= 0]
        end = min(ends, default=len(body))
        after = end + len(CLOSE) if body.startswith(CLOSE, end) else end
        return Asked("", fragment=body[start:end].strip() or "(empty)", problem=str(error)), after


def fenced(text: str) -> Reply:
    """The reply that a text with ```json fences is, where a fence holds a call or a list of calls.

    Fences with anything else stay text.
    """
    calls: list[Asked] = []

    def lift(match: re.Match[str]) -> str:
        found = _fence(match[1])
        calls.extend(found)
        return "" if found else match[0]

    rest = FENCE.sub(lift, without_thinking(text))
    return Reply(rest.strip(), tuple(calls))


def _fence(inside: str) -> list[Asked]:
    fragment = inside.strip()
    if not fragment.startswith(("{", "[")) or '"name"' not in fragment or '"arguments"' not in fragment:
        return []
    try:
        value, end = _decode(fragment)
        if fragment[end:].strip():
            raise Unreadable(f"text after the call at character {end}")
    except Unreadable as error:
        return [Asked("", fragment=fragment, problem=str(error))]
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, dict) and {"name", "arguments"} <= item.keys() for item in items):
        return []
    return [asked(item, fragment) for item in items]
