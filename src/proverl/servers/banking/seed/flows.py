"""Money that comes, goes between the customer's own accounts, and leaves as a fee.

Covers: savings and withdrawals, cash, interest, what keeps the other accounts filled, and pay that fits all that the
plans need. Does not cover: purchases (purchases.py) and payments to payees (payments.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from proverl.world.domain import Builder, days

from ..ledger import balance, book
from ..results import ACCOUNT
from ..rules import SAVINGS_WITHDRAWALS
from ..tools.accounts import transfer_between_accounts
from .inbox import send
from .names import words
from .rows import DAYS, Life

Flow: TypeAlias = Callable[[Builder, Life, str, int], object]
"""A movement of money on the account of a role, of about this amount in cents."""
OVERDRAFT_FEE = 12_00


def plan_flows(life: Life) -> None:
    """Plan what comes again and again; this month the capped account ends one withdrawal short of its cap."""
    random, day_of_month = life.random, life.today.day
    month_ends = [ago for ago in range(1, DAYS) if (life.today - days(ago - 1)).day == 1]
    this_month = random.choices(range(day_of_month), k=SAVINGS_WITHDRAWALS - 1)
    flows: list[tuple[Flow, str, Iterable[int], int, int]] = [
        (_save, "capped reserve", range(2, DAYS, 7), 20, 125),
        (_withdraw, "capped", this_month, 20, 150),
        (_withdraw, "capped reserve", range(day_of_month, 150, random.randrange(14, 40)), 20, 150),
        (_withdraw, "frozen", random.sample(range(12, DAYS), 3), 20, 150),
        (_pay_in, "closed", random.sample(range(115, DAYS), 6), 20, 110),
        (_pay_in, "frozen", range(random.randrange(1, 9), DAYS, 9), 20, 110),
        (_pay_interest, "capped reserve frozen", month_ends, 8, 20),
        (_top_up, "overdrawn side", range(3, DAYS, 7), 150, 450),
        (_pay_off, "credit spare", range(17, DAYS, 30), 1200, 2000),
    ]
    for flow, roles, agos, low, high in flows:
        for role in [role for role in roles.split() if role in life.accounts]:
            for ago in agos:
                amount = random.randrange(low, high) * 1_00
                life.needs += amount if flow is _save else 0  # what else the main account gives away is spent there
                life.world.plan(life.at(ago), flow, life, role, amount)
    life.world.plan(life.at(1, 23, 23), _overdraw, life)


def plan_income(life: Life, brands: Iterator[str]) -> None:
    """A salary every other week that covers what all the other plans need."""
    random = life.random
    employer = f"{next(brands)} {random.choice(words('employers'))} Payroll"
    paydays = range(random.randrange(1, 15), DAYS + 1, 14)
    pay = life.needs * random.randrange(98, 105) // 100 // len(paydays)
    for ago in paydays:
        life.world.plan(life.at(ago, 4, 4), book, life.accounts["main"], "incoming", pay, employer, "income")


def _transfer(world: Builder, life: Life, source: str, target: str, amount: int) -> None:
    amount = life.apart("transfer", amount, world.now)
    memo = life.random.choice(words("memos")["transfer"]) if life.random.random() < 0.2 else None
    transfer_between_accounts(world, life.accounts[source], life.accounts[target], amount, life.pin, memo)


def _save(world: Builder, life: Life, role: str, amount: int) -> None:
    _transfer(world, life, "main", role, amount)


def _withdraw(world: Builder, life: Life, role: str, amount: int) -> None:
    _transfer(world, life, role, "main", amount)


def _pay_in(world: Builder, life: Life, role: str, amount: int) -> None:
    amount = life.apart("Cash deposit", amount, world.now)
    book(world, life.accounts[role], "incoming", amount, "Cash deposit", "income")


def _pay_interest(world: Builder, life: Life, role: str, rate: int) -> None:
    usual = max(15, balance(world, life.accounts[role]) * rate // 100_00_00)
    book(world, life.accounts[role], "incoming", life.apart("Interest", usual, world.now), "Interest", "income")


def _top_up(world: Builder, life: Life, role: str, target: int) -> None:
    left = balance(world, life.accounts[role])
    _transfer(world, life, "main", role, max(target - left, life.random.randrange(1, 5) * 5_00))
    if left < 0:
        book(world, life.accounts[role], "outgoing", OVERDRAFT_FEE, "Overdraft fee", "fees")


def _pay_off(world: Builder, life: Life, role: str, most: int) -> None:
    owed = -balance(world, life.accounts[role])
    if owed > 0:
        _transfer(world, life, "main", role, min(owed, most))


def _overdraw(world: Builder, life: Life) -> None:
    account = world.find(ACCOUNT, life.accounts["overdrawn"])
    over = account["balance"] + account["overdraft_limit"] * life.random.randrange(10, 45) // 100
    if over:
        _transfer(world, life, *(("overdrawn", "main") if over > 0 else ("main", "overdrawn")), abs(over))
    send(world, "overdrawn", **world.find(ACCOUNT, account["account_id"]))
