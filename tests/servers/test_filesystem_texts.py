"""Searching, comparing and rewriting text files."""

from __future__ import annotations

import difflib
import fnmatch
import itertools
import re
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proverl.records import Kind
from proverl.servers.filesystem.differences import SMALL, blocks, common, unified
from proverl.world.session import LocalSession
from support.filesystem_model import Model, code, do, opened, sql

# Searching

GLOBS = st.text("aB*?.[]\0", min_size=1, max_size=5)


@pytest.fixture(scope="module")
def named() -> LocalSession:
    """~/staging with a file of each name of up to three of these characters, but "." and ".."."""
    session = opened()
    do(session, "cd", path="~")
    sql(session, "UPDATE setting SET quota_entries = quota_entries + 1000")
    for length in (1, 2, 3):
        for name in map("".join, itertools.product("aB.[", repeat=length)):
            if name not in (".", ".."):
                do(session, "write_file", path=f"~/staging/{name}", content="x")
    return session


@given(pattern=GLOBS)
def test_a_name_pattern_means_what_fnmatch_says(named: LocalSession, pattern: str) -> None:
    names = [entry["name"] for entry in do(named, "ls", path="~/staging", show="all")["entries"]]
    wanted = [name for name in names if fnmatch.fnmatchcase(name, pattern.replace("[", "[[]"))]
    for found in (
        [entry["path"] for entry in do(named, "find_files", path="~/staging", name=pattern)["entries"]],
        [match["path"] for match in do(named, "grep_files", path="~/staging", name=pattern, pattern="x")["matches"]],
    ):
        assert [path.rsplit("/", 1)[1] for path in found] == wanted
    for name in ("[a", "a.B"):
        told = do(named, "grep_files", path=f"~/staging/{name}", name=pattern, pattern="x")
        assert told["count"] == (name in wanted)


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
     ("x*", "match"), ("a{2,3}|disk", "match"), ("café", "match"), ("[^ a-z]$", "ignore"), ("(?i)LAMP", "match"),
     ("{x?", "match"), ("lamps?", "match"), ("lamp*", "match"), ("por{1,2}t", "match"), ("port|host", "match"),
     (r"\[x\]", "match"), ("# [a-z]+", "match"), ("LAMP", "ignore"), ("LAMP", "match"), ("ort.*[5-9]$", "match")],
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


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"\A.*a", ["alpha", "beta", "gam"]),
        (r"a\z", ["alpha", "beta"]),
        (r"(?-m)^b", ["beta"]),
        (r"(?-m)a$", ["alpha", "beta"]),
        (r"(?s)a.b", []),
        (r"a\nb", []),
        (r"(?i)^ALPHA$", ["alpha"]),
        (r"a(?i)LPHA|g(?i)AM", ["alpha", "gam"]),
        (r"l(?i)PHA", ["alpha"]),
        (r"L(?i)PHA", []),
        (r"[^p]+\z", ["alpha", "beta", "gam"]),
        (r"^$", [""]),
        (r"\C{6}", []),
    ],
)
def test_each_line_is_matched_alone_whatever_the_pattern_says_of_the_text(pattern: str, wanted: list[str]) -> None:
    session = opened()
    for name in ("one", "two"):
        do(session, "write_file", path=f"~/staging/{name}", content="alpha\nbeta\n\ngam")
    found = do(session, "grep_files", path="~/staging", pattern=pattern)["matches"]
    assert [match["text"] for match in found if match["path"].endswith("/one")] == wanted
    assert [match["text"] for match in found if match["path"].endswith("/two")] == wanted


@pytest.mark.parametrize("pattern", ["(", "a)(b", "[z-a]", r"\1"])
def test_what_is_wrong_with_a_pattern_is_told_in_the_words_of_the_caller(pattern: str) -> None:
    outcome = opened().call("grep_files", {"pattern": pattern})
    assert outcome.code == "bad_pattern"
    assert "(?m)" not in outcome.message


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
        assert code(opened(), "find_files", name=pattern) == "bad_pattern"


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


CUTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3), st.integers(0, 3)), max_size=5)


@given(length=st.integers(0, 40), cuts=CUTS)
def test_a_diff_of_lines_that_come_once_is_the_one_of_the_standard_library(
    length: int, cuts: list[tuple[int, int, int]]
) -> None:
    """Where no line comes twice there is one smallest diff, so hunks, heads and context can be compared."""
    old = [f"line {number}" for number in range(length)]
    new, at = [], 0
    for place, (start, removed, added) in enumerate(sorted(cuts)):
        new += old[at:start] if start > at else []
        new += [f"new {place} {number}" for number in range(added)]
        at = min(length, max(at, start) + removed)
    new += old[at:]
    wanted = list(difflib.unified_diff(old, new, lineterm=""))[2:]
    assert list(unified(old, new, blocks(old, new))) == wanted


@given(old=LINES, new=LINES)
def test_matched_lines_are_equal_and_in_order_and_most_that_can_be_matched_are(old: list[str], new: list[str]) -> None:
    pairs = common(old, new)
    assert all(old[x] == new[y] for x, y in pairs)
    assert all(x < a and y < b for (x, y), (a, b) in itertools.pairwise(pairs))
    least = next((n for n, (x, y) in enumerate(zip(old, new, strict=False)) if x != y), min(len(old), len(new)))
    assert len(pairs) >= least
    assert pairs[:least] == [(number, number) for number in range(least)]
    if not set(old) & set(new):
        assert pairs == []


@given(old=st.lists(st.sampled_from("ab"), max_size=5), new=st.lists(st.sampled_from("ab"), max_size=5))
def test_in_short_texts_whose_lines_come_often_as_many_lines_are_matched_as_can_be(
    old: list[str], new: list[str]
) -> None:
    old, new = [*old, "a", "b", *old], [*new, "a", "b", *new]
    assert len(common(old, new)) == _longest(old, new)


@given(old=st.permutations("abcdefgh"), new=st.permutations("abcdefgh"))
def test_of_lines_that_come_once_as_many_are_matched_as_can_be(old: list[str], new: list[str]) -> None:
    assert len(common(old, new)) == _longest(old, new)


@pytest.mark.parametrize(("rows", "others", "compared"), [(40, 100, True), (50, 80, True), (41, 98, False)])
def test_gaps_whose_lines_come_often_are_compared_in_full_while_they_are_small(
    rows: int, others: int, compared: bool
) -> None:
    same = [f"same {number}" for number in range(30)]
    old, new = ["ab"[number % 2] for number in range(rows)], ["bbca"[number % 4] for number in range(others)]
    new[-1] = "d" if old[-1] == new[-1] else new[-1]
    pairs = common(same + old, same + new)
    assert rows * others <= SMALL or not compared
    assert len(pairs) == len(same) + (_longest(old, new) if compared else 0)


def _longest(old: list[str], new: list[str]) -> int:
    """The length of the longest common subsequence, row by row."""
    row = [0] * (len(new) + 1)
    for line in old:
        above, row = row, [0]
        for place, other in enumerate(new):
            row.append(above[place] + 1 if line == other else max(row[place], above[place + 1]))
    return row[-1]


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


# Sizes are bytes of UTF-8

CHARACTERS = {1: "a", 2: "é", 3: "€", 4: "😀"}


@pytest.mark.parametrize("width", CHARACTERS)
def test_sixteen_kilobytes_are_bytes_on_both_sides_of_the_limit(width: int) -> None:
    session = opened()
    most = CHARACTERS[width] * (16_384 // width) + "a" * (16_384 % width)
    written = do(session, "write_file", path="~/staging/most", content=most)
    assert written["bytes"] == 16_384 + 1  # with the newline that it gets
    digest = session.digest()
    outcome = session.call("write_file", {"path": "~/staging/more", "content": most + "a"})
    assert outcome.code == ("schema" if width == 1 else "invalid_argument")
    assert session.digest() == digest
    printed = do(session, "cat", path="~/staging/most")
    assert (printed["content"], printed["truncated"]) == (most, True)


def test_sixteen_thousand_letters_of_two_bytes_are_too_many() -> None:
    assert code(opened(), "write_file", path="~/staging/more", content="é" * 16_384) == "invalid_argument"


@pytest.mark.parametrize("width", [2, 3, 4])
def test_four_kilobytes_of_more_text_are_bytes_on_both_sides_of_the_limit(width: int) -> None:
    session = opened()
    do(session, "touch", path="~/staging/t")
    most = CHARACTERS[width] * (4_096 // width) + "a" * (4_096 % width)
    assert do(session, "append_file", path="~/staging/t", content=most)["bytes"] == 4_097
    assert code(session, "append_file", path="~/staging/t", content=most + "a") == "invalid_argument"
    assert do(session, "wc_file", path="~/staging/t")["bytes"] == 4_097


@pytest.mark.parametrize("width", CHARACTERS)
def test_head_keeps_the_beginning_and_tail_the_end_of_what_is_too_long(width: int) -> None:
    session = opened()
    lines = [CHARACTERS[width] * (4_000 // width) + str(number) for number in range(6)]
    do(session, "touch", path="~/staging/t")
    for line in lines:
        do(session, "append_file", path="~/staging/t", content=line)
    whole = "".join(f"{line}\n" for line in lines)
    head, tail = (do(session, f"{end}_file", path="~/staging/t") for end in ("head", "tail"))
    assert (head["truncated"], tail["truncated"]) == (True, True)
    assert whole.startswith(head["content"])
    assert whole.endswith(tail["content"])
    for shown in (head, tail):
        assert 16_384 - width < len(shown["content"].encode()) <= 16_384
        assert shown["lines"] == len(shown["content"].splitlines()) == 5
    assert do(session, "tail_file", path="~/staging/t", lines=2)["content"] == "".join(f"{x}\n" for x in lines[-2:])


@pytest.mark.parametrize(("find", "replacement"), [("\n", ""), ("c\n", "d"), ("a\nb\nc\n", "x"), ("\n", " ")])
def test_a_text_that_loses_its_last_newline_gets_one(find: str, replacement: str) -> None:
    session = opened()
    before = "a\nb\nc\n"
    do(session, "write_file", path="~/staging/s", content=before)
    do(session, "sed_replace", path="~/staging/s", find=find, replacement=replacement)
    after = before.replace(find, replacement) + "\n"
    assert do(session, "cat", path="~/staging/s")["content"] == after
    assert do(session, "stat_file", path="~/staging/s")["size"] == len(after)
    assert Model(session).faults() == []


def test_a_text_of_which_nothing_is_left_is_empty() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/s", content="a")
    do(session, "sed_replace", path="~/staging/s", find="a\n", replacement="")
    assert do(session, "stat_file", path="~/staging/s")["size"] == 0


# Names


@pytest.mark.parametrize("name", [" ", "   ", "\u00a0", "\u2003 \t"])
def test_no_entry_gets_a_blank_name(name: str) -> None:
    session = opened()
    digest = session.digest()
    blank = f"~/staging/{name}"
    assert code(session, "touch", path=blank) == "bad_name"
    assert code(session, "write_file", path=blank, content="x") == "bad_name"
    assert code(session, "mkdir", path=f"{blank}/x", parents=True) == "bad_name"
    assert code(session, "mkdir", path=blank) == "bad_name"
    text = "~/documents/placeholder.txt"
    assert code(session, "ln", target=text, link_path=blank, kind="symbolic") == "invalid_argument"
    assert code(session, "sort_file", path=text, output_path=blank) == "invalid_argument"
    assert code(session, "archive_create", paths=[text], archive_path=blank, format="tar") == "invalid_argument"
    for tool in ("cp", "mv"):
        outcome = session.call(tool, {"source": text, "destination": "~/staging", "new_name": name})
        assert outcome.kind is Kind.BAD_ARGUMENTS
    assert session.call("list_trash", {"name": name}).kind is Kind.BAD_ARGUMENTS
    assert session.digest() == digest


def test_deleted_names_are_found_in_any_case_of_any_alphabet() -> None:
    session = opened()
    for name in ("ÉTÉ-Plan.txt", "straße.md", "ΣΟΦΙΑ.txt"):
        do(session, "touch", path=f"~/staging/{name}")
        do(session, "rm", path=f"~/staging/{name}")
    for part, wanted in (("été", "ÉTÉ-Plan.txt"), ("STRASSE", "straße.md"), ("σοφια", "ΣΟΦΙΑ.txt")):
        assert [item["name"] for item in do(session, "list_trash", name=part)["items"]] == [wanted]


# What is read is what is there now

READS: dict[str, tuple[dict[str, object], str]] = {
    **dict.fromkeys(("cat", "head_file", "tail_file", "wc_file", "checksum_file"), ({"path": "~/staging/x"}, "")),
    "grep_files": ({"path": "~/staging", "pattern": "[bc]"}, ""),
    "diff_files": ({"first": "~/staging/x", "second": "~/staging/old"}, ""),
    "compare_dirs": ({"first": "~/staging", "second": "~/handover/copy"}, ""),
    "sort_file": ({"path": "~/staging/x"}, "output_path"),
    "uniq_lines": ({"path": "~/staging/x"}, "output_path"),
    "cut_columns": ({"path": "~/staging/x", "columns": [1]}, "output_path"),
    "concat_files": ({"paths": ["~/staging/x", "~/staging/old"]}, "output_path"),
    "archive_create": ({"paths": ["~/staging/x"], "format": "tar"}, "archive_path"),
}


@pytest.mark.parametrize("tool", READS)
def test_a_text_changed_in_place_is_read_anew(tool: str) -> None:
    """The size stays the same, and so does all that is known of the file but its content and time."""
    arguments, output = READS[tool]
    results = []
    for early in (True, False):
        session = opened()
        do(session, "write_file", path="~/staging/x", content="ab\nab")
        do(session, "cp", source="~/staging/x", destination="~/staging", new_name="old")
        do(session, "mkdir", path="~/handover/copy")
        for name in ("x", "old"):
            do(session, "cp", source=f"~/staging/{name}", destination="~/handover/copy")
        if early:
            do(session, tool, **arguments, **({output: "~/handover/first"} if output else {}))
        do(session, "sed_replace", path="~/staging/x", find="b", replacement="c")
        told = do(session, tool, **arguments, **({output: "~/handover/second"} if output else {}))
        sums = do(session, "checksum_file", path="~/handover/second")["checksum"] if output else ""
        results.append((told, sums))
    assert results[0] == results[1]
    assert results[0][1] != "" if output else True


@pytest.mark.parametrize("tool", [tool for tool in READS if tool != "wc_file"])
def test_two_sessions_with_other_texts_of_one_size_and_time_get_other_answers(tool: str) -> None:
    arguments, output = READS[tool]
    results = []
    for text in ("bb", "bc"):
        session = opened()
        do(session, "write_file", path="~/staging/x", content=text)
        do(session, "write_file", path="~/staging/old", content="bb")
        do(session, "mkdir", path="~/handover/copy")
        do(session, "write_file", path="~/handover/copy/x", content="bb")
        told = do(session, tool, **arguments, **({output: "~/handover/out"} if output else {}))
        results.append((told, do(session, "checksum_file", path="~/handover/out")["checksum"] if output else ""))
    assert results[0] != results[1]
