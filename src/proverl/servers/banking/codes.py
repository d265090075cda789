"""One-time codes: how they are made, written into the inbox, checked and used up.

Covers: the life of a code, for the tools and for the seeded inbox alike. A code is an HOTP value (RFC 4226) of the
customer's hidden key and the number of codes sent before, so a session makes the same codes each time and nobody who
has not read the inbox can know one. Does not cover: which steps need a code (tools/).
"""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta

from ...world.server import Refused, World
from ...world.values import iso
from .results import Purpose

LIFE = timedelta(minutes=10)
MOST = 5
MOST_WITHIN = timedelta(hours=24)
DIGITS = 6
DEEDS: dict[Purpose, str] = {
    "payee": "adding a payee",
    "payment": "a large payment",
    "limit": "raising a card limit",
}


def one_time_code(key: str, counter: int) -> str:
    """The code number `counter` of a key in hex: HOTP with SHA-1 and six digits."""
    digest = hmac.digest(bytes.fromhex(key), counter.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 0x0F
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFF_FFFF
    return f"{number % 10**DIGITS:0{DIGITS}d}"


def letter(purpose: Purpose, code: str, sent_at: datetime) -> tuple[str, str]:
    """Subject and body of the message that brings a code."""
    subject = f"One-time code for {DEEDS[purpose]}, {sent_at.day} {sent_at:%B} at {sent_at:%H:%M}"
    minutes = round(LIFE.total_seconds() / 60)
    body = (
        f"Your one-time code is {code}. It is for {DEEDS[purpose]} only, is valid for {minutes} minutes and works "
        "once. We never ask for it by phone."
    )
    return subject, body


def send_code(world: World, purpose: Purpose) -> datetime:
    """Write a new code into the inbox; returns the time at which it runs out.

    Raises:
        Refused: code_still_active, too_many_codes
    """
    now = world.now
    newest = _newest(world, purpose)
    if newest is not None and not newest["used"] and iso(now) < newest["expires_at"]:
        raise Refused(
            "code_still_active",
            f"the {purpose} code sent at {newest['sent_at']} is valid until {newest['expires_at']}; "
            "read it with list_bank_messages",
        )
    since = iso(now - MOST_WITHIN)
    if world.value("SELECT count(*) FROM one_time_code WHERE sent_at > ?", since) >= MOST:
        first = world.value("SELECT min(sent_at) FROM one_time_code WHERE sent_at > ?", since)
        again = datetime.fromisoformat(first) + MOST_WITHIN
        raise Refused(
            "too_many_codes", f"{MOST} codes were sent in the last 24 hours; the next one can be sent at {iso(again)}"
        )
    key = world.value("SELECT code_key FROM customer")
    code = one_time_code(key, world.value("SELECT count(*) FROM one_time_code"))
    message_id = world.new_id("msg")
    subject, body = letter(purpose, code, now)
    world.insert(
        "bank_message",
        message_id=message_id,
        kind="security",
        subject=subject,
        body=body,
        sent_at=iso(now),
        unread=1,
    )
    expires = now + LIFE
    world.insert(
        "one_time_code",
        message_id=message_id,
        purpose=purpose,
        code=code,
        sent_at=iso(now),
        expires_at=iso(expires),
        used=0,
    )
    return expires


def check_code(world: World, purpose: Purpose, given: str, *, if_none: str = "wrong_code") -> str:
    """Compare a code with the newest one for a purpose; returns the key with which `use_code` uses it up.

    Raises:
        Refused: `if_none` where no code was sent or the newest one is used, wrong_code, code_expired
    """
    newest = _newest(world, purpose)
    how = f"send one with request_one_time_code (purpose {purpose}) and read it with list_bank_messages"
    if newest is None or newest["used"]:
        raise Refused(if_none, f"there is no unused code for {DEEDS[purpose]}, so {given!r} cannot be it; {how}")
    if given != newest["code"]:
        raise Refused(
            "wrong_code",
            f"{given!r} is not the newest code for {DEEDS[purpose]}, sent at {newest['sent_at']}; "
            "read it with list_bank_messages",
        )
    if iso(world.now) >= newest["expires_at"]:
        raise Refused("code_expired", f"the code {given!r} ran out at {newest['expires_at']}; {how}")
    return str(newest["message_id"])


def use_code(world: World, checked: str) -> None:
    """Use up a code that `check_code` accepted."""
    world.update("one_time_code", checked, used=1)


def _newest(world: World, purpose: Purpose) -> dict[str, str] | None:
    return world.one(
        "SELECT * FROM one_time_code WHERE purpose = ? ORDER BY sent_at DESC, message_id DESC LIMIT 1", purpose
    )
