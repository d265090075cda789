"""What the reads of the library should answer, worked out from the published descriptions and schema.sql.

Covers: the four read tools. The column `searched` is not used: words are looked for in title and author. Does not
cover: tools that write. Where the descriptions leave something open: equal titles go by author and id, copies of one
branch by id, loans of one due day and fines of one day by id, the larger first. Texts are ordered by code point.
"""

from __future__ import annotations

import re
from datetime import date

from proverl.laws.oracles import Oracle, Refusal, Row, Tables
from proverl.records import Json

PAGE = 20


def of_book(tables: Tables, table: str, book_id: str) -> list[Row]:
    """The rows of a table that belong to a book."""
    return [row for row in tables.rows[table] if row["book_id"] == book_id]


def line(tables: Tables, book_id: str) -> list[Row]:
    """The reservations that wait for a book, the first in line first."""
    waiting = [row for row in of_book(tables, "reservation", book_id) if row["status"] == "waiting"]
    return sorted(waiting, key=lambda row: (row["placed_at"], row["reservation_id"]))


def state(tables: Tables, copy: Row) -> tuple[str, str | None]:
    """Status and due day of a copy."""
    if copy["reading_room"]:
        return "reading_room", None
    for loan in tables.rows["loan"]:
        if loan["copy_id"] == copy["copy_id"] and loan["returned_on"] is None:
            return "on_loan", loan["due_on"]
    for kept in tables.rows["reservation"]:
        if kept["copy_id"] == copy["copy_id"] and kept["status"] == "ready":
            return "kept_for_you" if kept["mine"] else "kept_for_another", None
    return "available", None


def search_books(tables: Tables, arguments: dict[str, Json]) -> Json:
    """A page of the books that hold all words of the text."""
    found = []
    for book in sorted(tables.rows["book"], key=lambda row: (row["title"], row["author"], row["book_id"])):
        copies = of_book(tables, "copy", book["book_id"])
        available = sum(state(tables, copy)[0] == "available" for copy in copies)
        texts = (book["title"].casefold(), book["author"].casefold())
        fits = all(any(word in text for text in texts) for word in (arguments.get("text") or "").casefold().split())
        if fits and arguments.get("genre") in (None, book["genre"]):
            facts = {name: book[name] for name in ("book_id", "title", "author", "year", "genre")}
            found.append({**facts, "available": available, "waiting": len(line(tables, book["book_id"]))})
    if arguments.get("available_only"):
        found = [book for book in found if book["available"]]
    page = int(arguments.get("page", 1))
    more = len(found) > page * PAGE
    rows = found[(page - 1) * PAGE : page * PAGE]
    return {"count": len(found), "next_page": page + 1 if more else None, "books": rows}


def get_book(tables: Tables, arguments: dict[str, Json]) -> Json:
    """A book, its copies by branch, its waiting list."""
    books = of_book(tables, "book", arguments["book_id"])
    if not books:
        raise Refusal("book_not_found")
    book_id, waiting = books[0]["book_id"], line(tables, books[0]["book_id"])
    places = [place for place, row in enumerate(waiting, 1) if row["mine"]]
    copies = []
    for copy in sorted(of_book(tables, "copy", book_id), key=lambda row: (row["branch"], row["copy_id"])):
        status, due_on = state(tables, copy)
        copies.append({"copy_id": copy["copy_id"], "branch": copy["branch"], "status": status, "due_on": due_on})
    return {
        **{name: books[0][name] for name in ("book_id", "title", "author")},
        "waiting": len(waiting),
        "your_place": places[0] if places else None,
        "copies": copies,
    }


def is_day(text: str) -> bool:
    """Whether a text is a day of the calendar, written YYYY-MM-DD."""
    try:
        return bool(re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) and date.fromisoformat(text))
    except ValueError:
        return False


def list_loans(tables: Tables, arguments: dict[str, Json]) -> Json:
    """The member's loans, with what their copies are of."""
    due_by = arguments.get("due_by")
    if due_by is not None and not is_day(due_by):
        raise Refusal("invalid_argument")
    copies = {row["copy_id"]: row["book_id"] for row in tables.rows["copy"]}
    titles = {row["book_id"]: row["title"] for row in tables.rows["book"]}
    loans = []
    for loan in sorted(tables.rows["loan"], key=lambda row: (row["due_on"], row["loan_id"]), reverse=True):
        book_id = copies[loan["copy_id"]]
        late = loan["due_on"] < f"{tables.now:%Y-%m-%d}"
        status = "returned" if loan["returned_on"] else "overdue" if late else "on_loan"
        asked = arguments.get("status") in (None, status) and (due_by is None or loan["due_on"] <= due_by)
        if loan["mine"] and asked:
            names = ("loan_id", "copy_id", "borrowed_on", "due_on", "returned_on", "renewals")
            facts = {name: loan[name] for name in names}
            loans.append({**facts, "book_id": book_id, "title": titles[book_id], "status": status})
    return {"count": len(loans), "loans": loans}


def list_fines(tables: Tables, arguments: dict[str, Json]) -> Json:
    """The fines for the member's loans."""
    titles = {loan["loan_id"]: loan["title"] for loan in list_loans(tables, {})["loans"]}
    fines = []
    for fine in sorted(tables.rows["fine"], key=lambda row: (row["charged_on"], row["fine_id"]), reverse=True):
        owed = fine["amount"] - fine["paid"]
        if fine["loan_id"] in titles and (owed or not arguments.get("unpaid_only")):
            facts = {name: fine[name] for name in ("fine_id", "loan_id", "charged_on")}
            money = {"amount": fine["amount"] / 100, "owed": owed / 100}
            fines.append({**facts, **money, "title": titles[fine["loan_id"]]})
    total = sum(round(fine["owed"] * 100) for fine in fines) / 100
    return {"count": len(fines), "total_owed": total, "fines": fines}


ORACLES: dict[str, Oracle] = {
    "search_books": search_books,
    "get_book": get_book,
    "list_loans": list_loans,
    "list_fines": list_fines,
}
