"""Cards: listing them, locking and unlocking one, changing its spending limit."""

from __future__ import annotations

from typing import Annotated, Literal

from ....world.server import SECRET, Field, Refused, World, tool
from ....world.state import Row
from ....world.values import cents, day, dollars, iso
from ..codes import check_code, use_code
from ..results import AccountId, CardId, CardLimitChange, CardList, CardLockChange, CardRow, CardStatus
from ..rules import CARDS, check_pin, find_account, find_card


@tool("read", refusals=["account_not_found"])
def list_bank_cards(world: World, account_id: AccountId | None = None, status: CardStatus | None = None) -> CardList:
    """List debit and credit cards with label, last four digits, linked account, daily spending limit, expiry and
    status. Returns every match, no paging.

    Args:
        account_id: only cards linked to this account
        status: active, locked or expired
    """
    if account_id is not None:
        find_account(world, account_id)
    found = world.all(
        f"SELECT * FROM ({CARDS}) WHERE account_id = coalesce(?, account_id) AND status = coalesce(?, status)"  # noqa: S608
        " ORDER BY label",
        day(world.now),
        account_id,
        status,
    )
    return {"count": len(found), "cards": [_row(card) for card in found]}


def _row(card: Row) -> CardRow:
    return {
        "card_id": card["card_id"],
        "label": card["label"],
        "kind": card["kind"],
        "last4": card["last4"],
        "account_id": card["account_id"],
        "daily_spend_limit": dollars(card["daily_spend_limit"]),
        "expires_on": card["expires_on"],
        "status": card["status"],
    }


@tool(
    "write",
    refusals=["card_not_found", "card_expired", "already_in_state", "pin_required", "wrong_pin", "locked_by_dispute"],
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
    card = _valid_card(world, card_id)
    if card["status"] == state:
        raise Refused("already_in_state", f"the {card['label']} card is already {state}; nothing is left to do")
    if state == "active":
        if pin is None:
            raise Refused("pin_required", f"the PIN is needed to make {card['label']} active; ask the customer for it")
        check_pin(world, pin)
        if world.value("SELECT count(*) FROM dispute WHERE locked_card_id = ? AND status = 'open'", card_id):
            raise Refused(
                "locked_by_dispute",
                f"the {card['label']} card stays locked because a charge on it was disputed as unrecognized; "
                "use another card",
            )
    world.update("card", card_id, locked=int(state == "locked"))
    return {"card_id": card_id, "label": card["label"], "status": state, "changed_at": iso(world.now)}


@tool(
    "write",
    refusals=["card_not_found", "card_expired", "limit_unchanged", "code_required", "wrong_code", "code_expired"],
    after=["request_one_time_code"],
    idempotent=True,
)
def set_card_spending_limit(
    world: World,
    card_id: CardId,
    daily_limit: Annotated[float, Field(ge=50, le=10000, multiple_of=10)],
    one_time_code: Annotated[str | None, SECRET] = None,
) -> CardLimitChange:
    """Change a card's daily spending limit in dollars. Raising it needs a one-time code for purpose limit; lowering it
    neither needs nor uses one.

    Args:
        card_id: id of the card
        daily_limit: new limit per day in dollars, 50 to 10000, a multiple of 10
        one_time_code: six-digit code for purpose limit; required when the limit goes up
    """
    card = _valid_card(world, card_id)
    old, new = card["daily_spend_limit"], cents(daily_limit, "daily_limit")
    if new == old:
        raise Refused(
            "limit_unchanged", f"the daily limit of {card['label']} is {dollars(old):.2f} already; choose another one"
        )
    if new > old:
        if one_time_code is None:
            raise Refused(
                "code_required",
                f"raising the limit of {card['label']} from {dollars(old):.2f} needs a code; send one with "
                "request_one_time_code (purpose limit) and read it with list_bank_messages",
            )
        use_code(world, check_code(world, "limit", one_time_code))
    world.update("card", card_id, daily_spend_limit=new)
    return {"card_id": card_id, "label": card["label"], "old_limit": dollars(old), "new_limit": dollars(new)}


def _valid_card(world: World, card_id: str) -> Row:
    """The card, if it can still be changed."""
    card = find_card(world, card_id)
    if card["status"] == "expired":
        raise Refused(
            "card_expired", f"the {card['label']} card expired on {card['expires_on']}; choose a card that is valid"
        )
    return card
