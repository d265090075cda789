"""`proverl serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import UnknownServer
from .app import app
from .options import ServerName


@app.command()
def serve(
    server: ServerName,
    http: Annotated[bool, typer.Option("--http", help="streamable HTTP on 127.0.0.1 instead of stdio")] = False,
    port: Annotated[int, typer.Option(help="port for --http; 0 takes a free one")] = 8321,
    seed: Annotated[int, typer.Option(help="seed of the default session")] = 0,
    strict: Annotated[bool, typer.Option("--strict", help="refuse requests that name no session")] = False,
) -> None:
    """Serve one server over MCP."""
    from ..servers import load
    from ..wire.protocol import EXIT_UNKNOWN_SERVER

    try:
        found = load(server)
    except UnknownServer as error:
        typer.echo(f"proverl: {error}", err=True)
        raise typer.Exit(EXIT_UNKNOWN_SERVER) from None
    from ..wire.serve import serve_http, serve_stdio  # the SDK takes a second to import

    if http:
        serve_http(found, port=port, seed=seed, strict=strict)
    else:
        serve_stdio(found, seed=seed, strict=strict)
