"""The databases behind stores: how they come back from the cold, what is lost with one, what all of them have."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import apsw
import pytest

from proverl.errors import InfrastructureError
from proverl.world.schema import Schema
from proverl.world.state import Hot, Store, Template

# In order of their names children stand before their parents.
SCHEMA = Schema("""
CREATE TABLE town (
  town_id TEXT NOT NULL PRIMARY KEY,
  mayor TEXT UNIQUE
);
CREATE TABLE street (
  street_id TEXT NOT NULL PRIMARY KEY,
  town_id TEXT NOT NULL REFERENCES town (town_id) ON DELETE CASCADE,
  length INTEGER
);
CREATE TABLE house (
  street_id TEXT NOT NULL REFERENCES street (street_id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  colour TEXT,
  PRIMARY KEY (street_id, number)
);
""")
ROWS = """
INSERT INTO world_clock VALUES (1, 0, '+00:00');
INSERT INTO town VALUES ('t1', 'Ann'), ('t2', 'Bob'), ('t3', NULL);
INSERT INTO street VALUES ('s1', 't1', 5), ('s2', 't1', 6), ('s3', 't2', 7);
INSERT INTO house VALUES ('s1', 1, 'red'), ('s1', 2, 'blue'), ('s3', 1, NULL);
"""


class Traced(Template):
    """A template that writes down each statement that changes rows in a database of its world."""

    def __init__(self) -> None:
        self.changing: list[str] = []
        connection = apsw.Connection(":memory:")
        SCHEMA.create(connection)
        connection.execute(ROWS)
        super().__init__(SCHEMA, connection.serialize("main"))

    def open(self) -> apsw.Connection:
        connection = super().open()
        connection.exec_trace = self._note
        return connection

    def _note(self, cursor: apsw.Cursor, sql: str, values: Any) -> bool:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            self.changing.append(sql)
        return True


def dump(store: Store) -> list[Any]:
    tables = ("town", "street", "house")
    return [store.connection().execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables]


def run(store: Store, *statements: str) -> None:
    with store.transaction():
        for sql in statements:
            store.write(sql, ())


IN_ONE_PASS = {
    "parents and their children go": ["DELETE FROM town WHERE town_id <> 't3'"],
    "children go before their parents": ["DELETE FROM house", "DELETE FROM street", "DELETE FROM town"],
    "parents and their children come": [
        "INSERT INTO town VALUES ('t4', NULL), ('t0', 'Cid')",
        "INSERT INTO street VALUES ('s0', 't4', 1), ('s4', 't0', 2)",
        "INSERT INTO house VALUES ('s4', 1, ''), ('s0', 7, 'white')",
    ],
    "children move to another parent before theirs goes": [
        "UPDATE street SET town_id = 't3' WHERE town_id = 't1'",
        "DELETE FROM town WHERE town_id = 't1'",
    ],
    "a unique value goes to a new row": [
        "DELETE FROM town WHERE town_id = 't2'",
        "INSERT INTO town VALUES ('t9', 'Bob')",
    ],
    "a key is given to another row": ["UPDATE house SET number = 9, colour = 'grey' WHERE number = 1"],
    "all of it": [
        "UPDATE house SET colour = 'green'",
        "DELETE FROM street WHERE street_id = 's3'",
        "INSERT INTO street VALUES ('s9', 't2', 3)",
        "INSERT INTO house VALUES ('s9', 1, 'red')",
        "UPDATE town SET mayor = NULL WHERE town_id = 't1'",
    ],
}
NOT_IN_ONE_PASS = {
    "unique values change places": [
        "UPDATE town SET mayor = '' WHERE town_id = 't1'",
        "UPDATE town SET mayor = 'Ann' WHERE town_id = 't2'",
        "UPDATE town SET mayor = 'Bob' WHERE town_id = 't1'",
    ],
    "a unique value is handed on by a row that gets a new one": [
        "UPDATE town SET mayor = 'Dan' WHERE town_id = 't2'",
        "UPDATE town SET mayor = 'Bob' WHERE town_id = 't1'",
    ],
    "children move to a new parent and theirs goes": [
        "INSERT INTO town VALUES ('t4', NULL)",
        "UPDATE street SET town_id = 't4' WHERE town_id = 't1'",
        "DELETE FROM town WHERE town_id = 't1'",
    ],
    "children move and unique values change places": [
        "INSERT INTO town VALUES ('t4', 'Eve')",
        "UPDATE street SET town_id = 't4', length = 1 WHERE town_id = 't1'",
        "DELETE FROM town WHERE town_id = 't1'",
        "UPDATE town SET mayor = 'Ann' WHERE town_id = 't2'",
        "UPDATE town SET mayor = 'Bob' WHERE town_id = 't4'",
    ],
}


@pytest.mark.parametrize("name", [*IN_ONE_PASS, *NOT_IN_ONE_PASS])
def test_what_comes_back_from_the_cold_is_what_went_there(name: str) -> None:
    store = Store(Traced(), hot=Hot())
    run(store, *{**IN_ONE_PASS, **NOT_IN_ONE_PASS}[name])
    rows, digest, changes = dump(store), store.digest(), store.changed_rows()
    for _ in range(2):
        assert store.try_evict()
        assert dump(store) == dump(store.fork()) == rows
        assert (store.digest(), store.changed_rows()) == (digest, changes)
    run(store, "UPDATE house SET colour = 'black'")
    assert dump(store)[:2] == rows[:2]
    store.restore(b"")
    assert (store.digest(), store.changed_rows()) == (store.template.digest, [])


@pytest.mark.parametrize("name", IN_ONE_PASS)
def test_coming_back_from_the_cold_costs_one_statement_a_row_where_no_row_has_to_wait(name: str) -> None:
    template = Traced()
    store = Store(template, hot=Hot())
    run(store, *IN_ONE_PASS[name])
    assert store.try_evict()
    template.changing.clear()
    store.connection()
    assert len(template.changing) == len(store.changed_rows())


def test_a_row_that_has_to_wait_is_tried_again_and_the_others_are_not() -> None:
    """One new parent that a row is waiting for: each of the three rows has its statement, the waiting one a second."""
    template = Traced()
    store = Store(template, hot=Hot())
    run(
        store,
        "INSERT INTO town VALUES ('t4', NULL)",
        "UPDATE street SET town_id = 't4' WHERE street_id = 's3'",
        "DELETE FROM house WHERE street_id = 's1' AND number = 1",
    )
    rows = dump(store)
    assert store.try_evict()
    template.changing.clear()
    assert dump(store) == rows
    assert sorted(sql.split()[0] for sql in template.changing) == ["DELETE", "INSERT", "UPDATE", "UPDATE"]


class Broken(Exception):
    pass


def lose(store: Store) -> None:
    """A call in which SQLite drops the whole transaction, as it does when it runs out of memory."""
    with store.transaction():
        store.write("DELETE FROM house", ())
        store.connection().execute("ROLLBACK")
        raise Broken


@pytest.mark.parametrize("before", ["nothing", "hot", "cold"])
@pytest.mark.parametrize("ending", ["restore", "close"])
def test_what_an_attempt_lost_is_lost_unless_there_was_nothing_before_it(before: str, ending: str) -> None:
    store = Store(Traced(), hot=Hot())
    if before != "nothing":
        run(store, "DELETE FROM town WHERE town_id = 't2'")
    if before == "cold":
        assert store.try_evict()
    with pytest.raises(Broken), store.attempt():
        lose(store)
    if before != "nothing":
        for ask in (store.digest, store.snapshot, store.connection, store.fork):
            with pytest.raises(InfrastructureError, match="reset"):
                ask()
        if ending == "restore":
            store.restore(b"")
        else:
            store.close()
    assert (store.digest(), store.changed_rows(), store.snapshot()) == (store.template.digest, [], b"")
    run(store, "DELETE FROM house")
    assert dump(store)[2] == []


def test_a_database_whose_rows_were_lost_is_none_of_those_in_use() -> None:
    hot = Hot()
    store = Store(Traced(), hot=hot)
    with pytest.raises(Broken):
        lose(store)
    assert len(hot) == 0


def test_as_many_statements_as_a_server_has_stay_prepared() -> None:
    connection = Traced().open()
    misses = []
    for _ in range(2):
        for number in range(300):
            connection.execute(f"SELECT {number}").fetchall()
        misses.append(connection.cache_stats()["misses"])
    assert misses[0] == misses[1]


def test_a_statement_is_planned_once_and_not_for_each_bound_value() -> None:
    for connection in (Traced().open(), Traced().reader()):
        assert connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1) == 1


# Keys that stand last, values of any type before them


ODD = Schema("CREATE TABLE odd (\n  held,\n  more,\n  odd_id TEXT NOT NULL PRIMARY KEY\n);")


def odd() -> Store:
    connection = apsw.Connection(":memory:")
    ODD.create(connection)
    connection.execute("INSERT INTO odd VALUES (NULL, 1, 'a'), ('x', NULL, 'b'), (2, 'y', 'c')")
    return Store(Template(ODD, connection.serialize("main")), hot=Hot())


@pytest.mark.parametrize(
    "statements",
    [
        ["INSERT INTO odd VALUES (NULL, 1, 'd'), ('x', NULL, 'e'), (2.5, 'y', 'f'), (NULL, NULL, 'g')"],
        ["UPDATE odd SET held = 7 WHERE odd_id <> 'a'", "UPDATE odd SET more = 'z' WHERE odd_id <> 'b'"],
        ["DELETE FROM odd"],
    ],
)
def test_rows_are_put_in_order_whatever_they_hold_and_wherever_their_key_stands(statements: list[str]) -> None:
    store, other = odd(), odd()
    run(store, *statements)
    for sql in reversed(statements):
        run(other, sql)
    assert store.try_evict()
    table = "SELECT * FROM odd ORDER BY odd_id"
    assert store.connection().execute(table).fetchall() == other.connection().execute(table).fetchall()
    assert store.changed_rows() == other.changed_rows()
    assert (store.digest(), store.changes()) == (other.digest(), other.changes())
    assert store.digest() != store.template.digest


def test_stores_that_nobody_holds_make_room_when_another_one_is_used() -> None:
    template, hot = Traced(), Hot(limit=20)
    stores = [Store(template, hot=hot) for _ in range(20)]
    for store in stores:
        run(store, "DELETE FROM house")
    assert len(hot) == 20
    del stores, store
    hot.limit = 2
    one = Store(template, hot=hot)
    run(one, "DELETE FROM house")
    assert len(hot) <= 2


class Busy:
    """A lock that somebody else has, and for which nobody may wait."""

    def acquire(self, blocking: bool = True) -> bool:
        assert not blocking, "this would wait for a call of another thread"
        return False


def test_an_eviction_waits_for_nobody_and_lets_others_in_again() -> None:
    store = Store(Traced(), hot=Hot())
    run(store, "DELETE FROM house")
    lock, store.lock = store.lock, cast("threading.RLock", Busy())
    assert not store.try_evict()
    store.lock = lock
    with store.attempt():
        assert not store.try_evict()
    assert store.try_evict()
    with ThreadPoolExecutor(1) as other:
        assert other.submit(lock.acquire, blocking=False).result()
