"""What is written in the files of a world, by the kind of file; all chance comes from the generator handed in."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Final

from .names import Words

INFO_SHARE: Final = 0.8


def draw_note(random: Random, words: Words, title: str) -> str:
    """A note in Markdown."""
    lines = [f"# {title.replace('-', ' ').capitalize()}", ""]
    for heading in random.sample(words.texts["headings"], random.randrange(1, 4)):
        lines += [f"## {heading}", *(f"- {words.sentence(random)}" for _ in range(random.randrange(2, 7))), ""]
    return "\n".join(lines)


def draw_plain(random: Random, words: Words, title: str) -> str:
    """A plain text: a few sentences."""
    sentences = [f"{words.sentence(random).capitalize()}." for _ in range(random.randrange(3, 14))]
    return "\n".join([title.replace("-", " "), *sentences, ""])


def draw_tasks(random: Random, words: Words, title: str) -> str:
    """A list of things to do."""
    done = ("x", " ", " ")
    return "".join(f"[{random.choice(done)}] {words.sentence(random)}\n" for _ in range(random.randrange(4, 16)))


def draw_table(random: Random, words: Words, title: str) -> str:
    """A comma-separated table with a head; names and goods repeat."""
    first = random.randrange(1000, 9000)
    count = random.randrange(6, 36)
    buyers, goods = random.choices(words.buyers, k=count), random.choices(words.goods, k=count)
    amounts = [random.randrange(100, 40_000) for _ in range(count)]
    rows = [
        f"{first + number},{buyers[number]},{goods[number]},{amounts[number] % 9 + 1},{amounts[number] / 100:.2f}\n"
        for number in range(count)
    ]
    return "number,name,item,quantity,amount\n" + "".join(rows)


def draw_log(random: Random, words: Words, title: str, count: int = 0) -> str:
    """A log; `count` lines, by default a few dozen."""
    count = count or random.randrange(8, 48)
    moment = datetime(2030, random.randrange(1, 13), random.randrange(1, 28), random.randrange(24), 0)
    subjects, deeds = random.choices(words.texts["subjects"], k=count), random.choices(words.texts["deeds"], k=count)
    modules, numbers = random.choices(words.modules, k=count), random.choices(range(100, 9000), k=count)
    lines = []
    for number, where, subject, deed in zip(numbers, modules, subjects, deeds, strict=True):
        moment += timedelta(seconds=17 + number % 90)
        level, what = "INFO", f"{subject} {number} {deed}"
        if random.random() > INFO_SHARE:
            level = random.choice(("WARN", "WARN", "ERROR"))
            what = random.choice(words.texts["troubles"]).format(n=number % 60)
        lines.append(f"{moment:%Y-%m-%dT%H:%M:%S} {level} {where}: {what}\n")
    return "".join(lines)


def draw_settings(random: Random, words: Words, title: str) -> str:
    """Settings as `key: value`, among them a host and a port."""
    keys = random.sample(words.settings, random.randrange(3, 7))
    lines = [f"# settings of {title}", f"host: {random.choice(words.hosts)}", f"port: {random.randrange(3000, 9900)}"]
    return "\n".join([*lines, *(f"{key}: {random.randrange(1, 500)}" for key in keys), ""])


def draw_ini(random: Random, words: Words, title: str) -> str:
    """Settings as `key = value` under heads."""
    lines = []
    for section in random.sample(words.modules, 2):
        lines += [f"[{section}]", f"host = {random.choice(words.hosts)}", f"port = {random.randrange(3000, 9900)}"]
        lines += [f"{key} = {random.randrange(1, 500)}" for key in random.sample(words.settings, 2)]
    return "\n".join([*lines, ""])


def draw_data(random: Random, words: Words, title: str) -> str:
    """A JSON object."""
    keys = random.sample(words.settings, random.randrange(3, 6))
    numbers = {key: random.randrange(1, 500) for key in keys}
    return json.dumps({"name": title, "host": random.choice(words.hosts), **numbers}, indent=2) + "\n"


def draw_source(random: Random, words: Words, title: str) -> str:
    """A Python module with small functions."""
    name = title.replace("-", "_")
    lines = [f'"""The {title} of the project."""', "", f"import {random.choice(words.modules)}", ""]
    for function in random.sample(words.modules, random.randrange(2, 6)):
        limit = random.randrange(2, 90)
        lines += ["", f"def {function}_{name}(items, limit={limit}):", f'    """Apply {function} to the items."""']
        lines += ["    kept = [item for item in items if item]", f"    return kept[:limit]  # {function}", ""]
    return "\n".join(lines)


def draw_script(random: Random, words: Words, title: str) -> str:
    """A shell script."""
    steps = [f"./run {step} --host {random.choice(words.hosts)}" for step in random.sample(words.modules, 5)]
    return "\n".join(["#!/bin/sh", f"# {title}", "set -e", *steps[: random.randrange(3, 6)], ""])


def draw_picture(random: Random) -> str:
    """Bytes that are no text, in base64."""
    return base64.b64encode(b"\x89IMG\r\n" + random.randbytes(random.randrange(60, 900))).decode()


BY_EXTENSION: Final[dict[str, Callable[[Random, Words, str], str]]] = {
    ".md": draw_note,
    ".txt": draw_plain,
    ".csv": draw_table,
    ".log": draw_log,
    ".yaml": draw_settings,
    ".ini": draw_ini,
    ".json": draw_data,
    ".py": draw_source,
    ".sh": draw_script,
}
