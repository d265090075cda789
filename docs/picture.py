"""The parts of the package and their imports: read from the code, and drawn as SVG.

Covers: which part imports which (lazy imports count), leaving out arrows that others imply, layers, and the picture.
Does not cover: what a part may import (tests/test_shape.py) or the page around the picture (architecture.md).

A part is a folder or a file directly below src/proverl. It stands above all parts that it imports, so every arrow
points down. Only counting and sorting decide where a box stands, so equal imports give equal bytes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path

import networkx as nx

PACKAGE = Path(__file__).parents[1] / "src" / "proverl"
FRONT = {"__init__", "__main__"}
"""The front page imports names from everywhere; an arrow from it would say nothing."""

BOX, HEIGHT, GAP, ROW = 122, 46, 20, 108
THROUGH = 12  # the room that an arrow takes where it passes between boxes
SWEEPS = 24


# Imports


def parts(package: Path = PACKAGE) -> dict[str, frozenset[str]]:
    """Each part of the package with the other parts that it imports."""
    found: dict[str, set[str]] = {}
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(package).with_suffix("").parts
        if place[0] not in FRONT:
            found.setdefault(place[0], set()).update(_imported(ast.parse(file.read_text(encoding="utf-8")), place))
    return {part: frozenset(seen & found.keys() - {part}) for part, seen in sorted(found.items())}


def _imported(module: ast.Module, place: tuple[str, ...]) -> Iterator[str]:
    """The parts that a module names in its imports, itself and names that are no parts included."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("proverl."))
        elif isinstance(node, ast.ImportFrom):
            origin = tuple(node.module.split(".")) if node.module else ()
            if node.level:
                origin = ("proverl", *place[: len(place) - node.level], *origin)
            if origin[:1] == ("proverl",):
                yield from origin[1:2] or (alias.name for alias in node.names)


def arrows(imports: Mapping[str, frozenset[str]]) -> list[tuple[str, str]]:
    """The imports that no others imply: where a imports b and b imports c, an arrow from a to c says nothing new."""
    graph = nx.DiGraph((part, target) for part in sorted(imports) for target in sorted(imports[part]))
    return sorted(nx.transitive_reduction(graph).edges)


# Where things stand


@dataclass
class Drawing:
    """Boxes in rows, the lowest first; an arrow that passes a row has a place in it (`a>b`)."""

    rows: list[list[str]]
    below: dict[str, list[str]] = field(default_factory=dict)
    above: dict[str, list[str]] = field(default_factory=dict)
    x: dict[str, float] = field(default_factory=dict)

    def width(self, name: str) -> float:
        """How broad a box, or the room for a passing arrow, is."""
        return THROUGH if ">" in name else BOX


def layout(imports: Mapping[str, frozenset[str]]) -> Drawing:
    """Where each box stands, so that few arrows cross and boxes stand near those that they are joined with."""
    joined = arrows(imports)
    rank = _ranks(imports, joined)
    drawing = Drawing(
        [[part for part in sorted(imports) if rank[part] == row] for row in range(max(rank.values()) + 1)]
    )
    for part, target in joined:
        way = [part]
        for row in range(rank[part] - 1, rank[target], -1):
            way.append(f"{part}>{target}>{row}")
            drawing.rows[row].append(way[-1])
        way.append(target)
        for upper, lower in pairwise(way):
            drawing.below.setdefault(upper, []).append(lower)
            drawing.above.setdefault(lower, []).append(upper)
    _order(drawing)
    _place(drawing)
    return drawing


def _ranks(imports: Mapping[str, frozenset[str]], joined: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The layer of each part: above all that it imports, below all that import it, and so that arrows are short.

    Each starts as low as it can be, and moves while that shortens the sum of its arrows; of two equal places, up.
    """
    rank: dict[str, int] = {}

    def lowest(part: str) -> int:
        if part not in rank:
            rank[part] = 1 + max((lowest(target) for target in sorted(imports[part])), default=-1)
        return rank[part]

    highest = max(lowest(part) for part in sorted(imports))
    for _ in range(SWEEPS):
        for part in sorted(imports):
            below = [rank[target] for source, target in joined if source == part]
            above = [rank[source] for source, target in joined if target == part]
            room = range(max(below, default=-1) + 1, min(above, default=highest + 1))
            pull = len(below) - len(above)
            rank[part] = room[0] if pull > 0 else room[-1]
    return rank


def _order(drawing: Drawing) -> None:
    """Sort each row by where its neighbours stand, downwards and upwards in turn; the order with fewest crossings."""
    best, fewest = [list(row) for row in drawing.rows], _crossings(drawing)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        neighbours = drawing.above if down else drawing.below
        for row in reversed(drawing.rows) if down else drawing.rows:
            place = {name: at / max(1, len(other) - 1) for other in drawing.rows for at, name in enumerate(other)}
            row.sort(key=lambda name: (_mean([place[n] for n in neighbours.get(name, [name])]), place[name]))
        for row in drawing.rows:
            _swap(drawing, row)
        crossings = _crossings(drawing)
        if crossings < fewest:
            best, fewest = [list(row) for row in drawing.rows], crossings
    drawing.rows = best


def _swap(drawing: Drawing, row: list[str]) -> None:
    """Exchange neighbours while that takes crossings away."""
    for at in range(len(row) - 1):
        before = _crossings(drawing)
        row[at], row[at + 1] = row[at + 1], row[at]
        if _crossings(drawing) >= before:
            row[at], row[at + 1] = row[at + 1], row[at]


def _crossings(drawing: Drawing) -> int:
    place = {name: at for row in drawing.rows for at, name in enumerate(row)}
    total = 0
    for row in drawing.rows:
        lines = [(place[name], place[lower]) for name in row for lower in drawing.below.get(name, ())]
        total += sum(a < c and b > d for a, b in lines for c, d in lines)
    return total


def _place(drawing: Drawing) -> None:
    """Let each row come as near to its neighbours as its order and the widths of its boxes allow."""
    for row in drawing.rows:
        drawing.x.update({name: at * (BOX + GAP) for at, name in enumerate(row)})
    for sweep in range(SWEEPS):
        for row in reversed(drawing.rows) if sweep % 2 else drawing.rows:
            wanted = []
            for name in row:
                near = drawing.below.get(name, []) + drawing.above.get(name, [])
                wanted.append(_mean([drawing.x[other] for other in near]) if near else drawing.x[name])
            drawing.x.update(zip(row, _apart(row, wanted, drawing), strict=True))
    left = min(drawing.x[name] - drawing.width(name) / 2 for row in drawing.rows for name in row)
    drawing.x = {name: round(x - left + GAP, 1) for name, x in drawing.x.items()}


def _apart(row: list[str], wanted: list[float], drawing: Drawing) -> list[float]:
    """The places nearest to those wanted (least squares) at which the boxes of a row do not touch."""
    offsets = [0.0]
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + (drawing.width(one) + drawing.width(other)) / 2 + GAP)
    groups: list[list[float]] = []  # pool adjacent violators: neighbours that would overlap move as one
    for want, offset in zip(wanted, offsets, strict=True):
        groups.append([want - offset])
        while len(groups) > 1 and _mean(groups[-2]) > _mean(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    shifts = [_mean(group) for group in groups for _ in group]
    return [shift + offset for shift, offset in zip(shifts, offsets, strict=True)]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


# The picture


def svg(imports: Mapping[str, frozenset[str]], about: Mapping[str, str], colours: Mapping[str, str]) -> str:
    """The picture: a box for each part with what it holds, an arrow to each part that it imports."""
    drawing = layout(imports)
    width = round(max(drawing.x[name] + drawing.width(name) / 2 for row in drawing.rows for name in row) + GAP)
    height = ROW * (len(drawing.rows) - 1) + HEIGHT + 2 * GAP
    row_of = {name: at for at, row in enumerate(drawing.rows) for name in row}
    top = {name: height - GAP - HEIGHT - ROW * at for name, at in row_of.items()}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif" text-anchor="middle">',
        "<title>The parts of proverl and their imports</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        '<g fill="none" stroke="#777" stroke-width="1.2" marker-end="url(#tip)">',
        *(f'<path d="{_curve(drawing, way, top)}"/>' for way in _ways(drawing)),
        "</g>",
    ]
    for row in drawing.rows:
        for name in (name for name in row if ">" not in name):
            x, y = drawing.x[name], top[name]
            lines += [
                f'<rect x="{x - BOX / 2:g}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="5" fill="{colours[name]}" '
                'stroke="#555"/>',
                f'<text x="{x:g}" y="{y + 19}" font-size="14" font-weight="bold">{escape(name)}</text>',
                f'<text x="{x:g}" y="{y + 36}" font-size="11" fill="#333">{escape(about[name])}</text>',
            ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _ways(drawing: Drawing) -> Iterator[list[str]]:
    """Each arrow as the places that it passes."""
    for row in reversed(drawing.rows):
        for name in (name for name in row if ">" not in name):
            for lower in drawing.below.get(name, ()):
                way = [name, lower]
                while ">" in way[-1]:
                    way += drawing.below[way[-1]]
                yield way


def _curve(drawing: Drawing, way: list[str], top: Mapping[str, float]) -> str:
    """From the lower edge of a box to the upper edge of another; between rows a curve, through a row straight."""
    x, y = _port(drawing, way[0], way[1], drawing.below), top[way[0]] + HEIGHT
    path = f"M{x:g} {y:g}"
    for before, name in pairwise(way):
        end_x, end_y = _port(drawing, name, before, drawing.above), top[name]
        bend = (end_y - y) * 0.45
        path += f"C{x:g} {y + bend:g} {end_x:g} {end_y - bend:g} {end_x:g} {end_y:g}"
        x, y = end_x, end_y
        if ">" in name:
            y = end_y + HEIGHT
            path += f"V{y:g}"
    return path


def _port(drawing: Drawing, name: str, other: str, side: Mapping[str, list[str]]) -> float:
    """Where an arrow meets a box: the arrows of one side stand apart, in the order of where they come from."""
    ends = sorted(side[name], key=lambda end: drawing.x[end])
    step = min(16.0, drawing.width(name) * 0.8 / len(ends))
    return round(drawing.x[name] + (ends.index(other) - (len(ends) - 1) / 2) * step, 1)
