"""How each refusal of the library is reached from a seed, in at most five calls.

A way sees only what the tools show it and what the member knows (the PIN). Where a world lacks what it needs it gives
up on the seed, and the next seed is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from proverl import open_session
from proverl.records import Outcome

NAME = "library:server"
MOST_SEEDS = 40
MOST_LOANS = 7
NO_PIN = "000000"

Row = dict[str, Any]


class NotHere(Exception):
    """This world does not hold what is needed."""


class Visitor:
    """A member at the library: a session, and short ways to ask it."""

    def __init__(self, seed: int) -> None:
        self.session = open_session(NAME, seed)
        self.pin = self.session.secrets()["pin"]

    def call(self, tool: str, **arguments: Any) -> Outcome:
        return self.session.call(tool, arguments)

    def done(self, tool: str, **arguments: Any) -> Row:
        """The result of a call that must succeed here."""
        outcome = self.call(tool, **arguments)
        if not outcome.succeeded:
            raise NotHere(outcome.code)
        return dict(outcome.value)

    def loans(self, status: str) -> list[Row]:
        return some(self.done("list_loans", status=status)["loans"])

    def books(self, **given: Any) -> list[Row]:
        return some(self.done("search_books", **given)["books"])

    def copies(self, status: str, book_id: str) -> list[str]:
        copies = self.done("get_book", book_id=book_id)["copies"]
        return some([copy["copy_id"] for copy in copies if copy["status"] == status])

    def free_copy(self, *, limit_reached: bool = False) -> str:
        """A copy of the first book that can be borrowed, for a member who has as many loans as allowed or fewer."""
        running = [loan for loan in self.done("list_loans")["loans"] if loan["status"] != "returned"]
        if (len(running) == MOST_LOANS) != limit_reached:
            raise NotHere
        return self.copies("available", self.books(available_only=True)[0]["book_id"])[0]

    def borrow(self, copy_id: str, pin: str = NO_PIN) -> Outcome:
        return self.call("borrow_book", copy_id=copy_id, pin=pin)

    def copy_in(self, status: str) -> str:
        """A copy in this status: of a book of which none is available, and that somebody may wait for."""
        books = [book for page in (1, 2) for book in self.books(page=page) if not book["available"]]
        return self.copies(status, some(books)[0]["book_id"])[0]


def some(rows: list[Any]) -> list[Any]:
    """The rows, if there are any."""
    if not rows:
        raise NotHere
    return rows


def borrow_in(status: str, visitor: Visitor) -> Outcome:
    return visitor.borrow(visitor.copy_in(status))


def awaited(visitor: Visitor) -> Row:
    """A loan of a book that others wait for."""
    for loan in visitor.loans("on_loan")[:-3:-1]:
        if loan["renewals"] == 0 and visitor.done("get_book", book_id=loan["book_id"])["waiting"]:
            return loan
    raise NotHere


def borrow_what_others_wait_for(visitor: Visitor) -> Outcome:
    loan = awaited(visitor)
    visitor.done("return_book", loan_id=loan["loan_id"])
    return visitor.borrow(loan["copy_id"])


def borrow_twice(visitor: Visitor) -> Outcome:
    """Another copy of a book that the member has."""
    for loan in visitor.loans("on_loan")[:3]:
        copies = visitor.done("get_book", book_id=loan["book_id"])["copies"]
        free = [copy["copy_id"] for copy in copies if copy["status"] == "available"]
        if free:
            return visitor.borrow(free[0])
    raise NotHere


def borrow_in_debt(visitor: Visitor) -> Outcome:
    """The older of the two overdue loans costs as much as stops borrowing."""
    visitor.done("return_book", loan_id=visitor.loans("overdue")[-1]["loan_id"])
    return visitor.borrow(visitor.copies("available", visitor.books(available_only=True)[0]["book_id"])[0])


def return_again(visitor: Visitor) -> Outcome:
    return visitor.call("return_book", loan_id=visitor.loans("returned")[0]["loan_id"])


def renew(choose: Callable[[Visitor], Row], visitor: Visitor) -> Outcome:
    return visitor.call("renew_loan", loan_id=choose(visitor)["loan_id"])


def renew_returned(visitor: Visitor) -> Outcome:
    loan = renewed_twice(visitor)
    visitor.done("return_book", loan_id=loan["loan_id"])
    return visitor.call("renew_loan", loan_id=loan["loan_id"])


def renew_returned_and_awaited(visitor: Visitor) -> Outcome:
    """The member waits for the book that was just returned and is kept for another."""
    loan = awaited(visitor)
    visitor.done("return_book", loan_id=loan["loan_id"])
    visitor.done("reserve_book", book_id=loan["book_id"])
    return visitor.call("renew_loan", loan_id=loan["loan_id"])


def renewed_twice(visitor: Visitor) -> Row:
    return some([loan for loan in visitor.loans("on_loan") if loan["renewals"] == 2])[0]


def reserve(choose: Callable[[Visitor], str], visitor: Visitor) -> Outcome:
    return visitor.call("reserve_book", book_id=choose(visitor))


def borrowed(visitor: Visitor) -> str:
    return str(visitor.loans("on_loan")[0]["book_id"])


def free(visitor: Visitor) -> str:
    mine = {loan["book_id"] for loan in visitor.done("list_loans")["loans"]}
    return str(some([book for book in visitor.books(available_only=True) if book["book_id"] not in mine])[0]["book_id"])


def gone(visitor: Visitor, *, waiting: bool = False) -> list[str]:
    """Books of which no copy is available and that the member does not have."""
    mine = {loan["book_id"] for loan in visitor.done("list_loans")["loans"]}
    books = [book for page in (1, 2) for book in visitor.books(page=page) if not book["available"]]
    return some([b["book_id"] for b in books if b["book_id"] not in mine and bool(b["waiting"]) == waiting])


def reserve_too_many(visitor: Visitor) -> Outcome:
    """Every world begins with two or three reservations."""
    for book_id in gone(visitor)[:2]:
        outcome = visitor.call("reserve_book", book_id=book_id)
        if not outcome.succeeded:
            return outcome
    raise NotHere


def reading_room_only(visitor: Visitor) -> str:
    for book_id in gone(visitor)[:1]:
        if {copy["status"] for copy in visitor.done("get_book", book_id=book_id)["copies"]} == {"reading_room"}:
            return book_id
    raise NotHere


def pay(amount: Callable[[float], float], visitor: Visitor, pin: str = NO_PIN) -> Outcome:
    fine = some(visitor.done("list_fines", unpaid_only=True)["fines"])[0]
    return visitor.call("pay_fine", fine_id=fine["fine_id"], amount=amount(fine["owed"]), pin=pin)


def pay_again(visitor: Visitor) -> Outcome:
    paid = some([fine for fine in visitor.done("list_fines")["fines"] if not fine["owed"]])[0]
    return visitor.call("pay_fine", fine_id=paid["fine_id"], amount=1, pin=NO_PIN)


def plain(tool: str, **arguments: Any) -> Callable[[Visitor], Outcome]:
    return lambda visitor: visitor.call(tool, **arguments)


WAYS: dict[tuple[str, str], Callable[[Visitor], Outcome]] = {
    ("get_book", "book_not_found"): plain("get_book", book_id="bok_0001"),
    ("list_loans", "invalid_argument"): plain("list_loans", due_by="2031-02-30"),
    ("borrow_book", "copy_not_found"): plain("borrow_book", copy_id="cpy_0001", pin=NO_PIN),
    ("borrow_book", "reading_room_only"): partial(borrow_in, "reading_room"),
    ("borrow_book", "copy_on_loan"): partial(borrow_in, "on_loan"),
    ("borrow_book", "copy_kept"): borrow_what_others_wait_for,
    ("borrow_book", "already_borrowed"): borrow_twice,
    ("borrow_book", "loan_limit_reached"): lambda visitor: visitor.borrow(visitor.free_copy(limit_reached=True)),
    ("borrow_book", "fines_too_high"): borrow_in_debt,
    ("borrow_book", "wrong_pin"): lambda visitor: visitor.borrow(visitor.free_copy()),
    ("return_book", "loan_not_found"): plain("return_book", loan_id="lon_0001"),
    ("return_book", "already_returned"): return_again,
    ("renew_loan", "loan_not_found"): plain("renew_loan", loan_id="lon_0001"),
    ("renew_loan", "already_returned"): partial(renew, lambda visitor: visitor.loans("returned")[0]),
    ("renew_loan", "loan_overdue"): partial(renew, lambda visitor: visitor.loans("overdue")[0]),
    ("renew_loan", "renewal_limit_reached"): partial(renew, renewed_twice),
    ("renew_loan", "book_awaited"): partial(renew, awaited),
    ("reserve_book", "book_not_found"): plain("reserve_book", book_id="bok_0001"),
    ("reserve_book", "already_borrowed"): partial(reserve, borrowed),
    ("reserve_book", "already_reserved"): partial(reserve, lambda visitor: gone(visitor, waiting=True)[0]),
    ("reserve_book", "copy_available"): partial(reserve, free),
    ("reserve_book", "only_in_reading_room"): partial(reserve, reading_room_only),
    ("reserve_book", "reservation_limit_reached"): reserve_too_many,
    ("pay_fine", "invalid_argument"): plain("pay_fine", fine_id="fin_0001", amount=0.125, pin=NO_PIN),
    ("pay_fine", "fine_not_found"): plain("pay_fine", fine_id="fin_0001", amount=1, pin=NO_PIN),
    ("pay_fine", "already_paid"): pay_again,
    ("pay_fine", "overpayment"): partial(pay, lambda owed: round(owed + 0.01, 2)),
    ("pay_fine", "wrong_pin"): partial(pay, lambda owed: owed),
}


def found(lead: Callable[[Visitor], Outcome], code: str) -> Outcome:
    """The outcome with this code, from the first seed on which the way leads to it."""
    last: Outcome | None = None
    for seed in range(MOST_SEEDS):
        try:
            last = lead(Visitor(seed))
        except NotHere:
            continue
        if last.code == code:
            return last
    raise AssertionError(f"{code}: not reached on {MOST_SEEDS} seeds; last: {last}")


def reach() -> dict[tuple[str, str], Callable[[], Outcome]]:
    """For each (tool, code) a function that reaches the refusal and returns its outcome."""
    return {(tool, code): partial(found, lead, code) for (tool, code), lead in WAYS.items()}


def more() -> dict[tuple[str, str], Callable[[], Outcome]]:
    """For each (tool, state) a function that leads into a state in which several checks refuse."""
    states = {"renewed twice": renew_returned, "awaited": renew_returned_and_awaited}
    return {("renew_loan", state): partial(found, lead, "already_returned") for state, lead in states.items()}
