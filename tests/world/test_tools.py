"""Tools: what a signature becomes, mistakes that end at import, and what passes between a caller and a body."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import DefinitionError, Refused
from proverl.world.domain import FREE, SECRET, Day, Entity, Field, Flag, Moment, Money, TypedDict, World, tool
from proverl.world.refusals import noting
from proverl.world.tools import ToolFunction
from support.answers import answers, answers_of


class Address(TypedDict):
    street: str
    flat: NotRequired[int]


class Person(TypedDict):
    row_id: Annotated[str, Entity("row")]
    owner: Annotated[str, Entity("person")] | None


class People(TypedDict):
    first: Annotated[str, Entity("row")]
    rows: list[Person]
    others: list[Annotated[str, Entity("row")]]


@tool("write", refusals="no_room wrong_pin", after="other", idempotent=True)
def described(
    world: World,
    row_id: Annotated[str, Entity("row")],
    size: Literal["small", "large"],
    friends: Annotated[list[Annotated[str, Entity("person")]], Field(max_length=3)],
    address: Address | None = None,
    pin: Annotated[str | None, SECRET] = None,
    note: Annotated[str, FREE] = "",
    count: Annotated[int, Field(ge=1, le=9)] = 1,
) -> People:
    """Do a thing.
    It has two lines.

    Args:
        row_id: the row
        size: small or large; a longer text
            goes on here
        friends: people: at most 3
        address: where
        pin: the PIN
        note: anything
        count: how many
    """
    raise NotImplementedError


RECORD = described.__dict__["__tool__"].tool


def test_the_input_schema_is_what_the_signature_says():
    assert RECORD.input_schema == {
        "type": "object",
        "properties": {
            "row_id": {"type": "string", "description": "the row"},
            "size": {
                "type": "string",
                "enum": ["small", "large"],
                "description": "small or large; a longer text goes on here",
            },
            "friends": {
                "type": "array",
                "items": {"type": "string"},
                "maxItems": 3,
                "description": "people: at most 3",
            },
            "address": {
                "type": "object",
                "properties": {"street": {"type": "string"}, "flat": {"type": "integer"}},
                "required": ["street"],
                "additionalProperties": False,
                "description": "where",
            },
            "pin": {"type": "string", "description": "the PIN"},
            "note": {"type": "string", "default": "", "description": "anything"},
            "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1, "description": "how many"},
        },
        "required": ["row_id", "size", "friends"],
        "additionalProperties": False,
    }
    jsonschema_rs.meta.validate(RECORD.input_schema)


def test_the_output_schema_is_closed_and_without_references():
    jsonschema_rs.meta.validate(RECORD.output_schema)
    assert RECORD.output_schema["additionalProperties"] is False
    assert RECORD.output_schema["properties"]["rows"]["items"]["additionalProperties"] is False
    assert "$ref" not in repr(RECORD.output_schema)
    assert "title" not in repr(RECORD.output_schema)


def test_the_marks_become_fields_of_the_record():
    assert RECORD.name == "described"
    assert RECORD.description == "Do a thing. It has two lines."
    assert (RECORD.effect, RECORD.idempotent, RECORD.after) == ("write", True, ("other",))
    assert RECORD.takes == {"row_id": "row", "friends": "person"}
    assert RECORD.gives == {"first": "row", "rows[].row_id": "row", "rows[].owner": "person", "others[]": "row"}
    assert (RECORD.secret, RECORD.free, RECORD.refusals) == (("pin",), ("note",), ("no_room", "wrong_pin"))


def undescribed(world: World, name: str) -> Person:
    """Do it."""
    raise NotImplementedError


def untyped(world: World, name) -> Person:
    """Do it.

    Args:
        name: a name
    """
    raise NotImplementedError


def silent(world: World) -> Person:
    raise NotImplementedError


def no_result(world: World) -> dict[str, Any]:
    """Do it."""
    raise NotImplementedError


def too_much(world: World) -> Person:
    """Do it.

    Args:
        name: a name
    """
    raise NotImplementedError


def no_world(name: str) -> Person:
    """Do it.

    Args:
        name: a name
    """
    raise NotImplementedError


def nothing() -> Person:
    """Do it."""
    raise NotImplementedError


def many(world: World, *names: str) -> Person:
    """Do it.

    Args:
        names: names
    """
    raise NotImplementedError


def camelCase(world: World) -> Person:
    """Do it."""
    raise NotImplementedError


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (undescribed, "'name' is not described"),
        (untyped, "'name' has no type"),
        (silent, "no docstring"),
        (no_result, "must be a TypedDict"),
        (too_much, "which are no parameters"),
        (no_world, "first parameter must be a World"),
        (nothing, "first parameter must be a World"),
        (many, "has no schema"),
        (camelCase, "not snake_case"),
    ],
)
def test_a_faulty_tool_fails_where_it_is_defined(body, message):
    with pytest.raises(DefinitionError, match=message) as caught:
        tool("read")(body)
    assert body.__name__ in str(caught.value)


def test_a_refusal_code_that_is_not_snake_case_fails_where_it_is_defined():
    with pytest.raises(DefinitionError, match="'NotFound' is not snake_case"):
        tool("read", refusals="not_found NotFound")(silent)


class Odd(TypedDict):
    """What has odd names."""

    title: str
    rows: list[Person]


@tool("destructive", unechoed={"names": "they are counted only"}, repeats="each call counts on")
def with_everything(
    world: World,
    names: dict[str, str],
    day: Day | None,
    until: Annotated[Moment, Field(max_length=40)],
    key: int | str | None = None,
    title: str = "a title",
    keeps: list[Literal["a", "b"]] = ["a"],  # noqa: B006 - the schema publishes it
    cents: Annotated[Money | None, Field(ge=1)] = None,
    bit: Flag = 1,
) -> Odd:
    """Do what
    it says.

       Indented: no argument.

    Args:
        names: names of
          people

          and: pets
        day: a day
        until: a moment
        key: a key
        title: a title
        keeps: what it keeps
        cents: dollars
        bit: a bit
    """
    raise NotImplementedError


EVERYTHING: ToolFunction = with_everything.__dict__["__tool__"]


def test_arguments_of_every_kind_have_the_schema_of_what_a_caller_may_send() -> None:
    assert EVERYTHING.tool.input_schema == {
        "type": "object",
        "properties": {
            "names": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "names of people and: pets",
            },
            "day": {"type": "string", "description": "a day"},
            "until": {"type": "string", "maxLength": 40, "description": "a moment"},
            "key": {"anyOf": [{"type": "integer"}, {"type": "string"}], "description": "a key"},
            "title": {"type": "string", "default": "a title", "description": "a title"},
            "keeps": {
                "type": "array",
                "items": {"type": "string", "enum": ["a", "b"]},
                "default": ["a"],
                "description": "what it keeps",
            },
            "cents": {"type": "number", "minimum": 1, "description": "dollars"},
            "bit": {"type": "boolean", "default": True, "description": "a bit"},
        },
        "required": ["names", "day", "until"],
        "additionalProperties": False,
    }
    assert EVERYTHING.tool.description == "Do what it says. Indented: no argument."


def test_a_result_keeps_fields_that_are_called_like_words_of_json_schema() -> None:
    schema = EVERYTHING.tool.output_schema
    assert schema["description"] == "What has odd names."
    assert schema["properties"]["title"] == {"type": "string"}
    owner = schema["properties"]["rows"]["items"]["properties"]["owner"]
    assert owner == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert schema["required"] == ["title", "rows"]


def test_a_tool_function_says_what_laws_want_to_know_of_it() -> None:
    assert (EVERYTHING.body, EVERYTHING.tool.name) == (with_everything, "with_everything")
    assert EVERYTHING.unechoed == {"names": "they are counted only"}
    assert EVERYTHING.repeats == "each call counts on"
    assert EVERYTHING.tool.idempotent is False
    assert EVERYTHING.times == {"day": "date", "until": "moment"}
    assert {entity.name for entity in EVERYTHING.entities} == {"row", "person"}
    assert {entity.name for entity in described.__dict__["__tool__"].entities} == {"row", "person"}
    other: ToolFunction = described.__dict__["__tool__"]
    assert (other.unechoed, other.repeats, other.times) == ({}, "", {})
    assert EVERYTHING.judge.is_valid({"names": {"a": "b"}, "day": "", "until": ""})
    assert not EVERYTHING.judge.is_valid({"names": {"a": 1}, "day": "", "until": ""})


@pytest.mark.parametrize(
    ("effect", "given_", "expected"),
    [("read", False, True), ("write", False, False), ("write", True, True), ("destructive", False, False)],
)
def test_reads_are_idempotent_and_others_if_they_say_so(effect: Any, given_: bool, expected: bool) -> None:
    def body(world: World) -> Odd:
        """Do it."""
        raise NotImplementedError

    made: ToolFunction = tool(effect, idempotent=given_)(body).__dict__["__tool__"]
    assert (made.tool.effect, made.tool.idempotent) == (effect, expected)


@pytest.mark.parametrize(("refusals", "after"), [("", ""), ("b_code a_code", " first second ")])
def test_codes_and_tools_before_are_words_in_the_order_in_which_they_stand(refusals: str, after: str) -> None:
    def body(world: World) -> Odd:
        """Do it."""
        raise NotImplementedError

    made: ToolFunction = tool("write", refusals=refusals, after=after)(body).__dict__["__tool__"]
    assert (made.tool.refusals, made.tool.after) == (tuple(refusals.split()), tuple(after.split()))


@pytest.mark.parametrize("code", ["Not_found", "not__found", "_not", "not_", "2not", "not-found", "notFound", "né"])
def test_a_code_is_snake_case(code: str) -> None:
    with pytest.raises(DefinitionError, match=f"nothing: '{code}' is not snake_case"):
        tool("read", refusals=f"a b2 c_d {code}")(nothing)


def keywords(world: World, **names: str) -> Person:
    """Do it.

    Args:
        names: names
    """
    raise NotImplementedError


def only_args(world: World, name: str) -> Person:
    """
    Args:
        name: a name
    """
    raise NotImplementedError


def world_in_between(name: str, world: World) -> Person:
    """Do it.

    Args:
        name: a name
    """
    raise NotImplementedError


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (keywords, r"\*names has no schema"),
        (only_args, "no docstring"),
        (world_in_between, "first parameter must be a World"),
    ],
)
def test_further_faults_of_a_tool_fail_where_it_is_defined(body: Any, message: str) -> None:
    with pytest.raises(DefinitionError, match=f"{body.__name__}: .*{message}"):
        tool("read")(body)


def neither(name) -> dict[str, Any]:
    """Do it.

    Args:
        other: a name
    """
    raise NotImplementedError


def many_untyped(world: World, *names) -> Person:
    """Do it.

    Args:
        names: names
    """
    raise NotImplementedError


def wrong_at_both_ends(world: World) -> dict[str, Any]:
    """Do it.

    Args:
        name: a name
    """
    raise NotImplementedError


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (neither, "first parameter must be a World"),
        (many_untyped, "has no schema"),
        (wrong_at_both_ends, "which are no parameters"),
    ],
)
def test_of_several_faults_of_a_tool_the_one_without_which_the_others_say_little_is_named(
    body: Any, message: str
) -> None:
    with pytest.raises(DefinitionError, match=f"{body.__name__}: .*{message}"):
        tool("read")(body)


# What passes between a caller and the body

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


class Priced(TypedDict):
    price: NotRequired[Money]
    either: Money | str
    prices: list[Money | None]
    deep: NotRequired[list[list[Line]]]


@tool("read")
def priced(
    world: World,
    f: Money,
    e: list[Money],
    d: Priced,
    c: Money = 0,
    b: list[list[Money | None]] | None = None,
    a: Annotated[Money | None, Field(le=5)] = None,
    whole: list[int] | None = None,
    text: str | None = None,
) -> Priced:
    """Do it.

    Args:
        a: dollars
        b: dollars
        c: dollars
        d: dollars
        e: dollars
        f: dollars
        whole: numbers
        text: a text
    """
    raise NotImplementedError


PRICED: ToolFunction = priced.__dict__["__tool__"]


def test_conversions_reach_into_lists_objects_and_what_may_be_missing_but_not_into_a_choice_of_types() -> None:
    line = {"thing_id": "t", "price": 150, "sold": 0}
    value = {"either": 100, "prices": [1, None], "deep": [[line], []]}
    shown = {"either": 100, "prices": [0.01, None], "deep": [[{**line, "price": 1.5, "sold": False}], []]}
    assert PRICED.result(value) == shown
    assert PRICED.result({"price": 5, "either": "x", "prices": []}) == {"price": 0.05, "either": "x", "prices": []}
    taken = PRICED.arguments(
        {"f": 1, "e": [0.5], "d": shown, "b": [[0.25, None], []], "whole": [1.0, 2], "text": "5.0"}
    )
    assert taken == {"f": 100, "e": [50], "d": value, "b": [[25, None], []], "whole": [1, 2], "text": "5.0"}
    assert [type(number) for number in taken["whole"]] == [int, int]


def test_of_several_wrong_amounts_the_first_of_the_signature_is_refused_however_they_were_sent() -> None:
    wrong = {"a": 0.001, "b": [[0.002]], "c": 0.003, "d": {"prices": [0.004]}, "e": [0.005], "f": 0.006}
    for sent in (wrong, dict(reversed(wrong.items()))):
        with noting() as noted:
            PRICED.arguments(sent)
        amounts = [refused.message.split()[1] for refused in noted]
        assert amounts == ["0.006", "0.005", "0.004", "0.003", "0.002", "0.001"]
        assert {refused.code for refused in noted} == {"invalid_argument"}


def test_a_tool_without_amounts_passes_arguments_and_results_as_they_are() -> None:
    function: ToolFunction = described.__dict__["__tool__"]
    given_ = {"row_id": "r", "size": "small", "friends": ["p"]}
    value = {"first": "r", "rows": [], "others": []}
    assert function.arguments(given_) == given_
    assert function.result(value) is value


def test_tools_are_the_same_in_a_python_that_drops_docstrings_and_asserts() -> None:
    names = ["support.shop:server", "support.depot:server"]
    assert answers_of(names, "-OO") == list(map(answers, names))
