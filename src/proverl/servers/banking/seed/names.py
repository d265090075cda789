"""The words of banking worlds: people, shops, companies, nicknames, letters.

Covers: reading names.toml, and names put together from its words, so that hardly two worlds share one. Does not cover:
the directory of banks (routing_numbers.py).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from random import Random
from typing import Any, TypeAlias

Usual: TypeAlias = tuple[str, int, int, str]
"""A shop or a company: its name, what it usually takes in cents (from, to), its category."""


@cache
def data(file: str) -> dict[str, Any]:
    """What a TOML file of this folder holds."""
    with resources.files(__package__).joinpath(file).open("rb") as opened:
        return tomllib.load(opened)


def words(part: str) -> Any:
    """One part of names.toml."""
    return data("names.toml")[part]


def shuffled(random: Random, part: list[str]) -> Iterator[str]:
    """All of the words, each once."""
    return iter(random.sample(part, len(part)))


def draw_people(random: Random) -> Iterator[str]:
    """Different full names; the second and the third share a surname."""
    first, *others = shuffled(random, words("surnames"))
    surnames = [first, others[0], *others]
    return (f"{one} {other}" for one, other in zip(shuffled(random, words("first_names")), surnames, strict=False))


def draw_shops(brands: Iterator[str]) -> list[Usual]:
    """The shops of a world, each as many times as purchases there are likelier than elsewhere."""
    found: list[Usual] = []
    for category, kinds in words("shops").items():
        shops = [(f"{next(brands)} {kind}", low, high, category) for kind, low, high in kinds]
        found += shops * words("often")[category]
    return found


def draw_companies(random: Random, brands: Iterator[str], number: int) -> list[Usual]:
    """Companies that are paid as payees, the one with the high rent first."""
    rent, *others = words("companies")
    chosen = [rent, *random.sample(others, number - 1)]
    return [(f"{next(brands)} {kind}", low, high, "transfer") for kind, low, high in chosen]


def draw_nicknames(random: Random, kinds: dict[str, str]) -> dict[str, str]:
    """A nickname for each account, given by role and kind; those of two accounts differ by one word."""
    fresh = {kind: shuffled(random, words("nicknames")[kind]) for kind in ("checking", "savings", "credit")}
    one, name, other, like_it = random.choice(words("nicknames")["twins"])
    stem = next(fresh["checking"])
    found = {one: name.format(stem=stem), other: like_it.format(stem=stem)}
    for role, kind in kinds.items():
        if role not in found:
            found[role] = next(fresh[kind]) + (" Checking" if kind == "checking" else "")
    return found
