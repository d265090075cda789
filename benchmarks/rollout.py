"""Rollouts of four calls a minute: scripted policy, 256 episodes in flight, in process and over stdio.

    python benchmarks/rollout.py [ROLLOUTS]

The tasks are synthesised ones whose ground truth has four calls; the policy acts it and gives way to other episodes
before each reply, as an engine would, so all 256 really are in flight. Each rollout opens a session, plays, reads the
changed rows and the digest, and closes the session. The peer in the same run is the four calls alone, in a fresh
session, one after another.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from proverl import servers
from proverl.chat import Reply
from proverl.policies.acting import Acting
from proverl.policies.scripted import ground_truth
from proverl.records import Limits, Task, Trace
from proverl.rollout import ChatPrompt, MessageCodec, Opener, play
from proverl.synth import data
from proverl.wire.manager import MCPManager
from proverl.world.session import Session

CALLS = 4
IN_FLIGHT = 256
WIDE = Limits(call_seconds=120.0)


def tasks_of_four_calls() -> list[Task]:
    """Synthesised tasks with four calls."""
    domains = [servers.load(name) for name in servers.names()]
    found = [task for task in data.synthesise(domains, 90, seed=3).tasks if len(task.steps) == CALLS]
    assert found, "no synthesised task has four calls"
    return found


async def episode(task: Task, opener: Opener) -> Trace:
    """One rollout of the ground truth."""
    policy = Acting(ground_truth, task)

    async def generate(prompt: ChatPrompt) -> Reply:
        await asyncio.sleep(0)
        return policy.next(prompt.messages)

    return await play(task, opener, generate, MessageCodec(), WIDE)


async def many(tasks: list[Task], count: int, opener: Opener) -> None:
    """So many rollouts, 256 in flight."""
    left: Iterator[Task] = itertools.islice(itertools.cycle(tasks), count)

    async def worker() -> None:
        for task in left:
            trace = await episode(task, opener)
            assert trace.digest == task.digest, (task.id, trace.stop, trace.masked)

    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))


async def here(server: str, seed: int) -> Session:
    """A session in this process."""
    return servers.open_session(server, seed)


@contextmanager
def timed(name: str, count: int, target: float) -> Iterator[None]:
    """Print how many a minute, by the wall and by this process's CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    aim = f"(target {target:.0f})" if target else ""
    print(f"{name:28} {60 * count / wall:10.0f} a minute of wall, {60 * count / cpu:10.0f} of CPU {aim}")


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    tasks = tasks_of_four_calls()
    print(f"{len(tasks)} tasks of {CALLS} calls on {', '.join(sorted({task.server for task in tasks}))}")
    asyncio.run(many(tasks, IN_FLIGHT, here))
    with timed("the calls alone", count, 0):
        for task in itertools.islice(itertools.cycle(tasks), count):
            session = servers.open_session(task.server, task.seed)
            for step in task.steps:
                session.call(step.tool, step.arguments)
            session.close()
    with timed("rollouts in process", count, 6_000):
        asyncio.run(many(tasks, count, here))
    with MCPManager(deadline=120.0) as manager:
        asyncio.run(many(tasks, IN_FLIGHT, manager.aopen))
        with timed("rollouts over stdio", count, 1_500):
            asyncio.run(many(tasks, count, manager.aopen))


if __name__ == "__main__":
    main()
