"""`proverl graph`."""

from __future__ import annotations

from typing import Annotated

import typer

from .app import app
from .options import AsJson, RunSeed, ServerName


@app.command()
def graph(
    server: ServerName,
    chains: Annotated[int, typer.Option(help="draw so many chains instead")] = 0,
    seed: RunSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Show how the tools of a server depend on each other."""
    from .. import servers
    from ..synth.graph import Graph
    from ..synth.phrases import read
    from .tables import show

    known = servers.load(server)
    found = Graph(known.tools, read(known).base) if known.has("phrases.toml") else Graph(known.tools)
    if chains:
        rows = [{"length": len(chain), "chain": list(chain)} for chain in found.chains(chains, seed)]
        show(f"Chains of {server}", rows, as_json=as_json)
        return
    show(f"Dependencies of {server}", found.rows(), as_json=as_json)
