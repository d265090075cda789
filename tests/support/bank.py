"""A customer of the banking server, as tests play one: a session, and short ways to ask it.

A method that does not find in the world what it needs raises `NotHere`.
"""

from __future__ import annotations

from typing import Any

from proverl.records import Outcome
from proverl.servers import load
from proverl.world.session import LocalSession

ROUTING = "021000021"
Row = dict[str, Any]


class NotHere(Exception):
    """This world does not hold what is needed."""


class Bank:
    """A session, and short ways to ask it."""

    def __init__(self, seed: int) -> None:
        self.session = LocalSession(load("banking"), seed)
        self.pin = self.session.secrets()["pin"]
        self.wrong_pin = f"{(int(self.pin) + 1) % 10_000:04d}"

    def call(self, tool: str, **arguments: Any) -> Outcome:
        return self.session.call(tool, arguments)

    def done(self, tool: str, **arguments: Any) -> Row:
        """The result of a call that must succeed here."""
        outcome = self.call(tool, **arguments)
        if not outcome.succeeded:
            raise NotHere(outcome.code)
        return outcome.value

    def accounts(self, **filters: str) -> list[Row]:
        return some(self.done("list_bank_accounts", **filters)["accounts"])

    def sender(self) -> Row:
        """The open checking account with the most money."""
        return max(self.accounts(kind="checking", status="open"), key=lambda account: account["available"])

    def payees(self, *, status: str = "active") -> list[Row]:
        return some([row for row in self.done("list_payees")["payees"] if row["status"] == status])

    def old_payee(self) -> str:
        """A payee who has been paid before, so it is no new one in most worlds."""
        return min(self.payees(), key=lambda row: row["added_at"])["payee_id"]

    def schedules(self, status: str) -> list[Row]:
        return some(self.done("list_scheduled_payments", status=status)["scheduled_payments"])

    def cards(self, status: str = "active") -> list[Row]:
        return some(self.done("list_bank_cards", status=status)["cards"])

    def transactions(self, **filters: Any) -> list[Row]:
        return some(self.done("search_bank_transactions", limit=50, **filters)["transactions"])

    def newest_code(self, purpose: str) -> str:
        """The code of the newest message about a purpose, old or new."""
        words = {"payee": "adding a payee", "payment": "a large payment", "limit": "raising a card limit"}[purpose]
        messages = self.done("list_bank_messages", kind="security")["messages"]
        body = some([row["body"] for row in messages if words in row["subject"]])[0]
        return body.split("code is ")[1][:6]

    def fresh_code(self, purpose: str) -> str:
        self.done("request_one_time_code", purpose=purpose)
        return self.newest_code(purpose)

    # The tools with what is right unless a test says otherwise

    def transfer(self, **given: Any) -> Outcome:
        return self.call("transfer_between_accounts", **{"amount": 1, "pin": self.pin, **given})

    def pay(self, **given: Any) -> Outcome:
        return self.call("send_payee_payment", **{"amount": 1, "pin": self.pin, **given})

    def schedule(self, **given: Any) -> Outcome:
        start = {"start_date": "2031-01-01"} if "start_date" not in given else {}
        return self.call(
            "schedule_payee_payment", **{"amount": 1.25, "frequency": "weekly", "pin": self.pin, **start, **given}
        )

    def add(self, **given: Any) -> Outcome:
        whole = {"name": "Ida Roth", "account_number": "9920148817", "routing_number": ROUTING, **given}
        return self.call("add_payee", **whole)


def some(rows: list[Any]) -> list[Any]:
    if not rows:
        raise NotHere
    return rows
