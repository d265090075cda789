"""What the tools of the banking server take and give: the enumerations, and a TypedDict for each result.

Amounts are dollars, times ISO 8601 with offset, days YYYY-MM-DD.
"""

from __future__ import annotations

from typing import Annotated, Literal

from typing_extensions import TypedDict

from ...world.server import Ref

AccountId = Annotated[str, Ref("account")]
CardId = Annotated[str, Ref("card")]
DisputeId = Annotated[str, Ref("dispute")]
MessageId = Annotated[str, Ref("bank_message")]
PayeeId = Annotated[str, Ref("payee")]
ScheduledPaymentId = Annotated[str, Ref("scheduled_payment")]
TransactionId = Annotated[str, Ref("transaction")]

AccountKind = Literal["checking", "savings", "credit"]
AccountStatus = Literal["open", "frozen", "closed"]
CardStatus = Literal["active", "locked", "expired"]
Category = Literal[
    "groceries",
    "dining",
    "transport",
    "housing",
    "utilities",
    "health",
    "shopping",
    "entertainment",
    "travel",
    "income",
    "transfer",
    "fees",
]
Direction = Literal["incoming", "outgoing"]
DisputeReason = Literal["unrecognized", "duplicate", "overcharged", "undelivered"]
Frequency = Literal["single", "weekly", "monthly"]
MessageKind = Literal["security", "alert", "statement", "notice"]
PayeeStatus = Literal["active", "blocked"]
Purpose = Literal["payee", "payment", "limit"]
ScheduleStatus = Literal["active", "paused", "ended"]
TransactionStatus = Literal["pending", "posted", "disputed", "reversed"]


class AccountRow(TypedDict):
    """One account in a list."""

    account_id: AccountId
    nickname: str
    kind: AccountKind
    currency: Literal["USD"]
    balance: float
    available: float
    status: AccountStatus


class AccountList(TypedDict):
    """The answer of list_bank_accounts."""

    count: int
    accounts: list[AccountRow]


class AccountDetails(TypedDict):
    """The answer of get_bank_account; `savings_withdrawals_left` is null unless it is a savings account."""

    account_id: AccountId
    nickname: str
    kind: AccountKind
    masked_number: str
    balance: float
    available: float
    overdraft_limit: float
    daily_limit: float
    daily_limit_left: float
    savings_withdrawals_left: int | None
    pending_total: float
    opened_on: str
    status: AccountStatus


class Transferred(TypedDict):
    """The answer of transfer_between_accounts."""

    transaction_id: TransactionId
    from_balance: float
    to_balance: float
    posted_at: str


class TransactionRow(TypedDict):
    """One transaction in a list; `amount` is positive, `direction` says which way it went."""

    transaction_id: TransactionId
    account_id: AccountId
    card_id: CardId | None
    posted_on: str
    merchant: str
    amount: float
    direction: Direction
    category: Category
    memo: str | None
    status: TransactionStatus


class TransactionPage(TypedDict):
    """The answer of search_bank_transactions: `count` matches in all, of which this page shows some."""

    count: int
    next_page: int | None
    transactions: list[TransactionRow]


class Disputed(TypedDict):
    """The answer of dispute_bank_transaction."""

    dispute_id: DisputeId
    transaction_id: TransactionId
    status: Literal["open"]
    provisional_credit: float
    card_status: CardStatus
    decision_by: str


class PayeeRow(TypedDict):
    """One payee in a list."""

    payee_id: PayeeId
    name: str
    bank_name: str
    masked_account: str
    added_at: str
    last_paid_on: str | None
    status: PayeeStatus


class PayeeList(TypedDict):
    """The answer of list_payees."""

    count: int
    payees: list[PayeeRow]


class AddedPayee(TypedDict):
    """The answer of add_payee."""

    payee_id: PayeeId
    name: str
    bank_name: str
    masked_account: str
    full_limit_from: str


class RemovedPayee(TypedDict):
    """The answer of remove_payee."""

    payee_id: PayeeId
    name: str
    removed_at: str


class PayeePayment(TypedDict):
    """The answer of send_payee_payment; `status` is pending if the payment goes out on a later business day."""

    transaction_id: TransactionId
    payee_id: PayeeId
    amount: float
    from_balance: float
    status: Literal["posted", "pending"]
    arrives_on: str


class ScheduledPaymentRow(TypedDict):
    """One scheduled payment in a list."""

    scheduled_payment_id: ScheduledPaymentId
    from_account_id: AccountId
    payee_id: PayeeId
    payee_name: str
    amount: float
    frequency: Frequency
    next_date: str | None
    end_date: str | None
    status: ScheduleStatus


class ScheduledPaymentList(TypedDict):
    """The answer of list_scheduled_payments."""

    count: int
    scheduled_payments: list[ScheduledPaymentRow]


class NewScheduledPayment(TypedDict):
    """The answer of schedule_payee_payment."""

    scheduled_payment_id: ScheduledPaymentId
    payee_name: str
    amount: float
    frequency: Frequency
    next_date: str
    end_date: str | None


class CancelledScheduledPayment(TypedDict):
    """The answer of cancel_scheduled_payment."""

    scheduled_payment_id: ScheduledPaymentId
    payee_name: str
    status: Literal["ended"]
    cancelled_at: str


class CardRow(TypedDict):
    """One card in a list."""

    card_id: CardId
    label: str
    kind: Literal["debit", "credit"]
    last4: str
    account_id: AccountId
    daily_spend_limit: float
    expires_on: str
    status: CardStatus


class CardList(TypedDict):
    """The answer of list_bank_cards."""

    count: int
    cards: list[CardRow]


class CardLockChange(TypedDict):
    """The answer of set_card_lock."""

    card_id: CardId
    label: str
    status: Literal["locked", "active"]
    changed_at: str


class CardLimitChange(TypedDict):
    """The answer of set_card_spending_limit."""

    card_id: CardId
    label: str
    old_limit: float
    new_limit: float


class MessageRow(TypedDict):
    """One message of the secure inbox."""

    message_id: MessageId
    kind: MessageKind
    subject: str
    body: str
    sent_at: str
    unread: bool


class MessageList(TypedDict):
    """The answer of list_bank_messages: `count` matches in all, of which the newest are shown."""

    count: int
    messages: list[MessageRow]


class CodeSent(TypedDict):
    """The answer of request_one_time_code."""

    purpose: Purpose
    sent_at: str
    expires_at: str
    delivered_to: Literal["secure inbox"]
