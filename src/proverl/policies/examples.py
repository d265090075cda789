"""The least that fits a schema: a small value, and the least call of a set of tools.

Covers: schemas of the kinds that tools have; a pattern is not looked at. Does not cover: random values
(laws/arguments.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..chat import Asked
from ..records import Json, Tool


def least_call(tools: Sequence[Tool]) -> Asked:
    """A call that fits the schema of one of the tools: the read with the fewest required arguments, if there is one."""
    if not tools:
        return Asked("")
    tool = min(tools, key=lambda tool: (tool.effect != "read", len(tool.required)))
    properties = tool.input_schema.get("properties", {})
    return Asked(tool.name, {name: example(properties.get(name, {})) for name in tool.required})


def example(schema: dict[str, Json]) -> Json:
    """A small value that fits a schema of the kinds that tools have; a pattern is not looked at."""
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return example(schema[key][0])
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind in ("integer", "number"):
        return _least_number(schema)
    if kind == "array":
        return [example(schema.get("items", {}))] * int(schema.get("minItems", 0))
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: example(properties.get(name, {})) for name in schema.get("required", ())}
    values: dict[str, Json] = {"boolean": True, "null": None}
    return values[kind] if kind in values else "a" * max(1, int(schema.get("minLength", 1)))


def _least_number(schema: dict[str, Json]) -> int | float:
    if "exclusiveMinimum" in schema:
        least: int | float = schema["exclusiveMinimum"] + 1
    else:
        least = schema.get("minimum", min(1, schema.get("maximum", 1)))
    return least
