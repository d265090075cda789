"""The app's rules that several tools share: finding what an id means, searching by part of a name, discounts, paying.

Covers: checks, which refuse with the code that the tools list and change nothing, and the wallet. Does not cover: what
an order, a basket or a promo code is at a moment, which the views of schema.sql work out.
"""

from __future__ import annotations

from collections.abc import Iterator

from proverl.world.domain import Condition, Row, World, dollars, refuse

from .results import BASKET, PayWith

PAGE = 20
CASH_LIMIT = 60_00


def find_basket(world: World, basket_id: str) -> Row:
    """The open basket with this id; refuses basket_not_found, for one that has been ordered too."""
    basket = world.find(BASKET, basket_id)
    return basket if basket["state"] == "open" else world.absent(BASKET, basket_id)


def find_ride(world: World, address: Row, restaurant_id: str) -> Row:
    """A restaurant, and how far it is to an address."""
    sql = "SELECT * FROM ride WHERE dropoff_address_id = ? AND restaurant_id = ?"
    ride = world.one(sql, address["dropoff_address_id"], restaurant_id)
    assert ride is not None
    return ride


def clock(world: World) -> int:
    """The virtual time as rows keep it, in seconds."""
    return int(world.value("SELECT now FROM world_clock WHERE clock_id = 1"))


def part(column: str, text: str | None) -> Iterator[Condition]:
    """The condition that a column of folded text holds a text, as a whole and in any case."""
    if text is not None:
        yield f"instr({column}, ?)", text.strip().casefold()


def trimmed(text: str | None) -> str | None:
    """A text without blanks around it; None for nothing but blanks."""
    return (text or "").strip() or None


# Money


def discount_on(world: World, basket: Row) -> int:
    """What the code on a basket takes off now, in cents; 0 without a code, or with one that has lapsed."""
    sql = "SELECT discount FROM promo_on_basket WHERE basket_id = ? AND code = ? AND usable"
    return int(world.value(sql, basket["basket_id"], basket["promo_code"]) or 0)


def wallet(world: World) -> int:
    """What the app wallet holds, in cents."""
    return int(world.value("SELECT wallet_cents FROM account WHERE account_id = 1"))


def pay(world: World, pay_with: PayWith, amount: int) -> None:
    """Take cents from where an order is paid, or give them back there; the app keeps the wallet's balance only."""
    if pay_with == "wallet":
        world.run("UPDATE account SET wallet_cents = wallet_cents - ? WHERE account_id = 1", amount)


def check_payment(world: World, pay_with: PayWith, total: int, due: int) -> None:
    """Refuse payment_not_possible: an order of `total` cents, of which `due` are to be paid now."""
    if pay_with == "cash" and total > CASH_LIMIT:
        limit = f"cash is possible up to {dollars(CASH_LIMIT)} USD, the total would be {dollars(total)}"
        refuse("payment_not_possible", f"{limit}; give a lower tip, or pay with card or wallet when ordering")
    held = wallet(world)
    if pay_with == "wallet" and due > held:
        short = f"the wallet holds {dollars(held)} USD, less than the {dollars(due)} to pay"
        refuse("payment_not_possible", f"{short}; give a lower tip, or pay with card or cash when ordering")
