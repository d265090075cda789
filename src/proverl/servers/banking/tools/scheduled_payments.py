"""Scheduled payments: listing, setting up and cancelling standing and future payments to payees."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated

from ....world.server import SECRET, Field, Refused, World, tool
from ....world.state import Row
from ....world.values import cents, day, dollars, iso, parse_date
from ..results import (
    AccountId,
    CancelledScheduledPayment,
    Frequency,
    NewScheduledPayment,
    PayeeId,
    ScheduledPaymentId,
    ScheduledPaymentList,
    ScheduledPaymentRow,
    ScheduleStatus,
)
from ..rules import check_pin, check_sender, find_account, find_open_payee, find_payee

FURTHEST_START = timedelta(days=365)
SCHEDULED = "SELECT s.*, p.name AS payee_name FROM scheduled_payment s JOIN payee p USING (payee_id) "


@tool("read", refusals=["account_not_found", "payee_not_found"])
def list_scheduled_payments(
    world: World,
    from_account_id: AccountId | None = None,
    payee_id: PayeeId | None = None,
    status: ScheduleStatus | None = None,
) -> ScheduledPaymentList:
    """List standing and future payments to payees with amount, frequency and next date, the next due first. Returns
    every match, no paging.

    Args:
        from_account_id: only payments drawn from this account
        payee_id: only payments to this payee
        status: active, paused or ended
    """
    if from_account_id is not None:
        find_account(world, from_account_id)
    if payee_id is not None:
        find_payee(world, payee_id)
    found = world.all(
        SCHEDULED + "WHERE s.from_account_id = coalesce(?, s.from_account_id) AND s.payee_id = coalesce(?, s.payee_id)"
        " AND s.status = coalesce(?, s.status) ORDER BY s.next_date IS NULL, s.next_date, s.scheduled_payment_id",
        from_account_id,
        payee_id,
        status,
    )
    return {"count": len(found), "scheduled_payments": [_row(payment) for payment in found]}


def _row(payment: Row) -> ScheduledPaymentRow:
    return {
        "scheduled_payment_id": payment["scheduled_payment_id"],
        "from_account_id": payment["from_account_id"],
        "payee_id": payment["payee_id"],
        "payee_name": payment["payee_name"],
        "amount": dollars(payment["amount"]),
        "frequency": payment["frequency"],
        "next_date": payment["next_date"],
        "end_date": payment["end_date"],
        "status": payment["status"],
    }


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
        "date_not_in_future",
        "end_before_start",
        "duplicate_schedule",
        "wrong_pin",
    ],
    idempotent=True,
)
def schedule_payee_payment(
    world: World,
    from_account_id: AccountId,
    payee_id: PayeeId,
    amount: Annotated[float, Field(gt=0, le=1000)],
    frequency: Frequency,
    start_date: str,
    pin: Annotated[str, SECRET],
    end_date: str | None = None,
) -> NewScheduledPayment:
    """Set up a single future or repeating payment to a saved payee. The first date must lie after today and within one
    year; the end date is only for repeating payments. A payee has at most one payment of the same amount and frequency
    that has not ended.

    Args:
        from_account_id: account to draw on; not a credit account
        payee_id: id of the payee
        amount: dollars per payment, greater than 0, at most 1000
        frequency: single, weekly or monthly
        start_date: first payment day, YYYY-MM-DD, after today
        pin: the customer's four-digit PIN
        end_date: last possible day of a weekly or monthly payment, YYYY-MM-DD
    """
    whole = cents(amount)
    today = world.now.date()
    start, end = _dates(start_date, end_date, frequency, today)
    sender = find_account(world, from_account_id)
    payee = find_open_payee(world, payee_id)
    check_sender(sender)
    if start <= today:
        raise Refused("date_not_in_future", f"start_date {start_date!r} must lie after today, {day(today)}")
    if end is not None and end < start:
        raise Refused(
            "end_before_start", f"end_date {end_date!r} lies before start_date {start_date!r}; choose a later one"
        )
    _check_duplicate(world, payee, whole, frequency)
    check_pin(world, pin)
    scheduled_payment_id = world.new_id("sch")
    world.insert(
        "scheduled_payment",
        scheduled_payment_id=scheduled_payment_id,
        from_account_id=from_account_id,
        payee_id=payee_id,
        amount=whole,
        frequency=frequency,
        next_date=day(start),
        end_date=None if end is None else day(end),
        status="active",
    )
    return {
        "scheduled_payment_id": scheduled_payment_id,
        "payee_name": payee["name"],
        "amount": dollars(whole),
        "frequency": frequency,
        "next_date": day(start),
        "end_date": None if end is None else day(end),
    }


def _dates(start_date: str, end_date: str | None, frequency: Frequency, today: date) -> tuple[date, date | None]:
    """First and last day; refuses invalid_argument."""
    start = parse_date(start_date, "start_date")
    end = None if end_date is None else parse_date(end_date, "end_date")
    if start > today + FURTHEST_START:
        latest = day(today + FURTHEST_START)
        raise Refused("invalid_argument", f"start_date {start_date!r} is more than a year away; {latest} is the latest")
    if end is not None and frequency == "single":
        raise Refused("invalid_argument", f"a single payment has no end_date; leave {end_date!r} out")
    return start, end


def _check_duplicate(world: World, payee: Row, amount: int, frequency: Frequency) -> None:
    same = world.one(
        "SELECT scheduled_payment_id, next_date FROM scheduled_payment"
        " WHERE payee_id = ? AND amount = ? AND frequency = ? AND status <> 'ended'"
        " ORDER BY scheduled_payment_id LIMIT 1",
        payee["payee_id"],
        amount,
        frequency,
    )
    if same is not None:
        raise Refused(
            "duplicate_schedule",
            f"{payee['name']} already has a {frequency} payment of {dollars(amount):.2f}, next on {same['next_date']} "
            f"({same['scheduled_payment_id']}); cancel that one first or choose another amount",
        )


@tool(
    "destructive",
    refusals=["scheduled_payment_not_found", "already_ended", "due_today"],
    idempotent=True,
)
def cancel_scheduled_payment(world: World, scheduled_payment_id: ScheduledPaymentId) -> CancelledScheduledPayment:
    """End a scheduled payment so that no further payment is made. A payment due today can no longer be stopped.

    Args:
        scheduled_payment_id: id of the scheduled payment
    """
    payment = world.one(SCHEDULED + "WHERE s.scheduled_payment_id = ?", scheduled_payment_id)
    if payment is None:
        raise Refused(
            "scheduled_payment_not_found",
            f"no scheduled payment {scheduled_payment_id!r}; list_scheduled_payments shows the ids",
        )
    if payment["status"] == "ended":
        raise Refused(
            "already_ended", f"the payment to {payment['payee_name']} has already ended; nothing is left to do"
        )
    today = day(world.now)
    if payment["status"] == "active" and payment["next_date"] == today:
        raise Refused(
            "due_today",
            f"the payment to {payment['payee_name']} is due today, {today}, and can no longer be stopped; cancel it "
            "from tomorrow on",
        )
    world.update("scheduled_payment", scheduled_payment_id, status="ended", next_date=None)
    return {
        "scheduled_payment_id": scheduled_payment_id,
        "payee_name": payment["payee_name"],
        "status": "ended",
        "cancelled_at": iso(world.now),
    }
