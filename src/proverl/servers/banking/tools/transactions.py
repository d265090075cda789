"""Transactions: searching them, and disputing a card purchase."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from ....world.server import FREE, Field, Refused, World, tool
from ....world.state import Row
from ....world.values import day, dollars, iso, parse_date
from ..ledger import book
from ..results import (
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
from ..rules import business_days_after, card_status, find_account, find_card

DISPUTE_WINDOW = timedelta(days=60)
CREDITED_AT_ONCE = 25_00
DECISION_BUSINESS_DAYS = 10
COLUMNS = "transaction_id, account_id, card_id, posted_at, merchant, amount, direction, category, memo, status"


@tool("read", refusals=["account_not_found", "card_not_found", "invalid_date_range"])
def search_bank_transactions(
    world: World,
    account_id: AccountId | None = None,
    card_id: CardId | None = None,
    text: Annotated[str | None, Field(min_length=2, max_length=60)] = None,
    direction: Direction | None = None,
    status: TransactionStatus | None = None,
    date_from: str | None = None,
    date_to: str | None = None,
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
    if account_id is not None:
        find_account(world, account_id)
    if card_id is not None:
        find_card(world, card_id)
    first, last = _range(date_from, date_to)
    filters: list[tuple[str, Any]] = [
        ("account_id = ?", account_id),
        ("card_id = ?", card_id),
        ("direction = ?", direction),
        ("status = ?", status),
        ("posted_at >= ?", first),
        ("posted_at < ?", last),
    ]
    filters += [("instr(searched, ?)", word) for word in (text or "").casefold().split()]
    given = [(condition, value) for condition, value in filters if value is not None]
    where = "WHERE " + " AND ".join(condition for condition, _ in given) if given else ""
    values = [value for _, value in given]
    start = (page - 1) * limit
    count = world.value(f"SELECT count(*) FROM bank_transaction {where}", *values)  # noqa: S608 - conditions from above
    found = world.all(
        f"SELECT {COLUMNS} FROM bank_transaction {where}"  # noqa: S608
        " ORDER BY posted_at DESC, transaction_id DESC LIMIT ? OFFSET ?",
        *values,
        limit,
        start,
    )
    more = start + limit < count
    return {
        "count": count,
        "next_page": page + 1 if more else None,
        "transactions": [_row(transaction) for transaction in found],
    }


def _range(date_from: str | None, date_to: str | None) -> tuple[str | None, str | None]:
    """The stored times from and before which transactions of the days lie."""
    code = "invalid_date_range"
    first = None if date_from is None else parse_date(date_from, "date_from", code)
    last = None if date_to is None else parse_date(date_to, "date_to", code)
    if first is not None and last is not None and last < first:
        raise Refused(code, f"date_to {date_to!r} lies before date_from {date_from!r}; swap them")
    return None if first is None else day(first), None if last is None else f"{day(last)}T24"


def _row(transaction: Row) -> TransactionRow:
    return {
        "transaction_id": transaction["transaction_id"],
        "account_id": transaction["account_id"],
        "card_id": transaction["card_id"],
        "posted_on": transaction["posted_at"][:10],
        "merchant": transaction["merchant"],
        "amount": dollars(transaction["amount"]),
        "direction": transaction["direction"],
        "category": transaction["category"],
        "memo": transaction["memo"],
        "status": transaction["status"],
    }


@tool(
    "write",
    refusals=[
        "transaction_not_found",
        "transaction_pending",
        "not_a_card_transaction",
        "already_disputed",
        "dispute_window_closed",
    ],
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
    transaction = _disputable(world, transaction_id)
    card_id, amount = transaction["card_id"], transaction["amount"]
    locks = reason == "unrecognized"
    credit = amount if amount <= CREDITED_AT_ONCE else 0
    decision = day(business_days_after(world.now.date(), DECISION_BUSINESS_DAYS))
    dispute_id = world.new_id("dsp")
    world.insert(
        "dispute",
        dispute_id=dispute_id,
        transaction_id=transaction_id,
        reason=reason,
        details=details,
        status="open",
        provisional_credit=credit,
        locked_card_id=card_id if locks else None,
        opened_at=iso(world.now),
        decision_by=decision,
    )
    world.update("bank_transaction", transaction_id, status="disputed")
    if locks:
        world.update("card", card_id, locked=1)
    if credit:
        merchant = f"Provisional credit for {transaction['merchant']}"
        book(world, transaction["account_id"], "incoming", credit, merchant, category=transaction["category"])
    return {
        "dispute_id": dispute_id,
        "transaction_id": transaction_id,
        "status": "open",
        "provisional_credit": dollars(credit),
        "card_status": card_status(world, card_id),
        "decision_by": decision,
    }


def _disputable(world: World, transaction_id: str) -> Row:
    """The transaction, if it can be disputed."""
    found = world.one("SELECT * FROM bank_transaction WHERE transaction_id = ?", transaction_id)
    if found is None:
        raise Refused(
            "transaction_not_found", f"no transaction {transaction_id!r}; search_bank_transactions shows the ids"
        )
    merchant = found["merchant"]
    if found["status"] == "pending":
        raise Refused("transaction_pending", f"{merchant} is still pending; dispute it once it is posted")
    if found["card_id"] is None or found["direction"] == "incoming":
        what = "no card transaction" if found["card_id"] is None else "money that came in"
        raise Refused("not_a_card_transaction", f"{merchant} is {what}; only card purchases can be disputed")
    if found["status"] == "disputed":
        raise Refused("already_disputed", f"the purchase at {merchant} is already disputed; wait for the decision")
    if found["status"] == "reversed":
        raise Refused("already_disputed", f"the purchase at {merchant} was disputed and has been paid back")
    oldest: date = world.now.date() - DISPUTE_WINDOW
    if found["posted_at"] < day(oldest):
        raise Refused(
            "dispute_window_closed",
            f"the purchase of {found['posted_at'][:10]} is more than 60 days old; only purchases from {day(oldest)} "
            "on can be disputed",
        )
    return found
