"""The secure inbox: reading messages, and having a one-time code sent to it."""

from __future__ import annotations

from proverl.world.domain import World, check_moment, tool

from ..one_time_codes import check_sending, send_code
from ..results import MESSAGE, CodeSent, MessageKind, MessageList, MessageRow, Purpose

SHOWN = 20


@tool("read", refusals="invalid_time")
def list_bank_messages(world: World, kind: MessageKind | None = None, since: str | None = None) -> MessageList:
    """Read the bank's secure inbox, newest first: security codes (the code stands in the text), alerts, statements and
    notices. Returns up to 20 messages; count says how many match in all.

    Args:
        kind: only this kind: security, alert, statement or notice
        since: only messages sent at or after this ISO 8601 time, such as 2031-05-14T16:00 or 2031-05-14
    """
    earliest = None if since is None else check_moment(since, "since", world.offset, "invalid_time").isoformat()
    found = world.page(MessageRow, MESSAGE, 1, SHOWN, ("sent_at >= ?", earliest), kind=kind)
    return {"count": found.count, "messages": found.rows}


@tool("write", refusals="code_still_active too_many_codes", idempotent=True)
def request_one_time_code(world: World, purpose: Purpose) -> CodeSent:
    """Send a six-digit one-time code for one purpose: adding a payee, a large payment, or raising a card limit. The
    code arrives in the secure inbox as a security message and is not part of the result; it is valid for 10 minutes
    and for one use. At most five codes are sent in 24 hours.

    Args:
        purpose: what the code is for: payee (adding one), payment (above 1,000.00) or limit (raising a card limit)
    """
    check_sending(world, purpose)
    expires = send_code(world, purpose)
    return {"purpose": purpose, "sent_at": world.moment, "expires_at": expires, "delivered_to": "secure inbox"}
