"""The strict reader of JSON, the same for what a model writes, in process and on the wire.

Covers: which values may enter a tool call at all, and the decoding of JSON text. Does not cover: the schemas of tools
(world/server.py), the protocol (wire/serve.py), or where in a text a call stands (chat/text.py).

Python's own decoder takes the last of duplicate keys, accepts NaN, lone surrogates and any nesting; each of these has
crashed or silenced a tool server.
"""

from __future__ import annotations

import json
import math
from typing import Any

MAX_LINE = 1 << 20
MAX_DEPTH = 64
MAX_INTEGER = (1 << 53) - 1
SPACE = " \t\r\n"
"""What JSON takes for space."""
MAX_TEXT = 65_536
"""Bytes of one text in the arguments of a call: a domain's own limits (16 KB of a file) are to be met before it."""


class Unfit(ValueError):
    """A value or line that may not pass; the message says what and where."""


def check_arguments(arguments: Any) -> None:
    """Raise `Unfit` unless these may be the arguments of a call: a JSON object with no text beyond 65,536 bytes."""
    if type(arguments) is not dict:
        raise Unfit(f"arguments must be an object, not {type(arguments).__name__}")
    for name, value in arguments.items():
        if type(name) is not str or not (_is_plain(name) and _is_plain(value)):
            check(arguments)
            _check_length(arguments)
            return


def _is_plain(value: Any) -> bool:
    """Whether a value is fit at a glance, as nearly all are: a short ASCII text, a number within bounds, a boolean."""
    kind = type(value)
    if kind is str:
        return len(value) < MAX_TEXT and value.isascii()
    return kind is bool or ((kind is int or kind is float) and -MAX_INTEGER <= value <= MAX_INTEGER)


def _check_length(value: Any) -> None:
    if type(value) is str:
        if len(value) > MAX_TEXT // 4 and len(value.encode()) > MAX_TEXT:
            raise Unfit(f"a text of {len(value)} characters is too long; {MAX_TEXT} bytes is the most")
    elif type(value) is dict or type(value) is list:
        for item in value.values() if type(value) is dict else value:
            _check_length(item)


def check(value: Any, depth: int = 0) -> None:
    """Raise `Unfit` unless `value` is JSON that every JSON reader understands alike.

    Nesting at most 64 below `depth`, numbers within 2**53 (1e300 is an integer to JSON Schema), text without lone
    surrogates, string keys.
    """
    kind = type(value)
    if kind is str:
        if not value.isascii():
            _check_text(value)
    elif kind is int or kind is float:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:  # NaN and the infinities are not either
            raise Unfit(_number_error(value))
    elif kind is dict or kind is list:
        _check_container(value, depth + 1)
    elif value is not None and kind is not bool:
        raise Unfit(f"{kind.__name__} is not a JSON type")


def _number_error(value: float) -> str:
    if type(value) is float and not math.isfinite(value):
        return f"{value} is not a JSON number"
    return "a number lies outside -(2**53 - 1) to 2**53 - 1"


def _check_container(value: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Unfit(f"nested deeper than {MAX_DEPTH} levels")
    if type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise Unfit(f"the key {key!r} is not a string")
            _check_text(key)
            check(item, depth)
    else:
        for item in value:
            check(item, depth)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Unfit(f"a lone surrogate (\\u{ord(text[error.start]):04x}) is not a character") from None


def decode(line: bytes, spare_depth: int = 0) -> Any:
    """Decode one line of UTF-8 JSON; raise `Unfit` for anything that two readers could read differently.

    `spare_depth` levels may be nested around what is at most 64 deep itself.
    """
    if len(line) > MAX_LINE:
        raise Unfit(f"the line has {len(line)} bytes, more than {MAX_LINE}")
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise Unfit(f"not UTF-8: {error.reason} at byte {error.start}") from None
    value, end = decode_at(text, len(text) - len(text.lstrip(SPACE)), spare_depth)
    if text[end:].strip(SPACE):
        raise Unfit(f"not JSON: text after the value at character {end}")
    return value


def decode_at(text: str, start: int, spare_depth: int = 0) -> tuple[Any, int]:
    """The JSON value that begins at `start` of a text, as strictly as `decode`, and where it ends."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except RecursionError:
        raise Unfit(f"nested deeper than {MAX_DEPTH} levels") from None
    except json.JSONDecodeError as error:
        raise Unfit(f"not JSON: {error.msg} at character {error.pos - start}") from None
    check(value, -spare_depth)
    return value, end


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Unfit(f"the key {twice!r} occurs twice in one object")
    return found


def _no_constant(text: str) -> Any:
    raise Unfit(f"{text} is not JSON")


def _integer(text: str) -> int:
    if len(text) > 17:
        raise Unfit(f"the integer {text[:20]}... lies outside -(2**53 - 1) to 2**53 - 1")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Unfit(f"the number {text[:20]} is too large")
    return number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_int=_integer, parse_float=_finite
)
