"""What the banking server does on both sides of an edge of time or of an amount.

Covers: the second at which a code runs out, a payee is new no more, a payment waits, a limit starts anew, a card
expires and a dispute comes too late; the cent and the day up to which something may be done. Each write is compared
with the model as well (tests/support/banking_model.py).
"""

from __future__ import annotations

import calendar
from datetime import date, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from proverl.laws.oracles import tables_of
from support.bank import some
from support.banking_books import at, sql
from support.banking_model import Watched

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
MONDAY = 0


def local(text: str) -> datetime:
    return at(text).replace(tzinfo=None)


def now(bank: Watched) -> datetime:
    return tables_of(bank.session).now


def wait_for(bank: Watched, weekday: int, clock: str) -> datetime:
    """Wait for the next such day of the week and time of day; returns it."""
    midnight = datetime.combine(now(bank).date(), datetime.min.time())
    hours, minutes, seconds = map(int, clock.split(":"))
    days = (weekday - midnight.weekday()) % 7 or 7
    moment = midnight + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    bank.wait_until(moment)
    return moment


def rewrite(bank: Watched, statement: str, *values: Any) -> None:
    """Change rows behind the tools' back."""
    with bank.session.store.transaction():
        bank.session.store.write(statement, values)


def book(bank: Watched, **columns: Any) -> None:
    """Add a transaction behind the tools' back, moving no balance: an outgoing one of now unless said otherwise."""
    number = sql(bank.session, "SELECT count(*) FROM bank_transaction")[0][0]
    usual = {"transaction_id": f"txn_new_{number}", "posted_at": f"{now(bank).isoformat()}-07:00", "searched": ""}
    usual |= {"merchant": "Corner Brew", "direction": "outgoing", "category": "dining", "status": "posted"}
    row = usual | columns
    marks = ", ".join("?" * len(row))
    rewrite(bank, f"INSERT INTO bank_transaction ({', '.join(row)}) VALUES ({marks})", *row.values())


def two(bank: Watched) -> dict[str, str]:
    """The checking account with the most money, and one with less."""
    accounts = [row for row in bank.accounts(status="open") if row["kind"] != "credit"]
    out = bank.sender()["account_id"]
    into = next(row["account_id"] for row in accounts if row["account_id"] != out and 1 < row["available"] < 2000)
    return {"from_account_id": out, "to_account_id": into}


# Codes


@pytest.mark.parametrize(
    ("later", "code"), [(timedelta(minutes=10) - SECOND, ""), (timedelta(minutes=10), "code_expired")]
)
@pytest.mark.parametrize("purpose", ["payee", "payment", "limit"])
def test_a_code_works_for_ten_minutes(purpose: str, later: timedelta, code: str) -> None:
    bank = Watched(0)
    card, sent = bank.cards()[0], now(bank)
    given = {"one_time_code": bank.fresh_code(purpose)}
    bank.wait_until(sent + later)
    if purpose == "payee":
        outcome = bank.add(**given)
    elif purpose == "payment":
        ids = {"from_account_id": bank.sender()["account_id"], "payee_id": bank.old_payee()}
        outcome = bank.pay(**ids, amount=1000.01, **given)
    else:
        more = {"card_id": card["card_id"], "daily_limit": card["daily_spend_limit"] + 10}
        outcome = bank.call("set_card_spending_limit", **more, **given)
    assert outcome.code == code


def test_a_code_is_sent_again_once_the_last_one_has_run_out() -> None:
    bank = Watched(0)
    sent = now(bank)
    bank.fresh_code("limit")
    bank.wait_until(sent + timedelta(minutes=10) - SECOND)
    assert bank.call("request_one_time_code", purpose="limit").code == "code_still_active"
    bank.wait_until(sent + timedelta(minutes=10))
    assert bank.call("request_one_time_code", purpose="limit").succeeded


def test_a_sixth_code_is_sent_24_hours_after_the_first_of_five() -> None:
    bank = Watched(0)
    bank.wait_until(now(bank) + 2 * DAY)  # after all codes of the world
    first = now(bank)
    for number in range(5):
        bank.wait_until(first + timedelta(hours=4 * number))
        bank.fresh_code("payee")
    bank.wait_until(first + DAY - SECOND)
    refused = bank.call("request_one_time_code", purpose="payee")
    assert refused.code == "too_many_codes"
    assert (first + DAY).isoformat() in refused.message
    bank.wait_until(first + DAY)
    assert bank.call("request_one_time_code", purpose="payee").succeeded
    assert bank.call("request_one_time_code", purpose="limit").code == "too_many_codes"
    bank.wait_until(first + DAY + timedelta(hours=4))
    assert bank.call("request_one_time_code", purpose="limit").succeeded


# Payees


def test_a_payee_is_new_for_24_hours() -> None:
    bank = Watched(0)
    added = now(bank) + timedelta(minutes=1)
    payee = bank.add(one_time_code=bank.fresh_code("payee")).value
    assert local(payee["full_limit_from"]) == added + DAY
    ids = {"from_account_id": bank.sender()["account_id"], "payee_id": payee["payee_id"]}
    bank.wait_until(added + DAY - SECOND)
    assert bank.pay(**ids, amount=500.01).code == "new_payee_limit"
    bank.wait_until(added + DAY)
    assert bank.pay(**ids, amount=500.01).succeeded


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("123456", ""),
        ("1" * 17, ""),
        ("12345", "invalid_account_number"),
        ("1" * 18, "invalid_account_number"),
        ("12345x", "invalid_account_number"),
        ("١٢٣٤٥٦", "invalid_account_number"),
        ("", "invalid_account_number"),
    ],
)
def test_an_account_number_has_6_to_17_digits(number: str, code: str) -> None:
    bank = Watched(0)
    assert bank.add(account_number=number, one_time_code=bank.fresh_code("payee")).code == code


def test_a_payee_is_known_by_bank_and_number_together() -> None:
    bank = Watched(0)
    known = sql(bank.session, "SELECT account_number, routing_number FROM payee")
    (number, home), banks = known[0], {routing for _, routing in known}
    elsewhere = min(banks - {routing for same, routing in known if same == number})
    for given, routing, code in [(number, home, "payee_exists"), (number, elsewhere, ""), (f"{number}0", home, "")]:
        outcome = bank.add(
            account_number=given, routing_number=routing, one_time_code=bank.fresh_code("payee") if not code else "0"
        )
        assert outcome.code == code


@pytest.mark.parametrize(
    ("weekday", "clock", "status", "days"),
    [
        (0, "00:00:00", "posted", 0),
        (0, "15:59:59", "posted", 0),
        (0, "16:00:00", "pending", 1),
        (3, "23:59:59", "pending", 1),
        (4, "15:59:59", "posted", 0),
        (4, "16:00:00", "pending", 3),
        (5, "00:00:00", "pending", 2),
        (5, "23:00:00", "pending", 2),
        (6, "09:00:00", "pending", 1),
        (6, "23:59:59", "pending", 1),
    ],
)
def test_a_payment_before_four_on_a_business_day_arrives_then(weekday: int, clock: str, status: str, days: int) -> None:
    bank = Watched(0)
    moment = wait_for(bank, weekday, clock)
    paid = bank.pay(from_account_id=bank.sender()["account_id"], payee_id=bank.old_payee()).value
    assert (paid["status"], paid["arrives_on"]) == (status, (moment + days * DAY).date().isoformat())


def test_a_payee_with_a_payment_on_its_way_stays() -> None:
    bank = Watched(0)
    wait_for(bank, 5, "09:00:00")
    busy = {row["payee_id"] for state in ("active", "paused") for row in bank.schedules(state)}
    free = some([row["payee_id"] for row in bank.payees() if row["payee_id"] not in busy])
    for amount in (1.25, 2.25):
        assert bank.pay(from_account_id=bank.sender()["account_id"], payee_id=free[0], amount=amount).succeeded
    refused = bank.call("remove_payee", payee_id=free[0])
    assert refused.code == "payment_in_progress"
    assert "1.25" in refused.message, "the first of the two"


@pytest.mark.parametrize("status", ["active", "paused"])
def test_a_payee_can_be_removed_once_all_scheduled_payments_have_ended(status: str) -> None:
    bank = Watched(0)
    wait_for(bank, MONDAY, "09:00:00")
    payee = bank.schedules(status)[0]["payee_id"]
    for state in ("active", "paused"):
        for row in bank.done("list_scheduled_payments", payee_id=payee, status=state)["scheduled_payments"]:
            assert bank.call("remove_payee", payee_id=payee).code == "payee_has_scheduled_payments"
            key = row["scheduled_payment_id"]
            assert bank.call("cancel_scheduled_payment", scheduled_payment_id=key).succeeded
    assert bank.call("remove_payee", payee_id=payee).succeeded


# Limits of a day and of a month


def test_the_daily_limit_starts_anew_at_midnight() -> None:
    bank = Watched(0)
    ids = two(bank)
    whole = bank.done("get_bank_account", account_id=ids["from_account_id"])["daily_limit"]
    night = wait_for(bank, MONDAY, "23:59:59")
    left = bank.done("get_bank_account", account_id=ids["from_account_id"])["daily_limit_left"]
    assert left == whole
    assert bank.transfer(**ids, amount=left).succeeded
    bank.wait_until(night)  # a write takes a minute
    assert bank.transfer(**ids, amount=0.01).code == "daily_limit_exceeded"
    bank.wait_until(night + SECOND)
    assert bank.transfer(**ids, amount=0.01).succeeded


def test_savings_withdrawals_start_anew_with_the_month() -> None:
    bank = Watched(0)
    first = (now(bank).replace(day=1, hour=0) + timedelta(days=31)).replace(day=1)
    savings = bank.accounts(kind="savings", status="open")[0]["account_id"]
    ids = {"from_account_id": savings, "to_account_id": bank.sender()["account_id"]}
    bank.wait_until(first)
    for _ in range(6):
        assert bank.transfer(**ids, amount=0.01).succeeded
    end = (first + timedelta(days=31)).replace(day=1)
    bank.wait_until(end - SECOND)
    assert bank.transfer(**ids, amount=0.01).code == "savings_withdrawal_limit"
    bank.wait_until(end)
    assert bank.done("get_bank_account", account_id=savings)["savings_withdrawals_left"] == 6
    assert bank.transfer(**ids, amount=0.01).succeeded


def test_a_withdrawal_of_the_first_second_of_a_month_counts() -> None:
    bank = Watched(0)
    savings = bank.accounts(kind="savings", status="open")[0]["account_id"]
    bank.wait_until((now(bank).replace(day=1, hour=0) + timedelta(days=31)).replace(day=1))
    bank.transfer(from_account_id=savings, to_account_id=bank.sender()["account_id"])
    assert bank.done("get_bank_account", account_id=savings)["savings_withdrawals_left"] == 5


def test_all_that_is_available_can_be_sent_and_no_cent_more() -> None:
    bank = Watched(0)
    ids = two(bank)
    pool = {"from_account_id": ids["to_account_id"], "to_account_id": ids["from_account_id"]}
    available = bank.done("get_bank_account", account_id=pool["from_account_id"])["available"]
    assert bank.transfer(**pool, amount=round(available + 0.01, 2)).code == "insufficient_funds"
    assert bank.transfer(**pool, amount=available).succeeded
    assert bank.transfer(**pool, amount=0.01).code == "insufficient_funds"


def test_a_credit_account_that_owes_nothing_takes_no_transfer() -> None:
    bank = Watched(0)
    credit = bank.accounts(kind="credit")[0]["account_id"]
    ids = {"from_account_id": bank.sender()["account_id"], "to_account_id": credit}
    for balance in (0, 5_00):  # a refund can leave the bank owing something
        rewrite(bank, "UPDATE account SET balance = ? WHERE account_id = ?", balance, credit)
        refused = bank.transfer(**ids, amount=0.01)
        assert refused.code == "credit_overpayment"
        assert "the 0.00 owed" in refused.message


def test_only_what_is_pending_and_leaves_an_account_is_held_back() -> None:
    bank = Watched(0)
    account = max(bank.accounts(status="open"), key=lambda row: row["balance"])
    key = {"account_id": account["account_id"]}
    held = bank.done("get_bank_account", **key)
    for state, direction, more in (("pending", "incoming", 0), ("disputed", "outgoing", 0), ("pending", "outgoing", 7)):
        book(bank, **key, amount=7_00, status=state, direction=direction)
        shown = bank.done("get_bank_account", **key)
        assert shown["pending_total"] == held["pending_total"] + more
        assert shown["available"] == held["available"] - more


def test_only_what_is_sent_to_payees_and_own_accounts_today_uses_up_the_daily_limit() -> None:
    bank = Watched(0)
    ids = two(bank)
    key = {"account_id": ids["from_account_id"]}
    whole = bank.done("get_bank_account", **key)["daily_limit_left"]
    today, other = f"{now(bank):%Y-%m-%d}T00:00:00-07:00", ids["to_account_id"]
    yesterday, payee = f"{now(bank) - DAY:%Y-%m-%d}T23:59:59-07:00", bank.old_payee()
    rows: list[tuple[float, dict[str, Any]]] = [
        (0, {"posted_at": today}),
        (0, {"posted_at": today, "other_account_id": other, "direction": "incoming"}),
        (0, {"posted_at": yesterday, "other_account_id": other}),
        (3, {"posted_at": today, "other_account_id": other}),
        (3, {"posted_at": today, "payee_id": payee, "status": "pending"}),
    ]
    for used, row in rows:
        book(bank, **key, amount=3_00, **row)
        whole -= used
        assert bank.done("get_bank_account", **key)["daily_limit_left"] == whole, row


# Cards and disputes


def test_a_card_is_valid_until_the_end_of_its_last_day() -> None:
    bank = Watched(0)
    card = min(bank.cards(), key=lambda row: row["expires_on"])
    end = datetime.fromisoformat(card["expires_on"]) + DAY
    bank.wait_until(end - SECOND)
    assert bank.call("set_card_lock", card_id=card["card_id"], state="locked").succeeded
    bank.wait_until(end)
    assert bank.call("set_card_lock", card_id=card["card_id"], state="active", pin=bank.pin).code == "card_expired"
    lower = {"card_id": card["card_id"], "daily_limit": 50}
    assert bank.call("set_card_spending_limit", **lower).code == "card_expired"


def purchase(bank: Watched) -> dict[str, Any]:
    """The newest one with a card that is neither locked nor expired."""
    usable = {row["card_id"] for row in bank.cards()}
    found = bank.transactions(status="posted", direction="outgoing")
    return some([row for row in found if row["card_id"] in usable])[0]


@pytest.mark.parametrize(("days", "code"), [(60, ""), (61, "dispute_window_closed")])
def test_a_purchase_can_be_disputed_for_sixty_days(days: int, code: str) -> None:
    bank = Watched(0)
    bought = purchase(bank)
    bank.wait_until(datetime.fromisoformat(bought["posted_on"]) + days * DAY)
    ids = {"transaction_id": bought["transaction_id"]}
    assert bank.call("dispute_bank_transaction", **ids, reason="overcharged").code == code


@pytest.mark.parametrize("weekday", range(7))
def test_the_bank_decides_a_dispute_ten_business_days_later(weekday: int) -> None:
    bank = Watched(0)
    bought = purchase(bank)
    moment = wait_for(bank, weekday, "12:00:00")
    day = moment.date()
    decision = {0: 14, 1: 14, 2: 14, 3: 14, 4: 14, 5: 13, 6: 12}[weekday]  # ten times Monday to Friday
    value = bank.call("dispute_bank_transaction", transaction_id=bought["transaction_id"], reason="duplicate").value
    assert value["decision_by"] == (day + decision * DAY).isoformat()


@pytest.mark.parametrize(("cents", "credit"), [(25_00, 25.0), (25_01, 0.0), (1, 0.01)])
def test_up_to_25_dollars_are_credited_at_once(cents: int, credit: float) -> None:
    bank = Watched(0)
    bought = purchase(bank)["transaction_id"]
    rewrite(bank, "UPDATE bank_transaction SET amount = ? WHERE transaction_id = ?", cents, bought)
    value = bank.call("dispute_bank_transaction", transaction_id=bought, reason="undelivered").value
    assert (value["provisional_credit"], value["card_status"]) == (credit, "active")


def test_a_refund_cannot_be_disputed() -> None:
    bank = Watched(0)
    refund = some([row for row in bank.transactions(direction="incoming", text="refund") if row["card_id"]])[0]
    refused = bank.call("dispute_bank_transaction", transaction_id=refund["transaction_id"], reason="duplicate")
    assert refused.code == "not_a_card_transaction"


# Scheduled payments


def schedule(bank: Watched, **given: Any) -> str:
    ids = {"from_account_id": bank.sender()["account_id"], "payee_id": bank.old_payee()}
    return bank.schedule(**ids, **given).code


def test_a_scheduled_payment_starts_after_today_and_within_one_year() -> None:
    for seed in range(4):
        bank = Watched(seed)
        day = now(bank).date()
        last = day.replace(year=day.year + 1)
        days = {day - DAY: "date_not_in_future", day: "date_not_in_future", last + DAY: "invalid_argument"}
        for start, code in [*days.items(), (day + DAY, ""), (last, "")]:
            amount = 1 + abs((start - day).days) / 100  # another one each time
            assert schedule(bank, start_date=start.isoformat(), amount=amount) == code, start


@pytest.mark.parametrize("day", ["02-28", "02-29", "03-01"])
def test_a_year_from_the_29th_of_february_ends_on_the_28th(day: str) -> None:
    bank = Watched(0)
    leap = next(year for year in count(now(bank).year + 1) if calendar.isleap(year))
    bank.wait_until(datetime.fromisoformat(f"{leap}-{day}T09:00:00"))
    last = date(leap + 1, 3, 1) if day == "03-01" else date(leap + 1, 2, 28)
    assert schedule(bank, start_date=(last + DAY).isoformat()) == "invalid_argument"
    assert schedule(bank, start_date=last.isoformat()) == ""


@pytest.mark.parametrize(
    ("frequency", "days", "code"),
    [("weekly", 0, ""), ("monthly", 1, ""), ("weekly", -1, "end_before_start"), ("single", 1, "invalid_argument")],
)
def test_a_repeating_payment_may_end_on_its_first_day(frequency: str, days: int, code: str) -> None:
    bank = Watched(0)
    start = now(bank).date() + 7 * DAY
    given = {"start_date": start.isoformat(), "end_date": (start + days * DAY).isoformat()}
    assert schedule(bank, frequency=frequency, **given) == code


@pytest.mark.parametrize("field", ["start_date", "end_date"])
@pytest.mark.parametrize("text", ["2033-02-30", "tomorrow", "2033-1-1", "20330101", ""])
def test_a_day_that_is_no_day_is_refused(field: str, text: str) -> None:
    bank = Watched(0)
    days = {"start_date": (now(bank).date() + DAY).isoformat(), field: text}
    assert bank.schedule(from_account_id="acc_0001", payee_id="pay_0001", **days).code == "invalid_argument"


def test_a_payment_can_be_stopped_until_the_day_before_it_is_due() -> None:
    bank = Watched(0)
    today = now(bank).date().isoformat()
    coming = next(row for row in bank.schedules("active") if row["next_date"] > today)
    key = {"scheduled_payment_id": coming["scheduled_payment_id"]}
    due = datetime.fromisoformat(coming["next_date"])
    bank.wait_until(due)
    assert bank.call("cancel_scheduled_payment", **key).code == "due_today"
    bank.wait_until(due - SECOND)
    assert bank.call("cancel_scheduled_payment", **key).succeeded
    assert bank.call("cancel_scheduled_payment", **key).code == "already_ended"


def test_a_paused_payment_is_not_due_and_can_be_stopped_on_any_day() -> None:
    bank = Watched(0)
    paused = bank.schedules("paused")[0]
    bank.wait_until(datetime.fromisoformat(paused["next_date"]))
    assert bank.call("cancel_scheduled_payment", scheduled_payment_id=paused["scheduled_payment_id"]).succeeded


@pytest.mark.parametrize("change", [{}, {"amount": 2.5}, {"frequency": "monthly"}, {"start_date": 9}])
def test_a_payee_has_one_payment_of_an_amount_and_a_frequency_that_has_not_ended(change: dict[str, Any]) -> None:
    bank = Watched(0)
    start = now(bank).date()
    given = {"amount": 1.25, "frequency": "weekly", "start_date": 5}
    codes = []
    for more in ({}, change):
        whole = {**given, **more}
        day = (start + whole.pop("start_date") * DAY).isoformat()
        codes.append(schedule(bank, start_date=day, **whole))
    assert codes == ["", "" if {"amount", "frequency"} & change.keys() else "duplicate_schedule"]
    assert sql(bank.session, "SELECT 1 FROM scheduled_payment WHERE next_date = ?", (start + 5 * DAY).isoformat())


def test_a_payment_that_ended_can_be_set_up_again() -> None:
    bank = Watched(0)
    ended = bank.schedules("ended")[0]
    same = {name: ended[name] for name in ("payee_id", "amount", "frequency", "from_account_id")}
    assert bank.schedule(**same, start_date=(now(bank).date() + DAY).isoformat()).succeeded
