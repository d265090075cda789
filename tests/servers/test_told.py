"""The figures of rules that people and models are told are those that the server goes by.

Whoever changes a rule finds its constant at once; the sentences that tell it stand elsewhere: in descriptions, in
refusals, in letters. What is told is read out of the text here and compared with what happens, so that a text that was
forgotten fails. Does not cover: bounds of schemas (test_limits.py).
"""

from __future__ import annotations

import ast
import importlib.util
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from proverl import servers
from support.bank import Bank
from support.banking_books import at, books, sql
from support.banking_model import Watched
from support.tested import NAMES
from support.told import told

WORLDS = range(4)
SCALES = (1, 60, 100, 1024, 3600)
"""What a number that is told may be in the code: itself, in seconds, in cents, in bytes."""
LEAST = 10
"""Smaller numbers are as often no figure of a rule: "between two accounts"."""
NO_FIGURE = re.compile(r"ISO 8601|such as .*")
"""The name of a standard, and examples."""


def folder(name: str) -> Path:
    """Where the code of a server lies."""
    spec = importlib.util.find_spec(name.partition(":")[0] if ":" in name else f"proverl.servers.{name}")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def numbers(node: ast.AST) -> set[float]:
    """The numbers in code; not those in texts."""
    values = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    return {float(value) for value in values if isinstance(value, int | float)}


def figures(name: str) -> dict[str, set[float]]:
    """By tool, the numbers that it may tell.

    Those of the server's constants, of its tables, and of the functions in the tool's own file.
    """
    root = folder(name)
    trees = [ast.parse(file.read_text()) for file in sorted(root.rglob("*.py")) if "seed" not in file.parts]
    shared = {float(number) for number in re.findall(r"\b\d+\b", (root / "schema.sql").read_text())}
    shared.update(
        *(numbers(node) for tree in trees for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    )
    return {
        node.name: shared | numbers(tree) for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)
    }


@pytest.mark.parametrize("name", NAMES)
def test_each_figure_that_a_tool_tells_stands_in_the_code(name: str) -> None:
    held = figures(name)
    missing = []
    for tool in servers.load(name).tools:
        texts = [tool.description, *(schema["description"] for schema in tool.input_schema["properties"].values())]
        for number in sorted({number for text in texts for number in told(NO_FIGURE.sub("", text))}):
            if number >= LEAST and not any(number * scale in held[tool.name] for scale in SCALES):
                missing.append(f"{tool.name}: {number:g}")
    assert missing == []


# Banking


def telling(tool: str) -> str:
    return servers.load("banking").tool(tool).description


def figure(pattern: str, text: str) -> float:
    """The one number that a text tells in these words."""
    words = re.search(pattern, text)
    assert words is not None, text
    (found,) = told(words[0])
    return found


def test_a_new_payee_is_told_the_span_and_the_amount_that_hold() -> None:
    bank = Bank(0)
    hours = figure(r"first \d+ hours", telling("add_payee"))
    most = figure(r"at most [\d,.]+\d dollars", telling("add_payee"))
    payee = bank.add(one_time_code=bank.fresh_code("payee")).value
    ((added,),) = sql(bank.session, "SELECT added_at FROM payee WHERE payee_id = ?", payee["payee_id"])
    assert at(payee["full_limit_from"]) - at(added) == timedelta(hours=hours)
    ids = {"from_account_id": bank.sender()["account_id"], "payee_id": payee["payee_id"]}
    refused = bank.pay(**ids, amount=most + 0.01)
    assert refused.code == "new_payee_limit"
    assert {hours, most} <= told(refused.message)
    assert bank.pay(**ids, amount=most).succeeded


def test_the_newest_payee_of_a_world_is_still_new_for_an_hour() -> None:
    span = timedelta(hours=figure(r"first \d+ hours", telling("add_payee")))
    for world in WORLDS:
        newest = max(at(row["added_at"]) for row in books(world).payees.values())
        ((now,),) = sql(Bank(world).session, "SELECT moment FROM world_now")
        assert at(now) - newest <= span - timedelta(hours=1), world


def test_a_large_payment_begins_where_the_descriptions_say() -> None:
    bank = Bank(0)
    above = figure(r"Above [\d,.]+\d dollars", telling("send_payee_payment"))
    purposes = servers.load("banking").tool("request_one_time_code").input_schema["properties"]["purpose"]
    assert above in told(purposes["description"])
    ids = {"from_account_id": bank.sender()["account_id"], "payee_id": bank.old_payee()}
    assert bank.pay(**ids, amount=above + 0.01).code == "code_required"
    assert bank.pay(**ids, amount=above).succeeded


def test_a_purchase_can_be_disputed_for_the_days_that_are_told() -> None:
    bank = Watched(0)
    span = timedelta(days=figure(r"last \d+ days", telling("dispute_bank_transaction")))
    bought = max(
        (row for row in books(0).outgoing(status="posted") if row["card_id"]), key=lambda row: row["posted_at"]
    )
    last = datetime.fromisoformat(bought["posted_at"][:10]) + span
    dispute = {"transaction_id": bought["transaction_id"], "reason": "overcharged"}
    bank.wait_until(last + timedelta(days=1))
    refused = bank.call("dispute_bank_transaction", **dispute)
    assert refused.code == "dispute_window_closed"
    assert f"more than {span.days} days old" in refused.message
    bank.wait_until(last)
    assert bank.call("dispute_bank_transaction", **dispute).succeeded


def test_as_many_codes_are_sent_as_are_told() -> None:
    bank = Watched(0)
    most, hours = (
        figure(pattern, telling("request_one_time_code")) for pattern in (r"At most \w+ codes", r"in \d+ hours")
    )
    bank.wait_until(datetime(2035, 5, 14))
    for _ in range(round(most)):
        bank.add(one_time_code=bank.fresh_code("payee"), account_number=str(100_000 + bank.compared))
    refused = bank.call("request_one_time_code", purpose="payee")
    assert refused.code == "too_many_codes"
    assert f"{most:.0f} codes were sent in the last {hours:.0f} hours" in refused.message
    bank.wait_until(datetime(2035, 5, 14) + timedelta(hours=hours, minutes=1))
    assert bank.call("request_one_time_code", purpose="payee").succeeded


def letters(words: str) -> set[str]:
    """The bodies of all messages that hold these words."""
    return {row["body"] for world in WORLDS for row in books(world).messages if words in row["body"]}


def test_the_notice_on_savings_and_the_refusal_tell_the_withdrawals_that_a_month_has() -> None:
    bank = Bank(0)
    ((today,),) = sql(bank.session, "SELECT today FROM world_now")
    savings = bank.accounts(kind="savings", status="open")[0]["account_id"]
    ids = {"from_account_id": savings, "to_account_id": bank.sender()["account_id"]}
    made = len([row for row in books(0).outgoing(account_id=savings) if row["posted_at"][:7] == today[:7]])
    while (outcome := bank.transfer(**ids, amount=0.01)).succeeded:
        made += 1
    assert outcome.code == "savings_withdrawal_limit"
    assert told(outcome.message.split(" has had its ")[1]) == {made}
    assert [told(body.split(" has ")[1]) for body in letters("withdrawals in a calendar month")] == [{made}]


def test_the_notice_on_overdrafts_tells_the_fee_that_is_charged() -> None:
    fees = {row["amount"] / 100 for world in WORLDS for row in books(world).outgoing(merchant="Overdraft fee")}
    assert len(fees) == 1
    assert [told(body.split(" stays at ")[1]) for body in letters("ends in overdraft")] == [fees]
