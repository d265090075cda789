"""From a file of tasks to a file of traces, and from there to rewards.

Covers: `proverl rollout` and `proverl reward` on files: which policy and sessions, the journal of an interrupted run,
the tasks that belong to a file of traces. Does not cover: one episode (rollout/) or one score (reward/).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .. import files
from ..chat import Endpoint
from ..errors import UsageError, nearest
from ..evaluate import ModelOf, local, play_all, refuse_masked, rows, scored
from ..policies.acting import Acting
from ..policies.scripted import POLICIES
from ..records import Json, Profile, Task, Trace, dump, load
from ..reward import masked
from ..rollout import Opener
from ..synth import data
from ..world.session import Session
from .progress import counting


def roll_out(
    file: Path, out: Path, *, policy: str = "", model: str = "", base_url: str = "", stdio: bool, profile: Profile
) -> list[dict[str, Json]]:
    """Play every task of a file with one policy, write the traces and a copy of the tasks beside them.

    Started again after an interruption it goes on where it was.

    Raises:
        UsageError: neither or both of policy and model, or no such policy
        InfrastructureError: more than 0.1 % of the episodes are masked (specification 7.1); the others are kept, and
            the same run started again plays only those that are missing
    """
    tasks = data.read(file)
    choose = _chooser(policy, model, base_url)
    # All that a trace depends on: an interrupted run that is started again with something else must not go on.
    # The name of the file alone would let a run go on with other tasks, if the file was made anew in between.
    content = hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()
    run = {"tasks": str(file), "content": content, "policy": policy, "model": model, "base_url": base_url}
    with files.Journal(out, run) as kept, _opener(stdio) as opener, counting("roll out", len(tasks)) as progress:
        finished = {name: load(Trace, line) for name, line in kept.done.items()}
        done = len(finished)
        progress(done, len(tasks))

        def keep(trace: Trace) -> None:
            nonlocal done
            done += 1
            if not masked(trace):  # a masked one is played again when the run is started again
                kept.add(trace.task_id, dump(trace))
            progress(done, len(tasks))

        traces = asyncio.run(play_all(tasks, choose, opener, finished=finished, on_episode=keep))
        refuse_masked(traces)
        files.write(traces, out)
    # A score needs both, and the tasks may have been moved or made anew by then.
    if file.resolve() != (out.parent / "tasks.jsonl").resolve():
        files.write(tasks, out.parent / "tasks.jsonl")
    return rows(scored(policy or model, tasks, traces, [profile]), profile)


def _chooser(policy: str, model: str, base_url: str) -> ModelOf:
    if bool(policy) == bool(model):
        raise UsageError("give one of --policy and --model")
    if model:
        endpoint = Endpoint(model, base_url=base_url)
        return lambda task: endpoint
    if policy not in POLICIES:
        raise UsageError(f"no scripted policy {policy!r}; {nearest(policy, POLICIES)}")
    # One for each episode: it remembers how far its script has come.
    return lambda task: Acting(POLICIES[policy], task)


@contextmanager
def _opener(stdio: bool) -> Iterator[Opener]:
    if not stdio:
        yield local
        return
    from ..wire.manager import MCPManager

    with MCPManager() as manager:

        async def remote(server: str, seed: int) -> Session:
            return await asyncio.to_thread(manager.open, server, seed=seed)

        yield remote


def read(path: Path) -> list[Trace]:
    """The traces of a file.

    Raises:
        BadFile: it cannot be read, or a line is no trace
    """
    return files.read(Trace, path, f"proverl rollout TASKS --out {path}")


def pair(traces: Path, tasks: Path | None, task: str = "") -> tuple[Task, Trace]:
    """One trace with its task; the first if no id is given.

    Raises:
        BadFile, UsageError: a file cannot be read, or has no such task
    """
    found = read(traces)
    by_id = {one.id: one for one in data.read(_tasks_of(traces, tasks))}
    wanted = task or (found[0].task_id if found else "")
    for trace in found:
        if trace.task_id == wanted and wanted in by_id:
            return by_id[wanted], trace
    raise UsageError(f"{traces} has no trace of a task {wanted!r}; {nearest(wanted, (one.task_id for one in found))}")


def score_file(traces: Path, tasks: Path | None, profile: Profile) -> list[dict[str, Json]]:
    """The rewards of a file of traces as one row."""
    found = read(traces)
    by_id = {task.id: task for task in data.read(_tasks_of(traces, tasks))}
    missing = [trace.task_id for trace in found if trace.task_id not in by_id]
    if missing:
        raise UsageError(
            f"{traces} holds a trace of {missing[0]!r}, which is none of the tasks; name them with --tasks"
        )
    return rows(scored(traces.stem, [by_id[trace.task_id] for trace in found], found, [profile]), profile)


def _tasks_of(traces: Path, tasks: Path | None) -> Path:
    if tasks is not None:
        return tasks
    # `rollout` writes its traces beside the tasks, `demo` into a folder of their own below.
    for folder in (traces.parent, traces.parent.parent):
        if (folder / "tasks.jsonl").exists():
            return folder / "tasks.jsonl"
    raise UsageError(f"no tasks.jsonl beside {traces} or one folder up; name the tasks with --tasks")
