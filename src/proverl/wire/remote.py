"""A session in a server process, with the same questions and answers as one in this process.

Covers: `RemoteSession`, its call log, and bringing it up to date in whatever process serves it now. Does not cover:
processes and connections (wire/manager.py), of which it sees a `Host` that gives it a `Link`.

All state of a session is touched in the manager's event loop only; the methods may be called from any thread and from
any event loop.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import copy
import json
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol, TypeVar

from ..errors import (
    BadSeed,
    DeadlineExceeded,
    InfrastructureError,
    ReplayDivergence,
    ServerDied,
    UnknownSession,
    UsageError,
)
from ..records import Change, Json, Kind, Outcome, Tool, load
from ..strict_json import MAX_LINE
from ..world.log import CallLog, Logged
from ..world.session import UNFIT, unfit_call
from .protocol import SEED, SESSION, Hidden, outcome_from_wire

MOST_DEATHS: Final = 8
"""How often a server may die under one call before that call is given up."""

ENVELOPE: Final = 4096
"""Bytes that a line has besides the arguments, at most."""

Result = TypeVar("Result")


class LinkLost(Exception):
    """The process of this link is gone; the message says what it left behind."""


class LinkTimeout(Exception):
    """No answer came in time."""


class LinkRefused(Exception):
    """The server answered with a protocol error."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Link(Protocol):
    """A connection to one server process; it is never used again once that process is gone."""

    async def ask(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        """The answer to a request; raises LinkLost, LinkTimeout or LinkRefused."""
        ...

    def kill(self) -> None:
        """End the process at once."""
        ...


class Host(Protocol):
    """A server that is kept running."""

    @property
    def name(self) -> str:
        """The name of the server."""
        ...

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Its tools."""
        ...

    async def link(self) -> Link:
        """A link to a living process, started if there is none."""
        ...

    def turn(self, *, alone: bool) -> AbstractAsyncContextManager[None]:
        """Leave to send a request; `alone` waits for nobody and makes all others wait."""
        ...

    def run(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Do something in the manager's event loop."""
        ...


class RemoteSession:
    """A session in a server process; made by `MCPManager.open`."""

    def __init__(self, host: Host, seed: int) -> None:
        self._host = host
        self._id = secrets.token_hex(16)
        self._seed = seed
        self._log = CallLog()
        self._lock = asyncio.Lock()
        self._at: Link | None = None
        self._broken: ReplayDivergence | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"RemoteSession({self.server!r}, seed={self._seed}, calls={len(self._log)})"

    @property
    def server(self) -> str:
        """The name of the server."""
        return self._host.name

    @property
    def seed(self) -> int:
        """The seed of the world."""
        return self._seed

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The server's tools."""
        return self._host.tools

    @property
    def log(self) -> tuple[Logged, ...]:
        """All calls so far with their outcomes."""
        return tuple(self._log)

    def call(self, name: str, arguments: dict[str, Json]) -> Outcome:
        """Call a tool; the outcome is a value for whatever the caller did.

        Raises:
            ReplayDivergence: the server died, and came to other results when the session was rebuilt
            UnknownSession: the session is closed
        """
        return self._host.run(self._call(name, arguments)).result()

    async def acall(self, name: str, arguments: dict[str, Json]) -> Outcome:
        """Call a tool without blocking the event loop; a call that was begun is finished even if this is cancelled."""
        return await asyncio.shield(asyncio.wrap_future(self._host.run(self._call(name, arguments))))

    def reset(self) -> None:
        """Go back to exactly the initial state, with an empty log."""
        self._host.run(self._reset()).result()

    def fork(self) -> RemoteSession:
        """A session of its own with the same state and log."""
        return self._host.run(self._fork()).result()

    def snapshot(self) -> bytes:
        """The changes since the template, opaque."""
        return base64.b64decode(self._ask(Hidden.SNAPSHOT)["snapshot"])

    def changes(self, since: bytes = b"") -> tuple[Change, ...]:
        """The rows that differ from a snapshot, in comparable form."""
        answer = self._ask(Hidden.CHANGES, since=base64.b64encode(since).decode())
        return tuple(load(Change, json.dumps(change)) for change in answer["changes"])

    def digest(self) -> str:
        """A digest of the whole state."""
        digest: str = self._ask(Hidden.DIGEST)["digest"]
        return digest

    def secrets(self) -> dict[str, str]:
        """What the user knows and no tool shows."""
        known: dict[str, str] = self._ask(Hidden.SECRETS)["secrets"]
        return known

    def close(self) -> None:
        """End the session; asking it anything afterwards raises UnknownSession."""
        self._host.run(self._close()).result()

    def _ask(self, method: Hidden, **params: Json) -> dict[str, Json]:
        return self._host.run(self._locked(lambda link: link.ask(method, self._named(**params)))).result()

    # In the manager's event loop

    async def begin(self) -> RemoteSession:
        """Open the session in the server; called once, by the manager."""
        await self._locked(_nothing)
        return self

    async def _call(self, name: str, arguments: dict[str, Json]) -> Outcome:
        async with self._lock:
            self._check()
            outcome = unfit_call(name, arguments, [tool.name for tool in self.tools]) or _too_long(arguments)
            if outcome is None:
                arguments = copy.deepcopy(arguments)
                outcome = await self._execute(name, arguments)
            self._log.add(name, arguments, outcome)
            return outcome

    async def _execute(self, name: str, arguments: dict[str, Json]) -> Outcome:
        try:
            return await self._exchange(lambda link: self._send(link, name, arguments))
        except DeadlineExceeded as error:
            return Outcome(Kind.INFRASTRUCTURE, code="deadline_exceeded", message=str(error))
        except ServerDied as error:
            return Outcome(Kind.INFRASTRUCTURE, code="server_died", message=str(error))

    async def _reset(self) -> None:
        async with self._lock:
            self._check()
            self._log.cut(0)
            await self._exchange(lambda link: link.ask(Hidden.RESET, self._named()))

    async def _fork(self) -> RemoteSession:
        async with self._lock:
            self._check()
            twin = RemoteSession(self._host, self._seed)
            await self._exchange(lambda link: self._fork_at(link, twin))
            return twin

    async def _fork_at(self, link: Link, twin: RemoteSession) -> None:
        await link.ask(Hidden.FORK, self._named(**{"as": twin._id}))
        twin._log = self._log.copy()
        twin._at = link

    async def _close(self) -> None:
        async with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._at is not None:
                with contextlib.suppress(LinkLost, LinkTimeout, LinkRefused):  # it is gone with its process
                    await self._at.ask(Hidden.CLOSE, self._named())

    async def _locked(self, question: Callable[[Link], Awaitable[Result]]) -> Result:
        async with self._lock:
            self._check()
            return await self._exchange(question)

    def _check(self) -> None:
        if self._closed:
            raise UnknownSession(f"the session of {self.server} with seed {self._seed} is closed; open a new one")
        if self._broken is not None:
            raise self._broken

    def _named(self, **params: Json) -> dict[str, Json]:
        return {**params, "_meta": {SESSION: self._id}}

    async def _exchange(self, question: Callable[[Link], Awaitable[Result]]) -> Result:
        """Ask a living server in which this session is up to date, however many servers that takes.

        Raises:
            ServerDied, DeadlineExceeded: it was given up
            ReplayDivergence: the session could not be rebuilt
        """
        deaths = timeouts = 0
        while True:
            try:
                async with self._host.turn(alone=timeouts > 0 or deaths > 1):
                    link = await self._host.link()
                    try:
                        await self._bring_up(link)
                        return await question(link)
                    except LinkTimeout:
                        link.kill()
                        raise
            except LinkLost as error:
                deaths += 1
                if deaths == MOST_DEATHS:
                    raise ServerDied(f"{self.server} died {deaths} times under one call: {error}") from None
            except LinkTimeout as error:
                timeouts += 1
                if timeouts == 2:
                    raise DeadlineExceeded(f"{self.server} gave no answer twice: {error}") from None
            except LinkRefused as error:
                raise _as_error(error) from None

    async def _bring_up(self, link: Link) -> None:
        """Open the session behind this link and replay its log, if that has not been done."""
        if self._at is link:
            return
        await link.ask(Hidden.OPEN, {"_meta": {SESSION: self._id, SEED: self._seed}})
        for position, (name, arguments, outcome) in enumerate(self._log):
            if outcome.kind in (Kind.INFRASTRUCTURE, Kind.UNKNOWN_TOOL) or outcome.code == UNFIT:
                continue  # never reached a server, or changed nothing there
            found = await self._send(link, name, arguments)
            if found != outcome:
                self._broken = ReplayDivergence(
                    f"{self.server} with seed {self._seed}: call {position} of the log, {name}, gave "
                    f"{found.observation()[:300]} on replay, and {outcome.observation()[:300]} before"
                )
                raise self._broken
        self._at = link

    async def _send(self, link: Link, name: str, arguments: dict[str, Json]) -> Outcome:
        answer = await link.ask("tools/call", self._named(name=name, arguments=arguments))
        return outcome_from_wire(answer)


async def _nothing(link: Link) -> None:
    return None


def _too_long(arguments: dict[str, Json]) -> Outcome | None:
    """The outcome of arguments that no line can hold."""
    size = len(json.dumps(arguments, ensure_ascii=False).encode())
    if size <= MAX_LINE - ENVELOPE:
        return None
    message = f"the arguments have {size} bytes, more than {MAX_LINE - ENVELOPE}"
    return Outcome(Kind.BAD_ARGUMENTS, code=UNFIT, message=message)


def _as_error(refused: LinkRefused) -> Exception:
    kinds: dict[str, type[Exception]] = {"bad_seed": BadSeed, "bad_snapshot": UsageError}
    return kinds.get(refused.reason, InfrastructureError)(str(refused))
