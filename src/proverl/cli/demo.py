"""`proverl demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .options import AsJson, RunSeed


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="the run's folder")] = Path("out/demo"),
    count: Annotated[int, typer.Option(help="conversations")] = 60,
    seed: RunSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Synthesise, replay, roll out six scripted policies and score them."""
    from .flow import demo as run

    run(out, count, seed, as_json=as_json)
