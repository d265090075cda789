"""Clients with no library between them and the wire: raw lines to a server process, raw requests over HTTP."""

import http.client
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from proverl.records import Change, Outcome, Tool, load
from proverl.wire.protocol import SEED, SESSION, Hidden, outcome_from_wire, tool_from_wire
from proverl.world.session import unfit_call

TESTS = Path(__file__).parents[1]
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "pipe", "version": "1"},
}
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))}
SILENCE = 60.0


def command(server: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "proverl", "serve", server, *options]


def message(number: Any, method: str, meta: Mapping[str, Any] | None = None, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": {**MODERN, **(meta or {})}}}


def session(name: str, seed: int | None = None) -> dict[str, Any]:
    return {SESSION: name} if seed is None else {SESSION: name, SEED: seed}


class Pipe:
    """A server process, spoken to line by line."""

    def __init__(self, server: str, *options: str, environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command(server, *options),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**ENVIRONMENT, **(environment or {})},
        )
        self._rest = b""
        self._number = 0

    def __enter__(self) -> "Pipe":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self, seconds: float = SILENCE) -> Any:
        """The next line, decoded; fails when none comes."""
        assert self.process.stdout is not None
        end = time.monotonic() + seconds
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))
            assert ready, "no answer"
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            assert data, f"the server is gone: {self.process.wait(SILENCE)}"
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        return json.loads(line)

    def answer(self, line: bytes) -> Any:
        self.send(line)
        return self.receive()

    def ask(self, method: str, meta: Mapping[str, Any] | None = None, **params: Any) -> Any:
        """The whole answer to a modern request."""
        self._number += 1
        answer = self.answer(json.dumps(message(self._number, method, meta, **params)).encode())
        assert answer["id"] == self._number
        return answer

    def call(self, name: str, arguments: Any, meta: Mapping[str, Any] | None = None) -> Any:
        return self.ask("tools/call", meta, name=name, arguments=arguments)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            assert self.process.wait(SILENCE) == 0
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


class Http:
    """A server process with streamable HTTP."""

    def __init__(self, server: str, *options: str) -> None:
        # A file: a pipe that nobody empties would stop the server.
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            command(server, "--http", "--port", "0", *options), stderr=self._errors, env=ENVIRONMENT
        )
        self.address = self._announced()
        parts = urlsplit(self.address)
        assert parts.hostname
        assert parts.port
        self.host, self.port = parts.hostname, parts.port

    def _announced(self) -> str:
        end = time.monotonic() + SILENCE
        while time.monotonic() < end and self.process.poll() is None:
            self._errors.seek(0)
            line, ended, _ = self._errors.read().partition("\n")
            if ended:
                return line.split()[-1]
            time.sleep(0.02)
        raise AssertionError("the server did not announce its address")

    def __enter__(self) -> "Http":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(SILENCE)
        self._errors.close()

    def post(self, body: bytes, headers: Mapping[str, str] | None = None, method: str = "POST") -> tuple[int, Any]:
        """Status and decoded body of one request on a connection of its own."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=SILENCE)
        common = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        try:
            connection.request(method, "/mcp", body, {**common, **(headers or {})})
            response = connection.getresponse()
            data = response.read()
        finally:
            connection.close()
        try:
            return response.status, json.loads(data)
        except ValueError:
            return response.status, data

    def ask(self, asked: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> tuple[int, Any]:
        """One modern request with the headers that repeat what its body says."""
        meta = asked["params"]["_meta"]
        repeated = {
            "MCP-Protocol-Version": meta["io.modelcontextprotocol/protocolVersion"],
            "Mcp-Method": asked["method"],
        }
        if "name" in asked["params"]:
            repeated["Mcp-Name"] = asked["params"]["name"]
        return self.post(json.dumps(asked).encode(), {**repeated, **(headers or {})})


class HttpSession:
    """A session over HTTP, with the questions of `Session` that a comparison needs."""

    def __init__(self, server: Http, name: str, seed: int) -> None:
        self._server = server
        self._meta = session(name)
        self._number = 0
        self._ask(Hidden.OPEN, {SEED: seed})
        self.tools: tuple[Tool, ...] = tuple(map(tool_from_wire, self._ask("tools/list")["tools"]))

    def _ask(self, method: str, meta: Mapping[str, Any] | None = None, **params: Any) -> Any:
        self._number += 1
        asked = message(self._number, method, {**self._meta, **(meta or {})}, **params)
        status, answer = self._server.ask(asked)
        assert status == 200, answer
        assert answer["id"] == self._number
        return answer["result"]

    def call(self, name: str, arguments: Any) -> Outcome:
        unfit = unfit_call(name, arguments, [tool.name for tool in self.tools])
        return unfit or outcome_from_wire(self._ask("tools/call", name=name, arguments=arguments))

    def changes(self) -> tuple[Change, ...]:
        return tuple(load(Change, json.dumps(change)) for change in self._ask(Hidden.CHANGES)["changes"])

    def digest(self) -> str:
        digest: str = self._ask(Hidden.DIGEST)["digest"]
        return digest

    def secrets(self) -> dict[str, str]:
        known: dict[str, str] = self._ask(Hidden.SECRETS)["secrets"]
        return known
