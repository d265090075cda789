"""The tree of errors, and the end of a message about a wrong name."""

from __future__ import annotations

import re

from proverl import errors
from proverl.errors import ProverlError, nearest


def descent(kind: type[Exception]) -> set[tuple[str, str]]:
    """(parent, child) of every error of ours below this one."""
    own = [child for child in kind.__subclasses__() if child.__module__ == errors.__name__]
    return {(kind.__name__, child.__name__) for child in own}.union(*map(descent, own))


def test_the_tree_on_the_page_is_the_tree_of_classes() -> None:
    drawn: set[tuple[str, str]] = set()
    above = {0: "ProverlError"}
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"    ([│├└─ ]+)(\w+)  ", line):
            depth = len(found[1]) // 4
            above[depth] = found[2]
            drawn.add((above[depth - 1], found[2]))
    assert drawn == descent(ProverlError)


def test_a_near_name_is_proposed_and_otherwise_all_are_listed() -> None:
    assert nearest("list_acounts", ["list_accounts", "pay"]) == "did you mean 'list_accounts'?"
    assert nearest("x", ["pay", "list"]) == "known: list, pay"
    assert nearest("x", []) == "known: none"
