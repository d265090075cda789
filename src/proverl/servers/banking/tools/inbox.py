"""The secure inbox: reading messages, and having a one-time code sent to it."""

from __future__ import annotations

from ....world.server import World, tool
from ....world.state import Row
from ....world.values import iso, parse_time
from ..codes import send_code
from ..results import CodeSent, MessageKind, MessageList, MessageRow, Purpose

SHOWN = 20


@tool("read", refusals=["invalid_time"])
def list_bank_messages(world: World, kind: MessageKind | None = None, since: str | None = None) -> MessageList:
    """Read the bank's secure inbox, newest first: security codes (the code stands in the text), alerts, statements and
    notices. Returns up to 20 messages; count says how many match in all.

    Args:
        kind: only this kind: security, alert, statement or notice
        since: only messages sent at or after this ISO 8601 time
    """
    earliest = "" if since is None else iso(parse_time(since, "since", world.offset, "invalid_time"))
    where = "FROM bank_message WHERE sent_at >= ? AND kind = coalesce(?, kind)"
    count = world.value(f"SELECT count(*) {where}", earliest, kind)
    found = world.all(f"SELECT * {where} ORDER BY sent_at DESC, message_id DESC LIMIT ?", earliest, kind, SHOWN)
    return {"count": count, "messages": [_row(message) for message in found]}


def _row(message: Row) -> MessageRow:
    return {
        "message_id": message["message_id"],
        "kind": message["kind"],
        "subject": message["subject"],
        "body": message["body"],
        "sent_at": message["sent_at"],
        "unread": bool(message["unread"]),
    }


@tool("write", refusals=["code_still_active", "too_many_codes"])
def request_one_time_code(world: World, purpose: Purpose) -> CodeSent:
    """Send a six-digit one-time code for one purpose: adding a payee, a large payment, or raising a card limit. The
    code arrives in the secure inbox as a security message and is not part of the result; it is valid for 10 minutes
    and for one use. At most five codes are sent in 24 hours.

    Args:
        purpose: what the code is for: payee (adding one), payment (above 1,000.00) or limit (raising a card limit)
    """
    expires = send_code(world, purpose)
    return {
        "purpose": purpose,
        "sent_at": iso(world.now),
        "expires_at": iso(expires),
        "delivered_to": "secure inbox",
    }
