"""The limits that a tool's description tells are those that its schema holds, and the schema holds no others.

The texts are the model's: nobody changes a text and a bound together by accident. A bound is told as "1 to 50", "up to
80 characters", "at most 5", "greater than 0", "at least 2" or by its number alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from proverl import servers
from proverl.records import Json, Tool
from support.tested import NAMES
from support.told import told

BOUNDS = (
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "multipleOf",
)
UNSAID = {("minimum", 1), ("minLength", 1), ("minItems", 1), ("minimum", 0)}
"""Bounds that go without saying: something, and nothing below nothing."""


def bounds(schema: Json) -> Iterator[tuple[str, float]]:
    """The bounds of a schema, those of its items and fields included."""
    if isinstance(schema, dict):
        yield from ((key, schema[key]) for key in BOUNDS if key in schema)
        inner = [schema["items"]] if "items" in schema else []
        for part in (*inner, *schema.get("properties", {}).values(), *schema.get("anyOf", ())):
            yield from bounds(part)


def unsaid(tool: Tool) -> list[str]:
    """The bounds of a tool's arguments that stand neither in the argument's text nor in the tool's."""
    found = []
    for name, schema in tool.input_schema["properties"].items():
        if name in tool.takes:  # an id or a path, which is copied and not made up
            continue
        numbers = told(schema["description"]) | told(tool.description)
        found += [
            f"{tool.name}.{name}: {key} {bound}"
            for key, bound in bounds(schema)
            if float(bound) not in numbers and (key, bound) not in UNSAID
        ]
    return found


def unheld(tool: Tool) -> list[str]:
    """Bounds that an argument's text tells ("1 to 50", "up to 80", "greater than 0") and its schema does not hold."""
    found = []
    for name, schema in tool.input_schema["properties"].items():
        held = {float(bound) for _, bound in bounds(schema)}
        text = schema["description"]
        ranges = re.findall(r"(?<![\w.-])(\d+) to (\d+)(?![\w-])", text)
        numbers = {float(number) for pair in ranges for number in pair}
        numbers |= {float(number) for number in re.findall(r"(?:up to|at most) (\d+)(?! decimals)\b", text)}
        low = re.findall(r"(?:greater than|at least|multiple of|page number from) (\d+(?:\.\d+)?)\b", text)
        numbers |= {float(number) for number in low}
        found += [f"{tool.name}.{name}: {number:g}" for number in sorted(numbers - held)]
    return found


BLANKS = {
    "append_file.content",
    "sed_replace.find",
    "archive_extract.entry",
    "chown.owner",
    "chown.group",
}
"""Arguments that may be a blank: what a file holds or is called, and names that have to exist."""


@pytest.mark.parametrize("name", NAMES)
def test_what_must_not_be_empty_is_more_than_blanks(name: str) -> None:
    for tool in servers.load(name).tools:
        for argument, schema in tool.input_schema["properties"].items():
            given = f"{tool.name}.{argument}"
            if schema.get("minLength") and schema.get("format") != "path" and given not in BLANKS:
                assert re.search(schema.get("pattern", ""), "   ") is None, given


@pytest.mark.parametrize("name", NAMES)
def test_the_bounds_of_the_schema_are_told_in_the_description(name: str) -> None:
    assert [fault for tool in servers.load(name).tools for fault in unsaid(tool)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_ranges_of_the_description_are_held_by_the_schema_or_refused(name: str) -> None:
    """A range that the schema does not hold has a refusal of its own (invalid_account_number, say)."""
    loose = [(tool, fault) for tool in servers.load(name).tools for fault in unheld(tool)]
    refused: Any = [fault for tool, fault in loose if not tool.refusals]
    assert refused == []
