"""The two pipes of a server process.

Covers: taking over the standard streams, reading lines and handing on messages, writing answers, dying with the parent.
Does not cover: what a line may hold (wire/lines.py) or what is done with a message (wire/serve.py).

One event loop reads, calls and writes; no line ever waits for a thread. While the reader of the answers is slow,
nothing more is read.
"""

from __future__ import annotations

import asyncio
import ctypes
import fcntl
import os
import signal
import stat
import sys
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

from ..records import Json
from .lines import Malformed, Overlong, Splitter, admit
from .protocol import DIE_WITH

CHUNK = 1 << 18
LAST_ANSWERS = 2.0
"""Seconds that a server waits, after the end of its input, for calls that have not been answered."""

WAITING_MESSAGES = 1024
WAITING_BYTES = 1 << 22

Item = TypeVar("Item")


def die_with_parent() -> None:
    """End with the process named in the environment, even in the middle of a call; Linux only, elsewhere nothing."""
    parent = os.environ.pop(DIE_WITH, "")
    if not parent.isdecimal() or sys.platform != "linux":
        return
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    if os.getppid() != int(parent):  # it died before the line above
        os._exit(1)


def take_streams() -> tuple[int, int]:
    """The descriptors of standard input and output, moved away, so that a stray print lands on standard error."""
    source = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3)
    target = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, target


class Inbox(Generic[Item]):
    """A stream to read from, as the SDK wants one: filled by `put`, ended by `end`."""

    def __init__(self) -> None:
        self._items: deque[Item] = deque()
        self._ended = False
        self._waiter: asyncio.Future[None] | None = None
        self.drained: Callable[[], None] | None = None

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: Item) -> None:
        """Add an item; those after the end are dropped."""
        if not self._ended:
            self._items.append(item)
            self._wake()

    def end(self) -> None:
        """No more items will come; those that wait can still be read."""
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def receive(self) -> Item:
        """The next item.

        Raises:
            EOFError: the stream has ended
        """
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise EOFError from None

    async def aclose(self) -> None:
        """Drop what waits and take nothing more."""
        self._items.clear()
        self.end()

    def __aiter__(self) -> Inbox[Item]:
        return self

    async def __anext__(self) -> Item:
        while not self._items:
            if self._ended:
                raise StopAsyncIteration
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        item = self._items.popleft()
        if not self._items and self.drained is not None:
            self.drained()
        return item

    async def __aenter__(self) -> Inbox[Item]:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()


class Outlet:
    """A stream to write to, as the SDK wants one; whoever has it says in `send` where to. Closing it is nothing."""

    async def aclose(self) -> None:
        """Nothing: the pipe belongs to somebody else."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


class Answers(asyncio.Protocol):
    """Where lines are written to."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.full = False
        self.lost = False
        self._changed = changed
        self._file: int | None = None
        self._transport: asyncio.WriteTransport | None = None

    async def open(self, target: int) -> None:
        """Write to this descriptor, whatever it is."""
        if not _can_wait(target):
            self._file = target
            return
        pipe = os.fdopen(target, "wb", 0)
        self._transport, _ = await asyncio.get_running_loop().connect_write_pipe(lambda: self, pipe)
        self._transport.set_write_buffer_limits(high=WAITING_BYTES)

    def write(self, line: bytes) -> None:
        """Send a line now, so that no answer waits for the next call to end."""
        if self._transport is not None:
            self._transport.write(line)
        elif self._file is not None:
            while line:
                line = line[os.write(self._file, line) :]

    async def finish(self) -> None:
        """Wait until everything is gone."""
        if self._transport is not None:
            while self._transport.get_write_buffer_size() and not self.lost:
                await asyncio.sleep(0.001)
            self._transport.close()

    def pause_writing(self) -> None:
        """Called by the loop: the reader is slow."""
        self.full = True
        self._changed()

    def resume_writing(self) -> None:
        """Called by the loop: the reader has caught up."""
        self.full = False
        self._changed()

    def connection_lost(self, error: Exception | None) -> None:
        """Called by the loop: nobody reads any more."""
        self.lost = True
        self.full = False
        self._changed()


class Pump(asyncio.Protocol):
    """Lines in, messages into `inbox`, answers out."""

    def __init__(self) -> None:
        self._splitter = Splitter()
        self.inbox: Inbox[dict[str, Json]] = Inbox()
        self.inbox.drained = self._balance
        self.answers = Answers(self._balance)
        self._transport: asyncio.ReadTransport | None = None
        self._paused = False
        self._at_end = False
        self.open_requests = 0

    async def open(self, source: int, target: int) -> None:
        """Start to read and write."""
        await self.answers.open(target)
        if _can_wait(source):
            pipe = os.fdopen(source, "rb", 0)
            self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: self, pipe)
        else:
            self._read_file(source)

    def _read_file(self, source: int) -> None:
        data = os.read(source, CHUNK)
        if data:
            self.data_received(data)
            asyncio.get_running_loop().call_soon(self._read_file, source)
        else:
            self.eof_received()

    def data_received(self, data: bytes) -> None:
        """Called by the loop with what has come in."""
        self._take(self._splitter.feed(data))
        self._balance()

    def _take(self, lines: list[bytes | Overlong]) -> None:
        for line in lines:
            try:
                message = admit(line)
            except Malformed as malformed:
                self.answers.write(malformed.answer)
            else:
                self.open_requests += "method" in message and "id" in message
                self.inbox.put(message)

    def answer(self, line: bytes) -> None:
        """Send the answer to a request."""
        self.answers.write(line)
        self.open_requests -= 1
        if self._at_end and not self.open_requests:
            self.inbox.end()

    def eof_received(self) -> None:
        """Called by the loop at the end of the input: what was asked before is still answered."""
        self._take(self._splitter.finish())
        self._at_end = True
        if self.open_requests:
            asyncio.get_running_loop().call_later(LAST_ANSWERS, self.inbox.end)
        else:
            self.inbox.end()

    def connection_lost(self, error: Exception | None) -> None:
        """Called by the loop when the input is gone."""
        if not self._at_end:
            self.inbox.end()

    def _balance(self) -> None:
        """Read only while the answers leave and the messages are worked off."""
        if self._transport is None:
            return
        pause = self.answers.full or len(self.inbox) > WAITING_MESSAGES
        if self.answers.lost:
            self.inbox.end()
        if pause and not self._paused:
            self._transport.pause_reading()
        elif self._paused and not pause and not self._transport.is_closing():
            self._transport.resume_reading()
        self._paused = pause


def _can_wait(descriptor: int) -> bool:
    """Whether the event loop can wait for it: pipes, sockets and terminals, but no files."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)
