"""What the tools of the banking server take and give: entities, enumerations, and a TypedDict for each result.

Amounts are dollars outside and cents inside.
"""

from __future__ import annotations

from typing import Annotated, Literal

from proverl.world.domain import Day, Entity, Flag, Moment, Money, Text, TypedDict

ACCOUNT = Entity("account", "acc", "list_bank_accounts", view="account_now", order="nickname")
CARD = Entity("card", "crd", "list_bank_cards", view="card_now", order="label")
DISPUTE = Entity("dispute", "dsp")
MESSAGE = Entity("bank_message", "msg", "list_bank_messages", key="message_id", order="sent_at DESC, message_id DESC")
PAYEE = Entity("payee", "pay", "list_payees", view="payee_now", order="name, bank_name, payee_id")
SCHEDULED_PAYMENT = Entity(
    "scheduled_payment",
    "sch",
    "list_scheduled_payments",
    view="scheduled_payment_now",
    order="next_date IS NULL, next_date, scheduled_payment_id",
)
TRANSACTION = Entity(
    "transaction",
    "txn",
    "search_bank_transactions",
    table="bank_transaction",
    view="transaction_now",
    order="posted_at DESC, transaction_id DESC",
)

AccountId = Annotated[str, ACCOUNT]
CardId = Annotated[str, CARD]
DisputeId = Annotated[str, DISPUTE]
MessageId = Annotated[str, MESSAGE]
PayeeId = Annotated[str, PAYEE]
ScheduledPaymentId = Annotated[str, SCHEDULED_PAYMENT]
TransactionId = Annotated[str, TRANSACTION]

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
    balance: Money
    available: Money
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
    balance: Money
    available: Money
    overdraft_limit: Money
    daily_limit: Money
    daily_limit_left: Money
    savings_withdrawals_left: int | None
    pending_total: Money
    opened_on: Day
    status: AccountStatus


class Transferred(TypedDict):
    """The answer of transfer_between_accounts."""

    transaction_id: TransactionId
    from_balance: Money
    to_balance: Money
    posted_at: Moment


class TransactionRow(TypedDict):
    """One transaction in a list; `amount` is positive, `direction` says which way it went."""

    transaction_id: TransactionId
    account_id: AccountId
    card_id: CardId | None
    posted_on: Day
    merchant: str
    amount: Money
    direction: Direction
    category: Category
    memo: Text | None
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
    provisional_credit: Money
    card_status: CardStatus
    decision_by: Day


class PayeeRow(TypedDict):
    """One payee in a list."""

    payee_id: PayeeId
    name: str
    bank_name: str
    masked_account: str
    added_at: Moment
    last_paid_on: Day | None
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
    full_limit_from: Moment


class RemovedPayee(TypedDict):
    """The answer of remove_payee."""

    payee_id: PayeeId
    name: str
    removed_at: Moment


class PayeePayment(TypedDict):
    """The answer of send_payee_payment; `status` is pending if the payment goes out on a later business day."""

    transaction_id: TransactionId
    payee_id: PayeeId
    amount: Money
    from_balance: Money
    status: Literal["posted", "pending"]
    arrives_on: Day


class ScheduledPaymentRow(TypedDict):
    """One scheduled payment in a list."""

    scheduled_payment_id: ScheduledPaymentId
    from_account_id: AccountId
    payee_id: PayeeId
    payee_name: str
    amount: Money
    frequency: Frequency
    next_date: Day | None
    end_date: Day | None
    status: ScheduleStatus


class ScheduledPaymentList(TypedDict):
    """The answer of list_scheduled_payments."""

    count: int
    scheduled_payments: list[ScheduledPaymentRow]


class NewScheduledPayment(TypedDict):
    """The answer of schedule_payee_payment."""

    scheduled_payment_id: ScheduledPaymentId
    payee_name: str
    amount: Money
    frequency: Frequency
    next_date: Day
    end_date: Day | None


class CancelledScheduledPayment(TypedDict):
    """The answer of cancel_scheduled_payment."""

    scheduled_payment_id: ScheduledPaymentId
    payee_name: str
    status: Literal["ended"]
    cancelled_at: Moment


class CardRow(TypedDict):
    """One card in a list."""

    card_id: CardId
    label: str
    kind: Literal["debit", "credit"]
    last4: str
    account_id: AccountId
    daily_spend_limit: Money
    expires_on: Day
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
    changed_at: Moment


class CardLimitChange(TypedDict):
    """The answer of set_card_spending_limit."""

    card_id: CardId
    label: str
    old_limit: Money
    new_limit: Money


class MessageRow(TypedDict):
    """One message of the secure inbox."""

    message_id: MessageId
    kind: MessageKind
    subject: Text
    body: Text
    sent_at: Moment
    unread: Flag


class MessageList(TypedDict):
    """The answer of list_bank_messages: `count` matches in all, of which the newest are shown."""

    count: int
    messages: list[MessageRow]


class CodeSent(TypedDict):
    """The answer of request_one_time_code."""

    purpose: Purpose
    sent_at: Moment
    expires_at: Moment
    delivered_to: Literal["secure inbox"]
