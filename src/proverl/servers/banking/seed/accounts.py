"""Accounts and cards of a banking world, and what is done to them: frozen, closed, locked, a limit raised.

Covers: the rows as they are before the first transaction, and plans that are not about money alone. Does not cover:
what the accounts are used for (flows.py, purchases.py, payments.py).
"""

from __future__ import annotations

from calendar import monthrange
from functools import partial

from proverl.world.domain import Builder, day, days

from ..ledger import balance
from ..results import ACCOUNT, CARD
from ..tools.accounts import transfer_between_accounts
from ..tools.cards import set_card_spending_limit
from .inbox import QUIET_DAYS, change, send, with_code
from .names import draw_nicknames, words
from .rows import Life


def open_accounts(life: Life) -> None:
    """Store the accounts, all open, with their opening balances."""
    random, drawn = life.random, words("accounts")
    *always, _, _, _ = drawn
    roles = always + random.sample([role for role in drawn if role not in always], random.randrange(4))
    kinds = {role: random.choice(drawn[role]["kinds"]) for role in random.sample(roles, len(roles))}
    nicknames = draw_nicknames(random, kinds)
    for role, kind in kinds.items():
        opening = random.randrange(*(hundreds * 100_00 for hundreds in drawn[role]["opening"]))
        overdraft, limit = (random.randrange(*drawn[role][name]) * 100_00 for name in ("overdraft", "limit"))
        names = {"nickname": nicknames[role], "kind": kind, "masked_number": f"****{life.digits(8)[-4:]}"}
        money = {"balance": opening, "opening_balance": opening, "overdraft_limit": overdraft, "daily_limit": limit}
        opened_on = day(life.today - days(random.randrange(400, 4500)))
        life.accounts[role] = life.world.add(ACCOUNT, **names, **money, opened_on=opened_on, status="open")


def issue_cards(life: Life) -> None:
    """Store the cards, none locked, and plan that one will be and that another expires."""
    random, world, twin = life.random, life.world, life.random.choice(words("twin_cards"))
    cards = [(role, card) for role, card in words("cards").items() if card["account"] in life.accounts]
    for role, card in random.sample(cards, len(cards)):
        label, account = random.choice(card["labels"]).format(twin=twin), card["account"]
        ahead, unused, limit = (random.randrange(*card[name]) for name in ("expires", "unused", "limit"))
        month = life.today + days(ahead)
        expires = month.replace(day=monthrange(month.year, month.month)[1])
        unused = max(unused, (life.today - expires).days)
        columns = {"label": label, "kind": "credit" if account in ("credit", "spare") else "debit", "locked": 0}
        columns |= {"last4": life.digits(8)[-4:], "daily_spend_limit": limit * 10_00, "expires_on": day(expires)}
        card_id = world.add(CARD, account_id=life.accounts[account], **columns)
        life.cards[card_id] = unused
        if role in ("debit", "credit"):
            life.twins.append(card_id)
        elif role == "locked":
            world.plan(life.at(unused - 1, 1, 6), change, CARD, card_id, {"locked": 1}, "locked")
        elif role == "expired":
            world.plan(life.at(unused - 1, 8, 8), send, "expired", label=label, expires_on=day(expires))


def plan_changes(life: Life) -> None:
    """Let an account be closed and another be frozen, and the limits of some cards be raised."""
    random, world = life.random, life.world
    world.plan(life.at(random.randrange(90, 110)), _close, life)
    frozen = life.accounts["frozen"]
    world.plan(life.at(random.randrange(3, 11)), change, ACCOUNT, frozen, {"status": "frozen"}, "frozen")
    for card_id in random.sample(life.twins, random.randrange(3)):
        with_code(life, life.at(random.randrange(QUIET_DAYS, 60)), "limit", partial(_raise_limit, life, card_id))


def _close(world: Builder, life: Life) -> None:
    closed = life.accounts["closed"]
    transfer_between_accounts(world, closed, life.accounts["main"], balance(world, closed), life.pin)
    change(world, ACCOUNT, closed, {"status": "closed"}, "closed")


def _raise_limit(life: Life, card_id: str, code: str) -> None:
    old = life.world.find(CARD, card_id)["daily_spend_limit"]
    set_card_spending_limit(life.world, card_id, old + life.random.randrange(5, 30) * 10_00, code)
