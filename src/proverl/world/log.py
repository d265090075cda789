"""The calls of a session with their outcomes, kept as bytes.

Covers: `CallLog`. Does not cover: building a session anew from one (wire/remote.py).

Whoever holds an argument or a result may change it, and forks share what was logged before them; bytes stay as they
are. They also take a tenth of the memory.
"""

from __future__ import annotations

import marshal
import reprlib
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from ..records import Json, Kind, Outcome

Logged: TypeAlias = tuple[str, dict[str, Json], Outcome]
"""A tool's name, the arguments and what came of the call; all new objects each time they are read."""


class CallLog:
    """All calls of one session in their order."""

    def __init__(self, entries: Iterable[bytes] = ()) -> None:
        self._entries = list(entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Logged]:
        return map(_read, self._entries)

    def add(self, name: str, arguments: dict[str, Json], outcome: Outcome) -> None:
        """Log a call as it is now."""
        whole = (outcome.kind.value, outcome.value, outcome.code, outcome.message, outcome.resolved)
        try:
            entry = marshal.dumps((name, arguments, whole))
        except ValueError:  # no call at all: arguments that are no JSON and may hold themselves
            entry = marshal.dumps((reprlib.repr(name), {"unfit": reprlib.repr(arguments)}, whole))
        self._entries.append(entry)

    def cut(self, length: int) -> None:
        """Forget all but the first calls."""
        del self._entries[length:]

    def copy(self) -> CallLog:
        """The same calls in a log of its own."""
        return CallLog(self._entries)


def _read(entry: bytes) -> Logged:
    name, arguments, (kind, value, code, message, resolved) = marshal.loads(entry)
    return name, arguments, Outcome(Kind(kind), value, code, message, resolved)
