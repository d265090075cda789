"""The books of a library world and their copies.

Covers: titles and authors put together from names.toml, copies in a few branches. Does not cover: what is on loan
(history.py).
"""

from __future__ import annotations

import tomllib
from importlib import resources
from random import Random

from proverl.world.domain import Builder, folded

from ..results import BOOK, COPY

BOOKS = 60


def fill_shelves(world: Builder) -> list[str]:
    """Store books and copies; returns the books that may be borrowed, in random order."""
    random = world.random
    words: dict[str, list[str]] = tomllib.loads(
        resources.files(__package__).joinpath("names.toml").read_text(encoding="utf-8")
    )
    branches = random.sample(words["branches"], 4)
    titles = draw_titles(random, words)
    lent = []
    for number, title in enumerate(titles):
        author = f"{random.choice(words['first_names'])} {random.choice(words['surnames'])}"
        facts = {"year": random.randrange(1950, 2025), "genre": random.choice(words["genres"])}
        book_id = world.add(BOOK, title=title, author=author, searched=folded(title, author), **facts)
        for copy in range(random.randrange(1, 4)):
            reading_room = not number or (copy == 1 and random.random() < 0.2)
            world.add(COPY, book_id=book_id, branch=random.choice(branches), reading_room=int(reading_room))
        lent += [book_id] if number else []
    random.shuffle(lent)
    return lent


def draw_titles(random: Random, words: dict[str, list[str]]) -> list[str]:
    """A title for each book, all different but the last, which is the first again."""
    pairs = [(adjective, noun) for adjective in words["adjectives"] for noun in words["nouns"]]
    drawn = random.sample(pairs, BOOKS - 1)
    titles = [random.choice(words["patterns"]).format(*pair) for pair in drawn]
    return [*titles, titles[0]]
