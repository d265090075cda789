"""`proverl sample`."""

from __future__ import annotations

from .app import app
from .options import AsJson, ServerName, WorldSeed


@app.command()
def sample(server: ServerName, seed: WorldSeed = 0, as_json: AsJson = False) -> None:
    """Show the real entities of a world as the sampler finds them through the tools."""
    from .. import servers
    from ..synth.converse import Domain
    from .tables import show

    rows = Domain.of(servers.load(server)).context(seed).summary()
    show(f"Entities of {server}, seed {seed}", rows, as_json=as_json)
