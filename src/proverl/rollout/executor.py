"""What a call of the policy comes to.

Covers: which tools can be called in a turn, sessions of other servers, deadlines, calls that are not executed, and the
state before and after a turn over all sessions. Does not cover: executing a call (world/session.py).

A tool is judged as it is shown in the task. A call of a tool that is not shown in this turn is of an unknown tool,
even if the server has it. Arguments that fit the schema shown but not the server's stricter one (an enumeration was
taken out of what is shown) are refused, not bad.

The candidate set may hold tools of other servers. Calling one opens a session of that server with the task's seed, if
there is a way to open one; else the call is judged by the schema shown and refused. What such calls change counts among
the changes of the turn, its tables under the server's name, and in the digest.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ..errors import InfrastructureError, UnknownServer, UnknownSession, nearest
from ..records import Change, Json, Kind, Outcome, Task, Tool
from ..schemas import fits
from ..world.session import LocalSession, Session
from .protocol import Opener

Result = TypeVar("Result")

log = logging.getLogger(__name__)


class Executor:
    """Executes the calls of one episode; `session` is the caller's and stays open, others are closed by `close`."""

    def __init__(self, task: Task, session: Session, seconds: float, open_session: Opener | None) -> None:
        self._task = task
        self._session = session
        self._seconds = seconds
        self._open = open_session
        self._others: dict[str, Session] = {}
        self._untouched: dict[str, str] = {}

    async def call(self, name: str, arguments: dict[str, Json], shown: dict[str, Tool]) -> Outcome:
        """Execute a call."""
        tool = shown.get(name)
        if tool is None:
            return _unknown(name, shown)
        try:
            async with asyncio.timeout(self._seconds) as clock:
                session = await self._session_of(tool)
                if session is None:
                    return not_executed(name, arguments, shown, "not_available", f"{tool.server} cannot be reached now")
                outcome = await session.acall(name, arguments)
        except TimeoutError as error:
            if not clock.expired():
                return _fault(error)
            return Outcome(Kind.INFRASTRUCTURE, code="deadline", message=f"no result within {self._seconds} s")
        except Exception as error:
            log.exception("the session failed on a call of %s", name)
            return _fault(error)
        if outcome.kind is Kind.BAD_ARGUMENTS and outcome.code == "schema" and fits(tool.input_schema, arguments):
            return Outcome(Kind.REFUSED, code="invalid_argument", message=outcome.message)
        return outcome

    async def _session_of(self, tool: Tool) -> Session | None:
        if tool.server in ("", self._session.server):
            return self._session
        if tool.server not in self._others:
            if self._open is None:
                return None
            try:
                session = await self._open(tool.server, self._task.seed)
            except UnknownServer:
                return None
            self._others[tool.server] = session
            self._untouched[tool.server] = await without_blocking(session, session.digest)
        return self._others[tool.server]

    async def mark(self) -> dict[str, bytes]:
        """The state now, for `changes`."""
        sessions = {"": self._session, **self._others}
        return {name: await without_blocking(session, session.snapshot) for name, session in sessions.items()}

    async def changes(self, since: dict[str, bytes]) -> tuple[Change, ...]:
        """The rows changed since a mark: the task's own server first, then others by name."""
        found = list(await without_blocking(self._session, partial(self._session.changes, since[""])))
        for name, session in sorted(self._others.items()):
            changed = await without_blocking(session, partial(session.changes, since.get(name, b"")))
            found.extend(replace(change, table=f"{name}.{change.table}") for change in changed)
        return tuple(found)

    async def digest(self) -> str:
        """The digest of the task's own server, unless another server has been changed: then one of all of them."""
        own = await without_blocking(self._session, self._session.digest)
        changed = []
        for name, session in sorted(self._others.items()):
            digest = await without_blocking(session, session.digest)
            if digest != self._untouched[name]:
                changed.append(f"{name}={digest}")
        if not changed:
            return own
        return hashlib.blake2b(" ".join([own, *changed]).encode(), digest_size=16).hexdigest()

    async def close(self) -> None:
        """Close the sessions that were opened here."""
        while self._others:
            await end(self._others.popitem()[1])


async def without_blocking(session: Session, work: Callable[[], Result]) -> Result:
    """Do something with a session without holding up other episodes.

    In this process it takes microseconds and is done at once; a session in another process is waited for in a thread.
    """
    return work() if isinstance(session, LocalSession) else await asyncio.to_thread(work)


async def end(session: Session) -> None:
    """Close a session that may be gone already."""
    try:
        await without_blocking(session, session.close)
    except (InfrastructureError, UnknownSession):
        log.warning("a session of %s was gone before it was closed", session.server, exc_info=True)


def not_executed(name: str, arguments: dict[str, Json], shown: dict[str, Tool], code: str, message: str) -> Outcome:
    """What a call comes to that is not passed on: its level by name and arguments, and refused if both are right."""
    tool = shown.get(name)
    if tool is None:
        return _unknown(name, shown)
    if not fits(tool.input_schema, arguments):
        return Outcome(Kind.BAD_ARGUMENTS, code="schema", message=f"not executed: {message}")
    return Outcome(Kind.REFUSED, code=code, message=f"not executed: {message}")


def _unknown(name: str, shown: dict[str, Tool]) -> Outcome:
    return Outcome(
        Kind.UNKNOWN_TOOL, code="unknown_tool", message=f"no tool {name[:80]!r}; {nearest(name[:80], shown)}"
    )


def _fault(error: Exception) -> Outcome:
    code = "server_died" if isinstance(error, InfrastructureError) else "internal_error"
    return Outcome(Kind.INFRASTRUCTURE, code=code, message=f"{type(error).__name__}: {error}")
