"""Sessions in server processes: the same as in process, whatever happens to the processes."""

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psutil
import pytest

from proverl.errors import BadSeed, InfrastructureError, ReplayDivergence, ServerDied, UnknownServer, UnknownSession
from proverl.laws.arguments import Drawn, Generator
from proverl.records import Kind
from proverl.wire.manager import MCPManager
from proverl.wire.protocol import STOP_BEFORE_REPLY
from proverl.wire.remote import RemoteSession
from proverl.world.session import LocalSession
from support import trouble
from support.differential import differences
from support.pipe import SILENCE, TESTS, Http, HttpSession
from support.shop import server as shop

SHOP, DEPOT, TROUBLE = "support.shop:server", "support.depot:server", "support.trouble:server"


@pytest.fixture(scope="module")
def manager() -> Iterator[MCPManager]:
    with MCPManager() as running:
        yield running


def kill(manager: MCPManager, name: str = SHOP) -> None:
    os.kill(manager.pid(name), signal.SIGKILL)


def plan(seed: int, calls: int) -> list[Drawn]:
    """A stream of calls that gets deep, drawn once from a session in process."""
    session = LocalSession(shop, seed)
    generator = Generator(session.tools, seed, secrets=session.secrets(), text_only=True)
    drawn = []
    for _ in range(calls):
        call = generator.call()
        generator.learn(call, session.call(call.tool, call.arguments))
        drawn.append(call)
    return drawn


def same(remote: RemoteSession, local: LocalSession) -> bool:
    """Whether all that can be asked of the two is equal."""
    assert repr(remote.log) == repr(local.log)
    assert remote.digest() == local.digest()
    assert remote.changes() == local.changes()
    return remote.snapshot() == local.snapshot()


# The same answers


def test_in_process_stdio_and_http_agree_on_every_call(manager: MCPManager) -> None:
    with Http(SHOP) as web:
        sessions = [LocalSession(shop, 5), manager.open(SHOP, 5), HttpSession(web, "a", 5)]
        assert differences(sessions, seed=5, calls=300) == []


def test_a_difference_would_be_found() -> None:
    assert differences([LocalSession(shop, 5), LocalSession(shop, 6)], seed=5, calls=100) != []


def test_a_remote_session_has_all_that_a_session_has(manager: MCPManager) -> None:
    remote, local = manager.open(SHOP, 9), LocalSession(shop, 9)
    assert (remote.server, remote.seed, remote.tools, remote.log) == (local.server, local.seed, local.tools, ())
    assert remote.secrets() == local.secrets()
    middle = None
    for call in plan(9, 60):
        assert remote.call(call.tool, call.arguments) == local.call(call.tool, call.arguments)
        if middle is None and local.changes():
            middle = local.snapshot()
            twin = remote.fork(), local.fork()
    assert middle is not None
    assert same(remote, local)
    assert same(*twin)
    assert remote.changes(middle) == local.changes(middle)
    remote.reset()
    local.reset()
    assert same(remote, local)
    assert remote.log == ()
    remote.close()
    remote.close()
    with pytest.raises(UnknownSession):
        remote.call("list_items", {})
    with pytest.raises(UnknownSession):
        remote.digest()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list_items", {"limit": float("nan")}),
        ("list_items", {"limit": 10**400}),
        ("list_items", {"limit": 2**53}),
        ("list_customers", {"name": "\ud800"}),
        ("list_customers", {1: 2}),
        ("list_customers", {"name": b"bytes"}),
        ("list_customers", [1]),
        ("list_customers", None),
        ("list_custommers", {}),
        ("", {}),
        (None, {}),
    ],
)
def test_what_cannot_be_sent_comes_to_the_same_outcome_as_in_process(
    manager: MCPManager, name: Any, arguments: Any
) -> None:
    assert manager.open(SHOP).call(name, arguments) == LocalSession(shop, 0).call(name, arguments)


def test_arguments_that_no_line_can_hold_are_bad_arguments(manager: MCPManager) -> None:
    outcome = manager.open(SHOP).call("list_customers", {"name": "x" * (1 << 20)})
    assert (outcome.kind, outcome.code) == (Kind.BAD_ARGUMENTS, "invalid_json")
    assert manager.restarts[SHOP] == 0


def spoil(value: Any) -> None:
    """Change everything that can be changed in a value."""
    if isinstance(value, dict | list):
        for item in list(value.values() if isinstance(value, dict) else value):
            spoil(item)
        value.clear()


def test_whoever_spoils_arguments_and_results_changes_neither_the_log_nor_forks_nor_recovery() -> None:
    with MCPManager() as manager:
        session = manager.open(DEPOT)
        item = session.call("list_items", {"limit": 1}).value["items"][0]["item_id"]
        arguments: dict[str, Any] = {"lines": [{"item_id": item, "quantity": 2}]}
        outcome = session.call("stock_up", arguments)
        assert outcome.resolved
        twin, expected, digest = session.fork(), repr(session.log), session.digest()
        for _, given, found in [("", arguments, outcome), *session.log, *twin.log]:
            spoil(given)
            spoil(found.value)
            spoil(found.resolved)
        assert repr(session.log) == repr(twin.log) == expected
        kill(manager, DEPOT)
        assert (session.digest(), twin.digest()) == (digest, digest)


def test_what_was_never_sent_is_logged_and_does_not_trouble_recovery() -> None:
    with MCPManager() as manager:
        session, local = manager.open(SHOP), LocalSession(shop, 0)
        deep: list[Any] = []
        for _ in range(5000):
            deep = [deep]
        odd: list[tuple[Any, Any]] = [("list_items", {"limit": object()}), ("list_items", deep), (deep, {}), ("no", {})]
        for name, arguments in [*odd, ("list_customers", {"name": "x" * (1 << 20)}), ("list_items", {"limit": 0})]:
            assert session.call(name, arguments).kind is local.call(name, arguments).kind
        kill(manager)
        assert session.digest() == local.digest()
        assert [outcome.kind for _, _, outcome in session.log] == [outcome.kind for _, _, outcome in local.log]


def test_the_tools_of_a_remote_session_cannot_be_changed(manager: MCPManager) -> None:
    for tool in manager.open(SHOP).tools:
        with pytest.raises(TypeError):
            tool.input_schema["properties"].clear()


def test_wrong_names_and_seeds_are_clear_errors(manager: MCPManager) -> None:
    for name in ("shopp", "support.shop:nothing"):
        with pytest.raises(UnknownServer, match=name.split(":")[0]):
            manager.open(name)
        assert name not in manager.servers
        with pytest.raises(UnknownServer):
            manager.pid(name)
    for seed in (-1, 2**53, True, 1.0, "1", None):
        with pytest.raises(BadSeed):
            manager.open(SHOP, seed)  # type: ignore[arg-type]


def test_a_server_that_cannot_start_says_why(manager: MCPManager, tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "broken.py").write_text("raise ZeroDivisionError('before it began')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ServerDied, match="before it began"):
        manager.open("broken:server")
    assert "broken:server" not in manager.servers


# Threads and event loops


def test_many_threads_may_use_many_sessions(manager: MCPManager) -> None:
    def run(seed: int) -> bool:
        remote, local = manager.open(SHOP, seed), LocalSession(shop, seed)
        for call in plan(seed, 25):
            assert remote.call(call.tool, call.arguments) == local.call(call.tool, call.arguments)
        return same(remote, local)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, range(100, 112)))


def test_many_tasks_may_use_one_session_and_each_call_happens_once(manager: MCPManager) -> None:
    async def run() -> None:
        session = await manager.aopen(TROUBLE, 3)
        first = (await session.acall("sell", {})).value["number"]
        found = await asyncio.gather(*(session.acall("sell", {}) for _ in range(40)))
        assert [outcome.value["number"] for outcome in found] == [first - number for number in range(1, 41)]

    asyncio.run(run())


def test_a_cancelled_call_is_finished_and_logged(manager: MCPManager) -> None:
    async def run() -> RemoteSession:
        session = await manager.aopen(TROUBLE, 3)
        server = psutil.Process(manager.pid(TROUBLE))
        server.suspend()  # or the call might be over before it is cancelled
        try:
            task = asyncio.create_task(session.acall("say_nothing", {}))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        finally:
            server.resume()
        await session.acall("sell", {})
        return session

    assert [name for name, _, outcome in asyncio.run(run()).log if outcome.succeeded] == ["say_nothing", "sell"]


# Death


def test_sessions_survive_the_death_of_their_server_between_calls() -> None:
    with MCPManager() as manager:
        pairs = [(manager.open(SHOP, seed), LocalSession(shop, seed)) for seed in (1, 2)]
        for number, call in enumerate(plan(1, 30)):
            for remote, local in pairs:
                assert remote.call(call.tool, call.arguments) == local.call(call.tool, call.arguments)
            if number == 15:
                kill(manager)
        forked = pairs[0][0].fork(), pairs[0][1].fork()
        kill(manager)
        assert all(same(remote, local) for remote, local in [forked, *pairs])
        pairs[0][0].reset()
        pairs[0][1].reset()
        assert same(*pairs[0])
        assert manager.restarts == {SHOP: 2}


def stopped(manager: MCPManager, name: str, killed: set[int]) -> psutil.Process:
    """The server's new process, once it has stopped itself between executing a call and answering it."""
    end = time.monotonic() + SILENCE
    while time.monotonic() < end:
        pid = manager.pid(name)
        if pid and pid not in killed:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_STOPPED:
                return process
        time.sleep(0.005)
    raise AssertionError("the server did not stop itself")


def run_with_deaths(calls: list[Drawn], seed: int, stops: list[int]) -> None:
    """Make the calls; the n-th process dies after it executed `stops[n]` calls and before it answered the last one.

    The count includes replayed calls, so a number that is not above the one before kills a recovery.
    """
    environment = {STOP_BEFORE_REPLY: str(stops[0])}
    local = LocalSession(shop, seed)
    right = [local.call(call.tool, call.arguments) for call in calls]
    with MCPManager(environment=environment) as manager, ThreadPoolExecutor(1) as pool:
        remote = manager.open(SHOP, seed)
        running = pool.submit(lambda: [remote.call(call.tool, call.arguments) for call in calls])
        killed: set[int] = set()
        try:
            for number in range(len(stops)):
                process = stopped(manager, SHOP, killed)
                environment[STOP_BEFORE_REPLY] = str(stops[number + 1]) if number + 1 < len(stops) else "0"
                killed.add(process.pid)
                process.kill()
        finally:
            environment[STOP_BEFORE_REPLY] = "0"
        assert running.result(SILENCE) == right
        assert same(remote, local)
        assert manager.restarts == {SHOP: len(stops)}


def sent(calls: list[Drawn], seed: int) -> list[Drawn]:
    """The calls that a server gets, and gets again in a replay."""
    session = LocalSession(shop, seed)
    outcomes = [(call, session.call(call.tool, call.arguments)) for call in calls]
    skipped = ("invalid_json", "internal_error")
    return [call for call, outcome in outcomes if outcome.code not in skipped]


def test_a_call_that_was_executed_and_not_answered_takes_effect_once() -> None:
    calls = sent(plan(4, 40), 4)
    run_with_deaths(calls, 4, [12, 9, 25])  # the second one dies in the middle of the first one's recovery


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_thirty_deaths_between_execution_and_answer(seed: int) -> None:
    calls = sent(plan(seed, 60), seed)
    chance = random.Random(seed)
    first = chance.randrange(5, 20)
    run_with_deaths(calls, seed, [first, chance.randrange(1, first), chance.randrange(first + 1, len(calls))])


@pytest.mark.soak
def test_thirty_deaths_at_any_moment() -> None:
    plans = {seed: plan(seed, 150) for seed in range(6)}
    chance = random.Random(1)
    done = threading.Event()
    waiting: set[int] = set()
    kills: list[int] = []

    def run(manager: MCPManager, seed: int) -> bool:
        remote, local = manager.open(SHOP, seed), LocalSession(shop, seed)
        for call in plans[seed]:
            assert remote.call(call.tool, call.arguments) == local.call(call.tool, call.arguments)
            waiting.discard(seed)
        return same(remote, local)

    def strike(manager: MCPManager) -> None:
        """Kill thirty times: mostly at a random moment of normal work, at times twice more while it recovers."""
        while len(kills) < 30:
            waiting.update(plans)
            while waiting and not done.is_set():  # each session gets on, or the dying would have no end
                time.sleep(0.01)
            for pause in [0.2, 1.0, 1.0][: chance.choice([1, 1, 2, 3])]:
                time.sleep(chance.uniform(0, pause))
                if done.is_set():
                    return
                with contextlib.suppress(ProcessLookupError):  # the last kill may be noticed only now
                    if pid := manager.pid(SHOP):
                        os.kill(pid, signal.SIGKILL)
                        kills.append(pid)

    with MCPManager() as manager, ThreadPoolExecutor(8) as pool:
        manager.open(SHOP).close()
        striker = pool.submit(strike, manager)
        try:
            while not striker.done():
                assert all(pool.map(lambda seed: run(manager, seed), plans))
        finally:
            done.set()
        striker.result()
    assert len(kills) >= 30


def test_a_server_that_repeats_itself_differently_is_found_out() -> None:
    with MCPManager() as manager:
        session, other = manager.open(TROUBLE), manager.open(TROUBLE)
        session.call("which_process", {})
        other.call("sell", {})
        kill(manager, TROUBLE)
        with pytest.raises(ReplayDivergence, match="which_process"):
            session.call("sell", {})
        with pytest.raises(ReplayDivergence):
            session.digest()
        assert other.call("sell", {}).succeeded


def test_a_call_past_its_deadline_is_given_up_and_harms_no_other_session() -> None:
    with MCPManager(deadline=2.0) as manager, ThreadPoolExecutor(8) as pool:  # ample for a call that does not hang
        sessions = [manager.open(TROUBLE, seed) for seed in range(6)]
        first = [session.call("sell", {}).value["number"] for session in sessions]
        late = pool.submit(sessions[0].call, "hang", {"seconds": 100})
        time.sleep(0.1)
        others = list(pool.map(lambda session: session.call("sell", {}), sessions[1:]))
        assert [outcome.value["number"] for outcome in others] == [number - 1 for number in first[1:]]
        assert (late.result().kind, late.result().code) == (Kind.INFRASTRUCTURE, "deadline_exceeded")
        assert sessions[0].call("sell", {}).value["number"] == first[0] - 1
        assert [name for name, _, _ in sessions[0].log] == ["sell", "hang", "sell"]


@pytest.mark.soak
def test_a_call_that_always_kills_its_server_is_given_up_and_harms_no_other_session(monkeypatch: Any) -> None:
    monkeypatch.setattr("proverl.wire.remote.MOST_DEATHS", 3)
    with MCPManager() as manager, ThreadPoolExecutor(4) as pool:
        sessions = [manager.open(TROUBLE, seed) for seed in range(3)]
        first = [session.call("sell", {}).value["number"] for session in sessions]
        deadly = pool.submit(sessions[0].call, "die", {})
        for _ in range(10):
            assert all(session.call("sell", {}).succeeded for session in sessions[1:])
        assert (deadly.result().kind, deadly.result().code) == (Kind.INFRASTRUCTURE, "server_died")
        assert "exit status 9" in deadly.result().message
        found = [session.call("sell", {}).value["number"] for session in sessions]
        assert found == [first[0] - 1, first[1] - 11, first[2] - 11]


# The end


def test_leaving_the_manager_ends_every_process_and_thread() -> None:
    threads = set(threading.enumerate())
    with MCPManager() as manager:
        session = manager.open(SHOP)
        process = psutil.Process(manager.pid(SHOP))
        assert os.getpgid(process.pid) == process.pid
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    assert {thread for thread in set(threading.enumerate()) - threads if "waitpid" not in thread.name} == set()
    with pytest.raises(InfrastructureError, match="closed"):
        session.call("list_items", {})
    with pytest.raises(InfrastructureError, match="closed"):
        manager.open(SHOP)
    manager.close()


def test_a_server_that_does_not_listen_is_ended_too(monkeypatch: Any) -> None:
    monkeypatch.setattr("proverl.wire.process.GRACE", 0.2)
    manager = MCPManager()
    manager.open(SHOP)
    process = psutil.Process(manager.pid(SHOP))
    process.suspend()
    manager.close()
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_without_the_extra_the_command_to_install_it_is_named() -> None:
    code = "import sys; sys.modules['mcp'] = None; import proverl.wire.manager"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=TESTS, timeout=60)
    assert b"MissingExtra" in ended.stderr
    assert b"pip install 'proverl[serve]'" in ended.stderr


def test_the_servers_of_the_tests_differ() -> None:
    assert set(shop.tool_names).isdisjoint(trouble.server.tool_names)
