"""The books of a banking session, read from its store and not through its tools."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from proverl.world.session import LocalSession


def sql(session: LocalSession, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Rows of the session's store, behind the tools' back."""
    return session.store.connection().execute(query, values).fetchall()


def today(session: LocalSession) -> date:
    (seconds,) = sql(session, "SELECT now FROM world_clock")[0]
    return (datetime(1970, 1, 1) + timedelta(seconds=seconds)).date()


def broken_books(session: LocalSession) -> list[str]:
    """What is wrong with the books: balances, legs, limits."""
    found = []
    signed = "CASE direction WHEN 'incoming' THEN amount ELSE -amount END"
    settled = "status IN ('posted', 'disputed')"
    for account_id, kind, balance, opening, overdraft, limit in sql(
        session, "SELECT account_id, kind, balance, opening_balance, overdraft_limit, daily_limit FROM account"
    ):
        moved = sql(
            session,
            f"SELECT coalesce(sum({signed}), 0) FROM bank_transaction WHERE {settled} AND account_id = ?",
            account_id,
        )[0][0]
        if balance != opening + moved:
            found.append(f"{account_id}: balance {balance}, booked {opening + moved}")
        if balance < (0 if kind == "savings" else -overdraft):
            found.append(f"{account_id}: {kind} at {balance}")
        if kind != "credit":
            sent = sql(
                session,
                "SELECT coalesce(sum(amount), 0) FROM bank_transaction WHERE account_id = ? AND direction = 'outgoing'"
                " AND card_id IS NULL AND category = 'transfer' AND substr(posted_at, 1, 10) = ?",
                account_id,
                today(session).isoformat(),
            )[0][0]
            if sent > limit:
                found.append(f"{account_id}: sent {sent} today, limit {limit}")
    for account_id, month, number in sql(
        session,
        "SELECT account_id, substr(posted_at, 1, 7), count(*) FROM bank_transaction JOIN account USING (account_id)"
        " WHERE kind = 'savings' AND direction = 'outgoing' GROUP BY 1, 2",
    ):
        if number > 6:
            found.append(f"{account_id}: {number} withdrawals in {month}")
    own = sql(session, f"SELECT sum({signed}), count(*) FROM bank_transaction WHERE other_account_id IS NOT NULL")[0]
    if own[0] or own[1] % 2:
        found.append(f"transfers between own accounts add up to {own}")
    return found
