"""The world as a tool's body sees it: finding, lists, pages, changes, against the same worked out over plain rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import Refused
from proverl.world.domain import Entity, TypedDict, World, folded, phrase, shown, words
from proverl.world.session import LocalSession
from support.shop import server as shop
from support.shop.tools import CUSTOMER, ITEM


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
    for purchase in "ab":
        world.insert("purchase", purchase_id=purchase, customer_id=world.nth(CUSTOMER, 0)["customer_id"], placed_at="")
        world.insert("purchase_line", purchase_id=purchase, item_id=key, quantity=1)
    with pytest.raises(LookupError, match="2 rows"):
        world.update(line, key, quantity=2)


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
