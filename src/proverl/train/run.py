"""`proverl train`: the engine by its name.

Covers: reading the tasks and choosing the engine. Does not cover: an engine (trl.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..evaluate import local
from ..records import Json
from ..report import errors
from ..synth import data
from .settings import TINY, TINY_BOUNDS, Settings


def train(engine: str, file: Path, model: str, out: Path, **more: Any) -> list[dict[str, Json]]:
    """Train a model on the tasks of a file; `more` are fields of `Settings`. Returns the figures of each update.

    Raises:
        MissingExtra: the engine is not installed
        UsageError: no such engine, or settings that make no run
        BadFile: the file holds no tasks
    """
    if engine != "trl":
        raise UsageError(f"no engine {engine!r}; known: trl")
    from .trl import train as run

    bounds = TINY_BOUNDS if model == TINY else {}
    return run(Settings(model=model, out=out, **{**bounds, **more}), data.read(file), local, _show)


def _show(update: dict[str, Json]) -> None:
    """One line for each update on standard error."""
    names = ("reward", "reward/goal", "tools/call_frequency", "kl", "loss", "step_time")
    shown = [f"{name} {update[name]:.3f}" for name in names if isinstance(update.get(name), int | float)]
    errors.print(f"update {update['update']}: " + ", ".join(shown))
