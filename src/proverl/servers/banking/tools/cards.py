"""Cards: listing them, locking and unlocking one, changing its spending limit."""

from __future__ import annotations

from typing import Annotated, Literal

from proverl.world.domain import SECRET, Field, Money, Row, World, dollars, refuse, tool

from ..one_time_codes import check_code, use_code
from ..results import ACCOUNT, CARD, AccountId, CardId, CardLimitChange, CardList, CardLockChange, CardRow, CardStatus
from ..rules import check_pin


@tool("read", refusals="account_not_found")
def list_bank_cards(world: World, account_id: AccountId | None = None, status: CardStatus | None = None) -> CardList:
    """List debit and credit cards with label, last four digits, linked account, daily spending limit, expiry and
    status. Returns every match, no paging.

    Args:
        account_id: only cards linked to this account
        status: active, locked or expired
    """
    world.find(ACCOUNT, account_id)
    found = world.rows(CardRow, CARD, account_id=account_id, status=status)
    return {"count": len(found), "cards": found}


@tool(
    "write",
    refusals="card_not_found card_expired already_in_state pin_required wrong_pin locked_by_dispute",
    idempotent=True,
)
def set_card_lock(
    world: World, card_id: CardId, state: Literal["locked", "active"], pin: Annotated[str | None, SECRET] = None
) -> CardLockChange:
    """Lock a card at once or make a locked card active again. Making it active needs the PIN; an expired card cannot
    be changed, and a card locked by a dispute stays locked.

    Args:
        card_id: id of the card
        state: locked or active
        pin: the customer's four-digit PIN; required for active
    """
    card = find_valid_card(world, card_id)
    label = card["label"]
    if card["status"] == state:
        refuse("already_in_state", f"the {label} card is already {state}; nothing is left to do")
    if state == "active":
        if pin is None:
            refuse("pin_required", f"the PIN is needed to make {label} active; ask the customer for it")
        check_pin(world, pin)
        if world.value("SELECT count(*) FROM dispute WHERE locked_card_id = ?", card_id):
            why = "a charge on it was disputed as unrecognized"
            refuse("locked_by_dispute", f"the {label} card stays locked because {why}; use another card")
    world.update(CARD, card_id, locked=int(state == "locked"))
    return {"card_id": card_id, "label": label, "status": state, "changed_at": world.moment}


@tool(
    "write",
    refusals="card_not_found card_expired limit_unchanged code_required wrong_code code_expired",
    after="request_one_time_code",
    idempotent=True,
)
def set_card_spending_limit(
    world: World,
    card_id: CardId,
    daily_limit: Annotated[Money, Field(ge=50, le=10000, multiple_of=10)],
    one_time_code: Annotated[str | None, SECRET] = None,
) -> CardLimitChange:
    """Change a card's daily spending limit in dollars. Raising it needs a one-time code for purpose limit; lowering it
    neither needs nor uses one.

    Args:
        card_id: id of the card
        daily_limit: new limit per day in dollars, 50 to 10000, a multiple of 10
        one_time_code: six-digit code for purpose limit; required when the limit goes up
    """
    card = find_valid_card(world, card_id)
    label, old = card["label"], card["daily_spend_limit"]
    if daily_limit == old:
        refuse("limit_unchanged", f"the daily limit of {label} is {dollars(old)} already; choose another one")
    if daily_limit > old:
        check_code(world, "limit", one_time_code)
        use_code(world, "limit")
    world.update(CARD, card_id, daily_spend_limit=daily_limit)
    return {"card_id": card_id, "label": label, "old_limit": old, "new_limit": daily_limit}


def find_valid_card(world: World, card_id: str) -> Row:
    """The card, if it can still be changed; refuses card_not_found, card_expired."""
    card = world.find(CARD, card_id)
    if card["status"] == "expired":
        label = card["label"]
        refuse("card_expired", f"the {label} card expired on {card['expires_on']}; choose a card that is valid")
    return card
