"""Accounts: listing them, one in full, and moving money between two of them."""

from __future__ import annotations

from typing import Annotated

from ....world.server import FREE, SECRET, Field, Refused, World, tool
from ....world.state import Row
from ....world.values import cents, dollars, iso
from ..ledger import balance, book_transfer
from ..results import AccountDetails, AccountId, AccountKind, AccountList, AccountRow, AccountStatus, Transferred
from ..rules import ACCOUNTS, check_amount, check_pin, check_sender, find_account, sent_today, withdrawals_left


@tool("read")
def list_bank_accounts(
    world: World, kind: AccountKind | None = None, status: AccountStatus | None = None
) -> AccountList:
    """List the customer's bank accounts with their balances in US dollars, optionally of one kind or status. What a
    credit account owes is a negative balance. Returns every match in order of nickname, no paging.

    Args:
        kind: only accounts of this kind: checking, savings or credit
        status: only accounts in this status: open, frozen or closed
    """
    found = world.all(
        ACCOUNTS + "WHERE a.kind = coalesce(?, a.kind) AND a.status = coalesce(?, a.status) ORDER BY a.nickname",
        kind,
        status,
    )
    return {"count": len(found), "accounts": [_row(account) for account in found]}


def _row(account: Row) -> AccountRow:
    return {
        "account_id": account["account_id"],
        "nickname": account["nickname"],
        "kind": account["kind"],
        "currency": "USD",
        "balance": dollars(account["balance"]),
        "available": dollars(account["available"]),
        "status": account["status"],
    }


@tool("read", refusals=["account_not_found"])
def get_bank_account(world: World, account_id: AccountId) -> AccountDetails:
    """Show one account in full, in US dollars: balance, available amount, overdraft (of a credit account its credit
    line), what may still be sent today, and the savings withdrawals left this month.

    Args:
        account_id: id of the account
    """
    account = find_account(world, account_id)
    saves = account["kind"] == "savings"
    sends = account["status"] == "open" and account["kind"] != "credit"
    left = account["daily_limit"] - sent_today(world, account_id) if sends else 0
    return {
        "account_id": account_id,
        "nickname": account["nickname"],
        "kind": account["kind"],
        "masked_number": account["masked_number"],
        "balance": dollars(account["balance"]),
        "available": dollars(account["available"]),
        "overdraft_limit": dollars(account["overdraft_limit"]),
        "daily_limit": dollars(account["daily_limit"]),
        "daily_limit_left": dollars(max(left, 0)),
        "savings_withdrawals_left": withdrawals_left(world, account_id) if saves else None,
        "pending_total": dollars(account["balance"] + account["overdraft_limit"] - account["available"]),
        "opened_on": account["opened_on"],
        "status": account["status"],
    }


@tool(
    "write",
    refusals=[
        "invalid_argument",
        "account_not_found",
        "same_account",
        "account_frozen",
        "account_closed",
        "credit_cannot_send",
        "insufficient_funds",
        "daily_limit_exceeded",
        "savings_withdrawal_limit",
        "credit_overpayment",
        "wrong_pin",
    ],
)
def transfer_between_accounts(
    world: World,
    from_account_id: AccountId,
    to_account_id: AccountId,
    amount: Annotated[float, Field(gt=0)],
    pin: Annotated[str, SECRET],
    memo: Annotated[str | None, Field(max_length=80), FREE] = None,
) -> Transferred:
    """Move dollars at once between two of the customer's own accounts; to a credit account it pays off what is owed.
    Returns both new balances.

    Args:
        from_account_id: account the money leaves; not a credit account
        to_account_id: account the money goes to
        amount: dollars, greater than 0, at most two decimals
        pin: the customer's four-digit PIN
        memo: note for both statements, up to 80 characters
    """
    whole = cents(amount)
    sender = find_account(world, from_account_id)
    receiver = find_account(world, to_account_id)
    if from_account_id == to_account_id:
        raise Refused("same_account", f"both accounts are {sender['nickname']}; name another one to send to")
    check_sender(sender, receiver)
    check_amount(world, sender, whole)
    owed = -receiver["balance"]
    if receiver["kind"] == "credit" and whole > owed:
        raise Refused(
            "credit_overpayment",
            f"{dollars(whole):.2f} is more than the {dollars(max(owed, 0)):.2f} owed on {receiver['nickname']}; "
            "send at most that",
        )
    check_pin(world, pin)
    transaction_id = book_transfer(world, sender, receiver, whole, memo)
    return {
        "transaction_id": transaction_id,
        "from_balance": dollars(balance(world, from_account_id)),
        "to_balance": dollars(balance(world, to_account_id)),
        "posted_at": iso(world.now),
    }
