"""The library keeps its promises: copies, waiting lists and fines stay right whatever is called.

Covers: rules checked on the rows, in plain Python that calls nothing of the server; one way through each tool that
writes; the same calls behind MCP. Does not cover: refusals and reads (test_common.py).
"""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import Any

import pytest

from library.tests.reach import NAME, Visitor, gone
from proverl import MCPManager, open_session
from proverl.laws.arguments import Generator
from proverl.laws.oracles import Tables, tables_of
from proverl.records import Kind

SEEDS = range(8)


def broken_rules(tables: Tables) -> list[str]:
    """The rules of the library that a world breaks."""
    loans, copies = tables.rows["loan"], {row["copy_id"]: row for row in tables.rows["copy"]}
    running = [loan for loan in loans if loan["returned_on"] is None]
    at_home = [copies[loan["copy_id"]]["book_id"] for loan in running if loan["mine"]]
    open_lines = [row for row in tables.rows["reservation"] if row["status"] != "collected"]
    my_lines = [row["book_id"] for row in open_lines if row["mine"]]
    waited = {row["book_id"] for row in open_lines if row["status"] == "waiting"}
    held = [loan["copy_id"] for loan in running] + [row["copy_id"] for row in open_lines if row["copy_id"]]
    on_shelf = {row["book_id"] for key, row in copies.items() if not row["reading_room"] and key not in held}
    late = {loan["loan_id"]: min(25 * days_late(loan), 1000) for loan in loans if days_late(loan) > 0}
    rules = {
        "a copy is with one member or kept for one": len(held) == len(set(held)),
        "copies of the reading room stay there": not any(copies[key]["reading_room"] for key in held),
        "the member has at most 7 books, one copy of each": len(at_home) == len(set(at_home)) <= 7,
        "the member has at most 3 reservations, one of a book": len(my_lines) == len(set(my_lines)) <= 3,
        "nobody reserves what he has": not set(my_lines) & set(at_home),
        "nobody waits for a book that stands on the shelf": not waited & on_shelf,
        "a late return costs 0.25 a day, at most 10.00": late
        == {fine["loan_id"]: fine["amount"] for fine in tables.rows["fine"]},
    }
    return [rule for rule, holds in rules.items() if not holds]


def days_late(loan: dict[str, Any]) -> int:
    """Days from the due day to the return; 0 for a loan that still runs."""
    returned = loan["returned_on"] or loan["due_on"]
    return (date.fromisoformat(returned) - date.fromisoformat(loan["due_on"])).days


def tables(visitor: Visitor) -> Tables:
    return tables_of(visitor.session)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_sequence_of_calls_breaks_a_rule(seed: int) -> None:
    visitor = Visitor(seed)
    generator = Generator(visitor.session.tools, seed, secrets=visitor.session.secrets())
    assert broken_rules(tables(visitor)) == []
    for _ in range(60):
        call = generator.call()
        outcome = visitor.session.call(call.tool, call.arguments)
        generator.learn(call, outcome)
        assert outcome.kind is not Kind.INFRASTRUCTURE
        assert broken_rules(tables(visitor)) == [], call


def test_titles_loans_and_pins_differ_from_seed_to_seed() -> None:
    worlds = [Visitor(seed) for seed in SEEDS]
    titles = Counter(book["title"] for visitor in worlds for book in visitor.books())
    assert max(titles.values()) <= len(SEEDS) // 2
    assert len({visitor.pin for visitor in worlds}) == len(SEEDS)


def test_a_loan_runs_21_days_and_a_renewal_adds_21() -> None:
    visitor = next(visitor for visitor in map(Visitor, SEEDS) if len(visitor.done("list_loans")["loans"]) < 18)
    today = tables(visitor).now.date()
    borrowed = visitor.borrow(visitor.free_copy(), visitor.pin).value
    assert borrowed["due_on"] == str(today + timedelta(days=21))
    for renewals, span in ((1, 42), (2, 63)):
        renewed = visitor.done("renew_loan", loan_id=borrowed["loan_id"])
        assert (renewed["due_on"], renewed["renewals"]) == (str(today + timedelta(days=span)), renewals)


def test_a_copy_that_comes_back_is_kept_for_the_first_in_line_alone() -> None:
    visitor = Visitor(0)
    loan = next(
        loan for loan in visitor.loans("on_loan") if visitor.done("get_book", book_id=loan["book_id"])["waiting"]
    )
    before = visitor.done("get_book", book_id=loan["book_id"])["waiting"]
    visitor.done("return_book", loan_id=loan["loan_id"])
    book = visitor.done("get_book", book_id=loan["book_id"])
    status = {copy["copy_id"]: copy["status"] for copy in book["copies"]}
    assert (book["waiting"], status[loan["copy_id"]]) == (before - 1, "kept_for_another")


def test_borrowing_the_kept_copy_ends_the_reservation() -> None:
    visitor = Visitor(0)
    (kept,) = [row for row in tables(visitor).rows["reservation"] if row["mine"] and row["status"] == "ready"]
    assert visitor.call("reserve_book", book_id=kept["book_id"]).code == "already_reserved"
    visitor.done("return_book", loan_id=visitor.loans("on_loan")[0]["loan_id"])
    assert visitor.borrow(kept["copy_id"], visitor.pin).succeeded
    assert visitor.call("reserve_book", book_id=kept["book_id"]).code == "already_borrowed"


def test_a_fine_is_paid_in_parts_to_the_cent() -> None:
    visitor = Visitor(0)
    before = visitor.done("list_fines")["total_owed"]
    loan = visitor.loans("overdue")[0]
    days = (tables(visitor).now.date() - date.fromisoformat(loan["due_on"])).days
    returned = visitor.done("return_book", loan_id=loan["loan_id"])
    assert returned["fine"] == days * 0.25
    paid = visitor.done("pay_fine", fine_id=returned["fine_id"], amount=0.01, pin=visitor.pin)
    assert paid["owed"] == round(days * 0.25 - 0.01, 2)
    assert paid["total_owed"] == round(before + days * 0.25 - 0.01, 2)


def test_who_reserves_a_book_that_nobody_waits_for_is_the_first_in_line() -> None:
    visitor = next(visitor for visitor in map(Visitor, SEEDS) if len(open_lines(visitor)) < 3)
    outcomes = [(book_id, visitor.call("reserve_book", book_id=book_id)) for book_id in gone(visitor)]
    book_id, reserved = next(pair for pair in outcomes if pair[1].succeeded)
    assert reserved.value["your_place"] == 1
    assert visitor.done("get_book", book_id=book_id)["your_place"] == 1


def open_lines(visitor: Visitor) -> list[str]:
    """The books that the member has reserved and not collected."""
    rows = tables(visitor).rows["reservation"]
    return [row["book_id"] for row in rows if row["mine"] and row["status"] != "collected"]


def test_a_server_outside_of_the_package_answers_the_same_behind_mcp() -> None:
    here = open_session(NAME, 3)
    with MCPManager() as manager:
        there = manager.open(NAME, seed=3)
        generator = Generator(here.tools, 3, secrets=here.secrets())
        for _ in range(30):
            call = generator.call()
            outcome = here.call(call.tool, call.arguments)
            generator.learn(call, outcome)
            assert there.call(call.tool, call.arguments) == outcome
        assert there.digest() == here.digest()
