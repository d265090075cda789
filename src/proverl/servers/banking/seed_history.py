"""The last 180 days of a banking world: its transactions.

Covers: standing and other payments, transfers between own accounts, pay, interest, fees, card purchases (pending,
disputed, reversed, refunded), and for each account an income that fits its spending, so that balances stay plausible.
A merchant, an amount and a day together mean one transaction. Does not cover: balances (seed.py adds them up).
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from ...world.values import iso
from .drafts import Account, Card, Draft, Entry, Payee
from .names import CATEGORY_WEIGHTS, EMPLOYERS, MERCHANTS, PAYMENT_MEMOS, REFUND_MEMO, TRANSFER_MEMOS
from .rules import SAVINGS_WITHDRAWALS, arrival

DAYS = 179
WEEKS = DAYS // 7
OPENING_MINUTE = 9 * 60
BLOCKED_FOR = 12
"""Days for which the blocked payee has had no payment."""


class History:
    """The transactions so far, and what was used up to keep each of them unique."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.random = draft.random
        self._offset = iso(draft.now)[19:]
        self._taken: set[tuple[str, int, date]] = set()

    def day(self, ago: int) -> date:
        """The day so many days before the world opens."""
        return self.draft.today - timedelta(days=ago)

    def add(
        self,
        account: Account,
        ago: int,
        merchant: str,
        amount: int,
        *,
        category: str,
        direction: str = "outgoing",
        minute: int | None = None,
        **more: Any,
    ) -> Entry:
        """Add one transaction; its amount grows by some cents if it would be taken for another one."""
        when = self.day(ago)
        while (merchant, amount, when) in self._taken:
            amount += self.random.randrange(1, 99)
        self._taken.add((merchant, amount, when))
        if minute is None:
            minute = self.random.randrange(60, OPENING_MINUTE - 10) if ago == 0 else self.random.randrange(420, 1300)
        posted_at = f"{when.isoformat()}T{minute // 60:02d}:{minute % 60:02d}:00{self._offset}"
        entry = Entry(account, posted_at, merchant, amount, direction, category)
        for name, value in more.items():
            setattr(entry, name, value)
        self.draft.entries.append(entry)
        return entry

    def is_free(self, merchant: str, amount: int, ago: int) -> bool:
        """Whether a transaction of exactly this amount can be added."""
        return (merchant, amount, self.day(ago)) not in self._taken

    def transfer(self, source: Account, target: Account, ago: int, amount: int) -> None:
        """Add both legs of a transfer between own accounts."""
        into, out = f"Transfer to {target.nickname}", f"Transfer from {source.nickname}"
        while not (self.is_free(into, amount, ago) and self.is_free(out, amount, ago)):
            amount += self.random.randrange(1, 9) * 100
        memo = self.random.choice(TRANSFER_MEMOS) if self.random.random() < 0.25 else None
        leg = self.add(source, ago, into, amount, category="transfer", other=target, memo=memo)
        minute = int(leg.posted_at[11:13]) * 60 + int(leg.posted_at[14:16])
        self.add(
            target,
            ago,
            out,
            amount,
            category="transfer",
            direction="incoming",
            minute=minute,
            other=source,
            memo=memo,
        )

    def spent(self, account: Account, oldest: int, newest: int) -> int:
        """Cents that an account has spent net from one day to another, both given in days ago."""
        first, last = self.day(oldest).isoformat(), self.day(newest).isoformat() + "T24"
        of_account = [entry for entry in self.draft.entries if entry.account is account]
        return -sum(entry.signed for entry in of_account if first <= entry.posted_at < last)


def add_history(draft: Draft) -> list[Entry]:
    """Fill the draft with transactions in order of time; returns those that were disputed."""
    history = History(draft)
    total = draft.random.randrange(680, 1320)
    _savings(history)
    _standing_payments(history)
    _payee_payments(history)
    _quiet_accounts(history)
    funding = 2 * WEEKS * (1 + len(draft.with_role("side"))) + 30
    for _ in range(max(120, total - len(draft.entries) - funding)):
        _purchase(history)
    _charged_twice(history)
    _refunds(history)
    disputed = _disputes(history)
    _pending(history)
    _funding(history)
    draft.entries.sort(key=lambda entry: (entry.posted_at, entry.merchant, entry.amount))
    return disputed


# Savings, and accounts that nobody uses


def _savings(history: History) -> None:
    draft, random = history.draft, history.random
    main = draft.account("main")
    for account in [draft.account("capped"), *draft.with_role("reserve")]:
        amount = random.randrange(4, 25) * 5_00
        for week in range(WEEKS):
            history.transfer(main, account, 2 + week * 7, amount)
        _interest(history, account)
        _withdrawals(history, account, main)


def _interest(history: History, account: Account) -> None:
    for ago in range(1, DAYS):
        if history.day(ago - 1).day == 1:
            amount = max(15, abs(account.balance) * history.random.randrange(8, 20) // 10_000)
            history.add(account, ago, "Interest", amount, category="income", direction="incoming", minute=1_290)


def _withdrawals(history: History, account: Account, to: Account) -> None:
    """Earlier months stay under the cap; this month the capped account is one short of it."""
    random, today = history.random, history.draft.today
    this_month = SAVINGS_WITHDRAWALS - 1 if account.role == "capped" else random.randrange(3)
    for _ in range(this_month):
        history.transfer(account, to, random.randrange(today.day), random.randrange(4, 30) * 5_00)
    for month in range(1, 5):
        for _ in range(random.randrange(4)):
            ago = today.day + 30 * (month - 1) + random.randrange(1, 28)
            history.transfer(account, to, ago, random.randrange(4, 60) * 5_00)


def _quiet_accounts(history: History) -> None:
    """What happened on the closed account before it was closed, and on the frozen one before it was frozen."""
    draft, random = history.draft, history.random
    closed, frozen = draft.account("closed"), draft.account("frozen")
    for _ in range(random.randrange(3, 8)):
        ago = random.randrange(135, DAYS)
        history.add(
            closed, ago, "Cash deposit", random.randrange(2, 30) * 10_00, category="income", direction="incoming"
        )
    history.transfer(closed, draft.account("main"), random.randrange(110, 130), random.randrange(200_00, 900_00))
    frozen_for = random.randrange(10, 50)
    for ago in range(frozen_for, DAYS, 9):
        history.add(
            frozen, ago, "Cash deposit", random.randrange(2, 40) * 5_00, category="income", direction="incoming"
        )
    _interest(history, frozen)


# Payees


def _standing_payments(history: History) -> None:
    for schedule in history.draft.schedules:
        if schedule.frequency == "single":
            continue
        step = 7 if schedule.frequency == "weekly" else 30
        last = schedule.next_date or schedule.end_date
        assert last is not None
        first_ago = (history.draft.today - last).days + (step if schedule.next_date else 0)
        if schedule.status == "paused":
            first_ago += step * 2
        for ago in range(first_ago, DAYS, step):
            if ago > 0 and history.is_free(schedule.payee.name, schedule.amount, ago):
                _pay(history, schedule.account, schedule.payee, ago, schedule.amount)


def _pay(history: History, account: Account, payee: Payee, ago: int, amount: int, **more: Any) -> Entry:
    category = payee.category
    return history.add(account, ago, payee.name, amount, category=category, payee=payee, **more)


def _payee_payments(history: History) -> None:
    draft, random = history.draft, history.random
    accounts = [draft.account("main")] * 4 + draft.with_role("side")
    for payee in draft.payees:
        known_for = (draft.now - payee.added_at).days
        newest = BLOCKED_FOR if payee.role == "blocked" else 1
        if payee.role == "fresh":
            _pay_fresh(history, payee)
        elif payee.high > 1_500_00:
            for ago in range(newest + random.randrange(29), min(DAYS, known_for), 30):
                _pay(history, accounts[0], payee, ago, random.randrange(payee.low, payee.high) // 100 * 100)
        else:
            for _ in range(random.randrange(7)):
                memo = random.choice(PAYMENT_MEMOS) if random.random() < 0.5 else None
                ago = random.randrange(1, DAYS)
                amount = random.randrange(payee.low, payee.high) // 50 * 50
                if newest <= ago < known_for:
                    _pay(history, random.choice(accounts), payee, ago, amount, memo=memo)
        if payee.role == "travelling":
            minute = random.randrange(17 * 60, 21 * 60)
            _pay(history, accounts[0], payee, 1, random.randrange(40, 400) * 100, minute=minute, status="pending")


def _pay_fresh(history: History, payee: Payee) -> None:
    """In half of the worlds the new payee has had a first payment, where one could have arrived by now."""
    when: datetime = payee.added_at + timedelta(minutes=5)
    if history.random.random() < 0.5 and when < history.draft.now and arrival(when) == when.date():
        ago = (history.draft.today - when.date()).days
        amount = history.random.randrange(10, 60) * 5_00
        _pay(history, history.draft.account("main"), payee, ago, amount, minute=when.hour * 60 + when.minute)


# Cards


def _purchase(history: History) -> Entry:
    """One purchase on a card that was in use on that day."""
    random, today = history.random, history.draft.today
    card = random.choice(history.draft.cards)
    ago = random.randrange(max(0, (today - card.last_day).days), DAYS + 1)
    return _buy(history, card, ago)


def _buy(history: History, card: Card, ago: int, **more: Any) -> Entry:
    random = history.random
    category = random.choices(list(CATEGORY_WEIGHTS), list(CATEGORY_WEIGHTS.values()))[0]
    merchant, low, high = random.choice(MERCHANTS[category])
    # Small amounts are likelier than large ones.
    amount = low + int((high - low) * random.random() ** 2)
    return history.add(card.account, ago, merchant, amount, category=category, card=card, **more)


def _recent(history: History, oldest: int, newest: int) -> list[Entry]:
    """Posted purchases from one day to another, both given in days ago."""
    first, last = history.day(oldest).isoformat(), history.day(newest).isoformat() + "T24"
    return [
        entry
        for entry in history.draft.entries
        if entry.card is not None
        and first <= entry.posted_at < last
        and entry.direction == "outgoing"
        and entry.status == "posted"
    ]


def _charged_twice(history: History) -> None:
    """A second charge of nearly the same amount by the same merchant on the same day, on the same card."""
    random = history.random
    for entry in random.sample(_recent(history, 44, 2), 4):
        ago = (history.draft.today - date.fromisoformat(entry.posted_at[:10])).days
        amount = entry.amount + random.randrange(1, 90)
        history.add(entry.account, ago, entry.merchant, amount, category=entry.category, card=entry.card)


def _refunds(history: History) -> None:
    random = history.random
    for entry in random.sample(_recent(history, 120, 12), random.randrange(2, 6)):
        bought = (history.draft.today - date.fromisoformat(entry.posted_at[:10])).days
        ago = bought - random.randrange(2, 10)
        category = entry.category
        history.add(
            entry.account,
            ago,
            entry.merchant,
            entry.amount,
            category=category,
            direction="incoming",
            card=entry.card,
            memo=REFUND_MEMO,
        )


def _disputes(history: History) -> list[Entry]:
    """Two to four purchases that were disputed: some still are, the others were paid back."""
    random = history.random
    candidates = [entry for entry in _recent(history, 58, 6) if entry.amount > 25_00]
    found = random.sample(candidates, random.randrange(2, 5))
    for number, entry in enumerate(found):
        entry.status = "reversed" if number % 2 else "disputed"
    return found


def _pending(history: History) -> None:
    random = history.random
    cards = [card for card in history.draft.cards if card.role == "twin"]
    for _ in range(random.randrange(3, 8)):
        _buy(history, random.choice(cards), random.randrange(2), status="pending")


# Income that fits the spending


def _funding(history: History) -> None:
    draft, random = history.draft, history.random
    main = draft.account("main")
    overdrawn = draft.account("overdrawn")
    for account in [overdrawn, *draft.with_role("side")]:
        for week in range(WEEKS):
            spent = history.spent(account, week * 7 + 7, week * 7 + 1) * random.randrange(90, 111) // 100
            history.transfer(main, account, week * 7 + 1, max(spent // 100 * 100, random.randrange(2, 9) * 5_00))
    for ago in random.sample(range(3, DAYS), random.randrange(1, 4)):
        history.add(overdrawn, ago, "Overdraft fee", 12_00, category="fees", minute=1_300)
    for account in [draft.account("credit"), *draft.with_role("spare")]:
        for month in range(5):
            amount = history.spent(account, month * 30 + 32, month * 30 + 3)
            if amount >= 5_00:
                history.transfer(main, account, month * 30 + 2, amount)
    employer = random.choice(EMPLOYERS)
    first = random.randrange(1, 15)
    paydays = range(first, DAYS + 1, 14)
    pay = max(900_00, history.spent(main, DAYS, 0) // len(paydays))
    for ago in paydays:
        history.add(main, ago, employer, pay, category="income", direction="incoming", minute=380)
