"""What one tool call over stdio costs: our server against the SDK's own stdio server.

    python benchmarks/wire.py [SERVER] [CALLS]

Both serve the same tools with the same code behind them, and the same lean client keeps 64 sessions in flight on one
process: it writes 64 requests at once and reads 64 answers. The two take turns; the ratio of the medians is printed.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from typing import Any

import psutil

SESSIONS = 64
ROUNDS = 5
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "lean", "version": "1"},
}


class Lean:
    """A server process and the cheapest client there is."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.usage = psutil.Process(self.process.pid)

    def exchange(self, requests: list[bytes]) -> list[Any]:
        """Write all requests at once and read as many answers."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"".join(requests))
        self.process.stdin.flush()
        return [self.process.stdout.readline() for _ in requests]

    def cpu(self) -> float:
        """Seconds of CPU that the process has used."""
        times = self.usage.cpu_times()
        return float(times.user + times.system)

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


def request(number: int, method: str, session: str, **params: Any) -> bytes:
    meta = {**MODERN, "io.proverl/session": session, "io.proverl/seed": 7}
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": meta}}
    return json.dumps(message).encode() + b"\n"


def measure(lean: Lean, tools: list[str], calls: int) -> tuple[float, float]:
    """CPU microseconds of the server per call, and calls per second."""
    batches = [
        [
            request(number, "tools/call", f"s{number}", name=tools[(number + batch) % len(tools)], arguments={})
            for number in range(SESSIONS)
        ]
        for batch in range(len(tools))
    ]
    before, began, done = lean.cpu(), time.perf_counter(), 0
    while done < calls:
        lean.exchange(batches[(done // SESSIONS) % len(batches)])
        done += SESSIONS
    return (lean.cpu() - before) / done * 1e6, done / (time.perf_counter() - began)


def in_process(name: str, tools: list[str], calls: int) -> float:
    """CPU microseconds of one call without any wire, which both servers have to spend."""
    from proverl.servers import load
    from proverl.world.session import LocalSession

    session = LocalSession(load(name), 7, keep_log=False)
    for tool in tools:
        session.call(tool, {})
    before = time.process_time()
    for number in range(calls):
        session.call(tools[number % len(tools)], {})
    return (time.process_time() - before) / calls * 1e6


def serve_with_sdk(name: str) -> None:
    """The same server behind the SDK's own pipes, as it comes."""
    from mcp.server import Server
    from mcp.server.stdio import stdio_server

    from proverl.servers import load
    from proverl.wire.sdk import sdk_server
    from proverl.wire.sessions import SessionHandler

    async def run() -> None:
        server = sdk_server(SessionHandler(load(name)))
        server.middleware[:] = Server("as it comes").middleware
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    asyncio.run(run())


def main(name: str = "banking", calls: str = "6400") -> None:
    from proverl.servers import load

    tools = list(load(name).discovery)
    stacks = {
        "ours": Lean([sys.executable, "-m", "proverl", "serve", name]),
        "sdk": Lean([sys.executable, __file__, "--serve-with-sdk", name]),
    }
    found: dict[str, list[tuple[float, float]]] = {stack: [] for stack in stacks}
    for lean in stacks.values():
        first = lean.exchange([request(n, "tools/call", f"s{n}", name=tools[0], arguments={}) for n in range(SESSIONS)])
        assert all(b'"isError":false' in line for line in first), first[0]
    for _ in range(ROUNDS):
        for stack, lean in stacks.items():
            found[stack].append(measure(lean, tools, int(calls)))
    for stack, lean in stacks.items():
        cpu, rate = (statistics.median(column) for column in zip(*found[stack], strict=True))
        memory = lean.usage.memory_info().rss / 2**20
        print(f"{stack:5} server CPU {cpu:6.0f} us a call, {rate:6.0f} calls/s, {memory:4.0f} MiB")
        lean.close()
    print(f"call  {in_process(name, tools, int(calls)):17.0f} us of both is the call itself")
    ours, sdk = (statistics.median(cpu for cpu, _ in found[stack]) for stack in stacks)
    print(
        f"ratio ours/sdk {ours / sdk:.2f} (at most 0.5 wanted); {name}, {SESSIONS} sessions, {ROUNDS} x {calls} calls"
    )


if __name__ == "__main__":
    if "--serve-with-sdk" in sys.argv:
        serve_with_sdk(sys.argv[2])
    else:
        main(*sys.argv[1:])
