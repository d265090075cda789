"""Comparable changes: two right runs give the same ones, and what matters is never left out."""

import re

import apsw
from hypothesis import given
from hypothesis import strategies as st

from proverl.records import Change
from proverl.world.schema import Schema
from proverl.world.state import Hot, Store, Template

SQL = """
CREATE TABLE person (
  person_id TEXT NOT NULL PRIMARY KEY,  -- @id
  name TEXT NOT NULL,
  met_at TEXT,                          -- @clock
  calls INTEGER NOT NULL DEFAULT 0,     -- @counter
  bio TEXT,                             -- @free
  best TEXT REFERENCES person (person_id)
);
CREATE TABLE note (
  note_id TEXT NOT NULL PRIMARY KEY,    -- @id
  person_id TEXT NOT NULL REFERENCES person (person_id) ON DELETE CASCADE,
  colour TEXT
);
CREATE TABLE member (
  club TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES person (person_id) ON DELETE CASCADE,
  role TEXT,
  PRIMARY KEY (club, person_id)
);
CREATE TABLE node (
  node_id TEXT NOT NULL PRIMARY KEY,    -- @id
  one TEXT REFERENCES node (node_id),
  other TEXT REFERENCES node (node_id)
);
CREATE TABLE duty (
  duty_id TEXT NOT NULL PRIMARY KEY,    -- @id
  club TEXT NOT NULL,
  person_id TEXT NOT NULL,
  FOREIGN KEY (club, person_id) REFERENCES member (club, person_id)
);
CREATE TABLE visit (                    -- @counter
  visit_id INTEGER NOT NULL PRIMARY KEY,
  number INTEGER
);
"""
SCHEMA = Schema(SQL)


def template() -> Template:
    connection = apsw.Connection(":memory:")
    SCHEMA.create(connection)
    connection.execute("INSERT INTO world_clock VALUES (1, 0, '+00:00'); INSERT INTO world_counter VALUES ('per', 5)")
    connection.execute("INSERT INTO person VALUES ('per_1', 'Ann', 't', 0, 'hi', NULL)")
    connection.execute("INSERT INTO note VALUES ('not_1', 'per_1', 'red')")
    return Template(SCHEMA, connection.serialize("main"))


TEMPLATE = template()


def after(*calls: str, store: Store | None = None) -> Store:
    store = store or Store(TEMPLATE)
    for call in calls:
        with store.transaction():
            for sql in call.split(";"):
                store.write(sql, ())
    return store


def test_an_update_names_its_row_and_holds_only_the_columns_that_changed():
    store = after("UPDATE person SET name = 'Ana' WHERE person_id = 'per_1'")
    assert store.changes() == (Change("person", "update", '"per_1"', (("name", "Ana"),)),)


def test_an_update_of_ids_clocks_and_counters_alone_is_no_change():
    assert after("UPDATE person SET met_at = 'u', calls = 7").changes() == ()
    assert after("UPDATE world_clock SET now = 60", "UPDATE world_counter SET value = 6").changes() == ()


def test_free_text_is_kept_apart_from_the_values():
    (change,) = after("UPDATE person SET bio = 'something else'").changes()
    assert (change.values, change.free) == ((), (("bio", "something else"),))


def test_a_new_row_has_no_key_and_neither_id_nor_time():
    (change,) = after("INSERT INTO person VALUES ('per_9', 'Bob', 'now', 3, 'text', 'per_1')").changes()
    assert change == Change("person", "insert", "", (("best", "per_1"), ("name", "Bob")), (("bio", "text"),))


def test_a_deleted_row_is_named_by_its_key_and_takes_its_children_along():
    deleted = after("DELETE FROM person").changes()
    assert [(change.table, change.op, change.key) for change in deleted] == [
        ("note", "delete", '"not_1"'),
        ("person", "delete", '"per_1"'),
    ]


def test_a_row_that_comes_and_goes_is_no_change():
    store = after("INSERT INTO note VALUES ('n', 'per_1', 'blue')", "DELETE FROM note WHERE note_id = 'n'")
    assert store.changes() == ()


@given(st.permutations(["per_8", "per_3", "per_5"]), st.permutations([0, 1, 2]), st.booleans())
def test_the_order_in_which_ids_are_given_out_does_not_matter(ids, order, evicted):
    """Three people with a note and a membership each, made in any order under any ids."""

    def make(ids: list[str], order: list[int]) -> Store:
        store = Store(TEMPLATE, hot=Hot())
        for place in order:
            one, name = ids[place], "abc"[place]
            after(f"INSERT INTO person VALUES ('{one}', '{name}', 'x', {place}, NULL, 'per_1')", store=store)
            after(f"INSERT INTO note VALUES ('n{one}', '{one}', 'c{name}')", store=store)
            after(f"INSERT INTO member VALUES ('chess', '{one}', '{name}')", store=store)
        return store

    reference, other = make(["per_2", "per_4", "per_6"], [0, 1, 2]), make(list(ids), list(order))
    if evicted:
        assert other.try_evict()
    assert reference.changes() == other.changes()
    assert reference.digest() != other.digest()


def test_a_reference_tells_new_rows_of_different_content_apart():
    people = "INSERT INTO person VALUES ('p2', 'Bob', '', 0, '', NULL), ('p3', 'Cid', '', 0, '', NULL)"
    assert (
        after(people, "INSERT INTO note VALUES ('n', 'p2', 'red')").changes()
        != after(people, "INSERT INTO note VALUES ('n', 'p3', 'red')").changes()
    )


def test_the_wording_of_free_text_does_not_change_the_name_of_a_row():
    def make(bio: str) -> tuple[Change, ...]:
        return after(
            f"INSERT INTO person VALUES ('p2', 'Bob', '', 0, {bio}, NULL)", "INSERT INTO note VALUES ('n', 'p2', 'red')"
        ).changes()

    assert make("'one'")[0] == make("'two'")[0]
    assert make("'one'")[0].table == "note"
    assert make("'one'")[0] != make("NULL")[0]


@given(st.permutations(["a", "b", "c"]))
def test_rows_that_refer_to_each_other_in_a_circle_have_names_that_do_not_depend_on_ids(ids):
    """Three new people, each the best friend of the next, in a circle; notes hang on each."""
    store = Store(TEMPLATE)
    for one, name in zip(ids, "xyz", strict=True):
        after(f"INSERT INTO person VALUES ('{one}', '{name}', '', 0, '', NULL)", store=store)
    for place, one in enumerate(ids):
        after(f"UPDATE person SET best = '{ids[(place + 1) % 3]}' WHERE person_id = '{one}'", store=store)
        after(f"INSERT INTO note VALUES ('n{one}', '{one}', 'c')", store=store)
    notes = [change for change in store.changes() if change.table == "note"]
    assert len({change.values for change in notes}) == 3
    if list(ids) == ["a", "b", "c"]:
        return
    again = Store(TEMPLATE)
    for one, name in zip("abc", "xyz", strict=True):
        after(f"INSERT INTO person VALUES ('{one}', '{name}', '', 0, '', NULL)", store=again)
    for one, best in ("ab", "bc", "ca"):
        after(f"UPDATE person SET best = '{best}' WHERE person_id = '{one}'", store=again)
        after(f"INSERT INTO note VALUES ('n{one}', '{one}', 'c')", store=again)
    assert again.changes() == store.changes()


@given(
    st.lists(st.tuples(st.none() | st.integers(0, 3), st.none() | st.integers(0, 3)), min_size=4, max_size=4), st.data()
)
def test_new_rows_are_named_by_what_they_refer_to_in_whatever_circles_and_not_by_their_ids(ways, data):
    def make(ids: list[str]) -> tuple[Change, ...]:
        rows = ", ".join(f"('{one}', NULL, NULL)" for one in ids)
        store = after(f"INSERT INTO node VALUES {rows}")
        for one, way in zip(ids, ways, strict=True):
            first, second = ("NULL" if to is None else f"'{ids[to]}'" for to in way)
            after(f"UPDATE node SET one = {first}, other = {second} WHERE node_id = '{one}'", store=store)
        return store.changes()

    made = make(list("abcd"))
    assert make(data.draw(st.permutations("abcd"))) == made
    named = [value for change in made for _, value in change.values if value is not None]
    assert all(re.fullmatch("@node(:[0-9a-f]{12})?", value) for value in named)


def test_a_row_made_in_an_earlier_turn_keeps_one_name_whatever_its_id():
    def turns(one: str) -> tuple[Change, ...]:
        store = after(f"INSERT INTO person VALUES ('{one}', 'Bob', '', 0, 'text', NULL)")
        since = store.snapshot()
        after(
            f"UPDATE person SET name = 'Rob' WHERE person_id = '{one}'",
            f"INSERT INTO note VALUES ('n', '{one}', 'red')",
            f"INSERT INTO member VALUES ('chess', '{one}', 'x')",
            store=store,
        )
        return store.changes(since)

    first, second = turns("per_7"), turns("per_3")
    assert first == second
    assert [(change.table, change.op) for change in first] == [
        ("member", "insert"),
        ("note", "insert"),
        ("person", "update"),
    ]
    key = dict(first[1].values)["person_id"]
    assert key.startswith("@person:")
    assert first[2].key == f'"{key}"'
    assert first[2].values == (("name", "Rob"),)


def test_an_update_of_a_row_with_a_key_of_two_columns_is_named_by_both():
    def turns(one: str) -> tuple[Change, ...]:
        store = after(f"INSERT INTO person VALUES ('{one}', 'Bob', '', 0, '', NULL)")
        after(f"INSERT INTO member VALUES ('c', '{one}', 'x')", store=store)
        since = store.snapshot()
        return after("UPDATE member SET role = 'chair'", store=store).changes(since)

    assert turns("a") == turns("b")
    assert turns("a")[0].key.startswith('["c", "@person:')


def test_a_long_chain_of_new_rows_is_named_in_no_time():
    """Each of 60 rows refers to the one before it twice: without remembering names that is 2**60 of them."""

    def chain(prefix: str) -> tuple[Change, ...]:
        rows = [
            f"('{prefix}0', NULL, NULL)",
            *(f"('{prefix}{n + 1}', '{prefix}{n}', '{prefix}{n}')" for n in range(60)),
        ]
        return after(f"INSERT INTO node VALUES {', '.join(rows)}").changes()

    assert chain("a") == chain("b")
    assert len({change.values for change in chain("a")}) == 61


def test_a_reference_by_two_columns_holds_their_values():
    store = after("INSERT INTO member VALUES ('chess', 'per_1', 'x'); INSERT INTO duty VALUES ('d', 'chess', 'per_1')")
    duty, member = store.changes()
    assert duty == Change("duty", "insert", "", (("club", "chess"), ("person_id", "per_1")))
    assert member == Change("member", "insert", "", (("club", "chess"), ("person_id", "per_1"), ("role", "x")))


def test_a_row_deleted_in_a_later_turn_is_named_as_it_was_made():
    def turns(one: str) -> tuple[Change, ...]:
        store = after(f"INSERT INTO person VALUES ('{one}', 'Bob', '', 0, '', NULL)")
        since = store.snapshot()
        return after(f"DELETE FROM person WHERE person_id = '{one}'", store=store).changes(since)

    (change,) = turns("a")
    assert (change,) == turns("b")
    assert change.op == "delete"
    assert change.key.startswith('"@person:')


def test_changes_since_a_snapshot_leave_out_what_was_done_before_and_see_what_was_undone():
    store = after("UPDATE person SET name = 'Ana'")
    since = store.snapshot()
    assert store.changes(since) == ()
    after("UPDATE person SET name = 'Ann'", store=store)
    assert store.changes() == ()
    assert store.changes(since) == (Change("person", "update", '"per_1"', (("name", "Ann"),)),)


def test_a_mark_on_a_table_goes_for_all_its_columns():
    assert after("INSERT INTO visit VALUES (1, 2)").changes() == (Change("visit", "insert", ""),)
    assert after("INSERT INTO visit VALUES (1, 2)").changes() == after("INSERT INTO visit VALUES (5, 3)").changes()
