"""A task as the profile `robust` reads it: what each step wants of a call, computed once per task.

Covers: which arguments of a step are compared and with what, whether a call can stand for a step, and how far it
agrees. Does not cover: which call does stand for it (alignment.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, NamedTuple

from ...paths import parse, put, taken
from ...records import Call, Edge, Json, Origin, Step, Task, Tool
from ..terms import steps_of
from .values import agree, same


class LocatedCall(NamedTuple):
    """A call where it stands: `place` over the conversation, `moment` (turn, generation), `at` in its turn."""

    place: int
    moment: tuple[int, int]
    at: int
    call: Call


class Placed(NamedTuple):
    """What came of a step: the call that stands for it, m and o, and the share of its compared arguments that agree.

    `by` is "call", "other read", or "" where there is none (then m and agreement are 0).
    """

    seen: LocatedCall | None = None
    by: str = ""
    m: float = 0.0
    o: int = 0
    agreement: float = 0.0


NOWHERE = Placed()

Sources = Callable[[Origin], list[Json]]
"""What the step that an origin points to may have made."""


def came_before(seen: LocatedCall, other: LocatedCall, value: bool) -> bool:
    """Whether a call came before another; for a value that flows, in an earlier generation."""
    return seen.moment < other.moment if value else seen.place < other.place


class _Wanted(NamedTuple):
    """One compared argument: its right value, as the server resolved it, and where parts of it were made."""

    name: str
    right: Json
    schema: dict[str, Json]
    required: bool
    made: tuple[tuple[tuple[str | int, ...], Origin], ...]


class View:
    """One step with all that does not depend on a trace."""

    def __init__(self, step: Step, tool: Tool | None, consumers: tuple[int, ...], earlier: Mapping[int, Step]) -> None:
        self.step = step
        self.index = step.index
        self.consumers = consumers
        self.edges: tuple[Edge, ...] = tuple(edge for edge in step.edges if edge.step in earlier)
        self.look_up = step.effect == "read" and not step.terminal and bool(step.supplies)
        properties: Any = tool.input_schema.get("properties") if tool else None
        self._properties: dict[str, Json] = properties if isinstance(properties, dict) else {}
        self._free = frozenset(tool.free if tool else ())
        required = tool.required if tool else tuple(step.arguments)
        self._required = frozenset(name for name in required if name in step.arguments)
        origins = [(parse(place), origin) for place, origin in step.origins.items()]
        made = [(path, origin) for path, origin in origins if origin.made and origin.step in earlier and path]
        kept = {*step.compared, *step.dictated}
        self._wanted = [
            _Wanted(
                name,
                step.outcome.resolved.get(name, value),
                self._schema(name),
                name in self._required,
                tuple((path[1:], origin) for path, origin in made if path[0] == name),
            )
            for name, value in step.arguments.items()
            if name in kept
        ]
        self.kept = len(self._wanted)
        self.kept_required = sum(wanted.required for wanted in self._wanted)
        self.makers = tuple(dict.fromkeys(origin.step for wanted in self._wanted for _, origin in wanted.made))

    def _schema(self, name: str) -> dict[str, Json]:
        schema = self._properties.get(name)
        return schema if isinstance(schema, dict) else {}

    def can_be(self, call: Call) -> bool:
        """Whether a call may stand for the step: same name, succeeded, all required keys."""
        if call.name != self.step.tool or not call.outcome.succeeded or not isinstance(call.arguments, dict):
            return False
        return call.arguments.keys() >= self._required

    def agreeing(self, call: Call, sources: Sources) -> tuple[int, int]:
        """How many of the compared arguments agree in a call that may stand for the step; how many required ones.

        An argument that is left out counts as what the schema takes for it.
        """
        agreed = required = 0
        arguments, resolved = call.arguments, call.outcome.resolved
        for name, right, schema, must, made in self._wanted:
            if name in resolved:
                given = resolved[name]
            elif name in arguments:
                given = arguments[name]
            elif "default" in schema:
                given = schema["default"]
            else:
                continue
            if not made:
                good = agree(right, given, schema)
            else:
                rights = [right]
                for path, origin in made:
                    values = sources(origin)
                    rights = [put(one, path, value) for one in rights for value in values]
                # What a result calls a thing is how it was made, before any link is followed.
                sent = [given, arguments[name]] if name in arguments else [given]
                good = any(agree(one, value, schema) for one in rights for value in sent)
            if good:
                agreed += 1
                required += must
        return agreed, required

    def made_by(self, placed: Placed, origin: Origin) -> list[Json]:
        """What this step made, for a later step that takes it: what its call made, as `placed`.

        What a look-up shows was there before, so it may also be what the ground truth saw: the look-up may have been
        skipped, served by another read, or have shown it in another place.
        """
        found = []
        if placed.seen is not None and placed.by == "call":
            found.append(taken(origin, placed.seen.call.outcome.value))
        if self.step.effect == "read":
            found.append(taken(origin, self.step.outcome.value))
        return found

    def has_more(self, call: Call) -> bool:
        """Whether a call has an argument that the step has not: not free text, and not what the schema takes anyway."""
        for name, value in call.arguments.items():
            if name not in self.step.arguments and name not in self._free:
                schema = self._schema(name)
                if "default" not in schema or not same(schema["default"], value):
                    return True
        return False


class Plan:
    """A task's steps as views by index, and the tools shown in each turn.

    `scale` is a number that every count of compared arguments divides.
    """

    def __init__(self, task: Task) -> None:
        self._effects = {tool.name: tool.effect for tool in task.tools}
        self.shown = [{tool.name: tool for tool in task.shown(index)} for index in range(len(task.turns))]
        tools = {tool.name: tool for tool in task.tools}
        steps = [step for turn in task.turns for step in steps_of(turn)]
        self.views: dict[int, View] = {}
        before: dict[int, Step] = {}
        for step in steps:
            consumers = tuple(
                later.index for later in steps if any(e.step == step.index and e.kind == "value" for e in later.edges)
            )
            self.views[step.index] = View(step, tools.get(step.tool), consumers, dict(before))
            before[step.index] = step
        counts = {count for view in self.views.values() for count in (view.kept, view.kept_required) if count}
        self.scale = math.lcm(*counts) if counts else 1

    def reads(self, name: str) -> bool:
        """Whether a tool is one that only reads."""
        return self._effects.get(name) == "read"


# Rollouts of one task are scored together, so plans are kept for a while; a plan's task is kept with it, for its id to
# stay its own.
_plans: dict[int, tuple[Task, Plan]] = {}
_lock = Lock()
_KEPT = 1024


def plan_of(task: Task) -> Plan:
    """The plan of a task, made once while the task is in use."""
    entry = _plans.get(id(task))
    if entry is not None:
        return entry[1]
    plan = Plan(task)
    with _lock:
        if len(_plans) >= _KEPT:
            _plans.clear()
        _plans[id(task)] = (task, plan)
    return plan
