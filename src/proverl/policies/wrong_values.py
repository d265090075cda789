"""Other values of the right type: what a policy calls with that has the form right and the content wrong.

Covers: changing named arguments within the tool's schema. Does not cover: which arguments are changed (scripted.py).
"""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta

from ..records import Json, Tool
from ..schemas import example, fits


def changed(tool: Tool, arguments: dict[str, Json], names: Sequence[str]) -> dict[str, Json]:
    """The arguments with the named ones given other values that the tool's schema allows, where there are any."""
    found = dict(arguments)
    properties = tool.input_schema.get("properties", {})
    for name in names:
        if name not in found:
            continue
        for other in _others(found[name], properties.get(name, {})):
            if fits(tool.input_schema, {**found, name: other}):
                found[name] = other
                break
    return found


def _others(value: Json, schema: dict[str, Json]) -> Iterator[Json]:
    """Other values of the same type, likely ones first."""
    for allowed in schema.get("enum", ()):
        if allowed != value:
            yield copy.deepcopy(allowed)
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, value + 10, value * 2, value / 2)
    elif isinstance(value, str):
        yield from _other_texts(value)
    elif isinstance(value, list | dict):
        yield from _other_containers(value, schema)


def _other_containers(value: Json, schema: dict[str, Json]) -> Iterator[Json]:
    """The same list or object with one of its parts other than it is."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for key, item in value.items():
            for other in _others(item, properties.get(key, {})):
                yield {**value, key: other}
        return
    items = schema.get("items", {})
    for place, item in enumerate(value):
        for other in _others(item, items):
            yield [*value[:place], other, *value[place + 1 :]]
    if not value:
        yield [example(items)]


def _other_texts(text: str) -> Iterator[str]:
    """Another day for a date, another number for an id, other letters for anything else."""
    if re.match(r"\d{4}-\d\d-\d\d", text):
        with contextlib.suppress(ValueError, OverflowError):
            moment = date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
            yield (moment + timedelta(days=1)).isoformat()
    digits = list(re.finditer(r"[0-9]", text))
    if digits:
        last = digits[-1].start()
        yield text[:last] + str((int(text[last]) + 1) % 10) + text[last + 1 :]
    letters = list(re.finditer(r"[a-z]", text, re.IGNORECASE))
    for match in (letters[0], letters[-1]) if letters else ():
        place = match.start()
        letter = "q" if text[place].lower() != "q" else "w"
        letter = letter.upper() if text[place].isupper() else letter
        yield text[:place] + letter + text[place + 1 :]
    yield f"{text}x"
    yield f"{text} other"
