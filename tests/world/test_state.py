"""The store's laws, against an independent model: the same statements in the standard library's sqlite3."""

import json
import re
import sqlite3
import threading
from collections.abc import Callable
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import InfrastructureError
from proverl.world.domain import Entity
from proverl.world.schema import Schema
from proverl.world.state import READERS_PER_THREAD, Hot, Store, Template, raw_changes

SQL = """
CREATE TABLE person (
  person_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  weight REAL CHECK (weight >= 0)
);
CREATE TABLE pet (
  pet_id TEXT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL REFERENCES person (person_id) ON DELETE CASCADE ON UPDATE CASCADE,
  friend TEXT REFERENCES pet (pet_id) ON DELETE SET NULL,
  legs INTEGER
);
CREATE TABLE visit (
  pet_id TEXT NOT NULL REFERENCES pet (pet_id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  note,
  PRIMARY KEY (pet_id, number)
);
CREATE TABLE pair (
  pair_id INTEGER NOT NULL PRIMARY KEY,
  other INTEGER NOT NULL REFERENCES pair (pair_id) DEFERRABLE INITIALLY DEFERRED
);
"""
ROWS = """
INSERT INTO world_clock VALUES (1, 0, '+00:00');
INSERT INTO person VALUES ('p0', 'n0', 1), ('p1', 'n1', 2.5), ('p2', 'n2', NULL);
INSERT INTO pet VALUES ('t0', 'p0', NULL, 4), ('t1', 'p0', 't0', 2), ('t2', 'p1', 't1', 0);
INSERT INTO visit VALUES ('t0', 1, 'a'), ('t0', 2, NULL), ('t2', 1, 5);
INSERT INTO pair VALUES (0, 0), (1, 0);
"""
SCHEMA = Schema(SQL)
TABLES = sorted(SCHEMA.tables)
APPLIES = (apsw.SQLError, apsw.ConstraintError)


def template() -> Template:
    connection = apsw.Connection(":memory:")
    SCHEMA.create(connection)
    connection.execute(ROWS)
    return Template(SCHEMA, connection.serialize("main"))


TEMPLATE = template()

number = st.integers(0, 3)
value = st.sampled_from([None, 0, 1, 2, 2.5, -0.0, "", "x", "1", "é\x00z", 2**53])
person, name, pet = number.map("p{}".format), number.map("n{}".format), number.map("t{}".format)
PUT_PET = """INSERT INTO pet VALUES (?, ?, ?, ?) ON CONFLICT (pet_id) DO UPDATE
    SET owner = excluded.owner, friend = excluded.friend, legs = excluded.legs"""
statement = st.one_of(
    st.tuples(st.just("INSERT INTO person VALUES (?, ?, ?)"), person, name, value),
    st.tuples(st.just("UPDATE person SET name = ? WHERE person_id = ?"), name, person),
    st.tuples(st.just("UPDATE person SET person_id = ? WHERE person_id = ?"), person, person),
    st.tuples(st.just("UPDATE person SET weight = ? WHERE name >= ?"), value, name),
    st.tuples(st.just("DELETE FROM person WHERE person_id = ?"), person),
    st.tuples(st.just(PUT_PET), pet, person, st.none() | pet, value),
    st.tuples(st.just("UPDATE pet SET owner = ?, legs = legs + 1 WHERE pet_id <= ?"), person, pet),
    st.tuples(st.just("DELETE FROM pet WHERE pet_id = ?"), pet),
    st.tuples(st.just("INSERT INTO visit VALUES (?, ?, ?)"), pet, number, value),
    st.tuples(st.just("UPDATE visit SET number = 3 - number WHERE pet_id = ?"), pet),
    st.tuples(st.just("INSERT INTO pair VALUES (?, ?)"), number, number),
    st.tuples(st.just("DELETE FROM pair WHERE pair_id = ?"), number),
)
swap = st.tuples(number, number).map(
    lambda pair: [
        ("UPDATE person SET name = 'swapping' WHERE person_id = ?", f"p{pair[0]}"),
        ("UPDATE person SET name = ? WHERE person_id = ?", f"n{pair[0]}", f"p{pair[1]}"),
        ("UPDATE person SET name = ? WHERE person_id = ?", f"n{pair[1]}", f"p{pair[0]}"),
    ]
)
call = st.tuples(st.one_of(st.lists(statement, min_size=1, max_size=4), swap), st.booleans())
"""The statements of one call, and whether it fails at the end."""
MOVES = ["evict", "fork", "snapshot", "restore", "reset", "leave attempt"]
move = st.one_of(call, call, st.sampled_from(MOVES))


class Broken(Exception):
    pass


class Model:
    """The same world in the standard library's SQLite."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.load(TEMPLATE.blob)

    def load(self, blob: bytes) -> None:
        self.connection.deserialize(blob)
        self.connection.execute("PRAGMA foreign_keys = ON")

    def call(self, statements, fails: bool) -> bool:
        self.connection.execute("BEGIN")
        try:
            for sql, *values in statements:
                self.connection.execute(sql, values)
            if fails:
                raise Broken
            self.connection.execute("COMMIT")
        except (sqlite3.IntegrityError, sqlite3.OperationalError, Broken):
            self.connection.execute("ROLLBACK")
            return False
        return True

    def dump(self):
        return dump(self.connection)


def dump(connection):
    """Every row by table and key."""
    found = {}
    for name in TABLES:
        table = SCHEMA.tables[name]
        for row in connection.execute(f"SELECT * FROM {name} ORDER BY {', '.join(table.key)}"):
            record = dict(zip(table.columns, row, strict=True))
            found[name, tuple(record[column] for column in table.key)] = record
    return found


def run(store: Store, statements, fails: bool = False) -> bool:
    try:
        with store.transaction():
            for sql, *values in statements:
                store.write(sql, tuple(values))
            if fails:
                raise Broken
    except (*APPLIES, Broken):
        return False
    return True


def difference(before, after):
    """The changed rows between two dumps, computed without SQLite: (table, operation, key, new values that differ)."""
    found = []
    for place in sorted(set(before) | set(after), key=repr):
        table, key = place
        if place not in before:
            found.append((table, "INSERT", key, after[place]))
        elif place not in after:
            found.append((table, "DELETE", key, before[place]))
        elif json.dumps(before[place]) != json.dumps(after[place]):
            differing = {k: v for k, v in after[place].items() if json.dumps(v) != json.dumps(before[place][k])}
            found.append((table, "UPDATE", key, differing))
    return sorted(found, key=repr)


def read(raw):
    """A store's raw changes in the form of `difference`."""
    found = []
    for name, op, old, new in raw:
        table = SCHEMA.tables[name]
        source = dict(zip(table.columns, new if op == "INSERT" else old, strict=True))
        key = tuple(source[column][0] for column in table.key)
        values = old if op == "DELETE" else new
        shown = {c: v[0] for c, v in zip(table.columns, values, strict=True) if v is not None}
        found.append((name, op, key, shown))
    return sorted(found, key=repr)


def play(moves, hot: Hot):
    """Make the moves on a store and on the model side by side; yields both after each."""
    store, model = Store(TEMPLATE, hot=hot), Model()
    kept: list[tuple[bytes, bytes]] = [(b"", TEMPLATE.blob)]
    for made in moves:
        if made == "evict":
            assert store.try_evict()
        elif made == "fork":
            store = store.fork()
        elif made == "snapshot":
            kept.append((store.snapshot(), model.connection.serialize()))
        elif made == "restore":
            store.restore(kept[-1][0])
            model.load(kept[-1][1])
        elif made == "reset":
            store.restore(b"")
            model.load(TEMPLATE.blob)
        elif made == "leave attempt":
            with store.attempt():
                run(store, [("DELETE FROM person WHERE person_id = ?", "p0")])
                run(store, [("INSERT INTO person VALUES ('p9', 'n9', 1)",)], fails=True)
                with store.attempt():
                    run(store, [("UPDATE person SET name = name || 'x'",)])
        else:
            assert run(store, *made) == model.call(*made)
        yield store, model


@given(st.lists(move, max_size=12))
def test_rows_are_those_of_the_model_after_any_moves(moves):
    for store, model in play(moves, Hot(limit=2, spare=2)):
        assert dump(store.connection()) == model.dump()


@given(st.lists(move, max_size=10))
def test_changes_are_the_difference_to_the_template_and_nothing_else(moves):
    before = dump(TEMPLATE.open())
    for store, model in play(moves, Hot(limit=2)):
        assert read(raw_changes(store.snapshot())) == difference(before, model.dump())


@given(st.lists(move, max_size=8), st.lists(call, max_size=5))
def test_changes_since_a_snapshot_are_the_difference_to_it(moves, later):
    hot = Hot(limit=1)
    store = Store(TEMPLATE, hot=hot)
    for store, _ in play(moves, hot):  # noqa: B007 - the last one counts
        pass
    since, before = store.snapshot(), dump(store.connection())
    for made in later:
        run(store, *made)
    assert read(store.changed_rows(since)) == difference(before, dump(store.connection()))
    if dump(store.connection()) == before:
        assert store.changes(since) == ()


@given(st.lists(st.lists(move, max_size=8), min_size=2, max_size=4))
def test_states_are_equal_exactly_when_their_digests_are(ways):
    ends: dict[str, str] = {}
    for way in ways:
        store = Store(TEMPLATE)
        for store, _ in play(way, Hot()):  # noqa: B007 - the last one counts
            pass
        rows = json.dumps(sorted(dump(store.connection()).items(), key=repr))
        assert ends.setdefault(rows, store.digest()) == store.digest()
    assert len(set(ends.values())) == len(ends)


@given(st.lists(call, max_size=6), st.lists(call, max_size=6))
def test_two_ways_to_one_state_give_one_digest_and_one_list_of_changes(first, second):
    """The second way goes to the first's state through another one, in one call that writes the rows themselves."""
    store = Store(TEMPLATE)
    for made in first:
        run(store, *made)
    target = dump(store.connection())
    other = Store(TEMPLATE)
    for made in second:
        run(other, *made)
    order = ("visit", "pet", "person", "pair")
    written = [(f"DELETE FROM {table}",) for table in order]
    late = []
    for table in reversed(order):
        for (name, _), record in sorted(target.items(), key=repr):
            if name == table:
                held = {**record, "friend": None} if table == "pet" else record
                written.append((f"INSERT INTO {table} VALUES ({', '.join('?' * len(held))})", *held.values()))
                if table == "pet":
                    late.append(("UPDATE pet SET friend = ? WHERE pet_id = ?", record["friend"], record["pet_id"]))
    assert run(other, written + late)
    assert other.digest() == store.digest()
    assert raw_changes(other.snapshot()) == raw_changes(store.snapshot())
    assert other.changes() == store.changes()


@given(st.lists(call, min_size=1, max_size=4), st.booleans(), st.booleans())
def test_a_fault_at_any_write_of_a_call_leaves_the_state_as_it_was(calls, cold, attempting):
    *before, last = calls
    store = Store(TEMPLATE)
    for made in before:
        run(store, *made)
    if cold:
        store.try_evict()
    digest, rows = store.digest(), dump(store.connection())
    for k in range(len(last[0])):
        left = [k]

        def fail(sql: str, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Broken(sql)

        store.before_write = fail
        if attempting:
            with store.attempt():
                assert not run(store, last[0])
                assert dump(store.connection()) == rows
        else:
            assert not run(store, last[0])
        store.before_write = None
        assert store.digest() == digest
        assert dump(store.connection()) == rows


@given(st.lists(call, max_size=5), st.lists(call, max_size=5))
def test_a_fork_has_the_same_digest_and_goes_its_own_way(before, after):
    store = Store(TEMPLATE)
    for made in before:
        run(store, *made)
    twin = store.fork()
    digest = store.digest()
    assert twin.digest() == digest
    for made in after:
        run(twin, *made)
    assert store.digest() == digest
    for made in after:
        run(store, *made)
    assert store.digest() == twin.digest()


@given(st.lists(call, min_size=1, max_size=6))
def test_a_database_that_comes_back_is_the_template_to_the_byte(calls):
    hot = Hot()
    store = Store(TEMPLATE, hot=hot)
    for made in calls:
        run(store, *made)
    store.close()
    spare = hot.take(TEMPLATE)
    spare.execute("ROLLBACK")
    assert spare.serialize("main") == TEMPLATE.blob


def test_the_template_is_never_changed_by_a_session():
    reader = TEMPLATE.reader()
    with pytest.raises(apsw.ReadOnlyError):
        reader.execute("DELETE FROM visit")
    store = Store(TEMPLATE)
    assert run(store, [("DELETE FROM person",)])
    assert len(dump(TEMPLATE.reader())) == len(dump(TEMPLATE.open())) > 0


def test_a_write_outside_of_a_call_or_in_a_read_is_refused():
    store = Store(TEMPLATE)
    with pytest.raises(RuntimeError, match="outside of a call"):
        store.write("DELETE FROM visit", ())
    with pytest.raises(RuntimeError, match="in a read tool"), store.transaction(writable=False):
        store.write("DELETE FROM visit", ())
    assert store.digest() == TEMPLATE.digest


@pytest.mark.parametrize("attempting", [False, True])
def test_a_deferred_foreign_key_is_checked_at_the_end_of_each_call(attempting):
    store = Store(TEMPLATE)
    broken = [("INSERT INTO pair VALUES (8, 9)",)]
    whole = [*broken, ("INSERT INTO pair VALUES (9, 8)",)]
    if attempting:
        with store.attempt():
            assert not run(store, broken)
            assert run(store, whole)
    assert not run(store, broken)
    assert store.digest() == TEMPLATE.digest
    assert run(store, whole)


def test_hot_keeps_to_its_limit_and_spares_to_theirs():
    hot = Hot(limit=3, spare=2)
    stores = [Store(TEMPLATE, hot=hot) for _ in range(10)]
    for number, store in enumerate(stores):
        assert run(store, [("UPDATE person SET weight = ?", number)])
    assert len(hot) == 3
    assert [store.connection().execute("SELECT max(weight) FROM person").get for store in stores] == list(range(10))
    for store in stores:
        store.close()
    assert len(hot) == 0


def test_a_store_in_an_attempt_or_in_use_by_another_thread_is_not_evicted():
    store = Store(TEMPLATE, hot=Hot())
    run(store, [("DELETE FROM visit",)])
    with store.attempt():
        assert not store.try_evict()
    with store.transaction():
        assert not store.try_evict()
    answers: list[bool] = []
    with store.lock:
        thread = threading.Thread(target=lambda: answers.append(store.try_evict()))
        thread.start()
        thread.join()
    assert answers == [False]
    assert store.try_evict()


def test_a_store_that_nobody_holds_is_let_go():
    hot = Hot(limit=2)
    gone = []
    for _ in range(20):
        store = Store(TEMPLATE, hot=hot)
        run(store, [("DELETE FROM visit",)])
        gone.append(store.reference)
        del store
    assert [reference() for reference in gone] == [None] * 20
    assert len(hot) <= 3


def break_in_attempt(store: Store, sql: str) -> None:
    with pytest.raises(Broken), store.attempt():
        run(store, [(sql,)])
        raise Broken


def test_an_attempt_takes_back_what_was_done_even_when_it_ends_in_an_exception():
    store = Store(TEMPLATE)
    break_in_attempt(store, "DELETE FROM visit")
    assert store.digest() == TEMPLATE.digest
    run(store, [("DELETE FROM visit",)])
    digest = store.digest()
    break_in_attempt(store, "DELETE FROM person")
    assert store.digest() == digest
    with store.attempt(), pytest.raises(RuntimeError, match="restore inside an attempt"):
        store.restore(b"")
    assert store.digest() == digest


@given(st.lists(call, max_size=4), st.lists(call, min_size=1, max_size=4), st.booleans())
def test_what_was_asked_inside_an_attempt_is_forgotten_with_it(before, inside, cold):
    store = Store(TEMPLATE, hot=Hot())
    for made in before:
        run(store, *made)
    if cold:
        assert store.try_evict()
    known = (store.digest(), store.snapshot(), store.changes())
    with store.attempt():
        for made in inside:
            run(store, *made)
            with store.attempt():
                run(store, *made)
                assert store.fork().digest() == store.digest()
            assert store.fork().digest() == store.digest()
    assert (store.digest(), store.snapshot(), store.changes()) == known
    twin = store.fork()
    for made in inside:
        assert run(store, *made) == run(twin, *made)
        assert store.digest() == twin.digest()


def test_a_store_whose_transaction_sqlite_has_dropped_gives_no_answers_until_it_is_reset():
    store = Store(TEMPLATE)
    run(store, [("DELETE FROM visit",)])
    with pytest.raises(Broken), store.transaction():
        store.write("DELETE FROM pair", ())
        store.connection().execute("ROLLBACK")  # what SQLite does by itself when it runs out of memory
        raise Broken
    for ask in (store.snapshot, store.digest, store.connection, store.fork):
        with pytest.raises(InfrastructureError, match="reset"):
            ask()
    assert not run_lost(store)
    store.restore(b"")
    assert store.digest() == TEMPLATE.digest


def run_lost(store: Store) -> bool:
    try:
        with store.transaction():
            store.write("DELETE FROM visit", ())
    except InfrastructureError:
        return False
    return True


def test_eight_threads_on_their_own_stores_of_one_template_never_meet():
    """Mixed first reads, first writes and evictions; the results are those of one thread."""

    def work(seed: int, hot: Hot) -> list[str]:
        found = []
        for round in range(6):
            store = Store(TEMPLATE, hot=hot)
            for step in range(12):
                with store.lock:
                    if (seed + step + round) % 3:
                        sql = "UPDATE person SET weight = ? WHERE person_id = ?"
                        run(store, [(sql, seed + step, f"p{step % 3}")])
                    else:
                        store.connection().execute("SELECT sum(weight), count(*) FROM person, pet").fetchall()
            with store.lock:
                found.append(store.digest())
                store.close()
        return found

    alone = [work(seed, Hot()) for seed in range(8)]
    together: dict[int, list[str]] = {}
    failures: list[BaseException] = []
    hot = Hot(limit=3, spare=2)

    def start(seed: int) -> None:
        try:
            together[seed] = work(seed, hot)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=start, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert [together[seed] for seed in range(8)] == alone


# What is kept open


class Counted(Template):
    """A template that counts how often it was opened."""

    opened = 0

    def open(self) -> apsw.Connection:
        self.opened += 1
        return super().open()


def counted() -> Counted:
    made = Counted(SCHEMA, TEMPLATE.blob)
    made.opened = 0
    return made


def in_a_new_thread(work: Callable[[], Any]) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    (result,) = found
    return result


def test_a_thread_keeps_the_readers_that_it_used_last_and_opens_the_others_again() -> None:
    templates = [counted() for _ in range(READERS_PER_THREAD + 1)]
    *first, last = templates

    def read() -> list[int]:
        readers = [template.reader() for template in first]
        assert [template.reader() for template in reversed(first)] == readers[::-1]
        assert sum(template.opened for template in templates) == READERS_PER_THREAD
        last.reader()  # the one used longest ago is the last of the first ones
        assert [template.reader() for template in first[:-1]] == readers[:-1]
        assert first[-1].reader() is not readers[-1]
        return [template.opened for template in templates]

    assert in_a_new_thread(read) == [1] * (READERS_PER_THREAD - 1) + [2, 1]


def test_each_thread_has_a_reader_of_its_own() -> None:
    template = counted()
    assert template.reader() is template.reader()
    assert in_a_new_thread(template.reader) is not template.reader()
    assert template.opened == 2


def test_reading_opens_no_database_and_the_first_write_opens_one() -> None:
    template = counted()
    store = Store(template, hot=Hot())
    for _ in range(3):
        assert store.connection() is template.reader()
        with store.transaction(writable=False):
            store.connection().execute("SELECT * FROM pet").fetchall()
    assert (template.opened, store.snapshot(), store.digest()) == (1, b"", template.digest)
    assert run(store, [("DELETE FROM visit",)])
    assert run(store, [("DELETE FROM pair",)])
    assert store.connection() is not template.reader()
    assert template.opened == 2


def test_the_stores_that_wrote_longest_ago_go_cold_first() -> None:
    template = counted()
    hot = Hot(limit=2, spare=0)
    first, second, third = (Store(template, hot=hot) for _ in range(3))
    for store in (first, second, first, third):
        assert run(store, [("UPDATE person SET weight = weight + 1",)])
    assert len(hot) == 2
    opened = template.opened
    for store in (first, third):
        store.connection()
    assert template.opened == opened
    assert dump(second.connection()) == dump(third.connection())
    assert template.opened == opened + 1
    assert len(hot) == 2


def test_spare_databases_serve_the_next_store_of_their_template_latest_first_and_are_no_more_than_told() -> None:
    template, other = counted(), counted()
    hot = Hot(spare=2)
    made = [hot.take(template) for _ in range(3)]
    assert template.opened == 3
    assert all(database.in_transaction for database in made)
    for database in made:
        database.execute("DELETE FROM visit")
        hot.give(template, database)
    assert hot.take(other) not in made
    taken = [hot.take(template) for _ in range(3)]
    assert taken[:2] == [made[2], made[1]]
    assert taken[2] not in made
    assert (template.opened, other.opened) == (4, 1)
    assert all(dump(database) == dump(template.reader()) and database.in_transaction for database in taken)


def test_the_limit_of_spares_goes_over_all_templates_and_the_oldest_goes_first() -> None:
    templates = [counted() for _ in range(3)]
    hot = Hot(spare=2)
    made = [hot.take(template) for template in templates]
    for template, database in zip(templates, made, strict=True):
        hot.give(template, database)
    assert [hot.take(template) is database for template, database in zip(templates, made, strict=True)] == [
        False,
        True,
        True,
    ]


def test_a_closed_store_gives_its_database_back_and_stands_at_the_template_again() -> None:
    template = counted()
    hot = Hot()
    for _ in range(5):
        store = Store(template, hot=hot)
        assert run(store, [("DELETE FROM person",)])
        assert len(hot) == 1
        store.close()
        assert (len(hot), store.digest(), store.changes()) == (0, template.digest, ())
    assert template.opened == 1


def test_rows_whose_values_are_of_different_types_come_back_from_the_cold() -> None:
    store = Store(TEMPLATE, hot=Hot())
    run(
        store,
        [
            ("UPDATE person SET weight = ? WHERE person_id = ?", weight, key)
            for weight, key in ((None, "p0"), (1, "p2"))
        ],
    )
    run(store, [("UPDATE visit SET note = ? WHERE pet_id = ?", note, key) for note, key in (("x", "t0"), (2.5, "t2"))])
    rows = dump(store.connection())
    assert store.try_evict()
    assert dump(store.connection()) == dump(store.fork().connection()) == rows


def test_digests_are_sixteen_bytes_in_hexadecimal() -> None:
    store = Store(TEMPLATE)
    assert run(store, [("DELETE FROM pair",)])
    for digest in (TEMPLATE.digest, store.digest()):
        assert re.fullmatch("[0-9a-f]{32}", digest)


# What laws look at


def test_changed_rows_stand_in_the_order_of_their_tables_and_operations() -> None:
    store = Store(TEMPLATE)
    run(
        store, [("DELETE FROM visit",), ("UPDATE person SET weight = 4",), ("INSERT INTO person VALUES ('p', 'n', 1)",)]
    )
    run(store, [("DELETE FROM pair",)])
    found = [(table, op) for table, op, _, _ in store.changed_rows()]
    assert found == sorted(found)
    assert len(set(found)) == 4


def test_a_sample_is_the_first_rows_in_order_of_the_key_with_the_columns_asked_for() -> None:
    store = Store(TEMPLATE)
    run(store, [("INSERT INTO visit VALUES ('t1', 7, 'b')",)])
    expected = [("t0", 1), ("t0", 2), ("t1", 7), ("t2", 1)]
    for most in (-1, 4, 9, 1, 2, 0):
        found = store.sample("visit", ["number", "pet_id"], most)
        assert [(row["pet_id"], row["number"]) for row in found] == expected[: None if most < 0 else most]
        assert all(list(row) == ["number", "pet_id"] for row in found)


def test_the_keys_of_an_entity_are_those_of_its_view_in_its_order() -> None:
    store = Store(TEMPLATE)
    run(store, [("UPDATE person SET weight = 9 WHERE person_id = 'p2'",)])
    assert store.keys(Entity("person", order="weight DESC, person_id")) == ["p2", "p1", "p0"]
    assert store.keys(Entity("person", view="(SELECT * FROM person WHERE weight > 2)")) == ["p1", "p2"]


@given(st.lists(call, min_size=1, max_size=6))
def test_the_row_of_a_change_is_the_row_as_it_is_now(calls):
    store = Store(TEMPLATE)
    for made in calls:
        run(store, *made)
    now = dump(store.connection())
    for change in store.changed_rows():
        name, op, old, new = change
        table = SCHEMA.tables[name]
        before = dict(zip(table.columns, (new if op == "INSERT" else old) or (), strict=True))
        there = now.get((name, tuple(before[column][0] for column in table.key)))
        found = store.row_of(change)
        assert repr(found) == repr(None if there is None else tuple(there.values()))
        assert (found is None) == (op == "DELETE")


def test_a_write_says_how_many_rows_it_touched_and_is_shown_to_who_asks() -> None:
    store = Store(TEMPLATE)
    seen: list[str] = []
    store.before_write = seen.append
    with store.transaction():
        touched = [
            store.write("UPDATE visit SET note = ? WHERE pet_id = ?", ("x", "t0")),
            store.write("DELETE FROM visit WHERE number > ?", (9,)),
        ]
    assert touched == [2, 0]
    assert seen == ["UPDATE visit SET note = ? WHERE pet_id = ?", "DELETE FROM visit WHERE number > ?"]


# Templates


CELLS = [
    (table, column, key)
    for (table, key), record in dump(TEMPLATE.open()).items()
    for column in record
    if column not in SCHEMA.tables[table].key
]


@pytest.mark.parametrize(("table", "column", "key"), CELLS)
def test_the_digest_of_a_template_sees_every_cell(table: str, column: str, key: tuple[Any, ...]) -> None:
    connection = TEMPLATE.open()
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 0)
    where = " AND ".join(f"{one} = ?" for one in SCHEMA.tables[table].key)
    connection.execute(f"UPDATE {table} SET {column} = coalesce({column}, 0) || '7' WHERE {where}", key)
    assert connection.changes() == 1
    assert Template(SCHEMA, connection.serialize("main")).digest != TEMPLATE.digest


def test_the_digest_of_a_template_sees_rows_that_come_and_go_and_not_their_order() -> None:
    digests = {TEMPLATE.digest}
    for sql in ("DELETE FROM pair WHERE pair_id = 1", "INSERT INTO visit VALUES ('t0', 3, NULL)"):
        connection = TEMPLATE.open()
        connection.execute(sql)
        digests.add(Template(SCHEMA, connection.serialize("main")).digest)
    assert len(digests) == 3
    connection = apsw.Connection(":memory:")
    SCHEMA.create(connection)
    connection.execute("BEGIN; PRAGMA defer_foreign_keys = ON")
    for (table, _), record in reversed(dump(TEMPLATE.open()).items()):
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(record))})", list(record.values()))
    connection.execute("COMMIT")
    assert connection.serialize("main") != TEMPLATE.blob
    assert Template(SCHEMA, connection.serialize("main")).digest == TEMPLATE.digest
