"""The tool that plants faults: what its operators change, what they leave alone, and how faults are drawn.

Whole runs are not here: they take minutes, and `acceptance/plant.py` refuses to begin one on tests that fail.
"""

import ast
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planting import bodies, kept, python, report, runs, sql, targets
from planting.draw import draw, places, shares
from planting.faults import Fault, Source, name_of, plant
from planting.syntax import Surroundings, survey

ROOT = Path(__file__).parents[2]
SCHEMA = """
CREATE TABLE account (account_id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, note TEXT, CHECK (kind <> 'x'));
CREATE VIEW open_account AS
SELECT a.* FROM account a JOIN account b ON b.account_id = a.account_id WHERE a.kind = 'open';
"""
CODE = '''"""A module."""

from datetime import timedelta

LIMIT = 500_00
WORDS = ["a 1", "b 2", "c 3", "d 4", "e 5", "f 6", "g 7"]
FOUND = "SELECT * FROM account WHERE account_id = ? AND kind = 'open' ORDER BY account_id LIMIT 1"


def find(world, account_id: str):
    """The row with number 7."""
    row = world.one(FOUND, account_id)
    if row is None:
        raise Refused("missing", f"no account {account_id + 1!r}", 3)
    return row


def check(world, amount: int = 0) -> None:
    """Refuse 8 things."""
    if amount > LIMIT and not world.closed:
        raise Refused("too_much", "more than 500.00")


def pay(world, account_id: str, amount: int):
    """Pay."""
    sender = find(world, account_id)
    check(world, amount)
    world.insert("account", account_id=account_id, kind="open", note="größer")
    later = world.now + timedelta(days=3)
    names = sorted(world.names, key=len)[:5]
    assert amount != 9
    return {"amount": dollars(amount), "least": min(names), "last": later, "sender": sender, "open": True}
'''


def around(code=CODE, schema=SCHEMA):
    tree = ast.parse(code)
    return survey([tree], [tree], schema)


def changed(operator, code, surroundings=None):
    """What an operator makes of code: all results that compile and differ."""
    source = Source("m.py", code)
    faults = [plant(source, "x", edit) for edit in operator(source, surroundings or Surroundings())]
    return [fault.after for fault in faults if fault is not None]


def in_sql(operator, statement):
    return [
        statement[: edit.start] + edit.text + statement[edit.end :]
        for edit in operator(sql.tokens(statement), statement)
    ]


def all_faults(file, text, surroundings):
    source = Source(file, text)
    for name, edits in places(source, surroundings).items():
        for edit in edits:
            fault = plant(source, name, edit)
            if fault is not None:
                yield fault, edit


# Laws


def files():
    """Real code of every kind that gets faults."""
    found = [file for name in ("servers", "world") for file in (ROOT / "src" / "proverl" / name).rglob("*.py")]
    return sorted(file for file in found if "def " in file.read_text(encoding="utf-8"))


@given(st.sampled_from(files()), st.randoms(use_true_random=False))
def test_a_fault_parses_means_something_else_and_changes_one_place(file, chance):
    text = file.read_text(encoding="utf-8")
    source = Source(file.name, text)
    found = places(source, survey([source.tree], [source.tree], ""))
    edit = chance.choice(found[chance.choice(sorted(found))])
    fault = plant(source, "x", edit)
    if fault is not None:
        assert ast.dump(ast.parse(fault.after)) != ast.dump(ast.parse(text))
        assert fault.after == text[: edit.start] + edit.text + text[edit.end :]
        assert fault.patch.count("\n@@ ") == 1 or edit.text.count("\n") + text[edit.start : edit.end].count("\n") > 6


def test_no_two_faults_of_a_file_are_the_same():
    faults = [fault.after for fault, _ in all_faults("m.py", CODE, around())]
    assert len(faults) == len(set(faults)) > 30


@given(st.integers(0, 1000), st.integers(1, 60))
def test_one_seed_draws_the_same_faults_again_and_every_file_has_its_share(seed, count):
    sources = [Source("a.py", CODE), Source("b.py", CODE.replace("500_00", "700_00")), Source("c/schema.sql", SCHEMA)]
    drawn = draw(sources, around(), count, seed)
    assert drawn == draw(sources, around(), count, seed)
    assert len({(fault.file, fault.after) for fault in drawn}) == len(drawn) <= count
    if count >= 3:
        assert {fault.file for fault in drawn} == {"a.py", "b.py", "c/schema.sql"}


@given(st.lists(st.integers(1, 300), min_size=1, max_size=30), st.integers(1, 300))
def test_shares_add_up_and_nobody_goes_without_where_there_is_enough(weights, count):
    given_out = shares(weights, count, random.Random(1))
    assert sum(given_out) == count
    assert count < len(weights) or min(given_out) >= 1


def test_operators_get_equal_shares_while_they_have_places():
    drawn = draw([Source("a.py", CODE)], around(), 20, 3)
    assert max(map([fault.operator for fault in drawn].count, {fault.operator for fault in drawn})) <= 2


@given(st.text(alphabet=" aAND=?()'<,\n-{}0", max_size=60))
def test_operators_on_sql_take_any_text(text):
    for operator in sql.OPERATORS.values():
        for edit in operator(sql.tokens(text), text):
            assert 0 <= edit.start <= edit.end <= len(text)


# What is left alone


def test_messages_docstrings_hints_and_long_tables_are_left_alone():
    for fault, _ in all_faults("m.py", CODE, around()):
        for kept_text in (
            'f"no account {account_id + 1!r}", 3)' if "raise" in fault.after[: fault.after.index("return row")] else "",
            '"""The row with number 7."""',
            '"""Refuse 8 things."""',
            '"a 1", "b 2", "c 3", "d 4", "e 5", "f 6", "g 7"',
            "amount: int",
            "assert amount != 9",
        ):
            assert kept_text in fault.after, fault.patch


def test_an_argument_that_must_be_given_is_not_dropped():
    code = "def f(a, *, b, c=1): pass\nf(1, b=2, c=3)\nworld.insert('account', account_id=1, kind='k', note='n')\n"
    results = changed(python.keyword, code, around(code))
    assert [one.splitlines()[1] for one in results] == ["f(1, b=2)", "f(1, b=2, c=3)"]
    assert [one.splitlines()[2] for one in results][1] == "world.insert('account', account_id=1, kind='k')"


def test_tables_and_constraints_of_a_schema_are_left_alone():
    for fault, edit in all_faults("schema.sql", SCHEMA, around()):
        assert edit.start > SCHEMA.index("CREATE VIEW"), fault.patch


def test_a_statement_that_would_not_prepare_is_no_fault():
    code = 'FOUND = "SELECT kind FROM account GROUP BY kind LIMIT 1"\n'
    source = Source("m.py", code)

    def broken(words, text):
        yield from sql.limits(words, text)
        yield sql.Edit(0, 6, "SELECTED")

    results = list(sql.edits(source, broken, around(code)))
    assert [edit.text for edit in results] == ["0"]


# What each operator does


@pytest.mark.parametrize(
    ("operator", "code", "results"),
    [
        (python.boundary, "a < b >= c", ["a <= b >= c", "a < b > c"]),
        (python.equality, "a == b", ["a != b"]),
        (python.equality, "(a) is not (b)", ["(a) is (b)"]),
        (python.equality, "a not in b", ["a in b"]),
        (python.logic, "a and b or c", ["a and b and c", "a or b or c"]),
        (python.condition, "a < 1 and b < 2", ["True and b < 2", "a < 1 and True"]),
        (python.negation, "x = not (a or b)", ["x = (a or b)"]),
        (python.negation, "x = 1 if a else 2", ["x = 1 if (not (a)) else 2"]),
        (python.arithmetic, "a + b * 2", ["a - b * 2", "a + b // 2"]),
        (python.arithmetic, "a + 'text'", []),
        (python.arithmetic, "a += 1", ["a -= 1"]),
        (python.number, "x = 0", ["x = 1", "x = (-1)"]),
        (python.truth, "x = True", ["x = False"]),
        (python.extreme, "max(a, b)", ["min(a, b)"]),
        (python.part, "a[:n]", ["a[:]", "a[:n + 1]"]),
        (python.part, "a[1:]", ["a[:]"]),
        (python.order, "sorted(a, reverse=True)", ["list(reversed(sorted(a, reverse=True)))", "sorted(a)"]),
        (python.keyword, "f(1, a=2)", ["f(1)"]),
        (bodies.a_day, "timedelta(days=60)", ["timedelta(days=61)"]),
        (bodies.a_cent, "dollars(x)", ["dollars(x + 1)"]),
        (bodies.a_cent, "f(amount=x)", ["f(amount=x + 1)"]),
        (bodies.a_cent, "X = 25_00", ["X = 2501"]),
    ],
)
def test_each_operator_on_python_makes_its_faults(operator, code, results):
    assert changed(operator, code) == results


def test_statements_go_where_the_names_that_the_rest_needs_stay_bound():
    code = "def f(a):\n    b = 1\n    a = 2\n    b += 1\n    g(b)\n    if a:\n        raise E\n    return b\n"
    lines = code.splitlines()
    gone = [
        next(before.strip() for before, now in zip(lines, one.splitlines(), strict=False) if before != now)
        for one in changed(python.statement, code)
    ]
    assert gone == ["a = 2", "b += 1", "g(b)", "if a:"]


def test_a_procedure_returns_early_and_a_function_does_not():
    assert changed(python.early_return, "def f():\n    a()\n    b()\n") == ["def f():\n    a()\n    return\n    b()\n"]
    assert changed(python.early_return, "def f():\n    a()\n    return 1\n") == []


def test_checks_change_places_only_where_neither_needs_the_other():
    code = "def need(a):\n    if a:\n        raise E\n    return a\ndef f(a, b):\n    {}\n    {}\n    return 1\n"
    free = code.format("x = need(a)", "need(b)")
    assert changed(bodies.swapped, free, around(free)) == [code.format("need(b)", "x = need(a)")]
    bound = code.format("x = need(a)", "need(x)")
    assert changed(bodies.swapped, bound, around(bound)) == []
    writing = code.format("world.update(a)", "need(b)")
    assert changed(bodies.swapped, writing, around(writing)) == []


def test_a_stale_finder_gives_what_it_gave_first():
    code = "def find(world, key):\n    return world.one(key)\n"
    (after,) = changed(bodies.stale, code, around(code))
    names = {}
    exec(after, names)

    class World:
        def __init__(self, value):
            self.value = value

        def one(self, key):
            return self.value, key

    assert names["find"](World(1), "a") == names["find"](World(2), "a") == (1, "a")
    assert names["find"](World(2), "b") == (2, "b")


@pytest.mark.parametrize(
    ("operator", "statement", "results"),
    [
        (sql.conditions, "WHERE a = ? AND NOT b", ["WHERE (a = ? OR TRUE) AND NOT b", "WHERE a = ? AND TRUE"]),
        (sql.conditions, "WHERE a BETWEEN 1 AND 2 AND b", ["WHERE TRUE AND b", "WHERE a BETWEEN 1 AND 2 AND TRUE"]),
        (sql.conditions, "SELECT 1 FROM t WHERE NOT removed ORDER BY a", ["SELECT 1 FROM t WHERE TRUE ORDER BY a"]),
        (sql.conditions, "SELECT 1 FROM t WHERE a = ?", []),
        (sql.boundaries, "a <= ? AND b > 1", ["a < ? AND b > 1", "a <= ? AND b >= 1"]),
        (sql.equalities, "SET a = 'x' WHERE b = 'y'", ["SET a = 'x' WHERE b <> 'y'"]),
        (sql.equalities, "WHERE a IS NOT NULL", ["WHERE a IS NULL"]),
        (sql.equalities, "WHERE NOT removed", ["WHERE removed"]),
        (
            sql.directions,
            "ORDER BY a DESC, b LIMIT 1",
            ["ORDER BY a ASC, b LIMIT 1", "ORDER BY a DESC, b DESC LIMIT 1"],
        ),
        (sql.limits, "LIMIT ? OFFSET ?", ["LIMIT ? - 1 OFFSET ?", "LIMIT ? OFFSET ? + 1"]),
        (sql.assignments, "SET a = 1, b = ?", ["SET a = a, b = ?", "SET a = 1, b = iif(TRUE, b, ?)"]),
        (
            sql.joins,
            "a LEFT JOIN b ON x AND y WHERE c",
            ["a JOIN b ON x AND y WHERE c", "a LEFT JOIN b ON TRUE WHERE c"],
        ),
        (sql.sums, "SELECT max(a), b + ?", ["SELECT min(a), b + ?", "SELECT max(a), b - ?"]),
    ],
)
def test_each_operator_on_sql_makes_its_faults(operator, statement, results):
    assert in_sql(operator, statement) == results


def test_sql_is_found_in_strings_side_by_side_in_templates_and_in_views():
    code = 'a = f("SELECT x FROM t WHERE y < ?"  # why\n      " ORDER BY x")\nb = f"SELECT {a} FROM t ORDER BY z"\n'
    source = Source("m.py", code)
    found = [
        (code[: edit.start] + "|" + code[edit.start :]).splitlines()
        for edit in sql.edits(source, sql.directions, Surroundings())
    ]
    assert [[line for line in one if "|" in line] for one in found] == [
        ['      " ORDER BY x|")'],
        ['b = f"SELECT {a} FROM t ORDER BY z|"'],
    ]
    view = [fault.after for fault, _ in all_faults("schema.sql", SCHEMA, around())]
    assert SCHEMA.replace("a.kind = 'open'", "a.kind <> 'open'") in view
    assert SCHEMA.replace("b.account_id = a.account_id", "TRUE") in view


# Patches, journals and reports


FAULT = Fault("m.py", "number", 2, "a = 1\nb = 2\n", "a = 1\nb = 3\n")


def test_a_fault_keeps_its_name_when_the_code_above_it_grows():
    moved = Fault("m.py", "number", 52, "x\n" * 50 + "a = 1\nb = 2\n", "x\n" * 50 + "a = 1\nb = 3\n")
    near = Fault("m.py", "number", 2, "a = 1\nb = 2\n", "a = 1\nb = 4\n")
    assert name_of(FAULT.patch.replace("@@ -1,2 +1,2 @@", "@@ -51,2 +51,2 @@")) == FAULT.name
    assert len({FAULT.name, near.name, moved.name}) == 3, "other lines around it make another fault"


def test_a_kept_fault_is_read_and_fits_or_says_that_it_does_not(tmp_path):
    file = tmp_path / "wrong_b.patch"
    file.write_text(f"Test: tests/test_m.py::test_b\nWhy: b is too big\n\n{FAULT.patch}")
    one = kept.read(file)
    assert (one.name, one.test, one.file) == ("wrong_b", "tests/test_m.py::test_b", "m.py")
    (tmp_path / "m.py").write_text(FAULT.before)
    assert kept.fault(one, tmp_path).after == FAULT.after
    (tmp_path / "m.py").write_text("c = 1\n")
    with pytest.raises(kept.BadPatch, match=r"wrong_b: does not fit m\.py"):
        kept.fault(one, tmp_path)
    file.write_text(FAULT.patch)
    with pytest.raises(kept.BadPatch, match=r"expected the lines 'Test: \.\.\.'"):
        kept.read(file)


def test_every_kept_fault_fits_the_sources_and_names_a_test_that_is_there():
    for path in sorted((ROOT / "acceptance" / "faults").glob("*.patch")):
        one = kept.read(path)
        assert kept.fault(one, ROOT).patch
        file, _, test = one.test.partition("::")
        assert f"def {test.partition('[')[0]}(" in (ROOT / file).read_text(encoding="utf-8")


def test_a_journal_goes_on_after_a_torn_line_and_begins_anew_for_another_run(tmp_path):
    path = tmp_path / "j"
    journal = runs.Journal(path, {"seed": 1})
    journal.add(runs.Found("a", "test_a", 1.0))
    journal.add(runs.Found("b", "", 2.0))
    with pytest.raises(runs.Busy, match="another process is writing"):
        runs.Journal(path, {"seed": 1})
    journal.close()
    path.write_bytes(path.read_bytes()[:-9])
    again = runs.Journal(path, {"seed": 1})
    assert again.done == {"a": runs.Found("a", "test_a", 1.0)}
    again.add(runs.Found("b", "", 2.0))
    again.close()
    again = runs.Journal(path, {"seed": 1})
    assert set(again.done) == {"a", "b"}
    again.close()
    other = runs.Journal(path, {"seed": 2})
    assert other.done == {}
    other.remove()
    assert not path.exists()


def test_the_share_is_told_without_equivalents_and_with_them_as_missed(tmp_path):
    faults = [Fault("m.py", "number", 2, "b = 2\n", f"b = {number}\n") for number in range(3, 13)]
    found = {one.name: runs.Found(one.name, "" if number < 2 else "t::x", 1.0) for number, one in enumerate(faults)}
    file = tmp_path / "equivalents.json"
    assert report.equivalents(file) == {}
    file.write_text(json.dumps([{"fault": faults[0].name, "reason": "never read", "confirmed_by": "A B"}]))
    told = report.Report("x", 1, faults, found, report.equivalents(file))
    assert (told.share, told.share_of_all) == (8 / 9, 8 / 10)
    assert [one["reason"] for one in told.shown()["survivors"]] == ["never read", ""]
    file.write_text(json.dumps([{"fault": faults[0].name, "reason": "never read"}]))
    with pytest.raises(report.BadEquivalents, match="no confirmed_by"):
        report.equivalents(file)


def test_a_planted_file_is_whole_again_afterwards(tmp_path):
    file = tmp_path / "m.py"
    file.write_text("a = 1\n")
    with pytest.raises(KeyError), runs.planted(file, "a = 2\n"):
        assert file.read_text() == "a = 2\n"
        raise KeyError
    assert file.read_text() == "a = 1\n"


def test_every_target_has_files_and_tests_and_an_unknown_one_is_named():
    for name in targets.names(ROOT):
        target = targets.find(name, ROOT)
        assert targets.sources(ROOT, target)
        assert all(arguments[-1].endswith(".py") for arguments in targets.tests(ROOT, target))
    with pytest.raises(targets.UnknownTarget, match="no target 'bakery'"):
        targets.find("bakery", ROOT)
