"""The dependency graph of a server's tools (specification section 2, step 1).

Covers: the class of every pair of tools (explicit: an output of one is a required input of the other; implicit: one
must run first to establish state; none), the directed graph, and chains drawn from it. Does not cover: which edges
hold between the steps of one conversation; these are proven by replay (synth/replay.py).

The classes come from what the tools declare: ids that results give and arguments take, `after` marks, and, for servers
that declare nothing, equal names of output fields and required inputs that end in `_id`.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import networkx as nx

from ..errors import SynthesisError
from ..records import Json, Tool

Dependency = Literal["explicit", "implicit", "none"]
CHAIN_LENGTHS = (2, 3, 4, 5)


@dataclass(frozen=True)
class Pair:
    """One unordered pair of tools: its class, and the edges it holds (first -> second runs first)."""

    tools: tuple[str, str]
    kind: Dependency
    edges: tuple[tuple[str, str], ...] = ()


class Graph:
    """The tools of one server as a directed graph: an edge A -> B says that B can build on A.

    `base` maps an entity to the one whose ids the tools show for it (a file is a kind of entry).
    """

    def __init__(self, tools: Iterable[Tool], base: Callable[[str], str] = lambda entity: entity) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.pairs = tuple(self._classify(a, b, base) for a, b in combinations(self.tools.values(), 2))
        self.directed: nx.DiGraph = nx.DiGraph()
        self.directed.add_nodes_from(self.tools)
        for pair in self.pairs:
            self.directed.add_edges_from(pair.edges, kind=pair.kind)

    @property
    def digest(self) -> str:
        """A digest of the tools' schemas and marks: equal digests mean equal graphs."""
        content = [
            [tool.name, tool.input_schema, tool.output_schema, tool.takes, tool.gives, tool.after]
            for tool in sorted(self.tools.values(), key=lambda tool: tool.name)
        ]
        return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()

    def counts(self) -> dict[Dependency, int]:
        """How many pairs are of each class."""
        found = Counter(pair.kind for pair in self.pairs)
        return {"explicit": found["explicit"], "implicit": found["implicit"], "none": found["none"]}

    def chain(
        self,
        rng: random.Random,
        used: Counter[str],
        lengths: Iterable[int] = CHAIN_LENGTHS,
        among: Collection[str] | None = None,
    ) -> tuple[str, ...]:
        """A chain of connected tools, each after what it builds on: length uniform, then tools by inverse coverage.

        `used` counts how often each tool was drawn so far; the caller adds to it what it accepts. `among` are the
        tools that may be drawn (default: all); where they have no edges between them, one of them is the chain. A
        length that no part of the graph has is cut to the longest there is.

        Raises:
            SynthesisError: the server's tools have no edges between them, so there are no chains
        """
        graph = self.directed if among is None else self.directed.subgraph(among)
        parts = [part for part in nx.weakly_connected_components(graph) if len(part) > 1]
        if not parts and among:
            return (self._rarest(rng, used, sorted(among)),)
        if not parts:
            raise SynthesisError("no tool of this server builds on another one, so there are no chains")
        length = min(rng.choice(tuple(lengths)), max(len(part) for part in parts))
        starts = [tool for tool in self.tools if any(len(part) >= length and tool in part for part in parts)]
        chosen = [self._rarest(rng, used, starts)]
        while len(chosen) < length:
            near = {other for tool in chosen for other in nx.all_neighbors(graph, tool)} - set(chosen)
            chosen.append(self._rarest(rng, used, sorted(near)))
        return self._ordered(chosen)

    @property
    def reads(self) -> frozenset[str]:
        """The tools that change nothing."""
        return frozenset(name for name, tool in self.tools.items() if tool.effect == "read")

    def chains(self, count: int, seed: int) -> list[tuple[str, ...]]:
        """So many chains, the tools evenly used."""
        rng = random.Random(f"chains:{seed}")
        used: Counter[str] = Counter()
        found = []
        for _ in range(count):
            found.append(self.chain(rng, used))
            used.update(found[-1])
        return found

    def rows(self) -> list[dict[str, Json]]:
        """Each edge as a row: what runs first, what builds on it, and how."""
        edges = [(before, after, pair.kind) for pair in self.pairs for before, after in pair.edges]
        return [{"first": before, "then": after, "kind": kind} for before, after, kind in sorted(edges)]

    def _ordered(self, chosen: list[str]) -> tuple[str, ...]:
        """The tools in an order in which each follows what it builds on; where edges go round, as they were drawn."""
        left, order = list(chosen), []
        while left:
            free = [tool for tool in left if not any(self.directed.has_edge(other, tool) for other in left)]
            order.append(free[0] if free else left[0])
            left.remove(order[-1])
        return tuple(order)

    def _rarest(self, rng: random.Random, used: Counter[str], tools: list[str]) -> str:
        weights = [1 / (1 + used[tool]) ** 2 for tool in tools]
        return rng.choices(tools, weights)[0]

    def _classify(self, a: Tool, b: Tool, base: Callable[[str], str]) -> Pair:
        names = (a.name, b.name)
        explicit = [(x.name, y.name) for x, y in ((a, b), (b, a)) if _feeds(x, y, base)]
        if explicit:
            return Pair(names, "explicit", tuple(explicit))
        implicit = [(x.name, y.name) for x, y in ((a, b), (b, a)) if x.name in y.after]
        return Pair(names, "implicit" if implicit else "none", tuple(implicit))


def _feeds(a: Tool, b: Tool, base: Callable[[str], str]) -> bool:
    """Whether an output of A is a required input of B."""
    given = {base(entity) for entity in a.gives.values()}
    if any(argument in b.required and base(entity) in given for argument, entity in b.takes.items()):
        return True
    if a.gives or b.takes:
        return False
    fields = _fields(a.output_schema)
    return any(argument.endswith("_id") and argument in fields for argument in b.required)


def _fields(schema: Json) -> set[str]:
    if isinstance(schema, list):
        return {name for item in schema for name in _fields(item)}
    if not isinstance(schema, dict):
        return set()
    own = set(schema.get("properties", {}))
    return own | {name for value in schema.values() for name in _fields(value)}
