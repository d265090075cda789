"""US routing numbers: whether one is valid, and the name of its bank.

Covers: length, check digit and Federal Reserve district. Does not cover: a full directory of banks; a valid number
that the directory here lacks belongs to "a bank" of its district.
"""

from __future__ import annotations

from operator import mul

BANKS: dict[str, str] = {
    "021000021": "Harbor National Bank",
    "011908418": "Old Colony Savings Bank",
    "031176204": "Keystone Trust",
    "044203151": "Lakefront Bank",
    "051409773": "Blue Ridge Credit Union",
    "063104587": "Gulf Coast Bank",
    "071923653": "Prairie State Bank",
    "081506125": "Gateway Bank",
    "091207333": "North Star Credit Union",
    "101102946": "Sunflower Bank and Trust",
    "111910869": "Lone Mesa Bank",
    "121405173": "Pacific Crest Bank",
    "213708225": "Hudson Valley Savings",
    "253074168": "Piedmont Credit Union",
    "272971048": "Great Lakes Community Bank",
    "321180421": "Redwood Credit Union",
}
"""The banks with a name; most payees of a world are theirs."""
WEIGHTS = (3, 7, 1, 3, 7, 1, 3, 7, 1)
DISTRICTS = (
    "Boston",
    "New York",
    "Philadelphia",
    "Cleveland",
    "Richmond",
    "Atlanta",
    "Chicago",
    "St. Louis",
    "Minneapolis",
    "Kansas City",
    "Dallas",
    "San Francisco",
)
THRIFT_OFFSET = 20
"""Savings institutions have the number of their district plus 20 in front."""


def bank_of(routing_number: str) -> str | None:
    """The name of the bank with this routing number, None if the number is not valid."""
    if len(routing_number) != len(WEIGHTS) or not (routing_number.isascii() and routing_number.isdigit()):
        return None
    if sum(map(mul, WEIGHTS, map(int, routing_number))) % 10:
        return None
    prefix = int(routing_number[:2])
    district = prefix - THRIFT_OFFSET if prefix > len(DISTRICTS) else prefix
    if not 1 <= district <= len(DISTRICTS):
        return None
    return BANKS.get(routing_number, f"{DISTRICTS[district - 1]} district bank {routing_number[2:8]}")
