"""A public library, as one member sees it: the example of a server that lives outside of the package.

Covers: the catalogue with its copies in several branches, loans and renewals, a waiting list per book, fines for late
returns. Borrowing and paying need the PIN of the member's card, which no tool shows. Other members are seen only by
what they hold and wait for.

Does not cover: the library's night run (kept copies that nobody collects, reminders). A session would need some 900
successful writes to see a night; an overdue loan is worked out on reading.
"""

from proverl.world.domain import Server

from .seed import build
from .tools import books, fines, loans, reservations

server = Server(
    "library",
    package=__name__,
    category="Knowledge",
    about="""A public library with several branches, as one member uses it: search books, borrow, renew and return
        copies, join waiting lists, pay fines. Borrowing and paying need the PIN of the library card.""",
    tools=[books, loans, reservations, fines],
    seed=build,
    discovery=["search_books", "list_loans", "list_fines"],
)
