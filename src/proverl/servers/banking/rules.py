"""The bank's rules: finding what an id means, and what stands in the way of a movement of money.

Covers: the checks that several tools share. Each refuses with the code that the tools list, and changes nothing. Does
not cover: one-time codes (codes.py) and booking (ledger.py).
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from ...world.server import Refused, World
from ...world.state import Row
from ...world.values import day, dollars
from .results import CardStatus

SAVINGS_WITHDRAWALS = 6
"""Outgoing movements of a savings account in a calendar month."""
NEW_PAYEE_SPAN = timedelta(hours=24)
NEW_PAYEE_LIMIT = 500_00
CODE_ABOVE = 1_000_00
CUT_OFF_HOUR = 16
SATURDAY = 5

ACCOUNTS = """
SELECT a.*, a.balance + a.overdraft_limit - coalesce(
  (SELECT sum(t.amount) FROM bank_transaction t
   WHERE t.account_id = a.account_id AND t.status = 'pending' AND t.direction = 'outgoing'), 0) AS available
FROM account a
"""
CARDS = """
SELECT c.*, CASE WHEN c.expires_on < ? THEN 'expired' WHEN c.locked THEN 'locked' ELSE 'active' END AS status
FROM card c
"""


# What an id means


def find_account(world: World, account_id: str) -> Row:
    """The account with its available amount; refuses account_not_found."""
    row = world.one(ACCOUNTS + "WHERE a.account_id = ?", account_id)
    if row is None:
        raise Refused("account_not_found", f"no account {account_id!r}; list_bank_accounts shows the ids")
    return row


def find_card(world: World, card_id: str) -> Row:
    """The card with its status of today; refuses card_not_found."""
    row = world.one(CARDS + "WHERE c.card_id = ?", day(world.now), card_id)
    if row is None:
        raise Refused("card_not_found", f"no card {card_id!r}; list_bank_cards shows the ids")
    return row


def card_status(world: World, card_id: str) -> CardStatus:
    """The status of a card that exists, of today."""
    status: CardStatus = find_card(world, card_id)["status"]
    return status


def find_payee(world: World, payee_id: str) -> Row:
    """The saved payee; refuses payee_not_found."""
    row = world.one("SELECT * FROM payee WHERE payee_id = ? AND NOT removed", payee_id)
    if row is None:
        raise Refused("payee_not_found", f"no payee {payee_id!r}; list_payees shows the ids")
    return row


def find_open_payee(world: World, payee_id: str) -> Row:
    """The payee, who may be paid; refuses payee_not_found, payee_blocked."""
    payee = find_payee(world, payee_id)
    if payee["status"] == "blocked":
        raise Refused(
            "payee_blocked",
            f"the bank has blocked payments to {payee['name']} at {payee['bank_name']}; choose another payee",
        )
    return payee


# What stands in the way


def check_sender(sender: Row, receiver: Row | None = None) -> None:
    """Refuse account_frozen, account_closed (of either account), credit_cannot_send."""
    if sender["status"] == "frozen":
        raise Refused(
            "account_frozen", f"{sender['nickname']} is frozen and sends no money; choose another account to send from"
        )
    for account in (sender, receiver):
        if account is not None and account["status"] == "closed":
            raise Refused("account_closed", f"{account['nickname']} is closed; choose an open account")
    if sender["kind"] == "credit":
        raise Refused(
            "credit_cannot_send",
            f"{sender['nickname']} is a credit account and sends no money; choose a checking or savings account",
        )


def check_amount(world: World, sender: Row, amount: int) -> None:
    """Refuse insufficient_funds, daily_limit_exceeded, savings_withdrawal_limit."""
    name = sender["nickname"]
    if amount > sender["available"]:
        raise Refused(
            "insufficient_funds",
            f"{dollars(amount):.2f} is more than the {dollars(sender['available']):.2f} available in {name}; "
            "send less or choose another account",
        )
    left = sender["daily_limit"] - sent_today(world, sender["account_id"])
    if amount > left:
        raise Refused(
            "daily_limit_exceeded",
            f"{dollars(amount):.2f} is more than the {dollars(max(left, 0)):.2f} that {name} may still send today; "
            "send at most that",
        )
    if sender["kind"] == "savings" and withdrawals_left(world, sender["account_id"]) == 0:
        raise Refused(
            "savings_withdrawal_limit",
            f"{name} has had its {SAVINGS_WITHDRAWALS} withdrawals of this month; choose another account",
        )


def check_new_payee(world: World, payee: Row, amount: int) -> None:
    """Refuse new_payee_limit: what a payee may receive in the first 24 hours."""
    if world.now >= datetime.fromisoformat(payee["added_at"]) + NEW_PAYEE_SPAN:
        return
    received = world.value(
        "SELECT coalesce(sum(amount), 0) FROM bank_transaction WHERE payee_id = ? AND status <> 'reversed'",
        payee["payee_id"],
    )
    if received + amount > NEW_PAYEE_LIMIT:
        raise Refused(
            "new_payee_limit",
            f"{payee['name']} was added at {payee['added_at']} and may receive {dollars(NEW_PAYEE_LIMIT):.2f} in all "
            f"in the first 24 hours, of which {dollars(max(NEW_PAYEE_LIMIT - received, 0)):.2f} is left",
        )


def check_pin(world: World, pin: str) -> None:
    """Refuse wrong_pin."""
    if pin != world.secret("pin"):
        raise Refused("wrong_pin", f"{pin!r} is not the customer's PIN; ask the customer for it")


# What is left


def sent_today(world: World, account_id: str) -> int:
    """Cents that left an account on the virtual day by transfers and payee payments."""
    return int(
        world.value(
            "SELECT coalesce(sum(amount), 0) FROM bank_transaction WHERE account_id = ? AND posted_at >= ?"
            " AND direction = 'outgoing' AND status <> 'reversed'"
            " AND (payee_id IS NOT NULL OR other_account_id IS NOT NULL)",
            account_id,
            day(world.now),
        )
    )


def withdrawals_left(world: World, account_id: str) -> int:
    """How many more outgoing movements a savings account has in this calendar month."""
    made = world.value(
        "SELECT count(*) FROM bank_transaction WHERE account_id = ? AND posted_at >= ?"
        " AND direction = 'outgoing' AND status <> 'reversed'",
        account_id,
        day(world.now.replace(day=1)),
    )
    return max(0, SAVINGS_WITHDRAWALS - int(made))


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


def folded(*texts: str | None) -> str:
    """Texts as searches compare them: without case, one a line."""
    return "\n".join(text for text in texts if text).casefold()
