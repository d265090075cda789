"""Every error that proverl raises, on one page.

    ProverlError
    ├── UsageError            what the caller gave cannot be used; shown without a traceback
    │   ├── UnknownServer     no server of that name
    │   ├── UnknownTool       no tool of that name on the server
    │   ├── UnknownSession    no session of that id (never opened, or closed)
    │   ├── BadSeed           a seed that is not an integer from 0 to 2**53 - 1
    │   ├── BadFile           a file that cannot be read as what it should be
    │   └── MissingExtra      an optional part is not installed; the message holds the command
    ├── DefinitionError       a server breaks the contract of world/server.py, or a schema is none; raised at import
    ├── Refused               a tool says no: a domain error that the caller can act on
    ├── InfrastructureError   the machine's or our own fault; a rollout that meets one is masked, never scored
    │   ├── ServerDied        a server process ended and could not be brought back
    │   ├── DeadlineExceeded  no answer in time
    │   └── ReplayDivergence  replaying a call log gave another result than the log holds
    └── SynthesisError        no conversation can be made from what was asked for

Catch `ProverlError` to catch them all.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ProverlError(Exception):
    """The root of the tree."""


class UsageError(ProverlError):
    """What the caller gave cannot be used; the message quotes it and names the next step."""


class UnknownServer(UsageError):
    """No server of that name."""


class UnknownTool(UsageError):
    """No tool of that name on the server."""


class UnknownSession(UsageError):
    """No session of that id: never opened, or closed."""


class BadSeed(UsageError):
    """A seed that is not an integer from 0 to 2**53 - 1."""


class BadFile(UsageError):
    """A file that cannot be read as what it should be."""


class MissingExtra(UsageError):
    """An optional part of proverl is not installed."""


class DefinitionError(ProverlError):
    """A server breaks the contract of world/server.py, or a JSON Schema is none."""


class Refused(ProverlError):
    """A tool says no, and nothing has changed.

    `code` is one snake_case word group that programs compare; `message` quotes the offending value and names what to
    do next, for it is what the model reads.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class InfrastructureError(ProverlError):
    """The machine's or our own fault: the sample is masked, never scored."""


class ServerDied(InfrastructureError):
    """A server process ended and could not be brought back."""


class DeadlineExceeded(InfrastructureError):
    """No answer came in time."""


class ReplayDivergence(InfrastructureError):
    """Replaying a call log gave another result than the log holds."""


class SynthesisError(ProverlError):
    """No conversation can be made from what was asked for."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error message about a wrong name: the likeliest right one, or all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names) or 'none'}"
