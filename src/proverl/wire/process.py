"""A server as a process of its own.

Covers: starting it in a process group that dies with us, its lines, the end of what it wrote to standard error, ending
it for certain. Does not cover: what the lines say (wire/manager.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from .lines import Overlong, Splitter
from .protocol import DIE_WITH

LONGEST_ANSWER: Final = 1 << 25
TAIL: Final = 4000
GRACE: Final = 2.0
"""Seconds from the end of its input to SIGTERM, and from there to SIGKILL."""


class Child(asyncio.SubprocessProtocol):
    """A running server process. `take` is called with each line that it writes, `ended` once it writes no more."""

    def __init__(self, take: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._take = take
        self._ended = ended
        self._splitter = Splitter(LONGEST_ANSWER)
        self._tail = b""
        self._transport: asyncio.SubprocessTransport | None = None
        self._input: asyncio.WriteTransport | None = None
        self._gone = asyncio.Event()
        self.pid = 0

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        environment: Mapping[str, str],
        take: Callable[[bytes], None],
        ended: Callable[[], None],
    ) -> Child:
        """Start the command in a group of its own; it is killed when this process ends."""
        loop = asyncio.get_running_loop()
        variables = {**environment, DIE_WITH: str(os.getpid())}
        transport, child = await loop.subprocess_exec(
            lambda: cls(take, ended), *command, env=variables, start_new_session=True
        )
        child._transport = transport
        child._input = cast(asyncio.WriteTransport, transport.get_pipe_transport(0))
        child.pid = transport.get_pid()
        return child

    @property
    def alive(self) -> bool:
        """Whether the process runs and can be written to."""
        return not self._gone.is_set() and self._input is not None and not self._input.is_closing()

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal, None while it runs."""
        return None if self._transport is None else self._transport.get_returncode()

    @property
    def stderr_tail(self) -> str:
        """The end of what it wrote to standard error."""
        return self._tail.decode(errors="replace").strip()

    def write(self, line: bytes) -> None:
        """Send a line; without effect when the process is gone."""
        if self._input is not None and not self._input.is_closing():
            self._input.write(line)

    def kill(self) -> None:
        """End it and all that it started, at once."""
        self._signal(signal.SIGKILL)

    async def stop(self) -> None:
        """Let it end by itself, then make it, and wait until it is gone."""
        if self._input is not None:
            self._input.close()
        if not await self.gone_within(GRACE):
            self._signal(signal.SIGTERM)
            await self.gone_within(GRACE)
        self._signal(signal.SIGKILL)
        await self._gone.wait()
        if self._transport is not None:
            self._transport.close()

    async def gone_within(self, seconds: float) -> bool:
        """Whether the process ends in this time."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._gone.wait(), seconds)
        return self._gone.is_set()

    def _signal(self, number: int) -> None:
        # The group outlives its leader while a grandchild runs, and is named by the leader's id until then.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    # Called by the loop

    def pipe_data_received(self, descriptor: int, data: bytes) -> None:
        """Take what the process has written."""
        if descriptor == 2:
            self._tail = (self._tail + data)[-TAIL:]
            return
        for line in self._splitter.feed(data):
            if not isinstance(line, Overlong):  # an answer that nobody can use; the call runs into its deadline
                self._take(line)

    def pipe_connection_lost(self, descriptor: int, error: Exception | None) -> None:
        """Note that one of its pipes is closed."""
        if descriptor == 1:
            self._ended()

    def process_exited(self) -> None:
        """Note that it has exited; a grandchild may still hold its pipes."""
        self._gone.set()
        self._ended()


def server_command(name: str) -> list[str]:
    """The command that serves this server over stdio with the interpreter that runs now."""
    return [sys.executable, "-m", "proverl", "serve", name, "--strict"]


def server_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Our own environment and import path, so that a server which can be imported here can be there, and `extra`."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    return {**os.environ, "PYTHONPATH": path, **extra}
