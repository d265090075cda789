"""Scheduled payments: listing, setting up and cancelling standing and future payments to payees."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from proverl.world.domain import SECRET, Day, Field, Money, Row, World, check_day, dollars, refuse, shown, tool

from ..results import (
    ACCOUNT,
    PAYEE,
    SCHEDULED_PAYMENT,
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
from ..rules import check_accounts, check_pin, find_open_payee


@tool("read", refusals="account_not_found payee_not_found")
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
    world.find(ACCOUNT, from_account_id)
    world.find(PAYEE, payee_id)
    equal = {"from_account_id": from_account_id, "payee_id": payee_id, "status": status}
    found = world.rows(ScheduledPaymentRow, SCHEDULED_PAYMENT, **equal)
    return {"count": len(found), "scheduled_payments": found}


@tool(
    "write",
    refusals="invalid_argument account_not_found payee_not_found payee_blocked account_frozen account_closed "
    "credit_cannot_send date_not_in_future end_before_start duplicate_schedule wrong_pin",
    idempotent=True,
)
def schedule_payee_payment(
    world: World,
    from_account_id: AccountId,
    payee_id: PayeeId,
    amount: Annotated[Money, Field(gt=0, le=1000)],
    frequency: Frequency,
    start_date: Day,
    pin: Annotated[str, SECRET],
    end_date: Day | None = None,
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
    check_dates(world, start_date, end_date, frequency)
    sender = world.find(ACCOUNT, from_account_id)
    payee = find_open_payee(world, payee_id)
    check_accounts(sender)
    if start_date <= world.today:
        refuse("date_not_in_future", f"start_date {start_date!r} must lie after today, {world.today}")
    if end_date is not None and end_date < start_date:
        refuse("end_before_start", f"end_date {end_date!r} lies before start_date {start_date!r}; choose a later one")
    check_duplicate(world, payee, amount, frequency)
    check_pin(world, pin)
    scheduled_payment_id = world.add(
        SCHEDULED_PAYMENT,
        from_account_id=from_account_id,
        payee_id=payee_id,
        amount=amount,
        frequency=frequency,
        next_date=start_date,
        end_date=end_date,
        status="active",
    )
    return shown(NewScheduledPayment, world.find(SCHEDULED_PAYMENT, scheduled_payment_id))


def check_dates(world: World, start_date: str, end_date: str | None, frequency: Frequency) -> None:
    """Refuse invalid_argument: no days, a start more than a year away, an end of a single payment."""
    start = check_day(start_date, "start_date")
    if end_date is not None:
        check_day(end_date, "end_date")
    latest = a_year_after(world.now.date())
    if start > latest:
        refuse("invalid_argument", f"start_date {start_date!r} is more than a year away; {latest} is the latest")
    if end_date is not None and frequency == "single":
        refuse("invalid_argument", f"a single payment has no end_date; leave {end_date!r} out")


def a_year_after(when: date) -> date:
    """The same day of the next year; after the 29th of February, the last of that month."""
    return when.replace(year=when.year + 1, day=28 if (when.month, when.day) == (2, 29) else when.day)


def check_duplicate(world: World, payee: Row, amount: int, frequency: Frequency) -> None:
    """Refuse duplicate_schedule."""
    same = world.one(
        "SELECT scheduled_payment_id, next_date FROM scheduled_payment"
        " WHERE payee_id = ? AND amount = ? AND frequency = ? AND status <> 'ended'",
        payee["payee_id"],
        amount,
        frequency,
    )
    if same is not None:
        has = f"{payee['name']} already has a {frequency} payment of {dollars(amount)}, next on {same['next_date']}"
        how = "cancel that one first or choose another amount"
        refuse("duplicate_schedule", f"{has} ({same['scheduled_payment_id']}); {how}")


@tool("destructive", refusals="scheduled_payment_not_found already_ended due_today", idempotent=True)
def cancel_scheduled_payment(world: World, scheduled_payment_id: ScheduledPaymentId) -> CancelledScheduledPayment:
    """End a scheduled payment so that no further payment is made. A payment due today can no longer be stopped.

    Args:
        scheduled_payment_id: id of the scheduled payment
    """
    payment = world.find(SCHEDULED_PAYMENT, scheduled_payment_id)
    name, today = payment["payee_name"], world.today
    if payment["status"] == "ended":
        refuse("already_ended", f"the payment to {name} has already ended; nothing is left to do")
    if payment["status"] == "active" and payment["next_date"] == today:
        late = f"the payment to {name} is due today, {today}, and can no longer be stopped"
        refuse("due_today", f"{late}; cancel it from tomorrow on")
    world.update(SCHEDULED_PAYMENT, scheduled_payment_id, status="ended", next_date=None)
    return {
        "scheduled_payment_id": scheduled_payment_id,
        "payee_name": name,
        "status": "ended",
        "cancelled_at": world.moment,
    }
