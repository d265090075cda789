"""`proverl replay`."""

from __future__ import annotations

import typer

from .app import app
from .options import AsJson, TaskFile


@app.command()
def replay(file: TaskFile, as_json: AsJson = False) -> None:
    """Run the ground truth of every task on a fresh session and compare every observation and the final state."""
    from .. import servers
    from ..synth import data
    from ..synth import replay as stage
    from .tables import show

    found = [stage.replay(task, servers.open_session(task.server, task.seed)) for task in data.read(file)]
    show(f"Replay of {file}", [stage.summary(found)], as_json=as_json)
    raise typer.Exit(0 if all(one.equal for one in found) else 1)
