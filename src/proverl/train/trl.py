"""GRPO on live sessions with TRL: one machine, a CPU included.

Covers: the seam to TRL's trainer (dataset, rollout function, reward function), merging the rollouts' next turns into
one generation, figures and the run's files. Does not cover: many machines (verl.py), or the loop itself (rollout/).

TRL's own tool loop is not used: it takes schemas from Python signatures, drops malformed calls, and has no user turns.
Its `rollout_func` is marked as experimental, so the `train` extra pins the minor version of trl.

A run writes to its folder: settings.json, rollouts.jsonl (a line for each rollout: update, trace, score),
metrics.jsonl (a line for each update), model/ (weights and tokenizer). TRL's own table of completions is left off: it
fails as soon as one argument has had two JSON types.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import math
import os
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InfrastructureError, MissingExtra, UsageError
from ..records import Json, Message, Score, Task, Trace, plain
from ..rollout import Limits, Opener, Sampled, TokenCodec, TokenPrompt, play
from .figures import figures
from .settings import TINY, Settings

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


def train(
    settings: Settings,
    tasks: Sequence[Task],
    open_session: Opener,
    on_update: Callable[[dict[str, Json]], None] = lambda figures: None,
) -> list[dict[str, Json]]:
    """Train with GRPO; returns the figures of each update, which are also in metrics.jsonl and told to `on_update`.

    Raises:
        MissingExtra: torch or trl is not installed
        UsageError: the model cannot be used, or no task fits
        InfrastructureError: too many rollouts failed for the machine's fault
    """
    _require()
    settings.out.mkdir(parents=True, exist_ok=True)
    (settings.out / "settings.json").write_text(json.dumps(_shown(settings), indent=2) + "\n", encoding="utf-8")
    import torch
    from transformers import AutoTokenizer

    from ..reward import score

    if not torch.cuda.is_available():
        torch.set_num_threads(settings.threads)
    folder = _model(settings, tasks, open_session)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
    except (OSError, ValueError) as error:
        raise UsageError(f"no model {folder!r}: {error}") from None
    rank = os.environ.get("RANK", "0")
    name = "rollouts.jsonl" if rank == "0" else f"rollouts-{rank}.jsonl"
    updates: list[dict[str, Json]] = []
    with (settings.out / name).open("w", encoding="utf-8") as rollouts:

        def record(entry: dict[str, Json]) -> None:
            rollouts.write(json.dumps(entry, ensure_ascii=False) + "\n")
            rollouts.flush()

        spec = Spec(
            tasks,
            open_session,
            tokenizer,
            lambda task, trace: score(task, trace, settings.profile),
            settings.limits,
            reply_tokens=settings.reply_tokens,
            group=settings.group,
            record=record,
        )
        if settings.batch > spec.tasks:
            raise UsageError(f"batch {settings.batch} is more than the {spec.tasks} tasks that fit the limits")
        callback = _metrics_file(settings.out / "metrics.jsonl", spec, settings.max_masked, (updates.append, on_update))
        trainer = _trainer(settings, folder, tokenizer, spec, callback)
        trainer.train()
    trainer.save_model(str(settings.out / "model"))
    tokenizer.save_pretrained(settings.out / "model")
    _check_masked(spec, settings.max_masked)
    return updates


def _require() -> None:
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    try:
        import torch  # noqa: F401
        import trl  # noqa: F401
    except ImportError as error:
        raise MissingExtra(f"training needs {error.name}: pip install 'proverl[train]'") from None


def _shown(settings: Settings) -> dict[str, Json]:
    found = dataclasses.asdict(settings)
    return {**found, "out": str(settings.out)}


def _model(settings: Settings, tasks: Sequence[Task], open_session: Opener) -> str:
    """The folder or name of the model to train; a tiny one is made first."""
    if settings.model != TINY:
        return settings.model
    from . import tiny

    folder = tiny.make(tasks, settings.out / "start", settings.seed)
    tiny.warm(folder, tasks, open_session, updates=settings.warm_updates, seed=settings.seed)
    return str(folder)


def _trainer(settings: Settings, folder: str, tokenizer: Any, spec: Spec, callback: Any) -> Any:
    import torch
    from transformers import PrinterCallback
    from trl import GRPOConfig, GRPOTrainer

    accelerated = torch.cuda.is_available()
    rollouts = settings.batch * settings.group
    config = GRPOConfig(
        output_dir=str(settings.out),
        max_steps=settings.steps,
        learning_rate=settings.learning_rate,
        beta=settings.beta,
        num_generations=settings.group,
        generation_batch_size=rollouts,
        per_device_train_batch_size=settings.micro_batch,
        gradient_accumulation_steps=rollouts // settings.micro_batch,
        max_completion_length=settings.limits.response_tokens,
        temperature=settings.temperature,
        loss_type="dapo",  # the mean over all tokens of the update, as verl's default
        scale_rewards="group",
        epsilon=0.2,
        lr_scheduler_type="constant",
        seed=settings.seed,
        bf16=accelerated,
        use_cpu=not accelerated,
        gradient_checkpointing=accelerated,
        use_vllm=settings.vllm,
        vllm_mode="colocate",
        report_to=list(settings.report_to) or "none",
        logging_steps=1,
        log_completions=False,
        save_strategy="no",
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        model=folder,
        args=config,
        processing_class=tokenizer,
        train_dataset=spec.train_dataset,
        rollout_func=spec.rollout_func,
        reward_funcs=spec.reward_funcs,
        callbacks=[callback],
        peft_config=_lora(settings.lora_rank),
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _lora(rank: int) -> Any:
    if not rank:
        return None
    from peft import LoraConfig

    return LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM")


def _metrics_file(path: Path, spec: Spec, max_masked: float, told: Sequence[Callable[[dict[str, Json]], None]]) -> Any:
    """A callback that writes each update's figures as a line, tells them, and ends a run that masks too much."""
    from transformers import TrainerCallback

    path.write_text("", encoding="utf-8")

    class MetricsFile(TrainerCallback):  # type: ignore[misc]
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if not state.is_world_process_zero or not logs or "reward" not in logs:
                return
            finite = {key: value if math.isfinite(value or 0) else None for key, value in logs.items()}
            entry = {"update": state.global_step, **finite}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
            for tell in told:
                tell(entry)
            if spec.rollouts * max_masked >= 1:
                _check_masked(spec, max_masked)

    return MetricsFile()


def _check_masked(spec: Spec, most: float) -> None:
    """Refuse a run in which crashing the machine would be a way out."""
    if len(spec.masked) > most * spec.rollouts:
        raise InfrastructureError(
            f"{len(spec.masked)} of {spec.rollouts} rollouts were masked, more than {most:.1%}; "
            f"the first: {spec.masked[0]}"
        )
