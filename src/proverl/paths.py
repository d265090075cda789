"""Places in results, written as paths such as `messages[0].body`.

Covers: reading the value at a path, walking over all of them. Does not cover: which place an argument came from
(synth/truth.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .records import Json


def at(value: Json, path: str) -> Json:
    """The value at a path such as `messages[0].body`, None if there is none."""
    for step in re.findall(r"[^.\[\]]+", path):
        if isinstance(value, list):
            value = value[int(step)] if int(step) < len(value) else None
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value


def taken(value: Json, path: str, match: str) -> Json:
    """What a call takes from a result: the value at a path, or the part of it that an expression finds."""
    found = at(value, path)
    if not match or found is None:
        return found
    part = re.search(match, str(found))
    return part[0] if part else None


def leaves(value: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """(path, value) of everything in a result that is no object and no list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}[{number}]")
    else:
        yield path, value


def flat(value: Json) -> dict[str, Json]:
    """A result as one table: its own fields, and every value in it by its path."""
    return {**value, **dict(leaves(value))} if isinstance(value, dict) else {}
