"""The order in which the tools of each server check, as it was ordered, not as it was written.

Covers: for each server a module with `ORDER`, the codes of each tool in the order of their checks, written down from
the domain's specification and never read from the code; and `APART`, pairs of codes that no call can meet together,
each with the reason. Does not cover: finding the pairs that do hold together (tests/servers/test_refusal_orders.py).
"""

from __future__ import annotations

from typing import NamedTuple


class Apart(NamedTuple):
    """No code of `one` holds together with a code of `other` in these tools ("*" for all): `reason`."""

    tools: str
    one: str
    other: str
    reason: str
