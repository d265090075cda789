"""Payees of a banking world, payments to them, and standing payments.

Covers: payees of years ago, saved as they were, and newer ones, added with a code; payments by the tool that makes
them, large ones with a code; standing payments set up by their tool and carried out on their days as the bank's night
run does. Does not cover: other movements of money (flows.py, purchases.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from itertools import cycle

from proverl.world.domain import Builder, day, days

from ..ledger import settle
from ..results import PAYEE, SCHEDULED_PAYMENT, Frequency
from ..routing_numbers import BANKS
from ..rules import CODE_ABOVE, NEW_PAYEE_SPAN, arrival
from ..tools.payees import add_payee, send_payee_payment, store_payee
from ..tools.scheduled_payments import schedule_payee_payment
from .inbox import QUIET_DAYS, change, with_code
from .names import draw_companies, words
from .rows import DAYS, Life, Payee

BLOCKED_FOR = 12
"""Days for which the payee who gets blocked has had no payment."""
OFTEN: tuple[Frequency, ...] = ("weekly", "monthly")
SPANS: dict[Frequency, int] = {"weekly": 7, "monthly": 28, "single": 60}
"""The most days from the opening to the next standing payment."""


def add_payees(life: Life, people: Iterator[str], brands: Iterator[str]) -> None:
    """Store old payees and plan new ones: companies, one with two accounts, and people, of whom one is brand-new."""
    random, world = life.random, life.world
    number = random.randrange(19, 36)
    companies = draw_companies(random, brands, number * 2 // 5)
    usual = [*companies, companies[1], *((next(people), 10_00, 260_00, "") for _ in range(number - len(companies) - 1))]
    banks = random.sample(sorted(BANKS), len(BANKS))  # in turn, so that the two of one company differ
    for (name, low, high, _), bank in zip(usual, cycle(banks), strict=False):
        added_at = life.at(random.randrange(190, 1200))
        life.payees.append(Payee(name, low, high, bank, life.digits(random.randrange(8, 13)), added_at))
    others = life.payees[len(companies) + 3 :]  # not the two people of one surname, who are old payees for sure
    fresh, blocked, late, *others = random.sample(others, len(others))
    fresh.role, blocked.role, late.role = "fresh", "blocked", "late"
    still_new = NEW_PAYEE_SPAN - timedelta(hours=1)  # so that there is time to try
    fresh.added_at = world.opening - timedelta(seconds=random.randrange(1_800, round(still_new.total_seconds())))
    for payee in random.sample(others, random.randrange(3, 7)):
        payee.role, payee.added_at = "recent", life.at(random.randrange(QUIET_DAYS, 170))
    for payee in sorted(life.payees, key=lambda payee: payee.added_at):
        if payee.role in ("fresh", "recent"):
            with_code(life, payee.added_at, "payee", partial(_add, life, payee))
        else:
            world.set_clock(payee.added_at)
            given = payee.name, payee.bank, BANKS[payee.bank], payee.account_number
            payee.payee_id = store_payee(world, *given)
    when = life.at(random.randrange(3, BLOCKED_FOR))
    world.plan(when, change, PAYEE, blocked.payee_id, {"status": "blocked"}, "blocked")


def _add(life: Life, payee: Payee, code: str) -> None:
    added = add_payee(life.world, payee.name, payee.account_number, payee.bank, code)
    payee.payee_id = added["payee_id"]


def plan_payments(life: Life) -> None:
    """Let the payees be paid, now and then or as a monthly rent."""
    random, world = life.random, life.world
    for payee in life.payees:
        known_for = (world.opening - payee.added_at).days
        newest = BLOCKED_FOR if payee.role == "blocked" else 1
        monthly = range(random.randrange(1, 30), DAYS, 30)
        for ago in monthly if payee.high > CODE_ABOVE else random.choices(range(1, DAYS), k=random.randrange(5)):
            if newest <= ago < known_for:
                _plan_payment(life, payee, ago, random.randrange(payee.low, payee.high) // 50 * 50)
        if payee.role == "late":  # after the cut-off, so the payment has not arrived yet
            world.plan(life.at(1, 17, 20), _pay, life, "main", payee, random.randrange(40, 400) * 1_00)
        elif payee.role == "fresh" and random.random() < 0.5:
            moment = payee.added_at + timedelta(seconds=random.randrange(600, 1000))
            world.plan(moment, _pay, life, "main", payee, random.randrange(10, 60) * 5_00)


def _plan_payment(life: Life, payee: Payee, ago: int, amount: int) -> None:
    random, moment = life.random, life.at(ago)
    amount = life.apart(payee.name, amount, moment)
    life.needs += amount
    memo = random.choice(words("memos")["payment"]) if random.random() < 0.5 else None
    if amount > CODE_ABOVE:
        with_code(life, moment, "payment", lambda code: _pay(life.world, life, "main", payee, amount, code, memo))
    else:
        life.world.plan(moment, _pay, life, _sender(life), payee, amount, None, memo)


def _sender(life: Life) -> str:
    return life.random.choice(["main"] * 4 + [role for role in life.accounts if role == "side"])


def _pay(
    world: Builder, life: Life, role: str, payee: Payee, amount: int, code: str | None = None, memo: str | None = None
) -> None:
    """Pay by the tool; what it leaves pending is posted at noon of the day on which it arrives."""
    paid = send_payee_payment(world, life.accounts[role], payee.payee_id, amount, life.pin, code, memo)
    arrives = arrival(world.now)
    if paid["status"] == "pending" and arrives < life.today:
        noon = world.now.replace(hour=12) + (arrives - world.now.date())
        world.plan(noon, settle, paid["transaction_id"])


# Standing payments


def plan_schedules(life: Life) -> None:
    """Let standing payments be set up to old payees: one is due today, one paused, one ended."""
    random, drawn = life.random, set[tuple[str, int]]()
    old = [payee for payee in life.payees if not payee.role]
    plans = [(state, random.choice(OFTEN)) for state in ("due", "paused", "ended")]
    plans += [("active", frequency) for frequency in SPANS]
    plans += [("active", frequency) for frequency in random.choices(list(SPANS), [3, 6, 2], k=random.randrange(2, 11))]
    for state, frequency in plans:
        payee = random.choice(old)
        high = min(payee.high, 900_00)
        amount = random.randrange(min(payee.low, high // 2), high) // 50 * 50
        while (payee.name, amount) in drawn:
            amount += random.randrange(1, 20) * 50
        drawn.add((payee.name, amount))
        _plan_schedule(life, payee, amount, frequency, state)


def _plan_schedule(life: Life, payee: Payee, amount: int, frequency: Frequency, state: str) -> None:
    random, today, role = life.random, life.today, _sender(life)
    upcoming = today + days(0 if state == "due" else random.randint(1, SPANS[frequency]))
    made = life.at(random.randrange(1, 30) if frequency == "single" else random.randrange(130, DAYS))
    due = [upcoming]
    while frequency != "single" and (before := _one_before(due[0], frequency, upcoming.day)) > made.date():
        due.insert(0, before)
    ends = {"ended": -random.randrange(5, 90), "active": random.choice([0, random.randrange(60, 500)])}.get(state, 0)
    end = today + days(ends) if ends and frequency != "single" else None
    past = [when for when in due if when < today and (end is None or when <= end)]
    life.needs += amount * len(past)
    life.taken.update((payee.name, amount, when) for when in past)

    def set_up(world: Builder) -> None:
        ids, last = (life.accounts[role], payee.payee_id), None if end is None else day(end)
        stored = schedule_payee_payment(world, *ids, amount, frequency, day(due[0]), life.pin, last)
        key = stored["scheduled_payment_id"]
        for when in past:
            world.plan(life.at((today - when).days, 4, 4), _carry_out, life, key, role, payee)
        if state == "paused":
            world.plan(life.at(random.randrange(8, 40)), change, SCHEDULED_PAYMENT, key, {"status": "paused"})
        over = {"status": "ended", "next_date": None} if state == "ended" else {"next_date": day(upcoming)}
        world.plan(life.at(max(-ends - 1, 0), 1, 1), change, SCHEDULED_PAYMENT, key, over)

    life.world.plan(made, set_up)


def _one_before(due: date, frequency: Frequency, day_of_month: int) -> date:
    if frequency == "weekly":
        return due - days(7)
    last = due.replace(day=1) - days(1)
    return last.replace(day=min(day_of_month, last.day))


def _carry_out(world: Builder, life: Life, key: str, role: str, payee: Payee) -> None:
    standing = world.find(SCHEDULED_PAYMENT, key)
    if standing["status"] == "active":
        _pay(world, life, role, payee, standing["amount"])
