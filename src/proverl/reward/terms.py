"""What the two profiles share: the weights, the level of a call, the budget.

Covers: specification 3 and 7.2. Does not cover: the names of the terms (records.py), or how calls are aligned with
steps (paper.py, match/alignment.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from functools import lru_cache

from ..errors import UsageError
from ..records import Call, Kind, Step, Tool, Turn
from ..schemas import fits


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each term counts (specification 3 and 7.3). An ablation sets one to zero.

    `goal` counts in `robust` only. There the total is divided by the sum of all weights but efficiency's, which is
    2.6 as they stand, so the ground truth scores 1 under any weights: with a weight of zero the others share its part.
    In `paper` nothing is divided.
    """

    validity: float = 0.5
    coverage: float = 0.5
    efficiency: float = 0.15
    name: float = 0.2
    argument: float = 0.1
    goal: float = 1.3

    def __post_init__(self) -> None:
        if not all(math.isfinite(weight) and weight >= 0 for weight in astuple(self)):
            raise UsageError(f"{self} has a weight that is not a number of 0 or more")

    @property
    def normaliser(self) -> float:
        """What the ground truth reaches in `robust` before the division."""
        return self.validity + self.coverage + self.name + self.argument + self.goal

    def total(self, terms: Mapping[str, float]) -> float:
        """The weighted sum of the five terms of `paper`."""
        return (
            self.validity * terms["validity"]
            + self.coverage * terms["coverage"]
            + self.efficiency * terms["efficiency"]
            + self.name * terms["name"]
            + self.argument * terms["argument"]
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """alpha and beta: how hard calls beyond the budget are punished, and how much slack there is."""

    alpha: float = 0.5
    beta: float = 0.5

    def __post_init__(self) -> None:
        if not all(math.isfinite(value) and value >= 0 for value in (self.alpha, self.beta)):
            raise UsageError(f"alpha {self.alpha} and beta {self.beta} must be numbers of 0 or more")

    def slack(self, steps: int) -> int:
        """The slack s = ceil(beta n), computed so that 0.1 x 30 gives 3."""
        return _slack(self.beta, steps)

    def calls(self, steps: int) -> int:
        """B = n + ceil(beta n): the calls that cost nothing."""
        return steps + self.slack(steps)

    def efficiency(self, calls: int, steps: int) -> float:
        """-alpha * max(0, n_calls - B) / B (specification 3); never above 0, without lower bound."""
        most = self.calls(steps)
        return -self.alpha * (calls - most) / most if calls > most else 0.0


@lru_cache(1024)
def _slack(beta: float, steps: int) -> int:
    return math.ceil(round(beta * steps, 9))


def steps_of(turn: Turn) -> tuple[Step, ...]:
    """The steps that a turn is judged by: none in a turn whose right answer is to abstain or ask."""
    return turn.steps if turn.kind == "steps" else ()


def named(call: Call) -> bool:
    """Whether a call has a name that counts: one that could not be read has none."""
    return call.outcome.kind is not Kind.UNPARSABLE


def level(call: Call, shown: Mapping[str, Tool]) -> int:
    """Validity of a call in thirds, nested (specification 3 and 7.2).

    0: it could not be read, or its name is not among the tools shown. 1: the name is. 2: and the arguments fit the
    schema as shown. 3: and it succeeded, which only its kind of outcome says.
    """
    # Integers, so that levels add up exactly and equal episodes get equal scores on any machine.
    if not named(call):
        return 0
    tool = shown.get(call.name)
    if tool is None:
        return 0
    if not fits(tool.input_schema, call.arguments):
        return 1
    return 3 if call.outcome.succeeded else 2
