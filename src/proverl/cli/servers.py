"""`proverl servers`."""

from __future__ import annotations

from typing import Annotated

import typer

from .app import app
from .options import AsJson


@app.command(name="servers")
def servers_(
    server: Annotated[str, typer.Argument(help="show the tools of this one")] = "",
    as_json: AsJson = False,
) -> None:
    """List the servers, or the tools of one."""
    from .. import servers
    from .tables import show

    if not server:
        found = [servers.load(name) for name in servers.names()]
        rows = [{"server": s.name, "category": s.category, "tools": len(s.tools), "about": s.about} for s in found]
        show("Servers", rows, as_json=as_json)
        return
    tools = [
        {"tool": t.name, "effect": t.effect, "required": list(t.required), "about": t.description}
        for t in servers.load(server).tools
    ]
    show(f"Tools of {server}", tools, as_json=as_json)
