"""Lines of JSON-RPC, strictly read.

Covers: splitting bytes into lines with a limit, reading one of them strictly, the id of a line that is no message,
and the error line that answers it. Does not cover: pipes (wire/stdio.py) or what a request means (wire/sessions.py).

Whatever comes in is answered: the id is found even in a line that is no JSON, is nested a thousand deep or was too
long to be kept.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from ..records import Json
from ..strict_json import MAX_LINE, Unfit, decode

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
ENVELOPE_DEPTH: Final = 2
"""Levels around the arguments of a call, which may be as deep themselves as they may be in process."""

KEPT: Final = 1 << 16
"""Bytes kept of the beginning and of the end of a line that is too long, to look for its id."""

TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*)"|([\[{])|([\]}])|([:,])|([^\s"\[\]{}:,]+)', re.DOTALL)
LAST_ID = re.compile(rb'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,16})\s*\}\s*\Z', re.DOTALL)

Id = str | int | None


@dataclass(frozen=True)
class Overlong:
    """What is kept of a line above the limit."""

    size: int
    head: bytes
    tail: bytes


class Splitter:
    """Bytes in, lines out; a line above the limit is counted and thrown away as it comes in."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._held = bytearray()
        self._skipped = 0
        self._tail = b""

    def feed(self, data: bytes) -> list[bytes | Overlong]:
        """The lines that these bytes complete, without their ends; blank lines are left out."""
        found: list[bytes | Overlong] = []
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._take(end)
            found.extend(self.finish())
        self._take(rest)
        return found

    def finish(self) -> list[bytes | Overlong]:
        """What is held as a last line, for the end of the input."""
        if self._skipped:
            line: bytes | Overlong = Overlong(self._skipped, bytes(self._held), self._tail)
        else:
            line = bytes(self._held).strip(b" \t\r")
        self._held.clear()
        self._skipped, self._tail = 0, b""
        return [line] if line else []

    def _take(self, data: bytes) -> None:
        if not self._skipped:
            self._held += data
            if len(self._held) > self._limit:
                self._skipped = len(self._held)
                self._tail = bytes(self._held[-KEPT:])
                del self._held[KEPT:]
        elif data:
            self._skipped += len(data)
            self._tail = (self._tail + data)[-KEPT:]


class Malformed(Exception):
    """A line that is no message; holds the line that answers it."""

    def __init__(self, code: int, message: str, request_id: Id) -> None:
        super().__init__(message)
        self.answer = error_line(code, message, request_id)


def admit(line: bytes | Overlong) -> dict[str, Json]:
    """The message in a line; raises `Malformed` for anything else."""
    if isinstance(line, Overlong):
        message = f"the line has {line.size} bytes, more than {MAX_LINE}"
        raise Malformed(INVALID_REQUEST, message, _id_of_overlong(line))
    try:
        message = decode(line, spare_depth=ENVELOPE_DEPTH)
    except Unfit as error:
        raise Malformed(PARSE_ERROR, str(error), find_id(line)) from None
    if not isinstance(message, dict):
        what = "a batch; send its requests one by one" if isinstance(message, list) else "no object"
        raise Malformed(INVALID_REQUEST, f"the line holds {what}", None)
    request_id = message.get("id")
    known = request_id if _is_id(request_id) else None
    if message.get("jsonrpc") != "2.0":
        raise Malformed(INVALID_REQUEST, 'the message needs "jsonrpc": "2.0"', known)
    if "id" in message and known is None:
        raise Malformed(INVALID_REQUEST, "the id must be a string or an integer", None)
    if "method" in message:
        if not isinstance(message["method"], str):
            raise Malformed(INVALID_REQUEST, "the method must be a string", known)
        if not isinstance(message.get("params", {}), dict):
            raise Malformed(INVALID_REQUEST, "params must be an object", known)
    elif "result" not in message and "error" not in message:
        raise Malformed(INVALID_REQUEST, "the message is no request: it has no method", known)
    return message


def error_line(code: int, message: str, request_id: Id, data: Json = None) -> bytes:
    """A JSON-RPC error as one line."""
    error: dict[str, Json] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode() + b"\n"


def find_id(line: bytes) -> Id:
    """The id of a message that could not be decoded: the only member `id` of the outermost object, None otherwise."""
    depth = 0
    key: bytes | None = None
    last: bytes | None = None
    found: list[bytes] = []
    for token in TOKEN.finditer(line):
        text, opened, closed, mark, word = token.groups()
        if opened:
            depth += 1
            if depth == 1 and opened == b"[":
                return None
            key = None
        elif closed:
            depth -= 1
        elif depth == 1:
            if mark:
                key = last if mark == b":" else None
            elif key == b"id":
                found.append(token[0])
            last = text if word is None and not mark else None
    return _read_id(found[0]) if len(found) == 1 else None


def _id_of_overlong(line: Overlong) -> Id:
    found = find_id(line.head)
    if found is None and (last := LAST_ID.search(line.tail)):
        found = _read_id(last[1])
    return found


def _read_id(text: bytes) -> Id:
    try:
        value = decode(text)
    except Unfit:
        return None
    return value if _is_id(value) else None


def _is_id(value: Json) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
