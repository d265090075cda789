"""`proverl train`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..records import Json
from .app import app
from .options import Profile, RunSeed


@app.command()
def train(
    file: Annotated[Path, typer.Option("--data", help="a file of tasks")],
    model: Annotated[
        str, typer.Option(help="a model's folder or name; `tiny` makes a small one from scratch")
    ] = "tiny",
    engine: Annotated[Literal["trl"], typer.Option(help="the training engine")] = "trl",
    steps: Annotated[int, typer.Option(help="updates")] = 350,
    out: Annotated[Path, typer.Option(help="the run's folder")] = Path("out/train"),
    profile: Profile = "robust",
    learning_rate: Annotated[float, typer.Option(help="learning rate")] = 1e-6,
    group: Annotated[int, typer.Option(help="rollouts of one task in an update")] = 16,
    batch: Annotated[int, typer.Option(help="tasks in an update")] = 16,
    seed: RunSeed = 0,
) -> None:
    """Train a policy with GRPO on live sessions."""
    from ..evaluate import local
    from ..synth import data
    from ..train.settings import TINY, TINY_BOUNDS, Settings
    from ..train.trl.trainer import train as run

    bounds = TINY_BOUNDS if model == TINY else {}
    more: dict[str, Any] = {
        "steps": steps,
        "profile": profile,
        "learning_rate": learning_rate,
        "group": group,
        "batch": batch,
    }
    run(Settings(model=model, out=out, seed=seed, **{**bounds, **more}), data.read(file), local, _show)


def _show(update: dict[str, Json]) -> None:
    """One line for each update on standard error."""
    from .tables import errors

    names = ("reward", "reward/goal", "tools/call_frequency", "kl", "loss", "step_time")
    shown = [f"{name} {update[name]:.3f}" for name in names if isinstance(update.get(name), int | float)]
    errors.print(f"update {update['update']}: " + ", ".join(shown))
