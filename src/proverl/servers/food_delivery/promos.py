"""Promo codes: what they take off, and whether a basket may use them.

Covers: the rules of every code. Does not cover: putting a code on a basket (tools/baskets.py) or when it is spent
(an order that carries it exists).
"""

from __future__ import annotations

from ...world.server import Refused, World
from ...world.state import Row
from ...world.values import day, dollars

# The condition under which a code p applies to an open basket b on a day; the same rules as `check`.
_USABLE = """
SELECT p.code FROM promo p
WHERE ? BETWEEN p.valid_from AND p.valid_until
  AND p.minimum_cents <= ?
  AND (p.restaurant_id IS NULL OR p.restaurant_id = ?)
  AND NOT EXISTS (SELECT 1 FROM food_order o WHERE o.promo_code = p.code)
  AND NOT (p.first_order AND EXISTS (SELECT 1 FROM food_order o WHERE o.restaurant_id = ? AND NOT o.cancelled))
ORDER BY p.code
"""


def usable(world: World, basket: Row) -> list[str]:
    """The codes that would apply to an open basket as it is."""
    restaurant_id = basket["restaurant_id"]
    found = world.all(_USABLE, day(world.now), basket["items_cents"], restaurant_id, restaurant_id)
    return [row["code"] for row in found]


def check(world: World, promo: Row, basket: Row) -> None:
    """Refuse a code that a basket may not use."""
    code, today = promo["code"], day(world.now)
    if not promo["valid_from"] <= today <= promo["valid_until"]:
        span = f"{promo['valid_from']} to {promo['valid_until']}"
        raise Refused("promo_expired", f"the code {code} is valid from {span}, today is {today}; try another code")
    if world.value("SELECT 1 FROM food_order WHERE promo_code = ?", code):
        raise Refused("promo_already_used", f"the code {code} was used on an order already; a code works once")
    restaurant_id = basket["restaurant_id"]
    if promo["first_order"] and world.value(
        "SELECT 1 FROM food_order WHERE restaurant_id = ? AND NOT cancelled", restaurant_id
    ):
        place = basket["restaurant_name"]
        raise Refused("promo_already_used", f"the code {code} is for a first order only, and {place} has had one")
    if promo["restaurant_id"] not in (None, restaurant_id):
        raise Refused(
            "promo_wrong_restaurant", f"the code {code} is for another restaurant than {basket['restaurant_name']}"
        )
    if basket["items_cents"] < promo["minimum_cents"]:
        least, now = dollars(promo["minimum_cents"]), dollars(basket["items_cents"])
        raise Refused(
            "below_promo_minimum",
            f"the code {code} needs a subtotal of {least:.2f} USD, the basket is at {now:.2f}; add dishes first",
        )


def discount(world: World, basket: Row) -> int:
    """What the code on an open basket takes off now, in cents; 0 without a code, or with one that has lapsed."""
    if basket["promo_code"] is None:
        return 0
    promo = by_code(world, basket["promo_code"])
    if promo is None or not promo["valid_from"] <= day(world.now) <= promo["valid_until"]:
        return 0
    return taken_off(promo, basket["items_cents"])


def taken_off(promo: Row, items_cents: int) -> int:
    """What a code takes off a subtotal, in cents; a percentage is rounded down."""
    return int(promo["off_cents"]) or items_cents * int(promo["percent"]) // 100


def by_code(world: World, code: str) -> Row | None:
    """A promo by its code in any case, None if there is none."""
    return world.one("SELECT * FROM promo WHERE code = ?", code.strip())
