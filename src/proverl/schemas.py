"""JSON Schemas: the one judge of what fits, and the least that fits.

Covers: judging values by a schema (`fits`), the compiled judge itself for those who need its messages (`judge`), a
small value that fits a schema (`example`). Does not cover: making schemas (world/), random or odd values (laws/), or
other values of the same type (policies/wrong_values.py).

One rule for all who judge. Types are JSON Schema's: 5.0 is an integer, "5" and true are not. `format` is not looked at.
Nothing is fetched: a reference must lead into the schema itself. Judges are kept by the schema's canonical text, so
schemas that were read one by one and are equal share one, and one that was changed in between gets another.

A schema that is none (a type that does not exist, a reference that leads nowhere, a pattern that cannot be read) is a
fault of whoever published it: `judge` raises. `fits` never raises; by such a schema an object fits that has what
`required` names, and nothing else does, so that a call with all its arguments is not blamed for another's fault.
"""

from __future__ import annotations

import copy
import json
from functools import lru_cache
from typing import Final, TypeAlias

import jsonschema_rs

from .errors import DefinitionError
from .records import Json

Validator: TypeAlias = jsonschema_rs.Validator
"""The compiled judge of a schema: `is_valid(value)`, `iter_errors(value)`."""

KEPT: Final = 8192
"""Judges that are kept; the least recently used one goes first."""

# Made once, since `json.dumps` with options makes one at each call, which takes longer than judging does.
_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def judge(schema: Json) -> Validator:
    """The compiled judge of a schema.

    Raises:
        DefinitionError: this is no JSON Schema; the message says why
    """
    try:
        text = _canonical(schema)
    except (TypeError, ValueError, RecursionError) as error:
        raise DefinitionError(f"no JSON Schema: {error}") from None
    compiled = _compiled(text)
    if isinstance(compiled, str):
        raise DefinitionError(compiled)
    return compiled


def fits(schema: Json, value: Json) -> bool:
    """Whether a value fits a schema; what is no JSON value fits nothing."""
    try:
        return bool(judge(schema).is_valid(value))
    except DefinitionError:
        required = schema.get("required", ()) if isinstance(schema, dict) else ()
        names = required if isinstance(required, list | tuple) else ()
        return isinstance(value, dict) and all(name in value for name in names)
    except ValueError:  # bytes, a key that is no string
        return False


@lru_cache(KEPT)
def _compiled(text: str) -> Validator | str:
    """The judge of a schema's text, or why there is none."""
    try:
        return jsonschema_rs.validator_for(text, validate_formats=False, retriever=_nothing_is_fetched)
    except ValueError as error:
        reason = str(error).partition("\n")[0]
        return f"no JSON Schema: {reason}; got {text[:200]}"


def _nothing_is_fetched(uri: str) -> Json:
    raise ValueError(f"{uri} is not part of the schema")


# Examples


def example(schema: dict[str, Json]) -> Json:
    """A small value that fits a schema of the kinds that tools have; a pattern is not looked at."""
    for key in ("const", "default"):
        if key in schema:
            return copy.deepcopy(schema[key])  # the tool's own may be a list that cannot be changed
    if schema.get("enum"):
        return copy.deepcopy(schema["enum"][0])
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return example(schema[key][0])
    return _least(schema)


def _least(schema: dict[str, Json]) -> Json:
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind in ("integer", "number"):
        return _least_number(schema)
    if kind == "array":
        return [example(schema.get("items", {}))] * int(schema.get("minItems", 0))
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: example(properties.get(name, {})) for name in schema.get("required", ())}
    plain: dict[str, Json] = {"boolean": True, "null": None}
    return plain[kind] if kind in plain else "a" * max(1, int(schema.get("minLength", 1)))


def _least_number(schema: dict[str, Json]) -> int | float:
    if "exclusiveMinimum" in schema:
        least: int | float = schema["exclusiveMinimum"] + 1
    else:
        least = schema.get("minimum", min(1, schema.get("maximum", 1)))
    return least
