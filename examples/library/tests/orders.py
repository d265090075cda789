"""The checks of the library's tools in order, as ordered: what is not there, states, limits, secrets."""

from support.orders import Apart

ORDER = {
    "search_books": "",
    "get_book": "book_not_found",
    "list_loans": "invalid_argument",
    "borrow_book": "copy_not_found reading_room_only copy_on_loan copy_kept already_borrowed loan_limit_reached "
    "fines_too_high wrong_pin",
    "return_book": "loan_not_found already_returned",
    "renew_loan": "loan_not_found already_returned loan_overdue renewal_limit_reached book_awaited",
    "reserve_book": "book_not_found already_borrowed already_reserved copy_available only_in_reading_room "
    "reservation_limit_reached",
    "list_fines": "",
    "pay_fine": "invalid_argument fine_not_found already_paid overpayment wrong_pin",
}

APART = [
    Apart("borrow_book", "reading_room_only", "copy_on_loan copy_kept", "copies of the reading room stay there"),
    Apart("borrow_book", "copy_on_loan", "copy_kept", "a copy is with one member or kept for one"),
    Apart("borrow_book", "copy_kept", "already_borrowed", "no world has a kept copy of a book that the member has"),
    Apart(
        "borrow_book",
        "loan_limit_reached",
        "fines_too_high",
        "so high a debt comes from a return, which makes room for a loan that the debt then forbids",
    ),
    Apart("renew_loan", "already_returned", "loan_overdue", "what was returned is no longer overdue"),
    Apart(
        "renew_loan",
        "loan_overdue renewal_limit_reached",
        "renewal_limit_reached book_awaited",
        "in every world these are three loans, and a session sees no other day and no other member",
    ),
    Apart("reserve_book", "already_borrowed", "already_reserved", "borrowing a book ends its reservation"),
    Apart("reserve_book", "already_reserved", "copy_available", "a copy that comes back is kept for who waits"),
]
