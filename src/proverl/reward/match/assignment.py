"""The assignment of rows to columns of greatest weight: the Hungarian method, exact in integers of any size.

Covers: a table in which each row lists the columns that it may take. Does not cover: what rows and columns mean
(alignment.py). Floats would not do: the weights carry several aims in one number, one below the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def assign(weights: Sequence[Mapping[int, int]], columns: int) -> list[int]:
    """The column of each row, each column taken once, so that the sum of the weights is greatest.

    There must be an assignment, as there is where each row has a column of its own.
    """
    if not weights:
        return []
    most = max(abs(weight) for row in weights for weight in row.values()) + 1
    forbidden = most * 4 * (len(weights) + 1)
    cost = [[-row.get(column, -forbidden) for column in range(columns)] for row in weights]
    prices = _Prices(cost, columns, forbidden * 4 * (columns + 2))
    for row in range(1, len(cost) + 1):
        prices.add(row)
    found = [0] * len(cost)
    for column, row in enumerate(prices.owner):
        if column and row:
            found[row - 1] = column - 1
    return found


class _Prices:
    """The state of the method: a price per row and column, counted from 1, and the row that owns each column."""

    def __init__(self, cost: Sequence[Sequence[int]], columns: int, never: int) -> None:
        self._cost = cost
        self._never = never
        self._rows = [0] * (len(cost) + 1)
        self._columns = [0] * (columns + 1)
        self.owner = [0] * (columns + 1)

    def add(self, row: int) -> None:
        """Give a further row a column; rows that have one may change theirs."""
        size = len(self.owner)
        self.owner[0], column = row, 0
        least, came_from, done = [self._never] * size, [0] * size, [False] * size
        while self.owner[column]:
            done[column] = True
            self._look(column, least, came_from, done)
            nearest = min((other for other in range(1, size) if not done[other]), key=least.__getitem__)
            self._shift(least[nearest], least, done)
            column = nearest
        while column:
            self.owner[column] = self.owner[came_from[column]]
            column = came_from[column]

    def _look(self, column: int, least: list[int], came_from: list[int], done: list[bool]) -> None:
        """Note where the row that owns a column would cost less than what is known."""
        row = self.owner[column]
        for other in range(1, len(least)):
            if not done[other]:
                reduced = self._cost[row - 1][other - 1] - self._rows[row] - self._columns[other]
                if reduced < least[other]:
                    least[other], came_from[other] = reduced, column

    def _shift(self, delta: int, least: list[int], done: list[bool]) -> None:
        for other, seen in enumerate(done):
            if seen:
                self._rows[self.owner[other]] += delta
                self._columns[other] -= delta
            else:
                least[other] -= delta
