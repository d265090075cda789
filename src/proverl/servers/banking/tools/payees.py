"""Payees: listing, adding and removing them, and paying one."""

from __future__ import annotations

from typing import Annotated, Literal

from proverl.world.domain import (
    FREE,
    SECRET,
    Field,
    Money,
    World,
    day,
    dollars,
    folded,
    iso,
    phrase,
    refuse,
    shown,
    tool,
)

from ..ledger import balance, book
from ..one_time_codes import check_code, use_code
from ..results import ACCOUNT, PAYEE, AccountId, AddedPayee, PayeeId, PayeeList, PayeePayment, PayeeRow, RemovedPayee
from ..routing_numbers import bank_of
from ..rules import (
    CODE_ABOVE,
    NEW_PAYEE_SPAN,
    arrival,
    check_accounts,
    check_amount,
    check_new_payee,
    check_pin,
    find_open_payee,
)


@tool("read")
def list_payees(world: World, text: Annotated[str | None, Field(min_length=2, pattern=r"\S")] = None) -> PayeeList:
    """List saved payees in order of name, optionally those whose name or bank contains some words. Returns every
    match, no paging.

    Args:
        text: part of the payee's name or bank, at least 2 characters
    """
    found = world.rows(PayeeRow, PAYEE, phrase("searched", text))
    return {"count": len(found), "payees": found}


@tool(
    "write",
    refusals="payee_exists invalid_routing_number invalid_account_number no_active_code wrong_code code_expired",
    after="request_one_time_code",
    idempotent=True,
)
def add_payee(
    world: World,
    name: Annotated[str, Field(min_length=2, max_length=60, pattern=r"\S")],
    account_number: Annotated[str, SECRET],
    routing_number: str,
    one_time_code: Annotated[str, SECRET],
) -> AddedPayee:
    """Save a new payee at a US bank. Needs a fresh one-time code for purpose payee. In its first 24 hours the payee
    can receive at most 500.00 dollars. Returns the new payee_id.

    Args:
        name: payee's full name, 2 to 60 characters
        account_number: payee's account number, 6 to 17 digits
        routing_number: nine-digit routing number with a valid check digit
        one_time_code: six-digit code for purpose payee
    """
    known = world.value(
        "SELECT name FROM payee_now WHERE routing_number = ? AND account_number = ?", routing_number, account_number
    )
    if known is not None:
        refuse("payee_exists", f"this account is already saved as {known}; list_payees shows the id")
    bank_name = bank_of(routing_number)
    if bank_name is None:
        form = "nine digits, the last of them a check digit"
        refuse("invalid_routing_number", f"{routing_number!r} is no routing number: {form}; ask for it again")
    if not (6 <= len(account_number) <= 17 and account_number.isascii() and account_number.isdigit()):
        refuse("invalid_account_number", f"{account_number!r} is no account number: 6 to 17 digits; ask for it again")
    check_code(world, "payee", one_time_code, if_none="no_active_code")
    use_code(world, "payee")
    payee_id = store_payee(world, name, routing_number, bank_name, account_number)
    return shown(AddedPayee, world.find(PAYEE, payee_id), full_limit_from=iso(world.now + NEW_PAYEE_SPAN))


def store_payee(world: World, name: str, routing_number: str, bank_name: str, account_number: str) -> str:
    """Save a payee as of now; returns the id."""
    return world.add(
        PAYEE,
        name=name,
        bank_name=bank_name,
        routing_number=routing_number,
        account_number=account_number,
        added_at=world.moment,
        status="active",
        removed=0,
        searched=folded(name, bank_name),
    )


@tool(
    "destructive",
    refusals="payee_not_found payee_has_scheduled_payments payment_in_progress",
    after="cancel_scheduled_payment",
    idempotent=True,
)
def remove_payee(world: World, payee_id: PayeeId) -> RemovedPayee:
    """Delete a saved payee for good. Active and paused scheduled payments to the payee must be cancelled first.

    Args:
        payee_id: id of the payee
    """
    name = world.find(PAYEE, payee_id)["name"]
    scheduled = world.value("SELECT count(*) FROM scheduled_payment WHERE payee_id = ? AND status <> 'ended'", payee_id)
    if scheduled:
        how = "find them with list_scheduled_payments and cancel them with cancel_scheduled_payment first"
        refuse("payee_has_scheduled_payments", f"{name} still has scheduled payments ({scheduled}); {how}")
    pending = world.value(
        "SELECT amount FROM bank_transaction WHERE payee_id = ? AND status = 'pending' ORDER BY posted_at LIMIT 1",
        payee_id,
    )
    if pending is not None:
        refuse("payment_in_progress", f"{dollars(pending)} is on its way to {name}; remove the payee when it is there")
    world.update(PAYEE, payee_id, removed=1)
    return {"payee_id": payee_id, "name": name, "removed_at": world.moment}


@tool(
    "write",
    refusals="invalid_argument account_not_found payee_not_found payee_blocked account_frozen account_closed "
    "credit_cannot_send insufficient_funds daily_limit_exceeded savings_withdrawal_limit new_payee_limit code_required "
    "wrong_code code_expired wrong_pin",
    after="request_one_time_code",
)
def send_payee_payment(
    world: World,
    from_account_id: AccountId,
    payee_id: PayeeId,
    amount: Annotated[Money, Field(gt=0, le=25000)],
    pin: Annotated[str, SECRET],
    one_time_code: Annotated[str | None, SECRET] = None,
    memo: Annotated[str | None, Field(max_length=80), FREE] = None,
) -> PayeePayment:
    """Pay a saved payee from one account. Above 1,000.00 dollars a one-time code for purpose payment is needed as well
    as the PIN; up to that a code is neither needed nor used. Paid before 16:00 it arrives the same business day;
    otherwise it stays pending and arrives on the next one.

    Args:
        from_account_id: account the money leaves; not a credit account
        payee_id: id of the payee
        amount: dollars, greater than 0, at most 25000, at most two decimals
        pin: the customer's four-digit PIN
        one_time_code: six-digit code for purpose payment; required above 1,000.00
        memo: reference shown to the payee, up to 80 characters
    """
    sender = world.find(ACCOUNT, from_account_id)
    payee = find_open_payee(world, payee_id)
    check_accounts(sender)
    check_amount(world, sender, amount)
    check_new_payee(world, payee, amount)
    if amount > CODE_ABOVE:
        check_code(world, "payment", one_time_code)
    check_pin(world, pin)
    if amount > CODE_ABOVE:
        use_code(world, "payment")
    name, arrives = payee["name"], arrival(world.now)
    status: Literal["posted", "pending"] = "posted" if arrives == world.now.date() else "pending"
    transaction_id = book(
        world, from_account_id, "outgoing", amount, name, "transfer", memo=memo, status=status, payee_id=payee_id
    )
    return {
        "transaction_id": transaction_id,
        "payee_id": payee_id,
        "amount": amount,
        "from_balance": balance(world, from_account_id),
        "status": status,
        "arrives_on": day(arrives),
    }
