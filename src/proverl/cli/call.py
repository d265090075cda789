"""`proverl call`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..errors import UsageError
from .app import app
from .options import AsJson, ServerName, WorldSeed


@app.command()
def call(
    server: ServerName,
    tool: Annotated[str, typer.Argument(help="the tool's name")],
    arguments: Annotated[list[str] | None, typer.Argument(help="name=value ..., or one JSON object")] = None,
    seed: WorldSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Call a tool once on a fresh world and print what it answers."""
    from .. import servers
    from .tables import outcome

    session = servers.open_session(server, seed)
    found = session.call(servers.load(server).tool(tool).name, _arguments(arguments or []))
    outcome(found, as_json=as_json)
    raise typer.Exit(0 if found.succeeded else 1)


def _arguments(given: list[str]) -> dict[str, Any]:
    """`name=value` pairs, each value as JSON where it is JSON, or one JSON object."""
    import json

    if len(given) == 1 and given[0].lstrip().startswith("{"):
        try:
            found = json.loads(given[0])
        except json.JSONDecodeError as error:
            raise UsageError(f"the arguments are no JSON object: {error}; got {given[0][:80]!r}") from None
        return dict(found)
    pairs = {}
    for item in given:
        name, equals, text = item.partition("=")
        if not equals:
            raise UsageError(f"{item!r} is no name=value; write for example kind=savings")
        try:
            pairs[name] = json.loads(text)
        except json.JSONDecodeError:
            pairs[name] = text
    return pairs
