"""A second, naive implementation of the alignment of `robust`: it tries every assignment.

Covers: the best coverage, and the best agreement under it, of the steps of one turn and of those still open. Written
from specification 7.3 alone, for small cases of plain values. Does not cover: schemas, ties, terms. Also the random
tasks and traces that the laws of tests/reward/test_profiles.py run on.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from proverl.records import (
    Call,
    Change,
    Edge,
    Effect,
    Json,
    Kind,
    Origin,
    Outcome,
    Step,
    Task,
    Tool,
    Trace,
    TraceTurn,
    Turn,
)


@dataclass(frozen=True)
class At:
    """Where a step is matched: (turn, generation), place over the conversation, the call, whether it only serves."""

    moment: tuple[int, int]
    place: int
    call: Call
    serves: bool


def flat(value: Json) -> Iterator[Json]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from flat(item)
    else:
        yield value


class Oracle:
    """Tries all ways to match `steps` in a turn, given what earlier turns matched."""

    def __init__(self, task: Task, trace: Trace, earlier: dict[int, At]) -> None:
        self.task = task
        self.own: set[int] = set()
        self.steps = {step.index: step for step in task.steps}
        self.required = {tool.name: tool.required for tool in task.tools}
        self.effects = {tool.name: tool.effect for tool in task.tools}
        self.earlier = earlier
        self.calls: list[tuple[At, bool]] = []  # with whether it lies in its turn's first 2B
        for index, done in enumerate(trace.turns):
            count = len(task.turns[index].steps)
            most = 2 * (count + -(-count // 2))
            for number, call in enumerate(done.calls):
                at = At((index, call.assistant_turn), len(self.calls), call, False)
                self.calls.append((at, number < most))

    def best(self, turn: int, indexes: list[int]) -> tuple[Fraction, Fraction, Fraction]:
        """The greatest (coverage, coverage of the turn's own steps, agreement) sums over these steps."""
        self.own = {step.index for step in self.task.turns[turn].steps}
        ways: list[list[At | None]] = []
        for index in indexes:
            step = self.steps[index]
            own = [at for at, inside in self.calls if at.moment[0] == turn and inside and self.can_be(step, at.call)]
            ways.append([None, *own, *self.serving(step, turn)])
        found = [
            self.worth(dict(zip(indexes, choice, strict=True)))
            for choice in itertools.product(*ways)
            if len({at.place for at in choice if at and not at.serves})
            == sum(bool(at and not at.serves) for at in choice)
        ]
        return max(pair for pair in found if pair is not None)

    def can_be(self, step: Step, call: Call) -> bool:
        has = all(name in call.arguments for name in self.required[step.tool])
        return call.name == step.tool and call.outcome.succeeded and has

    def serving(self, step: Step, turn: int) -> list[At]:
        """The reads by the last of which every supplied value has been seen."""
        if step.effect != "read" or step.terminal or not step.supplies:
            return []
        reads = [
            at
            for at, inside in self.calls
            if at.moment[0] <= turn and inside and self.effects[at.call.name] == "read" and at.call.outcome.succeeded
        ]
        for count in range(1, len(reads) + 1):
            seen = {leaf for at in reads[:count] for leaf in flat(at.call.outcome.value) if isinstance(leaf, str)}
            if set(step.supplies) <= seen:
                return [replace(reads[count - 1], serves=True)]
        return []

    def worth(self, chosen: dict[int, At | None]) -> tuple[Fraction, Fraction, Fraction] | None:
        coverage = mine = agreement = Fraction(0)
        where = {**self.earlier, **{index: at for index, at in chosen.items() if at is not None}}
        for index, at in chosen.items():
            step = self.steps[index]
            if at is None:
                continue
            if at.serves:
                for later in self.steps.values():
                    uses = any(edge.step == index and edge.kind == "value" for edge in later.edges)
                    user = where.get(later.index)
                    if uses and user is not None and not user.serves and not at.moment < user.moment:
                        return None
                coverage, mine, agreement = coverage + 1, mine + (index in self.own), agreement + 1
                continue
            right = {name: self.agrees(step, name, at.call, where) for name in step.compared}
            must = [name for name in step.compared if name in self.required[step.tool]]
            m = Fraction(sum(right[name] for name in must), len(must)) if must else Fraction(1)
            agreement += Fraction(sum(right.values()), len(right)) if right else 1
            covered = m * self.order(step, at, m, where)
            coverage, mine = coverage + covered, mine + (covered if index in self.own else 0)
        return coverage, mine, agreement

    def agrees(self, step: Step, name: str, call: Call, where: dict[int, At]) -> bool:
        if name not in call.arguments:
            return False
        rights = [step.arguments[name]]
        origin = step.origins.get(name)
        if origin is not None and origin.made:
            maker = self.steps[origin.step]
            at = where.get(origin.step)
            rights = [maker.outcome.value.get(origin.path)] if maker.effect == "read" else []
            if at is not None and not at.serves:
                rights.append(at.call.outcome.value.get(origin.path))
        return call.arguments[name] in rights

    def order(self, step: Step, at: At, m: Fraction, where: dict[int, At]) -> int:
        for edge in step.edges:
            before = where.get(edge.step)
            if before is None:
                held = self.steps[edge.step].effect == "read" and m == 1
            elif edge.kind == "value":
                held = before.moment < at.moment
            else:
                held = before.place < at.place
            if not held:
                return 0
        return 1


# Random tasks and traces


def _tool(name: str, effect: Effect, required: list[str]) -> Tool:
    properties = {key: {"type": "string"} for key in ("x", "y", "z")}
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(name, f"{name}.", schema, {"type": "object"}, "any", effect)


TOOLS = (
    _tool("read_a", "read", ["x"]),
    _tool("read_b", "read", []),
    _tool("write_c", "write", ["x", "y"]),
    _tool("write_d", "write", ["x"]),
    _tool("noise", "read", []),
)
STEP_TOOLS = TOOLS[:4]


def _result(rng: random.Random, tool: Tool) -> dict[str, Json]:
    if tool.effect == "read":
        return {"rows": [{"id": rng.choice(("v1", "v2", "v3"))} for _ in range(rng.randint(0, 2))]}
    return {"id": rng.choice(("v1", "n1", "n2"))}


def _arguments(rng: random.Random, tool: Tool) -> dict[str, Json]:
    names = {*tool.required, *(name for name in ("x", "y", "z") if rng.random() < 0.3)}
    return {name: rng.choice(("v1", "v2", "n1")) for name in sorted(names)}


def random_step(rng: random.Random, index: int, earlier: list[Step]) -> Step:
    tool = rng.choice(STEP_TOOLS)
    arguments = _arguments(rng, tool)
    edges: list[Edge] = []
    origins: dict[str, Origin] = {}
    kinds: tuple[Literal["value", "state"], ...] = ("value", "state")
    for before in rng.sample(earlier, min(len(earlier), rng.choice((0, 1, 1, 2)))):
        kind = rng.choice(kinds)
        edges.append(Edge(before.index, kind))
        if kind == "value" and before.effect != "read" and arguments:
            name = rng.choice(sorted(arguments))
            origins[name] = Origin(before.index, "id", made=True)
            arguments[name] = before.outcome.value["id"]
    terminal = tool.effect == "read" and rng.random() < 0.4
    supplies = ("v1",) if tool.effect == "read" and not terminal and rng.random() < 0.6 else ()
    compared = tuple(name for name in arguments if rng.random() < 0.8)
    return Step(
        index,
        tool.name,
        arguments,
        Outcome(Kind.OK, _result(rng, tool)),
        tool.effect,
        index,
        tuple(edges),
        origins,
        compared,
        (),
        terminal,
        supplies,
    )


def row(rng: random.Random) -> Change:
    return Change(
        "t", rng.choice(("insert", "update")), "", (("v", rng.randint(0, 2)),), (("memo", rng.choice(("", "m"))),)
    )


def random_task(rng: random.Random, most_steps: int = 4) -> Task:
    steps: list[Step] = []
    turns = []
    for _ in range(rng.randint(1, 2)):
        mine = []
        for _ in range(rng.randint(1, max(1, most_steps - len(steps)))):
            mine.append(random_step(rng, len(steps), steps))
            steps.append(mine[-1])
        turns.append(Turn("Do it.", steps=tuple(mine), changes=tuple(row(rng) for _ in range(rng.randint(0, 2)))))
    return Task("random", "any", 1, TOOLS, tuple(turns))


def ground_truth(task: Task) -> Trace:
    turns = []
    for turn in task.turns:
        calls = tuple(Call(step.tool, step.arguments, step.outcome, step.index) for step in turn.steps)
        turns.append(TraceTurn(calls, "Done.", turn.changes))
    return Trace(task.id, tuple(turns))


def random_call(rng: random.Random, task: Task, generation: int) -> Call:
    """A call near one of the steps, or any other."""
    tool = rng.choice(TOOLS)
    arguments = _arguments(rng, tool)
    if task.steps and rng.random() < 0.7:
        step = rng.choice(task.steps)
        tool = next(tool for tool in TOOLS if tool.name == step.tool)
        arguments = dict(step.arguments)
        if arguments and rng.random() < 0.4:
            arguments[rng.choice(sorted(arguments))] = rng.choice(("v1", "v2", "n2"))
    kind = rng.choice((Kind.OK, Kind.OK, Kind.OK, Kind.EMPTY, Kind.REFUSED))
    value = _result(rng, tool) if kind in (Kind.OK, Kind.EMPTY) else None
    return Call(tool.name, arguments, Outcome(kind, value, code="no" if value is None else ""), generation)


def random_trace(rng: random.Random, task: Task, most_calls: int = 6) -> Trace:
    turns, generation = [], 0
    for turn in task.turns[: rng.randint(1, len(task.turns))]:
        calls = []
        for _ in range(rng.randint(0, most_calls)):
            calls.append(random_call(rng, task, generation))
            generation += rng.random() < 0.7
        generation += 1
        rows = turn.changes if rng.random() < 0.5 else tuple(row(rng) for _ in range(rng.randint(0, 3)))
        turns.append(TraceTurn(tuple(calls), rng.choice(("", "Done.", "What amount?")), rows))
    return Trace(task.id, tuple(turns))
