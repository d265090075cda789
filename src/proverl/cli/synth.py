"""`proverl synth`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .options import RunSeed


@app.command()
def synth(
    out: Annotated[Path, typer.Option(help="the file to write, one task a line")],
    server: Annotated[list[str] | None, typer.Option(help="a server; repeat for several (default: all)")] = None,
    count: Annotated[int, typer.Option(help="conversations")] = 100,
    seed: RunSeed = 0,
) -> None:
    """Make conversations whose every call really executes, and write them; started again it goes on where it was."""
    from .. import servers
    from ..synth import data
    from .progress import counting

    found = [servers.load(name) for name in server or servers.with_phrases()]
    with counting("synthesise conversations", count) as advance:
        made = data.make(found, count, seed, out, advance)
    typer.echo(f"{len(made.tasks)} conversations in {out}; {len(made.failed)} jobs gave none")
