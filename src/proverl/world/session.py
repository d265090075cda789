"""One isolated world per episode: call, reset, fork, changes, digest, log.

Covers: `Session`, what every stage may ask of a world, wherever it lives; `LocalSession`, a world in this process.
Does not cover: sessions in a server process (wire/manager.py), which answer the same questions.

`call` never raises for what a policy does: each of the seven kinds of outcome is a value. A call is one transaction,
so a refused or failed call leaves the state as it was.
"""

from __future__ import annotations

import logging
import reprlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final, Protocol

from ..errors import Refused, UnknownSession, nearest
from ..records import Change, Json, Kind, Outcome, Tool
from ..strict_json import Unfit, check_arguments
from .log import CallLog, Logged
from .server import Server
from .state import Store
from .tools import ToolFunction
from .world import World

log = logging.getLogger(__name__)

UNFIT: Final = "invalid_json"
"""The code of a call whose arguments are no JSON that may travel."""


class Session(Protocol):
    """A world that one episode has for itself."""

    @property
    def server(self) -> str:
        """The name of the server."""
        ...

    @property
    def seed(self) -> int:
        """The seed of the world."""
        ...

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The server's tools."""
        ...

    @property
    def log(self) -> tuple[Logged, ...]:
        """All calls so far with their outcomes; (server, seed, log) is enough to build the session anew anywhere."""
        ...

    def call(self, name: str, arguments: dict[str, Json]) -> Outcome:
        """Call a tool."""
        ...

    async def acall(self, name: str, arguments: dict[str, Json]) -> Outcome:
        """Call a tool without blocking the event loop."""
        ...

    def reset(self) -> None:
        """Go back to exactly the initial state."""
        ...

    def fork(self) -> Session:
        """A session of its own with the same state and log."""
        ...

    def snapshot(self) -> bytes:
        """The changes since the template, opaque; for `changes(since=...)`."""
        ...

    def changes(self, since: bytes = b"") -> tuple[Change, ...]:
        """The rows that differ from a snapshot (default: from the initial state), in comparable form."""
        ...

    def digest(self) -> str:
        """A digest of the whole state."""
        ...

    def secrets(self) -> dict[str, str]:
        """What the user knows and no tool shows; for the query writer only."""
        ...

    def close(self) -> None:
        """End the session."""
        ...


class LocalSession:
    """A session in this process."""

    def __init__(self, server: Server, seed: int, *, keep_log: bool = True, _store: Store | None = None) -> None:
        self._server = server
        self._seed = seed
        self._store = _store or Store(server.template(seed))
        self._log = CallLog()
        self._keep_log = keep_log
        self._closed = False

    def __repr__(self) -> str:
        return f"LocalSession({self.server!r}, seed={self._seed}, calls={len(self._log)})"

    @property
    def server(self) -> str:
        """The name of the server."""
        return self._server.name

    @property
    def seed(self) -> int:
        """The seed of the world."""
        return self._seed

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The server's tools."""
        return self._server.tools

    @property
    def log(self) -> tuple[Logged, ...]:
        """All calls so far with their outcomes."""
        return tuple(self._log)

    @property
    def definition(self) -> Server:
        """The server itself, for laws and tests."""
        return self._server

    @property
    def store(self) -> Store:
        """The rows, for laws and tests; a domain sees them through its `World` only."""
        return self._store

    def call(self, name: str, arguments: dict[str, Json]) -> Outcome:
        """Call a tool; the outcome is a value for whatever the caller did, and the state is whole after it.

        Raises:
            UnknownSession: the session is closed
        """
        with self._store.lock:
            outcome = self._judge(self._open_store(), name, arguments)
            if self._keep_log:
                self._log.add(name, arguments, outcome)
            return outcome

    async def acall(self, name: str, arguments: dict[str, Json]) -> Outcome:
        """The same as `call`: a call in process takes microseconds, so it does not leave the event loop."""
        return self.call(name, arguments)

    def reset(self) -> None:
        """Go back to exactly the initial state, with an empty log."""
        with self._open() as store:
            store.restore(b"")
            self._log.cut(0)

    def fork(self) -> LocalSession:
        """A session of its own with the same state and log."""
        with self._open() as store:
            twin = LocalSession(self._server, self._seed, keep_log=self._keep_log, _store=store.fork())
            twin._log = self._log.copy()
            return twin

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Whatever is called inside is taken back at the end; cheaper than a fork for trying one thing."""
        with self._open() as store:
            logged = len(self._log)
            try:
                with store.attempt():
                    yield
            finally:
                self._log.cut(logged)

    def snapshot(self) -> bytes:
        """The changes since the template, opaque."""
        with self._open() as store:
            return store.snapshot()

    def changes(self, since: bytes = b"") -> tuple[Change, ...]:
        """The rows that differ from a snapshot, in comparable form."""
        with self._open() as store:
            return store.changes(since)

    def digest(self) -> str:
        """A digest of the whole state."""
        with self._open() as store:
            return store.digest()

    def secrets(self) -> dict[str, str]:
        """What the user knows and no tool shows."""
        with self._open() as store:
            rows = store.connection().execute("SELECT name, value FROM world_secret ORDER BY name").fetchall()
        return {str(name): str(value) for name, value in rows}

    def close(self) -> None:
        """End the session and free its database; asking it anything afterwards raises UnknownSession."""
        with self._store.lock:
            self._closed = True
            self._store.close()

    def _open_store(self) -> Store:
        if self._closed:
            raise UnknownSession(f"the session of {self.server} with seed {self._seed} is closed; open a new one")
        return self._store

    @contextmanager
    def _open(self) -> Iterator[Store]:
        with self._store.lock:
            yield self._open_store()

    # One call

    def _judge(self, store: Store, name: str, arguments: dict[str, Json]) -> Outcome:
        refusal = unfit_call(name, arguments, self._server.tool_names)
        if refusal is not None:
            return refusal
        function = self._server.function(name)
        assert function is not None
        if not function.judge.is_valid(arguments):
            return Outcome(Kind.BAD_ARGUMENTS, code="schema", message=_schema_errors(function, arguments))
        return self._execute(store, function, arguments)

    def _execute(self, store: Store, function: ToolFunction, arguments: dict[str, Json]) -> Outcome:
        world = World(store, self._server.offset)
        writes = function.tool.effect != "read"
        try:
            with store.transaction(writable=writes):
                value = function.result(function.body(world, **function.arguments(arguments)))
                if writes:
                    world.advance(self._server.tick)
        except Refused as refusal:
            return Outcome(Kind.REFUSED, code=refusal.code, message=refusal.message, resolved=world.resolved)
        except Exception as error:
            log.exception("%s.%s failed on %.1000r", self.server, function.tool.name, arguments)
            return Outcome(Kind.INFRASTRUCTURE, code="internal_error", message=f"{type(error).__name__}: {error}")
        return Outcome(Kind.EMPTY if _is_empty(function, value) else Kind.OK, value, resolved=world.resolved)


def unfit_call(name: str, arguments: dict[str, Json], tools: Collection[str]) -> Outcome | None:
    """The outcome of a call that no server needs to see: no tool of that name, or arguments that are not JSON."""
    known = type(name) is str and name in tools
    if not known:
        text = name[:80] if type(name) is str else reprlib.repr(name)
        message = f"no tool {text!r}; {nearest(text, tools)}"
        return Outcome(Kind.UNKNOWN_TOOL, code="unknown_tool", message=message)
    try:
        check_arguments(arguments)
    except Unfit as error:
        return Outcome(Kind.BAD_ARGUMENTS, code=UNFIT, message=str(error))
    return None


def _schema_errors(function: ToolFunction, arguments: dict[str, Json]) -> str:
    """All that is wrong with the arguments, each with its place."""
    parts = []
    for fault in islice(function.judge.iter_errors(arguments), 5):
        place = ".".join(str(part) for part in fault.instance_path)
        parts.append(f"{place}: {_short(fault.message)}" if place else _short(fault.message))
    return "; ".join(parts) + f". See the parameters of {function.tool.name}"


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:120] + " ... " + text[-70:]


def _is_empty(function: ToolFunction, value: Json) -> bool:
    """Whether a read found nothing: it counts 0, or all its lists are empty and it has no count."""
    if function.tool.effect != "read":
        return False
    if "count" in value:
        return bool(value["count"] == 0)
    lists = [item for item in value.values() if isinstance(item, list)]
    return bool(lists) and not any(lists)
