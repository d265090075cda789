"""One isolated world per episode: call, reset, fork, changes, digest, log.

Covers: `Session`, what every stage may ask of a world, wherever it lives; `LocalSession`, a world in this process.
Does not cover: sessions in a server process (world/manager.py), which answer the same questions.

`call` never raises for what a policy does: each of the seven kinds of outcome is a value. A call is one transaction,
so a refused or failed call leaves the state as it was.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import jsonschema_rs

from ..errors import Refused, nearest
from ..records import Change, Json, Kind, Outcome, Tool
from .gate import Unfit, check
from .server import Server, ToolFunction
from .state import Store
from .world import World

log = logging.getLogger(__name__)


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
    def log(self) -> tuple[tuple[str, dict[str, Json], Outcome], ...]:
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

    def __init__(self, server: Server, seed: int, *, _store: Store | None = None) -> None:
        self._server = server
        self._seed = seed
        self._store = _store or Store(server.template(seed))
        self._log: list[tuple[str, dict[str, Json], Outcome]] = []

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
    def log(self) -> tuple[tuple[str, dict[str, Json], Outcome], ...]:
        """All calls so far with their outcomes."""
        return tuple(self._log)

    @property
    def store(self) -> Store:
        """The rows, for laws and tests; a domain sees them through its `World` only."""
        return self._store

    def call(self, name: str, arguments: dict[str, Json]) -> Outcome:
        """Call a tool; the outcome is a value for whatever the caller did, and the state is whole after it."""
        with self._store.lock:
            outcome = self._judge(name, arguments)
            self._log.append((name, arguments, outcome))
            return outcome

    async def acall(self, name: str, arguments: dict[str, Json]) -> Outcome:
        """The same as `call`: a call in process takes microseconds, so it does not leave the event loop."""
        return self.call(name, arguments)

    def reset(self) -> None:
        """Go back to exactly the initial state, with an empty log."""
        with self._store.lock:
            self._store.restore(b"")
            self._log.clear()

    def fork(self) -> LocalSession:
        """A session of its own with the same state and log."""
        with self._store.lock:
            twin = LocalSession(self._server, self._seed, _store=Store(self._store.template, self._store.snapshot()))
            twin._log = list(self._log)
            return twin

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Whatever is called inside is taken back at the end; cheaper than a fork for trying one thing."""
        with self._store.lock:
            logged = len(self._log)
            with self._store.attempt():
                yield
            del self._log[logged:]

    def snapshot(self) -> bytes:
        """The changes since the template, opaque."""
        with self._store.lock:
            return self._store.snapshot()

    def changes(self, since: bytes = b"") -> tuple[Change, ...]:
        """The rows that differ from a snapshot, in comparable form."""
        with self._store.lock:
            return self._store.changes(since)

    def digest(self) -> str:
        """A digest of the whole state."""
        with self._store.lock:
            return self._store.digest()

    def secrets(self) -> dict[str, str]:
        """What the user knows and no tool shows."""
        rows = self._store.template.reader().execute("SELECT name, value FROM world_secret ORDER BY name")
        return {str(name): str(value) for name, value in rows}

    def close(self) -> None:
        """End the session and free its database."""
        with self._store.lock:
            self._store.close()

    # One call

    def _judge(self, name: str, arguments: dict[str, Json]) -> Outcome:
        function = self._server.function(name)
        if function is None:
            tools = (tool.name for tool in self._server.tools)
            return Outcome(Kind.UNKNOWN_TOOL, code="unknown_tool", message=f"no tool {name!r}; {nearest(name, tools)}")
        try:
            if type(arguments) is not dict:
                raise Unfit(f"arguments must be an object, not {type(arguments).__name__}")
            check(arguments)
        except Unfit as error:
            return Outcome(Kind.BAD_ARGUMENTS, code="invalid_json", message=str(error))
        if not function.judge.is_valid(arguments):
            return Outcome(Kind.BAD_ARGUMENTS, code="schema", message=_schema_errors(function, arguments))
        return self._execute(function, arguments)

    def _execute(self, function: ToolFunction, arguments: dict[str, Json]) -> Outcome:
        world = World(self._store, self._server.offset)
        try:
            with self._store.transaction():
                value = function.body(world, **_whole_numbers(function, arguments))
                if function.tool.effect != "read":
                    world.advance(self._server.tick)
        except Refused as refusal:
            return Outcome(Kind.REFUSED, code=refusal.code, message=refusal.message, resolved=world.resolved)
        except Exception as error:
            log.exception("%s.%s failed on %r", self.server, function.tool.name, arguments)
            return Outcome(Kind.INFRASTRUCTURE, code="internal_error", message=f"{type(error).__name__}: {error}")
        return Outcome(Kind.EMPTY if _is_empty(function, value) else Kind.OK, value, resolved=world.resolved)


def _whole_numbers(function: ToolFunction, arguments: dict[str, Json]) -> dict[str, Any]:
    """Arguments with 5.0 made 5 where the schema says integer, for JSON Schema counts both as integers."""
    if not function.integers.intersection(arguments):
        return arguments
    whole = dict(arguments)
    for name in function.integers.intersection(arguments):
        value = whole[name]
        whole[name] = [int(item) for item in value] if isinstance(value, list) else int(value)
    return whole


def _schema_errors(function: ToolFunction, arguments: dict[str, Json]) -> str:
    """All that is wrong with the arguments, each with its place."""
    try:
        errors = list(function.judge.iter_errors(arguments))
    except jsonschema_rs.ValidationError as error:
        errors = [error]
    parts = []
    for error in errors[:5]:
        place = ".".join(str(part) for part in error.instance_path)
        parts.append(f"{place}: {_short(error.message)}" if place else _short(error.message))
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
