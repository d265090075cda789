"""What the filesystem's tools say of a content, worked out without its tree.

Covers: bytes, archives, lines, cuts at bytes and lines, unified diffs, matching lines, patterns of names and moments.
Does not cover: paths, permissions and refusals that hang on them (filesystem.py).
"""

from __future__ import annotations

import base64
import difflib
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import re2

from proverl.laws.oracles import Refusal
from proverl.records import Json

PRINTED_BYTES = 16 * 1024
PRINTED_LINES = 400
MATCHES = 100
COUNTED_MATCHES = 1000
PATTERN_CHARACTERS = 200


def bytes_of(form: str, content: str | None) -> bytes:
    """The content of a file as bytes."""
    return base64.b64decode(content or "") if form == "base64" else (content or "").encode()


def unpacked(content: str) -> tuple[Json, list[Json]]:
    """Format and entries of an archive. A zip holds each line once, and its texts as numbers of lines."""
    try:
        box = json.loads(content)
    except ValueError as error:
        raise Refusal("archive_damaged") from error
    entries: list[Json] = []
    for packed in box["entries"]:
        data = packed.get("target" if packed["type"] == "link" else "data", "")
        text = "".join(box["lines"][number] for number in data) if isinstance(data, list) else data
        size = len(bytes_of(packed.get("form", ""), text))
        entries.append({"name": packed["name"], "type": packed["type"], "size": size})
    return box["archive"], entries


def lines_of(text: str) -> list[str]:
    """The lines with their newlines; only a newline ends a line."""
    pieces = text.split("\n")
    last = pieces.pop()
    return [piece + "\n" for piece in pieces] + ([last] if last else [])


def first_bytes(text: str, limit: int = PRINTED_BYTES) -> str:
    """As much of the beginning as fits, in whole characters."""
    return text.encode()[:limit].decode(errors="ignore")


def last_bytes(text: str, limit: int = PRINTED_BYTES) -> str:
    """As much of the end as fits, in whole characters."""
    return text.encode()[-limit:].decode(errors="ignore")


def printed(text: str) -> tuple[str, bool]:
    """The beginning of a text up to the limits of printing, and whether that cut it."""
    shown = first_bytes("".join(lines_of(text)[:PRINTED_LINES]))
    return shown, shown != text


def words_in(text: str) -> int:
    return len(text.split())


class AnySoundDiff(dict[str, Json]):
    """The answer of diff_files. Equal to every answer whose diff leads from the old text to the new one.

    Which of several equal lines a diff keeps is left to the tool; the entries here are one such answer, for messages.
    """

    def __init__(self, old: str, new: str, old_path: str, new_path: str) -> None:
        self.old, self.new = lines_of(old), lines_of(new)
        rows = list(difflib.unified_diff(self.old, self.new, old_path, new_path))
        self.head = rows[:2]
        self.least_kept = kept_at_ends(self.old, self.new)
        shown, truncated = printed("".join(row if row.endswith("\n") else row + "\n" for row in rows))
        added, removed = (sum(row.startswith(sign) for row in rows[2:]) for sign in "+-")
        super().__init__(identical=old == new, added=added, removed=removed, diff=shown, truncated=truncated)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, dict) or other.keys() != self.keys():
            return False
        if self["identical"] or other["identical"]:
            return dict.__eq__(self, other)
        rows = lines_of(other["diff"])
        added, removed = other["added"], other["removed"]
        sums_up = added - removed == len(self.new) - len(self.old) and len(self.new) - added >= self.least_kept
        return rows[:2] == self.head and sums_up and self.leads(rows[2:], added, removed, other["truncated"])

    def leads(self, rows: list[str], added: int, removed: int, truncated: bool) -> bool:
        """Whether these rows of the diff, whole or cut, lead from the old text to the new one."""
        printed_bytes = sum(len(row.encode()) for row in self.head + rows)
        if len(self.head + rows) > PRINTED_LINES or printed_bytes > PRINTED_BYTES:
            return False
        edit = Edit(self.old, self.new)
        if not truncated:
            return edit.follows(rows) and edit.done() and (edit.added, edit.removed) == (added, removed)
        if (
            len(self.head + rows) < PRINTED_LINES
        ):  # cut within a row, at most three bytes early to keep characters whole
            return printed_bytes > PRINTED_BYTES - 4 and edit.follows(rows[:-1]) and not edit.done()
        return edit.follows(rows) and not edit.done()

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


def kept_at_ends(old: list[str], new: list[str]) -> int:
    """How many lines both texts have in common at their beginning and end: no diff need touch them."""
    pairs = list(zip(old, new, strict=False))
    begin = next((place for place, (one, other) in enumerate(pairs) if one != other), len(pairs))
    ends = list(zip(old[begin:][::-1], new[begin:][::-1], strict=False))
    return begin + next((place for place, (one, other) in enumerate(ends) if one != other), len(ends))


class Edit:
    """Goes through two texts along a unified diff."""

    HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")

    def __init__(self, old: list[str], new: list[str]) -> None:
        self.old, self.new = old, new
        self.at = self.to = self.added = self.removed = 0
        self.due = [0, 0]

    def follows(self, rows: list[str]) -> bool:
        return all(self.opens(row) if self.due == [0, 0] else self.takes(row) for row in rows if row[0] != "\\")

    def opens(self, row: str) -> bool:
        """A hunk follows; the lines before it are left as they are."""
        hunk = self.HUNK.fullmatch(row)
        if hunk is None:
            return False
        self.due = [int(hunk[2] or 1), int(hunk[4] or 1)]
        at, to = (int(hunk[place]) - (due > 0) for place, due in zip((1, 3), self.due, strict=True))
        same = at >= self.at and self.old[self.at : at] == self.new[self.to : to]
        self.at, self.to = at, to
        return same

    def takes(self, row: str) -> bool:
        """One line is kept, removed or added."""
        sign, text = row[0], row[1:].removesuffix("\n")
        fits = sign in " -+"
        if sign in " -":
            fits &= self.at < len(self.old) and self.old[self.at].removesuffix("\n") == text
        if sign in " +":
            fits &= self.to < len(self.new) and self.new[self.to].removesuffix("\n") == text
        if sign == " " and fits:
            fits = self.old[self.at] == self.new[self.to]
        if sign in " -":
            self.at, self.due[0], self.removed = self.at + 1, self.due[0] - 1, self.removed + (sign == "-")
        if sign in " +":
            self.to, self.due[1], self.added = self.to + 1, self.due[1] - 1, self.added + (sign == "+")
        return fits

    def done(self) -> bool:
        return self.due == [0, 0] and self.old[self.at :] == self.new[self.to :]


@dataclass(frozen=True)
class Search:
    """Judges single lines, so that nothing in an expression can reach over the end of a line."""

    pattern: str
    ignore_case: bool

    def lines(self, text: str) -> list[tuple[int, str]]:
        """Number and text of each line that matches."""
        options = re2.Options()
        options.case_sensitive = not self.ignore_case
        options.log_errors = False
        if not 1 <= len(self.pattern) <= PATTERN_CHARACTERS:
            raise Refusal("bad_pattern")
        try:
            expression = re2.compile(self.pattern, options)
        except re2.error as error:
            raise Refusal("bad_pattern") from error
        plain = [line.removesuffix("\n") for line in lines_of(text)]
        return [(number, line) for number, line in enumerate(plain, 1) if expression.search(line)]


def page_of_matches(found: list[tuple[str, int, str]]) -> dict[str, Json]:
    """The answer of grep_files for all that match, in their order."""
    shown: list[Json] = []
    taken = 0
    for path, number, line in found[:MATCHES]:
        taken += len(line.encode())
        if taken > PRINTED_BYTES:
            break
        shown.append({"path": path, "line": number, "text": line})
    return {"count": min(len(found), COUNTED_MATCHES), "truncated": len(shown) < len(found), "matches": shown}


def fits_name(pattern: str, name: str) -> bool:
    """Whether the whole name fits; * stands for any number of characters and ? for one."""
    signs = {"*": ".*", "?": "."}
    return re.fullmatch("".join(signs.get(sign, re.escape(sign)) for sign in pattern), name, re.DOTALL) is not None


def check_name_pattern(pattern: str) -> None:
    if not 1 <= len(pattern) <= PATTERN_CHARACTERS or "/" in pattern:
        raise Refusal("bad_pattern")


def moment_of(text: str, offset: timedelta) -> datetime:
    """A moment from ISO 8601; one without an offset is local."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone(offset))).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Refusal("invalid_argument") from error
