"""Many episodes: play them, score them, keep their traces and find them again.

Covers: files of traces (one a line, in the order of the tasks), a policy by name, an endpoint or a scripted one, in
process or over stdio. Does not cover: one episode (rollout/) or one score (reward.py).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from . import journal, servers
from .chat import Endpoint, Model
from .errors import InfrastructureError, UsageError, nearest
from .policies import POLICIES, Acting
from .records import Json, Score, Task, Trace, dump, load
from .report import counting
from .reward import Profile, masked, score
from .rollout import Limits, MessageCodec, Opener, asking, play
from .synth import data
from .world.session import LocalSession, Session

IN_FLIGHT = 64
LIMITS = Limits()
MAX_MASKED = 0.001

ModelOf = Callable[[Task], Model]


@dataclass(frozen=True)
class Episode:
    """One policy's trace of one task, with its score under each profile; no score where the trace is masked."""

    policy: str
    task: Task
    trace: Trace
    scores: dict[str, Score]


async def local(server: str, seed: int) -> LocalSession:
    """Opens a session in this process."""
    return servers.open_session(server, seed)


async def play_all(
    tasks: Sequence[Task],
    model: ModelOf,
    opener: Opener = local,
    limits: Limits = LIMITS,
    advance: Callable[[], None] = lambda: None,
    kept: journal.Journal | None = None,
) -> list[Trace]:
    """One episode of each task, many at once, in the order of the tasks.

    With a journal (`kept`) the episodes of an interrupted run are taken from there; masked ones are played again.
    """
    gate = asyncio.Semaphore(IN_FLIGHT)

    async def one(task: Task) -> Trace:
        if kept is not None and task.id in kept.done:
            trace = load(Trace, kept.done[task.id])
        else:
            async with gate:
                played = await play(task, opener, asking(model(task)), MessageCodec(), limits)
            trace = replace(played, seconds=0.0)  # so that equal episodes are equal bytes
            if kept is not None and not masked(trace):
                kept.add(task.id, dump(trace))
        advance()
        return trace

    return await asyncio.gather(*(one(task) for task in tasks))


def scored(policy: str, tasks: Sequence[Task], traces: Sequence[Trace], profiles: Sequence[Profile]) -> list[Episode]:
    """Each trace with its scores."""
    return [
        Episode(policy, task, trace, {} if masked(trace) else {name: score(task, trace, name) for name in profiles})
        for task, trace in zip(tasks, traces, strict=True)
    ]


def rows(episodes: Iterable[Episode], profile: Profile) -> list[dict[str, Json]]:
    """Per policy: how many episodes, how many masked, and the mean total and terms of the others."""
    groups: dict[str, list[Episode]] = {}
    for episode in episodes:
        groups.setdefault(episode.policy, []).append(episode)
    found = []
    for name, group in groups.items():
        scores = [episode.scores[profile] for episode in group if profile in episode.scores]
        row: dict[str, Json] = {"policy": name.replace("_", " "), "episodes": len(group)}
        row["masked"] = len(group) - len(scores)
        row["total"] = fmean(one.total for one in scores) if scores else None
        row.update({term: fmean(one.terms[term] for one in scores) for term in (scores[0].terms if scores else ())})
        found.append(row)
    return found


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
    content = hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()
    run = {"tasks": str(file), "content": content, "policy": policy, "model": model, "base_url": base_url}
    with journal.Journal(out, run) as kept, _opener(stdio) as opener, counting("roll out", len(tasks)) as progress:
        done = 0

        def advance() -> None:
            nonlocal done
            done += 1
            progress(done, len(tasks))

        traces = asyncio.run(play_all(tasks, choose, opener, advance=advance, kept=kept))
        refuse_masked(traces)
        journal.write(traces, out)
    if file.resolve() != (out.parent / "tasks.jsonl").resolve():
        journal.write(tasks, out.parent / "tasks.jsonl")
    return rows(scored(policy or model, tasks, traces, [profile]), profile)


def refuse_masked(traces: Sequence[Trace]) -> None:
    """Fail a run whose machine failed too often.

    Raises:
        InfrastructureError: more than 0.1 % of the traces are masked; the message counts them and quotes the first
    """
    found = [(trace.task_id, masked(trace)) for trace in traces if masked(trace)]
    if len(found) > MAX_MASKED * len(traces):
        first, why = found[0]
        raise InfrastructureError(
            f"{len(found)} of {len(traces)} episodes cannot be scored; the first is {first}: {why}"
        )


def _chooser(policy: str, model: str, base_url: str) -> ModelOf:
    if bool(policy) == bool(model):
        raise UsageError("give one of --policy and --model")
    if model:
        endpoint = Endpoint(model, base_url=base_url)
        return lambda task: endpoint
    if policy not in POLICIES:
        raise UsageError(f"no scripted policy {policy!r}; {nearest(policy, POLICIES)}")
    return lambda task: Acting(POLICIES[policy], task)


@contextmanager
def _opener(stdio: bool) -> Iterator[Opener]:
    if not stdio:
        yield local
        return
    from .world.manager import MCPManager

    with MCPManager() as manager:

        async def remote(server: str, seed: int) -> Session:
            return await asyncio.to_thread(manager.open, server, seed=seed)

        yield remote


def read(path: Path) -> list[Trace]:
    """The traces of a file.

    Raises:
        BadFile: it cannot be read, or a line is no trace
    """
    return journal.read(Trace, path, f"proverl rollout TASKS --out {path}")


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
    for folder in (traces.parent, traces.parent.parent):
        if (folder / "tasks.jsonl").exists():
            return folder / "tasks.jsonl"
    raise UsageError(f"no tasks.jsonl beside {traces} or one folder up; name the tasks with --tasks")
