"""Other values of the right type."""

import json
from dataclasses import replace

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st

from proverl.policies.wrong_values import changed
from proverl.records import Json
from support.shop.tasks import (
    TOOLS,
)

SCHEMAS = st.sampled_from(
    [
        {"type": "string", "enum": ["a", "b"]},
        {"type": "string", "pattern": "^[0-9]{4}$"},
        {"type": "string", "minLength": 3, "maxLength": 3},
        {"type": "integer", "minimum": 3, "maximum": 4},
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False},
    ]
)


VALUES: dict[str, list[Json]] = {
    "enum": ["a", "b"],
    "pattern": ["0000", "9999"],
    "minLength": ["abc", "---"],
    "minimum": [3, 4],
    "exclusiveMinimum": [0.5, 7],
    "boolean": [True, False],
    "items": [["x"], ["x", "y"]],
    "properties": [{"n": 0}],
}


@given(SCHEMAS, st.data())
def test_a_changed_value_differs_and_still_fits_the_schema(schema, data):
    kind = next(key for key in VALUES if key in schema or schema["type"] == key)
    value = data.draw(st.sampled_from(VALUES[kind]))
    whole = {"type": "object", "properties": {"v": schema}, "required": ["v"], "additionalProperties": False}
    tool = replace(TOOLS[0], input_schema=whole)
    other = changed(tool, {"v": value}, ("v",))
    if value != "---":  # three signs that no rule for other texts fits
        assert json.dumps(other["v"]) != json.dumps(value)
    assert jsonschema_rs.is_valid(whole, other)


def test_a_date_is_changed_to_another_day():
    whole = {"type": "object", "properties": {"v": {"type": "string"}}}
    tool = replace(TOOLS[0], input_schema=whole)
    assert changed(tool, {"v": "2031-05-31"}, ("v",)) == {"v": "2031-06-01"}
    assert changed(tool, {"v": "2031-05-31T23:00:00-05:00"}, ("v",)) == {"v": "2031-06-01T23:00:00-05:00"}
