"""The next turns of many rollouts as one generation of TRL's trainer.

Covers: waiting until every rollout under way has asked, and one call of the engine for all of them. Does not cover:
what a rollout is (rollout/).
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from ...errors import InfrastructureError
from ...records import Trace
from ...rollout import Sampled, TokenPrompt


class Batcher:
    """Collects the next turns of concurrent episodes into one generation of the trainer's own backend.

    A generation starts as soon as every episode that is still going on waits for one.
    """

    def __init__(self, trainer: Any, episodes: int, reply_tokens: int) -> None:
        self._trainer = trainer
        self._going = episodes
        self._reply_tokens = reply_tokens
        self._waiting: list[tuple[TokenPrompt, asyncio.Future[Sampled]]] = []
        self.has_logprobs = False
        self.error: Exception | None = None

    async def track(self, episode: Coroutine[Any, Any, Trace]) -> Trace:
        """An episode that counts as going on until it ends."""
        try:
            return await episode
        finally:
            self._going -= 1
            self._generate_when_all_wait()

    async def generate(self, prompt: TokenPrompt) -> Sampled:
        """The next assistant turn of one episode."""
        future: asyncio.Future[Sampled] = asyncio.get_running_loop().create_future()
        self._waiting.append((prompt, future))
        self._generate_when_all_wait()
        return await future

    def _generate_when_all_wait(self) -> None:
        waiting = [(prompt, future) for prompt, future in self._waiting if not future.done()]
        if not waiting or len(waiting) < self._going:
            self._waiting = waiting
            return
        self._waiting = []
        try:
            sampled = self._sample([prompt for prompt, _ in waiting])
        except Exception as error:
            self.error = error
            for _, future in waiting:
                future.set_exception(InfrastructureError(f"{type(error).__name__}: {error}"))
            return
        for (_, future), one in zip(waiting, sampled, strict=True):
            future.set_result(one)

    def _sample(self, prompts: Sequence[TokenPrompt]) -> list[Sampled]:
        trainer = self._trainer
        _limit_reply(trainer, min(self._reply_tokens, max(prompt.room for prompt in prompts)))
        ids, logprobs = trainer._generate_single_turn([list(prompt.ids) for prompt in prompts], None, {}, 1)
        self.has_logprobs = logprobs is not None
        ends = set(trainer.eos_token_ids)
        return [
            Sampled(one, None if logprobs is None else logprobs[place], finished=bool(one) and one[-1] in ends)
            for place, one in enumerate(ids)
        ]


def _limit_reply(trainer: Any, tokens: int) -> None:
    """Bound the next generation; TRL knows one length for all of a completion, and each backend keeps its own."""
    if getattr(trainer, "generation_config", None) is not None:
        trainer.generation_config.max_new_tokens = tokens
    if getattr(trainer, "use_vllm", False):
        trainer.vllm_generation.max_completion_length = tokens
