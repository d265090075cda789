"""Patterns that callers write: name patterns with * and ?, and regular expressions.

Covers: their limits, and matching in time linear in the text, on RE2 only: a pattern that makes a backtracking engine
run for years costs nothing here. Does not cover: where the names and texts come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import re2

from ...errors import Refused

MAX_PATTERN: Final = 200
SPECIAL: Final = frozenset("\\.+*?()|[]{}^$\n")


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern for a whole name.

    `head` and `tail` are its plain text before the first and behind the last wildcard, for a query to filter by; a
    name of at least `least` characters that has both may still not fit, which `fits` decides unless `settled`.
    """

    head: str
    tail: str
    least: int
    settled: bool
    exact: bool
    regex: Any

    def fits(self, name: str) -> bool:
        """Whether a whole name fits."""
        return self.regex.fullmatch(name) is not None


def glob(pattern: str) -> Glob:
    """A name pattern; * stands for any characters, ? for one, all others for themselves.

    Raises:
        Refused: bad_pattern
    """
    if not 1 <= len(pattern) <= MAX_PATTERN:
        raise Refused("bad_pattern", f"the name pattern has {len(pattern)} characters; 1 to {MAX_PATTERN} are allowed")
    if "/" in pattern:
        raise Refused("bad_pattern", f"{pattern!r} holds a slash, which no name has; give the folder as path")
    wild = [place for place, character in enumerate(pattern) if character in "*?"]
    head = pattern[: wild[0]] if wild else pattern
    tail = pattern[wild[-1] + 1 :] if wild else ""
    parts = {"*": "(?s:.*)", "?": "(?s:.)"}
    regex = _compile("".join(parts.get(character) or re2.escape(character) for character in pattern), re2.Options())
    settled = not wild or (len(wild) == 1 and pattern[wild[0]] == "*")
    return Glob(head, tail, len(head) + len(tail), settled, not wild, regex)


class LinePattern:
    """A regular expression that is looked for in single lines; ^ and $ are the ends of a line.

    `whole` says that it also speaks of the ends of a file, so that files must be searched one by one. `literal` is
    text that each match holds ("" where none is known), for a query to filter by; `plain` says that it is all of it.
    """

    def __init__(self, pattern: str, *, ignore_case: bool) -> None:
        """Refuses with bad_pattern what is too long or no regular expression of RE2."""
        if not 1 <= len(pattern) <= MAX_PATTERN:
            raise Refused("bad_pattern", f"the pattern has {len(pattern)} characters; 1 to {MAX_PATTERN} are allowed")
        options = re2.Options()
        options.never_nl = True  # so that a match in a whole text stays in one line
        options.case_sensitive = not ignore_case
        self._regex = _compile(f"(?m){pattern}", options)
        self.literal = "" if ignore_case else _literal(pattern)
        self.plain = self.literal == pattern
        self.whole = any(sign in pattern for sign in ("\\A", "\\z", "(?"))

    def lines(self, text: bytes, most: int) -> list[tuple[int, int]]:
        """Begin and end of the first `most` lines of a text in which the pattern matches."""
        found: list[tuple[int, int]] = []
        literal = self.literal.encode() if self.plain else b""
        position = 0
        while position < len(text) and len(found) < most:
            start = text.find(literal, position) if literal else self._search(text, position)
            if start < 0 or start == len(text):
                break
            begin = text.rfind(b"\n", 0, start) + 1
            end = text.find(b"\n", start)
            end = len(text) if end < 0 else end
            found.append((begin, end))
            position = end + 1
        return found

    def _search(self, text: bytes, position: int) -> int:
        match = self._regex.search(text, position)
        return -1 if match is None else int(match.start())


def _literal(pattern: str) -> str:
    """The plain text with which a pattern begins, if all that it matches begins so."""
    if "|" in pattern or "(?" in pattern:
        return ""
    end = next((place for place, character in enumerate(pattern) if character in SPECIAL), len(pattern))
    return pattern[: max(0, end - 1)] if pattern[end : end + 1] in ("*", "?", "{") else pattern[:end]


def _compile(pattern: str, options: Any) -> Any:
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        raise Refused("bad_pattern", f"{pattern!r} is no regular expression: {reason}") from None
