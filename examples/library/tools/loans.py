"""Loans: listing them, borrowing, returning and renewing."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from proverl.world.domain import SECRET, Day, Row, World, check_day, day, dollars, refuse, shown, tool

from ..results import FINE, LOAN, Borrowed, CopyId, LoanId, LoanList, LoanRow, LoanStatus, Renewed, Returned
from ..rules import LOAN_SPAN, check_not_borrowed, check_pin, find_free_copy, lend, take_back, total_owed

MOST_LOANS = 7
MOST_RENEWALS = 2
BLOCKING_DEBT = 10_00


@tool("read", refusals="invalid_argument")
def list_loans(world: World, status: LoanStatus | None = None, due_by: Day | None = None) -> LoanList:
    """List the member's loans, the latest due day first, optionally of one status or due by a day. Returns every
    match, no paging.

    Args:
        status: on_loan (not yet due), overdue or returned
        due_by: only loans due on this day or before, YYYY-MM-DD
    """
    if due_by is not None:
        check_day(due_by, "due_by")
    found = world.rows(LoanRow, LOAN, ("due_on <= ?", due_by), status=status)
    return {"count": len(found), "loans": found}


@tool(
    "write",
    refusals="copy_not_found reading_room_only copy_on_loan copy_kept already_borrowed loan_limit_reached "
    "fines_too_high wrong_pin",
    after="return_book pay_fine",
    idempotent=True,
)
def borrow_book(world: World, copy_id: CopyId, pin: Annotated[str, SECRET]) -> Borrowed:
    """Lend the member a copy that is available or kept for them, for 21 days; a reservation of the book ends with it.
    A member has at most 7 books at a time, one copy of each, and must owe less than 10.00 dollars in fines.

    Args:
        copy_id: id of the copy
        pin: the six-digit PIN of the member's library card
    """
    copy = find_free_copy(world, copy_id)
    check_not_borrowed(world, copy)
    if world.count(LOAN, "returned_on IS NULL") >= MOST_LOANS:
        refuse("loan_limit_reached", f"the member has {MOST_LOANS} books, the most allowed; return one first")
    owed = total_owed(world)
    if owed >= BLOCKING_DEBT:
        refuse("fines_too_high", f"the member owes {dollars(owed)} in fines; pay with pay_fine first")
    check_pin(world, pin)
    world.run(
        "UPDATE reservation SET status = 'collected', copy_id = ? WHERE book_id = ? AND mine AND status <> 'collected'",
        copy_id,
        copy["book_id"],
    )
    loan_id = lend(world, copy_id, mine=True)
    return shown(Borrowed, world.find(LOAN, loan_id))


@tool("write", refusals="loan_not_found already_returned", idempotent=True)
def return_book(world: World, loan_id: LoanId) -> Returned:
    """Take back a borrowed copy. Each day after the due day costs 0.25 dollars, at most 10.00; the fine is only
    charged, not paid. If members wait for the book, the copy is kept for the first of them.

    Args:
        loan_id: id of the loan
    """
    loan = find_running_loan(world, loan_id)
    fine_id = take_back(world, loan_id)
    fine = world.find(FINE, fine_id)
    return {
        "loan_id": loan_id,
        "title": loan["title"],
        "returned_on": world.today,
        "fine_id": fine_id,
        "fine": fine["amount"] if fine else 0,
    }


@tool("write", refusals="loan_not_found already_returned loan_overdue renewal_limit_reached book_awaited")
def renew_loan(world: World, loan_id: LoanId) -> Renewed:
    """Move the due day of a loan 21 days on, at most twice per loan. An overdue loan cannot be renewed, nor a book for
    which other members wait.

    Args:
        loan_id: id of the loan
    """
    loan = find_running_loan(world, loan_id)
    title = loan["title"]
    if loan["status"] == "overdue":
        refuse("loan_overdue", f"{title} was due on {loan['due_on']}; return it with return_book")
    if loan["renewals"] >= MOST_RENEWALS:
        refuse("renewal_limit_reached", f"{title} was renewed {MOST_RENEWALS} times; return it by {loan['due_on']}")
    if world.value("SELECT count(*) FROM waiting WHERE book_id = ?", loan["book_id"]):
        refuse("book_awaited", f"other members wait for {title}; return it by {loan['due_on']}")
    due_on = day(date.fromisoformat(loan["due_on"]) + LOAN_SPAN)
    world.update(LOAN, loan_id, due_on=due_on, renewals=loan["renewals"] + 1)
    return shown(Renewed, world.find(LOAN, loan_id))


def find_running_loan(world: World, loan_id: str) -> Row:
    """The member's loan, if it still runs; refuses loan_not_found, already_returned."""
    loan = world.find(LOAN, loan_id)
    if loan["returned_on"] is not None:
        refuse("already_returned", f"{loan['title']} was returned on {loan['returned_on']}; nothing is left to do")
    return loan
