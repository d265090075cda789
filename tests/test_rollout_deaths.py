"""Rollouts go on through the death of the server process that holds their sessions."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
from collections import Counter
from functools import partial

import pytest

from proverl import servers
from proverl.evaluate import local, play_all
from proverl.policies import POLICIES, Acting
from proverl.records import Trace
from proverl.synth import data
from proverl.world.manager import MCPManager
from proverl.world.session import Session

DEATHS = 30
SERVER = "banking"


class Killer(threading.Thread):
    """Kills a manager's server again and again, each time some moments after it has come up."""

    def __init__(self, manager: MCPManager) -> None:
        super().__init__(daemon=True)
        self._manager = manager
        self._rest = threading.Event()
        self.deaths = 0

    def run(self) -> None:
        chance = random.Random(5)
        while self.deaths < DEATHS:
            while self._manager.restarts[SERVER] < self.deaths:
                if self._rest.wait(0.01):
                    return
            if self._rest.wait(chance.uniform(0.0, 0.2)):
                return
            pid = self._manager.pid(SERVER)
            if pid:
                os.kill(pid, signal.SIGKILL)
                self.deaths += 1

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
        killer = Killer(manager)
        killer.start()
        try:
            while killer.is_alive():
                traces = asyncio.run(play_all(tasks, acting, remote))
                assert [what_happened(trace) for trace in traces] == expected
        finally:
            killer.stop()
        assert killer.deaths == DEATHS
    cases["deaths under rollouts"] += DEATHS
