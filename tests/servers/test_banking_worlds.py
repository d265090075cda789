"""Banking worlds hold what the domain promises, whatever the seed."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import pytest

from proverl.servers import load
from proverl.world.session import LocalSession
from support.bank import Bank
from support.banking_books import broken_books, sql, today

SERVER = load("banking")
SEEDS = range(12)
MANY_SEEDS = range(1000)


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
    yesterday = (today(bank.session) - timedelta(days=1)).isoformat() + "T09:00:00-05:00"
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
        "transactions are unique": len({row[:3] for row in entries}) == len(entries),
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
    opened_at = f"{today(bank.session)}T09:00:00-05:00"
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
    assert len({SERVER.template(seed).digest for seed in range(30)}) == 30


def test_what_the_inbox_says_is_true() -> None:
    for seed in SEEDS:
        session = LocalSession(SERVER, seed)
        for subject, body in sql(session, "SELECT subject, body FROM bank_message WHERE kind = 'statement'"):
            nickname = subject.split(" statement for ")[1]
            month = datetime.strptime(subject.split(" statement")[0], "Your %B %Y")
            until = (month.replace(day=28) + timedelta(days=5)).replace(day=1).date().isoformat()
            opening, moved = sql(
                session,
                "SELECT a.opening_balance, sum(CASE direction WHEN 'incoming' THEN amount ELSE -amount END)"
                " FROM account a JOIN bank_transaction t USING (account_id)"
                " WHERE nickname = ? AND t.status IN ('posted', 'disputed') AND posted_at < ?",
                nickname,
                until,
            )[0]
            assert f"closing balance {(opening + moved) / 100:,.2f} dollars" in body
        for body, posted in sql(session, "SELECT body, sent_at FROM bank_message WHERE subject LIKE 'Large purchase%'"):
            amount = round(float(body.split()[0].replace(",", "")) * 100)
            assert sql(session, "SELECT 1 FROM bank_transaction WHERE amount = ? AND posted_at = ?", amount, posted)
