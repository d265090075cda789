"""schema.sql: what its marks say, and what no world may have."""

import apsw
import pytest

from proverl.errors import DefinitionError
from proverl.world.domain import Entity
from proverl.world.schema import Schema
from support.shop import server as shop

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
        ("CREATE TABLE b (\n  x TEXT NOT NULL,\n  PRIMARY KEY (x) -- @idd\n);", "@idd on b.PRIMARY is none of"),
        ("CREATE TABLE b (\n  x TEXT -- @idd\n);", "table b needs a PRIMARY KEY of NOT NULL columns"),
        ("CREATE TABLE b (\n  x TEXT NOT NULL,\n  PRIMARY KEY (x) -- @id\n);", "PRIMARY, which is no column of b"),
        ('CREATE TABLE "b" (\n  x TEXT NOT NULL PRIMARY KEY\n);', "with a plain name"),
        ("CREATE TABLE IF NOT EXISTS b (\n  x TEXT NOT NULL PRIMARY KEY\n);", "with a plain name"),
        (
            'CREATE TABLE "c" (\n  x TEXT PRIMARY KEY\n);CREATE TABLE "b" (\n  x TEXT NOT NULL PRIMARY KEY\n);',
            "TABLE b",
        ),
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


def test_a_view_may_say_with_and_name_columns():
    sql = "CREATE VIEW v AS WITH few AS (SELECT a_id FROM a) SELECT a_id AS x FROM few;"
    assert set(Schema(GOOD + sql).tables) == {"a", "world_clock", "world_counter", "world_secret"}


def test_a_view_may_not_look_at_the_wall_clock():
    with pytest.raises(DefinitionError, match=r"'now'.*world\.now"):
        Schema(GOOD + "CREATE VIEW v AS SELECT datetime('now') AS x;")


def test_a_parent_is_referred_to_by_its_primary_key_since_changesets_follow_nothing_else():
    parent = "CREATE TABLE p (\n  x TEXT NOT NULL, y TEXT NOT NULL, z TEXT UNIQUE,\n  PRIMARY KEY (x, y)\n);\n"
    child = "CREATE TABLE c (\n  c_id TEXT NOT NULL PRIMARY KEY,\n  x TEXT,\n  y TEXT,\n  {}\n);"
    for good in ("FOREIGN KEY (x, y) REFERENCES p", "FOREIGN KEY (y, x) REFERENCES p (y, x)"):
        assert Schema(parent + child.format(good)).tables["c"].refers == {"x": "p", "y": "p"}
    with pytest.raises(DefinitionError, match=r"c\.x refers to p\.z, which is no primary key"):
        Schema(parent + child.format("FOREIGN KEY (x) REFERENCES p (z) ON UPDATE CASCADE"))


def test_the_columns_of_a_key_stand_in_the_order_of_the_key() -> None:
    schema = Schema("CREATE TABLE p (\n  x TEXT NOT NULL,\n  y TEXT NOT NULL,\n  z TEXT,\n  PRIMARY KEY (y, x)\n);")
    assert (schema.tables["p"].key, schema.tables["p"].columns) == (("y", "x"), ("x", "y", "z"))


def test_every_table_stands_after_those_that_it_refers_to():
    tables = {"e": "ac", "d": "e", "c": "b", "b": "", "a": "b"}
    sql = ""
    for name, parents in tables.items():
        columns = "".join(f",\n  {one} TEXT REFERENCES {one}" for one in parents)
        sql += f"CREATE TABLE {name} (\n  {name}_id TEXT NOT NULL PRIMARY KEY{columns}\n);\n"
    schema = Schema(sql)
    assert list(schema.tables) == sorted(schema.tables)
    assert sorted(schema.order) == sorted(schema.tables)
    for name, parents in tables.items():
        assert all(schema.order.index(one) < schema.order.index(name) for one in parents)
    circle = "CREATE TABLE {} (\n  x TEXT NOT NULL PRIMARY KEY,\n  y TEXT REFERENCES {}\n);"
    assert {"p", "q"} <= set(Schema(circle.format("p", "q") + "\n" + circle.format("q", "p")).order)


def test_marks_are_read_from_the_lines_of_the_columns():
    sql = "CREATE TABLE b ( -- @free\n  b_id TEXT NOT NULL PRIMARY KEY, -- @id the key\n  x TEXT REFERENCES a -- x\n);"
    table = Schema(GOOD + sql).tables["b"]
    assert table.marks == {"b_id": "id", "x": "free"}
    assert (table.key, table.columns, table.refers) == (("b_id",), ("b_id", "x"), {"x": "a"})


def test_an_entity_that_does_not_fit_the_schema_is_no_entity_of_a_server() -> None:
    for entity, why in (
        (Entity("thing", "thi"), "no table thing"),
        (Entity("item", "ite", key="name"), "primary key of item"),
        (Entity("item", "ite", view="nowhere"), "nowhere"),
        (Entity("item", "ite", order="colour"), "colour"),
        (Entity("purchase_line", "pli"), "primary key of purchase_line"),
    ):
        with pytest.raises(DefinitionError, match=why):
            shop.schema.check_entity(entity)


def test_an_entity_may_have_a_view_and_an_order_of_it_or_be_a_word_of_its_own():
    schema = Schema(GOOD + "CREATE VIEW a_now AS SELECT a_id, a_id || '!' AS loud FROM a;")
    for entity in (Entity("a", "a"), Entity("a", view="a_now", order="loud DESC, a_id"), Entity("path")):
        schema.check_entity(entity)
    with pytest.raises(DefinitionError, match=r"its view is a_now, its order quiet"):
        schema.check_entity(Entity("a", "a", view="a_now", order="quiet"))
    with pytest.raises(DefinitionError, match=r"primary key of a is \('a_id',\), not b_id"):
        schema.check_entity(Entity("b", table="a"))


def test_create_makes_the_tables_of_the_framework_and_of_the_domain():
    connection = apsw.Connection(":memory:")
    schema = Schema(GOOD)
    schema.create(connection)
    connection.execute("INSERT INTO world_clock VALUES (1, 86399, '-07:00')")
    found = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    assert [name for (name,) in found] == list(schema.tables)
    assert connection.execute("SELECT * FROM world_now").fetchall() == [("1970-01-01", "1970-01-01T23:59:59-07:00")]


def test_the_marks_of_the_framework_leave_out_what_two_right_runs_may_differ_in():
    tables = Schema(GOOD).tables
    assert tables["world_clock"].marks == {"clock_id": "id", "now": "clock"}
    assert tables["world_counter"].marks == {"prefix": "id", "value": "counter"}
