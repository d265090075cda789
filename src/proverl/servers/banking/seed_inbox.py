"""The secure inbox of a banking world: statements, alerts, notices, and the codes of the past.

Covers: messages that say only what is true of the world (closing balances add up, alerts name real purchases, codes
belong to payees and payments that exist), each with a subject of its own. The codes are all past their ten minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from ...world.values import dollars, iso
from ...world.world import Builder
from .codes import LIFE, letter, one_time_code
from .drafts import Draft, Entry
from .names import NOTICES
from .results import Purpose
from .rules import CODE_ABOVE
from .seed_history import BLOCKED_FOR

KEPT_CODES = timedelta(days=75)
STATEMENTS = 5
MANY_CODES_CHANCE = 0.15


@dataclass
class Code:
    """A code that was sent, and whether it was used."""

    purpose: Purpose
    sent_at: datetime
    used: bool
    value: str = ""


@dataclass
class Letter:
    """A message to be stored, with the code that it brings, if any."""

    kind: Literal["security", "alert", "statement", "notice"]
    sent_at: datetime
    subject: str
    body: str
    code: Code | None = None


def write_inbox(world: Builder, draft: Draft, key: str) -> None:
    """Store messages and codes in order of time."""
    letters = [*_statements(draft), *_alerts(draft), *_notices(draft)]
    for number, code in enumerate(_codes(draft)):
        code.value = one_time_code(key, number)
        letters.append(Letter("security", code.sent_at, *letter(code.purpose, code.value, code.sent_at), code))
    for item in sorted(letters, key=lambda item: (item.sent_at, item.subject)):
        message_id = world.new_id("msg")
        recent = draft.now - item.sent_at < timedelta(days=6)
        world.insert(
            "bank_message",
            message_id=message_id,
            kind=item.kind,
            subject=item.subject,
            body=item.body,
            sent_at=iso(item.sent_at),
            unread=int(recent and draft.random.random() < 0.7),
        )
        if item.code is not None:
            world.insert(
                "one_time_code",
                message_id=message_id,
                purpose=item.code.purpose,
                code=item.code.value,
                sent_at=iso(item.code.sent_at),
                expires_at=iso(item.code.sent_at + LIFE),
                used=int(item.code.used),
            )


def _at(draft: Draft, when: date, minute: int) -> datetime:
    moment = draft.now.replace(year=when.year, month=when.month, day=when.day)
    return moment.replace(hour=minute // 60, minute=minute % 60)


# Codes


def _codes(draft: Draft) -> list[Code]:
    """The codes of the last weeks in order of time, each sent at a minute of its own."""
    random = draft.random
    oldest = draft.now - KEPT_CODES
    found = [Code("payee", payee.added_at - timedelta(minutes=3), True) for payee in draft.payees]
    for entry in draft.entries:
        if entry.payee is not None and entry.amount > CODE_ABOVE:
            found.append(Code("payment", datetime.fromisoformat(entry.posted_at) - timedelta(minutes=2), True))
    for _ in range(random.randrange(3)):
        found.append(Code("limit", _some_time(draft, 2, 60), True))
    for _ in range(random.randrange(2, 5)):
        found.append(Code(_any_purpose(draft), _some_time(draft, 1, 25), False))
    if random.random() < MANY_CODES_CHANCE:
        for _ in range(random.randrange(2, 4)):
            sent = draft.now - timedelta(minutes=random.randrange(15, 600))
            found.append(Code(_any_purpose(draft), sent, False))
    taken: dict[str, Code] = {}
    for code in found:
        if code.sent_at > oldest:
            taken.setdefault(iso(code.sent_at), code)
    return sorted(taken.values(), key=lambda code: code.sent_at)


def _any_purpose(draft: Draft) -> Purpose:
    purposes: list[Purpose] = ["payee", "payment", "limit"]
    return draft.random.choice(purposes)


def _some_time(draft: Draft, newest: int, oldest: int) -> datetime:
    when = draft.today - timedelta(days=draft.random.randrange(newest, oldest))
    return _at(draft, when, draft.random.randrange(480, 1290))


# What the bank writes about


def _statements(draft: Draft) -> list[Letter]:
    """The monthly statements of the account that is used most and the credit account."""
    found = []
    for role in ("main", "credit"):
        account = draft.account(role)
        entries = [entry for entry in draft.entries if entry.account is account]
        first = draft.today.replace(day=1)
        for _ in range(STATEMENTS):
            previous = (first - timedelta(days=1)).replace(day=1)
            since, until = previous.isoformat(), first.isoformat()
            later = sum(entry.signed for entry in entries if entry.posted_at >= until)
            booked = [entry for entry in entries if since <= entry.posted_at < until]
            closing = account.balance - later
            body = (
                f"Your statement for {account.nickname} is ready: {len(booked)} transactions, closing balance "
                f"{dollars(closing):,.2f} dollars."
            )
            subject = f"Your {previous:%B} {previous.year} statement for {account.nickname}"
            found.append(Letter("statement", _at(draft, first, 5 * 60), subject, body))
            first = previous
    return found


def _alerts(draft: Draft) -> list[Letter]:
    random = draft.random
    since = (draft.today - timedelta(days=80)).isoformat()
    until = draft.today.isoformat()
    purchases = [
        entry
        for entry in draft.entries
        if entry.card is not None and entry.direction == "outgoing" and since <= entry.posted_at < until
    ]
    large = sorted(purchases, key=lambda entry: (-entry.amount, entry.posted_at))[: random.randrange(5, 12)]
    found = [_large_purchase(entry) for entry in large]
    overdrawn = draft.account("overdrawn")
    when = draft.now - timedelta(hours=random.randrange(2, 60))
    body = (
        f"The balance of {overdrawn.nickname} is {dollars(overdrawn.balance):,.2f} dollars; the overdraft limit is "
        f"{dollars(overdrawn.overdraft_limit):,.2f}."
    )
    found.append(Letter("alert", when, f"{overdrawn.nickname} is overdrawn", body))
    return found


def _large_purchase(entry: Entry) -> Letter:
    assert entry.card is not None
    posted = datetime.fromisoformat(entry.posted_at)
    when = f"{posted.day} {posted:%B} at {posted:%H:%M}"
    body = (
        f"{dollars(entry.amount):,.2f} dollars were charged by {entry.merchant} to your {entry.card.label} card. "
        "If this was not you, lock the card and open a dispute."
    )
    return Letter("alert", posted, f"Large purchase at {entry.merchant}, {when}", body)


def _notices(draft: Draft) -> list[Letter]:
    random = draft.random
    found = []
    for subject, body in random.sample(NOTICES, random.randrange(4, len(NOTICES) + 1)):
        found.append(Letter("notice", _some_time(draft, 1, 170), subject, body))
    frozen, closed = draft.account("frozen").nickname, draft.account("closed").nickname
    blocked = next(payee for payee in draft.payees if payee.role == "blocked").name
    expired = next(card for card in draft.cards if card.role == "expired")
    found += [
        Letter(
            "notice",
            _some_time(draft, 3, 10),
            f"{frozen} is frozen",
            f"{frozen} takes money in but sends none until you have visited a branch with an identity card.",
        ),
        Letter("notice", _some_time(draft, 90, 110), f"{closed} is closed", f"{closed} was closed as you asked."),
        Letter(
            "notice",
            _some_time(draft, 3, BLOCKED_FOR),
            f"Payments to {blocked} are blocked",
            f"We have blocked payments to {blocked}, because others have reported this payee.",
        ),
        Letter(
            "notice",
            _at(draft, expired.expires_on, 8 * 60),
            f"Your {expired.label} card has expired",
            f"Your {expired.label} card was valid until {expired.expires_on.isoformat()}.",
        ),
    ]
    return found
