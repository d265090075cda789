"""The settings of a training run: the paper's, each of which can be changed.

Covers: what a run of either engine is told. Does not cover: an engine's own many options (trl/trainer.py sets them).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import UsageError
from ..records import DEFAULT_LIMITS, MAX_MASKED, Limits, Profile

TINY = "tiny"
"""The model that is made from scratch, for trying out a run without any download."""

TINY_BOUNDS: Final = {"reply_tokens": 96, "warm_updates": 24, "limits": Limits(response_tokens=2_048)}
"""Settings for the tiny model where nothing else is said: it rambles, and a CPU has to follow."""

LEARNING_RATES = {
    "Qwen3-4B-Instruct-2507": 1e-6,
    "Qwen3-8B": 5e-8,
    "Qwen2.5-7B-Instruct": 3e-7,
    "granite-4.1-8b-instruct": 3e-7,
}
"""The paper's learning rate of each model, the only thing it tuned."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One training run.

    An update sees `batch` tasks, `group` rollouts of each. `reply_tokens` bounds one assistant turn. `micro_batch` is
    how many rollouts one backward pass holds, which changes memory and not the result. `max_masked` is the share of
    rollouts that may fail for the machine's fault before the run does. `warm_updates` supervised updates on the ground
    truth precede a model made from scratch, which would otherwise never write a call. `report_to` names trackers of
    transformers (trackio, wandb, tensorboard); the run's own files are always written. `threads` is for runs without an
    accelerator: more than the machine has to spare are many times slower than one.

    Raises:
        UsageError: a number that makes no run
    """

    model: str
    out: Path
    steps: int = 350
    learning_rate: float = 1e-6
    beta: float = 0.01
    group: int = 16
    batch: int = 16
    micro_batch: int = 1
    profile: Profile = "robust"
    limits: Limits = DEFAULT_LIMITS
    reply_tokens: int = 4_096
    temperature: float = 1.0
    seed: int = 0
    lora_rank: int = 0
    vllm: bool = False
    report_to: tuple[str, ...] = ()
    max_masked: float = MAX_MASKED
    warm_updates: int = 120
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "micro_batch", "reply_tokens", "threads"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; at least 1 is needed")
        if self.group < 2:
            raise UsageError(f"group is {self.group}; GRPO compares at least 2 rollouts of a task")
        if self.group * self.batch % self.micro_batch:
            raise UsageError(
                f"micro_batch {self.micro_batch} does not divide the {self.group * self.batch} rollouts of an update"
            )
