"""The laws that every server must obey, ours and others'.

Covers: what each law says and the report of a check (report.py), checking (check.py), drawing arguments from published
schemas (arguments.py); for those who know what a server should do: the order of its refusals (orders.py) and oracles of
its reads (oracles.py). Does not cover: what one domain promises beyond them (its own tests).
"""

from .check import check
from .report import LAWS, Finding, Report

__all__ = ["LAWS", "Finding", "Report", "check"]
