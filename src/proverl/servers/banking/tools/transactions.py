"""Transactions: searching them, and disputing a card purchase."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from proverl.world.domain import FREE, Day, Field, Row, World, check_period, day, refuse, tool, words

from ..ledger import book
from ..results import (
    ACCOUNT,
    CARD,
    DISPUTE,
    TRANSACTION,
    AccountId,
    CardId,
    Direction,
    Disputed,
    DisputeReason,
    TransactionId,
    TransactionPage,
    TransactionRow,
    TransactionStatus,
)
from ..rules import business_days_after

DISPUTE_WINDOW = timedelta(days=60)
CREDITED_AT_ONCE = 25_00
DECISION_BUSINESS_DAYS = 10


@tool("read", refusals="account_not_found card_not_found invalid_date_range")
def search_bank_transactions(
    world: World,
    account_id: AccountId | None = None,
    card_id: CardId | None = None,
    text: Annotated[str | None, Field(min_length=2, max_length=60, pattern=r"\S")] = None,
    direction: Direction | None = None,
    status: TransactionStatus | None = None,
    date_from: Day | None = None,
    date_to: Day | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
    page: Annotated[int, Field(ge=1)] = 1,
) -> TransactionPage:
    """Search transactions, newest first, by account, card, words in the merchant or memo, dates, direction and
    status. Returns up to `limit` rows and a next_page number when there are more.

    Args:
        account_id: only this account
        card_id: only transactions made with this card
        text: words in the merchant name or memo, case-insensitive, 2 to 60 characters
        direction: incoming or outgoing money
        status: pending, posted, disputed or reversed
        date_from: first day, YYYY-MM-DD
        date_to: last day, YYYY-MM-DD
        limit: rows per page, 1 to 50, default 20
        page: page number from 1
    """
    world.find(ACCOUNT, account_id)
    world.find(CARD, card_id)
    check_period(date_from, date_to, "invalid_date_range")
    period = [("posted_on >= ?", date_from), ("posted_on <= ?", date_to)]
    equal = {"account_id": account_id, "card_id": card_id, "direction": direction, "status": status}
    found = world.page(TransactionRow, TRANSACTION, page, limit, *period, *words("searched", text), **equal)
    return {"count": found.count, "next_page": found.next_page, "transactions": found.rows}


@tool(
    "write",
    refusals="transaction_not_found transaction_pending not_a_card_transaction already_disputed dispute_window_closed",
    idempotent=True,
)
def dispute_bank_transaction(
    world: World,
    transaction_id: TransactionId,
    reason: DisputeReason,
    details: Annotated[str | None, Field(max_length=300), FREE] = None,
) -> Disputed:
    """Open a dispute on a posted card purchase of the last 60 days. Reason unrecognized also locks the card, which
    then stays locked. Up to 25.00 dollars are credited at once. Returns the dispute, any credit given in advance, and
    the day by which the bank decides.

    Args:
        transaction_id: id of the transaction
        reason: unrecognized, duplicate, overcharged or undelivered
        details: what happened, up to 300 characters
    """
    transaction = find_disputable(world, transaction_id)
    card_id, amount = transaction["card_id"], transaction["amount"]
    locks = reason == "unrecognized"
    credit = amount if amount <= CREDITED_AT_ONCE else 0
    decision = day(business_days_after(world.now.date(), DECISION_BUSINESS_DAYS))
    dispute_id = world.add(
        DISPUTE,
        transaction_id=transaction_id,
        reason=reason,
        details=details,
        status="open",
        provisional_credit=credit,
        locked_card_id=card_id if locks else None,
        opened_at=world.moment,
        decision_by=decision,
    )
    world.update(TRANSACTION, transaction_id, status="disputed")
    if locks:
        world.update(CARD, card_id, locked=1)
    if credit:
        merchant = f"Provisional credit for {transaction['merchant']}"
        book(world, transaction["account_id"], "incoming", credit, merchant, transaction["category"])
    return {
        "dispute_id": dispute_id,
        "transaction_id": transaction_id,
        "status": "open",
        "provisional_credit": credit,
        "card_status": world.find(CARD, card_id)["status"],
        "decision_by": decision,
    }


def find_disputable(world: World, transaction_id: str) -> Row:
    """The transaction, if it can be disputed; refuses all that dispute_bank_transaction lists."""
    found = world.find(TRANSACTION, transaction_id)
    merchant, status = found["merchant"], found["status"]
    if status == "pending":
        refuse("transaction_pending", f"{merchant} is still pending; dispute it once it is posted")
    if found["card_id"] is None or found["direction"] == "incoming":
        what = "no card transaction" if found["card_id"] is None else "money that came in"
        refuse("not_a_card_transaction", f"{merchant} is {what}; only card purchases can be disputed")
    if status in ("disputed", "reversed"):
        how = "is already disputed; wait for the decision" if status == "disputed" else "was disputed and paid back"
        refuse("already_disputed", f"the purchase at {merchant} {how}")
    oldest = day(world.now.date() - DISPUTE_WINDOW)
    if found["posted_on"] < oldest:
        when = f"the purchase of {found['posted_on']} is more than {DISPUTE_WINDOW.days} days old"
        refuse("dispute_window_closed", f"{when}; only purchases from {oldest} on can be disputed")
    return found
