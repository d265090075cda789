"""What a type cannot say of an argument or a field: whose id it is, whether it is money, a day, a secret, free text.

Covers: the marks that stand in `Annotated`, `Entity` among them, and finding them in a type. Does not cover: JSON
Schema and the conversion of values (tools.py).

    ACCOUNT = Entity("account", "acc", "list_bank_accounts", view="account_now", order="nickname")
    AccountId = Annotated[str, ACCOUNT]

An entity is its own mark: `AccountId` on an argument says what the argument takes, on a field of a result what the tool
gives. The dependency graph, the sampler and the laws read these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Final, NotRequired, Required, TypeAlias, Union, get_args, get_origin, get_type_hints

import typing_extensions
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


@dataclass(frozen=True)
class Entity:
    """A kind of thing that has ids: accounts, payees, files.

    `prefix` begins its ids (acc_0412); empty where the id is a word of its own, such as a path. `lister` is the tool
    that shows the ids. `table` holds the rows (default: the name), `view` is what is read (default: the table) and has
    every field that a result shows. `key` is the primary key (default: NAME_id), `order` the ORDER BY of lists
    (default: the key), `noun` what a message calls it.
    """

    name: str
    prefix: str = ""
    lister: str = ""
    table: str = ""
    view: str = ""
    key: str = ""
    order: str = ""
    noun: str = ""

    def __post_init__(self) -> None:
        table = self.table or self.name
        key = self.key or f"{self.name}_id"
        defaults = {
            "table": table,
            "view": self.view or table,
            "key": key,
            "order": self.order or key,
            "noun": self.noun or self.name.replace("_", " "),
        }
        for name, value in defaults.items():
            object.__setattr__(self, name, value)

    @property
    def not_found(self) -> str:
        """The code with which an id that does not exist is refused."""
        return f"{self.name}_not_found"


@dataclass(frozen=True)
class Mark:
    """A property of an argument or a field that its type cannot say."""

    name: str


class _Cents(Mark):
    """An integer of cents inside, a number of dollars outside."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.float_schema()


class _Bit(Mark):
    """0 or 1 inside, as SQLite keeps it, a boolean outside."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.bool_schema()


SECRET: Final = Mark("secret")
"""An argument whose value only the user or an earlier result may supply."""
FREE: Final = Mark("free")
"""An argument whose text nobody prescribes: a note, a comment."""
COMPARABLE: Final = Mark("comparable")
"""A number in a result by which rows can be compared: a rating, a quantity."""
MONEY: Final = _Cents("money")
FLAG: Final = _Bit("flag")

Money: TypeAlias = Annotated[int, MONEY]
"""Cents in the tool's body and in rows, dollars with at most two decimals in calls and results. Limits in `Field` are
dollars. A caller's amount with more decimals is refused as invalid_argument before the body runs."""
Flag: TypeAlias = Annotated[int, FLAG]
"""0 or 1 in the tool's body and in rows, a boolean in calls and results."""
Day: TypeAlias = Annotated[str, Mark("date")]
"""YYYY-MM-DD, in rows, bodies and results alike."""
Moment: TypeAlias = Annotated[str, Mark("moment")]
"""ISO 8601 with seconds and offset, in rows, bodies and results alike."""
Text: TypeAlias = Annotated[str, Mark("text")]
"""A text that people read, such as a title or a message."""

Marks: TypeAlias = Entity | Mark


def marks_of(hint: Any) -> list[Marks]:
    """The marks on a type, those on the items of a list and on the sides of a union included."""
    if get_origin(hint) is Annotated:
        base, *found = get_args(hint)
        return [mark for mark in found if isinstance(mark, (Entity, Mark))] + marks_of(base)
    if get_origin(hint) in (list, UnionType, Union):
        return [mark for part in get_args(hint) for mark in marks_of(part)]
    return []


def marked_places(hint: Any, path: str = "") -> Iterator[tuple[str, Marks]]:
    """(path in a value of this type, mark) of every mark, such as `accounts[].account_id`."""
    origin = get_origin(hint)
    if origin is Annotated:
        base, *found = get_args(hint)
        yield from ((path, mark) for mark in found if isinstance(mark, (Entity, Mark)))
        yield from marked_places(base, path)
    elif origin is list:
        (item,) = get_args(hint)
        yield from marked_places(item, f"{path}[]")
    elif typing_extensions.is_typeddict(hint):
        for name, field in get_type_hints(hint, include_extras=True).items():
            yield from marked_places(field, f"{path}.{name}" if path else name)
    elif origin in (UnionType, Union, NotRequired, Required):
        for part in get_args(hint):
            yield from marked_places(part, path)
