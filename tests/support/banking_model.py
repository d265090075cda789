"""What the writes of the banking server should do: the refusal, the answer, and every row that is different after it.

Covers: the ten tools that write, as plain Python over the rows of a session, after their descriptions and the rules of
the catalogue; `Watched`, a customer each of whose writes is compared with it. Does not cover: reads (oracles), the
column `searched`, which only reads show.
"""

from __future__ import annotations

import hmac
import re
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from proverl.laws.oracles import Refusal, Row, Tables, tables_of
from proverl.records import Kind, Outcome
from support.bank import Bank
from support.banking_books import arrival
from support.oracles.banking import account_of, available, card_status, dollars, fitting, found, kept_payees

Arguments = dict[str, Any]
FIGURE = re.compile(r"(?<![\w.])(?:\d+\.\d\d|\d{4}-\d\d-\d\d(?:T[0-9:]+[+-]\d\d:\d\d)?)(?![\w])")
"""An amount in dollars, a day or a moment."""
DEEDS = {"payee": "adding a payee", "payment": "a large payment", "limit": "raising a card limit"}
KEYS = {
    "account": "account_id",
    "bank_message": "message_id",
    "bank_transaction": "transaction_id",
    "card": "card_id",
    "customer": "customer_id",
    "dispute": "dispute_id",
    "one_time_code": "message_id",
    "payee": "payee_id",
    "scheduled_payment": "scheduled_payment_id",
}


class Holding:
    """Equal to every text that holds these words."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and all(word in other for word in self.words)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"Holding{self.words}"


class Named(Refusal):
    """A refusal whose message names these values."""

    def __init__(self, code: str, values: tuple[Any, ...]) -> None:
        super().__init__(code)
        self.values = [f"{one:.2f}" if isinstance(one, float) else str(one) for one in values]


def refuse(code: str, *values: Any, when: Any = True) -> None:
    """Refuse with a message that names these values; dollars are floats."""
    if when:
        raise Named(code, values)


class Model:
    """A world before a write. The tool's method changes its rows as the tool should, and returns the answer.

    `fresh` are the ids that the new rows have, in the order in which they should be made.
    """

    def __init__(self, tables: Tables, fresh: dict[str, list[str]]) -> None:
        self.tables = tables
        self.now = tables.now
        self.today = f"{tables.now:%Y-%m-%d}"
        self.moment = self.stamp(tables.now)
        self.fresh = fresh
        (self.pin,) = [row["value"] for row in tables.rows["world_secret"]]

    def stamp(self, moment: datetime) -> str:
        assert self.tables.offset == timedelta(hours=-7)
        return f"{moment:%Y-%m-%dT%H:%M:%S}-07:00"

    def read(self, stamp: str) -> datetime:
        return datetime.fromisoformat(stamp).replace(tzinfo=None)

    def rows(self, table: str, **equal: Any) -> list[Row]:
        return fitting(self.tables.rows[table], equal)

    def one(self, table: str, code: str, wanted: str) -> Row:
        row = found(self.tables, table, KEYS[table], wanted, code)
        assert row is not None
        return row

    def add(self, table: str, **columns: Any) -> str:
        key = self.fresh[table].pop(0) if self.fresh.get(table) else "no new row"
        self.tables.rows[table].append({KEYS[table]: key, **columns})
        return key

    # What several tools check

    def cents(self, amount: float) -> int:
        exact = Decimal(str(amount)) * 100
        refuse("invalid_argument", str(amount), when=exact != int(exact))
        return int(exact)

    def account(self, wanted: str) -> Row:
        row = account_of(self.tables, wanted)
        assert row is not None
        return row

    def payee(self, wanted: str) -> Row:
        rows = [row for row in kept_payees(self.tables) if row["payee_id"] == wanted]
        refuse("payee_not_found", wanted, when=not rows)
        return rows[0]

    def check_status(self, sender: Row, receiver: Row | None = None) -> None:
        refuse("account_frozen", sender["nickname"], when=sender["status"] == "frozen")
        for account in filter(None, (sender, receiver)):
            refuse("account_closed", account["nickname"], when=account["status"] == "closed")
        refuse("credit_cannot_send", sender["nickname"], when=sender["kind"] == "credit")

    def check_amount(self, sender: Row, cents: int) -> None:
        out = self.rows("bank_transaction", account_id=sender["account_id"], direction="outgoing")
        today = [row for row in out if row["posted_at"][:10] == self.today and row["category"] == "transfer"]
        month = [row for row in out if row["posted_at"][:7] == self.today[:7]]
        name, left = sender["nickname"], max(0, sender["daily_limit"] - sum(row["amount"] for row in today))
        have = available(self.tables, sender)
        refuse("insufficient_funds", name, cents / 100, have / 100, when=cents > have)
        refuse("daily_limit_exceeded", name, cents / 100, left / 100, when=cents > left)
        refuse("savings_withdrawal_limit", name, when=sender["kind"] == "savings" and len(month) >= 6)

    def check_pin(self, given: str) -> None:
        refuse("wrong_pin", given, when=given != self.pin)

    def newest_code(self, purpose: str) -> Row | None:
        return max(self.rows("one_time_code", purpose=purpose), key=lambda row: row["sent_at"], default=None)

    def use_code(self, purpose: str, given: str | None, none: str = "wrong_code") -> Callable[[], None]:
        """Check a code; returns what uses it up, once nothing else is wrong."""
        refuse("code_required", DEEDS[purpose], when=given is None)
        newest = self.newest_code(purpose)
        refuse(none, given, DEEDS[purpose], when=newest is None or newest["used"])
        assert newest is not None
        refuse("wrong_code", given, newest["sent_at"], when=given != newest["code"])
        runs_out = self.read(newest["sent_at"]) + timedelta(minutes=10)
        refuse("code_expired", given, self.stamp(runs_out), when=self.now >= runs_out)
        return lambda: newest.update(used=1)

    def book(self, account: Row, direction: str, cents: int, merchant: str, category: str, **more: Any) -> str:
        none = {"card_id": None, "payee_id": None, "other_account_id": None, "memo": None, "status": "posted"}
        columns = {"merchant": merchant, "amount": cents, "direction": direction, "category": category, **none, **more}
        if columns["status"] == "posted":
            account["balance"] += cents if direction == "incoming" else -cents
        ids = {"account_id": account["account_id"], "posted_at": self.moment}
        return self.add("bank_transaction", **ids, **columns)

    # The tools

    def transfer_between_accounts(self, a: Arguments) -> Row:
        cents = self.cents(a["amount"])
        sender, receiver = self.account(a["from_account_id"]), self.account(a["to_account_id"])
        refuse("same_account", sender["nickname"], when=sender is receiver)
        self.check_status(sender, receiver)
        self.check_amount(sender, cents)
        owed, amounts = max(-receiver["balance"], 0), (cents / 100, max(-receiver["balance"], 0) / 100)
        too_much = receiver["kind"] == "credit" and cents > owed
        refuse("credit_overpayment", receiver["nickname"], *amounts, when=too_much)
        self.check_pin(a["pin"])
        to, by = f"Transfer to {receiver['nickname']}", f"Transfer from {sender['nickname']}"
        out, into = ({"other_account_id": row["account_id"], "memo": a.get("memo")} for row in (receiver, sender))
        leg = self.book(sender, "outgoing", cents, to, "transfer", **out)
        self.book(receiver, "incoming", cents, by, "transfer", **into)
        balances = {"from_balance": dollars(sender["balance"]), "to_balance": dollars(receiver["balance"])}
        return {"transaction_id": leg, **balances, "posted_at": self.moment}

    def send_payee_payment(self, a: Arguments) -> Row:
        cents = self.cents(a["amount"])
        sender, payee = self.account(a["from_account_id"]), self.payee(a["payee_id"])
        refuse("payee_blocked", payee["name"], payee["bank_name"], when=payee["status"] == "blocked")
        self.check_status(sender)
        self.check_amount(sender, cents)
        if self.now - self.read(payee["added_at"]) < timedelta(days=1):
            received = sum(row["amount"] for row in self.rows("bank_transaction", payee_id=a["payee_id"]))
            left = max(0, 500_00 - received) / 100
            refuse("new_payee_limit", payee["name"], payee["added_at"], 500.0, left, when=cents > 500_00 - received)
        use = self.use_code("payment", a.get("one_time_code")) if cents > 1000_00 else None
        self.check_pin(a["pin"])
        if use:
            use()
        arrives = arrival(self.now)
        status = "posted" if arrives == self.now.date() else "pending"
        more = {"payee_id": a["payee_id"], "memo": a.get("memo"), "status": status}
        return {
            "transaction_id": self.book(sender, "outgoing", cents, payee["name"], "transfer", **more),
            "payee_id": a["payee_id"],
            "amount": dollars(cents),
            "from_balance": dollars(sender["balance"]),
            "status": status,
            "arrives_on": arrives.isoformat(),
        }

    def schedule_payee_payment(self, a: Arguments) -> Row:
        cents, end = self.cents(a["amount"]), a.get("end_date")
        for text in (a["start_date"], end):
            refuse("invalid_argument", text, when=text is not None and not is_day(text))
        latest = f"{self.now.year + 1}{self.today[4:]}".replace("-02-29", "-02-28")
        refuse("invalid_argument", a["start_date"], latest, when=a["start_date"] > latest)
        refuse("invalid_argument", end, when=end and a["frequency"] == "single")
        sender, payee = self.account(a["from_account_id"]), self.payee(a["payee_id"])
        refuse("payee_blocked", payee["name"], payee["bank_name"], when=payee["status"] == "blocked")
        self.check_status(sender)
        refuse("date_not_in_future", a["start_date"], self.today, when=a["start_date"] <= self.today)
        refuse("end_before_start", end, a["start_date"], when=end and end < a["start_date"])
        same = {"payee_id": a["payee_id"], "amount": cents, "frequency": a["frequency"]}
        for row in self.rows("scheduled_payment", **same):
            names = payee["name"], row["scheduled_payment_id"], row["next_date"], cents / 100
            refuse("duplicate_schedule", *names, when=row["status"] != "ended")
        self.check_pin(a["pin"])
        dates = {"next_date": a["start_date"], "end_date": end}
        key = self.add("scheduled_payment", from_account_id=a["from_account_id"], **same, **dates, status="active")
        shown = {"amount": dollars(cents), "frequency": a["frequency"], **dates}
        return {"scheduled_payment_id": key, "payee_name": payee["name"], **shown}

    def cancel_scheduled_payment(self, a: Arguments) -> Row:
        payment = self.one("scheduled_payment", "scheduled_payment_not_found", a["scheduled_payment_id"])
        (payee,) = self.rows("payee", payee_id=payment["payee_id"])
        refuse("already_ended", payee["name"], when=payment["status"] == "ended")
        due = (payment["status"], payment["next_date"]) == ("active", self.today)
        refuse("due_today", payee["name"], self.today, when=due)
        payment.update(status="ended", next_date=None)
        answer = {"payee_name": payee["name"], "status": "ended", "cancelled_at": self.moment}
        return {"scheduled_payment_id": a["scheduled_payment_id"], **answer}

    def set_card_lock(self, a: Arguments) -> Row:
        card = self.one("card", "card_not_found", a["card_id"])
        refuse("card_expired", card["label"], card["expires_on"], when=card_status(self.tables, card) == "expired")
        refuse("already_in_state", card["label"], a["state"], when=card_status(self.tables, card) == a["state"])
        if a["state"] == "active":
            refuse("pin_required", card["label"], when=a.get("pin") is None)
            self.check_pin(a["pin"])
            disputes = self.rows("dispute", reason="unrecognized")
            bought = [self.rows("bank_transaction", transaction_id=row["transaction_id"])[0] for row in disputes]
            mine = any(row["card_id"] == a["card_id"] for row in bought)
            refuse("locked_by_dispute", card["label"], when=mine)
        card["locked"] = int(a["state"] == "locked")
        shown = {"label": card["label"], "status": a["state"], "changed_at": self.moment}
        return {"card_id": a["card_id"], **shown}

    def set_card_spending_limit(self, a: Arguments) -> Row:
        card, new = self.one("card", "card_not_found", a["card_id"]), self.cents(a["daily_limit"])
        old = card["daily_spend_limit"]
        refuse("card_expired", card["label"], card["expires_on"], when=card_status(self.tables, card) == "expired")
        refuse("limit_unchanged", card["label"], old / 100, when=new == old)
        if new > old:
            self.use_code("limit", a.get("one_time_code"))()
        card["daily_spend_limit"] = new
        return {"card_id": a["card_id"], "label": card["label"], "old_limit": dollars(old), "new_limit": dollars(new)}

    def dispute_bank_transaction(self, a: Arguments) -> Row:
        bought = self.one("bank_transaction", "transaction_not_found", a["transaction_id"])
        name = bought["merchant"]
        refuse("transaction_pending", name, when=bought["status"] == "pending")
        no_purchase = bought["card_id"] is None or bought["direction"] == "incoming"
        kind = "no card transaction" if bought["card_id"] is None else "money that came in"
        refuse("not_a_card_transaction", name, kind, when=no_purchase)
        ended = "paid back" if bought["status"] == "reversed" else "wait for the decision"
        refuse("already_disputed", name, ended, when=bought["status"] != "posted")
        age = self.now.date() - self.read(bought["posted_at"]).date()
        days = bought["posted_at"][:10], self.now.date() - timedelta(days=60)
        refuse("dispute_window_closed", *days, when=age > timedelta(days=60))
        (card,) = self.rows("card", card_id=bought["card_id"])
        credit = bought["amount"] if bought["amount"] <= 25_00 else 0
        locks, decides = a["reason"] == "unrecognized", business_day(self.now.date(), 10).isoformat()
        bought["status"] = "disputed"
        said = {"transaction_id": a["transaction_id"], "reason": a["reason"], "details": a.get("details")}
        said |= {"status": "open", "provisional_credit": credit, "opened_at": self.moment, "decision_by": decides}
        key = self.add("dispute", **said, locked_card_id=bought["card_id"] if locks else None)
        if locks:
            card["locked"] = 1
        if credit:
            (account,) = self.rows("account", account_id=bought["account_id"])
            why = f"Provisional credit for {bought['merchant']}"
            self.book(account, "incoming", credit, why, bought["category"])
        shown = {"transaction_id": a["transaction_id"], "status": "open", "provisional_credit": dollars(credit)}
        status = card_status(self.tables, card)
        return {"dispute_id": key, **shown, "card_status": status, "decision_by": decides}

    def request_one_time_code(self, a: Arguments) -> Row:
        codes, newest = self.rows("one_time_code"), self.newest_code(a["purpose"])
        if newest and not newest["used"]:
            runs_out = self.read(newest["sent_at"]) + timedelta(minutes=10)
            refuse("code_still_active", a["purpose"], newest["sent_at"], self.stamp(runs_out), when=self.now < runs_out)
        sent = sorted(self.read(row["sent_at"]) for row in codes)
        recent = [moment for moment in sent if self.now - moment < timedelta(days=1)]
        if len(recent) >= 5:
            refuse("too_many_codes", self.stamp(recent[0] + timedelta(days=1)))
        (customer,) = self.rows("customer")
        code, expires = hotp(customer["code_key"], len(codes)), self.stamp(self.now + timedelta(minutes=10))
        texts = {"subject": Holding(DEEDS[a["purpose"]]), "body": Holding(code, DEEDS[a["purpose"]], "10 minutes")}
        key = self.add("bank_message", kind="security", **texts, sent_at=self.moment, unread=1)
        self.fresh["one_time_code"] = [key]
        times = {"sent_at": self.moment, "expires_at": expires}
        self.add("one_time_code", purpose=a["purpose"], code=code, **times, used=0)
        return {"purpose": a["purpose"], **times, "delivered_to": "secure inbox"}

    def add_payee(self, a: Arguments) -> Row:
        numbers = {name: a[name] for name in ("routing_number", "account_number")}
        for row in fitting(kept_payees(self.tables), numbers):
            refuse("payee_exists", row["name"])
        refuse("invalid_routing_number", a["routing_number"], when=not is_routing_number(a["routing_number"]))
        number = a["account_number"]
        refuse("invalid_account_number", number, when=not re.fullmatch("[0-9]{6,17}", number))
        self.use_code("payee", a["one_time_code"], "no_active_code")()
        banks = {row["routing_number"]: row["bank_name"] for row in self.rows("payee")}
        bank = banks.get(a["routing_number"], Holding())
        key = self.add(
            "payee", name=a["name"], bank_name=bank, **numbers, added_at=self.moment, status="active", removed=0
        )
        masked, full = "****" + a["account_number"][-4:], self.stamp(self.now + timedelta(days=1))
        named = {"payee_id": key, "name": a["name"], "bank_name": bank}
        return {**named, "masked_account": masked, "full_limit_from": full}

    def remove_payee(self, a: Arguments) -> Row:
        payee = self.payee(a["payee_id"])
        states = [row["status"] for row in self.rows("scheduled_payment", payee_id=a["payee_id"])]
        left = len(states) - states.count("ended")
        refuse("payee_has_scheduled_payments", payee["name"], left, when=left)
        paid = self.rows("bank_transaction", payee_id=a["payee_id"], status="pending")
        if paid:
            first = min(paid, key=lambda row: row["posted_at"])
            refuse("payment_in_progress", payee["name"], first["amount"] / 100)
        payee["removed"] = 1
        return {"payee_id": a["payee_id"], "name": payee["name"], "removed_at": self.moment}


def is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def business_day(day: date, number: int) -> date:
    """The day so many days from Monday to Friday later."""
    later = [day + timedelta(days=ahead) for ahead in range(1, 2 * number + 4)]
    return [day for day in later if day.weekday() < 5][number - 1]


def hotp(key: str, counter: int) -> str:
    """RFC 4226, with six digits."""
    mac = hmac.new(bytes.fromhex(key), counter.to_bytes(8, "big"), "sha1").digest()
    start = mac[19] % 16
    return f"{int.from_bytes(mac[start : start + 4], 'big') % 2**31:010d}"[-6:]


def is_routing_number(text: str) -> bool:
    """Nine digits, of which the first two name a district (or a savings institution there) and the last one checks."""
    if not re.fullmatch("[0-9]{9}", text):
        return False
    a, b, c, d, e, f, g, h, i = map(int, text)
    whole = 3 * (a + d + g) + 7 * (b + e + h) + (c + f + i)
    return whole % 10 == 0 and int(text[:2]) % 20 in range(1, 13) and int(text[:2]) < 40


# Comparing


def rows_of(bank: Bank) -> Tables:
    """The rows of a session without what only reads show."""
    tables = tables_of(bank.session)
    for table in ("bank_transaction", "payee"):
        for row in tables.rows[table]:
            del row["searched"]
    return tables


def by_key(tables: Tables) -> dict[str, dict[str, Row]]:
    """The rows of each table by their keys."""
    return {table: {row[key]: row for row in tables.rows[table]} for table, key in KEYS.items()}


def difference(before: Tables, tool: str, arguments: Arguments, outcome: Outcome, after: Tables) -> str:
    """In what a write differs from the model; empty if in nothing. `before` is used up."""
    was, now = by_key(before), by_key(after)
    fresh = {table: sorted(now[table].keys() - was[table].keys(), key=lambda key: (len(key), key)) for table in KEYS}
    model = Model(before, fresh)
    told: tuple[str, Any] = (outcome.code, outcome.value)
    named: list[str] | None = None
    try:
        right: tuple[str, Any] = ("", getattr(model, tool)(arguments))
    except Refusal as refusal:
        right = (refusal.code, None)
        named = getattr(refusal, "values", None)
    if right != told:
        return f"the model says {right}, the tool {told}"
    if named is not None and not says(outcome.message, named):
        return f"the message should name {named} and no other figures: {outcome.message}"
    expected, minute = by_key(before), timedelta(minutes=1 if outcome.succeeded else 0)
    wrong = [
        f"{table} {key}: the model has {expected[table].get(key)}, the tool {now[table].get(key)}"
        for table in KEYS
        for key in sorted({*expected[table], *now[table]})
        if expected[table].get(key) != now[table].get(key)
    ]
    if after.now != before.now + minute:
        wrong.append(f"the clock went from {before.now} to {after.now}")
    return "; ".join(wrong)


def says(message: str, named: list[str]) -> bool:
    """Whether a message holds all these values, and no amount, day or moment besides, each as often as named."""
    told = re.sub(r"such as \S+", "", message)
    figures = Counter(FIGURE.findall(" ".join(named)))
    return all(value in told for value in named) and Counter(FIGURE.findall(told)) == figures


class Watched(Bank):
    """A customer each of whose writes does what the model says."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.compared = 0

    def call(self, tool: str, **arguments: Any) -> Outcome:
        if not hasattr(Model, tool):
            return super().call(tool, **arguments)
        before = rows_of(self)
        outcome = super().call(tool, **arguments)
        if outcome.kind is not Kind.BAD_ARGUMENTS:
            wrong = difference(before, tool, arguments, outcome, rows_of(self))
            assert not wrong, f"{tool} {arguments}: {wrong}"
            self.compared += 1
        return outcome

    def wait_until(self, moment: datetime) -> None:
        """Set the clock to this local time of the bank."""
        seconds = round((moment - datetime(1970, 1, 1)).total_seconds())
        with self.session.store.transaction():
            self.session.store.write("UPDATE world_clock SET now = ?", (seconds,))
