"""The words of calendar worlds: people, rooms, meetings.

Covers: reading names.toml, and titles put together from its words. Does not cover: when meetings take
place (meetings.py, repeating.py).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from random import Random
from typing import Any


@cache
def vocabulary() -> dict[str, Any]:
    """All that names.toml holds."""
    return tomllib.loads(resources.files(__package__).joinpath("names.toml").read_bytes().decode())


def shuffled(random: Random, part: str) -> Iterator[str]:
    """All words of a part, each once."""
    found: list[str] = vocabulary()[part]
    return iter(random.sample(found, len(found)))


def draw_people(random: Random) -> Iterator[tuple[str, str]]:
    """Different full names, as first name and surname."""
    taken: set[tuple[str, str]] = set()
    while True:
        name = random.choice(vocabulary()["first_names"]), random.choice(vocabulary()["surnames"])
        if name not in taken:
            taken.add(name)
            yield name
