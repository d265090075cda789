"""`proverl reward`."""

from __future__ import annotations

from typing import Annotated

import typer

from .app import app
from .options import AsJson, Profile, TasksOption, TraceFile

reward = typer.Typer(help="Score traces and explain scores.", no_args_is_help=True)
app.add_typer(reward, name="reward")


@reward.command(name="score")
def reward_score(
    traces: TraceFile, tasks: TasksOption = None, profile: Profile = "robust", as_json: AsJson = False
) -> None:
    """Score every trace of a file."""
    from .episodes import score_file
    from .tables import show

    show(f"Rewards of {traces}, profile {profile}", score_file(traces, tasks, profile), as_json=as_json)


@reward.command(name="explain")
def reward_explain(
    traces: TraceFile,
    tasks: TasksOption = None,
    task: Annotated[str, typer.Option(help="the task's id (default: the first trace)")] = "",
    profile: Profile = "robust",
    as_json: AsJson = False,
) -> None:
    """Show which call matched which step, which did not and why, and the points lost per term."""
    from ..records import dump
    from ..reward import explain, score
    from .episodes import pair
    from .tables import console

    found, trace = pair(traces, tasks, task)
    judged = score(found, trace, profile)
    if as_json:
        typer.echo(dump(judged))
    else:
        explain(found, trace, judged, console)
