"""Episodes on the shop: what tests of the rollout say and do."""

import asyncio

from proverl.chat import Asked, Reply, Scripted
from proverl.policies.acting import Acting
from proverl.policies.scripted import POLICIES
from proverl.records import Kind, Task, Trace
from proverl.rollout import DEFAULT, Limits, MessageCodec, Opener, Sampled, TokenCodec, TokenPrompt, asking, play
from support.shop.tasks import (
    open_session,
)
from support.shop.tokenizer import CharacterTokenizer

CODEC = TokenCodec(CharacterTokenizer())


def say(*replies: Reply | str):
    """A `generate` that gives these replies."""
    return asking(Scripted(replies))


def call(tool: str, /, **arguments) -> Reply:
    return Reply("", (Asked(tool, arguments),))


def episode(task: Task, *replies: Reply | str, opener: Opener = open_session, **limits) -> Trace:
    """The trace of a task with these assistant turns."""
    return asyncio.run(play(task, opener, say(*replies), MessageCodec(), Limits(**limits)))


def kinds(trace: Trace) -> list[list[Kind]]:
    return [[call.outcome.kind for call in turn.calls] for turn in trace.turns]


def act(task: Task, name: str, limits: Limits = DEFAULT) -> Trace:
    """A scripted policy through the message codec."""
    return asyncio.run(play(task, open_session, asking(Acting(POLICIES[name], task)), MessageCodec(), limits))


def act_in_tokens(task: Task, name: str, codec: TokenCodec = CODEC, limits: Limits = DEFAULT) -> Trace:
    """The same policy through the token codec: it reads the decoded conversation and its replies are sampled ids."""
    policy = Acting(POLICIES[name], task)

    async def generate(prompt: TokenPrompt) -> Sampled:
        return Sampled(codec.spell(policy.next(prompt.messages)))

    return asyncio.run(play(task, open_session, generate, codec, limits))
