"""How each refusal of the banking server is reached from a seed, in at most five calls.

A reaching function sees only what the tools show it and what the customer knows (the PIN). Where a world lacks what
it needs it gives up on the seed, and the next seed is tried. Only `more`, which no limit of calls binds, looks into the
tables for a seed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from itertools import count
from typing import Any

from proverl.records import Outcome
from support.bank import Bank, NotHere, some
from support.banking_books import sql

MOST_CALLS = 5
MOST_SEEDS = 60


def _other(digits: str) -> str:
    return "111111" if digits != "111111" else "222222"


def _soon(bank: Bank) -> str:
    """A day in the future: every world has transactions of yesterday or today."""
    newest = date.fromisoformat(bank.transactions()[0]["posted_on"])
    return (newest + timedelta(days=3)).isoformat()


# What several tools refuse alike


def _from_status(act: Callable[..., Outcome], status: str) -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        account = bank.accounts(status=status)[0]["account_id"]
        return act(bank, from_account_id=account)

    return reach


def _from_credit(act: Callable[..., Outcome]) -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        return act(bank, from_account_id=bank.accounts(kind="credit", status="open")[0]["account_id"])

    return reach


def _too_much(act: Callable[..., Outcome]) -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        account = bank.accounts(kind="checking", status="open")[0]
        return act(bank, from_account_id=account["account_id"], amount=round(account["available"] + 0.01, 2))

    return reach


def _past_the_day(act: Callable[..., Outcome]) -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        rich = max(
            bank.accounts(status="open"), key=lambda account: account["available"] * (account["kind"] != "credit")
        )
        return act(bank, from_account_id=rich["account_id"], amount=rich["available"])

    return reach


def _past_the_month(act: Callable[..., Outcome]) -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        savings = bank.accounts(kind="savings", status="open")[0]
        shown = bank.done("get_bank_account", account_id=savings["account_id"])
        if shown["savings_withdrawals_left"] > 1:
            raise NotHere
        act(bank, from_account_id=savings["account_id"])
        return act(bank, from_account_id=savings["account_id"])

    return reach


def _transfer_out(bank: Bank, **given: Any) -> Outcome:
    """Transfer to some open deposit account other than the sender."""
    if "to_account_id" not in given:
        seen = [row for _, _, outcome in bank.session.log for row in (outcome.value or {}).get("accounts", [])]
        others = [row for row in seen if row["account_id"] != given["from_account_id"] and row["status"] == "open"]
        deposits = [row["account_id"] for row in others if row["kind"] != "credit"]
        given["to_account_id"] = deposits[0] if deposits else bank.accounts(status="open")[-1]["account_id"]
        if given["to_account_id"] == given["from_account_id"]:
            raise NotHere
    return bank.transfer(**given)


def _pay_old(bank: Bank, **given: Any) -> Outcome:
    seen = [row for _, _, outcome in bank.session.log for row in (outcome.value or {}).get("payees", [])]
    known = min(seen, key=lambda row: row["added_at"])["payee_id"] if seen else bank.old_payee()
    return bank.pay(payee_id=known, **given)


def _schedule_old(bank: Bank, **given: Any) -> Outcome:
    return bank.schedule(payee_id=bank.old_payee(), **given)


# Accounts and transfers


def _same_account(bank: Bank) -> Outcome:
    account = bank.sender()["account_id"]
    return bank.transfer(from_account_id=account, to_account_id=account)


def _transfer_frozen(bank: Bank) -> Outcome:
    frozen = bank.accounts(status="frozen")[0]["account_id"]
    return bank.transfer(from_account_id=frozen, to_account_id=bank.sender()["account_id"])


def _transfer_to_closed(bank: Bank) -> Outcome:
    closed = bank.accounts(status="closed")[0]["account_id"]
    return bank.transfer(from_account_id=bank.sender()["account_id"], to_account_id=closed)


def _transfer_from_credit(bank: Bank) -> Outcome:
    credit = bank.accounts(kind="credit")[0]["account_id"]
    return bank.transfer(from_account_id=credit, to_account_id=bank.sender()["account_id"])


def _overpay(bank: Bank) -> Outcome:
    least = max(bank.accounts(kind="credit"), key=lambda account: account["balance"])
    amount = round(0.01 - least["balance"], 2)
    return bank.transfer(from_account_id=bank.sender()["account_id"], to_account_id=least["account_id"], amount=amount)


def _transfer_wrong_pin(bank: Bank) -> Outcome:
    return _transfer_out(bank, from_account_id=bank.sender()["account_id"], pin=bank.wrong_pin)


# Payees


def _payee_exists(bank: Bank) -> Outcome:
    bank.add(one_time_code=bank.fresh_code("payee"))
    return bank.add(name="Another Name", one_time_code="000000")


def _no_active_code(bank: Bank) -> Outcome:
    code = bank.fresh_code("payee")
    bank.add(one_time_code=code)
    return bank.add(account_number="5550192834", one_time_code=code)


def _add_with_wrong_code(bank: Bank) -> Outcome:
    return bank.add(one_time_code=_other(bank.fresh_code("payee")))


def _remove_scheduled(bank: Bank) -> Outcome:
    return bank.call("remove_payee", payee_id=bank.schedules("active")[0]["payee_id"])


def _remove_in_progress(bank: Bank) -> Outcome:
    pending = bank.transactions(status="pending", direction="outgoing")
    name = some([row["merchant"] for row in pending if row["card_id"] is None])[0]
    payees = bank.done("list_payees", text=name)["payees"]
    return bank.call("remove_payee", payee_id=payees[0]["payee_id"])


def _pay_blocked(act: Callable[..., Outcome]) -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        blocked = bank.payees(status="blocked")[0]["payee_id"]
        return act(bank, payee_id=blocked, from_account_id=bank.sender()["account_id"])

    return reach


def _pay_unknown_account(bank: Bank) -> Outcome:
    return bank.pay(from_account_id="acc_0001", payee_id="pay_0001")


def _pay_unknown_payee(bank: Bank) -> Outcome:
    return bank.pay(from_account_id=bank.sender()["account_id"], payee_id="pay_0001")


def _pay_new_payee(bank: Bank) -> Outcome:
    payee = bank.add(one_time_code=bank.fresh_code("payee")).value["payee_id"]
    return bank.pay(from_account_id=bank.sender()["account_id"], payee_id=payee, amount=500.01)


def _pay_large(**given: Any) -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        return _pay_old(bank, from_account_id=bank.sender()["account_id"], amount=1000.01, **given)

    return reach


def _pay_with_old_code(bank: Bank) -> Outcome:
    code = bank.newest_code("payment")
    return _pay_old(bank, from_account_id=bank.sender()["account_id"], amount=1000.01, one_time_code=code)


def _pay_wrong_pin(bank: Bank) -> Outcome:
    return _pay_old(bank, from_account_id=bank.sender()["account_id"], pin=bank.wrong_pin)


# Scheduled payments


def _schedule(**given: Any) -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        return _schedule_old(bank, from_account_id=bank.sender()["account_id"], **given)

    return reach


def _schedule_unknown_payee(bank: Bank) -> Outcome:
    return bank.schedule(from_account_id=bank.sender()["account_id"], payee_id="pay_0001")


def _schedule_from(status: str) -> Callable[[Bank], Outcome]:
    return _from_status(_schedule_old, status)


def _end_before_start(bank: Bank) -> Outcome:
    start = _soon(bank)
    end = (date.fromisoformat(start) - timedelta(days=1)).isoformat()
    return _schedule_old(bank, from_account_id=bank.sender()["account_id"], start_date=start, end_date=end)


def _schedule_twice(bank: Bank) -> Outcome:
    known = bank.schedules("active")[0]
    same = {name: known[name] for name in ("payee_id", "amount", "frequency")}
    return bank.schedule(from_account_id=bank.sender()["account_id"], start_date=_soon(bank), **same)


def _schedule_wrong_pin(bank: Bank) -> Outcome:
    start = _soon(bank)
    return _schedule_old(bank, from_account_id=bank.sender()["account_id"], start_date=start, pin=bank.wrong_pin)


def _cancel_ended(bank: Bank) -> Outcome:
    ended = bank.schedules("ended")[0]["scheduled_payment_id"]
    return bank.call("cancel_scheduled_payment", scheduled_payment_id=ended)


def _cancel_due_today(bank: Bank) -> Outcome:
    first = bank.schedules("active")[0]["scheduled_payment_id"]
    return bank.call("cancel_scheduled_payment", scheduled_payment_id=first)


# Cards


def _lock(status: str, state: str, pin: str = "") -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        card = bank.cards(status)[0]["card_id"]
        given = {"pin": getattr(bank, pin)} if pin else {}
        return bank.call("set_card_lock", card_id=card, state=state, **given)

    return reach


def _unlock_disputed(bank: Bank) -> Outcome:
    active = {card["card_id"] for card in bank.cards()}
    posted = bank.transactions(status="posted", direction="outgoing")
    bought = some([row for row in posted if row["card_id"] in active])[0]
    bank.done("dispute_bank_transaction", transaction_id=bought["transaction_id"], reason="unrecognized")
    return bank.call("set_card_lock", card_id=bought["card_id"], state="active", pin=bank.pin)


def _limit(status: str, more: int, code: str = "") -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        card = bank.cards(status)[0]
        given = {"one_time_code": code} if code else {}
        return bank.call(
            "set_card_spending_limit",
            card_id=card["card_id"],
            daily_limit=card["daily_spend_limit"] + more,
            **given,
        )

    return reach


def _limit_with_old_code(bank: Bank) -> Outcome:
    return _limit("active", 10, bank.newest_code("limit"))(bank)


# Transactions


def _dispute(**filters: str) -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        found = some([row for row in bank.transactions(**filters) if row["card_id"] is not None])[0]
        return bank.call("dispute_bank_transaction", transaction_id=found["transaction_id"], reason="duplicate")

    return reach


def _dispute_transfer(bank: Bank) -> Outcome:
    found = some([row for row in bank.transactions(status="posted") if row["card_id"] is None])[0]
    return bank.call("dispute_bank_transaction", transaction_id=found["transaction_id"], reason="duplicate")


def _dispute_old(bank: Bank) -> Outcome:
    newest = date.fromisoformat(bank.transactions()[0]["posted_on"])
    return _dispute(direction="outgoing", status="posted", date_to=(newest - timedelta(days=63)).isoformat())(bank)


# The inbox


def _code_twice(bank: Bank) -> Outcome:
    bank.done("request_one_time_code", purpose="limit")
    return bank.call("request_one_time_code", purpose="limit")


def _too_many_codes(bank: Bank) -> Outcome:
    """Some worlds open with three or four codes sent in the last hours."""
    for purpose in ("payee", "payment", "limit"):
        outcome = bank.call("request_one_time_code", purpose=purpose)
        if not outcome.succeeded:
            return outcome
    raise NotHere


def _invalid_amount(tool: str) -> Callable[[Bank], Outcome]:
    def reach(bank: Bank) -> Outcome:
        act = {
            "transfer_between_accounts": bank.transfer,
            "send_payee_payment": bank.pay,
            "schedule_payee_payment": bank.schedule,
        }[tool]
        known = {"from_account_id": "acc_0001", "amount": 1.005}
        rest = {"to_account_id": "acc_0002"} if tool == "transfer_between_accounts" else {"payee_id": "pay_0001"}
        return act(**known, **rest)

    return reach


def _plain(tool: str, **arguments: Any) -> Callable[[Bank], Outcome]:
    return lambda bank: bank.call(tool, **arguments)


WAYS: dict[tuple[str, str], Callable[[Bank], Outcome]] = {
    ("get_bank_account", "account_not_found"): _plain("get_bank_account", account_id="acc_0001"),
    ("search_bank_transactions", "account_not_found"): _plain("search_bank_transactions", account_id="acc_0001"),
    ("search_bank_transactions", "card_not_found"): _plain("search_bank_transactions", card_id="crd_0001"),
    ("search_bank_transactions", "invalid_date_range"): _plain(
        "search_bank_transactions", date_from="2031-05-14", date_to="2031-05-13"
    ),
    ("list_bank_messages", "invalid_time"): _plain("list_bank_messages", since="yesterday"),
    ("list_scheduled_payments", "account_not_found"): _plain("list_scheduled_payments", from_account_id="acc_0001"),
    ("list_scheduled_payments", "payee_not_found"): _plain("list_scheduled_payments", payee_id="pay_0001"),
    ("list_bank_cards", "account_not_found"): _plain("list_bank_cards", account_id="acc_0001"),
    ("request_one_time_code", "code_still_active"): _code_twice,
    ("request_one_time_code", "too_many_codes"): _too_many_codes,
    ("add_payee", "payee_exists"): _payee_exists,
    ("add_payee", "invalid_routing_number"): lambda bank: bank.add(routing_number="021000022", one_time_code="000000"),
    ("add_payee", "invalid_account_number"): lambda bank: bank.add(account_number="12345", one_time_code="000000"),
    ("add_payee", "no_active_code"): _no_active_code,
    ("add_payee", "wrong_code"): _add_with_wrong_code,
    ("add_payee", "code_expired"): lambda bank: bank.add(one_time_code=bank.newest_code("payee")),
    ("remove_payee", "payee_not_found"): _plain("remove_payee", payee_id="pay_0001"),
    ("remove_payee", "payee_has_scheduled_payments"): _remove_scheduled,
    ("remove_payee", "payment_in_progress"): _remove_in_progress,
    ("transfer_between_accounts", "invalid_argument"): _invalid_amount("transfer_between_accounts"),
    ("transfer_between_accounts", "account_not_found"): lambda bank: bank.transfer(
        from_account_id=bank.sender()["account_id"], to_account_id="acc_0001"
    ),
    ("transfer_between_accounts", "same_account"): _same_account,
    ("transfer_between_accounts", "account_frozen"): _transfer_frozen,
    ("transfer_between_accounts", "account_closed"): _transfer_to_closed,
    ("transfer_between_accounts", "credit_cannot_send"): _transfer_from_credit,
    ("transfer_between_accounts", "insufficient_funds"): _too_much(_transfer_out),
    ("transfer_between_accounts", "daily_limit_exceeded"): _past_the_day(_transfer_out),
    ("transfer_between_accounts", "savings_withdrawal_limit"): _past_the_month(_transfer_out),
    ("transfer_between_accounts", "credit_overpayment"): _overpay,
    ("transfer_between_accounts", "wrong_pin"): _transfer_wrong_pin,
    ("send_payee_payment", "invalid_argument"): _invalid_amount("send_payee_payment"),
    ("send_payee_payment", "account_not_found"): _pay_unknown_account,
    ("send_payee_payment", "payee_not_found"): _pay_unknown_payee,
    ("send_payee_payment", "payee_blocked"): _pay_blocked(Bank.pay),
    ("send_payee_payment", "account_frozen"): _from_status(_pay_old, "frozen"),
    ("send_payee_payment", "account_closed"): _from_status(_pay_old, "closed"),
    ("send_payee_payment", "credit_cannot_send"): _from_credit(_pay_old),
    ("send_payee_payment", "insufficient_funds"): _too_much(_pay_old),
    ("send_payee_payment", "daily_limit_exceeded"): _past_the_day(_pay_old),
    ("send_payee_payment", "savings_withdrawal_limit"): _past_the_month(_pay_old),
    ("send_payee_payment", "new_payee_limit"): _pay_new_payee,
    ("send_payee_payment", "code_required"): _pay_large(),
    ("send_payee_payment", "wrong_code"): _pay_large(one_time_code="000000"),
    ("send_payee_payment", "code_expired"): _pay_with_old_code,
    ("send_payee_payment", "wrong_pin"): _pay_wrong_pin,
    ("schedule_payee_payment", "invalid_argument"): _invalid_amount("schedule_payee_payment"),
    ("schedule_payee_payment", "account_not_found"): lambda bank: bank.schedule(
        from_account_id="acc_0001", payee_id="pay_0001"
    ),
    ("schedule_payee_payment", "payee_not_found"): _schedule_unknown_payee,
    ("schedule_payee_payment", "payee_blocked"): _pay_blocked(Bank.schedule),
    ("schedule_payee_payment", "account_frozen"): _schedule_from("frozen"),
    ("schedule_payee_payment", "account_closed"): _schedule_from("closed"),
    ("schedule_payee_payment", "credit_cannot_send"): _from_credit(_schedule_old),
    ("schedule_payee_payment", "date_not_in_future"): _schedule(),
    ("schedule_payee_payment", "end_before_start"): _end_before_start,
    ("schedule_payee_payment", "duplicate_schedule"): _schedule_twice,
    ("schedule_payee_payment", "wrong_pin"): _schedule_wrong_pin,
    ("cancel_scheduled_payment", "scheduled_payment_not_found"): _plain(
        "cancel_scheduled_payment", scheduled_payment_id="sch_0001"
    ),
    ("cancel_scheduled_payment", "already_ended"): _cancel_ended,
    ("cancel_scheduled_payment", "due_today"): _cancel_due_today,
    ("set_card_lock", "card_not_found"): _plain("set_card_lock", card_id="crd_0001", state="locked"),
    ("set_card_lock", "card_expired"): _lock("expired", "locked"),
    ("set_card_lock", "already_in_state"): _lock("locked", "locked"),
    ("set_card_lock", "pin_required"): _lock("locked", "active"),
    ("set_card_lock", "wrong_pin"): _lock("locked", "active", "wrong_pin"),
    ("set_card_lock", "locked_by_dispute"): _unlock_disputed,
    ("set_card_spending_limit", "card_not_found"): _plain(
        "set_card_spending_limit", card_id="crd_0001", daily_limit=500
    ),
    ("set_card_spending_limit", "card_expired"): _limit("expired", 10),
    ("set_card_spending_limit", "limit_unchanged"): _limit("active", 0),
    ("set_card_spending_limit", "code_required"): _limit("active", 10),
    ("set_card_spending_limit", "wrong_code"): _limit("active", 10, "000000"),
    ("set_card_spending_limit", "code_expired"): _limit_with_old_code,
    ("dispute_bank_transaction", "transaction_not_found"): _plain(
        "dispute_bank_transaction", transaction_id="txn_0001", reason="duplicate"
    ),
    ("dispute_bank_transaction", "transaction_pending"): _dispute(status="pending"),
    ("dispute_bank_transaction", "not_a_card_transaction"): _dispute_transfer,
    ("dispute_bank_transaction", "already_disputed"): _dispute(status="disputed"),
    ("dispute_bank_transaction", "dispute_window_closed"): _dispute_old,
}


def _search(tool: str, code: str, customer: type[Bank]) -> Outcome:
    """The outcome with this code, from the first seed on which the way leads to it."""
    last: Outcome | None = None
    for seed in count():
        if seed == MOST_SEEDS:
            raise AssertionError(f"{tool} {code}: not reached on {MOST_SEEDS} seeds; last: {last}")
        bank = customer(seed)
        try:
            last = WAYS[tool, code](bank)
        except NotHere:
            continue
        called = [name for name, _, _ in bank.session.log]
        assert called[-1] == tool
        assert len(called) <= MOST_CALLS, f"{tool} {code}: {called}"
        if last.code == code:
            return last
    raise AssertionError


def reach(customer: type[Bank] = Bank) -> dict[tuple[str, str], Callable[[], Outcome]]:
    """For each (tool, code) a function that reaches the refusal and returns its outcome."""
    return {way: lambda way=way: _search(*way, customer) for way in WAYS}


# States in which refusals hold together that the ways to single ones do not bring together


def _first(query: str) -> tuple[Bank, Any]:
    """The first world in whose tables a query finds something, and what it finds first."""
    for seed in range(MOST_SEEDS):
        bank = Bank(seed)
        found = sql(bank.session, query)
        if found:
            return bank, found[0][0]
    raise AssertionError(f"none of {MOST_SEEDS} worlds has a row for {query}")


def _sixth_code_while_the_fifth_is_valid() -> Outcome:
    bank, _ = _first(
        "SELECT count(*) FROM one_time_code, world_now WHERE sent_at > date(today, '-1 day') || substr(moment, 11)"
        " HAVING count(*) = 4"
    )
    return _code_twice(bank)


def _remove_scheduled_and_in_progress() -> Outcome:
    """On a weekend every payment waits."""
    bank, payee_id = _first(
        "SELECT payee_id FROM scheduled_payment, world_now WHERE status = 'active'"
        " AND strftime('%w', today) IN ('0', '6') ORDER BY 1"
    )
    bank.pay(from_account_id=bank.sender()["account_id"], payee_id=payee_id)
    return bank.call("remove_payee", payee_id=payee_id)


def _unlock_expired_and_disputed() -> Outcome:
    bank, bought = _first(
        "SELECT transaction_id FROM bank_transaction t JOIN card_now c USING (card_id), world_now"
        " WHERE c.status = 'expired' AND t.status = 'posted' AND t.direction = 'outgoing'"
        " AND t.posted_at >= date(today, '-60 days') ORDER BY 1"
    )
    bank.done("dispute_bank_transaction", transaction_id=bought, reason="unrecognized")
    return bank.call("set_card_lock", card_id=bank.cards("expired")[0]["card_id"], state="active")


def more() -> dict[tuple[str, str], Callable[[], Outcome]]:
    """Ways that tests of the order of refusals need besides those of `reach`."""
    return {
        ("request_one_time_code", "a valid one, and five sent"): _sixth_code_while_the_fifth_is_valid,
        ("remove_payee", "scheduled, and in progress"): _remove_scheduled_and_in_progress,
        ("set_card_lock", "expired, and locked by a dispute"): _unlock_expired_and_disputed,
        ("set_card_spending_limit", "expired, and unchanged"): lambda: _limit("expired", 0)(Bank(0)),
    }
