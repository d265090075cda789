"""The arguments of a step, taken again from what this episode returned.

Covers: values that the episode made (an id, a code in a message), read where the ground truth read them. Does not
cover: where an origin comes from (synth/truth.py).
"""

from __future__ import annotations

import json
import re
from typing import Any

import re2

from ..records import Json, Origin, Step


def resolved(step: Step, results: dict[int, Json]) -> dict[str, Json]:
    """The arguments of a step, with what the episode made taken from what it returned in this episode."""
    arguments: dict[str, Json] = json.loads(json.dumps(step.arguments))
    for place, origin in step.origins.items():
        if origin.made and origin.step in results:
            value = _origin_value(origin, results[origin.step])
            if value is not None:
                _put(arguments, place, value)
    return arguments


def _origin_value(origin: Origin, result: Json) -> Json:
    value = _get(result, origin.path)
    if origin.match and isinstance(value, str):
        found = re2.search(origin.match, value)
        return None if found is None else found[1] if found.groups() else found[0]
    return value


def _keys(path: str) -> list[str | int]:
    """The parts of a path such as accounts[2].account_id."""
    return [int(number) if number else name for name, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path)]


def _get(value: Json, path: str) -> Json:
    """The value at a path, None where there is none."""
    for key in _keys(path):
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _put(arguments: dict[str, Json], path: str, value: Json) -> None:
    """Set the value at a path that exists."""
    *parents, last = _keys(path)
    holder: Any = arguments
    try:
        for key in parents:
            holder = holder[key]
        holder[last] = value
    except (KeyError, IndexError, TypeError):
        return
