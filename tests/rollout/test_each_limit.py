"""Every limit of an episode is honoured: a limit that is added to `Limits` needs an episode here that runs into it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from proverl.chat import Reply, ToolCall
from proverl.errors import UsageError
from proverl.records import DEFAULT_LIMITS, Limits, Trace
from proverl.rollout import MessageCodec, play
from proverl.world.session import LocalSession
from support.shop import server
from support.shop.episodes import act, act_in_tokens, say
from support.shop.tasks import buy_and_cancel, irrelevant, open_session

PAUSE = 0.05
"""Longer than the time allowed, much shorter than the time allowed by default."""


def right(limits: Limits) -> Trace:
    return act(buy_and_cancel(), "ground_truth", limits)


def right_in_tokens(limits: Limits) -> Trace:
    return act_in_tokens(irrelevant(), "ground_truth", limits=limits)


def two_at_once(limits: Limits) -> Trace:
    replies = Reply("", (ToolCall("list_items", {"limit": 1}),) * 2), "No."
    return asyncio.run(play(irrelevant(), open_session, say(*replies), MessageCodec(), limits))


def slow_calls(limits: Limits) -> Trace:
    class Slow(LocalSession):
        async def acall(self, name: str, arguments: dict[str, Any]) -> Any:
            await asyncio.sleep(PAUSE)
            return self.call(name, arguments)

    async def slow(name: str, seed: int) -> LocalSession:
        return Slow(server, seed)

    replies = Reply("", (ToolCall("list_items", {"limit": 1}),)), "No."
    return asyncio.run(play(irrelevant(), slow, say(*replies), MessageCodec(), limits))


def slow_words(limits: Limits) -> Trace:
    async def slow(prompt: object) -> Reply:
        await asyncio.sleep(PAUSE)
        return Reply("No.")

    return asyncio.run(play(irrelevant(), open_session, slow, MessageCodec(), limits))


EPISODES: dict[str, tuple[float, Callable[[Limits], Trace], str]] = {
    "assistant_turns": (1, right, "assistant_turns"),
    "user_messages": (1, right, "user_turns"),
    "calls_per_turn": (1, two_at_once, "too_many_calls"),
    "prompt_tokens": (1, right_in_tokens, "length"),
    "response_tokens": (1, right_in_tokens, "length"),
    "call_seconds": (PAUSE / 5, slow_calls, "deadline"),
    "generate_seconds": (PAUSE / 5, slow_words, "deadline"),
    "episode_seconds": (PAUSE / 5, slow_words, "deadline"),
}
"""For each limit a narrow value, an episode that runs into it, and the end or the code of a call that tells so."""

LIMITS = [one.name for one in fields(Limits)]


def only(limit: str, value: float) -> Limits:
    """The default limits but for one."""
    given: dict[str, Any] = {limit: value}
    return Limits(**given)


def ends(trace: Trace) -> set[str]:
    return {trace.stop} | {call.outcome.code for turn in trace.turns for call in turn.calls}


@pytest.mark.parametrize("limit", LIMITS)
def test_each_limit_alone_holds_back_an_episode_that_is_free_without_it(limit: str) -> None:
    value, episode, end = EPISODES[limit]
    assert end in ends(episode(only(limit, value)))
    assert ends(episode(DEFAULT_LIMITS)) <= {"answered", ""}


@pytest.mark.parametrize("value", [0, -1, float("nan")])
@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_that_lets_nothing_happen_is_refused_by_name(limit: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"^{limit} is "):
        only(limit, value)


def test_a_call_beyond_the_limit_of_an_assistant_turn_is_told_when_it_can_be_made() -> None:
    refused = two_at_once(Limits(calls_per_turn=1)).turns[0].calls[1].outcome
    told = "at most 1 calls of one assistant turn are executed; the rest can be made in the next"
    assert refused.message == f"not executed: {told}"
