"""What passes between a caller and a tool's body: dollars and cents, booleans and bits, whole numbers."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import Refused
from proverl.world.domain import Day, Entity, Field, Flag, Money, TypedDict, World, tool
from proverl.world.tools import ToolFunction

THING = Entity("thing", "thi")


class Line(TypedDict):
    thing_id: Annotated[str, THING]
    price: Money
    sold: Flag


class Bill(TypedDict):
    total: Money
    paid: Flag
    due: Day | None
    tip: Money | None
    lines: list[Line]


class Order(TypedDict):
    price: Annotated[Money, Field(ge=0)]
    gift: Flag
    pieces: int


@tool("write", refusals="invalid_argument")
def example(
    world: World,
    amount: Annotated[Money, Field(gt=0, le=100)],
    orders: list[Order],
    count: int = 1,
    fee: Money = 250,
    urgent: Flag = 0,
    tip: Money | None = None,
) -> Bill:
    """Do a thing.

    Args:
        amount: dollars
        orders: what is ordered
        count: how many
        fee: dollars
        urgent: whether it is
        tip: dollars
    """
    raise NotImplementedError


FUNCTION: ToolFunction = example.__dict__["__tool__"]
cents = st.integers(0, 10**9)


def test_money_and_flags_are_numbers_and_booleans_to_callers_with_limits_and_defaults_in_dollars() -> None:
    properties = FUNCTION.tool.input_schema["properties"]
    assert properties["amount"] == {"type": "number", "exclusiveMinimum": 0, "maximum": 100, "description": "dollars"}
    assert properties["fee"] == {"type": "number", "default": 2.5, "description": "dollars"}
    assert properties["urgent"] == {"type": "boolean", "default": False, "description": "whether it is"}
    assert properties["orders"]["items"]["properties"]["gift"] == {"type": "boolean"}
    assert FUNCTION.tool.output_schema["properties"]["total"] == {"type": "number"}


@given(cents, cents, st.booleans(), st.none() | cents)
def test_what_the_caller_gives_in_dollars_the_body_takes_in_cents(
    amount: int, price: int, gift: bool, tip: int | None
) -> None:
    given_ = {
        "amount": amount / 100,
        "orders": [{"price": price / 100, "gift": gift, "pieces": 2.0}],
        "count": 3.0,
        **({} if tip is None else {"tip": tip / 100}),
    }
    taken = FUNCTION.arguments(given_)
    assert taken["amount"] == amount
    assert taken["orders"] == [{"price": price, "gift": int(gift), "pieces": 2}]
    assert type(taken["count"]) is type(taken["orders"][0]["pieces"]) is int
    assert taken.get("tip") == tip
    assert given_["amount"] == amount / 100, "the caller's arguments stay as they are"


@given(cents, st.booleans(), st.none() | cents)
def test_what_the_body_returns_in_cents_the_caller_sees_in_dollars(total: int, paid: bool, tip: int | None) -> None:
    line = {"thing_id": "thi_1", "price": total, "sold": int(paid)}
    value = {"total": total, "paid": int(paid), "due": None, "tip": tip, "lines": [line, line]}
    shown = FUNCTION.result(value)
    seen = {"thing_id": "thi_1", "price": total / 100, "sold": paid}
    dollars = None if tip is None else tip / 100
    assert shown == {"total": total / 100, "paid": paid, "due": None, "tip": dollars, "lines": [seen, seen]}
    assert shown["paid"] is paid
    assert value["lines"] == [line, line], "the body's rows stay as they are"


@pytest.mark.parametrize(
    "wrong",
    [{"amount": 1.005}, {"tip": 0.001}, {"orders": [{"price": 19.999999999, "gift": True, "pieces": 1}]}],
)
def test_an_amount_that_is_no_whole_cent_is_refused_with_its_name_and_value(wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="more than two decimals") as caught:
        FUNCTION.arguments({"amount": 1, "orders": [], **wrong})
    assert caught.value.code == "invalid_argument"
    name = "price" if "orders" in wrong else next(iter(wrong))
    assert caught.value.message.startswith(name)


def test_marks_of_results_are_published_by_their_place() -> None:
    assert FUNCTION.tool.marks == {
        "total": "money",
        "paid": "flag",
        "due": "date",
        "tip": "money",
        "lines[].price": "money",
        "lines[].sold": "flag",
    }
    assert FUNCTION.tool.gives == {"lines[].thing_id": "thing"}
