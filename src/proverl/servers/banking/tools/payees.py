"""Payees: listing, adding and removing them, and paying one."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from ....world.server import FREE, SECRET, Field, Refused, World, tool
from ....world.state import Row
from ....world.values import cents, day, dollars, iso
from ..codes import check_code, use_code
from ..ledger import balance, book
from ..results import AccountId, AddedPayee, PayeeId, PayeeList, PayeePayment, PayeeRow, RemovedPayee
from ..routing import bank_of
from ..rules import (
    CODE_ABOVE,
    arrival,
    check_amount,
    check_new_payee,
    check_pin,
    check_sender,
    find_account,
    find_open_payee,
    find_payee,
    folded,
)

FULL_LIMIT_AFTER = timedelta(hours=24)
PAYEES = """
SELECT p.*, (SELECT max(t.posted_at) FROM bank_transaction t WHERE t.payee_id = p.payee_id) AS last_paid_at
FROM payee p
"""


@tool("read")
def list_payees(world: World, text: Annotated[str | None, Field(min_length=2)] = None) -> PayeeList:
    """List saved payees in order of name, optionally those whose name or bank contains some words. Returns every
    match, no paging.

    Args:
        text: part of the payee's name or bank, at least 2 characters
    """
    found = world.all(
        PAYEES + "WHERE NOT p.removed AND instr(p.searched, ?) ORDER BY p.name, p.bank_name, p.payee_id",
        (text or "").casefold(),
    )
    return {"count": len(found), "payees": [_row(payee) for payee in found]}


def _row(payee: Row) -> PayeeRow:
    last_paid = payee["last_paid_at"]
    return {
        "payee_id": payee["payee_id"],
        "name": payee["name"],
        "bank_name": payee["bank_name"],
        "masked_account": _masked(payee["account_number"]),
        "added_at": payee["added_at"],
        "last_paid_on": None if last_paid is None else last_paid[:10],
        "status": payee["status"],
    }


def _masked(account_number: str) -> str:
    return f"****{account_number[-4:]}"


@tool(
    "write",
    refusals=[
        "payee_exists",
        "invalid_routing_number",
        "invalid_account_number",
        "no_active_code",
        "wrong_code",
        "code_expired",
    ],
    after=["request_one_time_code"],
    idempotent=True,
)
def add_payee(
    world: World,
    name: Annotated[str, Field(min_length=2, max_length=60)],
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
    known = world.one(
        "SELECT name FROM payee WHERE routing_number = ? AND account_number = ? AND NOT removed",
        routing_number,
        account_number,
    )
    if known is not None:
        raise Refused("payee_exists", f"this account is already saved as {known['name']}; list_payees shows the id")
    bank_name = bank_of(routing_number)
    if bank_name is None:
        raise Refused(
            "invalid_routing_number",
            f"{routing_number!r} is no routing number: nine digits, the last of them a check digit; ask for it again",
        )
    if not (6 <= len(account_number) <= 17 and account_number.isascii() and account_number.isdigit()):
        raise Refused(
            "invalid_account_number", f"{account_number!r} is no account number: 6 to 17 digits; ask for it again"
        )
    checked = check_code(world, "payee", one_time_code, if_none="no_active_code")
    use_code(world, checked)
    payee_id = world.new_id("pay")
    world.insert(
        "payee",
        payee_id=payee_id,
        name=name,
        bank_name=bank_name,
        routing_number=routing_number,
        account_number=account_number,
        added_at=iso(world.now),
        status="active",
        removed=0,
        searched=folded(name, bank_name),
    )
    return {
        "payee_id": payee_id,
        "name": name,
        "bank_name": bank_name,
        "masked_account": _masked(account_number),
        "full_limit_from": iso(world.now + FULL_LIMIT_AFTER),
    }


@tool(
    "destructive",
    refusals=["payee_not_found", "payee_has_scheduled_payments", "payment_in_progress"],
    after=["cancel_scheduled_payment"],
    idempotent=True,
)
def remove_payee(world: World, payee_id: PayeeId) -> RemovedPayee:
    """Delete a saved payee for good. Active and paused scheduled payments to the payee must be cancelled first.

    Args:
        payee_id: id of the payee
    """
    payee = find_payee(world, payee_id)
    scheduled = world.value("SELECT count(*) FROM scheduled_payment WHERE payee_id = ? AND status <> 'ended'", payee_id)
    if scheduled:
        raise Refused(
            "payee_has_scheduled_payments",
            f"{payee['name']} still has scheduled payments ({scheduled}); find them with list_scheduled_payments and "
            "cancel them with cancel_scheduled_payment first",
        )
    pending = world.one(
        "SELECT amount FROM bank_transaction WHERE payee_id = ? AND status = 'pending' ORDER BY posted_at LIMIT 1",
        payee_id,
    )
    if pending is not None:
        raise Refused(
            "payment_in_progress",
            f"{dollars(pending['amount']):.2f} is on its way to {payee['name']}; remove the payee when it is there",
        )
    world.update("payee", payee_id, removed=1)
    return {"payee_id": payee_id, "name": payee["name"], "removed_at": iso(world.now)}


@tool(
    "write",
    refusals=[
        "invalid_argument",
        "account_not_found",
        "payee_not_found",
        "payee_blocked",
        "account_frozen",
        "account_closed",
        "credit_cannot_send",
        "insufficient_funds",
        "daily_limit_exceeded",
        "savings_withdrawal_limit",
        "new_payee_limit",
        "code_required",
        "wrong_code",
        "code_expired",
        "wrong_pin",
    ],
    after=["request_one_time_code"],
)
def send_payee_payment(
    world: World,
    from_account_id: AccountId,
    payee_id: PayeeId,
    amount: Annotated[float, Field(gt=0, le=25000)],
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
    whole = cents(amount)
    sender = find_account(world, from_account_id)
    payee = find_open_payee(world, payee_id)
    check_sender(sender)
    check_amount(world, sender, whole)
    check_new_payee(world, payee, whole)
    checked = _code_for(world, whole, one_time_code)
    check_pin(world, pin)
    if checked is not None:
        use_code(world, checked)
    arrives = arrival(world.now)
    same_day = arrives == world.now.date()
    transaction_id = book(
        world,
        from_account_id,
        "outgoing",
        whole,
        payee["name"],
        category="transfer",
        memo=memo,
        status="posted" if same_day else "pending",
        payee_id=payee_id,
    )
    return {
        "transaction_id": transaction_id,
        "payee_id": payee_id,
        "amount": dollars(whole),
        "from_balance": dollars(balance(world, from_account_id)),
        "status": "posted" if same_day else "pending",
        "arrives_on": day(arrives),
    }


def _code_for(world: World, amount: int, one_time_code: str | None) -> str | None:
    """The key of the checked code of a payment, None if the payment needs none."""
    if amount <= CODE_ABOVE:
        return None
    if one_time_code is None:
        raise Refused(
            "code_required",
            f"{dollars(amount):.2f} is above 1,000.00 and needs a code; send one with request_one_time_code (purpose "
            "payment) and read it with list_bank_messages",
        )
    return check_code(world, "payment", one_time_code)
