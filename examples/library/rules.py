"""The rules of the library that several tools and the seed share.

Covers: which copy may be taken, lending and taking back, the waiting list, what is owed. Does not cover: rules of one
tool alone (tools/).
"""

from __future__ import annotations

from datetime import date

from proverl.world.domain import Row, World, day, days, refuse

from .results import COPY, FINE, LOAN, RESERVATION

LOAN_SPAN = days(21)
FINE_PER_DAY = 25
MOST_FINE = 10_00


def find_free_copy(world: World, copy_id: str) -> Row:
    """The copy, if the member may take it; refuses copy_not_found, reading_room_only, copy_on_loan, copy_kept."""
    copy = world.find(COPY, copy_id)
    name, status = f"{copy_id} of {copy['title']}", copy["status"]
    other = "choose another copy with get_book"
    if status == "reading_room":
        refuse("reading_room_only", f"{name} stays in the reading room; {other}")
    if status == "on_loan":
        refuse("copy_on_loan", f"{name} is on loan until {copy['due_on']}; {other} or reserve the book")
    if status == "kept_for_another":
        refuse("copy_kept", f"{name} is kept for another member; {other} or reserve the book")
    return copy


def check_not_borrowed(world: World, book: Row) -> None:
    """Refuse already_borrowed; `book` is a row that has book_id and title."""
    due_on = world.value(
        "SELECT due_on FROM loan_now WHERE book_id = ? AND returned_on IS NULL ORDER BY loan_id", book["book_id"]
    )
    if due_on is not None:
        how = "list_loans shows the loan"
        refuse("already_borrowed", f"the member has a copy of {book['title']} until {due_on}; {how}")


def check_pin(world: World, pin: str) -> None:
    """Refuse wrong_pin."""
    if pin != world.secret("pin"):
        refuse("wrong_pin", f"{pin!r} is not the PIN of the library card; ask the member for it")


def total_owed(world: World) -> int:
    """Cents that the member owes in all."""
    return int(world.value("SELECT coalesce(sum(owed), 0) FROM fine_now"))


def lend(world: World, copy_id: str, *, mine: bool) -> str:
    """Store a loan that begins today; returns its id."""
    due_on = day(world.now.date() + LOAN_SPAN)
    return world.add(
        LOAN, copy_id=copy_id, mine=int(mine), borrowed_on=world.today, due_on=due_on, renewals=0, returned_on=None
    )


def take_back(world: World, loan_id: str) -> str | None:
    """Store the return of a loan, keep its copy for who waits longest, charge what is late; returns the fine's id."""
    world.update(LOAN, loan_id, returned_on=world.today)
    loan = world.one("SELECT loan.*, book_id FROM loan JOIN copy USING (copy_id) WHERE loan_id = ?", loan_id)
    assert loan is not None
    first = world.value("SELECT reservation_id FROM waiting WHERE book_id = ? AND place = 1", loan["book_id"])
    if first is not None:
        world.update(RESERVATION, first, status="ready", copy_id=loan["copy_id"])
    late = (world.now.date() - date.fromisoformat(loan["due_on"])).days
    if late <= 0:
        return None
    amount = min(late * FINE_PER_DAY, MOST_FINE)
    return world.add(FINE, loan_id=loan_id, amount=amount, paid=0, charged_on=world.today)


def join_line(world: World, book_id: str, *, mine: bool) -> str:
    """Store a reservation at the end of a book's waiting list; returns its id."""
    columns = {"placed_at": world.moment, "status": "waiting", "copy_id": None}
    return world.add(RESERVATION, book_id=book_id, mine=int(mine), **columns)
