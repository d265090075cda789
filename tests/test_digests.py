"""Any machine makes the worlds and conversations whose digests were committed, byte for byte."""

from __future__ import annotations

import json

import pytest

from proverl import servers
from support import digests

KEPT = json.loads(digests.FILE.read_text(encoding="utf-8"))
ANEW = "if worlds were meant to change: cd tests && python -m support.digests"


def test_the_file_speaks_of_every_server() -> None:
    assert sorted(KEPT["worlds"]) == sorted(servers.names()), ANEW


@pytest.mark.parametrize("name", servers.names())
def test_worlds_are_those_that_were_committed(name: str) -> None:
    assert digests.worlds(name) == KEPT["worlds"][name], ANEW


def test_one_hundred_conversations_are_those_that_were_committed() -> None:
    assert digests.conversations() == KEPT["conversations"], ANEW
