"""What is written in the files of a world, by the kind of file.

Each function makes one text; all chance comes from the generator that is handed in.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Final

from .vocabulary import EVENTS, GOODS, HEADINGS, HOSTS, MODULES, NAMES, SENTENCES, SETTINGS, TROUBLES

LEVELS: Final = ("INFO",) * 12 + ("WARN", "WARN", "ERROR")


def note(random: Random, title: str) -> str:
    """A note in Markdown."""
    lines = [f"# {title.replace('-', ' ').capitalize()}", ""]
    for heading in random.sample(HEADINGS, random.randrange(1, 4)):
        lines += [f"## {heading}", *(f"- {s}" for s in random.choices(SENTENCES, k=random.randrange(2, 7))), ""]
    return "\n".join(lines)


def plain(random: Random, title: str) -> str:
    """A plain text: a few sentences."""
    sentences = random.choices(SENTENCES, k=random.randrange(3, 14))
    return "\n".join([title.replace("-", " "), *(f"{s.capitalize()}." for s in sentences), ""])


def tasks(random: Random, title: str) -> str:
    """A list of things to do."""
    sentences = random.choices(SENTENCES, k=random.randrange(4, 16))
    return "".join(f"[{'x' if random.random() < 0.3 else ' '}] {s}\n" for s in sentences)


def table(random: Random, title: str) -> str:
    """A comma-separated table with a head; names and goods repeat."""
    count = random.randrange(6, 36)
    first = random.randrange(1000, 9000)
    people, goods = random.choices(NAMES, k=count), random.choices(GOODS, k=count)
    amounts = [random.randrange(100, 40_000) for _ in range(count)]
    rows = [
        f"{first + number},{people[number]},{goods[number]},{amounts[number] % 9 + 1},{amounts[number] / 100:.2f}\n"
        for number in range(count)
    ]
    return "number,name,item,quantity,amount\n" + "".join(rows)


def log(random: Random, title: str, count: int = 0) -> str:
    """A log; `count` lines, by default a few dozen."""
    count = count or random.randrange(8, 48)
    moment = datetime(2030, random.randrange(1, 13), random.randrange(1, 28), random.randrange(24), 0)
    levels, events = random.choices(LEVELS, k=count), random.choices(EVENTS, k=count)
    troubles, modules = random.choices(TROUBLES, k=count), random.choices(MODULES, k=count)
    lines = []
    for number in range(count):
        moment += timedelta(seconds=17 + 7 * len(events[number]))
        what = events[number] if levels[number] == "INFO" else troubles[number]
        lines.append(f"{moment:%Y-%m-%dT%H:%M:%S} {levels[number]} {modules[number]}: {what}\n")
    return "".join(lines)


def settings(random: Random, title: str) -> str:
    """Settings as `key: value`, among them a host and a port."""
    keys = random.sample(SETTINGS, random.randrange(3, 7))
    lines = [f"# settings of {title}", f"host: {random.choice(HOSTS)}", f"port: {random.randrange(3000, 9900)}"]
    return "\n".join([*lines, *(f"{key}: {random.randrange(1, 500)}" for key in keys), ""])


def ini(random: Random, title: str) -> str:
    """Settings as `key = value` under heads."""
    lines = []
    for section in random.sample(MODULES, 2):
        lines += [f"[{section}]", f"host = {random.choice(HOSTS)}", f"port = {random.randrange(3000, 9900)}"]
        lines += [f"{key} = {random.randrange(1, 500)}" for key in random.sample(SETTINGS, 2)]
    return "\n".join([*lines, ""])


def data(random: Random, title: str) -> str:
    """A JSON object."""
    keys = random.sample(SETTINGS, random.randrange(3, 6))
    value = {"name": title, "host": random.choice(HOSTS), **{key: random.randrange(1, 500) for key in keys}}
    return json.dumps(value, indent=2) + "\n"


def source(random: Random, title: str) -> str:
    """A Python module with small functions."""
    name = title.replace("-", "_")
    lines = [f'"""The {title} of the project."""', "", f"import {random.choice(MODULES)}", ""]
    for function in random.sample(MODULES, random.randrange(2, 6)):
        limit = random.randrange(2, 90)
        lines += ["", f"def {function}_{name}(items, limit={limit}):", f'    """Apply {function} to the items."""']
        lines += ["    kept = [item for item in items if item]", f"    return kept[:limit]  # {function}", ""]
    return "\n".join(lines)


def script(random: Random, title: str) -> str:
    """A shell script."""
    steps = random.choices(MODULES, k=random.randrange(3, 8))
    return "\n".join(
        ["#!/bin/sh", f"# {title}", "set -e", *(f"./run {step} --host {random.choice(HOSTS)}" for step in steps), ""]
    )


def picture(random: Random) -> str:
    """Bytes that are no text, in base64."""
    return base64.b64encode(b"\x89IMG\r\n" + random.randbytes(random.randrange(60, 900))).decode()


BY_EXTENSION: Final[dict[str, Callable[[Random, str], str]]] = {
    ".md": note,
    ".txt": plain,
    ".csv": table,
    ".log": log,
    ".yaml": settings,
    ".ini": ini,
    ".json": data,
    ".py": source,
    ".sh": script,
}
