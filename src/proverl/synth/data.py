"""Data files: one task per line of JSON.

Covers: making many conversations and writing them, reading them back, the figures of a file. Does not cover: one
conversation (synth/converse.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import files
from ..errors import SynthesisError
from ..records import Json, Task, dump, load
from ..world.server import Server
from .converse import Domain, Job, converse, plan
from .graph import Graph

SHAPES = ("write", "read-only", "mixed", "clarify", "missing function")


@dataclass
class Made:
    """The conversations of a run, and the jobs that gave none."""

    tasks: list[Task] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def synthesise(
    servers: Sequence[Server],
    count: int,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, of: None,
    kept: files.Journal | None = None,
) -> Made:
    """So many conversations on these servers; `progress` is told after each job.

    Jobs that give no conversation are replaced by further ones until `count` is reached. With a journal (`kept`) what
    an interrupted run has made is taken from there; a job is a pure function, so the result is the same.

    Raises:
        SynthesisError: as many jobs failed as conversations were asked for
    """
    domains = {server.name: Domain.of(server) for server in servers}
    made = Made()
    for job in plan(list(domains.values()), 2 * count, seed):
        if len(made.tasks) == count:
            break
        line, problem = _result(domains[job.server], job, kept)
        if problem:
            made.failed.append(problem)
        else:
            made.tasks.append(load(Task, line))
        progress(len(made.tasks), count)
    if len(made.tasks) < count:
        raise SynthesisError(f"only {len(made.tasks)} of {count} conversations: {made.failed[0]}")
    return made


def _result(domain: Domain, job: Job, kept: files.Journal | None) -> tuple[str, str]:
    """The task of a job as a line, or why there is none."""
    key = str(job.index)
    if kept is not None and key in kept.done:
        line, problem = kept.done[key]
        return line, problem
    try:
        line, problem = dump(converse(domain, job)), ""
    except SynthesisError as error:
        line, problem = "", str(error)
    if kept is not None:
        kept.add(key, [line, problem])
    return line, problem


def make(
    servers: Sequence[Server],
    count: int,
    seed: int,
    path: Path,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Made:
    """Synthesise into a file; an interrupted run goes on where it was when it is started again.

    Raises:
        SynthesisError, UsageError: as `synthesise` and `Journal`
    """
    tools = {server.name: Graph(server.tools).digest for server in servers}
    run = {"servers": list(tools), "tools": tools, "count": count, "seed": seed}
    with files.Journal(path, run) as kept:
        made = synthesise(servers, count, seed, progress, kept)
        files.write(made.tasks, path)
    return made


def read(path: Path) -> list[Task]:
    """The tasks of a file.

    Raises:
        BadFile: it cannot be read, or a line is no task
    """
    return files.read(Task, path, f"proverl synth --out {path}")


def shape(task: Task) -> str:
    """The shape of a task: clarify, missing function, write, read-only or mixed."""
    kinds = {turn.kind for turn in task.turns}
    if "missing_function" in kinds:
        return "missing function"
    if "missing_argument" in kinds:
        return "clarify"
    writes = any(step.effect != "read" for step in task.steps)
    reads = any(step.terminal for step in task.steps)
    return "mixed" if writes and reads else "write" if writes else "read-only"


def figures(tasks: Sequence[Task]) -> list[dict[str, Json]]:
    """Per server and in all: tasks, turns, steps, distinct tools and chains, and the shapes."""
    groups = {name: [task for task in tasks if task.server == name] for name in sorted({task.server for task in tasks})}
    rows = []
    for name, group in [*groups.items(), ("all", list(tasks))]:
        shapes = Counter(shape(task) for task in group)
        row: dict[str, Json] = {
            "server": name,
            "tasks": len(group),
            "turns": sum(len(task.turns) for task in group),
            "steps": sum(len(task.steps) for task in group),
            "tools": len({step.tool for task in group for step in task.steps}),
            "chains": len({tuple(task.meta.get("chain", ())) for task in group}),
        }
        row.update({kind.replace(" ", "_").replace("-", "_"): shapes[kind] for kind in SHAPES})
        rows.append(row)
    return rows
