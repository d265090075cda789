"""The world as a tool's body sees it: finding, lists, pages, changes, against the same worked out over plain rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, timedelta, timezone
from typing import Annotated, Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import Refused
from proverl.world.domain import Entity, TypedDict, World, folded, phrase, shown, words
from proverl.world.refusals import noting
from proverl.world.schema import Schema
from proverl.world.session import LocalSession
from proverl.world.state import Store, Template
from support.shop import server as shop
from support.shop.tools import ITEM


class Row(TypedDict):
    item_id: Annotated[str, ITEM]
    stock: int


@pytest.fixture
def world() -> Iterator[World]:
    session = LocalSession(shop, 5)
    with session.store.transaction():
        yield World(session.store, shop.offset)


ITEMS = [
    dict(zip(("item_id", "name", "price", "stock"), row, strict=True))
    for row in LocalSession(shop, 5).store.connection().execute("SELECT * FROM item ORDER BY item_id")
]


def test_an_id_that_was_left_out_finds_nothing_and_refuses_nothing(world: World) -> None:
    assert world.find(ITEM, None) is None


def test_an_id_that_does_not_exist_is_refused_with_the_entitys_code_and_the_tool_that_shows_ids(world: World) -> None:
    with pytest.raises(Refused, match="no item 'item_0'; list_items shows the ids") as caught:
        world.find(ITEM, "item_0")
    assert caught.value.code == "item_not_found"


def test_rows_have_the_fields_of_their_type_in_the_order_of_the_entity(world: World) -> None:
    assert world.rows(Row, ITEM) == [{"item_id": row["item_id"], "stock": row["stock"]} for row in ITEMS]
    by_stock = sorted(ITEMS, key=lambda row: (-row["stock"], row["item_id"]))
    expected = [row["item_id"] for row in by_stock]
    assert [row["item_id"] for row in world.rows(Row, ITEM, order="stock DESC, item_id")] == expected


@given(least=st.none() | st.integers(0, 20), price=st.none() | st.sampled_from([row["price"] for row in ITEMS]))
def test_a_condition_without_value_is_left_out_and_the_others_all_hold(least: int | None, price: int | None) -> None:
    session = LocalSession(shop, 5)
    here = World(session.store, shop.offset)
    found = here.rows(Row, ITEM, "stock < 15", ("stock >= ?", least), price=price)
    right = [
        row["item_id"]
        for row in ITEMS
        if row["stock"] < 15 and (least is None or row["stock"] >= least) and (price is None or row["price"] == price)
    ]
    assert [row["item_id"] for row in found] == right
    assert here.count(ITEM, "stock < 15", ("stock >= ?", least), price=price) == len(right)


@given(page=st.integers(1, 40), limit=st.integers(1, 40), least=st.none() | st.integers(0, 25))
def test_pages_follow_each_other_without_gap_and_the_last_one_has_no_next(
    page: int, limit: int, least: int | None
) -> None:
    session = LocalSession(shop, 5)
    found = World(session.store, shop.offset).page(Row, ITEM, page, limit, ("stock >= ?", least))
    right = [row["item_id"] for row in ITEMS if least is None or row["stock"] >= least]
    assert found.count == len(right)
    assert [row["item_id"] for row in found.rows] == right[(page - 1) * limit : page * limit]
    assert found.next_page == (page + 1 if page * limit < len(right) else None)


def test_a_result_takes_its_fields_from_the_row_but_for_those_that_are_given() -> None:
    row = {"item_id": "item_1", "stock": 3, "price": 9}
    assert shown(Row, row) == {"item_id": "item_1", "stock": 3}
    assert shown(Row, row, stock=0) == {"item_id": "item_1", "stock": 0}
    assert shown(Row, {"item_id": "x"}, stock=7) == {"item_id": "x", "stock": 7}
    assert list(shown(Row, {"stock": 1, "item_id": "x"})) == ["item_id", "stock"]
    with pytest.raises(KeyError, match="stock"):
        shown(Row, {"item_id": "x"})


def test_adding_gives_a_new_id_and_updating_changes_that_row_only(world: World) -> None:
    before = world.rows(Row, ITEM)
    key = world.add(ITEM, name="new", price=1, stock=1)
    assert key not in {row["item_id"] for row in before}
    world.update(ITEM, key, stock=8)
    assert world.find(ITEM, key)["stock"] == 8
    assert [row for row in world.rows(Row, ITEM) if row["item_id"] != key] == before
    with pytest.raises(LookupError, match="0 rows"):
        world.update(ITEM, "item_0", stock=1)
    line = Entity("purchase_line", "pli", key="item_id")  # half of a primary key; no server could have it
    customer = world.value("SELECT min(customer_id) FROM customer")
    for purchase in "ab":
        world.insert("purchase", purchase_id=purchase, customer_id=customer, placed_at="")
        world.insert("purchase_line", purchase_id=purchase, item_id=key, quantity=1)
    with pytest.raises(LookupError, match="2 rows"):
        world.update(line, key, quantity=2)


def test_an_id_is_found_with_every_column_of_the_view(world: World) -> None:
    for row in ITEMS:
        assert world.find(ITEM, row["item_id"]) == row
        view = Entity("item", view="(SELECT item_id, price + 1 AS more FROM item)")
        assert world.find(view, row["item_id"]) == {"item_id": row["item_id"], "more": row["price"] + 1}


@pytest.mark.parametrize(
    ("entity", "message"),
    [
        (Entity("item"), "no item 'x'"),
        (Entity("item", lister="list_items"), "no item 'x'; list_items shows the ids"),
        (Entity("lost_item", table="item", key="item_id"), "no lost item 'x'"),
    ],
)
def test_what_does_not_exist_is_named_and_the_tool_that_shows_ids_if_there_is_one(
    world: World, entity: Entity, message: str
) -> None:
    for find in (world.find, world.absent):
        with pytest.raises(Refused) as caught:
            find(entity, "x")
        assert (caught.value.code, caught.value.message) == (f"{entity.name}_not_found", message)


def test_where_a_law_listens_the_search_goes_on_only_with_somebody_who_finds_another_row(world: World) -> None:
    with noting() as noted, pytest.raises(LookupError):
        world.find(ITEM, "x")
    assert [refused.code for refused in noted] == ["item_not_found"]


def test_the_nth_row_is_that_of_the_entitys_order_until_there_is_none(world: World) -> None:
    by_price = sorted(ITEMS, key=lambda row: (-row["price"], row["item_id"]))
    entity = Entity("item", order="price DESC, item_id")
    assert [world.nth(entity, place) for place in range(len(ITEMS) + 2)] == [*by_price, None, None]


def test_pages_may_have_an_order_of_their_own_and_equal_columns(world: World) -> None:
    price = ITEMS[3]["price"]
    found = world.page(Row, ITEM, 1, 3, order="stock, item_id")
    assert [row["item_id"] for row in found.rows] == [
        row["item_id"] for row in sorted(ITEMS, key=lambda row: (row["stock"], row["item_id"]))[:3]
    ]
    same = world.page(Row, ITEM, 1, 50, price=price)
    right = [row["item_id"] for row in ITEMS if row["price"] == price]
    assert ([row["item_id"] for row in same.rows], same.count, same.next_page) == (right, len(right), None)


Words = TypedDict("Words", {"order": int, "group": str})


class Coloured(TypedDict):
    colour: str


def test_columns_may_be_words_of_sql_and_are_never_taken_for_texts() -> None:
    connection = apsw.Connection(":memory:")
    schema = Schema(
        'CREATE TABLE thing (\n  thing_id TEXT NOT NULL PRIMARY KEY,\n  "group" TEXT,\n  "order" INTEGER\n);'
    )
    schema.create(connection)
    connection.execute("INSERT INTO world_clock VALUES (1, 0, '+00:00'); INSERT INTO world_counter VALUES ('thi', 9)")
    store = Store(Template(schema, connection.serialize("main")))
    thing, here = Entity("thing", "thi"), World(store, UTC)
    with store.transaction():
        first = here.add(thing, group="a", order=1)
        here.insert("thing", thing_id="other", group="b", order=2)
        here.update(thing, first, group="c", order=3)
    assert first == "thi_0010"
    assert here.rows(Words, thing, order="thing_id DESC") == [{"order": 3, "group": "c"}, {"order": 2, "group": "b"}]
    assert here.count(thing, order=2) == here.count(thing, group="b") == 1
    for ask in (lambda: here.count(thing, colour="x"), lambda: here.rows(Coloured, thing)):
        with pytest.raises(apsw.SQLError, match="colour"):
            ask()


def test_queries_give_rows_the_first_row_and_the_first_value(world: World) -> None:
    sql = "SELECT stock, item_id FROM item WHERE price >= ? ORDER BY item_id"
    right = [{"stock": row["stock"], "item_id": row["item_id"]} for row in ITEMS if row["price"] >= 50]
    assert world.all(sql, 50) == right
    assert [list(row) for row in world.all(sql, 50)] == [["stock", "item_id"]] * len(right)
    assert (world.one(sql, 50), world.value(sql, 50)) == (right[0], right[0]["stock"])
    assert (world.all(sql, 1000), world.one(sql, 1000), world.value(sql, 1000)) == ([], None, None)


def test_a_secret_is_known_to_tools_and_one_that_is_not_there_is_a_fault(world: World) -> None:
    assert world.secret("pin") == LocalSession(shop, 5).secrets()["pin"]
    with pytest.raises(KeyError, match="no secret 'pen'"):
        world.secret("pen")


def test_the_time_of_a_call_stands_still_until_the_framework_moves_it_on(world: World) -> None:
    start = world.now
    assert start.utcoffset() == shop.offset.utcoffset(None)
    assert (world.moment, world.today) == (start.isoformat(), start.date().isoformat())
    world.run("UPDATE world_clock SET now = now + 5")
    assert world.now == start
    world.advance(timedelta(minutes=2))
    assert world.now == start + timedelta(seconds=125)
    world.advance(timedelta(hours=23, seconds=0.6))
    assert world.now == start + timedelta(hours=23, seconds=126)
    assert (world.moment, world.today) == (world.now.isoformat(), world.now.date().isoformat())
    assert World(LocalSession(shop, 5).store, timezone(timedelta(hours=-7))).moment.endswith("-07:00")


def test_running_says_how_many_rows_were_touched(world: World) -> None:
    assert world.run("UPDATE item SET stock = ? WHERE price >= ?", 3, 50) == sum(row["price"] >= 50 for row in ITEMS)
    assert world.run("DELETE FROM item WHERE item_id = 'x'") == 0
    assert {row["stock"] for row in world.all("SELECT stock FROM item WHERE price >= 50 ORDER BY 1")} == {3}


def test_ids_count_on_from_the_last_one_and_have_four_digits_at_least(world: World) -> None:
    world.run("UPDATE world_counter SET value = 9998 WHERE prefix = 'item'")
    before = world.value("SELECT value FROM world_counter WHERE prefix = 'cus'")
    assert [world.new_id(ITEM) for _ in range(2)] == ["item_9999", "item_10000"]
    world.run("UPDATE world_counter SET value = 6 WHERE prefix = 'item'")
    assert world.new_id(ITEM) == "item_0007"
    assert world.value("SELECT value FROM world_counter WHERE prefix = 'cus'") == before


def test_what_arguments_stand_for_is_noted_by_argument(world: World) -> None:
    assert world.resolved == {}
    world.resolves("path", "/a")
    world.resolves("other", [1])
    world.resolves("path", "/b")
    assert world.resolved == {"path": "/b", "other": [1]}


@pytest.mark.parametrize(
    "sql", ["SELECT 1", "  select 1", "\nVALUES (1)", "with a as (select 1) select * from a", "SELECT 'UPDATE'"]
)
def test_a_reading_method_takes_queries(world: World, sql: str) -> None:
    assert len(world.all(sql)) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE item SET stock = 1",
        "DELETE FROM item",
        " insert into item values ('a', 'b', 1, 1)",
        "WITH a AS (SELECT 1) DELETE FROM item",
        "WITH a AS (SELECT 1)\nUPDATE item SET stock = 1",
        "SELECTED",
        "REPLACE INTO item VALUES ('a', 'b', 1, 1)",
    ],
)
def test_a_reading_method_refuses_what_nobody_would_take_back(world: World, sql: str) -> None:
    for read in (world.all, world.one, world.value):
        for _ in range(2):
            with pytest.raises(RuntimeError, match=rf"^{sql.split()[0]} in a reading method; use world\.run$"):
                read(sql)


def test_texts_are_folded_one_a_line_without_case_and_without_those_that_are_missing() -> None:
    assert folded("Zoë STRASSE", None, "", "straße") == "zoë strasse\nstrasse"
    assert folded() == folded(None) == ""


def test_an_entity_whose_ids_no_tool_knows_has_no_counter(world: World) -> None:
    with pytest.raises(KeyError, match="no counter for ghost"):
        world.new_id(Entity("ghost", "gho"))


def matches(text: str, conditions: list[Any]) -> bool:
    """What SQLite's instr says of each condition, in Python."""
    return all(value in text for _, value in conditions if value is not None)


@pytest.mark.parametrize(
    ("text", "by_words", "as_phrase"),
    [
        ("harbor", True, True),
        ("BANK maple", True, False),
        ("Maple Street", True, True),
        ("dental\nharbor", True, False),
        ("street bank of", False, False),
        (None, True, True),
    ],
)
def test_words_stand_anywhere_and_a_phrase_in_one_text(text: str | None, by_words: bool, as_phrase: bool) -> None:
    held = folded("Maple Street Dental", None, "Harbor Bank")
    assert matches(held, list(words("x", text))) is by_words
    assert matches(held, [phrase("x", text)]) is as_phrase
