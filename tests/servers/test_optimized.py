"""Every server is the same in a Python that drops docstrings and asserts."""

from __future__ import annotations

import pytest

from proverl.servers import names
from support.answers import answers, answers_of


@pytest.fixture(scope="module")
def optimized() -> dict[str, object]:
    return dict(zip(names(), answers_of(list(names()), "-OO"), strict=True))


@pytest.mark.parametrize("name", names())
def test_a_server_publishes_and_answers_the_same_without_docstrings_and_asserts(
    name: str, optimized: dict[str, object]
) -> None:
    assert optimized[name] == answers(name)
