"""The command `proverl`: one file per verb, no logic.

Each verb imports what it needs when it runs, so that help and completion stay fast. episodes.py and flow.py do the work
of the verbs that read and write files of traces, tables.py and progress.py print.
"""

from __future__ import annotations

import sys

import typer

from ..errors import ProverlError, UsageError
from . import call, data, demo, graph, laws, replay, reward, rollout, sample, serve, servers, synth, train
from .app import app

__all__ = ["app", "main"]

VERBS = (serve, servers, call, laws, graph, sample, synth, data, replay, rollout, reward, train, demo)
"""In the order in which the help lists them: the flow."""


def main() -> None:
    """Run the command; what the user got wrong is one line on standard error, without a traceback."""
    try:
        app()
    except ProverlError as error:
        typer.echo(f"proverl: {error}", err=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)
