"""The ground truth of a conversation: its calls made minimal, where each value came from, what depends on what.

Covers: specification 7.2 and 7.6: a call or argument that changes nothing goes; value edges from where ids were seen;
state edges proven by replaying without the earlier step. Does not cover: planning (synth/goals/plan.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import networkx as nx

from ..paths import extract, retaken, taken
from ..records import Edge, Json, Origin, Outcome, Step, Tool
from ..world.server import Server
from ..world.session import LocalSession
from .machine import Proposal
from .phrases import Phrases
from .sample import names, shown


@dataclass(frozen=True)
class Executed:
    """A proposal that was executed in the conversation, and in which turn."""

    turn: int
    proposal: Proposal
    arguments: dict[str, Json]
    outcome: Outcome

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self.proposal.tool


class Truth:
    """Turns the executed calls of one conversation into ground-truth steps."""

    def __init__(self, server: Server, seed: int, phrases: Phrases, made: Collection[str]) -> None:
        self.server = server
        self.seed = seed
        self.phrases = phrases
        self.made = frozenset(made)

    def steps(self, calls: Sequence[Executed]) -> list[tuple[int, Step]]:
        """(turn, step) of the minimal calls, in order."""
        kept = self._minimal(list(calls))
        origins = [self._origins(kept, index) for index in range(len(kept))]
        edges = self._edges(kept, origins)
        found = []
        for index, call in enumerate(kept):
            tool = self.server.tool(call.tool)
            used = self._used_from(kept, origins, index)
            feeds = any(origin.step == index for later in origins for origin in later.values())
            found.append(
                (
                    call.turn,
                    Step(
                        index=index,
                        tool=call.tool,
                        arguments=call.arguments,
                        outcome=call.outcome,
                        effect=tool.effect,
                        group=index,
                        edges=edges[index],
                        origins=origins[index],
                        compared=self._compared(tool, call),
                        dictated=tuple(sorted(call.proposal.said & set(tool.free))),
                        terminal=tool.effect == "read" and call.proposal.role == "goal" and not feeds,
                        supplies=tuple(used) if tool.effect == "read" else (),
                    ),
                )
            )
        return found

    # Minimality

    def _minimal(self, calls: list[Executed]) -> list[Executed]:
        """The calls without idle look-ups and without arguments that change neither observation nor state.

        An argument is judged where its call stands: with the same observation and the same state right after the call,
        nothing later can differ.
        """
        session = LocalSession(self.server, self.seed)
        kept = []
        for call in self._without_idle_look_ups(calls):
            tool = self.server.tool(call.tool)
            wanted = self._tried(session, call.tool, call.arguments)
            arguments = dict(call.arguments)
            for name in [name for name in call.arguments if name not in tool.required]:
                fewer = {key: value for key, value in arguments.items() if key != name}
                if self._tried(session, call.tool, fewer) == wanted:
                    arguments = fewer
            session.call(call.tool, arguments)
            kept.append(replace(call, arguments=arguments))
        session.close()
        return self._without_idle_look_ups(kept)

    def _tried(self, session: LocalSession, tool: str, arguments: dict[str, Json]) -> tuple[Json, str]:
        with session.attempt():
            outcome = session.call(tool, arguments)
            return outcome.body(), session.digest()

    def _without_idle_look_ups(self, calls: list[Executed]) -> list[Executed]:
        """Drop look-ups of which every id that later calls use was seen before."""
        kept = list(calls)
        for index in range(len(calls) - 1, -1, -1):
            call = kept[index]
            if call.proposal.role != "look-up":
                continue
            others = kept[:index] + kept[index + 1 :]
            if all(self._known(others, later) for later in range(index, len(others))):
                kept = others
        return kept

    def _known(self, calls: list[Executed], index: int) -> bool:
        """Whether every id that a call takes was recognisable before it, or was said by the user as it is."""
        call = calls[index]
        tool = self.server.tool(call.tool)
        spoken = {id for earlier in calls[: index + 1] for id in earlier.proposal.spoken}
        for name, entity in tool.takes.items():
            unsaid = [id for id in _items(call.arguments.get(name)) if id not in spoken]
            if not all(self._source(calls[:index], entity, id) for id in unsaid):
                return False
        results = {earlier.tool for earlier in calls[:index]}
        return all(source[0] in results for _, source in call.proposal.derived)

    # Dependencies

    def _origins(self, calls: list[Executed], index: int) -> dict[str, Origin]:
        call = calls[index]
        tool = self.server.tool(call.tool)
        found: dict[str, Origin] = {}
        for name in tool.takes:
            value = call.arguments.get(name)
            for number, id in enumerate(_items(value)):
                source = self._source(calls[:index], tool.takes[name], id)
                if source is not None:
                    key = f"{name}[{number}]" if isinstance(value, list) else name
                    found[key] = Origin(source[0], source[1], made=id in self.made)
        for name, (source_tool, path, match) in call.proposal.derived:
            step = max(number for number, earlier in enumerate(calls[:index]) if earlier.tool == source_tool)
            found[name] = Origin(step, path, made=True, match=match)
        return found

    def _source(self, calls: list[Executed], entity: str, id: str) -> tuple[int, str] | None:
        """The first call that showed an id with what a person would call the row, or that made it, and the place."""
        for index, call in enumerate(calls):
            for one in shown(self.server.tool(call.tool), call.arguments, call.outcome.value):
                if one.id == id and (id in self.made or names(self.phrases, entity, one.fields)):
                    return index, one.place
        return None

    def _used_from(self, calls: list[Executed], origins: list[dict[str, Origin]], index: int) -> list[Json]:
        """The values that later calls take from this one, each once."""
        used: list[Json] = []
        for later in origins:
            for origin in later.values():
                value = taken(origin, calls[index].outcome.value)
                if origin.step == index and value is not None and value not in used:
                    used.append(value)
        return used

    def _edges(self, calls: list[Executed], origins: list[dict[str, Origin]]) -> list[tuple[Edge, ...]]:
        value = [sorted({origin.step for origin in found.values()}) for found in origins]
        graph: nx.DiGraph = nx.DiGraph()
        graph.add_nodes_from(range(len(calls)))
        for index, steps in enumerate(value):
            graph.add_edges_from((step, index) for step in steps)
        proven = []
        for index in range(len(calls)):
            for step in range(index):
                write = self.server.tool(calls[step].tool).effect != "read"
                if write and step not in value[index] and self._is_needed(calls, origins, graph, step, index):
                    proven.append((step, index))
        graph.add_edges_from(proven)
        reduced = nx.transitive_reduction(graph)
        return [
            tuple(
                [Edge(step, "value") for step in value[index]]
                + [Edge(step, "state") for step, target in proven if target == index and reduced.has_edge(step, index)]
            )
            for index in range(len(calls))
        ]

    def _is_needed(
        self, calls: list[Executed], origins: list[dict[str, Origin]], graph: nx.DiGraph, step: int, index: int
    ) -> bool:
        """Whether a call fails, or a read that gives a value shows an old one, when an earlier call is left out.

        Ids and codes are numbered as they come, so what a call takes from an earlier one is taken anew in this run.
        """
        gone = {step} | nx.descendants(graph, step)
        if index in gone:
            return False
        call = calls[index]
        places = [
            source[1:] for later in calls[index + 1 :] for _, source in later.proposal.derived if source[0] == call.tool
        ]
        session = LocalSession(self.server, self.seed)
        older = [session.call(call.tool, call.arguments)] if places else []
        results: dict[int, Outcome] = {}
        for number in [number for number in range(index + 1) if number not in gone]:
            values = {earlier: outcome.value for earlier, outcome in results.items()}
            arguments = retaken(calls[number].arguments, origins[number], values)
            results[number] = session.call(calls[number].tool, arguments)
            older += [results[number]] if number < index and calls[number].tool == call.tool else []
        session.close()
        return not results[index].succeeded or any(_is_stale(results[index], older, place) for place in places)

    def _compared(self, tool: Tool, call: Executed) -> tuple[str, ...]:
        if call.proposal.role == "look-up":
            return tuple(name for name in call.arguments if name in tool.required)
        values = self.phrases.tools[tool.name].values
        return tuple(
            name
            for name in call.arguments
            if (name not in tool.free or name in call.proposal.said)
            and (name in call.proposal.said or not values.get(name, {}).get("made_up"))
        )


def _is_stale(outcome: Outcome, older: Sequence[Outcome], place: tuple[str, str]) -> bool:
    """Whether a read shows no value at a place, or one that was there before: a fresh one is as good as any other."""
    value = extract(outcome.value, *place)
    return value is None or any(value == extract(earlier.value, *place) for earlier in older)


def _items(value: Json) -> list[Json]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
