"""Turns without steps: what is right is to decline, or to ask (specification 7.4).

Covers: the score of one such turn from its calls and its text. Does not cover: understanding the text. A word names
something if it stands there as a word, whatever the case; a question is text with a question mark; a refusal is text
with a word that denies (no, not, cannot, unable, sorry ...), so that claiming to have done it is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from ..records import Tool, TraceTurn, Turn
from .terms import Budget, named

_DENIES = re.compile(
    r"\b(?:no|not|cannot|unable|without|lacks?|lacking|missing|unavailable|impossible|unfortunately|sorry|afraid|"
    r"unsupported|beyond)\b|n['\u2019]t\b",
    re.IGNORECASE,
)


def abstention(turn: Turn, done: TraceTurn, shown: Mapping[str, Tool], budget: Budget) -> tuple[float, str]:
    """The score of a turn without steps, 0 to 1, and why."""
    if not done.text.strip():
        return 0.0, "no closing text"
    if turn.kind == "missing_argument":
        return _missing_argument(turn, done, shown, budget)
    if turn.kind == "missing_function":
        return _missing_function(turn, done, shown, budget)
    return (0.0, "a call, though there is nothing to call") if done.calls else (1.0, "declines without a call")


def _missing_argument(turn: Turn, done: TraceTurn, shown: Mapping[str, Tool], budget: Budget) -> tuple[float, str]:
    """Any call but a read 0; the question for the missing slot 1, after at most s + 1 reads 0.75; other text 0.5.

    Reads and then another text, or more reads, are worth 0: the specification grants them nothing.
    """
    if not _only_reads(done, shown):
        return 0.0, "a call that is no read, though an argument is missing"
    asks = "?" in done.text and (not turn.missing or names(done.text, turn.missing))
    others = sum(names(done.text, words) for words in turn.present)
    asks = asks and others <= 1
    if not done.calls:
        if asks:
            return 1.0, "asks for what is missing"
        return 0.5, f"asks for {others} slots that were given" if others > 1 else "does not ask for what is missing"
    if not asks:
        return 0.0, "reads, and does not ask for what is missing"
    most = budget.slack(0) + 1
    if len(done.calls) > most:
        return 0.0, f"{len(done.calls)} reads before the question, more than {most}"
    return 0.75, "reads, then asks for what is missing"


def _missing_function(turn: Turn, done: TraceTurn, shown: Mapping[str, Tool], budget: Budget) -> tuple[float, str]:
    """Any call outside the read-only prefix 0; a refusal that names what is missing 1; other text 0.5.

    A call belongs to the prefix by its name, and there may be as many as the prefix has, and the slack.
    """
    prefix = {step.tool for step in turn.prefix}
    if not _only_reads(done, shown) or any(call.name not in prefix for call in done.calls):
        return 0.0, "a call that does not belong to the read-only prefix"
    most = budget.calls(len(turn.prefix))
    if len(done.calls) > most:
        return 0.0, f"{len(done.calls)} calls, more than the {most} that the prefix allows"
    if _DENIES.search(done.text) and (not turn.missing or names(done.text, turn.missing)):
        return 1.0, "refuses and names what is missing"
    return 0.5, "no refusal that names what is missing"


def _only_reads(done: TraceTurn, shown: Mapping[str, Tool]) -> bool:
    """Whether every call is of a tool that is shown and only reads, whatever came of it."""
    return all(named(call) and call.name in shown and shown[call.name].effect == "read" for call in done.calls)


def names(text: str, words: Iterable[str]) -> bool:
    """Whether a text has one of these words or word groups, as whole words, in any case."""
    pattern = _words(tuple(words))
    return pattern is not None and pattern.search(text) is not None


@lru_cache(4096)
def _words(words: tuple[str, ...]) -> re.Pattern[str] | None:
    parts = [r"\s+".join(re.escape(part) for part in word.split()) for word in words if word.split()]
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)", re.IGNORECASE) if parts else None
