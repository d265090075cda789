"""The checks of the banking tools in order, from the catalogue of the domain.

Where the catalogue is silent: an amount or a day that is wrong by itself comes first.
"""

from support.orders import Apart

ORDER = {
    "list_bank_accounts": "",
    "get_bank_account": "account_not_found",
    "search_bank_transactions": "account_not_found card_not_found invalid_date_range",
    "list_payees": "",
    "list_bank_messages": "invalid_time",
    "list_scheduled_payments": "account_not_found payee_not_found",
    "list_bank_cards": "account_not_found",
    "request_one_time_code": "code_still_active too_many_codes",
    "add_payee": "payee_exists invalid_routing_number invalid_account_number no_active_code wrong_code code_expired",
    "remove_payee": "payee_not_found payee_has_scheduled_payments payment_in_progress",
    "transfer_between_accounts": "invalid_argument account_not_found same_account account_frozen account_closed "
    "credit_cannot_send insufficient_funds daily_limit_exceeded savings_withdrawal_limit credit_overpayment wrong_pin",
    "send_payee_payment": "invalid_argument account_not_found payee_not_found payee_blocked account_frozen "
    "account_closed credit_cannot_send insufficient_funds daily_limit_exceeded savings_withdrawal_limit "
    "new_payee_limit code_required wrong_code code_expired wrong_pin",
    "schedule_payee_payment": "invalid_argument account_not_found payee_not_found payee_blocked account_frozen "
    "account_closed credit_cannot_send date_not_in_future end_before_start duplicate_schedule wrong_pin",
    "cancel_scheduled_payment": "scheduled_payment_not_found already_ended due_today",
    "set_card_lock": "card_not_found card_expired already_in_state pin_required wrong_pin locked_by_dispute",
    "set_card_spending_limit": "card_not_found card_expired limit_unchanged code_required wrong_code code_expired",
    "dispute_bank_transaction": "transaction_not_found transaction_pending not_a_card_transaction already_disputed "
    "dispute_window_closed",
}

SENDING = "transfer_between_accounts send_payee_payment schedule_payee_payment"
PAYING = "send_payee_payment schedule_payee_payment"

APART = [
    Apart(
        "add_payee",
        "payee_exists",
        "invalid_routing_number invalid_account_number",
        "only numbers that are valid were ever saved",
    ),
    Apart(
        "remove_payee",
        "payee_not_found",
        "payee_has_scheduled_payments payment_in_progress",
        "who is no payee has no payments",
    ),
    Apart(PAYING, "account_frozen", "account_closed", "an account is in one status, and only one sends"),
    Apart(SENDING, "account_frozen", "credit_cannot_send", "no world has a frozen credit account"),
    Apart(PAYING, "account_closed", "credit_cannot_send", "no world has a closed credit account"),
    Apart(
        SENDING,
        "account_frozen",
        "savings_withdrawal_limit",
        "money left the frozen account of a world at most three times in all, and no more can leave it",
    ),
    Apart(
        "send_payee_payment",
        "account_closed",
        "savings_withdrawal_limit",
        "money left the closed account of a world once, and no more can leave it",
    ),
    Apart(SENDING, "credit_cannot_send", "savings_withdrawal_limit", "an account is of one kind"),
    Apart(
        "send_payee_payment",
        "payee_blocked",
        "new_payee_limit",
        "the payee whom the bank has blocked was saved months ago",
    ),
    Apart(
        "schedule_payee_payment",
        "payee_blocked",
        "duplicate_schedule",
        "no scheduled payment goes to the payee whom the bank has blocked, and none can be set up",
    ),
    Apart("cancel_scheduled_payment", "already_ended", "due_today", "what has ended is due no more"),
    Apart("set_card_lock", "card_not_found", "locked_by_dispute", "a card that does not exist paid for nothing"),
    Apart("set_card_lock", "card_expired", "already_in_state", "an expired card is neither active nor locked"),
    Apart(
        "set_card_lock",
        "already_in_state",
        "locked_by_dispute",
        "only making a card active asks for disputes, and a card that one of them locked is not active",
    ),
    Apart(
        "set_card_spending_limit",
        "limit_unchanged",
        "code_required wrong_code code_expired",
        "only a higher limit needs a code",
    ),
    Apart(
        "dispute_bank_transaction",
        "transaction_pending",
        "already_disputed dispute_window_closed",
        "a transaction is in one status, and a pending one is some days old at most",
    ),
    Apart(
        "dispute_bank_transaction",
        "not_a_card_transaction",
        "already_disputed",
        "only card purchases were ever disputed",
    ),
    Apart(
        "dispute_bank_transaction",
        "already_disputed",
        "dispute_window_closed",
        "what was disputed in a world was bought at most 55 days before it opens, and no session lasts for days",
    ),
]
