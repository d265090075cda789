"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .. import records

AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]


ServerName = Annotated[str, typer.Argument(help="a server's name, or package.module:attribute for one of your own")]


WorldSeed = Annotated[int, typer.Option("--seed", help="seed of the world")]


RunSeed = Annotated[int, typer.Option("--seed", help="seed of the run")]


TaskFile = Annotated[Path, typer.Argument(help="a file of tasks, made by `proverl synth`")]


TraceFile = Annotated[Path, typer.Argument(help="a file of traces, made by `proverl rollout`")]


TasksOption = Annotated[Path | None, typer.Option("--tasks", help="their tasks (default: tasks.jsonl near the traces)")]


Profile = Annotated[records.Profile, typer.Option(help="the reward profile")]
