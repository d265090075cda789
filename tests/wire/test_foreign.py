"""Clients that are not ours, over stdio and HTTP, against every server of the registry.

`make soak` installs the TypeScript ones into build/foreign.
"""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from proverl.servers import load, names
from proverl.wire.manager import MCPManager
from proverl.world.session import LocalSession
from support.differential import differences
from support.pipe import ENVIRONMENT, TESTS, Http, HttpSession, command, session

pytestmark = pytest.mark.soak
FOREIGN = TESTS.parent / "build" / "foreign"
SHOP = "support.shop:server"
ALL = [SHOP, *names()]
installed = pytest.mark.skipif(not (FOREIGN / "node_modules").is_dir(), reason="no TypeScript clients: make soak")


def some_calls(name: str) -> list[tuple[str, dict[str, Any], Any]]:
    """A read without arguments in two sessions and in the default one, a wrong argument, a wrong tool."""
    tool = next(tool for tool in load(name).tools if tool.effect == "read" and not tool.required)
    good: list[tuple[str, dict[str, Any], Any]] = [(tool.name, {}, where) for where in ("a", "b", None)]
    return [*good, (tool.name, {"no such argument": 1}, "a"), ("no_such_tool", {}, "a")]


def expected(name: str) -> list[dict[str, Any]]:
    """What those calls come to, from sessions in process."""
    sessions = {"a": LocalSession(load(name), 7), "b": LocalSession(load(name), 7), None: LocalSession(load(name), 0)}
    outcomes = [sessions[where].call(tool, arguments) for tool, arguments, where in some_calls(name)]
    results = [{"isError": not outcome.succeeded, "structuredContent": outcome.body()} for outcome in outcomes[:-1]]
    return [*results, {"code": -32602, "message": outcomes[-1].message}]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("name", ALL)
def test_the_official_python_client_gets_what_a_session_in_process_gives(name: str, transport: str, mode: str) -> None:
    async def walk(server: Any) -> None:
        async with Client(server, mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == list(load(name).tool_names)
            found: list[dict[str, Any]] = []
            for tool, arguments, where in some_calls(name):
                try:
                    meta: Any = session(where, 7) if where else None
                    result = await client.call_tool(tool, arguments, meta=meta)
                    found.append({"isError": result.is_error, "structuredContent": result.structured_content})
                except MCPError as error:
                    found.append({"code": error.code, "message": error.message})
            assert found == expected(name)

    if transport == "http":
        with Http(name) as web:
            asyncio.run(walk(web.address))
    else:
        program, *arguments = command(name)
        asyncio.run(walk(StdioServerParameters(command=program, args=arguments, env=ENVIRONMENT)))


@installed
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("name", ALL)
def test_the_typescript_client_gets_what_a_session_in_process_gives(name: str, mode: str) -> None:
    script = ["node", str(TESTS / "foreign" / "walk.mjs"), mode, json.dumps(some_calls(name)), *command(name)]
    ended = subprocess.run(
        script, env={**ENVIRONMENT, "FOREIGN": str(FOREIGN)}, capture_output=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr.decode()
    found = json.loads(ended.stdout)
    assert found["tools"] == list(load(name).tool_names)
    *results, last = found["results"]
    *right, wrong = expected(name)
    assert results == right
    assert last["code"] == -32602
    assert wrong["message"] in last["message"]
    assert found["version"] == ("2026-07-28" if mode == "auto" else "2025-11-25")


@installed
@pytest.mark.parametrize("name", ALL)
def test_the_inspector_lists_and_calls(name: str, tmp_path: Path) -> None:
    def inspect(*options: str) -> Any:
        program = [str(FOREIGN / "node_modules" / ".bin" / "mcp-inspector"), "--cli", *command(name)]
        ended = subprocess.run(
            [*program, *options], env=ENVIRONMENT, capture_output=True, timeout=120, check=False, cwd=tmp_path
        )
        assert ended.returncode == 0, ended.stderr.decode()
        return json.loads(ended.stdout)

    listed = inspect("--method", "tools/list")["tools"]
    assert [tool["name"] for tool in listed] == list(load(name).tool_names)
    tool = some_calls(name)[2][0]
    called = inspect("--method", "tools/call", "--tool-name", tool)
    assert called["structuredContent"] == LocalSession(load(name), 0).call(tool, {}).body()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ALL)
def test_in_process_stdio_and_http_agree_on_every_call_of_every_server(name: str, seed: int) -> None:
    server = load(name)
    with MCPManager() as manager, Http(name) as web:
        sessions = [LocalSession(server, seed), manager.open(name, seed), HttpSession(web, "a", seed)]
        assert differences(sessions, seed=seed, calls=20 * len(server.tools)) == []


def test_the_interpreter_of_the_tests_serves() -> None:
    assert command(SHOP)[0] == sys.executable
