"""How two texts differ, line by line.

Covers: the lines that are common, and a unified diff. Does not cover: the smallest diff in every case. Lines that occur
once in both texts are matched first, in the longest run that keeps the order; the gaps between them are compared in
full while they are small. So time grows with the length of the texts, not with its square, whatever they hold.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

SMALL: Final = 4_000
CONTEXT: Final = 3

Pair = tuple[int, int]
Block = tuple[int, int, int, int]
"""Lines [a, b) of the old text stand against lines [c, d) of the new one."""


def common(old: list[str], new: list[str]) -> list[Pair]:
    """Pairs of line numbers (old, new) that are matched, in order."""
    found: list[Pair] = []
    open_blocks: list[Block] = [(0, len(old), 0, len(new))]
    while open_blocks:
        a, b, c, d = open_blocks.pop()
        while a < b and c < d and old[a] == new[c]:
            found.append((a, c))
            a, c = a + 1, c + 1
        while a < b and c < d and old[b - 1] == new[d - 1]:
            b, d = b - 1, d - 1
            found.append((b, d))
        anchors = _anchors(old[a:b], new[c:d])
        if anchors:
            edges = [(-1, -1), *anchors, (b - a, d - c)]
            found.extend((a + x, c + y) for x, y in anchors)
            for (x, y), (next_x, next_y) in pairwise(edges):
                open_blocks.append((a + x + 1, a + next_x, c + y + 1, c + next_y))
        elif (b - a) * (d - c) <= SMALL:
            found.extend((a + x, c + y) for x, y in _longest(old[a:b], new[c:d]))
    return sorted(found)


def _anchors(old: list[str], new: list[str]) -> list[Pair]:
    """Lines that occur once on both sides, as the longest run that is in order on both."""
    once_old, once_new = Counter(old), Counter(new)
    places = {line: place for place, line in enumerate(new) if once_new[line] == 1}
    pairs = [(place, places[line]) for place, line in enumerate(old) if once_old[line] == 1 and line in places]
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        tails[length : length + 1] = [place]
        ends[length : length + 1] = [number]
        before.append(ends[length - 1] if length else -1)
    run = []
    number = ends[-1] if ends else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _longest(old: list[str], new: list[str]) -> list[Pair]:
    """The longest common subsequence, by the table of all lengths."""
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for x in range(len(old) - 1, -1, -1):
        for y in range(len(new) - 1, -1, -1):
            same = old[x] == new[y]
            lengths[x][y] = lengths[x + 1][y + 1] + 1 if same else max(lengths[x + 1][y], lengths[x][y + 1])
    found = []
    x = y = 0
    while x < len(old) and y < len(new):
        if old[x] == new[y]:
            found.append((x, y))
            x, y = x + 1, y + 1
        elif lengths[x + 1][y] >= lengths[x][y + 1]:
            x += 1
        else:
            y += 1
    return found


def blocks(old: list[str], new: list[str]) -> list[Block]:
    """The places where the texts differ."""
    found = []
    a = c = 0
    for x, y in [*common(old, new), (len(old), len(new))]:
        if a < x or c < y:
            found.append((a, x, c, y))
        a, c = x + 1, y + 1
    return found


def unified(old: list[str], new: list[str], differing: list[Block]) -> Iterator[str]:
    """The lines of a unified diff with three lines around each change."""
    hunks: list[list[Block]] = []
    for block in differing:
        if hunks and block[0] - hunks[-1][-1][1] <= 2 * CONTEXT:
            hunks[-1].append(block)
        else:
            hunks.append([block])
    for hunk in hunks:
        a, c = max(0, hunk[0][0] - CONTEXT), max(0, hunk[0][2] - CONTEXT)
        b, d = min(len(old), hunk[-1][1] + CONTEXT), min(len(new), hunk[-1][3] + CONTEXT)
        yield f"@@ -{_span(a, b)} +{_span(c, d)} @@"
        at = a
        for block in hunk:
            yield from (f" {line}" for line in old[at : block[0]])
            yield from (f"-{line}" for line in old[block[0] : block[1]])
            yield from (f"+{line}" for line in new[block[2] : block[3]])
            at = block[1]
        yield from (f" {line}" for line in old[at:b])


def _span(begin: int, end: int) -> str:
    """Lines [begin, end) as a hunk's head counts them: first line and number, of which a 1 is left out."""
    if end - begin == 1:
        return str(begin + 1)
    return f"{begin + 1 if end > begin else begin},{end - begin}"
