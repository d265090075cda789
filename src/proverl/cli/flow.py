"""The whole path on scripted parts: synthesise, replay, roll out six policies, score, in about a minute on a CPU.

Covers: `proverl demo` and the files of its run folder (tasks.jsonl, traces/POLICY.jsonl, scores.jsonl, summary.json).
Does not cover: language models; `proverl rollout` and `proverl train` put one in the policies' place.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from .. import servers
from ..evaluate import Episode, play_all, refuse_masked, rows, scored
from ..files import atomic, write
from ..policies.acting import Acting
from ..policies.scripted import POLICIES
from ..records import PROFILES, Json, Task, plain
from ..synth import data
from ..synth.replay import Replay, replay, summary
from .progress import progress
from .tables import console, show

COUNT = 60


def demo(out: Path, count: int = COUNT, seed: int = 0, *, as_json: bool = False) -> None:
    """Run the demonstration and leave its files in `out`; with `as_json` print only its figures, as JSON."""
    names = servers.with_phrases()
    with progress() as bars:
        bar = bars.add_task("synthesise conversations", total=count)
        made = data.synthesise(
            [servers.load(name) for name in names], count, seed, lambda done, of: bars.update(bar, completed=done)
        )
        bar = bars.add_task("replay on fresh sessions", total=count)
        replays = []
        for task in made.tasks:
            replays.append(replay(task, servers.open_session(task.server, task.seed)))
            bars.advance(bar)
        bar = bars.add_task("roll out and score policies", total=count * len(POLICIES))
        episodes = _play(made.tasks, lambda: bars.advance(bar))
    figures = _write(out, made.tasks, episodes, replays)
    if as_json:
        sys.stdout.write(json.dumps(figures, indent=2) + "\n")
        return
    _example(made.tasks)
    show("Replay", [figures["replay"]])
    show("Mean reward of six scripted policies (at most 1.3 in paper, 1 in robust)", figures["policies"])
    show("Mean robust reward by the shape of the task", figures["shapes"])
    _next_steps(out, made.tasks)


def _play(tasks: Sequence[Task], advance: Callable[[], None]) -> list[Episode]:
    episodes: list[Episode] = []
    for name, policy in POLICIES.items():
        acting = partial(Acting, policy)
        traces = asyncio.run(play_all(tasks, acting, on_episode=lambda trace: advance()))
        refuse_masked(traces)
        episodes += scored(name, tasks, traces, PROFILES)
    return episodes


def policy_rows(episodes: Iterable[Episode]) -> list[dict[str, Json]]:
    """Per policy: the mean total under both profiles, and the lowest and highest in robust."""
    groups: dict[str, list[Episode]] = defaultdict(list)
    for one in episodes:
        groups[one.policy].append(one)
    found: list[dict[str, Json]] = []
    for name, group in groups.items():
        robust = [one.scores["robust"].total for one in group]
        found.append(
            {
                "policy": name.replace("_", " "),
                "paper": fmean(one.scores["paper"].total for one in group),
                "robust": fmean(robust),
                "robust_lowest": min(robust),
                "robust_highest": max(robust),
            }
        )
    return found


def shape_rows(episodes: Iterable[Episode]) -> list[dict[str, Json]]:
    """Per policy: the mean robust total on each shape of task; the first row counts the tasks."""
    cells: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in episodes:
        cells[one.policy.replace("_", " ")][data.shape(one.task)].append(one.scores["robust"].total)
    shapes = [shape for shape in data.SHAPES if any(shape in totals for totals in cells.values())]
    first = next(iter(cells.values()))
    found: list[dict[str, Json]] = [{"policy": "(tasks)", **{shape: len(first[shape]) for shape in shapes}}]
    for policy, totals in cells.items():
        found.append({"policy": policy, **{shape: fmean(totals[shape]) for shape in shapes}})
    return found


def _write(out: Path, tasks: Sequence[Task], episodes: Sequence[Episode], replays: Sequence[Replay]) -> dict[str, Json]:
    """Write the run's files; returns the figures, which are also in summary.json."""
    write(tasks, out / "tasks.jsonl")
    for name in POLICIES:
        write((one.trace for one in episodes if one.policy == name), out / "traces" / f"{name}.jsonl")
    with atomic(out / "scores.jsonl") as file:
        for one in episodes:
            scores = {profile: plain(score) for profile, score in one.scores.items()}
            file.write(json.dumps({"policy": one.policy, "task": one.task.id, **scores}, ensure_ascii=False) + "\n")
    figures: dict[str, Json] = {
        "replay": summary(replays),
        "policies": policy_rows(episodes),
        "shapes": shape_rows(episodes),
        "terms": {profile: rows(episodes, profile) for profile in PROFILES},
    }
    with atomic(out / "summary.json") as file:
        file.write(json.dumps(figures, indent=2) + "\n")
    return figures


def _example(tasks: Sequence[Task]) -> None:
    task = max(tasks, key=lambda task: (len(task.turns), len(task.steps), task.id))
    console.print(f"\n[bold]One of them, {task.id}[/bold]")
    for turn in task.turns:
        console.print(f"  [cyan]user[/cyan]       {turn.user}", markup=True, highlight=False)
        for step in turn.steps:
            console.print(f"  [green]call[/green]       {step.tool} {json.dumps(step.arguments)}", highlight=False)
        console.print(f"  [magenta]assistant[/magenta]  {turn.answer}\n", highlight=False)


def _next_steps(out: Path, tasks: Sequence[Task]) -> None:
    called = sys.argv[0]
    command = os.path.relpath(called) if Path(called).name == "proverl" else "proverl"
    console.print(f"\nFiles are in [bold]{out}[/bold]. Next, try:")
    traces = out / "traces" / "wrong_values.jsonl"
    for line in (
        f"reward explain {traces} --task {tasks[0].id}",
        "call banking list_bank_accounts --seed 7",
        "serve banking            # an MCP server for your own client",
        f"synth --count 200 --out {out.parent / 'data' / 'tasks.jsonl'}",
        f"rollout {out / 'tasks.jsonl'} --model NAME --base-url http://localhost:8000/v1",
    ):
        console.print(f"  {command} {line}", highlight=False, markup=False, soft_wrap=True)
