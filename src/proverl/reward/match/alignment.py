"""Which call stands for which step, in the profile `robust` (specification 7.3).

Covers: how well a call fits a step, and the one alignment of a turn that maximises coverage, then argument agreement,
then ties by a fixed order. Does not cover: what the alignment is worth (robust.py), or the greedy rule of `paper`.

The search is exact. Each step takes its best call; if these are different calls and in order, nothing can be better,
and that is the usual case. Otherwise the steps fall into groups that share neither calls nor dependencies, and in each
group that needs it a branch and bound search fixes one step after the other. Its bound is the best
assignment (Hungarian method) of the steps left, with every order constraint assumed to hold that can still hold. All
weights are integers, compared exactly. Past `NODES` nodes, which only a made-up trace needs, the best alignment found
so far is taken: a lower bound, and the same in every run.

Of two alignments with the same coverage the one goes first that covers more of this turn's steps than of those still
open from earlier turns. Ties after agreement go to more steps with a call of their own that agrees in something, then
to more calls with the very arguments of their steps, then to the earlier call, again for this turn's steps first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ...paths import taken
from ...records import Edge, Json, Origin
from .assignment import assign
from .steps import NOWHERE, LocatedCall, Placed, Plan, View, came_before
from .values import SearchableResult

NODES = 2_000


class _Option(NamedTuple):
    """One way for a step to be matched, m and agreement in the plan's scale; `call` is False for another read's.

    `equal` says that the call has the very arguments of the step, also those that are not compared.
    """

    seen: LocatedCall
    m: int
    agreement: int
    call: bool
    equal: bool


Chosen: TypeAlias = dict[int, _Option | None]
"""The choice for each step so far, by index."""


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
        window: Sequence[LocatedCall],
        reads: Sequence[tuple[LocatedCall, SearchableResult]],
        placed: Mapping[int, Placed],
    ) -> None:
        self.plan = plan
        self.views = sorted(views, key=lambda view: view.index)
        self.reads = reads
        self.placed = placed
        self._last = len(window)
        self._start = window[0].place if window else 0
        self._named: dict[str, list[LocatedCall]] = {}
        for seen in window:
            self._named.setdefault(seen.call.name, []).append(seen)
        self._memo: dict[tuple[int, ...], tuple[int, int]] = {}
        self._open = frozenset(view.index for view in self.views)
        self._turn = turn
        self._units(turn)
        self._options = {view.index: self._own(view) for view in self.views}
        self._best: tuple[int, Chosen] = (0, {})
        self.nodes = 0

    def _units(self, turn: frozenset[int]) -> None:
        """What one of each thing is worth, so that the sum of any number of a later kind is less than one of it."""
        count = len(self.views)
        base = self._last + 1
        ordered = self.views
        if len(turn) < count:
            ordered = sorted(self.views, key=lambda view: (view.index not in turn, view.index))
        self._digit: dict[int, int] = {view.index: base ** (count - 1 - rank) for rank, view in enumerate(ordered)}
        self._equal: int = base**count
        self._call: int = self._equal * (count + 1)
        self._agreement: int = self._call * (count + 1)
        self._mine: int = self._agreement * (count * self.plan.scale + 1)
        self._cover: int = self._mine * (count * self.plan.scale + 1)

    # How well a call fits

    def _own(self, view: View) -> list[_Option]:
        """The calls that may stand for a step."""
        found = []
        for seen in self._named.get(view.step.tool, ()):
            if view.can_be(seen.call):
                m, agreement = self._fit(view, seen, None)
                found.append(_Option(seen, m, agreement, True, seen.call.arguments == view.step.arguments))
        return found

    def _served(self, view: View) -> _Option | None:
        """A look-up as served by reads that came before its values were used, if there are such."""
        if not view.look_up or any(self.placed.get(index, NOWHERE).seen is not None for index in view.consumers):
            return None
        last: LocatedCall | None = None
        for wanted in view.step.supplies:
            first = next((seen for seen, shown in self.reads if shown.holds(wanted)), None)
            if first is None:
                return None
            last = first if last is None or first.place > last.place else last
        assert last is not None
        return _Option(last, self.plan.scale, self.plan.scale, False, False)

    def _fit(self, view: View, seen: LocatedCall, chosen: Chosen | None) -> tuple[int, int]:
        """How well a call fits: m, agreement. Without `chosen`, a value made by another step may be any it can be."""
        sources = (lambda origin: self._values(origin, chosen)) if view.makers else _nothing_made
        agreed, required = view.agreeing(seen.call, sources)
        scale = self.plan.scale
        m = required * (scale // view.kept_required) if view.kept_required else scale
        return m, agreed * (scale // view.kept) if view.kept else scale

    def _fitted(self, view: View, option: _Option, chosen: Chosen) -> tuple[int, int]:
        """The same for a choice; once for each choice of the steps that make values for it."""
        if not view.makers or not option.call:
            return option.m, option.agreement
        key = (view.index, option.seen.place, *(self._place(maker, chosen) for maker in view.makers))
        if key not in self._memo:
            self._memo[key] = self._fit(view, option.seen, chosen)
        return self._memo[key]

    def _values(self, origin: Origin, chosen: Chosen | None) -> list[Json]:
        """What may stand for a value that an earlier step makes."""
        maker = self.plan.views[origin.step]
        if maker.index not in self._open:
            return maker.made_by(self.placed.get(maker.index, NOWHERE), origin)
        if chosen is None:
            calls = [seen.call for seen in self._named.get(maker.step.tool, ()) if maker.can_be(seen.call)]
            values = [taken(origin, call.outcome.value) for call in calls]
            return [*values, taken(origin, maker.step.outcome.value)]
        option = chosen.get(maker.index)
        by = "" if option is None else "call" if option.call else "other read"
        return maker.made_by(Placed(option.seen if option else None, by), origin)

    def _place(self, index: int, chosen: Chosen) -> int:
        option = chosen.get(index)
        if option is not None:
            return option.seen.place * 2 + option.call
        placed = self.placed.get(index, NOWHERE)
        return placed.seen.place * 2 + (placed.by == "call") if placed.seen else -2

    # What a choice is worth

    def _order(self, view: View, option: _Option, m: int, chosen: Chosen) -> int | None:
        """o(g): 1 or 0 (specification 7.3); None where a read that came too late would serve a look-up."""
        held = 1
        for edge in view.edges if option.call else ():
            one = self._edge(edge, option, m, chosen)
            if one is None:
                return None
            held &= one
        return held

    def _edge(self, edge: Edge, option: _Option, m: int, chosen: Chosen) -> int | None:
        """One factor of o(g)."""
        if edge.step in self._open:
            before = chosen.get(edge.step)
            seen, served = (before.seen, not before.call) if before else (None, False)
        else:
            seen, served = self.placed.get(edge.step, NOWHERE).seen, False
        if seen is None:
            return int(self.plan.views[edge.step].step.effect == "read" and m == self.plan.scale)
        if came_before(seen, option.seen, edge.kind == "value"):
            return 1
        return None if served and edge.kind == "value" else 0

    def _worth(self, view: View, option: _Option | None, chosen: Chosen) -> int | None:
        """The weight of a choice once all earlier steps have theirs; None if it cannot be chosen."""
        if option is None:
            return -self._last * self._digit[view.index]
        m, agreement = self._fitted(view, option, chosen)
        held = self._order(view, option, m, chosen)
        return None if held is None else self._sum(view, option, m * held, agreement)

    def _sum(self, view: View, option: _Option, cover: int, agreement: int) -> int:
        at = option.seen.place - self._start
        return (
            cover * (self._cover + self._mine if view.index in self._turn else self._cover)
            + agreement * self._agreement
            + (self._call if option.call and (option.m or option.agreement) else 0)
            + (self._equal if option.equal else 0)
            - (at if at > 0 else 0) * self._digit[view.index]
        )

    def _hoped(self, view: View, option: _Option | None, chosen: Chosen) -> int:
        """An upper bound of `_worth`, as far as earlier steps have their choice."""
        if option is None:
            return -self._last * self._digit[view.index]
        m, agreement = option.m, option.agreement
        if view.makers and all(maker in chosen or maker not in self._open for maker in view.makers):
            m, agreement = self._fitted(view, option, chosen)
        return self._sum(view, option, m if self._may_hold(view, option, m, chosen) else 0, agreement)

    def _may_hold(self, view: View, option: _Option, m: int, chosen: Chosen) -> bool:
        """Whether o(g) can still be 1."""
        for edge in view.edges if option.call else ():
            if edge.step not in self._open or edge.step in chosen:
                if self._edge(edge, option, m, chosen) != 1:
                    return False
            elif m != self.plan.scale or self.plan.views[edge.step].step.effect != "read":
                before = self._options[edge.step]
                if not any(came_before(other.seen, option.seen, edge.kind == "value") for other in before):
                    return False
        return True

    # The search

    def solve(self) -> dict[int, Placed]:
        """Each step's place."""
        chosen = self._greedy(self.views, False)
        if chosen is None:
            chosen = {}
            for view in self.views:
                served = self._served(view)
                if served is not None:
                    self._options[view.index].append(served)
            for group in self._groups():
                chosen.update(self._greedy(group, True) or self._searched(group))
        return {view.index: self._record(view, chosen) for view in self.views}

    def _greedy(self, views: Sequence[View], served: bool) -> Chosen | None:
        """Each step's best choice, if no alignment can be better, else None.

        Before it is known which other reads serve look-ups (`served`), only a look-up with a perfect call is settled.
        """
        chosen: Chosen = {}
        used: set[int] = set()
        scale = self.plan.scale
        for view in views:
            best: _Option | None = None
            most = -self._last * self._digit[view.index]
            for option in self._options[view.index]:
                worth = self._sum(view, option, option.m, option.agreement)
                if worth > most:
                    best, most = option, worth
            if view.look_up and not served and (best is None or best.m + best.agreement < 2 * scale):
                return None
            if best is not None and best.call:
                if best.seen.place in used:
                    return None
                used.add(best.seen.place)
            if (view.edges or view.makers) and self._worth(view, best, chosen) != most:
                return None
            chosen[view.index] = best
        return chosen

    def _groups(self) -> list[list[View]]:
        """The steps in groups between which nothing is shared, each in order."""
        label = {view.index: view.index for view in self.views}
        owner: dict[int, int] = {}

        def top(index: int) -> int:
            while label[index] != index:
                index = label[index]
            return index

        for view in self.views:
            linked = [edge.step for edge in view.edges if edge.step in label]
            linked += [maker for maker in view.makers if maker in label]
            calls = [option.seen.place for option in self._options[view.index] if option.call]
            linked += [owner.setdefault(place, view.index) for place in calls]
            for other in linked:
                label[top(other)] = top(view.index)
        groups: dict[int, list[View]] = {}
        for view in self.views:
            groups.setdefault(top(view.index), []).append(view)
        return list(groups.values())

    def _searched(self, views: Sequence[View]) -> Chosen:
        """The best choice for one group of steps."""
        nothing: Chosen = dict.fromkeys([view.index for view in views])
        self._best = -self._last * sum(self._digit[index] for index in nothing), nothing
        self._branch(views, {}, frozenset(), 0)
        return self._best[1]

    def _branch(self, views: Sequence[View], chosen: Chosen, used: frozenset[int], value: int) -> None:
        """Try all ways to match these steps, the rest of a group, that may beat the best found so far."""
        self.nodes += 1
        bound, guess = self._relaxed(views, chosen, used)
        if value + bound <= self._best[0]:
            return
        reached = self._try(views, chosen, guess)
        if reached is not None and value + reached[0] > self._best[0]:
            self._best = value + reached[0], reached[1]
        if not views or (reached is not None and reached[0] == bound):
            return
        view = views[0]
        ways: list[_Option | None] = [None, *self._options[view.index]]
        ways.sort(key=lambda option: -self._hoped(view, option, chosen))
        for option in ways:
            if self.nodes >= NODES:
                return
            takes = option is not None and option.call
            if option is not None and takes and option.seen.place in used:
                continue
            worth = self._worth(view, option, chosen)
            if worth is not None:
                taken_now = used | {option.seen.place} if option is not None and takes else used
                self._branch(views[1:], {**chosen, view.index: option}, taken_now, value + worth)

    def _try(self, views: Sequence[View], chosen: Chosen, guess: Sequence[_Option | None]) -> tuple[int, Chosen] | None:
        """The true worth of a guess for these steps, None if it is not possible."""
        whole = dict(chosen)
        value = 0
        for view, option in zip(views, guess, strict=True):
            worth = self._worth(view, option, whole)
            if worth is None:
                return None
            value += worth
            whole[view.index] = option
        return value, whole

    def _relaxed(self, views: Sequence[View], chosen: Chosen, used: frozenset[int]) -> tuple[int, list[_Option | None]]:
        """The best assignment of these steps if all order constraints held that still can."""
        columns: dict[int, int] = {}
        table: list[dict[int, tuple[int, _Option | None]]] = []
        first: list[tuple[int, _Option | None]] = []
        for row, view in enumerate(views):
            private: tuple[int, _Option | None] = (self._hoped(view, None, chosen), None)
            ways: dict[int, tuple[int, _Option | None]] = {}
            best = private
            for option in self._options[view.index]:
                if option.call and option.seen.place in used:
                    continue
                way = (self._hoped(view, option, chosen), option)
                if option.call:
                    ways[columns.setdefault(option.seen.place, len(views) + len(columns))] = way
                elif way[0] > private[0]:
                    private = way
                best = way if way[0] > best[0] else best
            ways[row] = private
            table.append(ways)
            first.append(best)
        if not _distinct(option for _, option in first):
            weights = [{column: way[0] for column, way in ways.items()} for ways in table]
            first = [ways[at] for ways, at in zip(table, assign(weights, len(views) + len(columns)), strict=True)]
        return sum(worth for worth, _ in first), [option for _, option in first]

    def _record(self, view: View, chosen: Chosen) -> Placed:
        option = chosen[view.index]
        if option is None:
            return NOWHERE
        m, agreement = self._fitted(view, option, chosen)
        held = self._order(view, option, m, chosen)
        assert held is not None
        scale = self.plan.scale
        return Placed(option.seen, "call" if option.call else "other read", m / scale, held, agreement / scale)


def _distinct(options: Iterable[_Option | None]) -> bool:
    """Whether no call stands for two steps."""
    places = [option.seen.place for option in options if option is not None and option.call]
    return len(set(places)) == len(places)


def _nothing_made(origin: Origin) -> list[Json]:
    return []
