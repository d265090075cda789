"""The words of one world: drawn from names.toml, so that two worlds share few of them."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from random import Random


@cache
def lists() -> dict[str, dict[str, list[str]]]:
    """All words, by section and list of names.toml."""
    text = resources.files(__package__).joinpath("names.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


class Words:
    """What one world draws its names from: a part of each list, so that names come twice in it but not in others."""

    def __init__(self, random: Random) -> None:
        places, texts, people = lists()["places"], lists()["texts"], lists()["people"]
        self.texts = texts
        self.groups = random.sample(places["groups"], random.randrange(3, 6))
        self.first_names = random.sample(people["first"], len(people["first"]))
        self.last_names = random.sample(people["last"], len(people["last"]))
        self.projects = random.sample(places["projects"], 6)
        self.services = random.sample(places["services"], 4)
        self.modules = random.sample(places["modules"], 16)
        self.variants = random.sample(places["variants"], 5)
        self.tables = random.sample(places["tables"], 8)
        self.topics = random.sample(places["topics"], 32)
        self.shapes = random.sample(places["shapes"], 9)
        self.common = ["README.md", *random.sample(places["common"], 4)]
        self.home = random.sample(places["home"], 8)
        self.below = random.sample(places["below"], 16)
        self.project, self.inner = places["project"], places["inner"]
        self.goods = ["lamp", "desk", *random.sample(texts["goods"], 10)]
        self.hosts = [f"{host}-{site}" for host in random.sample(texts["hosts"], 3) for site in texts["sites"][:3]]
        self.settings = random.sample(texts["settings"], 9)
        self.buyers = [f"{first} {last}" for first, last in zip(self.first_names[8:24], self.last_names, strict=False)]

    def title(self, random: Random, extension: str) -> str:
        """The name of a file without its extension, which says what it is about."""
        if extension == ".py":
            return random.choice(self.modules)
        if extension == ".csv":
            return f"{random.choice(self.tables)}-{random.randrange(2027, 2031)}"
        if extension in (".md", ".txt"):
            return f"{random.choice(self.topics)}-{random.choice(self.shapes)}"
        return f"{random.choice(self.modules)}-{random.choice(self.variants)}"

    def sentence(self, random: Random) -> str:
        """Something to do or to remember."""
        texts = self.texts
        what = f"{random.choice(texts['verbs'])} the {random.choice(texts['kinds'])} {random.choice(texts['things'])}"
        return f"{what} {random.choice(texts['tails'])}"
