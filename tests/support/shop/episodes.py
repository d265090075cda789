"""Episodes on the shop: what tests of the rollout say and do."""

import asyncio
from dataclasses import replace

from proverl.chat import Reply, Scripted, ToolCall
from proverl.policies.acting import Acting
from proverl.policies.scripted import POLICIES
from proverl.records import DEFAULT_LIMITS, Kind, Limits, Task, Trace
from proverl.rollout import MessageCodec, Opener, Sampled, TokenCodec, TokenPrompt, asking, play
from proverl.world.session import LocalSession
from support.shop import server
from support.shop.tasks import open_session
from support.shop.tokenizer import CharacterTokenizer

CODEC = TokenCodec(CharacterTokenizer())


def say(*replies: Reply | str):
    """A `generate` that gives these replies."""
    return asking(Scripted(replies))


def call(tool: str, /, **arguments) -> Reply:
    return Reply("", (ToolCall(tool, arguments),))


def episode(task: Task, *replies: Reply | str, opener: Opener = open_session, **limits) -> Trace:
    """The trace of a task with these assistant turns."""
    return asyncio.run(play(task, opener, say(*replies), MessageCodec(), Limits(**limits)))


def kinds(trace: Trace) -> list[list[Kind]]:
    return [[call.outcome.kind for call in turn.calls] for turn in trace.turns]


def act(task: Task, name: str, limits: Limits = DEFAULT_LIMITS) -> Trace:
    """A scripted policy through the message codec."""
    return asyncio.run(play(task, open_session, asking(Acting(POLICIES[name], task)), MessageCodec(), limits))


def act_in_tokens(task: Task, name: str, codec: TokenCodec = CODEC, limits: Limits = DEFAULT_LIMITS) -> Trace:
    """The same policy through the token codec: it reads the decoded conversation and its replies are sampled ids."""
    policy = Acting(POLICIES[name], task)

    async def generate(prompt: TokenPrompt) -> Sampled:
        return Sampled(codec.spell(policy.next(prompt.messages)))

    return asyncio.run(play(task, open_session, generate, codec, limits))


def with_distractor(task: Task) -> Task:
    """The task with two tools of another server, which is the shop under another name."""
    far = [replace(server.tool(name), server="far") for name in ("list_items", "buy")]
    renamed = tuple(replace(tool, name=f"far_{tool.name}") for tool in far)
    return replace(task, tools=(*task.tools, *renamed))


class Far(LocalSession):
    """The other server."""

    async def acall(self, name, arguments):
        return self.call(name.removeprefix("far_"), arguments)


async def open_both(name: str, seed: int) -> LocalSession:
    """Opens the shop, or the other server by its name."""
    return Far(server, seed) if name == "far" else LocalSession(server, seed)
