"""Which call stands for which step, in the profile `robust` (specification 7.3).

Covers: how well a call fits a step, and the one alignment of a turn that maximises coverage, then argument agreement,
then ties by a fixed order. Does not cover: what the alignment is worth (robust.py), or the greedy rule of `paper`.

The search is exact. Each step takes its best call; if these are different calls and in order, nothing can be better,
and that is the usual case. Otherwise a branch and bound search fixes one step after the other. Its bound is the best
assignment (Hungarian method) of the steps left, with every order constraint assumed to hold that can still hold. All
weights are integers, compared exactly. Past `NODES` nodes, which only a made-up trace needs, the best alignment found
so far is taken: a lower bound, and the same in every run.

Ties go first to more steps with a call of their own, then to more terminal reads with nothing but right arguments,
then to the earlier call, for this turn's steps before those still open from earlier turns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..records import Call, Edge, Json, Origin, Step, Task, Tool
from .terms import steps_of
from .values import agree, keys, put, same, shows, taken

NODES = 2_000


@dataclass(frozen=True, slots=True)
class Seen:
    """A call where it stands: `place` over the conversation, `moment` (turn, generation), `index` in its turn."""

    place: int
    moment: tuple[int, int]
    index: int
    call: Call


@dataclass(frozen=True, slots=True)
class Placed:
    """What came of a step: the call that stands for it, m and o, and the share of its compared arguments that agree.

    `by` is "call", "other read", or "" where there is none (then m and agreement are 0). `exact` says that the call
    has all of the right arguments and no others that could matter.
    """

    seen: Seen | None = None
    by: str = ""
    m: float = 0.0
    o: int = 0
    agreement: float = 0.0
    exact: bool = False


NOWHERE = Placed()


class View:
    """One step with all that does not depend on a trace."""

    def __init__(self, step: Step, tool: Tool | None, consumers: tuple[int, ...], earlier: Mapping[int, Step]) -> None:
        self.step = step
        self.index = step.index
        schema = tool.input_schema if tool else {}
        self.properties: dict[str, Json] = schema.get("properties", {})
        required = tool.required if tool else tuple(step.arguments)
        self.required = tuple(name for name in required if name in step.arguments)
        self.free = frozenset(tool.free if tool else ())
        wanted = {*step.compared, *step.dictated}
        self.kept = tuple(name for name in step.arguments if name in wanted)
        self.kept_required = frozenset(name for name in self.kept if name in self.required)
        self.right = {name: step.outcome.resolved.get(name, value) for name, value in step.arguments.items()}
        self.made = tuple(
            (path[0], path[1:], origin)
            for path, origin in ((keys(name), origin) for name, origin in step.origins.items())
            if origin.made and origin.step in earlier and path and path[0] in step.arguments
        )
        self.edges = tuple(edge for edge in step.edges if edge.step in earlier)
        self.makers = tuple(dict.fromkeys(origin.step for _, _, origin in self.made))
        self.consumers = consumers
        self.look_up = step.effect == "read" and not step.terminal and bool(step.supplies)

    def extra(self, call: Call) -> bool:
        """Whether a call has an argument that the step has not: not free text, and not what the schema takes anyway."""
        for name, value in call.arguments.items():
            if name not in self.step.arguments and name not in self.free:
                schema = self.properties.get(name)
                if not (isinstance(schema, dict) and "default" in schema and same(schema["default"], value)):
                    return True
        return False


class Plan:
    """A task's steps as views, by index. `scale` is a number that every count of arguments divides."""

    def __init__(self, task: Task) -> None:
        self.tools = {tool.name: tool for tool in task.tools}
        steps = [step for turn in task.turns for step in steps_of(turn)]
        self.views: dict[int, View] = {}
        before: dict[int, Step] = {}
        for step in steps:
            consumers = tuple(
                later.index for later in steps if any(e.step == step.index and e.kind == "value" for e in later.edges)
            )
            self.views[step.index] = View(step, self.tools.get(step.tool), consumers, dict(before))
            before[step.index] = step
        counts = [len(view.kept) for view in self.views.values()]
        counts += [len(view.kept_required) for view in self.views.values()]
        self.scale = math.lcm(*(count for count in counts if count)) if any(counts) else 1

    def reads(self, name: str) -> bool:
        """Whether a tool is one that only reads."""
        tool = self.tools.get(name)
        return tool is not None and tool.effect == "read"


@dataclass(frozen=True, slots=True)
class _Option:
    """One way for a step to be matched: m and agreement in units of the plan's scale; `call` False: a served look-up."""

    seen: Seen
    m: int
    agreement: int
    exact: bool
    call: bool


class Alignment:
    """The alignment of one turn.

    `views` are the steps that may be matched: this turn's and those still open; `window` the turn's first 2B calls,
    `reads` all successful reads so far, `placed` what earlier turns matched.
    """

    def __init__(
        self,
        plan: Plan,
        turn: frozenset[int],
        views: Iterable[View],
        window: Sequence[Seen],
        reads: Sequence[Seen],
        placed: Mapping[int, Placed],
    ) -> None:
        self.plan = plan
        self.views = sorted(views, key=lambda view: view.index)
        self.reads = reads
        self.placed = placed
        self._window = window
        self._memo: dict[tuple[int, ...], tuple[int, int]] = {}
        self._rank = {view.index: rank for rank, view in enumerate(self.views)}
        self._units(turn)
        self._options = [self._own(view) for view in self.views]
        self._best: tuple[int, dict[int, _Option | None]] | None = None
        self._nodes = 0

    def _units(self, turn: frozenset[int]) -> None:
        """What one of each thing is worth, so that the sum of any number of a later kind is less than one of it."""
        count = len(self.views)
        self._last = len(self._window)
        base = self._last + 1
        ordered = sorted(self.views, key=lambda view: (view.index not in turn, view.index))
        self._digit = {view.index: base ** (count - 1 - rank) for rank, view in enumerate(ordered)}
        self._exact = base**count
        self._call = self._exact * (count + 1)
        self._agreement = self._call * (count + 1)
        self._cover = self._agreement * (count * self.plan.scale + 1)

    # How well a call fits

    def _own(self, view: View) -> list[_Option]:
        """The calls of a step's own name that succeeded and have all of its required keys."""
        found = []
        for seen in self._window:
            call = seen.call
            if call.name == view.step.tool and call.outcome.succeeded and _has(call.arguments, view.required):
                m, agreement = self._fit(view, seen, None)
                exact = view.step.terminal and agreement == self.plan.scale and not view.extra(call)
                found.append(_Option(seen, m, agreement, exact, True))
        return found

    def _served(self, view: View) -> _Option | None:
        """A look-up as served by reads that came before its values were used, if there are such."""
        if not view.look_up or any(self.placed.get(index, NOWHERE).seen is not None for index in view.consumers):
            return None
        last: Seen | None = None
        for wanted in view.step.supplies:
            first = next((seen for seen in self.reads if shows(seen.call.outcome.value, wanted)), None)
            if first is None:
                return None
            last = first if last is None or first.place > last.place else last
        assert last is not None
        return _Option(last, self.plan.scale, self.plan.scale, False, False)

    def _fit(self, view: View, seen: Seen, chosen: Mapping[int, _Option | None] | None) -> tuple[int, int]:
        """m and agreement of a call, scaled. Without `chosen`, values that another step makes are given the benefit."""
        places = [-1 if chosen is None else self._place(maker, chosen) for maker in view.makers]
        key = (view.index, seen.place, chosen is None, *places)
        if key not in self._memo:
            self._memo[key] = self._fit_now(view, seen, chosen)
        return self._memo[key]

    def _fit_now(self, view: View, seen: Seen, chosen: Mapping[int, _Option | None] | None) -> tuple[int, int]:
        call = seen.call
        required = kept = 0
        for name in view.kept:
            if self._agrees(view, name, call, chosen):
                kept += 1
                required += name in view.kept_required
        scale = self.plan.scale
        m = required * (scale // len(view.kept_required)) if view.kept_required else scale
        agreement = kept * (scale // len(view.kept)) if view.kept else scale
        return m, agreement

    def _agrees(self, view: View, name: str, call: Call, chosen: Mapping[int, _Option | None] | None) -> bool:
        schema = view.properties.get(name)
        schema = schema if isinstance(schema, dict) else {}
        if name in call.arguments:
            given = call.outcome.resolved.get(name, call.arguments[name])
        elif "default" in schema:
            given = schema["default"]
        else:
            return False
        made = [(path, origin) for head, path, origin in view.made if head == name]
        rights: list[Json] = [view.right[name]]
        for path, origin in made:
            values = self._values(origin, view, chosen)
            rights = [put(right, path, value) for right in rights for value in values]
        return any(agree(right, given, schema) for right in rights)

    def _values(self, origin: Origin, view: View, chosen: Mapping[int, _Option | None] | None) -> list[Json]:
        """What may stand for a value that an earlier step makes: what its own call made, or as the ground truth has it.

        The latter only where no call of this step's name had to make it: the maker is a look-up that was skipped or
        served by another read.
        """
        maker = self.plan.views[origin.step]
        literal = [taken(origin, maker.step.outcome.value)]
        if chosen is None and maker.index in self._rank:
            calls = [seen.call for seen in self._window if seen.call.name == maker.step.tool]
            return [taken(origin, call.outcome.value) for call in calls if call.outcome.succeeded] + literal
        call, by_call = self._maker(origin.step, chosen)
        if call is not None and by_call:
            return [taken(origin, call.outcome.value)]
        return literal if maker.step.effect == "read" else []

    def _maker(self, index: int, chosen: Mapping[int, _Option | None] | None) -> tuple[Call | None, bool]:
        option = (chosen or {}).get(index)
        if option is not None:
            return option.seen.call, option.call
        placed = self.placed.get(index, NOWHERE)
        return (placed.seen.call, placed.by == "call") if placed.seen else (None, False)

    def _place(self, index: int, chosen: Mapping[int, _Option | None]) -> int:
        option = chosen.get(index)
        if option is not None:
            return option.seen.place * 2 + option.call
        placed = self.placed.get(index, NOWHERE)
        return placed.seen.place * 2 + (placed.by == "call") if placed.seen else -2

    # What a choice is worth

    def _order(self, view: View, option: _Option, m: int, chosen: Mapping[int, _Option | None]) -> int | None:
        """o(g): 1 or 0 (specification 7.3); None where a read that came too late would serve a look-up."""
        held = 1
        for edge in view.edges if option.call else ():
            one = self._edge(edge, option, m, chosen)
            if one is None:
                return None
            held &= one
        return held

    def _edge(self, edge: Edge, option: _Option, m: int, chosen: Mapping[int, _Option | None]) -> int | None:
        """One factor of o(g)."""
        if edge.step in self._rank:
            before = chosen.get(edge.step)
            seen, served = (before.seen, not before.call) if before else (None, False)
        else:
            seen, served = self.placed.get(edge.step, NOWHERE).seen, False
        if seen is None:
            return int(self.plan.views[edge.step].step.effect == "read" and m == self.plan.scale)
        if came_before(seen, option.seen, edge.kind == "value"):
            return 1
        return None if served else 0

    def _worth(self, view: View, option: _Option | None, chosen: Mapping[int, _Option | None]) -> int | None:
        """The weight of a choice once all earlier steps have theirs; None if it cannot be chosen."""
        if option is None:
            return -self._last * self._digit[view.index]
        m, agreement = (option.m, option.agreement) if not view.made else self._fitted(view, option, chosen)
        held = self._order(view, option, m, chosen)
        return None if held is None else self._sum(view, option, m * held, agreement)

    def _fitted(self, view: View, option: _Option, chosen: Mapping[int, _Option | None]) -> tuple[int, int]:
        return self._fit(view, option.seen, chosen) if option.call else (option.m, option.agreement)

    def _sum(self, view: View, option: _Option, cover: int, agreement: int) -> int:
        index = option.seen.place - self._window[0].place if self._window else 0
        return (
            cover * self._cover
            + agreement * self._agreement
            + option.call * self._call
            + option.exact * self._exact
            - min(max(index, 0), self._last) * self._digit[view.index]
        )

    def _hoped(self, view: View, option: _Option | None, chosen: Mapping[int, _Option | None]) -> int:
        """An upper bound of `_worth`, as far as earlier steps have their choice."""
        if option is None:
            return -self._last * self._digit[view.index]
        m, agreement = option.m, option.agreement
        if option.call and view.made and all(maker in chosen or maker not in self._rank for maker in view.makers):
            m, agreement = self._fit(view, option.seen, chosen)
        return self._sum(view, option, m if self._may_hold(view, option, m, chosen) else 0, agreement)

    def _may_hold(self, view: View, option: _Option, m: int, chosen: Mapping[int, _Option | None]) -> bool:
        """Whether o(g) can still be 1."""
        for edge in view.edges if option.call else ():
            if edge.step not in self._rank or edge.step in chosen:
                if self._edge(edge, option, m, chosen) != 1:
                    return False
            elif m != self.plan.scale or self.plan.views[edge.step].step.effect != "read":
                before = self._options[self._rank[edge.step]]
                if not any(came_before(other.seen, option.seen, edge.kind == "value") for other in before):
                    return False
        return True

    # The search

    def solve(self) -> dict[int, Placed]:
        """Each step's place."""
        chosen = self._greedy()
        if chosen is None:
            for place, view in enumerate(self.views):
                served = self._served(view)
                if served is not None:
                    self._options[place].append(served)
            self._branch(0, {}, frozenset(), 0)
            assert self._best is not None  # nothing matched is always possible
            chosen = self._best[1]
        return {view.index: self._record(view, chosen) for view in self.views}

    def _greedy(self) -> dict[int, _Option | None] | None:
        """Each step's best call, if no alignment can be better, else None."""
        chosen: dict[int, _Option | None] = {}
        used: set[int] = set()
        for view, options in zip(self.views, self._options, strict=True):
            best = max(options, key=lambda option: self._sum(view, option, option.m, option.agreement), default=None)
            if best is None:
                if view.look_up:
                    return None
                chosen[view.index] = None
                continue
            full = best.m == best.agreement == self.plan.scale
            if best.seen.place in used or (view.look_up and not full):
                return None
            if self._worth(view, best, chosen) != self._sum(view, best, best.m, best.agreement):
                return None
            used.add(best.seen.place)
            chosen[view.index] = best
        return chosen

    def _branch(self, depth: int, chosen: dict[int, _Option | None], used: frozenset[int], value: int) -> None:
        """Try all ways to match the steps from `depth` on that may beat the best found so far."""
        self._nodes += 1
        if self._nodes > NODES and self._best is not None:
            return
        bound, guess = self._relaxed(depth, chosen, used)
        if self._best is not None and value + bound <= self._best[0]:
            return
        reached = self._try(depth, chosen, guess)
        if reached is not None and (self._best is None or value + reached[0] > self._best[0]):
            self._best = value + reached[0], reached[1]
        if depth == len(self.views) or (reached is not None and reached[0] == bound):
            return
        view = self.views[depth]
        ways: list[_Option | None] = [None, *self._options[depth]]
        ways.sort(key=lambda option: -self._hoped(view, option, chosen))
        for option in ways:
            takes = option is not None and option.call
            if option is not None and takes and option.seen.place in used:
                continue
            worth = self._worth(view, option, chosen)
            if worth is not None:
                taken_now = used | {option.seen.place} if option is not None and takes else used
                self._branch(depth + 1, {**chosen, view.index: option}, taken_now, value + worth)

    def _try(
        self, depth: int, chosen: dict[int, _Option | None], guess: Sequence[_Option | None]
    ) -> tuple[int, dict[int, _Option | None]] | None:
        """The true worth of a guess for the steps from `depth` on, None if it is not possible."""
        whole = dict(chosen)
        value = 0
        for view, option in zip(self.views[depth:], guess, strict=True):
            worth = self._worth(view, option, whole)
            if worth is None:
                return None
            value += worth
            whole[view.index] = option
        return value, whole

    def _relaxed(
        self, depth: int, chosen: Mapping[int, _Option | None], used: frozenset[int]
    ) -> tuple[int, list[_Option | None]]:
        """The best assignment of the steps from `depth` on if all order constraints held that still can."""
        rows = len(self.views) - depth
        columns: dict[int, int] = {}
        table: list[dict[int, tuple[int, _Option | None]]] = []
        for row, view in enumerate(self.views[depth:]):
            private = (self._hoped(view, None, chosen), None)
            ways: dict[int, tuple[int, _Option | None]] = {}
            for option in self._options[depth + row]:
                hoped = self._hoped(view, option, chosen)
                if not option.call:
                    private = max(private, (hoped, option), key=lambda pair: pair[0])
                elif option.seen.place not in used:
                    ways[columns.setdefault(option.seen.place, rows + len(columns))] = (hoped, option)
            ways[row] = private
            table.append(ways)
        best = assign([{column: way[0] for column, way in ways.items()} for ways in table], rows + len(columns))
        picked = [ways[column] for ways, column in zip(table, best, strict=True)]
        return sum(worth for worth, _ in picked), [option for _, option in picked]

    def _record(self, view: View, chosen: Mapping[int, _Option | None]) -> Placed:
        option = chosen[view.index]
        if option is None:
            return NOWHERE
        m, agreement = self._fitted(view, option, chosen)
        held = self._order(view, option, m, chosen)
        assert held is not None
        scale = self.plan.scale
        exact = option.exact and agreement == scale
        return Placed(option.seen, "call" if option.call else "other read", m / scale, held, agreement / scale, exact)


def came_before(seen: Seen, other: Seen, value: bool) -> bool:
    """Whether a call came before another; for a value that flows, in an earlier generation."""
    return seen.moment < other.moment if value else seen.place < other.place


def _has(arguments: Json, names: Iterable[str]) -> bool:
    return isinstance(arguments, dict) and all(name in arguments for name in names)


def assign(weights: Sequence[Mapping[int, int]], columns: int) -> list[int]:
    """The column of each row in an assignment of greatest weight (the Hungarian method, exact in integers).

    Each row lists the columns that it may take; there must be an assignment, as where each row has one of its own.
    """
    if not weights:
        return []
    most = max(abs(weight) for row in weights for weight in row.values()) + 1
    forbidden = most * 4 * (len(weights) + 1)
    never = forbidden * 4 * (columns + 2)
    cost = [[-row.get(column, -forbidden) for column in range(columns)] for row in weights]
    row_price, column_price = [0] * (len(cost) + 1), [0] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, len(cost) + 1):
        owner[0], column = row, 0
        least, came_from, done = [never] * (columns + 1), [0] * (columns + 1), [False] * (columns + 1)
        while owner[column]:
            done[column] = True
            current, delta, nearest = owner[column], never, 0
            for other in range(1, columns + 1):
                if done[other]:
                    continue
                reduced = cost[current - 1][other - 1] - row_price[current] - column_price[other]
                if reduced < least[other]:
                    least[other], came_from[other] = reduced, column
                if least[other] < delta:
                    delta, nearest = least[other], other
            for other in range(columns + 1):
                if done[other]:
                    row_price[owner[other]] += delta
                    column_price[other] -= delta
                else:
                    least[other] -= delta
            column = nearest
        while column:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    found = [0] * len(cost)
    for other in range(1, columns + 1):
        if owner[other]:
            found[owner[other] - 1] = other - 1
    return found
