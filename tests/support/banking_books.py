"""The books of a banking session, read from its store and not through its tools."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

from proverl.servers import load
from proverl.world.session import LocalSession

Row = dict[str, Any]


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


@dataclass(frozen=True)
class Books:
    """All rows of a banking world as they are in its store, each a dictionary; the checks below are plain Python."""

    seed: int
    accounts: dict[str, Row]
    cards: dict[str, Row]
    payees: dict[str, Row]
    transactions: list[Row]
    schedules: list[Row]
    disputes: list[Row]
    messages: list[Row]
    codes: list[Row]
    today: date

    def outgoing(self, **equal: Any) -> list[Row]:
        """Outgoing transactions with these values, in order of time."""
        return [
            row
            for row in self.transactions
            if row["direction"] == "outgoing" and all(row[name] == value for name, value in equal.items())
        ]

    def message(self, subject: str) -> Row:
        """The one message with this subject."""
        (found,) = [row for row in self.messages if row["subject"] == subject]
        return found

    def paid_back_at(self, transaction: Row) -> str:
        """When a reversed purchase was paid back."""
        body = f"{transaction['amount'] / 100:,.2f} dollars that {transaction['merchant']} charged on "
        (found,) = [row for row in self.messages if body + transaction["posted_at"][:10] in row["body"]]
        return str(found["sent_at"])

    def movements(self, account_id: str) -> list[tuple[str, int, Row]]:
        """What an account could spend changed by: moment, cents, transaction.

        A pending payment counts from the start, for its amount is held back; a reversed one until it was paid back.
        """
        found = []
        for row in self.transactions:
            if row["account_id"] == account_id:
                found.append(
                    (row["posted_at"], row["amount"] if row["direction"] == "incoming" else -row["amount"], row)
                )
                if row["status"] == "reversed":
                    found.append((self.paid_back_at(row), row["amount"], row))
        return sorted(found, key=lambda move: (move[0], move[2]["transaction_id"]))

    def was_booked(self, row: Row, until: str) -> bool:
        """Whether a transaction made before a day moved the balance by then."""
        if row["status"] == "reversed":
            return self.paid_back_at(row) >= until
        if row["payee_id"] and row["status"] == "posted":
            return arrival(at(row["posted_at"])).isoformat() < until
        return bool(row["status"] != "pending")

    def is_new(self, payment: Row) -> bool:
        """Whether a payee was paid in the first 24 hours."""
        return at(payment["posted_at"]) < at(self.payees[payment["payee_id"]]["added_at"]) + timedelta(hours=24)

    def charged_twice(self) -> list[list[Row]]:
        """Equal purchases of one day with one card."""
        found: dict[tuple[Any, ...], list[Row]] = {}
        for row in self.outgoing():
            if row["card_id"]:
                key = (row["merchant"], row["amount"], row["card_id"], row["posted_at"][:10])
                found.setdefault(key, []).append(row)
        return [rows for rows in found.values() if len(rows) > 1]


@cache
def books(seed: int) -> Books:
    """The books of a world as it opens."""
    session = LocalSession(load("banking"), seed)

    def table(name: str) -> list[Row]:
        columns = [row[1] for row in sql(session, f"PRAGMA table_info({name})")]
        return [dict(zip(columns, row, strict=True)) for row in sql(session, f"SELECT * FROM {name} ORDER BY 1")]

    def by_id(name: str) -> dict[str, Row]:
        return {next(iter(row.values())): row for row in table(name)}

    return Books(
        seed,
        by_id("account"),
        by_id("card"),
        by_id("payee"),
        sorted(table("bank_transaction"), key=lambda row: (row["posted_at"], row["transaction_id"])),
        table("scheduled_payment"),
        table("dispute"),
        table("bank_message"),
        table("one_time_code"),
        today(session),
    )


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def arrival(moment: datetime) -> date:
    """A payment before 16:00 on a day from Monday to Friday arrives that day, any other on the next such day."""
    day = moment.date()
    if day.weekday() < 5 and moment.hour < 16:
        return day
    day += timedelta(days=1)
    while day.weekday() >= 5:
        day += timedelta(days=1)
    return day


def same_day_of_month(day: date, due: date) -> bool:
    """The same day, or the last one of a month that is shorter."""
    return day.day == due.day or (day.day < due.day and (day + timedelta(days=1)).day == 1)
