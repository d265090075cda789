"""The one judge of JSON Schemas, and examples that fit."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import DefinitionError
from proverl.records import Json, Tool
from proverl.schemas import example, fits, judge
from proverl.world.frozen import frozen

WHOLE: dict[str, Json] = {
    "type": "object",
    "properties": {"limit": {"type": "integer"}, "name": {"type": "string", "format": "email"}},
    "required": ["limit"],
    "additionalProperties": False,
}


class Frozen(dict[str, Any]):
    """A dictionary of another type, as published schemas may be."""


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ({"limit": 5}, True),
        ({"limit": 5.0}, True),
        ({"limit": "5"}, False),
        ({"limit": True}, False),
        ({"limit": 5.5}, False),
        ({}, False),
        ({"limit": 5, "more": 1}, False),
        ({"limit": 5, "name": "no address"}, True),  # formats are not looked at
        ([], False),
        (None, False),
        ({1: 2}, False),
        ({"limit": b"bytes"}, False),
    ],
)
def test_types_are_those_of_json_schema_and_what_is_no_json_fits_nothing(value: Any, right: bool) -> None:
    assert fits(WHOLE, value) is right


def test_a_schema_may_be_of_another_type_than_dict() -> None:
    assert fits(Frozen(WHOLE), {"limit": 5})
    assert not fits(Frozen(WHOLE), {})


def test_equal_schemas_share_a_judge_whatever_the_order_of_their_keys() -> None:
    turned = dict(reversed(list(json.loads(json.dumps(WHOLE)).items())))
    assert judge(WHOLE) is judge(turned) is judge(Frozen(WHOLE))


def test_a_schema_that_has_changed_is_judged_anew() -> None:
    schema = json.loads(json.dumps(WHOLE))
    assert fits(schema, {"limit": 5})
    schema["properties"]["limit"]["maximum"] = 4
    assert not fits(schema, {"limit": 5})


def test_the_judge_names_what_is_wrong() -> None:
    messages = [error.message for error in judge(WHOLE).iter_errors({"limit": "5"})]
    assert messages == ['"5" is not of type "integer"']


BAD = [
    {"type": "nope"},
    {"$ref": "#/nowhere"},
    {"$ref": "http://127.0.0.1:9/schema"},
    {"$ref": "file:///etc/hostname"},
    {"properties": {"a": {"pattern": "("}}},
    {"required": 3},
    {"const": b"bytes"},
    {"const": "\ud800"},
    None,
    [],
    "text",
]


@pytest.mark.parametrize("schema", BAD, ids=repr)
def test_what_is_no_schema_is_named_once_and_again(schema: Any) -> None:
    for _ in range(2):
        with pytest.raises(DefinitionError, match="no JSON Schema"):
            judge(schema)


@pytest.mark.parametrize("schema", [schema for schema in BAD if isinstance(schema, dict)], ids=repr)
def test_by_what_is_no_schema_an_object_with_all_that_is_required_fits(schema: dict[str, Any]) -> None:
    whole = {"required": ["a"], **schema}
    if isinstance(whole["required"], list):
        assert fits(whole, {"a": 1, "b": 2})
        assert not fits(whole, {"b": 2})
    assert not fits(whole, ["a"])
    assert not fits(whole, "a")


def test_true_and_false_are_schemas() -> None:
    assert fits(True, 3)
    assert not fits(False, 3)


SCHEMAS = st.sampled_from(
    [
        {"type": "string", "enum": ["a", "b"]},
        {"type": "string", "minLength": 3, "maxLength": 3},
        {"type": "integer", "minimum": 3, "maximum": 4},
        {"type": "integer", "maximum": -2},
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "boolean"},
        {"type": "null"},
        {"type": ["integer", "null"]},
        {"const": {"a": 1}},
        {"anyOf": [{"type": "integer", "minimum": 7}, {"type": "null"}]},
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False},
    ]
)


@given(SCHEMAS, st.booleans())
def test_an_example_fits_its_schema(schema: dict[str, Json], inside: bool) -> None:
    whole = {"type": "object", "properties": {"v": schema}, "required": ["v"]} if inside else schema
    assert jsonschema_rs.is_valid(whole, example(whole))


def test_an_example_is_plain_and_no_part_of_the_schema_that_nobody_can_change() -> None:
    for key, value in (("default", ["a"]), ("const", {"b": ["a"]}), ("enum", [["a"], 2])):
        tool = frozen(Tool("a", "b", {key: value}, {}))
        made = example(tool.input_schema)
        assert type(made) in (list, dict)
        made.clear()
        assert tool.input_schema == {key: value}
