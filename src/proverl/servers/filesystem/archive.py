"""Archives: virtual files that hold other files, in a container of our own.

Covers: packing and unpacking with limits. Does not cover: the tree that members come from and go to
(tools/archives.py).

The container is JSON text: `{"archive": "tar", "entries": [...]}`. An entry has a name (relative, with slashes), a
type, and for files a form and data. A zip stores each different line once, in `lines`, and an entry's data lists the
numbers of its lines, so a small zip can hold much: what comes out is counted while it is unpacked, and more than the
limits is refused as damaged, as is every name that would leave the folder it is unpacked into.
"""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

MAX_ENTRIES: Final = 1_000
MAX_BYTES: Final = 1 << 20
CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")

Format = Literal["tar", "zip"]


class Damaged(ValueError):
    """The container cannot be unpacked; the message says why."""


class Member(NamedTuple):
    """One entry of an archive. `text` is the stored content of a file or the target of a link, `size` its bytes."""

    name: str
    kind: str
    size: int = 0
    form: str = ""
    text: str = ""


class Archive(NamedTuple):
    """What is in an archive."""

    format: Format
    members: tuple[Member, ...]

    @property
    def size(self) -> int:
        """The bytes of all files in it."""
        return sum(member.size for member in self.members)


def pack(form: Format, members: Iterable[Member]) -> str:
    """The text of a container."""
    lines: dict[str, int] = {}
    entries: list[dict[str, Any]] = []
    for member in members:
        entry: dict[str, Any] = {"name": member.name, "type": member.kind}
        if member.kind == "link":
            entry["target"] = member.text
        elif member.kind == "file":
            entry["form"] = member.form
            if form == "tar":
                entry["data"] = member.text
            else:
                entry["data"] = [lines.setdefault(line, len(lines)) for line in _pieces(member.text)]
        entries.append(entry)
    whole: dict[str, Any] = {"archive": form, "entries": entries}
    if form == "zip":
        whole["lines"] = list(lines)
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def _pieces(text: str) -> list[str]:
    """A text cut behind each newline."""
    pieces = [f"{line}\n" for line in text.split("\n")]
    last = pieces.pop()[:-1]
    return [*pieces, last] if last else pieces


def unpack(text: str) -> Archive:
    """What is in a container.

    Raises:
        Damaged: it is cut off or spoilt, holds too much, or a name that would leave the destination
    """
    try:
        whole = json.loads(text)
        form, entries = whole["archive"], whole["entries"]
        if form not in ("tar", "zip") or not isinstance(entries, list):
            raise Damaged("its header is spoilt")
        if len(entries) > MAX_ENTRIES:
            raise Damaged(f"it holds {len(entries)} entries, more than {MAX_ENTRIES}")
        lines = whole["lines"] if form == "zip" else []
        members = _members(form, entries, lines)
    except Damaged:
        raise
    except RecursionError:
        raise Damaged("it is nested too deeply") from None
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        place = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise Damaged(f"it cannot be read{place}") from None
    return Archive(form, members)


def _members(form: str, entries: list[Any], lines: list[str]) -> tuple[Member, ...]:
    sizes = [len(line.encode()) for line in lines]
    left = MAX_BYTES
    kinds: dict[str, str] = {}
    members = []
    for entry in entries:
        name, kind = _checked_name(entry["name"]), entry["type"]
        if kind not in ("file", "folder", "link") or name in kinds:
            raise Damaged(f"the entry {name!r} is spoilt or comes twice")
        kinds[name] = kind
        text = stored = ""
        size = 0
        if kind == "link":
            text = _text(entry["target"])
            size = len(text.encode())
        elif kind == "file":
            stored = entry["form"]
            if form == "zip":
                left = _counted(entry["data"], sizes, left)
                text = "".join(lines[number] for number in entry["data"])
            else:
                text = _text(entry["data"])
                left -= len(text.encode())
            size = _size(stored, text)
        if left < 0:
            raise Damaged(f"it holds more than {MAX_BYTES} bytes")
        members.append(Member(name, kind, size, stored, text))
    _check_folders(kinds)
    return tuple(members)


def _counted(numbers: list[int], sizes: list[int], left: int) -> int:
    """The bytes left after so many lines, counted before any of them is put together."""
    for number in numbers:
        if type(number) is not int or number < 0:
            raise Damaged("a line number is spoilt")
        left -= sizes[number]
        if left < 0:
            raise Damaged(f"it holds more than {MAX_BYTES} bytes")
    return left


def _checked_name(name: Any) -> str:
    parts = _text(name).split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise Damaged(f"the entry {name[:80]!r} would leave the destination")
    if any(len(part) > 255 or CONTROL.search(part) for part in parts) or len(name) > 1024:
        raise Damaged(f"the name {name[:80]!r} is spoilt")
    return str(name)


def _check_folders(kinds: dict[str, str]) -> None:
    """No entry may lie below a file or a link: a link could lead out of the destination."""
    for name in kinds:
        parts = name.split("/")
        for end in range(1, len(parts)):
            above = "/".join(parts[:end])
            if kinds.get(above, "folder") != "folder":
                raise Damaged(f"the entry {name!r} lies below {above!r}, which is no folder")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Damaged("an entry is spoilt")
    return value


def _size(form: str, text: str) -> int:
    if form == "base64":
        try:
            return len(b64decode(text, validate=True))
        except binascii.Error:
            raise Damaged("the data of an entry is spoilt") from None
    if form not in ("text", "archive"):
        raise Damaged("the form of an entry is spoilt")
    return len(text.encode())
