"""The checks of the banking tools in order, from the catalogue of the domain."""

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

APART: list[Apart] = []
