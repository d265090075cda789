"""The serving side: whatever comes in is answered, and the server lives on with all its sessions."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from proverl.errors import UsageError
from proverl.records import Kind
from proverl.strict_json import MAX_DEPTH
from proverl.wire import serve
from proverl.wire.protocol import (
    DIE_WITH,
    OUTCOME,
    Hidden,
    outcome_from_wire,
    tool_from_wire,
)
from proverl.wire.serve import serve_http
from proverl.world.session import LocalSession
from support.pipe import ENVIRONMENT, MODERN, SILENCE, TESTS, Http, Pipe, command, message, session
from support.shop import server as shop

A = session("a", 7)
TROUBLE = "support.trouble:server"


@pytest.fixture(scope="module")
def pipe() -> Iterator[Pipe]:
    with Pipe("support.shop:server") as server:
        yield server


@pytest.fixture(scope="module")
def trouble_pipe() -> Iterator[Pipe]:
    with Pipe(TROUBLE) as server:
        yield server


@pytest.fixture(scope="module")
def web() -> Iterator[Http]:
    with Http("support.shop:server") as server:
        yield server


def call_line(number: Any, arguments: str) -> bytes:
    """A call of list_items whose arguments are this text, whatever it is."""
    line = json.dumps(message(number, "tools/call", A, name="list_items", arguments="HERE"))
    return line.replace('"HERE"', arguments).encode("utf-8", "surrogatepass")


def id_last(line: bytes) -> bytes:
    """The same line with the id at its end, where some clients write it."""
    head, _, rest = line.partition(b'"id": 7, ')
    return head + rest[:-1] + b', "id": 7}'


BIG = 20 << 20
BAD_LINES = {
    "no JSON": (b"garbage", -32700, None),
    "half a message": (b'{"jsonrpc":"2.0","id":7,"method":', -32700, 7),
    "invalid UTF-8": (b'{"jsonrpc":"2.0","id":7,"method":"\xff\xfe"}', -32700, 7),
    "a batch": (b"[" + call_line(7, "{}") + b"]", -32600, None),
    "a string": (b'"tools/list"', -32600, None),
    "an escaped lone surrogate": (call_line(7, '{"limit":"\\ud800"}'), -32700, 7),
    "a raw lone surrogate": (call_line(7, '{"limit":"\ud800"}'), -32700, 7),
    "a key twice": (call_line(7, '{"limit":1,"limit":2}'), -32700, 7),
    "two ids": (b'{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}', -32700, None),
    "250 levels": (call_line(7, "[" * 250 + "]" * 250), -32700, 7),
    "100,000 levels": (id_last(call_line(7, "[" * 100_000 + "]" * 100_000)), -32700, 7),
    "a 5,000-digit integer": (call_line("seven", '{"limit":' + "9" * 5000 + "}"), -32700, "seven"),
    "2**53": (call_line(7, '{"limit":9007199254740992}'), -32700, 7),
    "NaN": (call_line(7, '{"limit":NaN}'), -32700, 7),
    "1e999": (id_last(call_line(7, '{"limit":1e999}')), -32700, 7),
    "20 MiB, id first": (call_line(7, '{"limit":"' + "x" * BIG + '"}'), -32600, 7),
    "20 MiB, id last": (id_last(call_line(7, '{"limit":"' + "x" * BIG + '"}')), -32600, 7),
    "20 MiB of brackets": (b"[" * BIG, -32600, None),
    "id null": (b'{"jsonrpc":"2.0","id":null,"method":"tools/list","params":{}}', -32600, None),
    "id true": (b'{"jsonrpc":"2.0","id":true,"method":"tools/list","params":{}}', -32600, None),
    "id 1.5": (b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list","params":{}}', -32600, None),
    "JSON-RPC 1": (b'{"id":7,"method":"tools/list"}', -32600, 7),
    "no method": (b'{"jsonrpc":"2.0","id":7}', -32600, 7),
    "a method that is no text": (b'{"jsonrpc":"2.0","id":7,"method":7}', -32600, 7),
    "params that are no object": (b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}', -32600, 7),
    "an unknown method": (json.dumps(message(7, "tools/lists")).encode(), -32601, 7),
    "no _meta": (b'{"jsonrpc":"2.0","id":7,"method":"tools/list"}', -32602, 7),
    "an unknown version": (
        json.dumps(message(7, "tools/list", {"io.modelcontextprotocol/protocolVersion": "1900-01-01"})).encode(),
        -32022,
        7,
    ),
    "arguments that are a text": (call_line(7, '"{}"'), -32602, 7),
    "no tool of that name": (json.dumps(message(7, "tools/call", A, name="list_itms")).encode(), -32602, 7),
    "a name that is no text": (json.dumps(message(7, "tools/call", A, name=7)).encode(), -32602, 7),
}


@pytest.mark.parametrize("probe", BAD_LINES)
def test_a_bad_line_is_answered_with_its_id_and_the_sessions_live_on(pipe: Pipe, probe: str) -> None:
    line, code, request_id = BAD_LINES[probe]
    before = pipe.ask(Hidden.DIGEST, A)["result"]["digest"]
    answer = pipe.answer(line)
    assert (answer["error"]["code"], answer["id"]) == (code, request_id), answer
    assert pipe.ask(Hidden.DIGEST, session("a"))["result"]["digest"] == before


def test_a_client_may_begin_with_anything_and_still_speak_either_protocol() -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    begin = json.dumps({"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": hello}).encode()
    listing = b'{"jsonrpc":"2.0","id":4,"method":"tools/list"}'
    with Pipe("support.shop:server") as old:
        assert old.answer(b"garbage")["error"]["code"] == -32700
        assert old.answer(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')["error"]["code"] == -32602
        assert old.answer(b'{"jsonrpc":"2.0","id":2,"method":"ping"}')["result"] == {}
        assert old.answer(begin)["result"]["protocolVersion"] == "2025-06-18"
        old.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        assert [tool["name"] for tool in old.answer(listing)["result"]["tools"]] == list(shop.tool_names)


def test_a_request_line_may_be_split_anywhere_and_several_may_come_at_once(pipe: Pipe) -> None:
    line = json.dumps(message(900, "tools/call", A, name="list_items", arguments={"limit": 2})).encode() + b"\r\n"
    assert pipe.process.stdin is not None
    for byte in range(0, len(line), 100):
        pipe.process.stdin.write(line[byte : byte + 100])
        pipe.process.stdin.flush()
        time.sleep(0.002)
    assert pipe.receive()["id"] == 900
    lines = [json.dumps(message(number, Hidden.DIGEST, A)).encode() for number in range(2000, 2300)]
    pipe.send(b"\n\n".join(lines))
    assert sorted(pipe.receive()["id"] for _ in lines) == list(range(2000, 2300))


def test_arguments_as_deep_as_they_may_be_in_process_pass_the_wire(pipe: Pipe) -> None:
    deep: Any = 1
    for _ in range(MAX_DEPTH - 1):
        deep = [deep]
    outcome = LocalSession(shop, 7).call("list_items", {"limit": deep})
    assert outcome.code == "schema"
    assert outcome_from_wire(pipe.call("list_items", {"limit": deep}, A)["result"]) == outcome


def test_requests_in_a_file_are_all_answered_before_the_server_ends(tmp_path: Path) -> None:
    file, answers = tmp_path / "requests", tmp_path / "answers"
    lines = [json.dumps(message(number, "tools/call", A, name="list_items")) for number in range(50)]
    default = json.dumps(message(50, Hidden.DIGEST))
    file.write_text("\n".join([*lines, default, "garbage"]))
    serve = command("support.shop:server", "--seed", "11")
    with file.open() as source, answers.open("w") as target:
        ended = subprocess.run(serve, stdin=source, stdout=target, env=ENVIRONMENT, timeout=60, check=False)
    assert ended.returncode == 0
    found = [json.loads(line) for line in answers.read_text().splitlines()]
    results = {answer["id"]: answer["result"] for answer in found if "result" in answer}
    assert set(results) == set(range(51))
    assert results[50]["digest"] == LocalSession(shop, 11).digest()  # the default session has the seed of `serve`
    assert [answer["error"]["code"] for answer in found if "error" in answer] == [-32700]


# Tools


def test_the_listed_tools_are_the_records_and_nothing_hidden_is_listed(pipe: Pipe) -> None:
    listed = pipe.ask("tools/list")["result"]["tools"]
    assert tuple(map(tool_from_wire, listed)) == shop.tools
    for shown, tool in zip(listed, shop.tools, strict=True):
        assert shown["inputSchema"] == tool.input_schema
        assert shown["outputSchema"] == tool.output_schema
        assert shown["annotations"] == {
            "readOnlyHint": tool.effect == "read",
            "destructiveHint": tool.effect == "destructive",
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        }
    assert not {tool["name"] for tool in listed} & set(Hidden)


def test_results_and_errors_have_the_form_that_the_protocol_wants(pipe: Pipe) -> None:
    local = LocalSession(shop, 7)
    name = session("form", 7)
    calls: list[tuple[str, dict[str, Any], bool]] = [
        ("list_items", {"limit": 3}, False),
        ("list_customers", {"name": "nobody"}, False),
        ("cancel_purchase", {"purchase_id": "ord_1"}, True),
        ("list_items", {"limit": "3"}, True),
    ]
    for tool, arguments, is_error in calls:
        right = local.call(tool, arguments)
        result = pipe.call(tool, arguments, name)["result"]
        assert result["isError"] is is_error
        assert result["structuredContent"] == right.body()
        assert json.loads(result["content"][0]["text"]) == right.body()
        assert outcome_from_wire(result) == right
    near = pipe.call("list_custommers", {}, name)["error"]
    assert near["data"] == {"reason": "unknown_tool"}
    assert "'list_customers'" in near["message"]


@pytest.mark.parametrize("what", ["surrogate", "nan", "infinity", "big", "deep", "set", "bytes", "number key"])
def test_a_result_that_is_no_json_becomes_an_error(trouble_pipe: Pipe, what: str) -> None:
    result = trouble_pipe.call("return_odd", {"what": what}, A)["result"]
    assert result["isError"] is True
    assert result["_meta"][OUTCOME]["kind"] == Kind.INFRASTRUCTURE
    assert result["structuredContent"]["error"]["code"] in ("unfit_result", "internal_error")


@pytest.mark.parametrize("how", ["exit", "interrupt", "generator", "memory", "recursion", "error"])
def test_a_tool_that_raises_anything_ends_nothing_but_its_call(trouble_pipe: Pipe, how: str) -> None:
    before = trouble_pipe.call("sell", {}, A)["result"]["structuredContent"]["number"]
    result = trouble_pipe.call("leave", {"how": how}, A)["result"]
    assert result["_meta"][OUTCOME]["kind"] == Kind.INFRASTRUCTURE
    assert trouble_pipe.call("sell", {}, A)["result"]["structuredContent"]["number"] == before - 1


def test_a_tool_that_prints_does_not_disturb_the_answers(trouble_pipe: Pipe) -> None:
    assert trouble_pipe.call("shout", {"text": "a\nb"}, A)["result"]["structuredContent"] == {"text": "a\nb"}
    assert trouble_pipe.call("say_nothing", {}, A)["result"]["structuredContent"] == {"text": None}


def test_an_answer_may_be_longer_than_a_question_but_not_endless(trouble_pipe: Pipe) -> None:
    result = trouble_pipe.call("speak_at_length", {"size": 3 << 20}, A)["result"]
    assert len(result["structuredContent"]["text"]) == 3 << 20
    error = trouble_pipe.call("speak_at_length", {"size": 9 << 20}, A)["error"]
    assert error["code"] == -32603
    assert trouble_pipe.call("say_nothing", {}, A)["result"]["isError"] is False


# Sessions


def sell(pipe: Pipe, meta: dict[str, Any] | None = None) -> int:
    answer = pipe.call("sell", {}, meta)
    number: int = answer["result"]["structuredContent"]["number"]
    return number


def test_sessions_know_nothing_of_each_other(trouble_pipe: Pipe) -> None:
    names = [session(f"apart {number}", 7) for number in range(5)]
    first = sell(trouble_pipe, session("alone", 7))
    assert [sell(trouble_pipe, name) for name in names] == [first] * 5
    assert sell(trouble_pipe, names[0]) == first - 1
    trouble_pipe.ask(Hidden.RESET, names[0])
    assert sell(trouble_pipe, names[0]) == first
    assert sell(trouble_pipe, names[1]) == first - 1


def test_a_request_without_a_session_goes_to_the_default_one(trouble_pipe: Pipe) -> None:
    first = sell(trouble_pipe)
    assert sell(trouble_pipe) == first - 1
    same_seed = sell(trouble_pipe, session("as the default", 0))
    assert same_seed == first
    trouble_pipe.ask(Hidden.CLOSE)
    assert sell(trouble_pipe) == first


@pytest.mark.parametrize(
    ("meta", "reason"),
    [
        (session("never opened"), "unknown_session"),
        (session("a", 8), "other_seed"),
        (session("a", True), "other_seed"),
        (session("new", -1), "bad_seed"),
        (session("new", 1.0), "bad_seed"),  # type: ignore[arg-type]
        (session("new", None), "unknown_session"),
        ({"io.proverl/seed": 7}, "session_needed"),
        ({"io.proverl/session": ""}, "bad_session_id"),
        ({"io.proverl/session": None}, "bad_session_id"),
        ({"io.proverl/session": "x" * 201}, "bad_session_id"),
        ({"io.proverl/session": 7, "io.proverl/seed": 7}, "bad_session_id"),
    ],
)
def test_a_wrong_session_is_a_clear_error_and_never_another_world(
    pipe: Pipe, meta: dict[str, Any], reason: str
) -> None:
    pipe.ask(Hidden.DIGEST, A)
    for answer in (pipe.call("list_items", {}, meta), pipe.ask(Hidden.DIGEST, meta)):
        assert answer["error"]["code"] == -32602
        assert answer["error"]["data"]["reason"] == reason


def test_a_closed_session_is_unknown_and_its_id_may_be_used_anew(pipe: Pipe) -> None:
    name = session("short", 3)
    digest = pipe.ask(Hidden.DIGEST, name)["result"]["digest"]
    pipe.ask(Hidden.CLOSE, name)
    assert pipe.ask(Hidden.DIGEST, session("short"))["error"]["data"]["reason"] == "unknown_session"
    assert pipe.ask(Hidden.OPEN, session("short", 3))["result"]["resultType"] == "complete"
    assert pipe.ask(Hidden.OPEN, session("short", 3))["error"]["data"]["reason"] == "session_exists"
    assert pipe.ask(Hidden.DIGEST, session("short"))["result"]["digest"] == digest


def test_a_fork_has_the_state_and_goes_its_own_way(trouble_pipe: Pipe) -> None:
    one = session("trunk", 7)
    sold = sell(trouble_pipe, one)
    trouble_pipe.ask(Hidden.FORK, one, **{"as": "branch"})
    assert sell(trouble_pipe, session("branch")) == sold - 1
    assert sell(trouble_pipe, one) == sold - 1
    again = trouble_pipe.ask(Hidden.FORK, one, **{"as": "branch"})
    assert again["error"]["data"]["reason"] == "session_exists"
    assert trouble_pipe.ask(Hidden.CHANGES, one, since="no base64!")["error"]["data"]["reason"] == "bad_snapshot"


# HTTP


HOSTS = [
    ("127.0.0.1:{port}", None, 200),
    ("localhost:{port}", None, 200),
    ("localhost:{port}", "http://localhost:3000", 200),
    ("127.0.0.1:{port}", "http://127.0.0.1:{port}", 200),
    ("evil.example", None, 421),
    ("evil.example:{port}", None, 421),
    ("127.0.0.1.evil.example:{port}", None, 421),
    ("127.0.0.1:{port}", "http://evil.example", 403),
    ("127.0.0.1:{port}", "https://localhost.evil.example", 403),
    ("127.0.0.1:{port}", "null", 403),
]


@pytest.mark.parametrize(("host", "origin", "status"), HOSTS)
def test_only_pages_of_this_machine_may_ask_over_http(web: Http, host: str, origin: str | None, status: int) -> None:
    headers = {"Host": host.format(port=web.port)}
    if origin:
        headers["Origin"] = origin.format(port=web.port)
    found, body = web.ask(message(1, "tools/call", A, name="list_items", arguments={}), headers)
    assert found == status
    assert status != 200 or body["result"]["isError"] is False


@pytest.mark.parametrize("probe", BAD_LINES)
def test_a_bad_body_is_answered_over_http_and_the_sessions_live_on(web: Http, probe: str) -> None:
    line, code, request_id = BAD_LINES[probe]
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
    try:
        status, answer = web.post(line, headers)
    except (BrokenPipeError, ConnectionResetError):
        pytest.fail("the connection was cut")
    if code in (-32700, -32600):
        assert (answer["error"]["code"], answer["id"]) == (code, request_id)
        assert status == (413 if len(line) > 1 << 20 else 400)
    else:  # the SDK looks at the headers first
        assert status >= 400
        assert answer["error"]["code"] < 0
    assert web.ask(message(8, Hidden.DIGEST, A))[1]["result"]["digest"] == LocalSession(shop, 7).digest()


def test_both_protocols_reach_the_same_sessions_over_http(web: Http) -> None:
    status, answer = web.ask(message(1, "tools/call", session("both", 7), name="list_items", arguments={"limit": 2}))
    old = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
    old["params"] = {"name": "list_items", "arguments": {"limit": 2}, "_meta": session("both")}
    status, older = web.post(json.dumps(old).encode(), {"MCP-Protocol-Version": "2025-06-18"})
    assert status == 200
    assert older["result"]["structuredContent"] == answer["result"]["structuredContent"]
    assert web.ask(message(3, Hidden.DIGEST, session("none")))[1]["error"]["data"]["reason"] == "unknown_session"
    assert web.post(b"", method="GET", headers={"MCP-Protocol-Version": "2026-07-28"})[0] == 405


def test_no_answer_over_http_waits_for_nagles_algorithm() -> None:
    with serve.listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP  # only then does asyncio set TCP_NODELAY


def test_a_taken_port_is_a_clear_error(web: Http) -> None:
    with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1 port {web.port}"):
        serve_http(shop, port=web.port)


# Clients that vanish


def test_a_busy_server_dies_with_the_process_that_started_it() -> None:
    parent = f"""
import os, sys, time
sys.path.insert(0, {str(TESTS)!r})
from support.pipe import *
pipe = Pipe({TROUBLE!r}, environment={{{DIE_WITH!r}: str(os.getpid())}})
pipe.call("sell", {{}})
pipe.send(json.dumps(message(9, "tools/call", name="hang", arguments={{"seconds": 600}})).encode())
print(pipe.process.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        server = psutil.Process(int(client.stdout.readline()))
        time.sleep(0.2)  # the request is read, and the tool sleeps; its end of the pipe would go unnoticed for minutes
        os.kill(client.pid, signal.SIGKILL)
        psutil.wait_procs([server], timeout=SILENCE)
        assert not server.is_running() or server.status() == psutil.STATUS_ZOMBIE


def test_the_protocol_keys_of_the_tests_are_those_of_the_protocol() -> None:
    import mcp.types

    assert mcp.types.PROTOCOL_VERSION_META_KEY in MODERN
