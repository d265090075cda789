"""The one command that the verbs belong to."""

from __future__ import annotations

import typer

app = typer.Typer(
    help="Programmatic rewards on verified environments.", no_args_is_help=True, pretty_exceptions_enable=False
)


@app.callback()
def _verbs() -> None:
    pass
