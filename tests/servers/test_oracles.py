"""Each read answers what an independent oracle works out from the tables (tests/support/oracles)."""

from __future__ import annotations

from typing import Any

import pytest

from proverl import servers
from proverl.laws.oracles import differences
from support.tested import NAMES, part

each_server = pytest.mark.parametrize("name", NAMES)


def oracles(name: str) -> dict[str, Any]:
    found: dict[str, Any] = part(name, "oracles").ORACLES
    return found


def compare(name: str, seed: int, calls: int) -> int:
    """Compare the reads of one walk; returns how many were compared."""
    compared = 0
    for difference in differences(servers.load(name), oracles(name), seed, calls):
        assert difference is None, str(difference)
        compared += 1
    return compared


@each_server
def test_every_read_has_an_oracle(name: str) -> None:
    assert sorted(oracles(name)) == sorted(tool.name for tool in servers.load(name).tools if tool.effect == "read")


@each_server
def test_reads_answer_what_the_oracle_works_out(name: str, cases: Any) -> None:
    cases["reads compared with an oracle"] += compare(name, 0, 12) + compare(name, 3, 12)


@pytest.mark.soak
@each_server
def test_thousands_of_reads_answer_what_the_oracle_works_out(name: str, cases: Any) -> None:
    cases["reads compared with an oracle"] += sum(compare(name, seed, 60) for seed in range(10, 30))
