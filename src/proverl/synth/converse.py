"""One conversation from one job: sample, converse, find the ground truth, replay.

Covers: planning jobs and carrying one out. Does not cover: files (synth/data.py). A job is a pure function of its
fields: the same job gives the same task in any process.
"""

from __future__ import annotations

import random
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ..errors import SynthesisError
from ..records import Json, Step, Task, Turn
from ..world.server import Server
from ..world.session import LocalSession
from ..world.world import World
from .graph import Graph
from .machine import Dialogue, DialogueTurn, drive
from .phrases import Phrases, read
from .replay import replay
from .sample import Context, sample
from .teacher.scripted import ASSISTANT_TURNS, Level, ScriptedTeacher
from .truth import Executed, Truth

PER_WORLD = 10
ATTEMPTS = 8
LEVELS: tuple[Level, ...] = ("complete", "complete", "complete", "missing", "minimal")
"""60 % complete, 20 % missing an argument, 20 % minimal (specification section 2), in turn."""
HIDDEN_EVERY = 12
"""One conversation in so many starts without the tool that it would need."""
READS_EVERY = 7
"""One conversation in so many only asks and changes nothing."""


@dataclass(frozen=True)
class Job:
    """What one conversation is to be made from."""

    index: int
    server: str
    world: int
    chain: tuple[str, ...]
    level: Level = "complete"
    hide: bool = False
    reads: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Domain:
    """A server with what synthesis needs to know of it, made once."""

    server: Server
    phrases: Phrases
    graph: Graph
    contexts: OrderedDict[int, Context]

    @classmethod
    def of(cls, server: Server) -> Domain:
        """Read the phrases and build the dependency graph."""
        phrases = read(server)
        return cls(server, phrases, Graph(server.tools, phrases.base), OrderedDict())

    def context(self, world: int) -> Context:
        """The sampled entities of a world, kept for the conversations on the same world."""
        if world not in self.contexts:
            session = LocalSession(self.server, world)
            now = World(session.store, self.server.offset).now
            rng = random.Random(f"sample:{self.server.name}:{world}")
            self.contexts[world] = sample(session, self.server.discovery, self.phrases, now, rng)
            session.close()
            if len(self.contexts) > 8:
                self.contexts.popitem(last=False)
        return self.contexts[world]


def plan(domains: Sequence[Domain], count: int, seed: int) -> list[Job]:
    """So many jobs, the servers in turn, chains by inverse coverage, levels and missing functions by quota."""
    rng = random.Random(f"jobs:{seed}")
    used: dict[str, Counter[str]] = {domain.server.name: Counter() for domain in domains}
    jobs = []
    for index in range(count):
        domain = domains[index % len(domains)]
        name = domain.server.name
        number = index // len(domains)
        reads = number % READS_EVERY == READS_EVERY - 1
        chain = domain.graph.chain(rng, used[name], among=domain.graph.reads if reads else None)
        used[name].update(chain)
        hide = number % HIDDEN_EVERY == HIDDEN_EVERY - 1 and not reads
        level = "complete" if hide else LEVELS[number % len(LEVELS)]
        jobs.append(Job(index, name, seed * 1000 + number // PER_WORLD, chain, level, hide, reads, seed))
    return jobs


def converse(domain: Domain, job: Job) -> Task:
    """The conversation of a job, replayed and found equal.

    Raises:
        SynthesisError: none came about in a few attempts
    """
    reasons = []
    for attempt in range(ATTEMPTS):
        rng = random.Random(f"{job.seed}:{job.index}:{attempt}")
        among = domain.graph.reads if job.reads else None
        special = job.hide or job.level != "complete"
        keep = attempt == 0 or (attempt < ATTEMPTS // 2 and not special)
        chain = job.chain if keep else domain.graph.chain(rng, Counter(job.chain), among=among)
        try:
            return _converse(domain, replace(job, chain=chain), rng, attempt)
        except SynthesisError as error:
            reasons.append(str(error))
    raise SynthesisError(f"job {job.index} on {job.server}: {'; '.join(dict.fromkeys(reasons))}")


def _converse(domain: Domain, job: Job, rng: random.Random, attempt: int) -> Task:
    context = domain.context(job.world)
    session = LocalSession(domain.server, job.world)
    options: dict[str, Any] = {"level": job.level, "hide": job.hide, "reads": job.reads}
    insist = attempt < ATTEMPTS - 1
    teacher = ScriptedTeacher(session, context, domain.graph, job.chain, rng, insist=insist, **options)
    dialogue = Dialogue(session, teacher)
    drive(dialogue)
    if not any(turn.kind == "steps" for turn in dialogue.turns):
        raise SynthesisError(f"the chain {' -> '.join(job.chain)} gave no goal")
    executed = _executed(dialogue)
    truth = Truth(domain.server, job.world, domain.phrases, teacher.made)
    steps = truth.steps([call for call in executed if dialogue.turns[call.turn].kind == "steps"])
    meta: dict[str, Json] = {
        "chain": list(job.chain),
        "level": teacher.level,
        "hidden": teacher.hidden,
        "teacher": "scripted",
        "attempt": attempt,
        "states": len(dialogue.path),
    }
    hidden_for_good = teacher.hidden if not any(turn.adds for turn in dialogue.turns) else ""
    task = Task(
        id=f"{job.server}-{job.seed}-{job.index:05d}",
        server=job.server,
        seed=job.world,
        tools=tuple(tool for tool in domain.server.tools if tool.name != hidden_for_good),
        turns=tuple(_turn(dialogue, index, steps, truth) for index in range(len(dialogue.turns))),
        system=_system(domain.server, context.today),
        meta=meta,
    )
    session.close()
    if len(task.steps) + len(task.turns) > ASSISTANT_TURNS:
        raise SynthesisError(f"the ground truth takes more than {ASSISTANT_TURNS} assistant turns")
    return _measured(domain.server, task)


def _executed(dialogue: Dialogue) -> list[Executed]:
    found = []
    for number, turn in enumerate(dialogue.turns):
        for done in turn.done:
            found.append(Executed(number, done.proposal, done.proposal.arguments, done.outcome))
    return found


def _turn(dialogue: Dialogue, index: int, steps: list[tuple[int, Step]], truth: Truth) -> Turn:
    spoken: DialogueTurn = dialogue.turns[index]
    prefix: tuple[Step, ...] = ()
    if spoken.kind == "missing_function":
        calls = [call for call in _executed(dialogue) if call.turn == index]
        prefix = tuple(step for _, step in truth.steps(calls))
    return Turn(
        user=spoken.user,
        kind=spoken.kind,
        steps=tuple(step for turn, step in steps if turn == index),
        dictated=spoken.dictated,
        facts=spoken.facts,
        answer=spoken.answer,
        missing=spoken.missing,
        present=spoken.present,
        prefix=prefix,
        adds=spoken.adds,
    )


def _measured(server: Server, task: Task) -> Task:
    """The task with the row changes of each turn and the final digest, from running its ground truth."""
    session = LocalSession(server, task.seed)
    turns = []
    for turn in task.turns:
        before = session.snapshot()
        steps = []
        for step in turn.steps:
            outcome = session.call(step.tool, step.arguments)
            if not outcome.succeeded:
                raise SynthesisError(f"{step.tool} fails without the calls that were dropped: {outcome.message}")
            steps.append(replace(step, outcome=outcome))
        turns.append(replace(turn, steps=tuple(steps), changes=session.changes(before)))
    task = replace(task, turns=tuple(turns), digest=session.digest())
    session.close()
    check = replay(task, LocalSession(server, task.seed))
    if not check.equal:
        raise SynthesisError(f"replay differs: {check.first}")
    return task


def _system(server: Server, now: datetime) -> str:
    day = f"{now:%A}, {now.day} {now:%B %Y}, {now:%H:%M}"
    return (
        f"You are the assistant of this product: {server.about} "
        f"It is {day}. Do what the user asks with the tools; ask when something is missing that no tool can tell you."
    )
