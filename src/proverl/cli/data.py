"""`proverl data`."""

from __future__ import annotations

from .app import app
from .options import AsJson, TaskFile


@app.command(name="data")
def data_(file: TaskFile, as_json: AsJson = False) -> None:
    """Show the figures of a file of tasks."""
    from ..synth import data
    from .tables import show

    show(f"Tasks of {file}", data.figures(data.read(file)), as_json=as_json)
