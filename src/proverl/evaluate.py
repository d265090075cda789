"""Many episodes: play them, score them, and add the scores up.

Covers: tasks and a model to episodes with scores, and their means. It reads and writes no file and prints nothing: what
an interrupted run has finished is handed in, each episode that ends is handed out. Does not cover: files and the
command (cli/episodes.py), one episode (rollout/) or one score (reward/).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from types import MappingProxyType
from typing import Final, TypeAlias

from . import servers
from .chat import Model
from .errors import InfrastructureError
from .records import DEFAULT_LIMITS, MAX_MASKED, Json, Limits, Profile, Score, Task, Trace
from .reward import masked, score
from .rollout import MessageCodec, Opener, asking, play
from .world.session import LocalSession

IN_FLIGHT: Final = 64
"""Episodes that are played at a time."""

NONE_FINISHED: Final[Mapping[str, Trace]] = MappingProxyType({})

ModelOf: TypeAlias = Callable[[Task], Model]


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
    limits: Limits = DEFAULT_LIMITS,
    *,
    finished: Mapping[str, Trace] = NONE_FINISHED,
    on_episode: Callable[[Trace], None] = lambda trace: None,
) -> list[Trace]:
    """One episode of each task, many at once, in the order of the tasks.

    `finished` maps the id of a task to its trace of an earlier run, which is taken as it is. `on_episode` is told each
    trace as soon as its episode ends, in no certain order, and not those of `finished`. Traces have no `seconds`, so
    that equal episodes are equal bytes.

    Raises:
        UsageError: what the caller gave cannot be used (no such server, a wrong key)
    """
    slots = asyncio.Semaphore(IN_FLIGHT)

    async def one(task: Task) -> Trace:
        if task.id in finished:
            return finished[task.id]
        async with slots:
            played = await play(task, opener, asking(model(task)), MessageCodec(), limits)
        trace = replace(played, seconds=0.0)
        on_episode(trace)
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


def refuse_masked(traces: Sequence[Trace]) -> None:
    """Fail a run whose machine failed too often.

    Raises:
        InfrastructureError: more than MAX_MASKED of the traces are masked; the message counts them and quotes the first
    """
    found = [(trace.task_id, masked(trace)) for trace in traces if masked(trace)]
    if len(found) > MAX_MASKED * len(traces):
        first, why = found[0]
        raise InfrastructureError(
            f"{len(found)} of {len(traces)} episodes cannot be scored; the first is {first}: {why}"
        )
