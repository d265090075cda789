"""Tools and servers: what a signature becomes, and every mistake that ends at import with a clear error."""

from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, NotRequired

import jsonschema_rs
import pytest

from proverl.errors import BadSeed, DefinitionError, UnknownTool
from proverl.world.domain import FREE, SECRET, Entity, Field, Server, TypedDict, World, tool
from proverl.world.schema import Schema
from support import shop
from support.shop import tools as shop_tools


class Address(TypedDict):
    street: str
    flat: NotRequired[int]


class Row(TypedDict):
    row_id: Annotated[str, Entity("row")]
    owner: Annotated[str, Entity("person")] | None


class Result(TypedDict):
    first: Annotated[str, Entity("row")]
    rows: list[Row]
    others: list[Annotated[str, Entity("row")]]


@tool("write", refusals="no_room wrong_pin", after="other", idempotent=True)
def example(
    world: World,
    row_id: Annotated[str, Entity("row")],
    size: Literal["small", "large"],
    friends: Annotated[list[Annotated[str, Entity("person")]], Field(max_length=3)],
    address: Address | None = None,
    pin: Annotated[str | None, SECRET] = None,
    note: Annotated[str, FREE] = "",
    count: Annotated[int, Field(ge=1, le=9)] = 1,
) -> Result:
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


RECORD = example.__dict__["__tool__"].tool


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
    assert RECORD.name == "example"
    assert RECORD.description == "Do a thing. It has two lines."
    assert (RECORD.effect, RECORD.idempotent, RECORD.after) == ("write", True, ("other",))
    assert RECORD.takes == {"row_id": "row", "friends": "person"}
    assert RECORD.gives == {"first": "row", "rows[].row_id": "row", "rows[].owner": "person", "others[]": "row"}
    assert (RECORD.secret, RECORD.free, RECORD.refusals) == (("pin",), ("note",), ("no_room", "wrong_pin"))


def undescribed(world: World, name: str) -> Row:
    """Do it."""
    raise NotImplementedError


def untyped(world: World, name) -> Row:  # type: ignore[no-untyped-def]
    """Do it.

    Args:
        name: a name
    """
    raise NotImplementedError


def silent(world: World) -> Row:
    raise NotImplementedError


def no_result(world: World) -> dict[str, Any]:
    """Do it."""
    raise NotImplementedError


def too_much(world: World) -> Row:
    """Do it.

    Args:
        name: a name
    """
    raise NotImplementedError


def no_world(name: str) -> Row:
    """Do it.

    Args:
        name: a name
    """
    raise NotImplementedError


def nothing() -> Row:
    """Do it."""
    raise NotImplementedError


def many(world: World, *names: str) -> Row:
    """Do it.

    Args:
        names: names
    """
    raise NotImplementedError


def camelCase(world: World) -> Row:
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


GOOD = "CREATE TABLE a (\n  a_id TEXT NOT NULL PRIMARY KEY\n);\n"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("CREATE TABLE b (\n  x TEXT\n);", "table b needs a PRIMARY KEY of NOT NULL columns"),
        ("CREATE TABLE b (\n  x TEXT PRIMARY KEY\n);", "table b needs a PRIMARY KEY of NOT NULL columns"),
        ("CREATE TABLE b (\n  x INTEGER PRIMARY KEY\n);", "table b needs a PRIMARY KEY of NOT NULL columns"),
        ("CREATE TABLE b (\n  x TEXT NOT NULL, y TEXT, PRIMARY KEY (x, y)\n);", "table b needs a PRIMARY KEY"),
        ("CREATE TABLE b (\n  x INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT\n);", "use world.new_id"),
        ("CREATE VIRTUAL TABLE b USING fts5(x);", "virtual table"),
        ("create virtual\n table b USING fts5(x);", "virtual table"),
        ("CREATE TEMP TABLE b (\n x TEXT NOT NULL PRIMARY KEY\n);", "temporary"),
        ("CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; END;", "trigger"),
        ("CREATE TABLE b (\n x INTEGER NOT NULL PRIMARY KEY, y INTEGER GENERATED ALWAYS AS (x)\n);", "generated"),
        ("CREATE TABLE b (\n x INTEGER NOT NULL PRIMARY KEY, y INTEGER AS (x)\n);", "generated"),
        ("CREATE TABLE b (\n x TEXT NOT NULL PRIMARY KEY ON CONFLICT REPLACE\n);", "ON CONFLICT"),
        ("CREATE TABLE b (\n x TEXT NOT NULL PRIMARY KEY, y TEXT DEFAULT CURRENT_TIMESTAMP\n);", "world.now"),
        ("CREATE TABLE b (\n x TEXT NOT NULL PRIMARY KEY, y TEXT DEFAULT (datetime('now'))\n);", "world.now"),
        ("CREATE TABLE b (\n x TEXT NOT NULL PRIMARY KEY, y INTEGER DEFAULT (random())\n);", "world.random"),
        ("CREATE TABLE b (\n x TEXT NOT NULL PRIMARY KEY, y BLOB\n);", "not JSON"),
        ("CREATE TABLE b (\n x TEXT NOT NULL PRIMARY KEY REFERENCES c (y)\n);", "b.x refers to c, which is no table"),
        ("CREATE TABLE b (\n  x TEXT NOT NULL PRIMARY KEY -- @idd\n);", "@idd on b.x is none of"),
        ("CREATE TABLE b (\n  x TEXT NOT NULL,\n  PRIMARY KEY (x) -- @id\n);", "PRIMARY, which is no column of b"),
        ('CREATE TABLE "b" (\n  x TEXT NOT NULL PRIMARY KEY\n);', "with a plain name"),
        ("CREATE TABLE IF NOT EXISTS b (\n  x TEXT NOT NULL PRIMARY KEY\n);", "with a plain name"),
        ("CREATE TABLE b (", "incomplete input"),
        ("CREATE TABLE world_clock (\n x TEXT NOT NULL PRIMARY KEY\n);", "already exists"),
    ],
)
def test_a_schema_that_changesets_cannot_follow_or_that_differs_between_runs_is_refused(sql, message):
    Schema(GOOD)
    with pytest.raises(DefinitionError, match=f"(?s)schema.sql.*{message}"):
        Schema(GOOD + sql)


def test_forbidden_words_in_comments_are_no_fault():
    Schema(GOOD + "-- no AUTOINCREMENT, no BLOB, 'now'\n/* CREATE TRIGGER */")


def test_marks_are_read_from_the_lines_of_the_columns():
    sql = "CREATE TABLE b ( -- @free\n  b_id TEXT NOT NULL PRIMARY KEY, -- @id the key\n  x TEXT REFERENCES a -- x\n);"
    table = Schema(GOOD + sql).tables["b"]
    assert table.marks == {"b_id": "id", "x": "free"}
    assert (table.key, table.columns, table.refers) == (("b_id",), ("b_id", "x"), {"x": "a"})


def make(*modules: ModuleType, folder: Any = None, **changes: Any) -> Server:
    given = {
        "package": folder or shop.__name__,
        "category": "Test",
        "about": "A shop.",
        "tools": list(modules) or [shop_tools],
        "seed": shop.build,
        "discovery": ["list_customers"],
        "tick": timedelta(minutes=1),
    }
    return Server("shop", **{**given, **changes})


def module(**functions: Any) -> ModuleType:
    made = ModuleType(__name__)
    vars(made).update(functions)
    return made


def test_a_schema_fault_ends_the_making_of_the_server_before_any_world(tmp_path: Path):
    (tmp_path / "schema.sql").write_text("CREATE TABLE b (\n  x TEXT\n);")
    with pytest.raises(DefinitionError, match="table b"):
        make(folder=tmp_path)


def test_discovery_and_after_must_name_tools():
    with pytest.raises(DefinitionError, match=r"discovery names \['nope'\]"):
        make(discovery=["nope"])
    with pytest.raises(DefinitionError, match=r"example comes after \['other'\]"):
        make(shop_tools, module(example=example))


def test_two_tools_of_one_name_are_refused():
    first, second = module(example=example), module(example=example)
    with pytest.raises(DefinitionError, match="two tools are called 'example'"):
        make(first, second)


def test_tools_stand_in_the_order_of_their_definition_and_know_their_server():
    assert [tool.name for tool in shop.server.tools][:4] == ["list_customers", "list_items", "buy", "cancel_purchase"]
    assert {tool.server for tool in shop.server.tools} == {"shop"}


def test_an_unknown_tool_is_answered_with_the_nearest_one():
    with pytest.raises(UnknownTool, match="did you mean 'list_items'"):
        shop.server.tool("list_item")


@pytest.mark.parametrize("seed", [-1, 2**53, 1.0, True, "1", None])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(BadSeed, match="an integer from 0"):
        shop.server.template(seed)


def test_a_world_is_built_once_per_seed_and_the_same_when_built_again():
    assert shop.server.template(3) is shop.server.template(3)
    assert make().template(3).blob == shop.server.template(3).blob
    digests = {shop.server.template(seed).digest for seed in (*range(20), 2**53 - 1)}
    assert len(digests) == 21
