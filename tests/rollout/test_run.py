"""The loop and what a call comes to."""

import asyncio
import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from proverl.chat import Reply, Scripted, ToolCall, hermes
from proverl.errors import InfrastructureError, ServerDied, UsageError
from proverl.policies.acting import Acting
from proverl.policies.scripted import POLICIES
from proverl.records import Call, Kind, Limits, Outcome, Trace, Turn, dump, load
from proverl.rollout import MessageCodec, asking, play, run
from proverl.wire.manager import MCPManager
from proverl.world.session import LocalSession
from support.shop import server
from support.shop.episodes import act, act_in_tokens, call, episode, kinds, say, with_distractor
from support.shop.tasks import (
    TASKS,
    ask_first,
    buy_and_cancel,
    irrelevant,
    open_session,
    purchases,
    tool_comes_later,
    two_at_once,
    world,
)

# What an episode is


@pytest.mark.parametrize("make", TASKS)
def test_the_ground_truth_reaches_the_state_of_the_task_and_changes_exactly_its_rows(make):
    task = make()
    trace = act(task, "ground_truth")
    assert trace.stop == "answered"
    assert not trace.masked
    assert trace.digest == task.digest
    assert [turn.changes for turn in trace.turns] == [turn.changes for turn in task.turns]
    assert all(turn.text for turn in trace.turns)
    assert [[c.name for c in turn.calls] for turn in trace.turns] == [[s.tool for s in t.steps] for t in task.turns]


def test_a_trace_is_a_record_that_comes_back_from_json():
    trace = act_in_tokens(buy_and_cancel(), "ground_truth")
    assert load(Trace, dump(trace)) == trace


def test_an_id_that_the_episode_made_is_taken_from_what_it_saw():
    task = buy_and_cancel()
    ann, pin, items = world()

    async def after_another_purchase(name: str, seed: int) -> LocalSession:
        session = LocalSession(server, seed)
        assert session.call("buy", {"customer_id": ann, "item_ids": [items[2]["item_id"]], "pin": pin}).succeeded
        return session

    policy = Acting(POLICIES["ground_truth"], task)
    trace = asyncio.run(play(task, after_another_purchase, asking(policy), MessageCodec()))
    bought, cancelled = trace.turns[0].calls[1], trace.turns[1].calls[0]
    assert bought.outcome.value["purchase_id"] == purchases()[1]
    assert cancelled.arguments == {"purchase_id": purchases()[1]}
    assert cancelled.outcome.succeeded


def test_calls_of_one_assistant_turn_share_its_number_and_run_in_order():
    trace = act(two_at_once(), "ground_truth")
    assert [c.assistant_turn for c in trace.turns[0].calls] == [0, 0]
    assert [c.outcome.value["purchase_id"] for c in trace.turns[0].calls] == list(purchases())


def test_changes_of_a_turn_are_counted_from_its_own_start():
    trace = act(buy_and_cancel(), "ground_truth")
    first, second = (turn.changes for turn in trace.turns)
    assert {change.op for change in first if change.table == "purchase"} == {"insert"}
    assert {change.op for change in second if change.table == "purchase"} == {"delete"}


# Limits


def test_ten_assistant_turns_are_the_most_and_the_last_calls_still_count():
    trace = episode(irrelevant(), *[call("list_items", limit=1)] * 11)
    assert trace.stop == "assistant_turns"
    assert len(trace.turns[0].calls) == 10
    assert not trace.masked


def test_five_user_messages_are_the_most():
    task = replace(irrelevant(), turns=tuple(Turn(f"Line {n}.", kind="irrelevant") for n in range(7)))
    trace = episode(task, *["No."] * 7)
    assert trace.stop == "user_turns"
    assert len(trace.turns) == 5
    assert [m.content for m in trace.messages if m.role == "user"] == [f"Line {n}." for n in range(5)]


def test_a_user_turn_is_not_begun_when_no_assistant_turn_is_left():
    task = buy_and_cancel()
    trace = episode(task, *[call("list_items", limit=1)] * 2, "Done.", assistant_turns=3)
    assert trace.stop == "assistant_turns"
    assert len(trace.turns) == 1


def test_of_one_assistant_turn_eight_calls_are_executed_and_the_rest_refused_or_judged_by_name_and_arguments():
    good, bad, unknown = (
        ToolCall("list_items", {"limit": 1}),
        ToolCall("list_items", {"limit": "1"}),
        ToolCall("steal", {}),
    )
    broken = ToolCall("", fragment="{", problem="no JSON")
    trace = episode(irrelevant(), Reply("", (*[good] * 8, good, bad, unknown, broken)), "No.")
    found = trace.turns[0].calls
    assert [c.outcome.kind for c in found[:8]] == [Kind.OK] * 8
    assert [c.outcome.kind for c in found[8:]] == [
        Kind.REFUSED,
        Kind.BAD_ARGUMENTS,
        Kind.UNKNOWN_TOOL,
        Kind.UNPARSABLE,
    ]
    assert found[8].outcome.code == "too_many_calls"
    assert len([m for m in trace.messages if m.role == "tool"]) == 12


def test_calls_of_a_turn_that_was_cut_off_are_recorded_and_not_executed():
    task = buy_and_cancel()
    ann, pin, items = world()
    bought = ToolCall("buy", {"customer_id": ann, "item_ids": [items[0]["item_id"]], "pin": pin})
    trace = episode(task, Reply("", (bought, ToolCall("", fragment='{"na', problem="cut")), truncated=True))
    assert trace.stop == "length"
    assert kinds(trace) == [[Kind.REFUSED, Kind.UNPARSABLE]]
    assert trace.turns[0].changes == ()


def test_a_call_beyond_its_deadline_masks_the_trace():
    class Slow(LocalSession):
        async def acall(self, name, arguments):
            await asyncio.sleep(60)
            raise AssertionError

    async def slow(name: str, seed: int) -> LocalSession:
        return Slow(server, seed)

    trace = episode(irrelevant(), call("list_items"), opener=slow, call_seconds=0.01)
    assert trace.stop == "deadline"
    assert trace.masked
    assert kinds(trace) == [[Kind.INFRASTRUCTURE]]


@pytest.mark.parametrize("limits", [Limits(generate_seconds=0.01), Limits(episode_seconds=0.01)])
def test_a_generation_beyond_its_deadline_or_the_episodes_masks_the_trace(limits):
    async def never(prompt) -> Reply:
        await asyncio.sleep(60)
        raise AssertionError

    trace = asyncio.run(play(irrelevant(), open_session, never, MessageCodec(), limits))
    assert trace.stop == "deadline"
    assert trace.masked


# Whose fault it is


def test_a_fault_inside_a_tool_masks_the_trace_and_ends_it(caplog):
    class Broken(LocalSession):
        async def acall(self, name, arguments):
            return Outcome(Kind.INFRASTRUCTURE, code="internal_error", message="boom")

    async def broken(name: str, seed: int) -> LocalSession:
        return Broken(server, seed)

    trace = episode(irrelevant(), Reply("", (ToolCall("list_items"), ToolCall("list_items"))), "No.", opener=broken)
    assert trace.stop == "infrastructure"
    assert "boom" in trace.masked
    assert len(trace.turns[0].calls) == 1


@pytest.mark.parametrize("error", [ServerDied("gone"), RuntimeError("bug"), TimeoutError("late")])
def test_an_error_of_the_session_or_of_the_engine_masks_the_trace_and_raises_nothing(error, caplog):
    class Dying(LocalSession):
        async def acall(self, name, arguments):
            raise error

    async def dying(name: str, seed: int) -> LocalSession:
        return Dying(server, seed)

    async def engine(prompt) -> Reply:
        raise error

    async def unopened(name: str, seed: int) -> LocalSession:
        raise error

    of_session = episode(irrelevant(), call("list_items"), opener=dying)
    of_engine = asyncio.run(play(irrelevant(), open_session, engine, MessageCodec()))
    of_opening = episode(irrelevant(), opener=unopened)
    for trace in (of_session, of_engine, of_opening):
        assert trace.stop == "infrastructure"
        assert str(error) in trace.masked


def test_a_session_that_dies_when_its_state_is_read_masks_the_trace(caplog):
    class Dying(LocalSession):
        def digest(self):
            raise ServerDied("gone")

    async def dying(name: str, seed: int) -> LocalSession:
        return Dying(server, seed)

    assert episode(irrelevant(), "No.", opener=dying).masked


def test_what_the_caller_got_wrong_is_raised():
    async def engine(prompt) -> Reply:
        raise UsageError("the key is refused")

    with pytest.raises(UsageError, match="key"):
        asyncio.run(play(irrelevant(), open_session, engine, MessageCodec()))


def test_play_closes_its_session_and_run_leaves_the_callers_open():
    opened = []

    async def remembering(name: str, seed: int) -> LocalSession:
        opened.append(LocalSession(server, seed))
        return opened[-1]

    asyncio.run(play(irrelevant(), remembering, say("No."), MessageCodec()))
    with pytest.raises(UsageError, match="closed"):
        opened[0].digest()
    mine = LocalSession(server, 7)
    asyncio.run(run(irrelevant(), mine, say("No."), MessageCodec()))
    assert mine.digest()


def test_cancelling_an_episode_closes_all_its_sessions():
    opened = []

    async def remembering(name: str, seed: int) -> LocalSession:
        opened.append(LocalSession(server, seed))
        return opened[-1]

    task = with_distractor(irrelevant())
    script = Scripted([call("far_list_items")])

    async def once_then_never(prompt):
        if script.seen:
            await asyncio.sleep(60)
        return await script.reply(prompt.messages, prompt.tools)

    async def cancelled() -> None:
        going = asyncio.ensure_future(play(task, remembering, once_then_never, MessageCodec()))
        while len(opened) < 2:
            await asyncio.sleep(0)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going

    asyncio.run(cancelled())
    for session in opened:
        with pytest.raises(UsageError, match="closed"):
            session.digest()


def test_one_broken_episode_leaves_the_others_of_a_batch_alone(caplog):
    task = two_at_once()

    async def engine(prompt) -> Reply:
        raise InfrastructureError("lost")

    async def batch() -> list[Trace]:
        good = [play(task, open_session, asking(Acting(POLICIES["ground_truth"], task)), MessageCodec())] * 1
        return await asyncio.gather(play(task, open_session, engine, MessageCodec()), *good)

    bad, good = asyncio.run(batch())
    assert bad.masked
    assert good.digest == task.digest


# Which tools can be called


def test_tools_that_come_with_a_turn_are_announced_in_its_user_message_and_shown_from_then_on():
    task = tool_comes_later()
    model = Scripted(["I have no tool to buy anything.", "Done."])
    trace = asyncio.run(play(task, open_session, asking(model), MessageCodec()))
    (_, before), (_, after) = model.seen
    assert "buy" not in {tool.name for tool in before}
    assert "buy" in {tool.name for tool in after}
    first, second = (message.content for message in trace.messages if message.role == "user")
    assert first == task.turns[0].user
    schema = json.dumps(server.tool("buy").function(), ensure_ascii=False)
    assert second.startswith(task.turns[1].user)
    assert schema in second


# The scripted user


def test_a_question_while_steps_are_undone_is_answered_once_with_the_facts_and_the_turn_goes_on():
    task = buy_and_cancel()
    first = task.turns[0].steps
    trace = episode(
        task,
        "Shall I buy it?",
        *[call(step.tool, **step.arguments) for step in first],
        "Bought.",
        call("cancel_purchase", purchase_id=purchases()[0]),
        "Cancelled.",
    )
    said = [message.content for message in trace.messages if message.role == "user"]
    assert said == [task.turns[0].user, task.turns[0].facts, task.turns[1].user]
    assert [turn.text for turn in trace.turns] == ["Bought.", "Cancelled."]
    assert trace.digest == task.digest


def test_a_second_question_is_not_answered():
    task = buy_and_cancel()
    trace = episode(task, "Shall I buy it?", "Really?", "And this?")
    assert [turn.text for turn in trace.turns] == ["Really?", "And this?"]


def test_a_question_after_the_work_is_done_ends_the_turn():
    task = buy_and_cancel()
    work = [call(step.tool, **step.arguments) for step in task.turns[0].steps]
    trace = episode(task, *work, "Bought. Anything else?", "No.")
    assert trace.turns[0].text == "Bought. Anything else?"
    assert task.turns[0].facts not in [message.content for message in trace.messages]


def test_a_look_up_alone_leaves_the_turn_undone():
    task = buy_and_cancel()
    trace = episode(task, call("list_customers", name="Ann"), 'I ask: "Ann?"', "I stop.", "I stop.")
    assert task.turns[0].facts in [message.content for message in trace.messages]


def test_an_answer_to_a_question_uses_up_a_user_message():
    task = buy_and_cancel()
    trace = episode(task, "Shall I?", "No.", user_messages=2)
    assert trace.stop == "user_turns"
    assert len(trace.turns) == 1


def test_a_question_in_a_turn_without_steps_ends_it_and_the_next_turn_holds_the_answer():
    task = ask_first()
    trace = act(task, "ground_truth")
    assert trace.turns[0].text.endswith("?")
    assert len([m for m in trace.messages if m.role == "user"]) == 2


# Calls that cannot be read


def test_a_malformed_call_stays_a_call_with_its_fragment_and_the_policy_reads_a_parse_error():
    fragment = '{"name": "list_items", "arguments": {"limit": 1, "limit": 2}}'
    trace = episode(irrelevant(), hermes(f"<tool_call>{fragment}</tool_call>"), "No.")
    (made,) = trace.turns[0].calls
    assert made.outcome.kind is Kind.UNPARSABLE
    assert made.text == fragment
    (error,) = [message for message in trace.messages if message.role == "tool"]
    assert "occurs twice" in error.content


def test_a_call_record_keeps_what_was_asked_and_when():
    trace = episode(irrelevant(), call("list_items", limit=1), call("list_items", limit=2), "No.")
    made = trace.turns[0].calls
    assert [c.assistant_turn for c in made] == [0, 1]
    assert made[1] == Call("list_items", {"limit": 2}, made[1].outcome, 1)


# Over stdio


def test_an_episode_over_stdio_is_the_same_even_if_its_server_is_killed_in_the_middle():
    tests = str(Path(__file__).parents[1])
    task = buy_and_cancel()
    policy = Acting(POLICIES["ground_truth"], task)
    with MCPManager(environment={"PYTHONPATH": tests}) as manager:

        async def opener(name: str, seed: int):
            return await manager.aopen(f"support.{name}:server", seed)

        async def killing(prompt):
            if len(prompt.messages) == 6:  # between the purchase and its closing words
                os.kill(manager.pid("support.shop:server"), signal.SIGKILL)
            return policy.next(prompt.messages)

        trace = asyncio.run(play(task, opener, killing, MessageCodec()))
        assert manager.restarts == {"support.shop:server": 1}
    here = act(task, "ground_truth")
    assert replace(trace, seconds=0.0) == replace(here, seconds=0.0)
