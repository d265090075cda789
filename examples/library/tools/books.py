"""Books: searching the catalogue, and one book with its copies."""

from __future__ import annotations

from typing import Annotated

from proverl.world.domain import Field, World, shown, tool, words

from ..results import BOOK, COPY, BookDetails, BookId, BookPage, BookRow, CopyRow, Genre


@tool("read")
def search_books(
    world: World,
    text: Annotated[str | None, Field(min_length=2, max_length=60, pattern=r"\S")] = None,
    genre: Genre | None = None,
    available_only: bool = False,
    page: Annotated[int, Field(ge=1)] = 1,
) -> BookPage:
    """Search the library's books by words in the title or author and by genre, in order of title. Returns up to 20
    books and a next_page number when there are more.

    Args:
        text: words in the title or author, case-insensitive, 2 to 60 characters
        genre: novel, crime, history, science or travel
        available_only: only books of which a copy can be borrowed now by anybody
        page: page number from 1
    """
    free = ["available > 0"] if available_only else []
    found = world.page(BookRow, BOOK, page, 20, *free, *words("searched", text), genre=genre)
    return {"count": found.count, "next_page": found.next_page, "books": found.rows}


@tool("read", refusals="book_not_found")
def get_book(world: World, book_id: BookId) -> BookDetails:
    """Show one book with all its copies in order of branch, how many members wait for it, and the member's own place
    in the waiting list. Copies that are kept have been returned and wait for a member to collect them.

    Args:
        book_id: id of the book
    """
    book = world.find(BOOK, book_id)
    return shown(BookDetails, book, copies=world.rows(CopyRow, COPY, book_id=book_id))
