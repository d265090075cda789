"""What the tools of the library take and give: entities, enumerations, and a TypedDict for each result.

Amounts are dollars outside and cents inside.
"""

from __future__ import annotations

from typing import Annotated, Literal

from proverl.world.domain import Day, Entity, Money, TypedDict

BOOK = Entity("book", "bok", "search_books", view="book_now", order="title, author, book_id")
COPY = Entity("copy", "cpy", "get_book", view="copy_now", order="branch, copy_id")
FINE = Entity("fine", "fin", "list_fines", view="fine_now", order="charged_on DESC, fine_id DESC")
LOAN = Entity("loan", "lon", "list_loans", view="loan_now", order="due_on DESC, loan_id DESC")
RESERVATION = Entity("reservation", "rsv")

BookId = Annotated[str, BOOK]
CopyId = Annotated[str, COPY]
FineId = Annotated[str, FINE]
LoanId = Annotated[str, LOAN]
ReservationId = Annotated[str, RESERVATION]

CopyStatus = Literal["available", "on_loan", "kept_for_you", "kept_for_another", "reading_room"]
Genre = Literal["novel", "crime", "history", "science", "travel"]
LoanStatus = Literal["on_loan", "overdue", "returned"]


class BookRow(TypedDict):
    """One book in a list; `available` copies may be borrowed now, `waiting` members stand in line."""

    book_id: BookId
    title: str
    author: str
    year: int
    genre: Genre
    available: int
    waiting: int


class BookPage(TypedDict):
    """The answer of search_books: `count` matches in all, of which this page shows some."""

    count: int
    next_page: int | None
    books: list[BookRow]


class CopyRow(TypedDict):
    """One copy of a book; `due_on` is null unless it is on loan."""

    copy_id: CopyId
    branch: str
    status: CopyStatus
    due_on: Day | None


class BookDetails(TypedDict):
    """The answer of get_book; `your_place` in the waiting list is null unless the member waits."""

    book_id: BookId
    title: str
    author: str
    waiting: int
    your_place: int | None
    copies: list[CopyRow]


class LoanRow(TypedDict):
    """One of the member's loans."""

    loan_id: LoanId
    copy_id: CopyId
    book_id: BookId
    title: str
    borrowed_on: Day
    due_on: Day
    returned_on: Day | None
    renewals: int
    status: LoanStatus


class LoanList(TypedDict):
    """The answer of list_loans."""

    count: int
    loans: list[LoanRow]


class Borrowed(TypedDict):
    """The answer of borrow_book."""

    loan_id: LoanId
    title: str
    due_on: Day


class Returned(TypedDict):
    """The answer of return_book; no fine, no `fine_id`."""

    loan_id: LoanId
    title: str
    returned_on: Day
    fine_id: FineId | None
    fine: Money


class Renewed(TypedDict):
    """The answer of renew_loan."""

    loan_id: LoanId
    title: str
    due_on: Day
    renewals: int


class Reserved(TypedDict):
    """The answer of reserve_book."""

    reservation_id: ReservationId
    title: str
    your_place: int


class FineRow(TypedDict):
    """One fine of the member; `owed` is what is left of `amount`."""

    fine_id: FineId
    loan_id: LoanId
    title: str
    charged_on: Day
    amount: Money
    owed: Money


class FineList(TypedDict):
    """The answer of list_fines; `total_owed` adds up the fines that are shown."""

    count: int
    total_owed: Money
    fines: list[FineRow]


class Paid(TypedDict):
    """The answer of pay_fine: what is still owed of this fine, and of all fines."""

    fine_id: FineId
    owed: Money
    total_owed: Money
