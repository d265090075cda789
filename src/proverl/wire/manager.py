"""`MCPManager`: servers in processes of their own, and sessions in them that survive their death.

Covers: starting and stopping server processes and talking to them with the official SDK's client. Does not cover: the
process itself (wire/process.py), how a session is rebuilt (wire/remote.py), the serving side (wire/serve.py), or
servers that are not built on proverl.

    with MCPManager() as manager:
        session = manager.open("banking", seed=7)
        outcome = session.call("list_accounts", {})

A session is its server, seed and call log. When a process dies, at whatever moment, the next use of each of its
sessions opens the session anew, replays its log, compares each outcome with the logged one, and then does what was
asked. What the dead process did for the unanswered call died with it, so each call takes effect exactly once.

A call that gets no answer in time costs the process its life, because nothing else is certain to end it; the call is
tried once more, alone, so that it can harm no other, and then comes to an outcome of kind `infrastructure`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter

from ..errors import BadSeed, InfrastructureError, MissingExtra, ServerDied, UnknownServer
from ..records import Json, Tool
from ..strict_json import MAX_INTEGER
from .process import Child, server_command, server_environment
from .protocol import EXIT_UNKNOWN_SERVER, Hidden, tool_from_wire
from .remote import LinkLost, LinkRefused, LinkTimeout, RemoteSession
from .stdio import Inbox, Outlet

try:
    import mcp.types as t
    from mcp import Client
    from mcp.shared.exceptions import MCPError
    from mcp.shared.message import SessionMessage
except ModuleNotFoundError as error:
    raise MissingExtra(f"server processes need the package {error.name}: pip install 'proverl[serve]'") from None

DEADLINE: Final = 30.0
START_DEADLINE: Final = 60.0

log = logging.getLogger(__name__)
Result = TypeVar("Result")
OBJECT: Final = TypeAdapter(dict[str, Any])
_Request = t.Request[dict[str, Any], str]


class MCPManager:
    """Starts each server once, in a process of its own, and opens sessions in it.

    A context manager; leaving it ends all processes. Its methods and those of its sessions may be called from any
    thread; in an event loop use `aopen` and `acall`.

    Args:
        deadline: seconds that a call may take
        environment: variables for the processes, besides this one's own; read at each start
    """

    def __init__(self, *, deadline: float = DEADLINE, environment: Mapping[str, str] | None = None) -> None:
        self._deadline = deadline
        self._environment = {} if environment is None else environment
        self._hosts: dict[str, _ServerHost] = {}
        self._closed = False
        self._loop = asyncio.new_event_loop()
        # A child dies with the thread that started it, so this one lives as long as the manager.
        self._thread = threading.Thread(target=self._loop.run_forever, name="proverl-manager", daemon=True)
        self._thread.start()

    def __enter__(self) -> MCPManager:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def servers(self) -> tuple[str, ...]:
        """The names of the servers that were started, as they were given to `open`."""
        return tuple(self._hosts)

    @property
    def restarts(self) -> dict[str, int]:
        """How often each server had to be started again."""
        return {name: max(0, host.starts - 1) for name, host in self._hosts.items()}

    def pid(self, server: str) -> int:
        """The process in which a server runs now; 0 if it has died and nobody has needed it since.

        Raises:
            UnknownServer: it was not started
        """
        if server not in self._hosts:
            raise UnknownServer(f"{server!r} was not started; open a session of it first")
        return self._hosts[server].pid

    def open(self, server: str, seed: int = 0) -> RemoteSession:
        """A new session; starts the server if it does not run yet.

        Args:
            server: a name of the registry, or package.module:attribute
            seed: seed of the world

        Raises:
            UnknownServer: there is no such server
            BadSeed: not an integer from 0 to 2**53 - 1
            ServerDied: it did not start; the message holds the end of what it wrote to standard error
        """
        return self.run(self._open(server, seed)).result()

    async def aopen(self, server: str, seed: int = 0) -> RemoteSession:
        """`open` without blocking the event loop."""
        return await asyncio.shield(asyncio.wrap_future(self.run(self._open(server, seed))))

    def run(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Do something in the manager's event loop; for its sessions."""
        if self._closed:
            work.close()
            raise InfrastructureError("the manager is closed")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """End all sessions and processes."""
        if self._closed:
            return
        ending = self.run(self._end())
        self._closed = True
        ending.result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self, server: str, seed: int) -> RemoteSession:
        if type(seed) is not int or not 0 <= seed <= MAX_INTEGER:
            raise BadSeed(f"{seed!r} is not a seed; a seed is an integer from 0 to 2**53 - 1")
        host = self._hosts.get(server) or _ServerHost(self, server, self._deadline, self._environment)
        self._hosts[server] = host
        try:
            return await RemoteSession(host, seed).begin()
        finally:
            if not host.starts:
                self._hosts.pop(server, None)

    async def _end(self) -> None:
        await asyncio.gather(*(host.end() for host in self._hosts.values()))
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            await asyncio.wait(others, timeout=1)


class _ServerHost:
    """One server, kept running: its living link, and whose turn it is."""

    def __init__(self, manager: MCPManager, given: str, deadline: float, environment: Mapping[str, str]) -> None:
        self._manager = manager
        self._given = given
        self._deadline = deadline
        self._environment = environment
        self._link: _ClientLink | None = None
        self._starting = asyncio.Lock()
        self._alone = asyncio.Lock()
        self._ended = False
        self.starts = 0
        self.name = given
        self.tools: tuple[Tool, ...] = ()

    @property
    def pid(self) -> int:
        return self._link.pid if self._link is not None and self._link.alive else 0

    def run(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        return self._manager.run(work)

    @asynccontextmanager
    async def turn(self, *, alone: bool) -> AsyncIterator[None]:
        if alone:
            async with self._alone:
                yield
        else:
            while self._alone.locked():
                async with self._alone:
                    pass
            yield

    async def link(self) -> _ClientLink:
        async with self._starting:
            if self._ended:
                raise InfrastructureError("the manager is closed")
            if self._link is None or not self._link.alive:
                await self._replace()
            assert self._link is not None
            return self._link

    async def _replace(self) -> None:
        if self._link is not None:
            log.warning("%s died (%s) and is started again", self._given, self._link.exit_report)
            await self._link.end()
        link = _ClientLink(self._given, self._deadline, server_environment(self._environment))
        self._link = link
        try:
            await link.start()
            if not self.starts:
                self.name = (await link.ask(Hidden.STATUS, {}))["server"]
                self.tools = tuple(map(tool_from_wire, (await link.ask("tools/list", {}))["tools"]))
        except LinkLost as lost:
            if self.starts:
                raise
            if link.status == EXIT_UNKNOWN_SERVER:
                raise UnknownServer(link.stderr_tail.splitlines()[-1].removeprefix("proverl: ")) from None
            raise ServerDied(f"{self._given} did not start: {lost}") from None
        self.starts += 1

    async def end(self) -> None:
        self._ended = True
        if self._link is not None:
            await self._link.end()


class _ClientLink:
    """The SDK's client on one server process."""

    def __init__(self, given: str, deadline: float, environment: Mapping[str, str]) -> None:
        self._given = given
        self._deadline = deadline
        self._environment = environment
        self._client: Client | None = None
        self._child: Child | None = None
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._hung_up = False

    @property
    def pid(self) -> int:
        return 0 if self._child is None else self._child.pid

    @property
    def alive(self) -> bool:
        return self._child is not None and self._child.alive and not self._hung_up and self._failure is None

    @property
    def status(self) -> int | None:
        return None if self._child is None else self._child.status

    @property
    def stderr_tail(self) -> str:
        return "" if self._child is None else self._child.stderr_tail

    @property
    def exit_report(self) -> str:
        """How it ended, and the end of what it wrote to standard error."""
        if self.status is not None:
            reason = f"killed by signal {-self.status}" if self.status < 0 else f"exit status {self.status}"
        else:
            reason = "it runs no more" if self._failure is None else type(self._failure).__name__
        return f"{reason}; it wrote: {self.stderr_tail or 'nothing'}"

    async def start(self) -> None:
        self._task = asyncio.create_task(self._own())
        try:
            await asyncio.wait_for(self._ready.wait(), START_DEADLINE)
        except TimeoutError:
            self.kill()
            raise LinkLost(f"no answer within {START_DEADLINE:.0f} s of its start; {self.exit_report}") from None
        if self._failure is not None:
            raise LinkLost(self.exit_report)

    async def _own(self) -> None:
        """Open and close the client in one task, as the SDK needs it."""
        try:
            async with Client(self._streams(), cache=None) as client:
                self._client = client
                self._ready.set()
                await self._stop.wait()
        except Exception as error:  # whatever ends the client ends this link, and is reported by the next question
            self._failure = error
        finally:
            self._ready.set()

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[Any]:
        inbox: Inbox[SessionMessage | Exception] = Inbox()

        def take(line: bytes) -> None:
            with contextlib.suppress(ValueError):  # no message; whoever waits for one runs into the deadline
                inbox.put(SessionMessage(t.jsonrpc_message_adapter.validate_json(line, by_name=False)))

        def ended() -> None:
            self._hung_up = True
            inbox.end()

        child = await Child.start(server_command(self._given), self._environment, take, ended)
        self._child = child
        try:
            yield inbox, _Writer(child)
        finally:
            await child.stop()

    async def ask(self, method: str, params: dict[str, Json]) -> dict[str, Json]:
        if self._client is None or not self.alive:
            raise LinkLost(self.exit_report)
        request = _Request(method=method, params=params)
        try:
            session: Any = self._client.session  # its types want a result model; any adapter will do
            answer: dict[str, Json] = await session.send_request(request, OBJECT, self._deadline)
            return answer
        except MCPError as error:
            if error.code == t.CONNECTION_CLOSED or not self.alive:
                await self._wait_for_exit()
                raise LinkLost(self.exit_report) from None
            if error.code == t.REQUEST_TIMEOUT:
                raise LinkTimeout(f"{method} took longer than {self._deadline:g} s") from None
            reason = error.data.get("reason", "") if isinstance(error.data, dict) else ""
            raise LinkRefused(reason, f"{method}: {error.message}") from None

    async def _wait_for_exit(self) -> None:
        """Wait a moment for the exit status, which comes after the end of the pipes."""
        if self._child is not None:
            await self._child.gone_within(1.0)

    def kill(self) -> None:
        if self._child is not None:
            self._child.kill()

    async def end(self) -> None:
        self._stop.set()
        if self._task is not None:
            await self._task


class _Writer(Outlet):
    """The SDK's stream of requests."""

    def __init__(self, child: Child) -> None:
        self._child = child

    async def send(self, item: SessionMessage, /) -> None:
        line = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        self._child.write(line.encode() + b"\n")
