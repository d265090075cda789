"""Library worlds: a seed becomes a catalogue and half a year of loans.

Covers: the order of building, and what every world must hold. The history is lived by the tools and the functions under
them, so no world breaks the library's rules; what the rules refuse does not happen.
"""

from __future__ import annotations

from proverl.world.domain import Builder

from .catalogue import fill_shelves
from .history import plan_history

PROMISES = {
    "a book in the reading room only": "SELECT count(*) FROM book_now b WHERE NOT EXISTS"
    " (SELECT 1 FROM copy c WHERE c.book_id = b.book_id AND NOT c.reading_room)",
    "two books of one title": "SELECT count(*) FROM book a JOIN book b USING (title) WHERE a.book_id < b.book_id",
    "5 to 7 loans": "SELECT count(*) BETWEEN 5 AND 7 FROM loan_now WHERE status <> 'returned'",
    "two overdue loans": "SELECT count(*) = 2 FROM loan_now WHERE status = 'overdue'",
    "a loan renewed twice": "SELECT count(*) = 1 FROM loan_now WHERE status = 'on_loan' AND renewals = 2",
    "a loan of a book that others wait for": "SELECT count(*) = 1 FROM loan_now l JOIN waiting USING (book_id)"
    " WHERE l.status = 'on_loan'",
    "a copy kept for the member, one for another": "SELECT count(DISTINCT status) = 2 FROM copy_now"
    " WHERE status LIKE 'kept%'",
    "a second place in a waiting list": "SELECT count(*) > 0 FROM book_now WHERE your_place = 2",
    "a fine paid in full and one in part": "SELECT min(owed) = 0 AND sum(paid AND owed) = 1 FROM fine_now",
    "less owed than stops borrowing": "SELECT sum(owed) BETWEEN 1 AND 999 FROM fine_now",
}
"""What every world must hold, each as a query for something that is true."""


def build(world: Builder) -> None:
    """Make the world of a seed."""
    pin = str(world.random.randrange(10**5, 10**6))
    world.keep_secret("pin", pin)
    plan_history(world, pin, fill_shelves(world))
    world.happen()
    lacking = [what for what, query in PROMISES.items() if not world.value(query)]
    assert not lacking, f"this world lacks {lacking}"
