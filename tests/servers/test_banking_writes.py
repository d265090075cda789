"""The writes of the banking server do what an independent model of the bank says (tests/support/banking_model.py).

Covers: answers, refusals and rows, on walks that seek the edges: of amounts, of days, of the hours at which a code
runs out, a payment waits or a limit starts anew. Does not cover: reads (test_oracles.py), the worlds as they open.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

import pytest

from proverl.laws.oracles import Row, Tables, tables_of
from proverl.servers import load
from support.banking_books import at
from support.banking_model import Watched
from support.oracles.banking import available
from support.reach.banking import reach

SERVER = load("banking")
WRITES = [tool.name for tool in SERVER.tools if tool.effect != "read"]
ROUTING = ["021000021", "061000104", "211274450", "031176204", "321180421"]
NO_ROUTING = ["021000022", "02100002", "0210000210", "02100002x", "٠٢١٠٠٠٠٢١", "991000019", "000000000", "131000009"]


class Drawn:
    """Arguments for one write, most of them right, drawn from the rows and from what lies at an edge."""

    def __init__(self, bank: Watched, chance: random.Random) -> None:
        self.bank = bank
        self.chance = chance
        self.tables = tables_of(bank.session)

    def of(self, table: str, key: str, *wanted: Any) -> str:
        """The id of a row: nine times of ten one that fits, if there is one."""
        rows = self.tables.rows[table]
        fit = [row for row in rows if all(row[name] in values for name, values in wanted)]
        return str(self.chance.choice(fit if fit and self.chance.random() < 0.9 else rows)[key])

    def row(self, table: str, key: str, wanted: str) -> Row:
        return next(row for row in self.tables.rows[table] if row[key] == wanted)

    def often(self, right: Any, *wrong: Any) -> Any:
        return right if self.chance.random() < 0.85 else self.chance.choice(wrong)

    def sender(self) -> str:
        return self.of("account", "account_id", ("status", ["open"]), ("kind", ["checking", "savings"]))

    def payee(self) -> str:
        return self.of("payee", "payee_id", ("status", ["active"]), ("removed", [0]))

    def pin(self) -> str:
        return str(self.often(self.bank.pin, self.bank.wrong_pin))

    def code(self, purpose: str) -> str:
        """The newest code for a purpose, or another one."""
        codes = sorted(self.tables.rows["one_time_code"], key=lambda row: row["sent_at"])
        mine = [row["code"] for row in codes if row["purpose"] == purpose]
        return str(self.often(mine[-1], codes[-1]["code"], "000000")) if mine else "000000"

    def amount(self, *edges: int) -> float:
        """Dollars: small, or a cent around one of these edges in cents."""
        cents = self.chance.choice([1, 10_00, 25_00, *edges]) + self.chance.choice([-1, 0, 0, 1])
        return float(self.often(max(cents, 1) / 100, 1.005))

    def left(self, account_id: str) -> list[int]:
        """What an account may still spend, and send today, in cents."""
        account = self.row("account", "account_id", account_id)
        shown = self.bank.done("get_bank_account", account_id=account_id)
        return [max(1, available(self.tables, account)), round(shown["daily_limit_left"] * 100)]

    def day(self, ahead: int) -> str:
        return (self.tables.now + timedelta(days=ahead)).date().isoformat()


def transfer(drawn: Drawn) -> Row:
    out = drawn.sender()
    into = drawn.of("account", "account_id", ("status", ["open", "frozen"]), ("account_id", set(ids(drawn)) - {out}))
    owed = -drawn.row("account", "account_id", into)["balance"]
    edges = drawn.left(out) + ([max(owed, 1)] * 3 if owed > 0 else [])
    memo = {"memo": "rent"} if drawn.chance.random() < 0.3 else {}
    return {"from_account_id": out, "to_account_id": into, "amount": drawn.amount(*edges), "pin": drawn.pin(), **memo}


def ids(drawn: Drawn) -> list[str]:
    return [row["account_id"] for row in drawn.tables.rows["account"]]


def pay(drawn: Drawn) -> Row:
    out, to = drawn.sender(), drawn.payee()
    newest = max(drawn.tables.rows["payee"], key=lambda row: row["added_at"])
    if drawn.chance.random() < 0.3 and not newest["removed"]:
        to = newest["payee_id"]
    received = sum(row["amount"] for row in drawn.tables.rows["bank_transaction"] if row["payee_id"] == to)
    edges = [*drawn.left(out), 1_000_00, 1_000_00, max(1, 500_00 - received)]
    code = {"one_time_code": drawn.code("payment")} if drawn.chance.random() < 0.7 else {}
    amount = min(drawn.amount(*edges), 25_000)
    return {"from_account_id": out, "payee_id": to, "amount": amount, "pin": drawn.pin(), **code}


def schedule(drawn: Drawn) -> Row:
    chance, ahead = drawn.chance, drawn.often(drawn.chance.choice([1, 2, 30, 364, 365]), 0, -1, 367)
    given = {
        "payee_id": drawn.payee(),
        "amount": drawn.amount(),
        "frequency": drawn.often("weekly", "single", "monthly"),
    }
    if chance.random() < 0.3:
        known = chance.choice(drawn.tables.rows["scheduled_payment"])
        given = {**known, "amount": known["amount"] / 100}
        given = {name: given[name] for name in ("payee_id", "amount", "frequency")}
    end = {"end_date": drawn.day(ahead + chance.choice([0, 30, -1]))} if chance.random() < 0.4 else {}
    start = drawn.often(drawn.day(ahead), "2031-02-30", "2032-2-1")
    return {"from_account_id": drawn.sender(), "start_date": start, "pin": drawn.pin(), **given, **end}


def cancel(drawn: Drawn) -> Row:
    key = "scheduled_payment_id"
    return {key: drawn.of("scheduled_payment", key, ("status", ["active", "paused"]))}


def lock(drawn: Drawn) -> Row:
    state = drawn.chance.choice(["locked", "active"])
    card = drawn.of("card", "card_id", ("locked", [int(state == "active")]))
    return {"card_id": card, "state": state, **({"pin": drawn.pin()} if drawn.chance.random() < 0.8 else {})}


def limit(drawn: Drawn) -> Row:
    card = drawn.of("card", "card_id", ("expires_on", [drawn.chance.choice(drawn.tables.rows["card"])["expires_on"]]))
    old = drawn.row("card", "card_id", card)["daily_spend_limit"] // 100
    new = min(max(old + drawn.chance.choice([-10, 0, 10, 10]), 50), 10_000)
    code = {"one_time_code": drawn.code("limit")} if drawn.chance.random() < 0.8 else {}
    return {"card_id": card, "daily_limit": new, **code}


def dispute(drawn: Drawn) -> Row:
    rows, now = drawn.tables.rows["bank_transaction"], drawn.tables.now
    age = [row for row in rows if (now.date() - at(row["posted_at"]).date()).days in drawn.chance.choice(DISPUTED_AGES)]
    fit = [row for row in age or rows if row["card_id"]]
    chosen = drawn.chance.choice(fit if fit and drawn.chance.random() < 0.8 else rows)
    reason = drawn.chance.choice(["unrecognized", "duplicate"])
    details = {"details": "twice"} if drawn.chance.random() < 0.5 else {}
    return {"transaction_id": chosen["transaction_id"], "reason": reason, **details}


DISPUTED_AGES = [range(10), range(60), (60,), (61,)]


def add(drawn: Drawn) -> Row:
    number = drawn.often(str(drawn.chance.randrange(10**5, 10**17)), "12345", "123456", "1" * 17, "1" * 18, "12345x")
    given = {"account_number": number, "routing_number": drawn.often(drawn.chance.choice(ROUTING), *NO_ROUTING)}
    if drawn.chance.random() < 0.2:
        known = drawn.chance.choice(drawn.tables.rows["payee"])
        given = {name: known[name] for name in given}
    return {"name": "Ida Roth", "one_time_code": drawn.code("payee"), **given}


MAKERS = {
    "transfer_between_accounts": transfer,
    "send_payee_payment": pay,
    "schedule_payee_payment": schedule,
    "cancel_scheduled_payment": cancel,
    "set_card_lock": lock,
    "set_card_spending_limit": limit,
    "dispute_bank_transaction": dispute,
    "request_one_time_code": lambda drawn: {"purpose": drawn.chance.choice(["payee", "payment", "limit"])},
    "add_payee": add,
    "remove_payee": lambda drawn: {"payee_id": drawn.payee()},
}
"""For each write a function that draws its arguments."""


def edges(tables: Tables) -> list[datetime]:
    """Moments to come at which something begins or ends, within some days."""
    now = tables.now
    midnight = datetime(now.year, now.month, now.day) + timedelta(days=1)
    month = (midnight.replace(day=1) + timedelta(days=31)).replace(day=1)
    found = [midnight - timedelta(hours=8), midnight, month]
    found += [at(row["expires_at"]) for row in tables.rows["one_time_code"]]
    found += [at(row["sent_at"]) + timedelta(days=1) for row in tables.rows["one_time_code"]]
    found += [at(row["added_at"]) + timedelta(days=1) for row in tables.rows["payee"]]
    moments = [moment.replace(tzinfo=None) + timedelta(seconds=second) for moment in found for second in (-1, 0)]
    return sorted(moment for moment in moments if moment > now)


class Seen:
    """What walks came across."""

    def __init__(self) -> None:
        self.again = dict[str, set[bool]]()
        """For each tool whether a second equal call after a success changed anything."""

    def walk(self, seed: int, calls: int) -> int:
        """Make writes, and let time pass to an edge now and then; returns how many were compared with the model."""
        bank, chance = Watched(seed), random.Random(f"banking writes {seed}")
        for _ in range(calls):
            if chance.random() < 0.15:
                bank.wait_until(chance.choice(edges(tables_of(bank.session))[:6]))
            tool = chance.choice(WRITES)
            arguments = MAKERS[tool](Drawn(bank, chance))
            outcome = bank.call(tool, **arguments)
            if outcome.succeeded:
                before = bank.session.snapshot()
                with bank.session.attempt():
                    bank.session.call(tool, arguments)
                    self.again.setdefault(tool, set()).add(bool(bank.session.changes(before)))
        return bank.compared


def test_the_model_knows_every_write() -> None:
    assert sorted(MAKERS) == sorted(WRITES)


def test_writes_do_what_the_model_says_and_a_second_time_nothing_if_they_say_so(cases: Any) -> None:
    seen = Seen()
    cases["writes compared with a model"] += sum(seen.walk(seed, 60) for seed in range(2))
    idle = {tool for tool, changed in seen.again.items() if changed == {False}}
    assert idle == {tool.name for tool in SERVER.tools if tool.effect != "read" and tool.idempotent}


@pytest.mark.soak
def test_thousands_of_writes_do_what_the_model_says(cases: Any) -> None:
    cases["writes compared with a model"] += sum(Seen().walk(seed, 60) for seed in range(10, 50))


@pytest.mark.parametrize(("tool", "code"), sorted(way for way in reach() if way[0] in WRITES))
def test_each_way_to_a_refusal_does_what_the_model_says(tool: str, code: str) -> None:
    assert reach(Watched)[tool, code]().code == code


def test_what_comes_first_is_published() -> None:
    first = {tool.name: tool.after for tool in SERVER.tools if tool.after}
    code = ("request_one_time_code",)
    assert first == {
        "add_payee": code,
        "send_payee_payment": code,
        "set_card_spending_limit": code,
        "remove_payee": ("cancel_scheduled_payment",),
    }
