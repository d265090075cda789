"""The secure inbox of a banking world: statements, notices, codes, and what comes with an event.

Covers: letters written in the moment of what they tell of, from the rows as they are then, so that what they say is
true; one-time codes that are sent, and used or not, by the functions of the tools. Does not cover: when an event
writes its letter (the other parts).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from proverl.world.domain import Builder, Entity, days, iso

from ..results import ACCOUNT, MESSAGE, TRANSACTION, Purpose
from ..tools.inbox import request_one_time_code
from .names import words
from .rows import Life

STATEMENTS = 5
QUIET_DAYS = 4
"""In these last days only large payments and the newest payee have codes, so that this payee gets one for sure."""
MANY_CODES_CHANCE = 0.15
PURPOSES: tuple[Purpose, ...] = ("payee", "payment", "limit")


def send(world: Builder, letter: str, /, **said: Any) -> None:
    """Write one of the letters of names.toml, whose integers are cents, or a notice with this subject."""
    now = world.now
    kind, subject, body = words("letters").get(letter) or ("notice", letter, words("notices")[letter])
    said = {name: f"{value / 100:,.2f}" if isinstance(value, int) else value for name, value in said.items()}
    subject = subject.format(**said, when=f"{now.day} {now:%B} at {now:%H:%M}")
    world.add(MESSAGE, kind=kind, subject=subject, body=body.format(**said), sent_at=iso(now), unread=1)


def change(world: Builder, entity: Entity, key: str, columns: dict[str, Any], letter: str = "") -> None:
    """Change a row, and write the letter that tells of it, if any."""
    world.update(entity, key, **columns)
    if letter:
        send(world, letter, **world.find(entity, key))


def with_code(life: Life, moment: datetime, purpose: Purpose, deed: Callable[[str], object]) -> None:
    """Plan that a code is sent, and that `deed` follows some minutes later with that code."""

    def ask(world: Builder) -> None:
        request_one_time_code(world, purpose)
        code = world.value("SELECT code FROM one_time_code ORDER BY rowid DESC LIMIT 1")
        world.plan(world.now + timedelta(seconds=life.random.randrange(60, 400)), lambda _: deed(code))

    life.world.plan(moment, ask)


def plan_letters(life: Life) -> None:
    """Let the bank write statements and notices, and send codes that nobody uses."""
    random, world, notices = life.random, life.world, words("notices")
    first = world.ago(hour=0, minute=5, second=random.randrange(60))
    for _ in range(STATEMENTS):
        first = first.replace(day=1)
        world.plan(first, _write_statements, life.accounts["main"], life.accounts["credit"])
        first -= days(1)
    for subject in random.sample(list(notices), random.randrange(4, len(notices) + 1)):
        world.plan(life.at(random.randrange(1, 170)), send, subject)
    for purpose in random.choices(PURPOSES, k=random.randrange(2, 5)):
        world.plan(life.at(random.randrange(QUIET_DAYS, 25)), request_one_time_code, purpose)
    if random.random() < MANY_CODES_CHANCE:
        newest = max(payee.added_at for payee in life.payees) + timedelta(minutes=8)
        for purpose in random.sample(PURPOSES, random.randrange(2, 4)):
            ago = random.randrange(700, min(round((world.opening - newest).total_seconds()), 36_000))
            world.plan(world.opening - timedelta(seconds=ago), request_one_time_code, purpose)


def _write_statements(world: Builder, *account_ids: str) -> None:
    """Written on the first of a month, before anything else happens."""
    month = world.now - days(1)
    for account_id in account_ids:
        within = ("posted_on >= ?", f"{month:%Y-%m}-01")
        count = world.count(TRANSACTION, within, "status IN ('posted', 'disputed')", account_id=account_id)
        said = {"month": f"{month:%B} {month.year}", "count": str(count)}
        send(world, "statement", **world.find(ACCOUNT, account_id), **said)


def read_messages(life: Life) -> None:
    """The customer has read what is older than six days, some of the rest, and every code that was used."""
    world, since = life.world, iso(life.world.opening - days(6))
    for row in world.all(
        "SELECT m.message_id, m.sent_at, c.used FROM bank_message m LEFT JOIN one_time_code c USING (message_id)"
        " ORDER BY message_id"
    ):
        if row["used"] or row["sent_at"] < since or life.random.random() < 0.3:
            world.update(MESSAGE, row["message_id"], unread=0)
