"""`proverl rollout`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .options import AsJson, Profile, TaskFile


@app.command()
def rollout(
    file: TaskFile,
    out: Annotated[Path, typer.Option(help="the file of traces to write")] = Path("out/traces.jsonl"),
    policy: Annotated[str, typer.Option(help="a scripted policy")] = "",
    model: Annotated[str, typer.Option(help="a model at an OpenAI-compatible endpoint")] = "",
    base_url: Annotated[str, typer.Option(help="the endpoint's address")] = "http://localhost:8000/v1",
    stdio: Annotated[bool, typer.Option("--stdio", help="sessions in server processes over MCP")] = False,
    profile: Profile = "robust",
    as_json: AsJson = False,
) -> None:
    """Let a policy act on every task, write its traces beside the tasks, and show its rewards."""
    from .episodes import roll_out
    from .tables import show

    rows = roll_out(file, out, policy=policy, model=model, base_url=base_url, stdio=stdio, profile=profile)
    show(f"Rewards, profile {profile}", rows, as_json=as_json)
