"""`proverl laws`."""

from __future__ import annotations

from typing import Annotated

import typer

from .app import app
from .options import AsJson, ServerName


@app.command()
def laws(
    server: ServerName,
    calls: Annotated[int, typer.Option(help="calls with generated arguments, on each world")] = 200,
    seeds: Annotated[int, typer.Option(help="worlds")] = 3,
    as_json: AsJson = False,
) -> None:
    """Check what every server must obey: atomic calls, determinism, honest annotations, declared refusals, phrases."""
    from .. import servers
    from ..laws import check
    from ..synth.phrases import read
    from .tables import show

    found = check(servers.load(server), seeds=range(seeds), calls=calls)
    show(f"Laws on {server}", found.rows(), as_json=as_json)
    if servers.load(server).has("phrases.toml"):
        read(servers.load(server))
    raise typer.Exit(0 if found.ok else 1)
