"""What the reads of the banking server should answer.

Covers: the seven read tools, worked out from the published descriptions, the catalogue's rules and schema.sql. The
columns `searched` are not used: words are looked for in the texts themselves. Does not cover: tools that write.

Where the descriptions leave something open, the oracle decides so:
- Equal sort keys go by id in the same direction, payees of one name by their bank first; cards come in order of label,
  scheduled payments that have ended come last. Texts are ordered by code point.
- A transaction matches if each word of the text, in any order, is part of its merchant or of its memo; a payee matches
  if the whole text is part of its name or of its bank.
- A payee counts as paid on the day of the payment, though that be pending. An account that cannot send has none of its
  daily limit left. A card expires at the end of its last day.
- A day stands for its start, a time without an offset is the world's. A time needs the T of ISO 8601 before the hour.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from proverl.laws.oracles import Oracle, Refusal, Row, Tables
from proverl.records import Json

SAVINGS_WITHDRAWALS = 6
MESSAGES_SHOWN = 20
DEFAULT_LIMIT = 20
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MOMENT = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(T(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(:(?P<second>[0-9]{2})(\.(?P<fraction>[0-9]{1,6}))?)?"
    r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
START = datetime(1, 1, 1)


def dollars(cents: int) -> float:
    """Cents as tools print them."""
    return round(cents / 100, 2)


def fitting(rows: Iterable[Row], wanted: dict[str, Json]) -> list[Row]:
    """The rows that hold every wanted value that is given."""
    return [row for row in rows if all(value is None or row[name] == value for name, value in wanted.items())]


def found(tables: Tables, table: str, key: str, wanted: Json, code: str) -> Row | None:
    """The row with this id, none if no id is given.

    Raises:
        Refusal: no row has it
    """
    if wanted is None:
        return None
    rows = fitting(tables.rows[table], {key: wanted})
    if not rows:
        raise Refusal(code)
    return rows[0]


def account_of(tables: Tables, wanted: Json) -> Row | None:
    """The account with this id, if one is given."""
    return found(tables, "account", "account_id", wanted, "account_not_found")


def kept_payees(tables: Tables) -> list[Row]:
    """The payees that were not removed."""
    return [row for row in tables.rows["payee"] if not row["removed"]]


def pending_total(tables: Tables, account: Row) -> int:
    """Cents that are about to leave the account."""
    wanted = {"account_id": account["account_id"], "status": "pending", "direction": "outgoing"}
    return sum(row["amount"] for row in fitting(tables.rows["bank_transaction"], wanted))


def available(tables: Tables, account: Row) -> int:
    """Cents that may be spent."""
    return int(account["balance"] + account["overdraft_limit"] - pending_total(tables, account))


def list_bank_accounts(tables: Tables, arguments: dict[str, Json]) -> Json:
    """All accounts of a kind and a status, by nickname."""
    wanted = {"kind": arguments.get("kind"), "status": arguments.get("status")}
    rows = sorted(fitting(tables.rows["account"], wanted), key=lambda row: row["nickname"])
    accounts = [
        {
            **{name: row[name] for name in ("account_id", "nickname", "kind", "status")},
            "currency": "USD",
            "balance": dollars(row["balance"]),
            "available": dollars(available(tables, row)),
        }
        for row in rows
    ]
    return {"count": len(accounts), "accounts": accounts}


def get_bank_account(tables: Tables, arguments: dict[str, Json]) -> Json:
    """One account, with what is left of its limits: what left it today and how often money left it this month."""
    row = account_of(tables, arguments["account_id"])
    assert row is not None
    today, month = f"{tables.now:%Y-%m-%d}", f"{tables.now:%Y-%m}"
    wanted = {"account_id": row["account_id"], "direction": "outgoing"}
    outgoing = fitting(tables.rows["bank_transaction"], wanted)
    sent = sum(
        movement["amount"]
        for movement in outgoing
        if movement["posted_at"][:10] == today and (movement["payee_id"] or movement["other_account_id"])
    )
    left = max(0, row["daily_limit"] - sent) if row["status"] == "open" else 0
    withdrawals = sum(movement["posted_at"][:7] == month for movement in outgoing)
    return {
        **{name: row[name] for name in ("account_id", "nickname", "kind", "masked_number", "opened_on", "status")},
        "balance": dollars(row["balance"]),
        "available": dollars(available(tables, row)),
        "overdraft_limit": dollars(row["overdraft_limit"]),
        "daily_limit": dollars(row["daily_limit"]),
        "daily_limit_left": dollars(left),
        "savings_withdrawals_left": max(0, SAVINGS_WITHDRAWALS - withdrawals) if row["kind"] == "savings" else None,
        "pending_total": dollars(pending_total(tables, row)),
    }


def day_of(text: Json) -> str | None:
    """A day that was given, none if none was.

    Raises:
        Refusal: there is no such day
    """
    if text is None:
        return None
    try:
        if DAY.fullmatch(text):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise Refusal("invalid_date_range")


def holds(texts: Iterable[str | None], part: str) -> bool:
    """Whether one of the texts holds the part, whatever the case."""
    return any(part.casefold() in (text or "").casefold() for text in texts)


def search_bank_transactions(tables: Tables, arguments: dict[str, Json]) -> Json:
    """A page of the matching transactions, newest first."""
    account_of(tables, arguments.get("account_id"))
    found(tables, "card", "card_id", arguments.get("card_id"), "card_not_found")
    first, last = day_of(arguments.get("date_from")), day_of(arguments.get("date_to"))
    if first and last and first > last:
        raise Refusal("invalid_date_range")
    wanted = {name: arguments.get(name) for name in ("account_id", "card_id", "direction", "status")}
    rows = [
        row
        for row in fitting(tables.rows["bank_transaction"], wanted)
        if (first or "") <= row["posted_at"][:10] <= (last or "9999-12-31")
        and all(holds([row["merchant"], row["memo"]], word) for word in arguments.get("text", "").split())
    ]
    rows.sort(key=lambda row: (row["posted_at"], row["transaction_id"]), reverse=True)
    limit, page = int(arguments.get("limit", DEFAULT_LIMIT)), int(arguments.get("page", 1))
    same = ("transaction_id", "account_id", "card_id", "merchant", "direction", "category", "memo", "status")
    return {
        "count": len(rows),
        "next_page": page + 1 if page * limit < len(rows) else None,
        "transactions": [
            {
                **{name: row[name] for name in same},
                "posted_on": row["posted_at"][:10],
                "amount": dollars(row["amount"]),
            }
            for row in rows[(page - 1) * limit : page * limit]
        ],
    }


def list_payees(tables: Tables, arguments: dict[str, Json]) -> Json:
    """The saved payees whose name or bank holds the text, by name."""
    part = arguments.get("text", "")
    rows = [row for row in kept_payees(tables) if holds([row["name"], row["bank_name"]], part)]
    rows.sort(key=lambda row: (row["name"], row["bank_name"], row["payee_id"]))
    paid: dict[str, str] = {}
    for row in tables.rows["bank_transaction"]:
        if row["payee_id"] and row["direction"] == "outgoing":
            paid[row["payee_id"]] = max(row["posted_at"][:10], paid.get(row["payee_id"], ""))
    payees = [
        {
            **{name: row[name] for name in ("payee_id", "name", "bank_name", "added_at", "status")},
            "masked_account": "****" + row["account_number"][-4:],
            "last_paid_on": paid.get(row["payee_id"]),
        }
        for row in rows
    ]
    return {"count": len(payees), "payees": payees}


def list_scheduled_payments(tables: Tables, arguments: dict[str, Json]) -> Json:
    """All scheduled payments from an account, to a payee and of a status, the next due first."""
    account_of(tables, arguments.get("from_account_id"))
    payee_id = arguments.get("payee_id")
    if payee_id is not None and not fitting(kept_payees(tables), {"payee_id": payee_id}):
        raise Refusal("payee_not_found")
    names = {row["payee_id"]: row["name"] for row in tables.rows["payee"]}
    wanted = {name: arguments.get(name) for name in ("from_account_id", "payee_id", "status")}
    rows = fitting(tables.rows["scheduled_payment"], wanted)
    rows.sort(key=lambda row: (row["next_date"] is None, row["next_date"] or "", row["scheduled_payment_id"]))
    same = ("scheduled_payment_id", "from_account_id", "payee_id", "frequency", "next_date", "end_date", "status")
    payments = [
        {
            **{name: row[name] for name in same},
            "payee_name": names[row["payee_id"]],
            "amount": dollars(row["amount"]),
        }
        for row in rows
    ]
    return {"count": len(payments), "scheduled_payments": payments}


def card_status(tables: Tables, card: Row) -> str:
    """Expired after its last day, whether locked or not."""
    if card["expires_on"] < f"{tables.now:%Y-%m-%d}":
        return "expired"
    return "locked" if card["locked"] else "active"


def list_bank_cards(tables: Tables, arguments: dict[str, Json]) -> Json:
    """All cards of an account and a status, by label."""
    account_of(tables, arguments.get("account_id"))
    rows = fitting(tables.rows["card"], {"account_id": arguments.get("account_id")})
    rows.sort(key=lambda row: row["label"])
    cards = [
        {
            **{name: row[name] for name in ("card_id", "label", "kind", "last4", "account_id", "expires_on")},
            "daily_spend_limit": dollars(row["daily_spend_limit"]),
            "status": card_status(tables, row),
        }
        for row in rows
    ]
    cards = fitting(cards, {"status": arguments.get("status")})
    return {"count": len(cards), "cards": cards}


def since_start(text: str, local: timedelta) -> timedelta:
    """How long a moment lies after the start of the year 1 in UTC, which may be before; `local` unless it says where.

    Raises:
        Refusal: it is no ISO 8601 time
    """
    parts = MOMENT.fullmatch(text)
    if parts is None:
        raise Refusal("invalid_time")
    try:
        moment = datetime.fromisoformat(parts["day"]).replace(
            hour=int(parts["hour"] or 0), minute=int(parts["minute"] or 0), second=int(parts["second"] or 0)
        )
    except ValueError:
        raise Refusal("invalid_time") from None
    fraction = timedelta(microseconds=int((parts["fraction"] or "")[:6].ljust(6, "0")))
    zone, offset = parts["zone"], local
    if zone == "Z":
        offset = timedelta(0)
    elif zone:
        hours, minutes = int(zone[1:3]), int(zone[-2:]) if len(zone) > 3 else 0
        if hours > 23 or minutes > 59:
            raise Refusal("invalid_time")
        offset = timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)
    return moment - START + fraction - offset


def list_bank_messages(tables: Tables, arguments: dict[str, Json]) -> Json:
    """The newest messages of a kind that were sent at a time or after it."""
    rows = fitting(tables.rows["bank_message"], {"kind": arguments.get("kind")})
    if arguments.get("since") is not None:
        since = since_start(arguments["since"], tables.offset)
        rows = [row for row in rows if since_start(row["sent_at"], tables.offset) >= since]
    rows.sort(key=lambda row: (row["sent_at"], row["message_id"]), reverse=True)
    messages = [
        {
            **{name: row[name] for name in ("message_id", "kind", "subject", "body", "sent_at")},
            "unread": bool(row["unread"]),
        }
        for row in rows[:MESSAGES_SHOWN]
    ]
    return {"count": len(rows), "messages": messages}


ORACLES: dict[str, Oracle] = {
    "list_bank_accounts": list_bank_accounts,
    "get_bank_account": get_bank_account,
    "search_bank_transactions": search_bank_transactions,
    "list_payees": list_payees,
    "list_scheduled_payments": list_scheduled_payments,
    "list_bank_cards": list_bank_cards,
    "list_bank_messages": list_bank_messages,
}
