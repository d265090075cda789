"""Published tools: nobody can change one in place, and for everything else it is plain data."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import json
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl import world
from proverl.records import Tool, dump, load, plain
from proverl.schemas import fits
from proverl.wire.protocol import tool_from_wire, tool_to_wire
from proverl.world.frozen import frozen
from proverl.world.session import LocalSession
from support.shop import server as shop

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)
objects = st.dictionaries(st.text(max_size=3), json_values, max_size=3)

CHANGES: dict[str, Callable[[Any], object]] = {
    "__setitem__": lambda it: it.__setitem__(next(iter(it)) if isinstance(it, dict) else 0, 1),
    "__delitem__": lambda it: it.__delitem__(next(iter(it)) if isinstance(it, dict) else 0),
    "__ior__": lambda it: it.__ior__({"a": 1}),
    "__iadd__": lambda it: it.__iadd__([1]),
    "__imul__": lambda it: it.__imul__(2),
    "append": lambda it: it.append(1),
    "clear": lambda it: it.clear(),
    "extend": lambda it: it.extend([1]),
    "insert": lambda it: it.insert(0, 1),
    "pop": lambda it: it.pop(next(iter(it))) if isinstance(it, dict) else it.pop(),
    "popitem": lambda it: it.popitem(),
    "remove": lambda it: it.remove(it[0]),
    "reverse": lambda it: it.reverse(),
    "setdefault": lambda it: it.setdefault("a new key", 1),
    "sort": lambda it: it.sort(),
    "update": lambda it: it.update(a=1),
}


def tool(schema: Any) -> Tool:
    return Tool("a", "b", schema, {"anyOf": [schema]}, takes={"x": "y"}, gives={"z": "y"}, marks={"z": "text"})


def containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


def parts(made: Tool) -> list[Any]:
    return [*containers(made.input_schema), *containers(made.output_schema), made.takes, made.gives, made.marks]


@pytest.mark.parametrize("kind", [dict, list])
def test_every_way_in_which_python_changes_data_is_known_here(kind: type) -> None:
    harmless = {*dir(tuple), *dir(MappingProxyType), "fromkeys"}  # the first two cannot be changed either
    assert set(dir(kind)) - harmless <= CHANGES.keys()


@given(objects)
def test_nothing_in_a_frozen_tool_can_be_changed(schema: dict[str, Any]) -> None:
    original = tool({**schema, "enum": ["b", "a"]})
    made = frozen(original)
    for part in parts(made):
        for name, change in CHANGES.items():
            if hasattr(part, name) and part:
                with pytest.raises(TypeError, match=r"copy\.deepcopy"):
                    change(part)
    assert made == original


@given(objects)
def test_a_frozen_tool_is_equal_to_the_plain_one_and_becomes_the_same_json(schema: dict[str, Any]) -> None:
    original = tool(schema)
    made = frozen(original)
    assert (made, repr(made)) == (original, repr(original))
    assert json.dumps(made.input_schema) == json.dumps(schema)
    assert dump(made) == dump(original)
    assert plain(made) == plain(original)
    assert load(Tool, dump(made)) == original
    assert made.function() == original.function()
    assert frozen(made) == made


@given(objects)
def test_freezing_leaves_the_original_free(schema: dict[str, Any]) -> None:
    original = tool(schema)
    frozen(original)
    original.input_schema["new"] = 1
    original.takes.clear()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
@given(schema=objects)
def test_a_copy_is_plain_all_through(copied: Callable[[Any], Any], schema: dict[str, Any]) -> None:
    made = copied(frozen(tool(schema)))
    assert made == tool(schema)
    assert {type(part) for part in parts(made)} <= {dict, list}
    made.input_schema["new"] = 1


def test_a_frozen_schema_judges_as_the_plain_one() -> None:
    schema = frozen(tool({"type": "object", "required": ["x"], "properties": {"x": {"enum": [["a"], 2]}}})).input_schema
    assert [fits(schema, value) for value in ({"x": ["a"]}, {"x": 2}, {"x": "a"}, {})] == [True, True, False, False]


RECORDS: set[type[Any]] = {
    record
    for module in pkgutil.iter_modules(world.__path__, f"{world.__name__}.")
    for record in vars(importlib.import_module(module.name)).values()
    if isinstance(record, type) and dataclasses.is_dataclass(record)
}
"""What the modules of world/ make of dataclasses, and what they use of others."""


@pytest.mark.parametrize("record", sorted(RECORDS, key=str))
def test_no_record_that_sessions_and_threads_share_can_be_changed(record: type[Any]) -> None:
    made = object.__new__(record)
    for field in dataclasses.fields(record):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(made, field.name, None)


@pytest.mark.parametrize("tools", [shop.tools, LocalSession(shop, 1).tools])
def test_the_tools_of_a_server_and_of_its_sessions_cannot_be_changed(tools: tuple[Tool, ...]) -> None:
    for published in (*tools, shop.tool("buy"), tool_from_wire(json.loads(json.dumps(tool_to_wire(tools[0]))))):
        for part in parts(published):
            with pytest.raises(TypeError):
                part.clear()
