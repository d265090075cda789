"""GRPO on live sessions with TRL: one machine, a CPU included.

Covers: the trainer's configuration, figures and the run's files. Does not cover: what the trainer is handed
(spec.py), or many machines.

TRL marks its `rollout_func` as experimental, so the `train` extra pins the minor version of trl.

A run writes to its folder: settings.json, rollouts.jsonl (a line for each rollout: update, trace, score),
metrics.jsonl (a line for each update), model/ (weights and tokenizer). TRL's own table of completions is left off: it
fails as soon as one argument has had two JSON types.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...errors import InfrastructureError, MissingExtra, UsageError
from ...records import Json, Task
from ...rollout import Opener
from ..settings import TINY, Settings
from .spec import Spec


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

    from ...reward import score

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
    from .. import tiny

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
