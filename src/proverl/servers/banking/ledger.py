"""Booking: the only place where money moves, in tools and in seeded histories alike.

Covers: transactions and the balances that follow from them. An account's balance is its opening balance plus all its
posted and disputed transactions; pending ones wait, reversed ones were taken back. A transfer between own accounts is
two transactions that name each other's account and cancel out; every other transaction has its other leg in the
outside world. Does not cover: whether money may move (rules.py).
"""

from __future__ import annotations

from typing import Any

from proverl.world.domain import Row, World, folded

from .results import TRANSACTION, Direction


def book(
    world: World,
    /,
    account_id: str,
    direction: Direction,
    amount: int,
    merchant: str,
    category: str,
    *,
    memo: str | None = None,
    status: str = "posted",
    **links: Any,
) -> str:
    """Add one transaction and, if it is posted, move the balance; returns its id.

    `links` are the columns card_id, payee_id and other_account_id, where they apply.
    """
    transaction_id = world.add(
        TRANSACTION,
        account_id=account_id,
        posted_at=world.moment,
        merchant=merchant,
        amount=amount,
        direction=direction,
        category=category,
        memo=memo,
        status=status,
        searched=folded(merchant, memo),
        **links,
    )
    if status == "posted":
        _move(world, account_id, amount if direction == "incoming" else -amount)
    return transaction_id


def book_transfer(world: World, sender: Row, receiver: Row, amount: int, memo: str | None) -> str:
    """Move money between two own accounts; returns the id of the outgoing leg."""
    out, into = sender["account_id"], receiver["account_id"]
    to, by = f"Transfer to {receiver['nickname']}", f"Transfer from {sender['nickname']}"
    leg = book(world, out, "outgoing", amount, to, "transfer", memo=memo, other_account_id=into)
    book(world, into, "incoming", amount, by, "transfer", memo=memo, other_account_id=out)
    return leg


def settle(world: World, transaction_id: str) -> None:
    """Post a pending payment or purchase: its money leaves now. Done by the bank's night run, which no session sees."""
    found = world.find(TRANSACTION, transaction_id)
    world.update(TRANSACTION, transaction_id, status="posted")
    _move(world, found["account_id"], -found["amount"])


def take_back(world: World, transaction_id: str) -> None:
    """Reverse a disputed purchase: its money comes back. Done by the bank's people, whom no session sees."""
    found = world.find(TRANSACTION, transaction_id)
    world.update(TRANSACTION, transaction_id, status="reversed")
    _move(world, found["account_id"], found["amount"])


def balance(world: World, account_id: str) -> int:
    """The balance of an account in cents."""
    return int(world.value("SELECT balance FROM account WHERE account_id = ?", account_id))


def _move(world: World, account_id: str, signed: int) -> None:
    world.run("UPDATE account SET balance = balance + ? WHERE account_id = ?", signed, account_id)
