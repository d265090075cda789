"""Refusing: how a tool says no, and how a law listens to all the reasons at once.

Covers: `refuse`, which ends a call with a code and a message. Does not cover: which checks a tool makes.

A call meets the first check that fails and is over. To see whether its other checks stand in the right order, a law
runs the same call inside `noting`: each refusal is written down there and the tool goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NoReturn, cast

from ..errors import Refused

_noted: ContextVar[list[Refused] | None] = ContextVar("noted", default=None)


def note(code: str, message: str) -> None:
    """Refuse, in code of the framework that has something to go on with where a law listens.

    Raises:
        Refused: always, except inside `noting`
    """
    refused = Refused(code, message)
    listening = _noted.get()
    if listening is None:
        raise refused
    listening.append(refused)


refuse: Callable[[str, str], NoReturn] = cast("Callable[[str, str], NoReturn]", note)
"""End the call: `refuse("card_expired", "the Fuel card expired on 2031-04-30; choose a card that is valid")`.

The code is one of those that the tool declares; the message quotes the value and names the next step. Raises `Refused`.
"""


@contextmanager
def noting() -> Iterator[list[Refused]]:
    """Whatever is refused inside is written down, in order, and does not end the call; for laws only."""
    found: list[Refused] = []
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)
