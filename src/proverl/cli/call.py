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
    known = servers.load(server).tool(tool)
    found = session.call(known.name, _arguments(arguments or [], known.input_schema["properties"]))
    outcome(found, as_json=as_json)
    raise typer.Exit(0 if found.succeeded else 1)


def _arguments(given: list[str], properties: dict[str, Any]) -> dict[str, Any]:
    """`name=value` pairs or one JSON object; a value is JSON where it is JSON and its argument no text (a PIN, say)."""
    import contextlib
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
        pairs[name] = text
        if properties.get(name, {}).get("type") != "string":
            with contextlib.suppress(json.JSONDecodeError):
                pairs[name] = json.loads(text)
    return pairs
