"""Banking worlds hold what the domain promises and keep the bank's own rules, whatever the seed.

The rules are checked on the rows, in plain Python that calls nothing of the server.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta, timezone
from itertools import combinations, pairwise
from typing import Any

import pytest

from proverl.errors import Refused
from proverl.servers import load
from proverl.servers.banking.ledger import book
from proverl.servers.banking.results import ACCOUNT, CARD
from proverl.servers.banking.routing_numbers import bank_of
from proverl.servers.banking.seed.purchases import buy
from proverl.servers.banking.seed.rows import Life
from proverl.world.builder import Builder
from support.bank import Bank
from support.banking_books import Books, arrival, at, books, broken_books, same_day_of_month, sql, today

SERVER = load("banking")
SEEDS = range(12)
MANY_SEEDS = range(1000)
LIVES = [*range(6), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(6, 60))]
"""Seeds on which each rule of the bank is checked."""

each_life = pytest.mark.parametrize("life", LIVES)


Promises = dict[str, bool]


def of_accounts(bank: Bank) -> Promises:
    accounts = bank.accounts()
    open_ones = [row for row in accounts if row["status"] == "open"]
    savings = [row["account_id"] for row in open_ones if row["kind"] == "savings"]
    left = [bank.done("get_bank_account", account_id=id)["savings_withdrawals_left"] for id in savings]
    words = [set(row["nickname"].split()) for row in open_ones]
    per_account = dict(sql(bank.session, "SELECT account_id, count(*) FROM bank_transaction GROUP BY 1"))
    states = Counter(row["status"] for row in accounts)
    return {
        "6-9 accounts": 6 <= len(accounts) <= 9,
        "a frozen and a closed one": states["frozen"] == states["closed"] == 1,
        "a savings account one short of its cap": 1 in left,
        "a checking account inside its overdraft": any(
            row["kind"] == "checking" and row["balance"] < 0 < row["available"] for row in open_ones
        ),
        "nicknames that differ by one word": any(len(a ^ b) in (1, 2) and a & b for a in words for b in words),
        "nicknames are unique": len({row["nickname"] for row in accounts}) == len(accounts),
        "20 transactions for each open account": all(per_account[row["account_id"]] >= 20 for row in open_ones),
    }


def of_payees(bank: Bank) -> Promises:
    payees = bank.done("list_payees")["payees"]
    names, surnames = Counter(row["name"] for row in payees), Counter(row["name"].split()[-1] for row in payees)
    yesterday = (today(bank.session) - timedelta(days=1)).isoformat() + "T09:00:00-07:00"
    schedules = bank.done("list_scheduled_payments")["scheduled_payments"]
    states = Counter(row["status"] for row in schedules)
    due = [row["next_date"] for row in schedules].count(today(bank.session).isoformat())
    return {
        "18-35 payees": 18 <= len(payees) <= 35,
        "two people of one surname": max(surnames[name] for name in surnames if name not in names) > 1,
        "a company with two accounts": max(names.values()) == 2,
        "payees are unique": len({(row["name"], row["bank_name"]) for row in payees}) == len(payees),
        "one blocked payee": [row["status"] for row in payees].count("blocked") == 1,
        "a payee of less than a day": any(row["added_at"] > yesterday for row in payees),
        "8-16 scheduled payments": 8 <= len(schedules) <= 16,
        "weekly, monthly and single ones": {row["frequency"] for row in schedules} == {"weekly", "monthly", "single"},
        "one paused, one ended, one due today": states["paused"] == states["ended"] == due == 1,
        "scheduled payments are unique": len({(r["frequency"], r["amount"], r["payee_name"]) for r in schedules})
        == len(schedules),
    }


def of_transactions(bank: Bank) -> Promises:
    day = today(bank.session)
    entries = sql(
        bank.session,
        "SELECT merchant, amount, substr(posted_at, 1, 10), direction, status, card_id FROM bank_transaction",
    )
    bought = Counter((row[0], row[2]) for row in entries if row[5] and row[3] == "outgoing")
    oldest, newest = min(row[2] for row in entries), max(row[2] for row in entries)
    return {
        "600-1400 transactions": 600 <= len(entries) <= 1400,
        "transactions are unique but for those charged twice": 1
        <= len(entries) - len({row[:3] for row in entries})
        <= 3,
        "one merchant twice on a day": max(bought.values()) > 1,
        "pending, disputed and reversed ones": {row[4] for row in entries}
        == {"pending", "posted", "disputed", "reversed"},
        "some older than the dispute window": oldest < (day - timedelta(days=60)).isoformat(),
        "the last 180 days": (day - timedelta(days=180)).isoformat() < oldest < newest <= day.isoformat(),
    }


def of_cards(bank: Bank) -> Promises:
    cards = bank.done("list_bank_cards")["cards"]
    states = Counter(row["status"] for row in cards)
    per_card = dict(sql(bank.session, "SELECT card_id, count(*) FROM bank_transaction GROUP BY 1"))
    homes = {(row["label"].split()[0], row["account_id"]) for row in cards}
    return {
        "4-6 cards": 4 <= len(cards) <= 6,
        "one locked and one expired": states["locked"] == states["expired"] == 1,
        "similar labels on different accounts": max(Counter(word for word, _ in homes).values()) > 1,
        "labels are unique": len({row["label"] for row in cards}) == len(cards),
        "10 transactions for each valid card": all(
            per_card[row["card_id"]] >= 10 for row in cards if row["status"] != "expired"
        ),
    }


def of_messages(bank: Bank) -> Promises:
    opened_at = f"{today(bank.session)}T09:00:00-07:00"
    messages = sql(bank.session, "SELECT subject, sent_at FROM bank_message")
    return {
        "25-60 messages": 25 <= len(messages) <= 60,
        "subjects are unique": len({row[0] for row in messages}) == len(messages),
        "messages of the past": all(row[1] < opened_at for row in messages),
        "no code is valid": not sql(bank.session, "SELECT 1 FROM one_time_code WHERE expires_at > ?", opened_at),
        "codes that were never used": bool(sql(bank.session, "SELECT 1 FROM one_time_code WHERE NOT used")),
    }


def faults(seed: int) -> list[str]:
    """What a world lacks of what the domain promises."""
    bank = Bank(seed)
    promised = [of_accounts, of_payees, of_transactions, of_cards, of_messages]
    broken = [what for of in promised for what, holds in of(bank).items() if not holds]
    return broken + broken_books(bank.session)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_world_holds_all_that_the_domain_promises(seed: int) -> None:
    assert faults(seed) == []


@pytest.mark.soak
def test_a_thousand_seeds_give_a_thousand_valid_worlds() -> None:
    digests = set()
    for seed in MANY_SEEDS:
        assert faults(seed) == [], f"seed {seed}"
        digests.add(SERVER.template(seed).digest)
    assert len(digests) == len(MANY_SEEDS)


def test_seeds_give_different_worlds() -> None:
    assert len({SERVER.template(seed).digest for seed in SEEDS}) == len(SEEDS)


# The bank's rules, kept all through the history


@each_life
def test_no_account_is_ever_below_its_floor(life: int) -> None:
    world = books(life)
    for account_id, account in world.accounts.items():
        balance = account["opening_balance"]
        for moment, moved, _ in world.movements(account_id):
            balance += moved
            assert balance >= -account["overdraft_limit"], f"{account['nickname']} at {moment}"


@each_life
def test_no_account_sends_more_than_its_daily_limit_by_transfers_and_payments(life: int) -> None:
    world = books(life)
    sent = Counter[tuple[str, str]]()
    for row in world.outgoing():
        if row["payee_id"] or row["other_account_id"]:
            sent[row["account_id"], row["posted_at"][:10]] += row["amount"]
    assert len(sent) > 50
    for (account_id, day), total in sent.items():
        assert total <= world.accounts[account_id]["daily_limit"], f"{account_id} on {day}"


@each_life
def test_no_card_spends_more_than_its_daily_limit(life: int) -> None:
    world = books(life)
    spent = Counter[tuple[str, str]]()
    for row in world.outgoing():
        if row["card_id"]:
            spent[row["card_id"], row["posted_at"][:10]] += row["amount"]
    for (card_id, day), total in spent.items():  # limits were only ever raised
        assert total <= world.cards[card_id]["daily_spend_limit"], f"{card_id} on {day}"


@each_life
def test_no_card_is_used_after_it_expired_or_was_locked(life: int) -> None:
    world = books(life)
    ended = 0
    for card in world.cards.values():
        last = card["expires_on"] + "T24"
        if card["locked"]:
            last = world.message(f"Your {card['label']} card is locked")["sent_at"]
        used = [row["posted_at"] for row in world.outgoing(card_id=card["card_id"])]
        assert max(used) < last, card["label"]
        ended += last < world.today.isoformat()
    assert ended == 2


@each_life
def test_a_card_pays_from_its_own_account(life: int) -> None:
    world = books(life)
    for row in world.transactions:
        if row["card_id"]:
            assert row["account_id"] == world.cards[row["card_id"]]["account_id"]


@each_life
def test_a_savings_account_has_at_most_six_withdrawals_a_month(life: int) -> None:
    world = books(life)
    made = Counter((row["account_id"], row["posted_at"][:7]) for row in world.outgoing())
    savings = {key: number for key, number in made.items() if world.accounts[key[0]]["kind"] == "savings"}
    assert max(savings.values()) <= 6
    assert 5 in {number for (_, month), number in savings.items() if month == world.today.isoformat()[:7]}


@each_life
def test_a_frozen_account_sends_nothing_and_a_closed_one_does_nothing_from_then_on(life: int) -> None:
    world = books(life)
    for account in world.accounts.values():
        if account["status"] == "open":
            continue
        since = world.message(f"{account['nickname']} is {account['status']}")["sent_at"]
        rows = [row for row in world.transactions if row["account_id"] == account["account_id"]]
        assert any(row["direction"] == "outgoing" and row["posted_at"] <= since for row in rows)
        for row in rows:
            if row["posted_at"] > since:
                assert (account["status"], row["direction"]) == ("frozen", "incoming")
        assert account["status"] == "frozen" or account["balance"] == 0


@each_life
def test_a_credit_account_sends_nothing_and_is_never_paid_more_than_is_owed(life: int) -> None:
    world = books(life)
    for account_id, account in world.accounts.items():
        if account["kind"] == "credit":
            balance = account["opening_balance"]
            for _, moved, row in world.movements(account_id):
                balance += moved
                assert row["payee_id"] is None
                if row["other_account_id"]:
                    assert row["direction"] == "incoming"
                    assert balance <= 0


@each_life
def test_a_transfer_has_two_legs_of_one_moment(life: int) -> None:
    world = books(life)
    legs = {
        side: sorted(
            (row["posted_at"], row["amount"], *(row[name] for name in names), row["memo"] or "")
            for row in world.transactions
            if row["other_account_id"] and row["direction"] == side
        )
        for side, names in {
            "outgoing": ("account_id", "other_account_id"),
            "incoming": ("other_account_id", "account_id"),
        }.items()
    }
    assert legs["outgoing"] == legs["incoming"] != []


@each_life
def test_a_fee_is_12_dollars_as_the_bank_writes_and_comes_after_an_overdraft(life: int) -> None:
    world = books(life)
    for account_id, account in world.accounts.items():
        balances = [account["opening_balance"]]
        for _, moved, row in world.movements(account_id):
            if row["category"] == "fees":
                assert (row["merchant"], moved) == ("Overdraft fee", -12_00)
                assert balances[-2] < 0, "before the transfer that ended the overdraft"
            balances.append(balances[-1] + moved)


def test_a_purchase_is_refused_as_the_bank_says() -> None:
    """The bank's check of a purchase, which no tool makes."""
    world = Builder(SERVER.schema, "banking", 1, ["acc", "crd", "txn"])
    world.open_at(datetime(2031, 5, 14, 9, tzinfo=timezone(timedelta(hours=-7))))
    life = Life(world, "4417")
    plain = {"kind": "checking", "masked_number": "****1111", "opening_balance": 85_00, "opened_on": "2030-01-01"}
    limits = {"overdraft_limit": 0, "daily_limit": 1_000_00, "status": "open"}
    account = world.add(ACCOUNT, nickname="Everyday Checking", balance=85_00, **plain, **limits)

    def card(label: str, **given: Any) -> str:
        usual = {"kind": "debit", "last4": "1234", "daily_spend_limit": 60_00, "expires_on": "2031-05-14", "locked": 0}
        return world.add(CARD, label=label, account_id=account, **{**usual, **given})

    def bought(card_id: str, cents: int, status: str = "posted") -> str:
        try:
            buy(world, life, card_id, (cents, "Corner Brew", "dining"), None, status)
        except Refused as refused:
            return refused.code
        return ""

    good, other = card("Good"), card("Other", daily_spend_limit=500_00)
    book(world, account, "incoming", 15_00, "Corner Brew", "dining", memo="refund", card_id=good)  # is not spent
    assert bought(card("Expired", expires_on="2031-05-13"), 1_00) == "card_expired"
    assert bought(card("Locked", locked=1), 1_00) == "card_locked"
    assert bought(good, 60_01) == "card_limit_exceeded"
    assert bought(good, 20_00) == ""
    assert bought(good, 30_00, "pending") == ""
    assert bought(good, 10_01) == "card_limit_exceeded", "what is pending counts"
    assert bought(other, 50_01) == "insufficient_funds", "what is pending is held back"
    assert bought(other, 40_00) == "", "each card has its own limit"
    assert bought(good, 10_00) == ""
    assert bought(good, 1) == "insufficient_funds"
    world.set_clock(world.opening + timedelta(hours=15))
    assert world.value("SELECT balance FROM account") == 100_00 - 20_00 - 40_00 - 10_00


@each_life
def test_numbers_and_nicknames_have_their_forms(life: int) -> None:
    world = books(life)
    kinds = {"Checking", "Savings", "Credit"}
    for account in world.accounts.values():
        assert re.fullmatch(r"\*{4}[0-9]{4}", account["masked_number"])
        named = kinds & set(account["nickname"].split())
        assert named <= {account["kind"].title()}
        assert named or account["kind"] == "savings", "a fund may be called a fund"
    for card in world.cards.values():
        assert re.fullmatch("[0-9]{4}", card["last4"])
        assert (card["kind"] == "credit") == (world.accounts[card["account_id"]]["kind"] == "credit")
        assert (date.fromisoformat(card["expires_on"]) + timedelta(days=1)).day == 1, "the last day of a month"
        assert card["daily_spend_limit"] % 10_00 == 0
        assert 50_00 <= card["daily_spend_limit"] <= 10_000_00
    for payee in world.payees.values():
        assert re.fullmatch("[0-9]{6,17}", payee["account_number"])
        assert payee["bank_name"] == bank_of(payee["routing_number"])


@each_life
def test_a_merchant_is_of_one_category_and_money_moves_after_the_account_was_opened(life: int) -> None:
    world = books(life)
    categories: dict[str, str] = {}
    for row in world.transactions:
        assert categories.setdefault(row["merchant"], row["category"]) == row["category"]
        assert row["posted_at"] > world.accounts[row["account_id"]]["opened_on"]


# Payees


@each_life
def test_no_payee_is_paid_before_being_added_or_after_being_blocked(life: int) -> None:
    world = books(life)
    for row in world.outgoing():
        if row["payee_id"]:
            payee = world.payees[row["payee_id"]]
            assert (row["merchant"], row["category"]) == (payee["name"], "transfer")
            assert row["posted_at"] >= payee["added_at"]
            if payee["status"] == "blocked":
                assert row["posted_at"] < world.message(f"Payments to {payee['name']} are blocked")["sent_at"]


@each_life
def test_a_payee_gets_at_most_500_dollars_in_the_first_24_hours(life: int) -> None:
    world = books(life)
    received = Counter[str]()
    for row in world.outgoing():
        if row["payee_id"] and world.is_new(row):
            received[row["payee_id"]] += row["amount"]
    assert all(total <= 500_00 for total in received.values())


@each_life
def test_a_payment_is_pending_until_it_arrives(life: int) -> None:
    world = books(life)
    opens = f"{world.today}T09:00:00-07:00"
    for row in world.outgoing():
        if row["payee_id"]:
            made = at(row["posted_at"])
            waits = arrival(made) > made.date() and arrival(made) >= world.today
            assert row["status"] == ("pending" if waits else "posted")
        assert row["posted_at"] < opens


@each_life
def test_standing_payments_were_carried_out_on_their_days_only(life: int) -> None:
    """The bank carries them out between 4 and 5 in the night."""
    world = books(life)
    plans = {(row["payee_id"], row["amount"], row["from_account_id"]): row for row in world.schedules}
    made: dict[str, list[date]] = {row["scheduled_payment_id"]: [] for row in world.schedules}
    for row in world.outgoing():
        if row["payee_id"] and row["posted_at"][11:13] == "04" and not world.is_new(row):
            plan = plans[row["payee_id"], row["amount"], row["account_id"]]
            made[plan["scheduled_payment_id"]].append(at(row["posted_at"]).date())
    for plan in world.schedules:
        days = made[plan["scheduled_payment_id"]]
        assert (plan["next_date"] is None) == (plan["status"] == "ended")
        assert plan["next_date"] is None or date.fromisoformat(plan["next_date"]) >= world.today
        last = min(plan["next_date"] or plan["end_date"], plan["end_date"] or "9999")
        assert all(day < world.today and day.isoformat() <= last for day in days)
        if plan["frequency"] == "single":
            assert days == []
        elif plan["next_date"]:
            due = date.fromisoformat(plan["next_date"])
            for day in days:
                assert (due - day).days % 7 == 0 if plan["frequency"] == "weekly" else same_day_of_month(day, due)


# One-time codes


def sent_before(world: Books, purpose: str, moments: Iterable[str]) -> None:
    """Each moment has a used code of its own, sent at most 10 minutes before; no other code was used."""
    used = sorted(row["sent_at"] for row in world.codes if row["purpose"] == purpose and row["used"])
    needed = sorted(moments)
    assert len(used) == len(needed)
    for sent, moment in zip(used, needed, strict=True):
        assert timedelta() < at(moment) - at(sent) < timedelta(minutes=10)


@each_life
def test_each_payment_above_1000_dollars_used_a_code_of_its_own(life: int) -> None:
    world = books(life)
    large = [row["posted_at"] for row in world.outgoing() if row["payee_id"] and row["amount"] > 1_000_00]
    assert large
    sent_before(world, "payment", large)


@each_life
def test_each_payee_added_in_the_history_used_a_code_of_its_own(life: int) -> None:
    world = books(life)
    begins = (world.today - timedelta(days=180)).isoformat()
    added = [row["added_at"] for row in world.payees.values() if row["added_at"] > begins]
    assert added
    sent_before(world, "payee", added)


@each_life
def test_no_code_is_sent_while_one_is_valid_or_after_five_in_24_hours(life: int) -> None:
    world = books(life)
    for purpose in ("payee", "payment", "limit"):
        codes = sorted((row["sent_at"], row["used"]) for row in world.codes if row["purpose"] == purpose)
        for (first, used), (second, _) in pairwise(codes):
            assert used or at(second) - at(first) >= timedelta(minutes=10)
    sent = sorted(at(row["sent_at"]) for row in world.codes)
    assert all(sixth - first >= timedelta(hours=24) for first, sixth in zip(sent, sent[5:], strict=False))


@each_life
def test_each_code_stands_in_a_message_of_its_own(life: int) -> None:
    world = books(life)
    security = {row["message_id"]: row for row in world.messages if row["kind"] == "security"}
    assert security.keys() == {row["message_id"] for row in world.codes}
    for row in world.codes:
        letter = security[row["message_id"]]
        assert row["code"] in letter["body"]
        assert letter["sent_at"] == row["sent_at"]
        assert at(row["expires_at"]) - at(row["sent_at"]) == timedelta(minutes=10)
        assert not (row["used"] and letter["unread"])


def test_what_is_old_and_what_was_used_has_been_read_and_some_of_the_rest() -> None:
    states = Counter[tuple[str, int]]()
    for seed in SEEDS:
        world = books(seed)
        used = {row["message_id"]: row["used"] for row in world.codes}
        new = f"{world.today - timedelta(days=6)}T09:00:00-07:00"
        for letter in world.messages:
            if letter["sent_at"] < new or used.get(letter["message_id"]):
                assert not letter["unread"]
            else:
                states["a code" if letter["message_id"] in used else "another letter", letter["unread"]] += 1
    assert len(states) == 4


# Disputes, and what was charged twice


@each_life
def test_a_dispute_is_about_a_card_purchase_of_the_60_days_before_it(life: int) -> None:
    world = books(life)
    by_id = {row["transaction_id"]: row for row in world.transactions}
    contested = [row["transaction_id"] for row in world.transactions if row["status"] in ("disputed", "reversed")]
    assert sorted(contested) == sorted(row["transaction_id"] for row in world.disputes) != []
    for row in world.disputes:
        bought = by_id[row["transaction_id"]]
        opened = at(row["opened_at"])
        assert bought["card_id"]
        assert bought["direction"] == "outgoing"
        assert timedelta() < opened - at(bought["posted_at"]) < timedelta(days=60)
        assert (row["status"], bought["status"]) in {("open", "disputed"), ("won", "reversed")}
        day = opened.date()
        for _ in range(10):
            day += timedelta(days=1 if day.weekday() < 4 else 7 - day.weekday())
        assert row["decision_by"] == day.isoformat()
        if row["status"] == "won":
            assert row["opened_at"] < world.paid_back_at(bought) < f"{row['decision_by']}T24"


@each_life
def test_one_to_three_purchases_were_charged_twice_within_minutes_and_can_be_disputed(life: int) -> None:
    world = books(life)
    pairs = world.charged_twice()
    assert 1 <= len(pairs) <= 3
    for first, second in pairs:
        assert timedelta() < at(second["posted_at"]) - at(first["posted_at"]) < timedelta(minutes=10)
        assert first["status"] == second["status"] == "posted"
        outcome = Bank(life).call(
            "dispute_bank_transaction", transaction_id=second["transaction_id"], reason="duplicate"
        )
        assert outcome.succeeded


# The inbox


@each_life
def test_the_statements_are_true(life: int) -> None:
    world = books(life)
    statements = [row for row in world.messages if row["kind"] == "statement"]
    assert len(statements) == 10
    by_name = {account["nickname"]: account for account in world.accounts.values()}
    for letter in statements:
        until = letter["sent_at"][:10]
        month = date.fromisoformat(until) - timedelta(days=1)
        nickname = letter["subject"].split(" statement for ")[1]
        assert letter["subject"] == f"Your {month:%B} {month.year} statement for {nickname}"
        assert until.endswith("-01")
        account = by_name[nickname]
        rows = [row for row in world.transactions if row["account_id"] == account["account_id"]]
        booked = [row for row in rows if row["posted_at"] < until and world.was_booked(row, until)]
        moved = sum(row["amount"] if row["direction"] == "incoming" else -row["amount"] for row in booked)
        number = sum(row["posted_at"] >= month.replace(day=1).isoformat() for row in booked)
        closing = f"closing balance {(account['opening_balance'] + moved) / 100:,.2f} dollars."
        assert letter["body"].endswith(f"{number} transactions, {closing}")


@each_life
def test_the_alerts_and_notices_are_true_and_come_in_time(life: int) -> None:
    world = books(life)
    alerts = [row for row in world.messages if row["subject"].startswith("Large purchase")]
    assert 4 <= len(alerts) <= 11
    labels = {card["label"]: card["card_id"] for card in world.cards.values()}
    for letter in alerts:
        amount = round(float(letter["body"].split()[0].replace(",", "")) * 100)
        label = letter["body"].split(" to your ")[1].split(" card.")[0]
        (bought,) = world.outgoing(amount=amount, posted_at=letter["sent_at"])
        assert bought["card_id"] == labels[label]
        assert bought["merchant"] in letter["subject"]
    for card in world.cards.values():
        if card["expires_on"] < world.today.isoformat():
            sent = at(world.message(f"Your {card['label']} card has expired")["sent_at"]).date()
            assert sent == date.fromisoformat(card["expires_on"]) + timedelta(days=1)
    (over,) = [row for row in world.messages if row["subject"].endswith(" is overdrawn")]
    (account,) = [row for row in world.accounts.values() if over["subject"] == f"{row['nickname']} is overdrawn"]
    amounts = [f"{cents / 100:,.2f}" for cents in (account["balance"], account["overdraft_limit"])]
    assert over["body"] == "The balance of {} is {}; the overdraft limit is {}.".format(
        account["nickname"], f"{amounts[0]} dollars", amounts[1]
    )


# Times and names


@each_life
def test_moments_have_seconds_and_the_one_offset_of_the_bank(life: int) -> None:
    world = books(life)
    moments = [row["posted_at"] for row in world.transactions] + [row["sent_at"] for row in world.messages]
    assert {moment[19:] for moment in moments} == {"-07:00"}
    assert len({moment[17:19] for moment in moments}) == 60


@each_life
def test_no_row_shows_the_pin(life: int) -> None:
    world, pin = books(life), Bank(life).pin
    shown = [row["masked_number"] for row in world.accounts.values()]
    shown += [row["last4"] for row in world.cards.values()] + [row["account_number"] for row in world.payees.values()]
    assert not [text for text in shown if text.endswith(pin)]


def test_seeds_share_few_names_of_merchants_and_payees() -> None:
    names = []
    for seed in SEEDS:
        world = books(seed)
        used = {row["merchant"] for row in world.transactions if row["card_id"]}
        names.append(used | {row["name"] for row in world.payees.values()})
    shared = [len(one & other) / len(one | other) for one, other in combinations(names, 2)]
    assert sum(shared) / len(shared) <= 0.5
