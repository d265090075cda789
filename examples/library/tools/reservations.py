"""Reservations: joining the waiting list of a book."""

from __future__ import annotations

from proverl.world.domain import World, refuse, tool

from ..results import BOOK, BookId, Reserved
from ..rules import check_not_borrowed, join_line

MOST_RESERVATIONS = 3


@tool(
    "write",
    refusals="book_not_found already_borrowed already_reserved copy_available only_in_reading_room "
    "reservation_limit_reached",
    idempotent=True,
)
def reserve_book(world: World, book_id: BookId) -> Reserved:
    """Put the member at the end of a book's waiting list; a copy that comes back is kept for the first in line. Only
    for books of which no copy is available. A member has at most 3 reservations that are not yet collected.

    Args:
        book_id: id of the book
    """
    book = world.find(BOOK, book_id)
    title = book["title"]
    check_not_borrowed(world, book)
    reserved = world.all("SELECT book_id FROM reservation WHERE mine AND status <> 'collected' ORDER BY book_id")
    if {"book_id": book["book_id"]} in reserved:
        refuse("already_reserved", f"{title} is reserved already; get_book shows whether a copy is kept")
    if book["available"]:
        refuse("copy_available", f"a copy of {title} is available; borrow it with borrow_book")
    if not world.value("SELECT count(*) FROM copy WHERE book_id = ? AND NOT reading_room", book_id):
        refuse("only_in_reading_room", f"{title} is only read in the reading room; choose another book")
    if len(reserved) >= MOST_RESERVATIONS:
        refuse("reservation_limit_reached", f"the member has {MOST_RESERVATIONS} reservations; collect one first")
    reservation_id = join_line(world, book_id, mine=True)
    return {"reservation_id": reservation_id, "title": title, "your_place": book["waiting"] + 1}
