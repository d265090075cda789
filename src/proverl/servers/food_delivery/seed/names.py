"""The words of delivery worlds: streets, restaurants, dishes, promo codes.

Covers: reading words.toml and menu.toml, and names put together from their words, so that hardly two worlds share one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from random import Random
from typing import Any

from .rows import Recipe


@cache
def words() -> dict[str, Any]:
    """What words.toml holds."""
    return tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


@cache
def menu() -> dict[str, Any]:
    """What menu.toml holds."""
    return tomllib.loads(resources.files(__package__).joinpath("menu.toml").read_text(encoding="utf-8"))


def draw_streets(random: Random, stems: str, kinds: str, number: int) -> list[str]:
    """Different names of streets; about every third has the first word of another one."""
    found = words()["streets"]
    shared = random.sample(found[stems], number * 3 // 4)
    pairs = [(stem, kind) for stem in shared for kind in random.sample(found[kinds], 2)]
    firsts, seconds = pairs[::2], pairs[1::2]
    return [f"{stem} {kind}" for stem, kind in firsts + seconds[: number - len(firsts)]]


def draw_restaurants(random: Random) -> dict[str, Iterator[str]]:
    """Different names of restaurants by cuisine, as many as are needed."""
    found = {}
    for cuisine, parts in words()["restaurants"].items():
        pairs = [f"{first} {second}" for first in parts["first"] for second in parts["second"]]
        found[cuisine] = iter(random.sample(pairs, 40))
    return found


def draw_recipes(random: Random, cuisine: str) -> list[Recipe]:
    """What the kitchens of one cuisine cook in this world, in the order of a menu; some dishes in two ways."""
    found = []
    for section, name, cents, diet, allergens, groups in menu()["dishes"][cuisine]:
        adjectives = random.sample(menu()["adjectives"][cuisine] + menu()["adjectives"]["any"], 2)
        names = [f"{adjective} {name}" for adjective in adjectives]
        if random.random() < 0.3:
            names[0] = name
        for one in names[: random.choice((1, 2))]:
            found.append(Recipe(section, one, cents, diet, tuple(allergens.split()), tuple(groups.split())))
    return found


def draw_codes(random: Random, number: int) -> list[tuple[str, int, int]]:
    """Different promo codes as (code, percent, cents off), the two of the posters last.

    A code gives the same in every world.
    """
    found = words()["promos"]
    codes = random.sample(_percents(*found["percent"]) + _amounts(*found["amount"]), number - 2)
    posters = _percents(found["poster_percent"]), _amounts(found["poster_amount"])
    return codes + [random.choice(poster) for poster in posters]


def _percents(*stems: str) -> list[tuple[str, int, int]]:
    return [(f"{stem}{value}", value, 0) for stem in stems for value in (10, 15, 20, 25)]


def _amounts(*stems: str) -> list[tuple[str, int, int]]:
    return [(f"{stem}{value}", 0, 100 * value) for stem in stems for value in (3, 4, 5, 6)]
