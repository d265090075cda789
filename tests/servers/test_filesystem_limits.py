"""Both sides of each limit: the quota to the byte and the entry, lengths of names, what lists and texts are cut at."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from proverl.world.session import LocalSession
from support.filesystem_model import Model, code, do, opened, sql

# The quota

TEXT, TOP = "~/documents/reports/annual-report.md", "~/staging/t"
NEEDS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "touch": [("touch", {"path": f"{TOP}/x"})],
    "mkdir": [("mkdir", {"path": f"{TOP}/x"})],
    "mkdir with parents": [("mkdir", {"path": f"{TOP}/x/y/z", "parents": True})],
    "write_file": [("write_file", {"path": f"{TOP}/x", "content": "ü\nb"})],
    "write_file over a smaller one": [
        ("write_file", {"path": f"{TOP}/x", "content": "a"}),
        ("write_file", {"path": f"{TOP}/x", "content": "bcd", "if_exists": "replace"}),
    ],
    "append_file": [
        ("write_file", {"path": f"{TOP}/x", "content": "a"}),
        ("append_file", {"path": f"{TOP}/x", "content": "ü"}),
    ],
    "sed_replace": [
        ("write_file", {"path": f"{TOP}/x", "content": "abab"}),
        ("sed_replace", {"path": f"{TOP}/x", "find": "a", "replacement": "ü\n"}),
    ],
    "sed_replace of the last newline": [
        ("write_file", {"path": f"{TOP}/x", "content": "ab"}),
        ("sed_replace", {"path": f"{TOP}/x", "find": "b\n", "replacement": "xyz"}),
    ],
    "cp": [("cp", {"source": TEXT, "destination": TOP})],
    "cp of a folder": [("cp", {"source": "~/documents/reports", "destination": TOP, "recursive": True})],
    "cp over a smaller one": [
        ("write_file", {"path": f"{TOP}/x", "content": "a"}),
        ("cp", {"source": TEXT, "destination": TOP, "new_name": "x", "if_exists": "replace"}),
    ],
    "a symbolic link": [("ln", {"target": TEXT, "link_path": f"{TOP}/x", "kind": "symbolic"})],
    "a hard link": [("ln", {"target": TEXT, "link_path": f"{TOP}/x", "kind": "hard"})],
    "sort_file": [("sort_file", {"path": TEXT, "output_path": f"{TOP}/x"})],
    "uniq_lines": [("uniq_lines", {"path": TEXT, "output_path": f"{TOP}/x", "counts": True})],
    "cut_columns": [("cut_columns", {"path": TEXT, "columns": [1, 1], "output_path": f"{TOP}/x"})],
    "split_file": [
        ("cp", {"source": TEXT, "destination": TOP}),
        ("split_file", {"path": f"{TOP}/annual-report.md", "lines_per_part": 2}),
    ],
    "concat_files": [("concat_files", {"paths": [TEXT, TEXT], "output_path": f"{TOP}/x"})],
    "archive_create": [
        ("archive_create", {"paths": ["~/documents/reports"], "archive_path": f"{TOP}/x", "format": "tar"}),
    ],
    "archive_extract": [("archive_extract", {"path": "~/downloads/release.zip", "destination": TOP})],
    "archive_extract over a smaller one": [
        ("write_file", {"path": f"{TOP}/install.sh", "content": "a"}),
        ("archive_extract", {"path": "~/downloads/release.zip", "destination": TOP, "if_exists": "replace"}),
    ],
    "restore_from_trash": [("restore_from_trash", {"trash_item_id": "winter-course"})],
}
"""Calls of which the last takes bytes or entries of the quota; a trash item is given by its name."""


def used(session: LocalSession) -> tuple[int, int]:
    """Bytes and entries that the tree takes, counted in the tree."""
    model = Model(session)
    live = model.walk()
    return sum(model.of(node, "size") for node in {node for _, node in live}), len(live)


@pytest.mark.parametrize("what", NEEDS)
def test_the_quota_is_enough_to_the_byte_and_the_entry_and_not_one_less(what: str) -> None:
    session = opened()
    do(session, "mkdir", path=TOP)
    for tool, arguments in NEEDS[what][:-1]:
        do(session, tool, **arguments)
    tool, arguments = NEEDS[what][-1]
    if tool == "restore_from_trash":
        item = do(session, "list_trash", name=arguments["trash_item_id"])["items"][0]
        arguments = {"trash_item_id": item["trash_item_id"]}
    before = used(session)
    with session.attempt():
        do(session, tool, **arguments)
        more = [after - now for after, now in zip(used(session), before, strict=True)]
    assert max(more) > 0
    for less in ((0, 0), (1, 0), (0, 1)):
        free = [need - one for need, one in zip(more, less, strict=True)]
        if min(free) < 0 and less != (0, 0):
            continue
        sql(
            session,
            "UPDATE setting SET quota_bytes = used_bytes + ?, quota_entries = used_entries + ?",
            *map(max, free, (0, 0)),
        )
        with session.attempt():
            outcome = session.call(tool, arguments)
            assert outcome.code == ("quota_exceeded" if any(less) else ""), (free, outcome)


# Names

MAKES: dict[str, tuple[dict[str, Any], str, str]] = {
    "touch": ({}, "path", "bad_name"),
    "mkdir": ({}, "path", "bad_name"),
    "write_file": ({"content": "x"}, "path", "bad_name"),
    "ln": ({"target": TEXT, "kind": "hard"}, "link_path", "invalid_argument"),
    "sort_file": ({"path": TEXT}, "output_path", "invalid_argument"),
    "uniq_lines": ({"path": TEXT}, "output_path", "invalid_argument"),
    "cut_columns": ({"path": TEXT, "columns": [1]}, "output_path", "invalid_argument"),
    "concat_files": ({"paths": [TEXT, TEXT]}, "output_path", "invalid_argument"),
    "archive_create": ({"paths": [TEXT], "format": "zip"}, "archive_path", "invalid_argument"),
}
"""Of each tool that makes an entry at a path: other arguments, the argument, the refusal of a bad name."""


@pytest.mark.parametrize("tool", MAKES)
def test_names_have_up_to_255_characters_that_can_be_printed(tool: str) -> None:
    session = opened()
    more, argument, refusal = MAKES[tool]
    for name in ("ü" * 255, "...", "-", " x ", "\u00a0y", "~"):
        with session.attempt():
            do(session, tool, **more, **{argument: f"~/staging/{name}"})
            assert do(session, "ls", path="~/staging", show="all")["entries"][0]["name"] == name
    for name in ("ü" * 256, " ", "\t", "a\nb", "a\x1fb", "a\x7fb"):
        assert code(session, tool, **more, **{argument: f"~/staging/{name}"}) == refusal, name
    with session.attempt():
        slashed = session.call(tool, {**more, argument: "~/staging/x/"})
        assert slashed.code == ("" if tool == "mkdir" else refusal)


@pytest.mark.parametrize("tool", MAKES)
def test_nothing_is_made_below_a_file_or_where_a_folder_is_missing(tool: str) -> None:
    session = opened()
    more, argument, _ = MAKES[tool]
    for folder in ("~/documents/placeholder.txt", "~/desk/latest", "~/nowhere", "~/nowhere/..", "~/staging/x/y"):
        assert code(session, tool, **more, **{argument: f"{folder}/x"}) == "folder_not_found", folder


def test_the_parts_of_a_file_have_names_of_up_to_255_characters() -> None:
    session = opened()
    for length, wanted in ((251, ""), (252, "invalid_argument")):
        do(session, "cp", source=TEXT, destination="~/staging", new_name="n" * length)
        path = f"~/staging/{'n' * length}"
        assert session.call("split_file", {"path": path, "lines_per_part": 1_000}).code == wanted


def test_a_file_that_is_missing_is_not_found_however_long_its_name() -> None:
    assert code(opened(), "split_file", path=f"~/staging/{'n' * 255}", lines_per_part=1) == "not_found"


def test_a_file_has_up_to_99_parts() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/x", content="a\n" * 99)
    do(session, "write_file", path="~/staging/y", content="a\n" * 100)
    assert code(session, "split_file", path="~/staging/y", lines_per_part=1) == "too_many_parts"
    parts = do(session, "split_file", path="~/staging/x", lines_per_part=1)
    assert parts["count"] == 99
    assert [path.rsplit("/", 1)[1] for path in parts["parts"]] == [f"x.{number:03d}" for number in range(1, 100)]
    assert do(session, "split_file", path="~/staging/y", lines_per_part=2)["count"] == 50
    do(session, "touch", path="~/staging/z")
    assert do(session, "split_file", path="~/staging/z", lines_per_part=1)["count"] == 1
    assert do(session, "cat", path="~/staging/y.050")["content"] == "a\na\n"


# What is cut


def many(count: int) -> LocalSession:
    """~/staging/t with so many entries, f000 and so on."""
    session = opened()
    do(session, "mkdir", path=TOP)
    sql(session, "UPDATE setting SET quota_entries = quota_entries + 10000")
    for number in range(count):
        do(session, "touch", path=f"{TOP}/f{number:03d}")
    return session


@pytest.mark.parametrize("count", [100, 101])
def test_a_hundred_entries_are_found_and_compared_and_no_more(count: int) -> None:
    session = many(count)
    found = do(session, "find_files", path=TOP, name="f*")
    for one in (
        found,
        do(session, "find_files", path=TOP, name="f???"),
        do(session, "find_files", path=TOP),
    ):
        assert (one["count"], one["truncated"], len(one["entries"])) == (count, count > 100, 100)
        assert [entry["path"][-4:] for entry in one["entries"]] == [f"f{number:03d}" for number in range(100)]
    one = do(session, "compare_dirs", first=TOP, second="~/empty-box")
    other = do(session, "compare_dirs", first="~/empty-box", second=TOP)
    names = [f"f{number:03d}" for number in range(100)]
    assert (one["only_first"], one["only_second"], one["truncated"]) == (names, [], count > 100)
    assert (other["only_first"], other["only_second"], other["truncated"]) == ([], names, count > 100)
    do(session, "mkdir", path="~/staging/u")
    for number in range(count):
        do(session, "mkdir", path=f"~/staging/u/f{number:03d}")
    both = do(session, "compare_dirs", first=TOP, second="~/staging/u")
    assert (both["different"], both["truncated"], both["same_count"]) == (names, count > 100, 0)


def test_what_is_looked_for_by_size_or_time_lies_on_the_right_side_of_the_bound() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/x", content="ab")
    entry = do(session, "find_files", path="~/staging")["entries"][0]
    second = timedelta(seconds=1)
    at = datetime.fromisoformat(entry["modified"])
    for argument, value, fits in (
        ("min_size", entry["size"], True),
        ("min_size", entry["size"] + 1, False),
        ("modified_after", entry["modified"], False),
        ("modified_after", (at - second).isoformat(), True),
        ("modified_after", (at + second).isoformat(), False),
    ):
        found = do(session, "find_files", path="~/staging", **{argument: value})
        assert found["entries"] == ([entry] if fits else []), (argument, value)


@pytest.mark.parametrize("count", [300, 301])
def test_a_tree_shows_three_hundred_entries_and_no_more(count: int) -> None:
    session = many(count - 1)
    do(session, "mkdir", path=f"{TOP}/z")
    found = do(session, "tree", path=TOP)
    wanted = [f"f{number:03d}" for number in range(count - 1)] + ["z/"]
    assert found["tree"].splitlines() == wanted[:300]
    assert (found["files"], found["folders"], found["truncated"]) == (count - 1, 1, count > 300)


@pytest.mark.parametrize("depth", range(1, 9))
def test_a_tree_goes_down_to_its_depth(depth: int) -> None:
    session = opened()
    do(session, "mkdir", path=f"{TOP}/1/2/3/4/5/6/7/8/9", parents=True)
    found = do(session, "tree", path=TOP, depth=depth)
    assert found["tree"] == "".join(f"{'  ' * (level - 1)}{level}/\n" for level in range(1, depth + 1))
    assert (found["folders"], found["files"], found["truncated"]) == (depth, 0, False)
    assert do(session, "tree", path=TOP) == do(session, "tree", path=TOP, depth=3)


@pytest.mark.parametrize(
    ("lines", "shown", "counted"), [(100, 100, 100), (101, 100, 101), (1_000, 100, 1_000), (1_001, 100, 1_000)]
)
def test_a_hundred_matches_are_shown_and_a_thousand_counted(lines: int, shown: int, counted: int) -> None:
    session = opened()
    do(session, "write_file", path="~/staging/x", content="a\n" * lines)
    found = do(session, "grep_files", pattern="a", path="~/staging")
    assert (found["count"], len(found["matches"]), found["truncated"]) == (counted, shown, lines > 100)
    assert [match["line"] for match in found["matches"]] == list(range(1, shown + 1))


def test_sixteen_kilobytes_of_matches_are_shown_and_no_more() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/x", content=("a" * 2_047 + "\n") * 7 + "a" * 2_048)
    do(session, "append_file", path="~/staging/x", content="a" * 7)
    found = do(session, "grep_files", pattern="a", path="~/staging")
    assert (len(found["matches"]), found["truncated"]) == (9, False)  # 16,384 bytes
    do(session, "append_file", path="~/staging/x", content="a")
    found = do(session, "grep_files", pattern="a", path="~/staging")
    assert (len(found["matches"]), found["count"], found["truncated"]) == (9, 10, True)


@pytest.mark.parametrize(("lines", "width"), [(400, 1), (401, 1), (4, 4_095), (4, 4_096), (400, 0), (401, 0)])
def test_four_hundred_lines_and_sixteen_kilobytes_are_printed_and_no_more(lines: int, width: int) -> None:
    session = opened()
    do(session, "touch", path="~/staging/x")
    for _ in range(lines):
        do(session, "append_file", path="~/staging/x", content="a" * width or "\n")
    whole = ("a" * width + "\n") * lines
    shown = "".join(whole.splitlines(keepends=True)[:400])[:16_384]
    printed = do(session, "cat", path="~/staging/x")
    assert (printed["content"], printed["lines"], printed["truncated"]) == (shown, lines, shown != whole)
    for tool, part in (("head_file", whole[:16_384]), ("tail_file", whole[-16_384:])):
        if lines <= 200:
            printed = do(session, tool, path="~/staging/x", lines=lines)
            assert (printed["content"], printed["truncated"]) == (part, part != whole)
            assert printed["lines"] == len(part.splitlines())
    do(session, "touch", path="~/staging/y")
    diff = do(session, "diff_files", first="~/staging/y", second="~/staging/x")
    assert (diff["added"], diff["removed"], diff["truncated"]) == (lines, 0, lines > 397 or width > 4_000)
    assert diff["diff"].count("\n") <= 400


def test_head_and_tail_print_ten_lines_or_as_many_as_are_asked_for() -> None:
    session = opened()
    lines = [f"{number}\n" for number in range(20)]
    do(session, "write_file", path="~/staging/x", content="".join(lines))
    for tool, begin in (("head_file", True), ("tail_file", False)):
        for asked in (None, 1, 10, 19, 20, 21):
            more = {} if asked is None else {"lines": asked}
            part = lines[: asked or 10] if begin else lines[-(asked or 10) :]
            found = do(session, tool, path="~/staging/x", **more)
            assert (found["content"], found["lines"], found["truncated"]) == ("".join(part), len(part), False)


# Mode bits

RIGHTS: dict[str, tuple[str, dict[str, Any], str, int]] = {}


def need(rights: int, at: str, tool: str, **arguments: Any) -> None:
    RIGHTS[f"{tool} {at} {len(RIGHTS)}"] = (tool, arguments, at, rights)


R, W, X = 4, 2, 1
for _tool in ("ls", "tree", "du", "find_files"):
    need(R | X, "", _tool, path=TOP)
need(R | X, "", "grep_files", path=TOP, pattern="a")
need(R, "a", "grep_files", path=f"{TOP}/a", pattern="a")
need(X, "", "cd", path=TOP)
for _tool in ("cat", "head_file", "tail_file", "wc_file", "checksum_file"):
    need(R, "a", _tool, path=f"{TOP}/a")
    need(X, "", _tool, path=f"{TOP}/a")
for _tool in ("stat_file", "realpath_of", "touch"):
    need(0, "a", _tool, path=f"{TOP}/a")
    need(X, "", _tool, path=f"{TOP}/a")
need(R, "a", "diff_files", first=f"{TOP}/a", second=TEXT)
need(R, "a", "diff_files", first=TEXT, second=f"{TOP}/a")
need(R | X, "", "compare_dirs", first=TOP, second="~/handover")
need(R | X, "", "compare_dirs", first="~/handover", second=TOP)
need(W, "a", "append_file", path=f"{TOP}/a", content="x")
need(R | W, "a", "sed_replace", path=f"{TOP}/a", find="a", replacement="b")
need(W | X, "", "touch", path=f"{TOP}/n")
need(W | X, "", "mkdir", path=f"{TOP}/n")
need(W | X, "", "mkdir", path=f"{TOP}/n/o", parents=True)
need(W | X, "", "write_file", path=f"{TOP}/n", content="x")
need(W | X, "", "write_file", path=f"{TOP}/a", content="x", if_exists="replace")
need(0, "a", "write_file", path=f"{TOP}/a", content="x", if_exists="replace")
need(W | X, "", "rm", path=f"{TOP}/a")
need(0, "a", "rm", path=f"{TOP}/a")
need(W | X, "f", "rm", path=f"{TOP}/f", recursive=True)
need(W | X, "", "rmdir", path=f"{TOP}/e")
need(0, "e", "rmdir", path=f"{TOP}/e")
need(R, "a", "cp", source=f"{TOP}/a", destination="~/handover")
need(X, "", "cp", source=f"{TOP}/a", destination="~/handover")
need(R | X, "f", "cp", source=f"{TOP}/f", destination="~/handover", recursive=True)
need(W | X, "", "cp", source=TEXT, destination=TOP)
need(W | X, "", "mv", source=f"{TOP}/a", destination="~/handover")
need(0, "a", "mv", source=f"{TOP}/a", destination="~/handover")
need(W | X, "", "mv", source="~/handover/own", destination=TOP)
need(W | X, "", "ln", target=TEXT, link_path=f"{TOP}/n", kind="hard")
need(X, "", "ln", target=f"{TOP}/a", link_path="~/handover/n", kind="hard")
need(0, "a", "ln", target=f"{TOP}/a", link_path="~/handover/n", kind="hard")
need(0, "a", "chmod", path=f"{TOP}/a", mode="600")
need(X, "", "chmod", path=f"{TOP}/a", mode="600")
need(R | X, "f", "chmod", path=TOP, mode="700", recursive=True)
need(0, "a", "chown", path=f"{TOP}/a", owner="root")
need(X, "", "chown", path=f"{TOP}/a", owner="root")
for _tool, _more in (("sort_file", {}), ("uniq_lines", {}), ("cut_columns", {"columns": [1]})):
    need(R, "a", _tool, path=f"{TOP}/a", output_path="~/handover/n", **_more)
    need(W | X, "", _tool, path=TEXT, output_path=f"{TOP}/n", **_more)
need(R, "a", "split_file", path=f"{TOP}/a", lines_per_part=9)
need(W | X, "", "split_file", path=f"{TOP}/a", lines_per_part=9)
need(R, "a", "concat_files", paths=[TEXT, f"{TOP}/a"], output_path="~/handover/n")
need(W | X, "", "concat_files", paths=[TEXT, TEXT], output_path=f"{TOP}/n")
need(R, "a", "archive_create", paths=[TEXT, f"{TOP}/a"], archive_path="~/handover/n", format="tar")
need(R | X, "", "archive_create", paths=[TOP], archive_path="~/handover/n", format="tar")
need(W | X, "", "archive_create", paths=[TEXT], archive_path=f"{TOP}/n", format="tar")
need(R, "z", "archive_list", path=f"{TOP}/z")
need(R, "z", "archive_extract", path=f"{TOP}/z", destination="~/staging")
need(W | X, "", "archive_extract", path="~/downloads/release.zip", destination=TOP)
need(W | X, "", "restore_from_trash", trash_item_id="minutes-old", destination=TOP)


@pytest.fixture(scope="module")
def grown() -> LocalSession:
    """~/staging/t with a file, an archive, a folder with a file, and an empty folder."""
    session = opened()
    do(session, "mkdir", path=f"{TOP}/f/deep", parents=True)
    do(session, "mkdir", path=f"{TOP}/e")
    for path in (f"{TOP}/a", f"{TOP}/f/b", "~/handover/own"):
        do(session, "write_file", path=path, content="a")
    do(session, "cp", source="~/downloads/release.zip", destination=TOP, new_name="z")
    return session


@pytest.mark.parametrize("case", RIGHTS)
def test_a_call_needs_these_rights_and_no_others(grown: LocalSession, case: str) -> None:
    tool, arguments, at, rights = RIGHTS[case]
    if tool == "restore_from_trash":
        item = do(grown, "list_trash", name=arguments["trash_item_id"])["items"][0]["trash_item_id"]
        arguments = {**arguments, "trash_item_id": item}
    for bits in range(8):
        with grown.attempt():
            do(grown, "chmod", path=f"{TOP}/{at}", mode=f"{bits}77")
            assert grown.call(tool, arguments).code == ("" if bits & rights == rights else "permission_denied"), bits
