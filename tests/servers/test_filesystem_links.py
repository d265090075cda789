"""Links that lead nowhere or in a circle, through every tool that takes a path, and links with two names."""

from __future__ import annotations

from typing import Any

import pytest

from proverl.world.session import LocalSession
from support.filesystem_model import SERVER, Model, code, do, opened

TEXT, FOLDER = "~/documents/reports/annual-report.md", "~/handover"
RIGHT: dict[str, dict[str, Any]] = {
    **{tool: {"path": FOLDER} for tool in ("cd", "ls", "tree", "du", "find_files", "rmdir", "rm", "chown")},
    **{tool: {"path": TEXT} for tool in ("cat", "head_file", "tail_file", "wc_file", "checksum_file", "stat_file")},
    **{tool: {"path": TEXT} for tool in ("realpath_of", "touch")},
    "mkdir": {"path": "~/new"},
    "chmod": {"path": TEXT, "mode": "640"},
    "grep_files": {"path": FOLDER, "pattern": "a"},
    "diff_files": {"first": TEXT, "second": TEXT},
    "compare_dirs": {"first": FOLDER, "second": "~/handover-old"},
    "write_file": {"path": "~/new", "content": "x"},
    "append_file": {"path": TEXT, "content": "x"},
    "sed_replace": {"path": TEXT, "find": "a", "replacement": "b"},
    "cp": {"source": TEXT, "destination": FOLDER},
    "mv": {"source": TEXT, "destination": FOLDER},
    "ln": {"target": TEXT, "link_path": "~/new", "kind": "symbolic"},
    "sort_file": {"path": TEXT, "output_path": "~/new"},
    "uniq_lines": {"path": TEXT, "output_path": "~/new"},
    "cut_columns": {"path": TEXT, "columns": [1], "output_path": "~/new"},
    "split_file": {"path": TEXT, "lines_per_part": 50},
    "concat_files": {"paths": [TEXT, TEXT], "output_path": "~/new"},
    "archive_list": {"path": "~/downloads/release.zip"},
    "archive_create": {"paths": [TEXT], "archive_path": "~/new", "format": "zip"},
    "archive_extract": {"path": "~/downloads/release.zip", "destination": "~/staging"},
    "restore_from_trash": {"trash_item_id": "", "destination": FOLDER},
}
"""Of each tool with a path, arguments that are right but for the path that is put in."""
LINK_ITSELF = {("rm", "path"), ("mv", "source"), ("ln", "target"), ("stat_file", "path")}
"""Where a link at the end of the path is meant itself."""
MADE = {("ln", "link_path"), ("mkdir", "path"), ("archive_create", "archive_path")} | {
    (tool, "output_path") for tool in ("sort_file", "uniq_lines", "cut_columns", "concat_files")
}
"""Where the path is one of something new, and a link of that name stands in the way."""


def _paths() -> list[tuple[str, str]]:
    found = []
    for tool in SERVER.tools:
        for name, schema in tool.input_schema["properties"].items():
            if "path" in (schema.get("format"), schema.get("items", {}).get("format")):
                found.append((tool.name, name))
    return found


PATHS = _paths()


@pytest.fixture(scope="module")
def circles() -> LocalSession:
    """~/one and ~/two lead to each other."""
    session = opened()
    do(session, "touch", path="~/one")
    do(session, "ln", target="~/one", link_path="~/two", kind="symbolic")
    do(session, "rm", path="~/one")
    do(session, "ln", target="~/two", link_path="~/one", kind="symbolic")
    return session


def _call(session: LocalSession, tool: str, argument: str, path: str) -> str:
    """The code of a call that is right but for one path; empty if it succeeds."""
    arguments = dict(RIGHT[tool])
    if tool == "restore_from_trash":
        arguments["trash_item_id"] = do(session, "list_trash", name="minutes-old")["items"][0]["trash_item_id"]
    arguments[argument] = [TEXT, path] if isinstance(arguments.get(argument), list) else path
    with session.attempt():
        return session.call(tool, arguments).code


def test_all_tools_with_a_path_are_tried() -> None:
    assert {tool for tool, _ in PATHS} == set(RIGHT)
    assert len(PATHS) == 47


@pytest.mark.parametrize(("tool", "argument"), PATHS)
def test_a_path_through_a_circle_has_too_many_links_in_every_tool(
    circles: LocalSession, tool: str, argument: str
) -> None:
    assert _call(circles, tool, argument, "~/one/x") == "too_many_links"
    assert "too_many_links" in SERVER.tool(tool).refusals


@pytest.mark.parametrize(("tool", "argument"), PATHS)
def test_a_path_through_a_dangling_link_is_broken_in_every_tool(
    circles: LocalSession, tool: str, argument: str
) -> None:
    assert _call(circles, tool, argument, "~/desk/lost-note.md/x") == "broken_link"
    assert "broken_link" in SERVER.tool(tool).refusals


@pytest.mark.parametrize(("tool", "argument"), PATHS)
def test_a_link_at_the_end_is_followed_unless_it_is_meant_itself(
    circles: LocalSession, tool: str, argument: str
) -> None:
    if (tool, argument) in LINK_ITSELF:
        wanted = {"too_many_links": "", "broken_link": ""}
    elif (tool, argument) in MADE:
        wanted = {"too_many_links": "already_exists", "broken_link": "already_exists"}
    else:
        wanted = {"too_many_links": "too_many_links", "broken_link": "broken_link"}
    assert _call(circles, tool, argument, "~/one") == wanted["too_many_links"]
    assert _call(circles, tool, argument, "~/desk/lost-note.md") == wanted["broken_link"]


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("~/one", "~/no-such-thing", "not_found"),
        ("~/one", FOLDER, "is_a_folder"),
        ("~/desk/lost-note.md", "~/documents/sealed.txt", "permission_denied"),
        ("~/one", "~/downloads/release.zip", "binary_file"),
        ("~/one", "~/desk/lost-note.md", "broken_link"),
        ("~/one", TEXT, "too_many_links"),
        ("~/vault/x", "~/no-such-thing", "not_found"),
        ("~/downloads/release.zip", "~/vault/x", "permission_denied"),
    ],
)
def test_of_two_files_that_cannot_be_compared_the_first_code_of_the_catalogue_is_given(
    circles: LocalSession, first: str, second: str, wanted: str
) -> None:
    assert code(circles, "diff_files", first=first, second=second) == wanted
    assert code(circles, "diff_files", first=second, second=first) == wanted


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("~/one", "~/no-such-thing", "not_found"),
        ("~/one", TEXT, "not_a_folder"),
        ("~/desk/lost-note.md", "/var/backups", "permission_denied"),
        ("~/one", "~/desk/lost-note.md", "broken_link"),
        ("~/one", FOLDER, "too_many_links"),
    ],
)
def test_of_two_folders_that_cannot_be_compared_the_first_code_of_the_catalogue_is_given(
    circles: LocalSession, first: str, second: str, wanted: str
) -> None:
    assert code(circles, "compare_dirs", first=first, second=second) == wanted
    assert code(circles, "compare_dirs", first=second, second=first) == wanted


def test_a_link_is_followed_through_every_step_to_its_end() -> None:
    session = opened()
    home = do(session, "cd", path="~")["cwd"]
    end = do(session, "stat_file", path="~/desk/latest")["target"]
    for path, written, steps in (
        ("latest", "latest", 2),
        ("desk/latest", "desk/latest", 1),
        ("desk/documents/reports", "documents/reports", 1),
        ("desk/documents", "desk/documents", 1),
        ("documents", "documents", 0),
    ):
        found = do(session, "realpath_of", path=path)
        real = end if path.endswith("latest") else f"{home}/{path.removeprefix('desk/')}"
        kind = "file" if path.endswith("latest") else "folder"
        assert found == {"path": f"{home}/{written}", "real_path": real, "type": kind, "steps": steps}


def test_content_with_two_names_counts_once_in_all_and_once_in_each_folder() -> None:
    session = opened()
    do(session, "mkdir", path="~/staging/one/two", parents=True)
    do(session, "mkdir", path="~/staging/other")
    do(session, "write_file", path="~/staging/one/a", content="x" * 9)
    for name in ("one/b", "one/two/c", "other/d", "e"):
        do(session, "ln", target="~/staging/one/a", link_path=f"~/staging/{name}", kind="hard")
    do(session, "write_file", path="~/staging/other/more", content="y" * 4)
    assert do(session, "du", path="~/staging") == {
        "path": do(session, "stat_file", path="~/staging")["path"],
        "total": 15,
        "subfolders": [{"name": "other", "bytes": 15}, {"name": "one", "bytes": 10}],
    }
    assert do(session, "du", path="~/staging/one")["subfolders"] == [{"name": "two", "bytes": 10}]


def test_what_is_written_through_a_dangling_link_does_not_come_into_being() -> None:
    session = opened()
    digest = session.digest()
    assert code(session, "touch", path="~/desk/lost-note.md") == "broken_link"
    assert code(session, "write_file", path="~/desk/lost-note.md", content="x", if_exists="replace") == "broken_link"
    assert session.digest() == digest


def test_a_symbolic_link_with_two_names_frees_nothing_until_the_last_is_gone() -> None:
    session = opened()
    do(session, "ln", target=TEXT, link_path="~/staging/a", kind="symbolic")
    do(session, "ln", target="~/staging/a", link_path="~/staging/b", kind="hard")
    used = do(session, "df")["used_bytes"]
    size = do(session, "stat_file", path="~/staging/a")["size"]
    first = do(session, "rm", path="~/staging/a")
    assert first["freed_bytes"] == 0
    assert do(session, "df")["used_bytes"] == used
    assert do(session, "rm", path="~/staging/b")["freed_bytes"] == size
    assert do(session, "df")["used_bytes"] == used - size
    do(session, "restore_from_trash", trash_item_id=first["trash_item_id"])
    assert do(session, "df")["used_bytes"] == used
    assert Model(session).faults() == []


def test_the_number_of_names_follows_each_of_them() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/a", content="x")
    do(session, "mkdir", path="~/staging/f")
    wanted = {"~/staging/a": 1}
    ids = {}

    def check() -> None:
        for path in wanted:
            assert do(session, "stat_file", path=path)["link_count"] == wanted[path], path

    check()
    for number, path in enumerate(("~/staging/b", "~/staging/f/c", "~/handover/d"), 2):
        assert do(session, "ln", target="~/staging/a", link_path=path, kind="hard")["link_count"] == number
        wanted = dict.fromkeys([*wanted, path], number)
        check()
    for path, left in (("~/handover/d", 3), ("~/staging/f", 2)):
        ids[path] = do(session, "rm", path=path, recursive=True)["trash_item_id"]
        wanted = {old: left for old in wanted if not old.startswith(path)}
        check()
    for path, more in (("~/staging/f", 3), ("~/handover/d", 4)):
        do(session, "restore_from_trash", trash_item_id=ids[path])
        wanted = dict.fromkeys(wanted, more)
        check()


def test_a_folder_frees_what_is_in_it_only_where_no_other_name_leads_there() -> None:
    """The same folder is deleted twice; in between the name outside of it has gone."""
    session = opened()
    do(session, "write_file", path="~/staging/a", content="one two")
    do(session, "mkdir", path="~/staging/f")
    do(session, "ln", target="~/staging/a", link_path="~/staging/f/b", kind="hard")
    for outside, freed in ((True, 0), (False, 8), (True, 0), (False, 8)):
        if not outside:
            item = do(session, "rm", path="~/staging/a")
            assert item["freed_bytes"] == 0
        deleted = do(session, "rm", path="~/staging/f", recursive=True)
        assert deleted["freed_bytes"] == freed
        assert do(session, "restore_from_trash", trash_item_id=deleted["trash_item_id"])["bytes"] == 8
        if not outside:
            do(session, "restore_from_trash", trash_item_id=item["trash_item_id"])
        assert Model(session).faults() == []


def test_a_path_that_leads_nowhere_is_compared_by_how_far_it_is_known() -> None:
    """Links before a missing name are followed; behind a closed folder or a broken link the path stays as written."""
    session = opened()
    home = do(session, "cd", path="~")["cwd"]
    for path, told in (
        ("desk/documents/none", f"{home}/documents/none"),
        ("desk/documents/none/more", f"{home}/documents/none/more"),
        ("desk/documents/../none", f"{home}/none"),
        ("vault/../vault/x", f"{home}/vault/../vault/x"),
        ("vault/x", f"{home}/vault/x"),
        ("desk/lost-note.md", f"{home}/desk/lost-note.md"),
        ("desk/lost-note.md/x", f"{home}/desk/lost-note.md/x"),
        ("documents/placeholder.txt/", f"{home}/documents/placeholder.txt"),
        ("documents/./placeholder.txt/x", f"{home}/documents/placeholder.txt/x"),
    ):
        outcome = session.call("cat", {"path": path})
        assert outcome.code in ("not_found", "permission_denied", "broken_link"), path
        assert outcome.resolved == {"path": told}, path


def test_a_broken_link_into_a_closed_folder_is_broken_and_not_forbidden() -> None:
    session = opened()
    do(session, "mkdir", path="~/staging/d")
    do(session, "touch", path="~/staging/d/x")
    do(session, "ln", target="~/staging/d/x", link_path="~/staging/l", kind="symbolic")
    do(session, "rm", path="~/staging/d/x")
    do(session, "chmod", path="~/staging/d", mode="555")
    assert code(session, "touch", path="~/staging/l") == "broken_link"
    assert code(session, "write_file", path="~/staging/l", content="x", if_exists="replace") == "broken_link"
    assert code(session, "mkdir", path="~/staging/l/y") == "broken_link"
