"""Drawing faults by a seed, so that every file and every operator has its share.

Each file in which some operator finds a place gets one fault, as far as they go round; the rest is shared out by the
number of lines on which there is a place. Within a file the next fault is one of the operator that has had the fewest
so far, and all faults of an operator are equally likely. Two operators that come to one text count once. The same
files, seed and count give the same faults.
"""

from __future__ import annotations

from collections import Counter
from random import Random

from . import bodies, python, sql
from .faults import Edit, Fault, Source, plant
from .syntax import Surroundings

Places = dict[str, list[Edit]]
"""By operator, what it can do to one file."""


def places(source: Source, around: Surroundings) -> Places:
    """All that the operators can do to a file; the special ones come first and keep what others find too."""
    found: Places = {}
    for name, operator in sql.OPERATORS.items():
        found[name] = list(sql.edits(source, operator, around))
    if source.file.endswith(".py"):
        for name, each in {**bodies.OPERATORS, **python.OPERATORS}.items():
            found[name] = list(each(source, around))
    seen: set[Edit] = set()
    for name, edits in found.items():
        found[name] = [edit for edit in dict.fromkeys(edits) if edit not in seen]
        seen.update(edits)
    return {name: edits for name, edits in found.items() if edits}


def draw(sources: list[Source], around: Surroundings, count: int, seed: int) -> list[Fault]:
    """At most `count` faults, by file."""
    found = {source.file: places(source, around) for source in sources}
    sources = [source for source in sources if found[source.file]]
    weights = [
        len({source.line(edit.start) for edits in found[source.file].values() for edit in edits}) for source in sources
    ]
    random, had, drawn = Random(seed), Counter[str](), []
    for source, share in zip(sources, shares(weights, count, random), strict=True):
        drawn += _from_file(source, found[source.file], share, random, had)
    return drawn


def shares(weights: list[int], count: int, random: Random) -> list[int]:
    """How many of `count` each gets: one each, and the rest by weight; with too few for all, who gets one is drawn."""
    if count <= len(weights):
        chosen = set(random.sample(range(len(weights)), count))
        return [int(index in chosen) for index in range(len(weights))]
    rest, total = count - len(weights), sum(weights)
    given = [rest * weight // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda index: (-(rest * weights[index] % total), index))
    for index in by_remainder[: rest - sum(given)]:
        given[index] += 1
    return [1 + more for more in given]


def _from_file(source: Source, left: Places, share: int, random: Random, had: Counter[str]) -> list[Fault]:
    left = {name: random.sample(edits, len(edits)) for name, edits in left.items()}
    drawn: list[Fault] = []
    while left and len(drawn) < share:
        fewest = min(had[name] for name in left)
        name = random.choice([name for name in left if had[name] == fewest])
        fault = plant(source, name, left[name].pop())
        if not left[name]:
            del left[name]
        if fault is not None:
            drawn.append(fault)
            had[name] += 1
    return drawn
