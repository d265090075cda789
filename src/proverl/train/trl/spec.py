"""The interface to TRL's trainer: dataset, rollout function, reward function.

Covers: what the trainer is handed, and what its rollouts are handed back as. Does not cover: merging turns into one
generation (batcher.py) or the run and its files (trainer.py).

TRL's own tool loop is not used: it takes schemas from Python signatures, drops malformed calls, and has no user turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ...errors import UsageError
from ...records import Json, Limits, Message, Score, Task, Trace, plain
from ...rollout import Opener, TokenCodec, play
from ..metrics import figures
from .batcher import Batcher

Scorer: TypeAlias = Callable[[Task, Trace], Score]
"""The reward of an unmasked trace."""


TASK_KEY = "task_id"


class Spec:
    """What TRL's trainer is given: `train_dataset`, `rollout_func`, `reward_funcs`.

    `tasks` whose prompt is longer than the limits allow are left out and named in `too_long`.

    Raises:
        UsageError: no task fits the limits
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        open_session: Opener,
        tokenizer: Any,
        score: Scorer,
        limits: Limits,
        *,
        reply_tokens: int,
        group: int,
        record: Callable[[dict[str, Json]], None] = lambda entry: None,
    ) -> None:
        self._codec = TokenCodec(tokenizer)
        self._open = open_session
        self._score = score
        self._limits = limits
        self._reply_tokens = reply_tokens
        self._group = group
        self._record = record
        fits = {task.id: self._prompt_length(task) <= limits.prompt_tokens for task in tasks}
        self._tasks = {task.id: task for task in tasks if fits[task.id]}
        self.too_long = tuple(task.id for task in tasks if not fits[task.id])
        self.rollouts = 0
        self.masked: list[str] = []
        if not self._tasks:
            raise UsageError(f"none of {len(tasks)} tasks has a prompt of at most {limits.prompt_tokens} tokens")

    def _prompt_length(self, task: Task) -> int:
        system = [Message("system", task.system)] if task.system else []
        messages = [*system, Message("user", task.turns[0].user)]
        return len(self._codec.start(messages, task.shown(0), self._limits).prompt().ids)

    @property
    def tasks(self) -> int:
        """The number of tasks that fit the limits."""
        return len(self._tasks)

    @property
    def train_dataset(self) -> Any:
        """The tasks' first messages; the id of the task rides on the message, since TRL hands on the prompt only."""
        from datasets import Dataset

        return Dataset.from_list(
            [
                {"prompt": [{"role": "user", "content": task.turns[0].user, TASK_KEY: task.id}]}
                for task in self._tasks.values()
            ]
        )

    def rollout_func(self, prompts: list[list[dict[str, Any]]], trainer: Any) -> dict[str, Any]:
        """Play one episode for each prompt, all at once, and return them as TRL wants them."""
        batcher = Batcher(trainer, len(prompts), self._reply_tokens)

        async def episodes() -> list[Trace]:
            return await asyncio.gather(
                *(
                    batcher.track(
                        play(self._tasks[prompt[0][TASK_KEY]], self._open, batcher.generate, self._codec, self._limits)
                    )
                    for prompt in prompts
                )
            )

        traces = asyncio.run(episodes())
        if batcher.error is not None:  # the engine, not one episode, has failed
            raise batcher.error
        end = [self._codec.end_id]
        return {  # a trace without tokens still needs a row; its mask keeps it out of the loss
            "prompt_ids": [list(trace.prompt_ids) or end for trace in traces],
            "completion_ids": [list(trace.response_ids) or end for trace in traces],
            "env_mask": [list(trace.response_mask) or [0] for trace in traces],
            "logprobs": [list(trace.logprobs) or [0.0] for trace in traces] if batcher.has_logprobs else None,
            "trace": traces,
        }

    @property
    def reward_funcs(self) -> Callable[..., list[float | None]]:
        """The reward of each trace, None where it is masked; logs the figures and writes the rollouts down."""

        def proverl(
            trace: Sequence[Trace], trainer_state: Any, log_metric: Callable[[str, float], None], **_: Any
        ) -> list[float | None]:
            scores = [None if one.masked else self._score(self._tasks[one.task_id], one) for one in trace]
            for name, value in figures(trace, scores, self._group).items():
                log_metric(name, value)
            for one, score in zip(trace, scores, strict=True):
                found = None if score is None else plain(score)
                self._record({"update": trainer_state.global_step, "trace": plain(one), "score": found})
            self.rollouts += len(trace)
            self.masked.extend(one.masked for one in trace if one.masked)
            return [None if score is None else score.total for score in scores]

        return proverl
