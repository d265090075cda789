"""Searching, comparing and rewriting text files."""

from __future__ import annotations

import fnmatch
import itertools
import re
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proverl.errors import Refused
from proverl.servers.filesystem.differences import blocks, unified
from proverl.servers.filesystem.patterns import glob
from support.filesystem_model import Model, code, do, opened

# Searching

GLOBS = st.text("ab*?.[", min_size=1, max_size=8)


@given(pattern=GLOBS, name=st.text("ab.[", min_size=1, max_size=8))
def test_a_name_pattern_means_what_fnmatch_says(pattern: str, name: str) -> None:
    wanted = fnmatch.fnmatchcase(name, pattern.replace("[", "[[]"))
    found = glob(pattern)
    assert found.fits(name) is wanted
    if wanted:
        assert len(name) >= found.least
        assert name.startswith(found.head)
        assert name.endswith(found.tail)
    elif found.settled:
        assert (
            not (len(name) >= found.least and name.startswith(found.head) and name.endswith(found.tail)) or found.exact
        )


@pytest.mark.parametrize("pattern", ["*.md", "*report*", "notes.md", "b*-*.t?t", "*", "?????????", ".*"])
def test_find_files_sees_exactly_what_the_user_may_see(pattern: str) -> None:
    session = opened()
    model = Model(session)
    wanted = [(p, n) for p, n in model.visible() if fnmatch.fnmatchcase(p.rsplit("/", 1)[1], pattern)]
    found = do(session, "find_files", path="/", name=pattern)
    assert found["count"] == len(wanted)
    assert [entry["path"] for entry in found["entries"]] == sorted(path for path, _ in wanted)[:100]
    big = do(session, "find_files", path="/", name=pattern, type="file", min_size=700)
    assert big["count"] == sum(model.of(n, "kind") == "file" and model.of(n, "size") >= 700 for _, n in wanted)


@pytest.mark.parametrize(
    ("pattern", "case"),
    [("the", "match"), ("port: ?[0-9]+", "match"), ("^#", "match"), ("error", "ignore"), ("s$", "match"),
     ("x*", "match"), ("a{2,3}|disk", "match"), ("café", "match"), ("[^ a-z]$", "ignore"), ("(?i)LAMP", "match")],
)  # fmt: skip
def test_grep_finds_the_lines_that_python_finds(pattern: str, case: str) -> None:
    session = opened()
    model = Model(session)
    regex = re.compile(pattern, re.IGNORECASE if case == "ignore" else 0)
    wanted = []
    for path, node in sorted(model.visible()):
        if model.of(node, "form") == "text" and model.may(node, 4):
            lines = model.of(node, "content").split("\n")[:-1]
            wanted += [(path, number, line) for number, line in enumerate(lines, 1) if regex.search(line)]
    found = do(session, "grep_files", path="/", pattern=pattern, case=case)
    assert found["count"] == min(len(wanted), 1_000)
    assert [(match["path"], match["line"], match["text"]) for match in found["matches"]] == wanted[
        : len(found["matches"])
    ]
    assert found["truncated"] == (len(wanted) > len(found["matches"]))


def test_anchors_of_a_whole_text_mean_the_file_and_not_the_search() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/one", content="alpha\nbeta")
    do(session, "write_file", path="~/staging/two", content="alpha\nbeta")
    found = do(session, "grep_files", path="~/staging", pattern=r"\A.*a")["matches"]
    assert [(match["line"], match["text"]) for match in found] == [(1, "alpha"), (1, "alpha")]


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|a)*b", r"(.*a){12}", r"a*a*a*a*a*a*a*a*b", r"^(([a-z])+.)+[A-Z]$"])
def test_patterns_whose_search_elsewhere_has_no_end_are_searched_for(pattern: str) -> None:
    session = opened()
    do(session, "write_file", path="~/staging/long", content="a" * 16_000 + "!")
    assert session.call("grep_files", {"pattern": pattern, "path": "~/staging"}).succeeded


def test_name_patterns_with_many_stars_are_searched_for_too() -> None:
    session = opened()
    do(session, "touch", path=f"~/staging/{'a' * 250}")
    assert do(session, "find_files", path="~/staging", name="*a" * 90 + "*b")["count"] == 0


@pytest.mark.parametrize("pattern", ["(", "a{99999}", "[z-a]", r"\1", "(?=a)", "", "a" * 201, "a)(b"])
def test_what_is_no_pattern_is_refused_with_a_reason(pattern: str) -> None:
    assert code(opened(), "grep_files", pattern=pattern) == "bad_pattern"


def test_a_glob_has_a_limit_and_no_slash() -> None:
    for pattern in ("", "a/b", "*" * 201):
        with pytest.raises(Refused, match="bad_pattern"):
            glob(pattern)


# Differences

LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "e", ""]), max_size=14)


def _patched(old: list[str], diff: list[str]) -> list[str]:
    """Apply a unified diff, by its heads and signs alone."""
    out: list[str] = []
    at = 0
    for line in diff:
        if line.startswith("@@"):
            begin, _, number = line.split()[1].removeprefix("-").partition(",")
            start = int(begin) - (number != "0")
            out += old[at:start]
            at = start
        elif line[0] == "+":
            out.append(line[1:])
        else:
            assert old[at] == line[1:]
            out += [] if line[0] == "-" else [line[1:]]
            at += 1
    return out + old[at:]


@given(old=LINES, new=LINES)
def test_a_diff_turns_the_old_text_into_the_new_one(old: list[str], new: list[str]) -> None:
    differing = blocks(old, new)
    assert (differing == []) is (old == new)
    assert _patched(old, list(unified(old, new, differing))) == new


class Counting(str):
    """A line that counts how often lines are compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Counting.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_a_diff_of_long_unlike_texts_compares_each_line_a_few_times_and_not_with_all_others() -> None:
    old = [Counting(number % 7) for number in range(20_000)]
    new = [Counting(number % 5) for number in range(20_000)]
    Counting.compared = 0
    differing = blocks(old, new)
    assert 0 < Counting.compared <= 10 * (len(old) + len(new))
    assert _patched(old, list(unified(old, new, differing))) == new


def test_two_copies_that_differ_in_one_line_differ_in_one_line() -> None:
    session = opened()
    first, second = (entry["path"] for entry in do(session, "find_files", path="/home", name="budget.csv")["entries"])
    found = do(session, "diff_files", first=first, second=second)
    assert (found["identical"], found["added"], found["removed"]) == (False, 1, 1)
    assert do(session, "diff_files", first=first, second=first)["identical"]


def test_compare_dirs_is_the_same_from_both_sides() -> None:
    session = opened()
    do(session, "cp", source="~/handover", destination="~/staging", recursive=True)
    assert do(session, "compare_dirs", first="~/handover", second="~/staging/handover")["different"] == []
    name = do(session, "ls", path="~/handover")["entries"][0]["name"]
    do(session, "append_file", path=f"~/staging/handover/{name}", content="more")
    do(session, "touch", path="~/staging/handover/extra")
    one = do(session, "compare_dirs", first="~/handover", second="~/staging/handover")
    other = do(session, "compare_dirs", first="~/staging/handover", second="~/handover")
    assert (one["only_first"], one["only_second"], one["different"]) == ([], ["extra"], [name])
    assert (other["only_first"], other["only_second"], other["same_count"]) == (["extra"], [], one["same_count"])


# Texts

CELLS = st.text("ab12 ", max_size=4)
TABLES = st.lists(st.tuples(CELLS, CELLS, CELLS).map(",".join), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(rows=TABLES)
def test_sort_uniq_and_cut_do_what_their_names_say(rows: list[str]) -> None:
    session = opened()
    do(session, "write_file", path="~/staging/t", content="\n".join(rows) + "\n")
    for order, compare, column in itertools.product(("ascending", "descending"), ("text", "numeric"), (None, 2)):
        target = f"~/staging/{order}{compare}{column}"
        more = {} if column is None else {"column": column}
        do(session, "sort_file", path="~/staging/t", output_path=target, order=order, compare=compare, **more)
        keys = {line: line if column is None else line.split(",")[column - 1] for line in rows}
        ranks = {line: _number(key) if compare == "numeric" else key for line, key in keys.items()}
        wanted = sorted(rows, key=ranks.__getitem__, reverse=order == "descending")
        assert do(session, "cat", path=target)["content"].split("\n")[:-1] == wanted
    do(session, "uniq_lines", path="~/staging/t", output_path="~/staging/u", counts=True)
    counted = [f"{rows.count(line)} {line}" for line in dict.fromkeys(rows)]
    assert do(session, "cat", path="~/staging/u")["content"].split("\n")[:-1] == counted
    do(session, "cut_columns", path="~/staging/t", output_path="~/staging/c", columns=[3, 1])
    wanted = [f"{line.split(',')[2]},{line.split(',')[0]}" for line in rows]
    assert do(session, "cat", path="~/staging/c")["content"].split("\n")[:-1] == wanted


def _number(text: str) -> float:
    digits = "".join(itertools.takewhile(str.isdigit, text.lstrip()))
    return float(digits or 0)


def test_the_parts_of_a_split_file_join_to_the_original() -> None:
    session = opened()
    do(session, "cp", source="/var/log/system.log", destination="~/staging")
    parts = do(session, "split_file", path="~/staging/system.log", lines_per_part=60)["parts"]
    do(session, "concat_files", paths=parts, output_path="~/staging/whole")
    sums = [do(session, "checksum_file", path=f"~/staging/{name}")["checksum"] for name in ("system.log", "whole")]
    assert sums[0] == sums[1]
    assert parts[0].endswith("/system.log.001")


def test_sed_replaces_every_or_the_first_and_counts_lines() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/s", content="aXaX\nb\naX\n")
    assert do(session, "sed_replace", path="~/staging/s", find="aX", replacement="", which="first")["replaced"] == 1
    again = do(session, "sed_replace", path="~/staging/s", find="aX", replacement="-\n-")
    assert (again["replaced"], again["lines_changed"]) == (2, 2)
    assert do(session, "cat", path="~/staging/s")["content"] == "-\n-\nb\n-\n-\n"


def test_a_replacement_that_would_fill_the_machine_is_refused_before_it_is_made() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/s", content="a" * 16_000)
    tracemalloc.start()
    try:
        assert code(session, "sed_replace", path="~/staging/s", find="a", replacement="x" * 2_000) == "quota_exceeded"
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 16_000 * 2_000 / 10
