"""Accounts: listing them, one in full, and moving money between two of them."""

from __future__ import annotations

from typing import Annotated

from proverl.world.domain import FREE, SECRET, Field, Money, World, dollars, refuse, shown, tool

from ..ledger import balance, book_transfer
from ..results import (
    ACCOUNT,
    AccountDetails,
    AccountId,
    AccountKind,
    AccountList,
    AccountRow,
    AccountStatus,
    Transferred,
)
from ..rules import check_accounts, check_amount, check_pin, daily_limit_left, withdrawals_left


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
    found = world.rows(AccountRow, ACCOUNT, kind=kind, status=status)
    return {"count": len(found), "accounts": found}


@tool("read", refusals="account_not_found")
def get_bank_account(world: World, account_id: AccountId) -> AccountDetails:
    """Show one account in full, in US dollars: balance, available amount, overdraft (of a credit account its credit
    line), what may still be sent today, and the savings withdrawals left this month.

    Args:
        account_id: id of the account
    """
    account = world.find(ACCOUNT, account_id)
    return shown(
        AccountDetails,
        account,
        daily_limit_left=daily_limit_left(world, account) if account["status"] == "open" else 0,
        savings_withdrawals_left=withdrawals_left(world, account),
    )


@tool(
    "write",
    refusals="invalid_argument account_not_found same_account account_frozen account_closed credit_cannot_send "
    "insufficient_funds daily_limit_exceeded savings_withdrawal_limit credit_overpayment wrong_pin",
)
def transfer_between_accounts(
    world: World,
    from_account_id: AccountId,
    to_account_id: AccountId,
    amount: Annotated[Money, Field(gt=0)],
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
    sender = world.find(ACCOUNT, from_account_id)
    receiver = world.find(ACCOUNT, to_account_id)
    if from_account_id == to_account_id:
        refuse("same_account", f"both accounts are {sender['nickname']}; name another one to send to")
    check_accounts(sender, receiver)
    check_amount(world, sender, amount)
    owed = max(-receiver["balance"], 0)
    if receiver["kind"] == "credit" and amount > owed:
        debt = f"the {dollars(owed)} owed on {receiver['nickname']}"
        refuse("credit_overpayment", f"{dollars(amount)} is more than {debt}; send at most that")
    check_pin(world, pin)
    transaction_id = book_transfer(world, sender, receiver, amount, memo)
    return {
        "transaction_id": transaction_id,
        "from_balance": balance(world, from_account_id),
        "to_balance": balance(world, to_account_id),
        "posted_at": world.moment,
    }
