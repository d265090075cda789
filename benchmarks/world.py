"""The speed and size of sessions in process, against plain Python data in the same run.

    python benchmarks/world.py [CALLS_PER_SERVER]

Covers: `session.call` over all tools of all servers, a new session with its first write, a fork with 20 changed rows,
and the memory of 10,000 live sessions. The peers hold the same world as dictionaries: `copy.deepcopy` for a new world,
and a function that looks one row up and changes it in place, without schema, check or rollback, for a call. Times are
processor time.
"""

from __future__ import annotations

import copy
import gc
import itertools
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from proverl import servers
from proverl.laws.arguments import Drawn, Generator
from proverl.records import Outcome
from proverl.world.server import Server
from proverl.world.session import LocalSession

SEEDS = range(3)
BUCKETS = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000, 2000, 5000)
CHANGED_ROWS = 20
LIVE_SESSIONS = 10_000

Calls = list[tuple[str, dict[str, Any]]]


def plan(server: Server, seed: int, calls: int) -> Calls:
    """Calls on one seed, four in five of them successful, every tool in turn."""
    session = LocalSession(server, seed)

    def trial(call: Drawn) -> Outcome:
        with session.attempt():
            return session.call(call.tool, call.arguments)

    shares = {"live": 0.9, "valid": 0.05, "broken": 0.05}
    generator = Generator(session.tools, seed, secrets=session.secrets(), shares=shares, trial=trial)  # type: ignore[arg-type]
    made: Calls = []
    for _ in range(calls):
        call = generator.call()
        made.append((call.tool, call.arguments))
        generator.learn(call, session.call(call.tool, call.arguments))
    return made


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor time of one run, so that a busy machine does not count."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def microseconds(work: Callable[[], object], times: int = 200) -> float:
    """The median of some runs."""
    return statistics.median(timed(work) for _ in range(times)) * 1e6


def tables(session: LocalSession) -> dict[str, dict[Any, dict[str, Any]]]:
    """The world as dictionaries by table and key."""
    connection = session.store.connection()
    found: dict[str, dict[Any, dict[str, Any]]] = {}
    for table in session.store.template.schema.tables.values():
        rows = connection.execute(f"SELECT * FROM {table.name}").fetchall()
        records = [dict(zip(table.columns, row, strict=True)) for row in rows]
        found[table.name] = {tuple(record[name] for name in table.key): record for record in records}
    return found


def first_write(server: Server) -> tuple[int, str, dict[str, Any]]:
    """A seed and a write that succeeds as the first call of its session."""
    for seed in itertools.count():
        for tool, arguments in plan(server, seed, 120):
            if server.tool(tool).effect == "read":
                continue
            session = LocalSession(server, seed)
            if session.call(tool, arguments).succeeded:
                return seed, tool, arguments
    raise AssertionError


# Calls


def measure_calls(names: tuple[str, ...], calls: int) -> None:
    """`session.call` over all tools: each plan is played on new sessions, the best of three times counts."""
    by_tool: dict[str, list[float]] = {}
    for name in names:
        server = servers.load(name)
        for seed in SEEDS:
            made = plan(server, seed, calls)
            runs = []
            for _ in range(3):
                session = LocalSession(server, seed)
                runs.append([timed(lambda call=call, session=session: session.call(*call)) for call in made])
                session.close()
            for (tool, _), *times in zip(made, *runs, strict=True):
                by_tool.setdefault(f"{name}.{tool}", []).append(min(times) * 1e6)
    times = sorted(itertools.chain(*by_tool.values()))
    slowest = max(by_tool, key=lambda tool: statistics.median(by_tool[tool]))
    median, ninetieth = times[len(times) // 2], times[len(times) * 9 // 10]
    print(f"session.call, {len(times):,} calls of {len(by_tool)} tools of {', '.join(names)}")
    print(f"  median {median:.0f} us (target 50), 90th percentile {ninetieth:.0f} us (target 300)")
    print(f"  slowest tool {slowest}: median {statistics.median(by_tool[slowest]):.0f} us (target 2000)")
    by_median = sorted(by_tool, key=lambda tool: -statistics.median(by_tool[tool]))[:8]
    print("  next:", ", ".join(f"{tool} {statistics.median(by_tool[tool]):.0f}" for tool in by_median[1:]))
    for low, high in zip((0, *BUCKETS), (*BUCKETS, float("inf")), strict=True):
        share = sum(low <= one < high for one in times) / len(times)
        if share:
            print(f"  {f'{low}-{high} us':>14} {share:6.1%} {'#' * round(share * 100)}")
    toy = measure_toy(servers.load(names[0]))
    print(
        f"  a dictionary look-up and change in place, unchecked: {toy:.1f} us; ours costs {median / toy:.0f} times that"
    )


def measure_toy(server: Server) -> float:
    """What a call costs when nothing is checked and nothing can be taken back."""
    world = tables(LocalSession(server, 0))
    table = max(world.values(), key=len)
    keys = itertools.cycle(list(table))
    number = next(name for name, value in next(iter(table.values())).items() if not isinstance(value, dict))

    def call(arguments: dict[str, Any]) -> dict[str, Any]:
        row = table.get(arguments["key"])
        if row is None:
            return {"error": f"no row {arguments['key']}"}
        row[number] = row[number]
        return dict(row)

    return microseconds(lambda: call({"key": next(keys)}), 5000)


# Sessions


def measure_sessions(name: str) -> None:
    """A new session with its first write: closed at once, kept; and the same world by deepcopy."""
    server = servers.load(name)
    seed, tool, arguments = first_write(server)
    kept: list[LocalSession] = []

    def dropped() -> None:
        session = LocalSession(server, seed)
        session.call(tool, arguments)
        session.close()

    def keep() -> None:
        session = LocalSession(server, seed)
        session.call(tool, arguments)
        kept.append(session)

    dropped()
    dropping, keeping = microseconds(dropped), microseconds(keep)
    world = tables(LocalSession(server, seed))
    rows = sum(map(len, world.values()))
    peer = microseconds(lambda: copy.deepcopy(world), 5)
    print(f"new session and first write, {name} ({rows:,} rows, {tool})")
    print(f"  dropped {1e6 / dropping:,.0f}/s (target 4,000), kept {1e6 / keeping:,.0f}/s (target 1,200)")
    ratios = f"{peer / dropping:.0f} and {peer / keeping:.0f} times slower"
    print(f"  copy.deepcopy of the same world {1e6 / peer:,.0f}/s: {ratios}")
    for session in kept:
        session.close()


def changed(server: Server, seed: int, calls: Calls) -> LocalSession:
    """A session with 20 rows changed."""
    session = LocalSession(server, seed)
    for call in calls:
        session.call(*call)
        if len(session.changes()) >= CHANGED_ROWS:
            break
    return session


def repeatable(server: Server, session: LocalSession) -> tuple[str, dict[str, Any]]:
    """A write of the session's log that succeeds again."""
    for tool, arguments, _ in session.log:
        with session.attempt():
            if server.tool(tool).effect != "read" and session.call(tool, arguments).succeeded:
                return tool, arguments
    raise AssertionError("no write can be repeated")


def measure_forks(name: str) -> None:
    """A fork of a session with 20 changed rows, alone and with the first read of the fork."""
    server = servers.load(name)
    session = changed(server, 0, plan(server, 0, 400))
    rows = len(session.changes())
    write = repeatable(server, session)

    def afresh() -> None:
        session.store.try_evict()
        session.store.connection()

    def used() -> None:
        twin = session.fork()
        twin.store.connection()
        twin.close()

    def after_a_write() -> None:
        with session.attempt():
            session.call(*write)
            session.fork().close()

    def write_alone() -> None:
        with session.attempt():
            session.call(*write)

    back = microseconds(afresh)
    alone, ready = microseconds(lambda: session.fork().close()), microseconds(used)
    first = microseconds(after_a_write) - microseconds(write_alone)
    world = tables(session)
    peer = microseconds(lambda: copy.deepcopy(world), 5)
    print(f"fork of a session with {rows} changed rows, {name}")
    print(
        f"  {first:.0f} us after a write, {alone:.0f} us again; {ready:.0f} us with its own database opened and closed"
    )
    print(f"  (target 500); evicted and back {back:.0f} us; copy.deepcopy {peer:,.0f} us")


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure_memory(name: str) -> None:
    """10,000 live sessions, each with 20 changed rows, all of which still answer."""
    server = servers.load(name)
    made = plan(server, 0, 400)
    session = changed(server, 0, made)
    calls = [(tool, arguments) for tool, arguments, outcome in session.log if outcome.succeeded]
    writes = [call for call in calls if server.tool(call[0]).effect != "read"]
    gc.collect()
    before = resident()
    held = []
    start = time.perf_counter()
    for _ in range(LIVE_SESSIONS):
        one = LocalSession(server, 0, keep_log=False)
        for call in writes:
            one.call(*call)
        held.append(one)
    seconds = time.perf_counter() - start
    gc.collect()
    used = (resident() - before) / 2**20
    digests = {one.digest() for one in held[:: LIVE_SESSIONS // 50]}
    assert len(digests) == 1
    rows = len(held[0].changes())
    world = tables(held[0])
    before = resident()
    copies = [copy.deepcopy(world) for _ in range(10)]
    peer = (resident() - before) / 2**20 / len(copies) * LIVE_SESSIONS
    print(f"{LIVE_SESSIONS:,} live sessions with {rows} changed rows, {name}, made in {seconds:.0f} s of wall time")
    print(f"  {used:.0f} MiB (target 500)")
    print(f"  as dictionaries, from {len(copies)} copies: {peer:,.0f} MiB, {peer / max(used, 1):.0f} times as much")


def main() -> None:
    """All figures."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    names = servers.names()
    measure_calls(names, calls)
    for name in names:
        measure_sessions(name)
        measure_forks(name)
    measure_memory(names[0])


if __name__ == "__main__":
    main()
