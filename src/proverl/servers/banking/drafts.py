"""The rows of a banking world while it is being made, before they are stored.

Covers: plain mutable records that seed.py, seed_history.py and seed_inbox.py hand to each other. `role` says what an
account, card or payee is there for ("capped": the savings account one withdrawal short of its monthly cap). Does not
cover: how they are drawn or stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from random import Random


@dataclass
class Account:
    """An account; `balance` is the one that the world opens with."""

    role: str
    kind: str
    status: str
    balance: int
    overdraft_limit: int
    daily_limit: int
    nickname: str = ""
    account_id: str = ""


@dataclass
class Card:
    """A card; `last_day` is the last one on which it was used."""

    role: str
    label: str
    kind: str
    account: Account
    expires_on: date
    last_day: date
    locked: bool = False
    card_id: str = ""


@dataclass
class Payee:
    """A payee; `low` and `high` are the usual payment in cents."""

    role: str
    name: str
    bank: str
    category: str
    low: int
    high: int
    added_at: datetime
    account_number: str
    payee_id: str = ""


@dataclass
class Schedule:
    """A scheduled payment."""

    account: Account
    payee: Payee
    amount: int
    frequency: str
    next_date: date | None
    end_date: date | None
    status: str


@dataclass
class Entry:
    """A transaction."""

    account: Account
    posted_at: str
    merchant: str
    amount: int
    direction: str
    category: str
    card: Card | None = None
    payee: Payee | None = None
    other: Account | None = None
    memo: str | None = None
    status: str = "posted"
    transaction_id: str = ""

    @property
    def signed(self) -> int:
        """What the transaction adds to the account's balance."""
        if self.status in ("pending", "reversed"):
            return 0
        return self.amount if self.direction == "incoming" else -self.amount


@dataclass
class Draft:
    """A whole world being made. `now` is the moment at which it opens."""

    random: Random
    now: datetime
    customer: str
    accounts: list[Account] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    payees: list[Payee] = field(default_factory=list)
    schedules: list[Schedule] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)

    @property
    def today(self) -> date:
        """The day on which the world opens."""
        return self.now.date()

    def account(self, role: str) -> Account:
        """The account of a role that every world has."""
        return next(account for account in self.accounts if account.role == role)

    def with_role(self, role: str) -> list[Account]:
        """The accounts of a role: none or one."""
        return [account for account in self.accounts if account.role == role]
