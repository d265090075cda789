"""Marks: found wherever they stand in a type, and entities that say of their rows what is usual."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, Optional, Required, Union

import pytest
from pydantic import Field, TypeAdapter

from proverl.world.domain import COMPARABLE, FREE, SECRET, Day, Entity, Flag, Moment, Money, Text, TypedDict
from proverl.world.marks import FLAG, MONEY, Mark, marked_places, marks_of

CAR, OWNER = Entity("car", "car"), Entity("owner", "own")
CarId = Annotated[str, CAR]
OwnerId = Annotated[str, OWNER]


class Part(TypedDict):
    part: str
    price: Money
    made: Day | None


class Car(TypedDict, total=False):
    car_id: Required[CarId]
    owners: NotRequired[list[OwnerId]]
    parts: list[Part]
    spare: Part | None
    rows: list[list[Annotated[int, COMPARABLE]]]
    title: NotRequired[Annotated[Text | None, Field(max_length=9)]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Entity("car"), ("", "", "car", "car", "car_id", "car_id", "car")),
        (Entity("car", "c"), ("c", "", "car", "car", "car_id", "car_id", "car")),
        (
            Entity("login_code", lister="list_codes"),
            (
                "",
                "list_codes",
                "login_code",
                "login_code",
                "login_code_id",
                "login_code_id",
                "login code",
            ),
        ),
        (Entity("car", table="vehicle"), ("", "", "vehicle", "vehicle", "car_id", "car_id", "car")),
        (Entity("car", view="car_now"), ("", "", "car", "car_now", "car_id", "car_id", "car")),
        (Entity("car", key="plate"), ("", "", "car", "car", "plate", "plate", "car")),
        (
            Entity("car", "c", "list_cars", "vehicle", "car_now", "plate", "name", "motor car"),
            ("c", "list_cars", "vehicle", "car_now", "plate", "name", "motor car"),
        ),
    ],
)
def test_what_an_entity_leaves_out_is_what_is_usual(given: Entity, expected: tuple[str, ...]) -> None:
    found = (given.prefix, given.lister, given.table, given.view, given.key, given.order, given.noun)
    assert found == expected
    assert given.not_found == f"{given.name}_not_found"


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (str, []),
        (Literal["a"], []),
        (CarId, [CAR]),
        (Annotated[CarId, SECRET, Field(max_length=3)], [SECRET, CAR]),
        (list[CarId], [CAR]),
        (Annotated[list[CarId], Field(max_length=3)], [CAR]),
        (CarId | None, [CAR]),
        (Optional[OwnerId], [OWNER]),  # noqa: UP045 - both spellings
        (Union[CarId, OwnerId], [CAR, OWNER]),  # noqa: UP007
        (CarId | list[OwnerId], [CAR, OWNER]),
        (Annotated[str | None, FREE], [FREE]),
        (Money, [MONEY]),
        (Flag, [FLAG]),
        (Annotated[Money, COMPARABLE], [COMPARABLE, MONEY]),
        (dict[str, CarId], []),
    ],
)
def test_marks_of_an_argument_are_found_on_it_its_items_and_all_sides_of_a_union(
    hint: Any, expected: list[Any]
) -> None:
    assert sorted(map(str, marks_of(hint))) == sorted(map(str, expected))


def test_places_of_a_result_lead_into_lists_objects_and_what_may_be_missing() -> None:
    assert {(path, mark if isinstance(mark, Entity) else mark.name) for path, mark in marked_places(Car)} == {
        ("car_id", CAR),
        ("owners[]", OWNER),
        ("parts[].price", "money"),
        ("parts[].made", "date"),
        ("spare.price", "money"),
        ("spare.made", "date"),
        ("rows[][]", "comparable"),
        ("title", "text"),
    }
    assert list(marked_places(CarId, "a.b")) == [("a.b", CAR)]


@pytest.mark.parametrize(
    ("hint", "name", "schema"),
    [
        (Money, "money", {"type": "number"}),
        (Flag, "flag", {"type": "boolean"}),
        (Day, "date", {"type": "string"}),
        (Moment, "moment", {"type": "string"}),
        (Text, "text", {"type": "string"}),
        (Annotated[str, SECRET], "secret", {"type": "string"}),
        (Annotated[str, FREE], "free", {"type": "string"}),
        (Annotated[int, COMPARABLE], "comparable", {"type": "integer"}),
    ],
)
def test_each_mark_has_its_name_and_callers_see_the_type_that_they_use(
    hint: Any, name: str, schema: dict[str, Any]
) -> None:
    assert [mark.name for mark in marks_of(hint) if isinstance(mark, Mark)] == [name]
    assert TypeAdapter(hint).json_schema() == schema
