"""One-time codes: how they are made, written into the inbox, checked and used up.

Covers: the life of a code, for the tools and for the seeded inbox alike. A code is an HOTP value (RFC 4226) of the
customer's hidden key and the number of codes sent before, so a session makes the same codes each time and nobody who
has not read the inbox can know one. Does not cover: which steps need a code (tools/).
"""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta

from proverl.world.domain import Row, World, iso, refuse

from .results import MESSAGE, Purpose

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


def check_sending(world: World, purpose: Purpose) -> None:
    """Refuse code_still_active, too_many_codes."""
    newest = _newest(world, purpose)
    if newest is not None and not newest["used"] and world.moment < newest["expires_at"]:
        valid = f"the {purpose} code sent at {newest['sent_at']} is valid until {newest['expires_at']}"
        refuse("code_still_active", f"{valid}; read it with list_bank_messages")
    since = iso(world.now - MOST_WITHIN)
    fifth = world.value(
        "SELECT sent_at FROM one_time_code WHERE sent_at > ? ORDER BY sent_at DESC LIMIT 1 OFFSET ?", since, MOST - 1
    )
    if fifth is not None:
        again = iso(datetime.fromisoformat(fifth) + MOST_WITHIN)
        within = f"the last {MOST_WITHIN // timedelta(hours=1)} hours"
        refuse("too_many_codes", f"{MOST} codes were sent in {within}; the next one can be sent at {again}")


def send_code(world: World, purpose: Purpose) -> str:
    """Write a new code into the inbox; returns the moment at which it runs out."""
    now, moment = world.now, world.moment
    key = world.value("SELECT code_key FROM customer")
    code = one_time_code(key, world.value("SELECT count(*) FROM one_time_code"))
    subject, body = letter(purpose, code, now)
    message_id = world.add(MESSAGE, kind="security", subject=subject, body=body, sent_at=moment, unread=1)
    expires = iso(now + LIFE)
    world.insert(
        "one_time_code",
        message_id=message_id,
        purpose=purpose,
        code=code,
        sent_at=moment,
        expires_at=expires,
        used=0,
    )
    return expires


def check_code(world: World, purpose: Purpose, given: str | None, *, if_none: str = "wrong_code") -> None:
    """Compare a code with the newest one for a purpose; refuses code_required for no code at all.

    Then refuses `if_none` where no code was sent or the newest one is used, wrong_code, code_expired.
    """
    how = f"send one with request_one_time_code (purpose {purpose}) and read it with list_bank_messages"
    if given is None:
        refuse("code_required", f"{DEEDS[purpose]} needs a one-time code; {how}")
    newest = _newest(world, purpose)
    if newest is None or newest["used"]:
        refuse(if_none, f"there is no unused code for {DEEDS[purpose]}, so {given!r} cannot be it; {how}")
    if given != newest["code"]:
        sent = f"the newest code for {DEEDS[purpose]}, sent at {newest['sent_at']}"
        refuse("wrong_code", f"{given!r} is not {sent}; read it with list_bank_messages")
    if world.moment >= newest["expires_at"]:
        refuse("code_expired", f"the code {given!r} ran out at {newest['expires_at']}; {how}")


def use_code(world: World, purpose: Purpose) -> None:
    """Use up the newest code for a purpose, which `check_code` accepted."""
    newest = _newest(world, purpose)
    assert newest is not None
    world.run("UPDATE one_time_code SET used = 1 WHERE message_id = ?", newest["message_id"])


def _newest(world: World, purpose: Purpose) -> Row | None:
    return world.one("SELECT * FROM one_time_code WHERE purpose = ? ORDER BY sent_at DESC LIMIT 1", purpose)
