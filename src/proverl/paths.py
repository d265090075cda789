"""Places in JSON values: results of tools, arguments of calls.

Covers: paths such as `messages[0].body`, reading and changing what stands at one, walking over all of them; what an
argument took from a result (`records.Origin`), and taking it again in another run. Does not cover: which place an
argument came from (synth/truth.py).

A path is a chain of names of fields and `[n]` of items, counted from 0: `accounts[2].account_id`, `[0].id`. "" is the
value itself. A name indexes objects only, a number lists only, and a path that leads nowhere, or is none, gives None:
nothing here raises, for paths and patterns come out of files. A name with a dot or a bracket in it has no path. In
`every`, and only there, `[]` stands for each item of a list.

A pattern (`Origin.match`) is a regular expression of RE2, in time linear in the text, found anywhere in a text. With a
group it gives the first group, without one the whole match. It gives None where it matches nothing, where its group
took no part, where the value is no text, and where the pattern is invalid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

import re2

from .records import Json, Origin

Parts: TypeAlias = tuple[str | int, ...]
"""A path taken apart: names of fields and numbers of items."""

KEPT: Final = 4096
"""Paths and patterns that are remembered once they were read."""

PATH: Final = re.compile(r"(?:[^.\[\]]+(?:\[[0-9]{1,9}\])*|(?:\[[0-9]{1,9}\])+)(?:\.[^.\[\]]+(?:\[[0-9]{1,9}\])*)*")
PART: Final = re.compile(r"([^.\[\]]+)|\[([0-9]+)\]")

_QUIET = re2.Options()
_QUIET.log_errors = False  # an invalid pattern is a value here, and no line on standard error


@lru_cache(KEPT)
def parse(path: str) -> Parts | None:
    """The parts of a path; None for text that is no path."""
    if not path:
        return ()
    if not PATH.fullmatch(path):
        return None
    return tuple(int(number) if number else name for name, number in PART.findall(path))


def join(parts: Iterable[str | int]) -> str:
    """The path that `parse` takes apart into these parts."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).removeprefix(".")


def get(value: Json, path: str) -> Json:
    """What stands at a path, None where there is nothing."""
    parts = parse(path)
    return None if parts is None else _get(value, parts)


def _get(value: Json, parts: Parts) -> Json:
    for part in parts:
        if isinstance(part, str) and isinstance(value, dict):
            value = value.get(part)
        elif isinstance(part, int) and isinstance(value, list) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def put(value: Json, path: str | Parts, item: Json) -> Json:
    """A copy of a value with another item at a path that exists; the value itself where it has no such place."""
    parts = parse(path) if isinstance(path, str) else path
    return value if parts is None else _put(value, parts, item)


def _put(value: Json, parts: Parts, item: Json) -> Json:
    if not parts:
        return item
    part, rest = parts[0], parts[1:]
    if isinstance(part, str) and isinstance(value, dict) and part in value:
        return {**value, part: _put(value[part], rest, item)}
    if isinstance(part, int) and isinstance(value, list) and part < len(value):
        return [*value[:part], _put(value[part], rest, item), *value[part + 1 :]]
    return value


def every(value: Json, path: str) -> Iterator[Json]:
    """Everything but null that stands at a path such as `accounts[].account_id`, in order."""
    head, several, rest = path.partition("[]")
    found = get(value, head)
    if not several:
        if found is not None:
            yield found
        return
    for item in found if isinstance(found, list) else ():
        yield from every(item, rest.removeprefix("."))


def leaves(value: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """(path, value) of everything in a value that is no object and no list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}[{number}]")
    else:
        yield path, value


def values(value: Json) -> Iterator[Json]:
    """The values of `leaves`, in no order that means anything; several times as fast, for rewards."""
    stack = [value]
    while stack:
        top = stack.pop()
        if isinstance(top, dict):
            stack.extend(top.values())
        elif isinstance(top, list):
            stack.extend(top)
        else:
            yield top


def flat(value: Json) -> dict[str, Json]:
    """A result as one table: its own fields, and every value in it by its path."""
    return {**value, **dict(leaves(value))} if isinstance(value, dict) else {}


def extract(value: Json, path: str, match: str = "") -> Json:
    """What stands at a path, or with a pattern the part of that text which the pattern finds."""
    whole = get(value, path)
    return _matched(match, whole) if match else whole


def taken(origin: Origin, result: Json) -> Json:
    """What an argument takes from a result, None where it is not there."""
    return extract(result, origin.path, origin.match)


def retaken(
    arguments: Mapping[str, Json], origins: Mapping[str, Origin], results: Mapping[int, Json]
) -> dict[str, Json]:
    """Arguments of a step in another run: what that run made (`Origin.made`) is taken from its own results.

    `origins` maps a path in the arguments to where its value came from, `results` the index of a step to its result in
    this run. What this run has not made stays as it was.
    """
    fresh: Json = dict(arguments)
    for place, origin in origins.items():
        value = taken(origin, results.get(origin.step)) if origin.made else None
        if place and value is not None:
            fresh = put(fresh, place, value)
    whole: dict[str, Json] = fresh
    return whole


def _matched(match: str, value: Json) -> str | None:
    pattern = _compiled(match)
    if pattern is None or not isinstance(value, str):
        return None
    try:
        part = pattern.search(value)
    except UnicodeEncodeError:  # a lone surrogate: no text
        return None
    if part is None:
        return None
    text: str | None = part[1] if pattern.groups else part[0]
    return text


@lru_cache(KEPT)
def _compiled(match: str) -> Any:
    try:
        return re2.compile(match, _QUIET)
    except (re2.error, UnicodeEncodeError):
        return None
