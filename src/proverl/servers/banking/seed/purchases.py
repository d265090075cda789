"""Card purchases of a banking world.

Covers: the bank's check of a purchase, which no tool makes (a valid card that is not locked, the money, the card's
daily limit), and what follows from some purchases: an alert, a second charge, a refund, a dispute. Does not cover:
other movements of money (flows.py, payments.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from math import inf
from typing import TypeAlias

from proverl.world.domain import Builder, Row, refuse

from ..ledger import book, take_back
from ..results import ACCOUNT, TRANSACTION, DisputeReason
from ..rules import check_funds
from ..tools.cards import find_valid_card
from ..tools.transactions import dispute_bank_transaction
from .inbox import send
from .names import draw_shops
from .rows import DAYS, Life

What: TypeAlias = tuple[int, str, str]
"""Amount in cents, shop, category."""
Sequel: TypeAlias = Callable[[Life, Row], object]
"""What follows from a purchase, called with the fields of its card and its transaction."""
REASONS: tuple[DisputeReason, ...] = ("overcharged", "undelivered")


def plan_purchases(life: Life, brands: Iterator[str]) -> None:
    """Let the cards be used. What a world needs follows from small purchases, the first of their days."""
    random, shops = life.random, draw_shops(brands)

    def plan(
        card: str, moment: datetime, sequel: Sequel | None, least: int, most: float, status: str = "posted"
    ) -> None:
        shop, low, high, category = random.choice([shop for shop in shops if shop[2] > least])
        low = max(low, least)
        usual = low + int((min(high, most) - low) * random.random() ** 2)  # small amounts are likelier
        what = life.apart(shop, usual, moment), shop, category
        life.needs += what[0]
        life.world.plan(moment, buy, life, card, what, sequel, status)

    for card in random.choices(list(life.cards), k=random.randrange(290, 430)):
        plan(card, life.at(random.randint(life.cards[card], DAYS)), None, 0, inf)
    for card in random.choices(life.twins, k=random.randrange(3, 8)):
        plan(card, life.at(random.randrange(2)), None, 0, inf, "pending")
    for ago in random.sample(range(1, 80), random.randrange(5, 12)):
        plan(random.choice(life.twins), life.at(ago), _alert, 180_00, inf)
    sequels: list[tuple[Sequel, int, int, int]] = [
        (_charge_again, random.randrange(1, 4), 2, 45),
        (_refund, random.randrange(2, 6), 12, 120),
        (_contest, random.randrange(1, 3), 6, 55),
        (_contest_and_win, random.randrange(1, 3), 20, 55),
    ]
    for sequel, number, newest, oldest in sequels:
        for card in random.choices(life.twins, k=number):
            plan(card, life.at(random.randrange(newest, oldest), 6, 6), sequel, 26_00, 150_00)


def buy(world: Builder, life: Life, card_id: str, what: What, sequel: Sequel | None, status: str) -> None:
    """Pay with a card now; refuses card_expired, card_locked, insufficient_funds, card_limit_exceeded."""
    card = find_valid_card(world, card_id)
    if card["locked"]:
        refuse("card_locked", f"the {card['label']} card is locked")
    check_funds(world.find(ACCOUNT, card["account_id"]), what[0])
    spent = world.value(
        "SELECT coalesce(sum(amount), 0) FROM transaction_now"
        " WHERE card_id = ? AND posted_on = ? AND direction = 'outgoing'",
        card_id,
        world.today,
    )
    if spent + what[0] > card["daily_spend_limit"]:
        refuse("card_limit_exceeded", f"{what[0]} is more than the {card['label']} card may still spend today")
    bought = book(world, card["account_id"], "outgoing", *what, status=status, card_id=card_id)
    if sequel is not None:
        sequel(life, {**card, **world.find(TRANSACTION, bought)})


def _later(world: Builder, first: int, last: int) -> datetime:
    """Some moment between two numbers of days from now."""
    return world.now + timedelta(seconds=world.random.randrange(first * 86_400, last * 86_400))


def _alert(life: Life, bought: Row) -> None:
    send(life.world, "purchase", **bought)


def _charge_again(life: Life, bought: Row) -> None:
    soon = life.world.now + timedelta(seconds=life.random.randrange(15, 400))
    what = bought["amount"], bought["merchant"], bought["category"]
    life.world.plan(soon, buy, life, bought["card_id"], what, None, "posted")


def _refund(life: Life, bought: Row) -> None:
    what, later = (bought["merchant"], bought["category"]), _later(life.world, 2, 10)
    amount, links = bought["amount"], {"memo": "refund", "card_id": bought["card_id"]}
    if life.apart(bought["merchant"], amount, later) == amount:
        life.world.plan(later, book, bought["account_id"], "incoming", amount, *what, **links)


def _contest(life: Life, bought: Row) -> None:
    reason = life.random.choice(REASONS)
    life.world.plan(_later(life.world, 1, 5), dispute_bank_transaction, bought["transaction_id"], reason)


def _contest_and_win(life: Life, bought: Row) -> None:
    _contest(life, bought)
    life.world.plan(_later(life.world, 6, 14), _decide, bought)


def _decide(world: Builder, bought: Row) -> None:
    take_back(world, bought["transaction_id"])
    world.run("UPDATE dispute SET status = 'won' WHERE transaction_id = ?", bought["transaction_id"])
    send(world, "won", **bought)
