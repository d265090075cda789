"""Rollouts go on through the death of the server process that holds their sessions."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Sequence
from functools import partial

import pytest

from proverl import servers
from proverl.chat import Reply
from proverl.evaluate import local, play_all
from proverl.policies.acting import Acting
from proverl.policies.scripted import POLICIES
from proverl.records import Message, Task, Tool, Trace
from proverl.synth import data
from proverl.wire.manager import MCPManager
from proverl.world.session import Session

DEATHS = 30
SERVER = "banking"


class Killer(threading.Thread):
    """Kills a manager's server again and again, each time some moments after every episode has got on.

    Without that a slow machine would lose one call to death after death, and it would rightly be given up.
    """

    def __init__(self, manager: MCPManager, tasks: Sequence[Task]) -> None:
        super().__init__(daemon=True)
        self._manager = manager
        self._tasks = {task.id for task in tasks}
        self._waiting: set[str] = set()
        self._rest = threading.Event()
        self.deaths = 0

    def run(self) -> None:
        chance = random.Random(5)
        while self.deaths < DEATHS:
            while self._waiting:
                if self._rest.wait(0.01):
                    return
            if self._rest.wait(chance.uniform(0.0, 0.2)):
                return
            pid = self._manager.pid(SERVER)
            if pid:
                self._waiting |= self._tasks
                os.kill(pid, signal.SIGKILL)
                self.deaths += 1

    def acting(self, task: Task) -> Acting:
        """The right policy; each of its replies shows that the episode has got on."""
        killer = self

        class GettingOn(Acting):
            async def reply(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
                killer._waiting.discard(task.id)
                return await super().reply(messages, tools)

        return GettingOn(POLICIES["ground_truth"], task)

    def stop(self) -> None:
        self._rest.set()
        self.join()


def what_happened(trace: Trace) -> tuple[object, ...]:
    return trace.masked, trace.stop, trace.turns, trace.digest


@pytest.mark.soak
def test_rollouts_end_as_without_the_thirty_deaths_of_their_server(cases: Counter[str]) -> None:
    tasks = data.synthesise([servers.load(SERVER)], 16, seed=3).tasks
    acting = partial(Acting, POLICIES["ground_truth"])
    expected = [what_happened(trace) for trace in asyncio.run(play_all(tasks, acting, local))]
    assert all(digest == task.digest for (*_, digest), task in zip(expected, tasks, strict=True))
    with MCPManager() as manager:

        async def remote(server: str, seed: int) -> Session:
            return await manager.aopen(server, seed)

        asyncio.run(play_all(tasks[:1], acting, remote))
        killer = Killer(manager, tasks)
        killer.start()
        try:
            while killer.is_alive():
                traces = asyncio.run(play_all(tasks, killer.acting, remote))
                assert [what_happened(trace) for trace in traces] == expected
        finally:
            killer.stop()
        assert killer.deaths == DEATHS
    cases["deaths under rollouts"] += DEATHS
