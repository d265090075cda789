"""Published tools that nobody can change.

Covers: JSON data that reads like any other and refuses to be changed, and tools made of it. Does not cover: what a tool
says (tools.py, wire/protocol.py).

All sessions of a server share its tools, so whoever changed a schema in place would change it for all of them. Such
data is equal to plain data, and becomes JSON like it. A copy of it, deep or pickled, is plain again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

from ..records import Json, Tool


def frozen(tool: Tool) -> Tool:
    """The same tool, with schemas and maps that raise TypeError when they are changed."""
    names = ("input_schema", "output_schema", "takes", "gives", "marks")
    return replace(tool, **{name: _frozen(getattr(tool, name)) for name in names})


def _frozen(value: Json) -> Json:
    if isinstance(value, dict):
        return _FrozenDict((key, _frozen(item)) for key, item in value.items())
    if isinstance(value, list):
        return _FrozenList(map(_frozen, value))
    return value


def _refuse(self: object, *given: object, **named: object) -> NoReturn:
    raise TypeError("a published tool cannot be changed; change a copy.deepcopy of it")


_refused: Any = _refuse  # for all of dict's and list's signatures at once


class _FrozenDict(dict[str, Json]):
    __setitem__ = __delitem__ = __ior__ = _refused
    clear = pop = popitem = setdefault = update = _refused

    def __reduce__(self) -> tuple[type[dict[str, Json]], tuple[dict[str, Json]]]:
        return dict, (dict(self),)


class _FrozenList(list[Json]):
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused
    append = clear = extend = insert = pop = remove = reverse = sort = _refused

    def __reduce__(self) -> tuple[type[list[Json]], tuple[list[Json]]]:
        return list, (list(self),)
