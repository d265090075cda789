"""Banking worlds: a seed becomes a customer with accounts, cards, payees, standing payments, a history and an inbox.

Every world holds what the domain is about: a frozen and a closed account, a savings account one withdrawal short of
its cap, a checking account inside its overdraft, near-equal nicknames and labels, a blocked and a brand-new payee, a
company with two accounts, a payment due today, and codes in the inbox that must not be used again. What a person
calls a row ("my Travel Debit card") means that row only. Covers: everything but the transactions (seed_history.py) and
the messages (seed_inbox.py).
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import Any

from ...world.values import day, iso
from ...world.world import Builder
from .drafts import Account, Card, Draft, Entry, Payee, Schedule
from .names import (
    BANKS,
    COMPANIES,
    CREDIT_LABELS,
    CREDIT_LINES,
    DEBIT_LABELS,
    EXPIRED_LABELS,
    FIRST_NAMES,
    FUNDS,
    STEMS,
    SURNAMES,
    TWIN_ACCOUNTS,
    TWIN_CARDS,
)
from .rules import folded
from .seed_history import add_history
from .seed_inbox import write_inbox


def build(world: Builder) -> None:
    """Make the world of a seed."""
    random = world.random
    customer = f"{random.choice(FIRST_NAMES)} {random.choice(SURNAMES)}"
    draft = Draft(random, world.now, customer)
    key = f"{random.getrandbits(160):040x}"
    world.insert("customer", customer_id=1, name=customer, code_key=key)
    pin = f"{random.randrange(10_000):04d}"
    world.secret("pin", pin)
    _draw_accounts(draft)
    _draw_cards(draft)
    _draw_payees(draft)
    _draw_schedules(draft)
    disputed = add_history(draft)
    _store_accounts(world, draft)
    _store_cards(world, draft, pin)
    _store_payees(world, draft)
    _store_schedules(world, draft)
    _store_entries(world, draft)
    _store_disputes(world, draft, disputed)
    write_inbox(world, draft, key)


# Accounts


def _draw_accounts(draft: Draft) -> None:
    random = draft.random
    overdraft = random.choice([400_00, 500_00, 750_00, 1_000_00])
    accounts = [
        Account("main", "checking", "open", _whole(draft, 2_500, 9_000), 0, random.randrange(30, 61) * 100_00),
        Account(
            "overdrawn", "checking", "open", -random.randrange(overdraft // 10, overdraft * 45 // 100), overdraft, 0
        ),
        Account("capped", "savings", "open", _whole(draft, 2_000, 22_000), 0, 0),
        Account("credit", "credit", "open", -_whole(draft, 200, 1_800), random.randrange(30, 120) * 100_00, 0),
        Account("frozen", random.choice(["checking", "savings"]), "frozen", _whole(draft, 200, 5_000), 0, 0),
        Account("closed", random.choice(["checking", "savings"]), "closed", 0, 0, 0),
    ]
    extras = [
        Account("reserve", "savings", "open", _whole(draft, 800, 18_000), 0, 0),
        Account("side", "checking", "open", _whole(draft, 400, 3_000), 0, 0),
        Account("spare", "credit", "open", -_whole(draft, 40, 900), random.randrange(20, 80) * 100_00, 0),
    ]
    accounts += random.sample(extras, random.randrange(4))
    random.shuffle(accounts)
    for account in accounts:
        if account.kind != "credit" and not account.daily_limit:
            account.daily_limit = random.randrange(10, 41) * 100_00
    draft.accounts = accounts
    _name_accounts(draft)


def _whole(draft: Draft, low: int, high: int) -> int:
    """Cents between two amounts of dollars."""
    return draft.random.randrange(low * 100, high * 100)


def _name_accounts(draft: Draft) -> None:
    stems = draft.random.sample(STEMS, len(STEMS))
    funds = draft.random.sample(FUNDS, len(FUNDS))
    lines = draft.random.sample(CREDIT_LINES, len(CREDIT_LINES))
    one, name, other, like_it = draft.random.choice(TWIN_ACCOUNTS)
    stem = stems.pop()
    draft.account(one).nickname = name.format(stem=stem)
    draft.account(other).nickname = like_it.format(stem=stem)
    for account in draft.accounts:
        if account.nickname:
            continue
        if account.kind == "checking":
            account.nickname = f"{stems.pop()} Checking"
        else:
            account.nickname = funds.pop() if account.kind == "savings" else lines.pop()


def _store_accounts(world: Builder, draft: Draft) -> None:
    moved = {account.nickname: 0 for account in draft.accounts}
    for entry in draft.entries:
        moved[entry.account.nickname] += entry.signed
    for account in draft.accounts:
        account.account_id = world.new_id("acc")
        world.insert(
            "account",
            account_id=account.account_id,
            nickname=account.nickname,
            kind=account.kind,
            masked_number=f"****{world.random.randrange(10_000):04d}",
            balance=account.balance,
            opening_balance=account.balance - moved[account.nickname],
            overdraft_limit=account.overdraft_limit,
            daily_limit=account.daily_limit,
            opened_on=day(draft.today - timedelta(days=world.random.randrange(400, 4500))),
            status=account.status,
        )


# Cards


def _draw_cards(draft: Draft) -> None:
    random = draft.random
    debit, credit = random.choice(TWIN_CARDS)
    debits = [label for label in random.sample(DEBIT_LABELS, len(DEBIT_LABELS)) if label != debit]
    yesterday = draft.today - timedelta(days=1)
    expired = _month_end(draft.today - timedelta(days=random.randrange(40, 120)))
    cards = [
        Card("twin", debit, "debit", draft.account("main"), _valid_until(draft), draft.today),
        Card("twin", credit, "credit", draft.account("credit"), _valid_until(draft), draft.today),
        Card(
            "locked",
            debits.pop(),
            "debit",
            draft.account("overdrawn"),
            _valid_until(draft),
            yesterday - timedelta(days=random.randrange(8, 30)),
            locked=True,
        ),
        Card("expired", random.choice(EXPIRED_LABELS), "debit", draft.account("main"), expired, expired),
    ]
    if random.random() < 0.6:
        home = (draft.with_role("side") or [draft.account("overdrawn")])[0]
        cards.append(Card("extra", debits.pop(), "debit", home, _valid_until(draft), yesterday))
    for spare in draft.with_role("spare"):
        label = random.choice(CREDIT_LABELS)
        cards.append(Card("extra", label, "credit", spare, _valid_until(draft), yesterday))
    random.shuffle(cards)
    draft.cards = cards


def _month_end(when: date) -> date:
    return when.replace(day=monthrange(when.year, when.month)[1])


def _valid_until(draft: Draft) -> date:
    return _month_end(draft.today + timedelta(days=draft.random.randrange(40, 1400)))


def _store_cards(world: Builder, draft: Draft, pin: str) -> None:
    for card in draft.cards:
        last4 = pin
        while last4 == pin:  # no tool may show the PIN, not even by chance
            last4 = f"{world.random.randrange(10_000):04d}"
        card.card_id = world.new_id("crd")
        world.insert(
            "card",
            card_id=card.card_id,
            label=card.label,
            account_id=card.account.account_id,
            kind=card.kind,
            last4=last4,
            daily_spend_limit=world.random.randrange(20, 500) * 10_00,
            expires_on=day(card.expires_on),
            locked=int(card.locked),
        )


# Payees


def _draw_payees(draft: Draft) -> None:
    random = draft.random
    number = random.randrange(18, 36)
    companies = random.sample(COMPANIES, min(len(COMPANIES), number * 2 // 5))
    people = _people(draft, number - len(companies) - 1)
    routes = sorted(BANKS)
    found = [_payee(draft, name, random.choice(routes), category, low, high) for name, category, low, high in companies]
    twice = found[0]
    elsewhere = random.choice([route for route in routes if route != twice.bank])
    found.append(_payee(draft, twice.name, elsewhere, twice.category, twice.low, twice.high))
    found += [_payee(draft, name, random.choice(routes), "transfer", 10_00, 260_00) for name in people]
    fresh, blocked, travelling = random.sample(found[len(companies) + 1 :], 3)
    blocked.role, travelling.role, fresh.role = "blocked", "travelling", "fresh"
    fresh.added_at = draft.now - timedelta(minutes=random.randrange(30, 1380))
    random.shuffle(found)
    draft.payees = sorted(found, key=lambda payee: payee.added_at)


def _people(draft: Draft, number: int) -> list[str]:
    """Different full names, none the customer's; the first two share a surname."""
    random = draft.random
    first, surnames = random.sample(FIRST_NAMES, len(FIRST_NAMES)), random.sample(SURNAMES, len(SURNAMES))
    shared = surnames[0]
    names = [f"{first[0]} {shared}", f"{first[1]} {shared}"]
    names += [f"{one} {other}" for one, other in zip(first[2:], surnames[1:], strict=False)]
    return [name for name in names if name != draft.customer][:number]


def _payee(draft: Draft, name: str, bank: str, category: str, low: int, high: int) -> Payee:
    random = draft.random
    recent = random.random() < 0.25
    ago = random.randrange(2, 170) if recent else random.randrange(190, 1200)
    added = (draft.now - timedelta(days=ago)).replace(hour=random.randrange(8, 21), minute=random.randrange(60))
    digits = random.randrange(8, 13)
    account_number = str(random.randrange(10 ** (digits - 1), 10**digits))
    return Payee("", name, bank, category, low, high, added, account_number)


def _store_payees(world: Builder, draft: Draft) -> None:
    for payee in draft.payees:
        payee.payee_id = world.new_id("pay")
        bank_name = BANKS[payee.bank]
        world.insert(
            "payee",
            payee_id=payee.payee_id,
            name=payee.name,
            bank_name=bank_name,
            routing_number=payee.bank,
            account_number=payee.account_number,
            added_at=iso(payee.added_at),
            status="blocked" if payee.role == "blocked" else "active",
            removed=0,
            searched=folded(payee.name, bank_name),
        )


# Scheduled payments


def _draw_schedules(draft: Draft) -> None:
    random = draft.random
    old = [payee for payee in draft.payees if not payee.role and (draft.now - payee.added_at).days > 185]
    number = random.randrange(8, 17)
    states = ["due", "paused", "ended"] + ["active"] * (number - 3)
    kinds = [*random.choices(["weekly", "monthly"], k=3), "weekly", "monthly", "single"]
    kinds += random.choices(["weekly", "monthly", "single"], [3, 6, 2], k=number - len(kinds))
    taken: set[tuple[str, str, int]] = set()
    for frequency, state in zip(kinds, states, strict=True):
        payee = random.choice(old)
        amount = _standing_amount(draft, payee)
        while (frequency, payee.name, amount) in taken:
            amount += random.randrange(1, 20) * 50
        taken.add((frequency, payee.name, amount))
        draft.schedules.append(_schedule(draft, payee, amount, frequency, state))
    random.shuffle(draft.schedules)


def _standing_amount(draft: Draft, payee: Payee) -> int:
    """A usual payment in whole or half dollars, at most what can be scheduled."""
    high = min(payee.high, 900_00)
    low = min(payee.low, high // 2)
    return draft.random.randrange(low, high) // 50 * 50


def _schedule(draft: Draft, payee: Payee, amount: int, frequency: str, state: str) -> Schedule:
    random = draft.random
    account = random.choice([draft.account("main")] * 4 + draft.with_role("side") + [draft.account("overdrawn")])
    span = {"weekly": 7, "monthly": 28, "single": 60}[frequency]
    next_date: date | None = draft.today + timedelta(days=0 if state == "due" else random.randrange(1, span + 1))
    end_date = None
    if frequency != "single" and random.random() < 0.4:
        end_date = draft.today + timedelta(days=random.randrange(60, 500))
    if state == "ended":
        next_date, end_date = None, draft.today - timedelta(days=random.randrange(5, 120))
    status = "active" if state == "due" else state
    return Schedule(account, payee, amount, frequency, next_date, end_date, status)


def _store_schedules(world: Builder, draft: Draft) -> None:
    for schedule in draft.schedules:
        world.insert(
            "scheduled_payment",
            scheduled_payment_id=world.new_id("sch"),
            from_account_id=schedule.account.account_id,
            payee_id=schedule.payee.payee_id,
            amount=schedule.amount,
            frequency=schedule.frequency,
            next_date=schedule.next_date and day(schedule.next_date),
            end_date=schedule.end_date and day(schedule.end_date),
            status=schedule.status,
        )


# Transactions and disputes


def _store_entries(world: Builder, draft: Draft) -> None:
    records: list[dict[str, Any]] = []
    for entry in draft.entries:
        entry.transaction_id = world.new_id("txn")
        records.append(
            {
                "transaction_id": entry.transaction_id,
                "account_id": entry.account.account_id,
                "card_id": entry.card and entry.card.card_id,
                "payee_id": entry.payee and entry.payee.payee_id,
                "other_account_id": entry.other and entry.other.account_id,
                "posted_at": entry.posted_at,
                "merchant": entry.merchant,
                "amount": entry.amount,
                "direction": entry.direction,
                "category": entry.category,
                "memo": entry.memo,
                "status": entry.status,
                "searched": folded(entry.merchant, entry.memo),
            }
        )
    world.insert_all("bank_transaction", records)


def _store_disputes(world: Builder, draft: Draft, disputed: list[Entry]) -> None:
    for entry in disputed:
        bought = date.fromisoformat(entry.posted_at[:10])
        opened = min(bought + timedelta(days=world.random.randrange(1, 5)), draft.today - timedelta(days=1))
        won = entry.status == "reversed"
        world.insert(
            "dispute",
            dispute_id=world.new_id("dsp"),
            transaction_id=entry.transaction_id,
            reason=world.random.choice(["duplicate", "overcharged", "undelivered"]),
            details=None,
            status="won" if won else "open",
            provisional_credit=0,
            locked_card_id=None,
            opened_at=iso(draft.now.replace(year=opened.year, month=opened.month, day=opened.day)),
            decision_by=day(opened + timedelta(days=14)),
        )
