"""US routing numbers: whether one is valid, and the name of its bank.

Covers: length, check digit and Federal Reserve district. Does not cover: a full directory of banks; a valid number
that the directory in names.py lacks belongs to "a bank" of its district.
"""

from __future__ import annotations

from .names import BANKS

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
    if sum(weight * int(digit) for weight, digit in zip(WEIGHTS, routing_number, strict=True)) % 10:
        return None
    prefix = int(routing_number[:2])
    district = prefix - THRIFT_OFFSET if prefix > THRIFT_OFFSET else prefix
    if not 1 <= district <= len(DISTRICTS):
        return None
    return BANKS.get(routing_number, f"{DISTRICTS[district - 1]} district bank {routing_number[2:8]}")
