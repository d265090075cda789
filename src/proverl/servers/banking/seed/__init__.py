"""Banking worlds: a seed becomes a customer with accounts, cards, payees, standing payments, a history and an inbox.

The last 180 days are lived, not written: what happens is planned, sorted by time and done by the tools and the
functions under them, so that no world breaks the bank's rules. What the rules refuse (a purchase that the account does
not cover) does not happen.

Every world holds what the domain is about: a frozen and a closed account, a savings account one withdrawal short of
its cap, a checking account inside its overdraft, near-equal nicknames and labels, a blocked and a brand-new payee, a
company with two accounts, a payment due today, codes in the inbox that must not be used again, and one to three
purchases that were charged twice within minutes. What a person calls a row ("my Travel Debit card", "the transaction of
3.80 at Willow Coffee on 4 May") means that row only, the two charges of such a purchase excepted.
"""

from __future__ import annotations

from proverl.world.domain import Builder, iso

from ..rules import NEW_PAYEE_SPAN, SAVINGS_WITHDRAWALS
from .accounts import issue_cards, open_accounts, plan_changes
from .flows import plan_flows, plan_income
from .inbox import plan_letters, read_messages
from .names import data, draw_people, shuffled, words
from .payments import add_payees, plan_payments, plan_schedules
from .purchases import plan_purchases
from .rows import Life


def build(world: Builder) -> None:
    """Make the world of a seed."""
    random = world.random
    brands, people = shuffled(random, words("brands")), draw_people(random)
    life = Life(world, f"{random.randrange(10_000):04d}")
    world.keep_secret("pin", life.pin)
    world.insert("customer", customer_id=1, name=next(people), code_key=f"{random.getrandbits(160):040x}")
    open_accounts(life)
    issue_cards(life)
    plan_changes(life)
    add_payees(life, people, brands)
    plan_schedules(life)
    plan_payments(life)
    plan_purchases(life, brands)
    plan_flows(life)
    plan_income(life, brands)
    plan_letters(life)
    world.happen()
    read_messages(life)
    rules = {"withdrawals": SAVINGS_WITHDRAWALS, "new_since": iso(world.now - NEW_PAYEE_SPAN)}
    promises = {what: query.format(**rules) for what, query in data("promises.toml").items()}
    lacking = [what for what, query in promises.items() if not world.value(query)]
    assert not lacking, f"this world lacks {lacking}"
