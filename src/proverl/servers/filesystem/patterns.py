"""Patterns that callers write: name patterns with * and ?, and regular expressions.

Covers: their limits, and matching lines in time linear in the text, on RE2 only: a pattern that makes a backtracking
engine run for years costs nothing here. Names are matched by the GLOB of SQLite. Does not cover: where the names and
texts come from.
"""

from __future__ import annotations

import re
from typing import Final

import re2

from proverl.world.domain import refuse

MAX_PATTERN: Final = 200
PLAIN: Final = re.compile(r"[^\\.+*?()|\[\]{}^$\n]*(?![*?{])")
"""Text that stands for itself, without a last character that *, ? or { lets come not at all."""
ESCAPED: Final = re.compile(r"\\.", re.DOTALL)
ENDS: Final = {"\\A": "^", "\\z": "$"}
"""Of a line alone, the ends of the text are those of the line."""
FAR: Final = re.compile(r"\\[CQ]|\(\?(?!:|i[:)]|P?<)")
"""What may mean something else in a text of many lines than in a line alone: bytes, quotes, other flags."""


def find_glob(pattern: str | None) -> str:
    """A name pattern as SQLite's GLOB takes it: * stands for any characters, ? for one, all others for themselves.

    None fits all names. Refuses bad_pattern.
    """
    if pattern is None:
        return "*"
    _check_length("name pattern", pattern)
    if "/" in pattern:
        refuse("bad_pattern", f"{pattern!r} holds a slash, which no name has; give the folder as path")
    # No name holds a NUL, at which GLOB would take the pattern to end; no name holds a slash either.
    return pattern.replace("[", "[[]").replace("\0", "/")


class LinePattern:
    """A regular expression that is looked for in single lines; ^ and $ are the ends of a line.

    `literal` is text that each match holds ("" where none is known), for a query to filter by. Many lines are searched
    as one text, which costs far less, wherever the pattern means the same there; `far` says that it may not.
    """

    def __init__(self, pattern: str, *, ignore_case: bool) -> None:
        """Refuses bad_pattern: too long, or no regular expression of RE2."""
        _check_length("pattern", pattern)
        self.far = FAR.search(pattern) is not None
        options = re2.Options()
        options.never_nl = True  # so that a match in a whole text stays in one line
        options.case_sensitive = not ignore_case
        options.log_errors = False
        try:
            self._line = re2.compile(pattern, options)  # what is wrong is told of the pattern as it was written
            ends = ESCAPED.sub(lambda found: ENDS.get(found[0], found[0]), pattern)
            self._text = re2.compile(f"(?m){ends}", options)
        except re2.error as error:
            reason = str(error.args[0], "utf-8", "replace")
            refuse("bad_pattern", f"{pattern!r} is no regular expression: {reason}")
        self.literal = "" if ignore_case else _literal(pattern)
        self._plain = self.literal.encode() if self.literal == pattern else b""

    def lines(self, text: bytes, most: int) -> list[tuple[int, int]]:
        """Begin and end of the first `most` lines of a text in which the pattern matches."""
        found: list[tuple[int, int]] = []
        position = 0
        while len(found) < most:
            start = position if self.far else self._next(text, position)
            if not 0 <= start < len(text):
                break
            begin = text.rfind(b"\n", 0, start) + 1
            end = text.find(b"\n", start)
            end = len(text) if end < 0 else end
            if self._line.search(text[begin:end]) is not None:
                found.append((begin, end))
            position = end + 1
        return found

    def _next(self, text: bytes, position: int) -> int:
        if self._plain:
            return text.find(self._plain, position)
        match = self._text.search(text, position)
        return -1 if match is None else int(match.start())


def _literal(pattern: str) -> str:
    """The plain text with which a pattern begins, if all that it matches begins so."""
    if "|" in pattern:
        return ""
    found = PLAIN.match(pattern)
    return found[0] if found else ""


def _check_length(what: str, pattern: str) -> None:
    if not 1 <= len(pattern) <= MAX_PATTERN:
        refuse("bad_pattern", f"the {what} has {len(pattern)} characters; 1 to {MAX_PATTERN} are allowed")
