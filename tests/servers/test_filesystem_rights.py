"""Rights below a folder: what every recursive tool does with a child that is closed to the user."""

from __future__ import annotations

from typing import Any

import pytest

from proverl.world.session import LocalSession
from support.filesystem_model import Model, code, do, opened

TOP = "~/staging/top"


def grown(**modes: str) -> LocalSession:
    """~/staging/top with a file, and a folder `in` with a file and a folder `deep`; modes are set last."""
    session = opened()
    do(session, "mkdir", path=f"{TOP}/in/deep", parents=True)
    for path in ("a.txt", "in/b.txt", "in/deep/c.txt"):
        do(session, "write_file", path=f"{TOP}/{path}", content=f"needle {path}")
    for name, mode in reversed(list(modes.items())):  # what lies deeper is closed first
        do(session, "chmod", path=f"{TOP}/{name.replace('_', '/')}", mode=mode)
    return session


def refused(session: LocalSession, tool: str, **arguments: Any) -> str:
    """The code of a refused call, which changed nothing."""
    digest = session.digest()
    found = code(session, tool, **arguments)
    assert session.digest() == digest
    return found


# Reads leave out what is closed


@pytest.mark.parametrize("mode", ["000", "400", "100", "300", "600"])
def test_reads_pass_over_a_folder_that_may_not_be_listed(mode: str) -> None:
    session = grown(**{"in": mode})
    home = do(session, "stat_file", path="~")["path"]
    found = [entry["path"] for entry in do(session, "find_files", path=TOP)["entries"]]
    assert found == [f"{home}/staging/top/a.txt", f"{home}/staging/top/in"]
    matches = do(session, "grep_files", path=TOP, pattern="needle")["matches"]
    assert [match["path"] for match in matches] == [f"{home}/staging/top/a.txt"]
    assert do(session, "tree", path=TOP)["tree"] == "a.txt\nin/\n"
    assert do(session, "du", path=TOP)["total"] == len("needle a.txt\n")


def test_du_leaves_out_subfolders_that_may_not_be_listed_and_names_empty_ones() -> None:
    session = grown(**{"in": "300"})
    do(session, "mkdir", path=f"{TOP}/empty")
    assert do(session, "du", path=TOP)["subfolders"] == [{"name": "empty", "bytes": 0}]


def test_grep_passes_over_files_that_may_not_be_read() -> None:
    session = grown()
    do(session, "chmod", path=f"{TOP}/in/b.txt", mode="200")
    paths = [match["path"] for match in do(session, "grep_files", path=TOP, pattern="needle")["matches"]]
    assert [path.rsplit("/", 1)[1] for path in paths] == ["a.txt", "c.txt"]


# Writes are refused as a whole


@pytest.mark.parametrize(
    ("closed", "mode"), [("in", "300"), ("in", "600"), ("in/deep", "000"), ("in/b.txt", "200"), ("a.txt", "000")]
)
def test_what_may_not_be_read_stops_a_copy_and_an_archive(closed: str, mode: str) -> None:
    session = grown()
    do(session, "chmod", path=f"{TOP}/{closed}", mode=mode)
    copy = {"source": TOP, "destination": "~/handover", "recursive": True}
    assert refused(session, "cp", **copy) == "permission_denied"
    pack = {"paths": [TOP], "archive_path": "~/handover/top.zip", "format": "zip"}
    assert refused(session, "archive_create", **pack) == "permission_denied"
    do(session, "chmod", path=f"{TOP}/{closed}", mode="700")
    assert do(session, "cp", **copy)["copied_count"] == 6
    assert do(session, "archive_create", **pack)["count"] == 6


@pytest.mark.parametrize(("closed", "mode"), [("in", "500"), ("in/deep", "500"), ("in", "200"), ("in", "000")])
def test_what_may_not_be_changed_stops_a_deletion_and_a_replacement(closed: str, mode: str) -> None:
    session = grown()
    do(session, "mkdir", path="~/handover/top")
    do(session, "chmod", path=f"{TOP}/{closed}", mode=mode)
    assert refused(session, "rm", path=TOP, recursive=True) == "permission_denied"
    replace = {"source": "~/handover/top", "destination": "~/staging", "if_exists": "replace"}
    assert refused(session, "cp", **replace, recursive=True) == "permission_denied"
    assert refused(session, "mv", **replace) == "permission_denied"
    do(session, "chmod", path=f"{TOP}/{closed}", mode="700")
    assert do(session, "rm", path=TOP, recursive=True)["removed_count"] == 6


def test_an_empty_folder_that_may_not_be_changed_goes_with_its_parent() -> None:
    """To take an entry away its folder must be changed, not the entry, as in POSIX."""
    session = grown()
    do(session, "rm", path=f"{TOP}/in/deep/c.txt")
    do(session, "chmod", path=f"{TOP}/in/deep", mode="500")
    assert do(session, "rm", path=TOP, recursive=True)["removed_count"] == 5


def test_a_foreign_entry_in_a_sticky_folder_below_stops_a_deletion() -> None:
    session = grown()
    do(session, "chmod", path=f"{TOP}/in", mode="1777")
    do(session, "chown", path=f"{TOP}/in/b.txt", owner="root")
    do(session, "rm", path=TOP, recursive=True)  # the owner of a sticky folder may
    session = grown()
    do(session, "chmod", path=f"{TOP}/in", mode="1777")
    do(session, "chown", path=f"{TOP}/in/b.txt", owner="root")
    do(session, "chown", path=f"{TOP}/in", owner="root")
    assert refused(session, "rm", path=TOP, recursive=True) == "sticky_folder"
    assert (
        refused(session, "cp", source="~/handover", destination="~/staging", new_name="top", recursive=True,
                if_exists="replace") == "permission_denied"
    )  # fmt: skip


def test_a_move_takes_what_is_closed_along() -> None:
    session = grown(**{"in": "000"})
    assert do(session, "mv", source=TOP, destination="~/handover")["path"].endswith("/handover/top")
    assert do(session, "stat_file", path="~/handover/top/in")["mode"] == "0000"
    assert Model(session).faults() == []


def test_a_recursive_chmod_stops_at_foreign_and_at_closed_entries() -> None:
    session = grown()
    do(session, "chown", path=f"{TOP}/in/deep/c.txt", owner="root")
    assert refused(session, "chmod", path=TOP, mode="750", recursive=True) == "not_owner"
    session = grown(in_deep="300")
    assert refused(session, "chmod", path=TOP, mode="750", recursive=True) == "permission_denied"
    do(session, "chmod", path=f"{TOP}/in/deep", mode="700")
    assert do(session, "chmod", path=TOP, mode="750", recursive=True)["changed_count"] == 6


@pytest.mark.parametrize("mode", ["500", "400", "600"])
def test_an_archive_is_not_unpacked_into_a_closed_folder_below(mode: str) -> None:
    session = grown()
    do(session, "archive_create", paths=[TOP], archive_path="~/handover/top.tar", format="tar")
    do(session, "rm", path=f"{TOP}/in/b.txt")
    do(session, "chmod", path=f"{TOP}/in", mode=mode)
    unpack = {"path": "~/handover/top.tar", "destination": "~/staging", "if_exists": "replace"}
    assert refused(session, "archive_extract", **unpack) == "permission_denied"
    do(session, "chmod", path=f"{TOP}/in", mode="700")
    assert do(session, "archive_extract", **unpack)["count"] == 6


# Comparing


def test_two_folders_are_not_compared_where_both_have_what_may_not_be_seen() -> None:
    """Neither the same nor another: whether closed files are equal would be told without reading them."""
    session = grown()
    do(session, "cp", source=TOP, destination="~/handover", recursive=True)
    both = {"first": TOP, "second": "~/handover/top"}
    assert do(session, "compare_dirs", **both)["same_count"] == 3
    for side in (TOP, "~/handover/top"):
        for closed, mode in (("in/b.txt", "200"), ("in/deep", "300"), ("in", "600")):
            do(session, "chmod", path=f"{side}/{closed}", mode=mode)
            assert code(session, "compare_dirs", **both) == "permission_denied"
            do(session, "chmod", path=f"{side}/{closed}", mode="700")


def test_a_closed_folder_that_only_one_has_is_named_without_what_is_in_it() -> None:
    session = grown()
    do(session, "cp", source=TOP, destination="~/handover", recursive=True)
    do(session, "rm", path="~/handover/top/in/deep", recursive=True)
    both = {"first": TOP, "second": "~/handover/top"}
    assert do(session, "compare_dirs", **both)["only_first"] == ["in/deep", "in/deep/c.txt"]
    do(session, "chmod", path=f"{TOP}/in/deep", mode="000")
    found = do(session, "compare_dirs", **both)
    assert (found["only_first"], found["different"], found["same_count"]) == (["in/deep"], [], 2)


@pytest.mark.parametrize("closed", ["", "~/handover/top"])
def test_what_is_of_another_type_differs_and_need_not_be_seen(closed: str) -> None:
    session = grown()
    do(session, "mkdir", path="~/handover/top/a.txt", parents=True)
    do(session, "touch", path="~/handover/top/in")
    do(session, "ln", target="~/desk", link_path="~/handover/top/x", kind="symbolic")
    do(session, "ln", target="~/staging", link_path=f"{TOP}/x", kind="symbolic")
    for link in (f"{TOP}/y", "~/handover/top/y"):
        do(session, "ln", target="~/desk", link_path=link, kind="symbolic")
    if closed:
        for name in ("a.txt", "in"):
            do(session, "chmod", path=f"{closed}/{name}", mode="000")
    found = do(session, "compare_dirs", first=TOP, second="~/handover/top")
    assert (found["different"], found["same_count"]) == (["a.txt", "in", "x"], 0)
    assert found["only_first"] == ["in/b.txt", "in/deep", "in/deep/c.txt"]


def test_a_file_with_two_names_is_the_same_though_it_may_not_be_read() -> None:
    session = grown()
    do(session, "mkdir", path="~/handover/top")
    do(session, "ln", target=f"{TOP}/a.txt", link_path="~/handover/top/a.txt", kind="hard")
    do(session, "chmod", path=f"{TOP}/a.txt", mode="000")
    assert do(session, "compare_dirs", first=TOP, second="~/handover/top")["same_count"] == 1
