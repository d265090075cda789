"""Values in words, and templates with slots.

Covers: the formats of docs/phrases.md (money, days, lists, plurals) and the templates in which they stand. Does not
cover: which value a slot gets (synth/teacher/scripted.py) or what phrases.toml holds (synth/phrases.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeAlias

from ..records import Json

MONTHS = tuple(
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
TOKEN = re.compile(r"\s*\(\{(?P<flag>\w+)\}\)|\{(?P<slot>[\w.]+)(?::(?P<format>[^{}]*))?\}|(?P<bracket>[\[\]<>])")


@dataclass(frozen=True)
class Slot:
    """A place for a value, written in a format ("" for as it stands)."""

    name: str
    format: str = ""


@dataclass(frozen=True)
class Flag:
    """A boolean that shows or hides the bracket it stands in."""

    name: str


@dataclass(frozen=True)
class Group:
    """`[...]`, shown when every slot in it has a value, or `<...>`, which a vague user leaves out."""

    kind: Literal["[", "<"]
    parts: tuple[Part, ...]


Part: TypeAlias = "str | Slot | Flag | Group"
Write = Callable[[Slot], "str | None"]
"""Gives the words of a slot, None if it has no value."""


@dataclass(frozen=True)
class PhraseTemplate:
    """Text with slots and brackets.

    Raises:
        ValueError: brackets that do not close, or a brace that is no slot
    """

    text: str
    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", self.parts or _parse(self.text))

    def slots(self) -> tuple[str, ...]:
        """The names of all slots and flags, each with its dotted tail."""
        return tuple(dict.fromkeys(_names(self.parts)))

    def flags(self) -> tuple[str, ...]:
        """The names of the booleans that show a bracket."""
        groups = [part.parts for part in self.parts if isinstance(part, Group)]
        return tuple(part.name for parts in groups for part in parts if isinstance(part, Flag))

    def plain_slots(self) -> tuple[str, ...]:
        """The names of the slots that stand outside of `[...]`."""
        return tuple(dict.fromkeys(_names(self.parts, optional=False)))

    def render(self, write: Write, has: Callable[[str], bool] | None = None) -> str:
        """The text with each slot written by `write`; a bracket with a slot that has no value is left out.

        Values stand as they are written, line breaks and double spaces included.
        `has` tells whether a slot has a value without writing it; by default it is written to find out.

        Raises:
            KeyError: a slot outside of all brackets has no words
        """
        has = has or (lambda name: write(Slot(name)) is not None)
        return _render(self.parts, write, has, self.text).strip(" ")


def _parse(text: str) -> tuple[Part, ...]:
    levels: list[list[Part]] = [[]]
    kinds: list[Literal["[", "<"]] = []
    position = 0
    for token in TOKEN.finditer(text):
        literal = re.sub(r"\s+", " ", text[position : token.start()])
        if re.search(r"[{}]", literal):
            raise ValueError(f"a brace that is no slot in {text!r}")
        if literal:
            levels[-1].append(literal)
        position = token.end()
        if token["flag"]:
            levels[-1].append(Flag(token["flag"]))
        elif token["slot"]:
            levels[-1].append(Slot(token["slot"], token["format"] or ""))
        elif token["bracket"] == "[" or token["bracket"] == "<":
            if kinds:
                raise ValueError(f"a bracket inside a bracket in {text!r}")
            kinds.append("[" if token["bracket"] == "[" else "<")
            levels.append([])
        else:
            if not kinds or {"[": "]", "<": ">"}[kinds[-1]] != token["bracket"]:
                raise ValueError(f"a bracket closes that was not open in {text!r}")
            parts = levels.pop()
            levels[-1].append(Group(kinds.pop(), tuple(parts)))
    if kinds:
        raise ValueError(f"a bracket does not close in {text!r}")
    rest = re.sub(r"\s+", " ", text[position:])
    if re.search(r"[{}]", rest):
        raise ValueError(f"a brace that is no slot in {text!r}")
    return (*levels[0], rest) if rest else tuple(levels[0])


def _names(parts: tuple[Part, ...], optional: bool = True) -> list[str]:
    found = []
    for part in parts:
        if isinstance(part, Slot | Flag):
            found.append(part.name)
        elif isinstance(part, Group) and (optional or part.kind == "<"):
            found.extend(_names(part.parts, optional))
    return found


def _render(parts: tuple[Part, ...], write: Write, has: Callable[[str], bool], whole: str) -> str:
    out = ""
    for part in parts:
        if isinstance(part, Slot):
            words = write(part)
            if words is None:
                raise KeyError(f"{{{part.name}}} has no value in {whole!r}")
            out += words
            continue
        piece = part if isinstance(part, str) else ""
        if isinstance(part, Group) and all(has(name) for name in _names(part.parts)):
            piece = _render(part.parts, write, has, whole)
        out += piece.lstrip(" ") if out.endswith(" ") else piece
    return out


def omittable(template: PhraseTemplate) -> dict[str, Group]:
    """The required arguments that a template may leave out, each with the clause that says it."""
    found = {}
    for part in template.parts:
        if isinstance(part, Group) and part.kind == "<":
            for inner in part.parts:
                if isinstance(inner, Slot):
                    found[inner.name] = part
    return found


# Formats


def spoken(value: Json, form: str, today: date) -> str:
    """A value in words.

    Raises:
        ValueError: there is no such format, or the value does not fit it
    """
    if form == "":
        return _plain(value)
    if form.startswith("plural("):
        one, many = (part.strip() for part in form[len("plural(") : -1].split(","))
        return f"{value} {one if value == 1 else many}"
    write = FORMATS.get(form)
    if write is None:
        raise ValueError(f"no format {form!r}; known: {', '.join(sorted(FORMATS))}, plural(one,many)")
    return write(value, today)


def is_format(form: str) -> bool:
    """Whether a slot may be written in this format."""
    return form == "" or form in FORMATS or bool(re.fullmatch(r"plural\([^,]+,[^,]+\)", form))


def listed(items: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]])) if items else "none"


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return listed([_plain(item) for item in value])
    if isinstance(value, dict):
        return listed([f"{key} {_plain(item)}" for key, item in value.items()])
    return "none" if value is None else str(value).strip()


def _money(value: Json, today: date) -> str:
    amount = abs(float(value))
    text = f"{amount:.0f}" if amount == int(amount) else f"{amount:.2f}"
    return f"{'minus ' if float(value) < 0 else ''}{text} dollar{'' if text == '1' else 's'}"


def _day(value: Json, today: date) -> str:
    found = date.fromisoformat(str(value)[:10])
    year = "" if found.year == today.year else f" {found.year}"
    return f"{found.day} {MONTHS[found.month - 1]}{year}"


def _hour(value: Json, today: date) -> str:
    return datetime.fromisoformat(str(value)).strftime("%H:%M")


FORMATS: dict[str, Callable[[Json, date], str]] = {
    "money": _money,
    "day": _day,
    "hour": _hour,
    "time": lambda value, today: f"{_day(value, today)} at {_hour(value, today)}",
    "date": lambda value, today: str(value)[:10],
    "quote": lambda value, today: f'"{_plain(value)}"',
    "list": lambda value, today: _plain(value if isinstance(value, list) else [value]),
    "basename": lambda value, today: str(value).rstrip("/").rsplit("/", 1)[-1] or "/",
    "parent": lambda value, today: (str(value).rstrip("/").rsplit("/", 2)[-2:-1] or ["/"])[0] or "/",
}
