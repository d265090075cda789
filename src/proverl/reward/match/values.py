"""When two values agree, and whether a result shows a value.

Covers: agreement under a schema (numbers, times, emails, paths, arrays that are sets), JSON equality, values inside
results. Does not cover: which arguments are compared (steps.py), or places in results (paths.py).
"""

from __future__ import annotations

import math
import posixpath
import re
import unicodedata
from datetime import datetime

from ...paths import values
from ...records import Json

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|z|[+-]\d\d:?\d\d)?")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
# Shorter words stand in long texts by chance, and would make any read serve any look-up.
_SHORTEST_IN_TEXT = 4


def same(one: Json, other: Json) -> bool:
    """JSON equality: 1 equals 1.0, true equals neither, the order of keys does not matter."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float):
        return isinstance(other, int | float) and one == other
    if isinstance(one, dict):
        if not isinstance(other, dict) or one.keys() != other.keys():
            return False
        return all(same(item, other[key]) for key, item in one.items())
    if isinstance(one, list):
        if not isinstance(other, list) or len(one) != len(other):
            return False
        return all(same(first, second) for first, second in zip(one, other, strict=True))
    return bool(type(one) is type(other) and one == other)


def agree(right: Json, given: Json, schema: dict[str, Json] | None = None) -> bool:
    """Whether a given value means the right one, as the schema of the argument reads it (specification 7.2).

    Numbers: equal to nine digits, 5 and 5.0 alike, never a boolean. Times: the same moment; where one has no offset,
    the same reading of the clock. Emails: without regard to case. Absolute paths: after normalising. Arrays with
    `uniqueItems`: in any order. Other text: after Unicode normalisation, white space run together.
    """
    if type(right) is str:
        return right == given or (type(given) is str and _texts_agree(right, given))
    if type(right) is type(given) is float:
        return _numbers_agree(right, given)
    if isinstance(right, bool) or isinstance(given, bool):
        return right is given
    if isinstance(right, int | float):
        return isinstance(given, int | float) and _numbers_agree(right, given)
    if isinstance(right, list):
        return isinstance(given, list) and _arrays_agree(right, given, schema or {})
    if isinstance(right, dict):
        if not isinstance(given, dict) or right.keys() != given.keys():
            return False
        properties = (schema or {}).get("properties", {})
        return all(agree(item, given[key], properties.get(key)) for key, item in right.items())
    return right is None and given is None


def _numbers_agree(right: int | float, given: int | float) -> bool:
    if right == given:
        return True
    if isinstance(right, int) and isinstance(given, int):
        return False
    try:
        return math.isclose(right, given, rel_tol=1e-9, abs_tol=1e-12)
    except OverflowError:  # an integer beyond the range of floats
        return False


def _arrays_agree(right: list[Json], given: list[Json], schema: dict[str, Json]) -> bool:
    if len(right) != len(given):
        return False
    items = schema.get("items")
    items = items if isinstance(items, dict) else None
    if not schema.get("uniqueItems"):
        return all(agree(first, second, items) for first, second in zip(right, given, strict=True))
    rest = list(given)
    for item in right:
        place = next((place for place, other in enumerate(rest) if agree(item, other, items)), None)
        if place is None:
            return False
        del rest[place]
    return True


def _texts_agree(right: str, given: str) -> bool:
    if text(right) == text(given):
        return True
    if right.startswith("/") and given.startswith("/"):
        return _normal_path(right) == _normal_path(given)
    if _EMAIL.fullmatch(right):
        return right.casefold() == given.strip().casefold()
    if _TIME.fullmatch(right) and _TIME.fullmatch(given):
        return _same_moment(right, given)
    return False


def text(value: str) -> str:
    """Text as it is compared: Unicode normalised, white space run together."""
    return " ".join(unicodedata.normalize("NFC", value).split())


def _normal_path(path: str) -> str:
    return posixpath.normpath("/" + path.lstrip("/"))


def _same_moment(right: str, given: str) -> bool:
    try:
        one, other = datetime.fromisoformat(right.upper()), datetime.fromisoformat(given.upper())
        if (one.tzinfo is None) == (other.tzinfo is None):
            return one == other
        return one.replace(tzinfo=None) == other.replace(tzinfo=None)
    except (ValueError, OverflowError):
        return False


class SearchableResult:
    """A result that can be asked, any number of times, whether it holds a value."""

    def __init__(self, result: Json) -> None:
        self._result = result
        self._texts: frozenset[str] | None = None

    def holds(self, wanted: Json) -> bool:
        """Whether the result shows a value: as one of its own, or, for text, as whole words of a longer text.

        A list or object is held if each of its values is. Booleans and null are held by nothing: they say too little.
        """
        if isinstance(wanted, str):
            if self._texts is None:
                self._texts = frozenset(leaf for leaf in values(self._result) if isinstance(leaf, str))
            return wanted in self._texts or any(wanted in leaf and _within(leaf, wanted) for leaf in self._texts)
        if isinstance(wanted, list | dict):
            parts = list(values(wanted))
            return bool(parts) and all(self.holds(part) for part in parts)
        if wanted is None or isinstance(wanted, bool):
            return False
        return any(same(wanted, leaf) for leaf in values(self._result))


def _within(leaf: str, wanted: str) -> bool:
    if len(wanted) < _SHORTEST_IN_TEXT:
        return False
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", leaf) is not None
