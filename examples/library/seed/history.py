"""Half a year of loans, reservations and fines.

Covers: what the member did, what others did, and the states that make tasks hard: overdue loans, one renewed twice,
awaited books, kept copies, fines paid in part. Each of these happens to a book of its own. Does not cover: books and
copies (catalogue.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from proverl.world.domain import Builder

from ..rules import join_line, lend, take_back
from ..tools.fines import pay_fine
from ..tools.loans import borrow_book, renew_loan, return_book
from ..tools.reservations import reserve_book


@dataclass
class Life:
    """A world being made, and the PIN of its member; events are so many days ago."""

    world: Builder
    pin: str

    def at(self, ago: int) -> datetime:
        """Some moment of a day in opening hours."""
        random = self.world.random
        return self.world.ago(days=ago, hour=random.randrange(10, 18), minute=random.randrange(60))

    def free_copies(self, book_id: str) -> list[str]:
        """The copies that anybody may take now, in order of id."""
        found = self.world.all(
            "SELECT copy_id FROM copy_now WHERE book_id = ? AND status = 'available' ORDER BY copy_id", book_id
        )
        return [row["copy_id"] for row in found]

    def borrow(self, book_id: str, ago: int, *, kept: int = 0, renewed: tuple[int, ...] = (), pays: int = 0) -> None:
        """Plan a loan of the member, returned after `kept` days if so; of a fine, `pays` cents are paid at once."""

        def happens(world: Builder) -> None:
            loan_id = borrow_book(world, self.free_copies(book_id)[0], self.pin)["loan_id"]
            for later in renewed:
                world.plan(self.at(later), renew_loan, loan_id)
            if kept:
                world.plan(self.at(ago - kept), self.give_back, loan_id, pays)

        self.world.plan(self.at(ago), happens)

    def give_back(self, world: Builder, loan_id: str, pays: int) -> None:
        """The member returns a copy now and pays of its fine."""
        returned = return_book(world, loan_id)
        if returned["fine_id"] is not None:
            pay_fine(world, returned["fine_id"], min(pays, int(returned["fine"])), self.pin)

    def others_borrow(self, book_id: str, ago: int, *, copies: int | None = None, back: int = 0) -> None:
        """Plan that others take so many free copies of a book, or all; one comes back `back` days ago, if so."""

        def happens(world: Builder) -> None:
            loans = [lend(world, copy_id, mine=False) for copy_id in self.free_copies(book_id)[:copies]]
            if back:
                world.plan(self.at(back), take_back, loans[0])

        self.world.plan(self.at(ago), happens)

    def wait(self, book_id: str, ago: int) -> None:
        """Plan that another member joins the waiting list of a book."""
        self.world.plan(self.at(ago), join_line, book_id, mine=False)


def plan_history(world: Builder, pin: str, books: list[str]) -> None:
    """Plan all that happened, given the books that may be borrowed."""
    life, fresh = Life(world, pin), iter(books)
    plan_loans(life, fresh)
    plan_lines(life, fresh)
    for book_id in fresh:
        plan_visits(life, book_id)


def plan_loans(life: Life, fresh: Iterator[str]) -> None:
    """The member's loans: some returned in time, two late, two overdue, one renewed twice, some that still run."""
    random = life.world.random
    for ago in range(60, 170, 11):
        life.borrow(next(fresh), ago, kept=random.randrange(3, 11))
    life.borrow(next(fresh), 120, kept=21 + random.randrange(4, 12), pays=10_00)
    life.borrow(next(fresh), 90, kept=21 + random.randrange(8, 16), pays=random.randrange(1, 8) * 25)
    life.borrow(next(fresh), random.randrange(65, 75))  # so late that its fine stops borrowing
    life.borrow(next(fresh), random.randrange(23, 30))
    life.borrow(next(fresh), 30, renewed=(20, 10))
    for _ in range(random.randrange(1, 4)):
        life.borrow(next(fresh), random.randrange(1, 15))


def plan_lines(life: Life, fresh: Iterator[str]) -> None:
    """Waiting lists: for a loan of the member, for two kept copies, and of the member behind another."""
    world, random = life.world, life.world.random
    awaited, mine, other, second, gone = (next(fresh) for _ in range(5))
    life.borrow(awaited, 12)
    for book_id, back in ((awaited, 0), (mine, 2), (other, 2), (second, 0), (gone, 0)):
        life.others_borrow(book_id, random.randrange(9, 12), back=back)
    for book_id in (awaited, other, second):
        life.wait(book_id, random.randrange(6, 9))
    for book_id in (mine, second, *([gone] if random.random() < 0.5 else [])):
        world.plan(life.at(random.randrange(3, 6)), reserve_book, book_id)


def plan_visits(life: Life, book_id: str) -> None:
    """Others borrow a book now and then."""
    random = life.world.random
    for ago in range(random.randrange(1, 40), 170, 40):
        if random.random() < 0.8:
            life.others_borrow(book_id, ago, copies=1, back=max(ago - random.randrange(3, 15), 0))
