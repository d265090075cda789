"""One session: seven kinds of outcome as values, a log that rebuilds it, and nothing shared with any other."""

import asyncio
import json
import random
import threading
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import UnknownSession
from proverl.laws.arguments import Generator
from proverl.records import Effect, Kind, Outcome
from proverl.strict_json import Unfit, check_arguments
from proverl.world.domain import Entity, Server, TypedDict, World, refuse, tool
from proverl.world.session import LocalSession
from proverl.world.state import Hot, Store
from support import shop
from support.depot import server


def opened(seed: int = 1) -> LocalSession:
    return LocalSession(server, seed)


class Anything(TypedDict, total=False):
    count: int


def single(effect: Effect, work: Callable[[World], Any]) -> LocalSession:
    """A session of a server with one tool, `body`."""

    def body(world: World) -> Anything:
        """Do what the test wants."""
        return work(world)

    module = ModuleType(__name__)
    vars(module)["body"] = tool(effect)(body)
    entities = Entity("customer", "cus"), Entity("item", "item")
    server = Server(
        "single",
        package=shop.__name__,
        category="",
        about="",
        tools=[module],
        seed=shop.build,
        discovery=[],
        entities=entities,
    )
    return LocalSession(server, 1)


def purchase(session: LocalSession) -> dict:
    """Arguments with which a purchase works."""
    customers = session.call("list_customers", {}).value["customers"]
    items = session.call("list_items", {}).value["items"]
    return {
        "customer_id": max(customers, key=lambda row: row["balance"])["customer_id"],
        "item_ids": [max(items, key=lambda row: row["stock"])["item_id"]],
        "pin": session.secrets()["pin"],
    }


@cache
def plan(seed: int, calls: int) -> list[tuple[str, dict, Outcome]]:
    """Random calls on a session of their own, with what came of them."""
    session = opened(seed)
    generator = Generator(session.tools, seed, secrets=session.secrets())
    made = []
    for _ in range(calls):
        call = generator.call()
        outcome = session.call(call.tool, call.arguments)
        generator.learn(call, outcome)
        made.append((call.tool, call.arguments, outcome))
    return made


# Outcomes


def test_a_success_a_miss_and_a_refusal_are_told_apart():
    session = opened()
    assert session.call("list_customers", {}).kind is Kind.OK
    assert session.call("list_customers", {"name": "nobody"}).kind is Kind.EMPTY
    refused = session.call("cancel_purchase", {"purchase_id": "ord_1"})
    assert (refused.kind, refused.code) == (Kind.REFUSED, "purchase_not_found")
    assert "'ord_1'" in refused.message


@pytest.mark.parametrize(
    "name", ["list_customer", "", "x" * 10**6, "\ud800", "__class__", None, 3, ["buy"], {}, ("buy",)]
)
def test_a_name_that_is_no_tool_is_an_unknown_tool_whatever_it_is(name):
    outcome = opened().call(name, {})
    assert outcome.kind is Kind.UNKNOWN_TOOL
    assert len(outcome.message) < 400
    outcome.observation().encode()


@pytest.mark.parametrize("length", [1, 79, 80, 81, 200])
def test_of_the_name_of_an_unknown_tool_the_first_eighty_letters_are_named(length):
    name = ("0123456789" * 20)[:length]
    assert opened().call(name, {}).message.startswith(f"no tool {name[:80]!r}; ")


def test_an_unknown_tool_is_answered_with_the_nearest_one():
    assert "did you mean 'list_customers'" in opened().call("list_customer", {}).message


@pytest.mark.parametrize(
    "arguments", [None, [], "{}", 3, {"a": float("nan")}, {1: 2}, {"name": "\ud800"}, {"name": b""}]
)
def test_arguments_that_are_no_json_object_are_bad_arguments(arguments):
    outcome = opened().call("list_customers", arguments)
    assert (outcome.kind, outcome.code) == (Kind.BAD_ARGUMENTS, "invalid_json")
    with pytest.raises(Unfit) as caught:
        check_arguments(arguments)
    assert outcome.message == str(caught.value)


@pytest.mark.parametrize(
    ("name", "arguments", "place"),
    [
        ("list_items", {"limit": "7"}, "limit"),
        ("list_items", {"limit": True}, "limit"),
        ("list_items", {"limit": 1.5}, "limit"),
        ("list_items", {"limit": 51}, "limit"),
        ("list_items", {"limit": None}, "limit"),
        ("list_items", {"limits": 1}, "limits"),
        ("cancel_purchase", {}, "purchase_id"),
        ("stock_up", {"lines": [{"item_id": "x", "quantity": 0}]}, "lines.0.quantity"),
        ("stock_up", {"lines": [{"item_id": "x", "quantity": 1, "price": 2}]}, "lines.0"),
    ],
)
def test_arguments_that_break_the_schema_are_bad_arguments_with_their_place(name, arguments, place):
    outcome = opened().call(name, arguments)
    assert (outcome.kind, outcome.code) == (Kind.BAD_ARGUMENTS, "schema")
    assert place in outcome.message
    assert name in outcome.message


@pytest.mark.parametrize("length", [*range(170, 185), 300, 5000])
def test_a_message_on_a_long_value_keeps_its_beginning_and_its_end(length):
    schema, value = server.tool("list_items").input_schema["properties"]["limit"], "x" * length
    (fault,) = jsonschema_rs.validator_for(json.dumps(schema)).iter_errors(value)
    whole = fault.message
    shown = whole if len(whole) <= 200 else f"{whole[:120]} ... {whole[-70:]}"
    message = opened().call("list_items", {"limit": value}).message
    assert message == f"limit: {shown}. See the parameters of list_items"


@pytest.mark.parametrize("wrong", range(1, 9))
def test_a_message_names_all_that_is_wrong_but_no_more_than_five(wrong):
    arguments = {f"word{number}": number for number in range(wrong)}
    lines = [{"item_id": number, "quantity": 1} for number in range(wrong)]
    several = opened().call("stock_up", {"lines": lines[:5]}).message
    assert [f"lines.{number}.item_id: " in several for number in range(6)] == [
        number < wrong for number in range(5)
    ] + [False]
    assert several.count("; ") == min(wrong, 5) - 1
    unknown = opened().call("list_items", arguments).message
    assert all(name in unknown for name in arguments)
    assert not unknown.startswith(":")


def test_a_whole_float_is_the_integer_that_json_schema_says_it_is():
    session = opened()
    exact = session.call("list_items", {"limit": 3})
    assert session.call("list_items", {"limit": 3.0}) == exact
    item = exact.value["items"][0]
    stocked = session.call("stock_up", {"lines": [{"item_id": item["item_id"], "quantity": 2.0}]})
    assert stocked.value["items"] == [{**item, "stock": item["stock"] + 2}]
    assert type(stocked.value["items"][0]["stock"]) is int


def test_our_own_fault_is_infrastructure_and_logged_and_changes_nothing(caplog):
    session = opened()
    arguments = purchase(session)
    digest = session.digest()

    def fail(sql: str) -> None:
        if sql.startswith("INSERT INTO purchase_line"):
            raise ZeroDivisionError("planted")

    session.store.before_write = fail
    caplog.clear()
    outcome = session.call("buy", arguments)
    (logged,) = caplog.records
    assert (logged.levelname, logged.getMessage()) == ("ERROR", f"depot.buy failed on {arguments!r}")
    assert logged.exc_info is not None
    assert logged.exc_info[0] is ZeroDivisionError
    assert outcome == Outcome(Kind.INFRASTRUCTURE, code="internal_error", message="ZeroDivisionError: planted")
    session.store.before_write = None
    assert session.digest() == digest
    assert session.call("buy", arguments).kind is Kind.OK


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_the_process_passes_through_and_leaves_the_state_whole(ending):
    session = opened()
    arguments = purchase(session)
    digest = session.digest()
    writes = []

    def fail(sql: str) -> None:
        writes.append(sql)
        if len(writes) == 3:
            raise ending

    session.store.before_write = fail
    with pytest.raises(ending):
        session.call("buy", arguments)
    session.store.before_write = None
    assert session.digest() == digest
    assert session.call("buy", arguments).kind is Kind.OK


def test_a_write_moves_the_clock_and_nothing_else_does():
    session = opened()
    clock = "SELECT now FROM world_clock"
    start = session.store.connection().execute(clock).get
    arguments = purchase(session)
    session.call("buy", {**arguments, "pin": "wrong"})
    assert session.store.connection().execute(clock).get == start
    session.call("buy", arguments)
    assert session.store.connection().execute(clock).get == start + 60


@pytest.mark.parametrize(
    ("effect", "result", "kind"),
    [
        ("read", {"count": 0, "rows": []}, Kind.EMPTY),
        ("read", {"count": 3, "rows": []}, Kind.OK),  # a page behind the last one
        ("read", {"count": 0, "rows": [1]}, Kind.EMPTY),
        ("read", {"rows": []}, Kind.EMPTY),
        ("read", {"rows": [], "others": [], "name": "x"}, Kind.EMPTY),
        ("read", {"rows": [], "others": [0]}, Kind.OK),
        ("read", {"name": ""}, Kind.OK),
        ("read", {}, Kind.OK),
        ("write", {"count": 0, "rows": []}, Kind.OK),
        ("destructive", {"rows": []}, Kind.OK),
    ],
)
def test_a_read_that_found_nothing_is_empty_and_a_write_never_is(effect, result, kind):
    outcome = single(effect, lambda world: result).call("body", {})
    assert (outcome.kind, outcome.value) == (kind, result)


def test_a_session_says_which_world_it_is_and_how_many_calls_it_had():
    session = opened(9)
    session.call("list_items", {})
    session.call("list_item", {})
    assert repr(session) == "LocalSession('depot', seed=9, calls=2)"
    assert (session.server, session.seed, session.definition, session.tools) == ("depot", 9, server, server.tools)
    assert session.store.template is server.template(9)


def test_an_outcome_has_what_arguments_stand_for_even_if_it_is_a_refusal():
    session = opened()
    lines = [{"item_id": session.call("list_items", {}).value["items"][0]["item_id"], "quantity": 1}]
    assert session.call("stock_up", {"lines": lines}).resolved == {"lines": lines}

    def refused(world: World) -> None:
        world.resolves("at", "2031-05-14")
        refuse("too_late", "no")

    outcome = single("write", refused).call("body", {})
    assert outcome == Outcome(Kind.REFUSED, code="too_late", message="no", resolved={"at": "2031-05-14"})


# The log


def test_whoever_holds_the_log_can_rebuild_the_session():
    session = opened(5)
    for name, arguments, _ in plan(5, 60):
        session.call(name, arguments)
    again = opened(5)
    for name, arguments, outcome in session.log:
        assert again.call(name, arguments) == outcome
    assert again.digest() == session.digest()
    assert len(session.log) == 60


def spoil(value):
    """Change everything that can be changed in a value."""
    if isinstance(value, dict | list):
        for item in list(value.values() if isinstance(value, dict) else value):
            spoil(item)
        value.clear()


def test_whoever_spoils_arguments_and_results_changes_neither_the_log_nor_forks():
    session = opened()
    bought = purchase(session)
    lines = [{"item_id": bought["item_ids"][0], "quantity": 2}]
    calls = [("list_items", {"limit": 2}), ("buy", bought), ("stock_up", {"lines": lines}), ("buy", {"item_ids": []})]
    outcomes = [session.call(*call) for call in calls]
    twin = session.fork()
    expected = repr(session.log)
    for (_, arguments), outcome in [*zip(calls, outcomes, strict=True), *(((n, a), o) for n, a, o in twin.log)]:
        spoil(arguments)
        spoil(outcome.value)
        spoil(outcome.resolved)
    assert repr(session.log) == repr(twin.log) == expected
    assert [len(outcome.resolved) for _, _, outcome in twin.log[-4:]] == [0, 0, 1, 0]


def deep():
    value: list = []
    for _ in range(5000):
        value = [value]
    return value


@pytest.mark.parametrize("name", ["list_items", "nothing", deep(), object()])
@pytest.mark.parametrize("arguments", [deep(), {"limit": deep()}, {"limit": object()}, object()])
def test_no_call_raises_however_deep_or_odd_its_parts_are(name, arguments):
    session = opened()
    assert session.call(name, arguments).kind in (Kind.UNKNOWN_TOOL, Kind.BAD_ARGUMENTS)
    assert len(session.log) == 1


def test_a_session_without_a_log_answers_alike_and_so_do_its_forks():
    session, silent = opened(), LocalSession(server, 1, keep_log=False)
    assert silent.call("list_items", {}) == session.call("list_items", {})
    twin = silent.fork()
    assert twin.call("list_items", {}) == session.call("list_items", {})
    assert silent.log == twin.log == ()


# Forks, attempts, resets


def test_a_fork_carries_state_and_log_and_goes_its_own_way():
    session = opened()
    arguments = purchase(session)
    session.call("buy", arguments)
    twin = session.fork()
    assert (twin.digest(), twin.log, twin.server, twin.seed) == (session.digest(), session.log, "depot", 1)
    digest, log = session.digest(), session.log
    assert twin.call("buy", arguments).kind is Kind.OK
    assert (session.digest(), session.log) == (digest, log)
    assert session.call("buy", arguments) == twin.log[-1][2]
    twin.close()
    assert session.digest() != digest


@given(st.integers(0, 30), st.integers(1, 20), st.booleans(), st.booleans())
def test_an_attempt_takes_back_everything_whatever_was_called_and_however_it_ends(before, inside, evicted, breaks):
    calls = plan(7, 50)
    session = opened(7)
    for name, arguments, _ in calls[:before]:
        session.call(name, arguments)
    if evicted:
        session.store.try_evict()
    digest, log = session.digest(), session.log
    try:
        with session.attempt():
            for number, (name, arguments, _) in enumerate(calls[before : before + inside]):
                with session.attempt():
                    session.call(name, arguments)
                session.call(name, arguments)
                if breaks and number == inside // 2:
                    raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert (session.digest(), session.log) == (digest, log)
    for name, arguments, outcome in calls[before:]:
        assert session.call(name, arguments) == outcome


def test_attempts_under_eviction_pressure_keep_all_sessions_right():
    hot = Hot(limit=2, spare=1)
    calls = plan(3, 40)
    sessions = [LocalSession(server, 3, _store=Store(server.template(3), hot=hot)) for _ in range(5)]
    order = random.Random(1)
    left = {number: iter(calls) for number in range(5)}
    while left:
        number = order.choice(sorted(left))
        made = next(left[number], None)
        if made is None:
            del left[number]
            continue
        name, arguments, outcome = made
        with sessions[number].attempt():
            assert sessions[number].call(name, arguments) == outcome
            sessions[(number + 1) % 5].digest()
            sessions[(number + 2) % 5].call("list_items", {})
        assert sessions[number].call(name, arguments) == outcome
    assert len({session.digest() for session in sessions}) == 1


def test_a_reset_brings_the_initial_state_back_and_empties_the_log():
    session = opened(4)
    initial = session.digest()
    calls = plan(4, 40)
    for _ in range(2):
        for name, arguments, outcome in calls:
            assert session.call(name, arguments) == outcome
        assert session.digest() != initial
        session.reset()
        assert (session.digest(), session.log, session.changes(), session.snapshot()) == (initial, (), (), b"")


def test_changes_since_a_snapshot_show_the_later_turn_only():
    session = opened()
    arguments = purchase(session)
    bought = session.call("buy", arguments).value
    since = session.snapshot()
    assert session.changes(since) == ()
    session.call("cancel_purchase", {"purchase_id": bought["purchase_id"]})
    later = [(change.table, change.op) for change in session.changes(since)]
    assert later == [
        ("customer", "update"),
        ("item", "update"),
        ("purchase", "delete"),
        ("purchase_line", "delete"),
    ]
    assert session.changes() == ()


def test_secrets_are_sorted_by_name():
    session = opened()
    with session.store.transaction():
        for name in ("a", "z", "k"):
            session.store.write("INSERT INTO world_secret VALUES (?, ?)", (name, name.upper()))
    assert list(session.secrets()) == ["a", "k", "pin", "z"]
    assert session.secrets()["z"] == "Z"


def test_secrets_are_those_of_the_state_and_closing_is_the_end():
    session = opened()
    assert list(session.secrets()) == ["pin"]
    session.close()
    session.close()
    for ask in (session.reset, session.fork, session.snapshot, session.changes, session.digest, session.secrets):
        with pytest.raises(UnknownSession, match="closed"):
            ask()
    with pytest.raises(UnknownSession, match="closed"):
        session.call("list_items", {})


# Isolation


@pytest.mark.parametrize("schedule", range(10))
def test_eight_sessions_interleaved_at_random_get_what_each_gets_alone(schedule, cases):
    interleave(schedule, calls=25)
    cases["schedules"] += 1


def interleave(schedule: int, calls: int) -> None:
    hot = Hot(limit=3, spare=2)
    plans = [plan(seed % 4, calls) for seed in range(8)]
    sessions = [LocalSession(server, seed % 4, _store=Store(server.template(seed % 4), hot=hot)) for seed in range(8)]
    turns = [number for number in range(8) for _ in range(calls)]
    random.Random(schedule).shuffle(turns)
    left = [iter(made) for made in plans]
    for number in turns:
        name, arguments, outcome = next(left[number])
        assert sessions[number].call(name, arguments) == outcome
    for number in range(4):
        assert sessions[number].digest() == sessions[number + 4].digest()


def threaded(sessions_per_thread: int, calls: int) -> int:
    """Eight threads, each with sessions of its own on shared templates; all results as in one thread."""
    plans = [plan(seed, calls) for seed in range(3)]
    hot = Hot(limit=5, spare=3)
    failures: list[object] = []
    made = [0] * 8

    def work(number: int) -> None:
        order = random.Random(number)
        try:
            for _ in range(sessions_per_thread):
                seed = order.randrange(3)
                session = LocalSession(server, seed, _store=Store(server.template(seed), hot=hot))
                for name, arguments, outcome in plans[seed]:
                    got = session.call(name, arguments)
                    made[number] += 1
                    if got != outcome:
                        failures.append((name, arguments, got, outcome))
                        return
                if order.random() < 0.5:
                    session.close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[:2]
    return sum(made)


def test_eight_threads_get_the_results_of_one(cases):
    cases["calls in threads"] += threaded(4, calls=30)


@pytest.mark.soak
def test_eight_threads_of_ten_thousand_calls_get_the_results_of_one(cases):
    cases["calls in threads"] += threaded(250, calls=40)


@pytest.mark.soak
def test_sessions_interleaved_in_two_hundred_schedules_get_what_each_gets_alone(cases):
    for schedule in range(200):
        interleave(1000 + schedule, calls=60)
        cases["schedules"] += 1


def test_one_session_called_from_eight_threads_answers_every_call_once():
    session = opened()
    arguments = purchase(session)
    item = arguments["item_ids"][0]
    start = session.call("list_items", {}).value["items"]
    lines = {"lines": [{"item_id": item, "quantity": 1}]}
    threads = [threading.Thread(target=lambda: [session.call("stock_up", lines) for _ in range(40)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    before = next(row["stock"] for row in start if row["item_id"] == item)
    after = next(row["stock"] for row in session.call("list_items", {}).value["items"] if row["item_id"] == item)
    assert after == before + 320


def test_calls_of_many_sessions_in_one_event_loop_do_not_mix():
    async def one(seed: int) -> bool:
        session = opened(seed)
        right = True
        for name, arguments, outcome in plan(seed, 20):
            right &= await session.acall(name, arguments) == outcome
            await asyncio.sleep(0)
        return right

    async def all_of_them() -> list[bool]:
        return await asyncio.gather(*(one(seed % 3) for seed in range(12)))

    assert all(asyncio.run(all_of_them()))


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE item SET stock = 0 RETURNING item_id",
        "  insert into item values ('i', 'n', 1, 1) returning item_id",
        "WITH one AS (SELECT 1)\nDELETE FROM item RETURNING item_id",
        "PRAGMA foreign_keys = OFF",
        "COMMIT",
    ],
)
@pytest.mark.parametrize("method", ["all", "one", "value"])
def test_a_reading_method_refuses_to_write(sql, method):
    session = opened()
    session.call("buy", purchase(session))
    digest = session.digest()
    with pytest.raises(RuntimeError, match=r"use world\.run"):
        getattr(World(session.store, server.offset), method)(sql)
    assert session.digest() == digest


@pytest.mark.parametrize("sql", ["SELECT 1", " with a AS (SELECT updated FROM b) SELECT 1", "VALUES (1)"])
def test_a_reading_method_takes_every_form_of_query(sql):
    sql = sql.replace("updated FROM b", "stock FROM item")
    assert World(opened().store, server.offset).value(sql) == 1
