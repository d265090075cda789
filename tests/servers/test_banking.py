"""The banking server: its rules, one example each.

Money is counted here independently of the server: from the stored transactions, not from balances.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proverl.records import Kind
from proverl.servers import load
from proverl.servers.banking import seed
from proverl.servers.banking.one_time_codes import one_time_code
from proverl.servers.banking.routing_numbers import bank_of
from proverl.synth.phrases import read
from proverl.world.builder import Builder
from support.bank import ROUTING, Bank
from support.banking_books import broken_books

SERVER = load("banking")
SEEDS = range(12)


def test_the_server_says_what_it_is_and_where_to_look_first() -> None:
    assert SERVER.category == "Finance"
    assert SERVER.about.startswith("Online banking of one retail customer")
    lists = {"list_bank_accounts", "list_payees", "list_scheduled_payments", "list_bank_cards"}
    assert set(SERVER.discovery) == lists | {"search_bank_transactions"}


# Refusals


def test_of_several_reasons_to_refuse_a_transfer_the_first_in_order_is_given() -> None:
    bank = Bank(0)
    frozen = bank.accounts(status="frozen")[0]["account_id"]
    closed = bank.accounts(status="closed")[0]["account_id"]
    credit = bank.accounts(kind="credit")[0]["account_id"]
    sender = bank.sender()
    wrong = {"pin": bank.wrong_pin, "amount": 900_000}
    cases = [
        ("account_not_found", "acc_0001", "acc_0001"),
        ("same_account", frozen, frozen),
        ("account_frozen", frozen, closed),
        ("account_closed", closed, frozen),
        ("account_closed", credit, closed),
        ("credit_cannot_send", credit, sender["account_id"]),
        ("insufficient_funds", sender["account_id"], credit),
    ]
    for code, out, into in cases:
        assert bank.transfer(from_account_id=out, to_account_id=into, **wrong).code == code
    least = {"amount": 0.01, "pin": bank.wrong_pin}
    assert bank.transfer(from_account_id=sender["account_id"], to_account_id=frozen, **least).code == "wrong_pin"


def test_of_several_reasons_to_refuse_a_payment_the_first_in_order_is_given() -> None:
    bank = Bank(0)
    blocked = bank.payees(status="blocked")[0]["payee_id"]
    frozen, sender = bank.accounts(status="frozen")[0]["account_id"], bank.sender()["account_id"]
    active = bank.old_payee()
    wrong = {"pin": bank.wrong_pin, "amount": 1500}
    assert bank.pay(from_account_id=frozen, payee_id=blocked, **wrong).code == "payee_blocked"
    assert bank.pay(from_account_id=frozen, payee_id=active, **wrong).code == "account_frozen"
    assert bank.pay(from_account_id=sender, payee_id=active, **wrong).code == "code_required"
    code = {"one_time_code": "000000"}
    assert bank.pay(from_account_id=sender, payee_id=active, **wrong, **code).code == "wrong_code"
    code = {"one_time_code": bank.fresh_code("payment")}
    assert bank.pay(from_account_id=sender, payee_id=active, **wrong, **code).code == "wrong_pin"
    assert bank.pay(from_account_id=sender, payee_id=active, amount=1500, **code).succeeded


# Money


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.data())
def test_no_sequence_of_calls_breaks_the_books(data: st.DataObject) -> None:
    move_money(data, 10)


@pytest.mark.soak
@settings(max_examples=400, deadline=None)
@given(st.data())
def test_no_long_sequence_of_calls_breaks_the_books(data: st.DataObject) -> None:
    move_money(data, 40)


def move_money(data: st.DataObject, calls: int) -> None:
    """Move money in ways that mostly work, and look into the books after each."""
    bank = Bank(data.draw(st.sampled_from(SEEDS)))
    accounts = [row["account_id"] for row in bank.accounts()]
    payees = [row["payee_id"] for row in bank.payees()]
    bought = [row["transaction_id"] for row in bank.transactions(direction="outgoing")]
    amounts = st.integers(1, 150_000).map(lambda cents: cents / 100)
    for _ in range(calls):
        kind = data.draw(st.sampled_from(["transfer", "pay", "dispute"]))
        if kind == "dispute":
            chosen = data.draw(st.sampled_from(bought))
            bank.call("dispute_bank_transaction", transaction_id=chosen, reason="duplicate")
        else:
            act = bank.transfer if kind == "transfer" else bank.pay
            target = {"to_account_id": accounts} if kind == "transfer" else {"payee_id": payees}
            given = {name: data.draw(st.sampled_from(ids)) for name, ids in target.items()}
            act(from_account_id=data.draw(st.sampled_from(accounts)), amount=data.draw(amounts), **given)
        assert broken_books(bank.session) == []


def test_a_transfer_moves_the_same_amount_out_of_one_account_and_into_the_other() -> None:
    bank = Bank(0)
    sender = bank.sender()
    receiver = bank.accounts(kind="savings", status="open")[0]
    value = bank.transfer(
        from_account_id=sender["account_id"], to_account_id=receiver["account_id"], amount=12.34
    ).value
    assert round(value["from_balance"] * 100) == round(sender["balance"] * 100) - 1234
    assert round(value["to_balance"] * 100) == round(receiver["balance"] * 100) + 1234
    legs = bank.transactions(text="transfer")[:2]
    assert {(leg["account_id"], leg["direction"], leg["amount"]) for leg in legs} == {
        (sender["account_id"], "outgoing", 12.34),
        (receiver["account_id"], "incoming", 12.34),
    }


def test_a_credit_account_can_be_paid_off_to_the_cent_and_not_beyond() -> None:
    bank = Bank(0)
    credit = max(bank.accounts(kind="credit"), key=lambda row: row["balance"])
    ids = {"from_account_id": bank.sender()["account_id"], "to_account_id": credit["account_id"]}
    owed = -credit["balance"]
    assert bank.transfer(**ids, amount=round(owed + 0.01, 2)).code == "credit_overpayment"
    assert bank.transfer(**ids, amount=owed).value["to_balance"] == 0
    assert bank.transfer(**ids, amount=0.01).code == "credit_overpayment"


def test_a_frozen_account_takes_money_in() -> None:
    bank = Bank(0)
    frozen = bank.accounts(status="frozen")[0]
    value = bank.transfer(from_account_id=bank.sender()["account_id"], to_account_id=frozen["account_id"]).value
    assert value["to_balance"] == pytest.approx(frozen["balance"] + 1)


def test_transfers_and_payments_use_up_the_daily_limit_together() -> None:
    bank = Bank(0)
    rich = max(bank.accounts(kind="savings", status="open"), key=lambda row: row["available"])["account_id"]
    before = bank.done("get_bank_account", account_id=rich)
    bank.transfer(from_account_id=rich, to_account_id=bank.sender()["account_id"], amount=40)
    after = bank.done("get_bank_account", account_id=rich)
    assert after["daily_limit_left"] == before["daily_limit_left"] - 40
    assert after["savings_withdrawals_left"] == before["savings_withdrawals_left"] - 1
    sender = bank.sender()["account_id"]
    before = bank.done("get_bank_account", account_id=sender)
    bank.pay(from_account_id=sender, payee_id=bank.old_payee(), amount=60)
    after = bank.done("get_bank_account", account_id=sender)
    assert after["daily_limit_left"] == before["daily_limit_left"] - 60


# Payees


def test_a_new_payee_receives_500_dollars_in_all() -> None:
    bank = Bank(0)
    sender = max(bank.accounts(kind="checking", status="open"), key=lambda row: row["available"])["account_id"]
    payee = bank.add(one_time_code=bank.fresh_code("payee")).value["payee_id"]
    assert bank.pay(from_account_id=sender, payee_id=payee, amount=300).succeeded
    assert bank.pay(from_account_id=sender, payee_id=payee, amount=200.01).code == "new_payee_limit"
    assert bank.pay(from_account_id=sender, payee_id=payee, amount=200).succeeded
    assert bank.pay(from_account_id=sender, payee_id=payee, amount=0.01).code == "new_payee_limit"


def test_a_removed_payee_is_gone_and_can_be_saved_again() -> None:
    bank = Bank(1)
    first = bank.add(one_time_code=bank.fresh_code("payee")).value["payee_id"]
    assert bank.call("remove_payee", payee_id=first).succeeded
    assert first not in {row["payee_id"] for row in bank.payees()}
    assert bank.call("remove_payee", payee_id=first).code == "payee_not_found"
    second = bank.add(one_time_code=bank.fresh_code("payee")).value["payee_id"]
    assert second != first


def test_any_wrong_digit_in_a_routing_number_is_noticed() -> None:
    assert bank_of("021000021") == "Harbor National Bank"
    assert bank_of("061000104") == "Atlanta district bank 100010"
    for place in range(9):
        for digit in "0123456789":
            changed = ROUTING[:place] + digit + ROUTING[place + 1 :]
            assert (bank_of(changed) is not None) == (changed == ROUTING)
    for text in ("", "02100002", "0210000210", "02100002x", "٠٢١٠٠٠٠٢١", "991000019"):
        assert bank_of(text) is None


def test_a_routing_number_begins_with_its_district_to_which_a_savings_institution_adds_20() -> None:
    cities = "Boston,New York,Philadelphia,Cleveland,Richmond,Atlanta,Chicago,St. Louis,Minneapolis,Kansas City"
    districts = dict(enumerate([*cities.split(","), "Dallas", "San Francisco"], start=1))
    for first in range(100):
        body = f"{first:02d}345678"
        whole = sum(int(digit) * weight for digit, weight in zip(body, [3, 7, 1] * 2 + [3, 7], strict=True))
        city = districts.get(first) or districts.get(first - 20)
        assert bank_of(f"{body}{-whole % 10}") == (city and f"{city} district bank 345678")


# One-time codes


def test_codes_follow_rfc_4226() -> None:
    key = b"12345678901234567890".hex()  # the vectors of its appendix D
    vectors = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]
    assert [one_time_code(key, number) for number in range(10)] == vectors


def test_a_code_works_once_and_for_its_purpose_only() -> None:
    bank = Bank(0)
    card = bank.cards()[0]
    code = bank.fresh_code("limit")
    more = {"card_id": card["card_id"], "daily_limit": card["daily_spend_limit"] + 10}
    assert bank.add(one_time_code=code).code in ("no_active_code", "wrong_code")
    assert bank.call("set_card_spending_limit", **more, one_time_code=code).succeeded
    again = {**more, "daily_limit": card["daily_spend_limit"] + 20}
    assert bank.call("set_card_spending_limit", **again, one_time_code=code).code == "wrong_code"


def test_a_small_payment_leaves_a_code_for_later() -> None:
    bank = Bank(0)
    ids = {"from_account_id": bank.sender()["account_id"], "payee_id": bank.old_payee()}
    code = bank.fresh_code("payment")
    assert bank.pay(**ids, amount=1000, one_time_code=code).succeeded
    assert bank.pay(**ids, amount=1000.01, one_time_code=code).succeeded


def test_a_code_cannot_be_read_from_the_answer_that_announces_it() -> None:
    bank = Bank(0)
    answer = bank.call("request_one_time_code", purpose="payee").observation()
    assert bank.newest_code("payee") not in answer


# Cards and disputes


def test_locking_needs_no_pin_and_lowering_a_limit_no_code() -> None:
    bank = Bank(0)
    card = next(card for card in bank.cards() if card["daily_spend_limit"] > 50)
    ids = {"card_id": card["card_id"]}
    assert bank.call("set_card_spending_limit", **ids, daily_limit=50).value["new_limit"] == 50
    assert bank.call("set_card_lock", **ids, state="locked").succeeded
    assert bank.call("set_card_lock", **ids, state="active").code == "pin_required"
    assert bank.call("set_card_lock", **ids, state="active", pin=bank.pin).value["status"] == "active"


# Reading


def everything(bank: Bank, **filters: Any) -> list[dict[str, Any]]:
    """All pages of a search."""
    found: list[dict[str, Any]] = []
    page: int | None = 1
    while page is not None:
        shown = bank.done("search_bank_transactions", limit=50, page=page, **filters)
        found += shown["transactions"]
        page = shown["next_page"]
    assert len(found) == shown["count"]
    return found


def test_pages_show_every_transaction_once_newest_first() -> None:
    found = everything(Bank(1))
    assert len({row["transaction_id"] for row in found}) == len(found) >= 600
    days = [row["posted_on"] for row in found]
    assert days == sorted(days, reverse=True)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.data())
def test_a_search_finds_what_a_reader_of_all_transactions_would_pick_out(data: st.DataObject) -> None:
    bank = Bank(data.draw(st.sampled_from([0, 1])))
    rows = everything(bank)
    sample = data.draw(st.sampled_from(rows))
    possible = {
        "account_id": sample["account_id"],
        "card_id": sample["card_id"],
        "text": sample["merchant"].upper()[:60],
        "direction": sample["direction"],
        "status": sample["status"],
        "date_from": sample["posted_on"],
        "date_to": sample["posted_on"],
    }
    names = data.draw(st.sets(st.sampled_from(sorted(possible)), min_size=1))
    filters = {name: possible[name] for name in names if possible[name] is not None}

    def fits(row: dict[str, Any]) -> bool:
        words = f"{row['merchant']} {row['memo'] or ''}".lower()
        return all(
            {
                "text": all(word in words for word in str(wanted).lower().split()),
                "date_from": row["posted_on"] >= wanted,
                "date_to": row["posted_on"] <= wanted,
            }.get(name, row.get(name) == wanted)
            for name, wanted in filters.items()
        )

    assert everything(bank, **filters) == [row for row in rows if fits(row)]


def test_messages_since_a_moment_include_one_of_that_second() -> None:
    bank = Bank(0)
    messages = bank.done("list_bank_messages")["messages"]
    assert len(messages) == 20
    for row in messages:
        fit = [one for one in messages if one["sent_at"] >= row["sent_at"]]
        assert bank.done("list_bank_messages", since=row["sent_at"])["messages"] == fit


def test_a_percent_sign_in_a_search_is_a_percent_sign() -> None:
    bank = Bank(0)
    assert bank.call("search_bank_transactions", text="%%").kind is Kind.EMPTY
    assert bank.call("list_payees", text="__").kind is Kind.EMPTY


def test_a_world_that_lacks_what_is_promised_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    promises = {"a vault": "SELECT 0", "a customer": "SELECT count(*) FROM customer", "no debts": "SELECT NULL"}
    monkeypatch.setattr(seed, "data", lambda _: promises)
    world = Builder(SERVER.schema, "banking", 1, ["acc", "crd", "dsp", "msg", "pay", "sch", "txn"])
    world.open_at(datetime(2031, 5, 14, 9, tzinfo=timezone(timedelta(hours=-7))))
    with pytest.raises(AssertionError, match=re.escape("lacks ['a vault', 'no debts']")):
        seed.build(world)


def test_the_phrases_fit_the_tools() -> None:
    assert set(read(SERVER).tools) == {tool.name for tool in SERVER.tools}
