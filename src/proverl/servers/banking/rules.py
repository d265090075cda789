"""The bank's rules: what stands in the way of a movement of money, and what is left of a limit.

Covers: the checks that several tools share. Each refuses with the code that the tools list, and changes nothing. Does
not cover: one-time codes (one_time_codes.py) and booking (ledger.py).
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from proverl.world.domain import Row, World, dollars, refuse

from .results import PAYEE

SAVINGS_WITHDRAWALS = 6
"""Outgoing movements of a savings account in a calendar month. A notice in seed/names.toml tells it to the customer."""
NEW_PAYEE_SPAN = timedelta(hours=24)
NEW_PAYEE_LIMIT = 500_00
"""What a payee may receive in all in the first hours after being added; add_payee tells both."""
CODE_ABOVE = 1_000_00
CUT_OFF_HOUR = 16
SATURDAY = 5


def find_open_payee(world: World, payee_id: str) -> Row:
    """The payee, who may be paid; refuses payee_not_found, payee_blocked."""
    payee = world.find(PAYEE, payee_id)
    if payee["status"] == "blocked":
        bank = payee["bank_name"]
        refuse("payee_blocked", f"payments to {payee['name']} at {bank} are blocked by the bank; choose another payee")
    return payee


def check_accounts(sender: Row, receiver: Row | None = None) -> None:
    """Refuse account_frozen, account_closed (of either account), credit_cannot_send."""
    if sender["status"] == "frozen":
        refuse("account_frozen", f"{sender['nickname']} is frozen and sends no money; choose another account")
    for account in (sender, receiver):
        if account is not None and account["status"] == "closed":
            refuse("account_closed", f"{account['nickname']} is closed; choose an open account")
    if sender["kind"] == "credit":
        name = sender["nickname"]
        refuse("credit_cannot_send", f"{name} is a credit account; choose a checking or savings account to send from")


def check_amount(world: World, sender: Row, amount: int) -> None:
    """Refuse insufficient_funds, daily_limit_exceeded, savings_withdrawal_limit."""
    check_funds(sender, amount)
    name = sender["nickname"]
    left = daily_limit_left(world, sender)
    if amount > left:
        wanted = f"{dollars(amount)} is more than the {dollars(left)} that {name} may still send today"
        refuse("daily_limit_exceeded", f"{wanted}; send at most that")
    if withdrawals_left(world, sender) == 0:
        had = f"{name} has had its {SAVINGS_WITHDRAWALS} withdrawals of this month"
        refuse("savings_withdrawal_limit", f"{had}; choose another account")


def check_funds(account: Row, amount: int) -> None:
    """Refuse insufficient_funds."""
    name, available = account["nickname"], account["available"]
    if amount > available:
        refuse("insufficient_funds", f"{dollars(amount)} is more than the {dollars(available)} available in {name}")


def check_new_payee(world: World, payee: Row, amount: int) -> None:
    """Refuse new_payee_limit: what a payee may receive within NEW_PAYEE_SPAN of being added."""
    if world.now >= datetime.fromisoformat(payee["added_at"]) + NEW_PAYEE_SPAN:
        return
    received = world.value(
        "SELECT coalesce(sum(amount), 0) FROM bank_transaction WHERE payee_id = ?", payee["payee_id"]
    )
    if received + amount > NEW_PAYEE_LIMIT:
        left, span = dollars(NEW_PAYEE_LIMIT - received), f"the first {NEW_PAYEE_SPAN // timedelta(hours=1)} hours"
        most = f"may receive {dollars(NEW_PAYEE_LIMIT)} in all in {span}, of which {left} is left"
        refuse("new_payee_limit", f"{payee['name']} was added at {payee['added_at']} and {most}")


def check_pin(world: World, pin: str) -> None:
    """Refuse wrong_pin."""
    if pin != world.secret("pin"):
        refuse("wrong_pin", f"{pin!r} is not the customer's PIN; ask the customer for it")


# What is left


def daily_limit_left(world: World, account: Row) -> int:
    """Cents that an account may still send today by transfers and payee payments."""
    sent = world.value(
        "SELECT coalesce(sum(amount), 0) FROM transaction_now WHERE account_id = ? AND posted_on = ?"
        " AND direction = 'outgoing' AND (payee_id IS NOT NULL OR other_account_id IS NOT NULL)",
        account["account_id"],
        world.today,
    )
    return int(account["daily_limit"] - sent)


def withdrawals_left(world: World, account: Row) -> int | None:
    """How many more outgoing movements a savings account has in this calendar month; None for another account."""
    if account["kind"] != "savings":
        return None
    made = world.value(
        "SELECT count(*) FROM transaction_now WHERE account_id = ? AND posted_on >= ? AND direction = 'outgoing'",
        account["account_id"],
        f"{world.today[:8]}01",
    )
    return SAVINGS_WITHDRAWALS - int(made)


# Business days (Monday to Friday; the bank keeps no list of holidays)


def is_business_day(when: date) -> bool:
    """Whether the bank moves money on this day."""
    return when.weekday() < SATURDAY


def business_days_after(when: date, number: int) -> date:
    """The day that lies so many business days after another."""
    while number:
        when += timedelta(days=1)
        number -= is_business_day(when)
    return when


def arrival(now: datetime) -> date:
    """The day on which a payment made now reaches the payee."""
    if is_business_day(now.date()) and now.hour < CUT_OFF_HOUR:
        return now.date()
    return business_days_after(now.date(), 1)
