"""What the parts of a banking seed hand to each other while a world is being made.

Covers: drawn records, and `Life`, which knows the ids of what was stored by its role: "capped" is the savings account
one withdrawal short of its cap. Does not cover: the rows themselves, which stand in the world from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from random import Random

from proverl.world.domain import Builder

DAYS = 179
"""How far back the history goes."""


@dataclass
class Payee:
    """A payee, who has an id once added. Usual payments are in cents, `bank` is a routing number."""

    name: str
    low: int
    high: int
    bank: str
    account_number: str
    added_at: datetime
    role: str = ""
    payee_id: str = ""


@dataclass
class Life:
    """One customer's world being made.

    `accounts` are ids by role, `cards` how many days ago each card could last be used, `twins` the two cards of similar
    labels, `taken` the names, amounts and days of transactions. `needs` adds up the cents that plans take out of the
    accounts.
    """

    world: Builder
    pin: str
    accounts: dict[str, str] = field(default_factory=dict)
    cards: dict[str, int] = field(default_factory=dict)
    twins: list[str] = field(default_factory=list)
    payees: list[Payee] = field(default_factory=list)
    taken: set[tuple[str, int, date]] = field(default_factory=set)
    needs: int = 0

    @property
    def random(self) -> Random:
        """The only source of chance."""
        return self.world.random

    @property
    def today(self) -> date:
        """The day on which the world opens."""
        return self.world.opening.date()

    def at(self, ago: int, first: int = 7, last: int = 21) -> datetime:
        """Some moment so many days ago in one of these hours; today in one of the small hours."""
        hour = self.random.randint(first, last) if ago else self.random.randint(1, 7)
        minute, second = divmod(self.random.randrange(3600), 60)
        return self.world.ago(days=ago, hour=hour, minute=minute, second=second)

    def apart(self, name: str, amount: int, moment: datetime) -> int:
        """An amount that no other transaction of this name has on this day: this one, or some cents more."""
        while (name, amount, moment.date()) in self.taken:
            amount += self.random.randrange(1, 99)
        self.taken.add((name, amount, moment.date()))
        return amount

    def digits(self, number: int) -> str:
        """So many digits that do not end in the PIN, which no tool may show, not even by chance."""
        found = self.pin
        while found.endswith(self.pin):
            found = str(self.random.randrange(10 ** (number - 1), 10**number))
        return found
