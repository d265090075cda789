"""Each write of the filesystem server on its own: what it leaves in the tree, and what it tells of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.filesystem_laws import faults_of
from support.filesystem_model import SERVER, Model, code, do, opened, sql

TOP, TEXT, FOLDER = "~/staging/t", "~/documents/reports/annual-report.md", "~/documents/reports"
REPLACE = {"if_exists": "replace"}
WRITES: dict[str, tuple[str, dict[str, Any]]] = {
    "cd": ("cd", {"path": TOP}),
    "touch a new one": ("touch", {"path": f"{TOP}/n"}),
    "touch": ("touch", {"path": f"{TOP}/x"}),
    "mkdir": ("mkdir", {"path": f"{TOP}/n"}),
    "mkdir with parents": ("mkdir", {"path": f"{TOP}/n/o/p", "parents": True}),
    "rmdir": ("rmdir", {"path": f"{TOP}/e"}),
    "write_file": ("write_file", {"path": f"{TOP}/n", "content": "ü"}),
    "write_file over one": ("write_file", {"path": f"{TOP}/x", "content": "ü", **REPLACE}),
    "append_file": ("append_file", {"path": f"{TOP}/x", "content": "ü"}),
    "sed_replace": ("sed_replace", {"path": f"{TOP}/x", "find": "a", "replacement": "ü\n"}),
    "cp": ("cp", {"source": f"{TOP}/x", "destination": "~/handover"}),
    "cp over one": ("cp", {"source": TEXT, "destination": TOP, "new_name": "x", **REPLACE}),
    "cp of a folder": ("cp", {"source": f"{TOP}/f", "destination": "~/handover", "recursive": True}),
    "cp over a folder": (
        "cp",
        {"source": FOLDER, "destination": TOP, "new_name": "f", "recursive": True, **REPLACE},
    ),
    "mv": ("mv", {"source": f"{TOP}/x", "destination": "~/handover"}),
    "mv of a folder": ("mv", {"source": f"{TOP}/f", "destination": "~/handover"}),
    "mv to another name": ("mv", {"source": f"{TOP}/x", "destination": TOP, "new_name": "n"}),
    "mv over one": ("mv", {"source": f"{TOP}/f/y", "destination": TOP, "new_name": "x", **REPLACE}),
    "a symbolic link": ("ln", {"target": f"{TOP}/x", "link_path": f"{TOP}/n", "kind": "symbolic"}),
    "a hard link": ("ln", {"target": f"{TOP}/x", "link_path": "~/handover/n", "kind": "hard"}),
    "chmod": ("chmod", {"path": f"{TOP}/x", "mode": "600"}),
    "chmod of a folder": ("chmod", {"path": TOP, "mode": "1700", "recursive": True}),
    "chown": ("chown", {"path": f"{TOP}/x", "owner": "root"}),
    "set_umask": ("set_umask", {"umask": "077"}),
    "sort_file": ("sort_file", {"path": f"{TOP}/x", "output_path": f"{TOP}/n"}),
    "uniq_lines": ("uniq_lines", {"path": f"{TOP}/x", "output_path": f"{TOP}/n"}),
    "cut_columns": ("cut_columns", {"path": f"{TOP}/x", "columns": [1], "output_path": f"{TOP}/n"}),
    "split_file": ("split_file", {"path": f"{TOP}/x", "lines_per_part": 1}),
    "concat_files": ("concat_files", {"paths": [f"{TOP}/x", TEXT], "output_path": f"{TOP}/n"}),
    "archive_create": ("archive_create", {"paths": [TOP], "archive_path": "~/handover/n", "format": "zip"}),
    "archive_extract": ("archive_extract", {"path": "~/downloads/release.zip", "destination": f"{TOP}/e"}),
    "archive_extract over some": (
        "archive_extract",
        {"path": "~/downloads/release.zip", "destination": f"{TOP}/f", **REPLACE},
    ),
    "rm": ("rm", {"path": f"{TOP}/x"}),
    "rm of a link": ("rm", {"path": "~/desk/latest"}),
    "rm of a folder": ("rm", {"path": TOP, "recursive": True}),
    "restore_from_trash": ("restore_from_trash", {"trash_item_id": "minutes-old"}),
    "restore_from_trash of a folder": ("restore_from_trash", {"trash_item_id": "winter-course", "destination": TOP}),
}
"""A write and its arguments; a trash item is given by its name."""


def test_all_writes_are_tried() -> None:
    assert {tool for tool, _ in WRITES.values()} == {tool.name for tool in SERVER.tools if tool.effect != "read"}


@pytest.mark.parametrize("what", WRITES)
def test_a_write_leaves_a_whole_tree_with_the_times_owners_and_counts_that_it_should(what: str) -> None:
    session = opened()
    do(session, "mkdir", path=f"{TOP}/f", parents=True)
    do(session, "mkdir", path=f"{TOP}/e")
    for path, text in (("x", "b\na\nb"), ("f/y", "y"), ("f/install.sh", "z")):
        do(session, "write_file", path=f"{TOP}/{path}", content=text)
    tool, arguments = WRITES[what]
    if tool == "restore_from_trash":
        item = do(session, "list_trash", name=arguments["trash_item_id"])["items"][0]
        arguments = {**arguments, "trash_item_id": item["trash_item_id"]}
    before, digest = Model(session), session.digest()
    told = do(session, tool, **arguments)
    after = Model(session)
    assert session.digest() != digest
    assert after.faults() == []
    assert faults_of(before, after, tool, told) == []


@pytest.mark.parametrize(
    ("above", "wanted"),
    [
        ("~/documents/placeholder.txt", "folder_not_found"),
        ("~/desk/latest", "folder_not_found"),
        ("~/nowhere/..", "folder_not_found"),
        ("~/nowhere/../x", "folder_not_found"),
        ("~/desk/lost-note.md", "broken_link"),
        ("~/vault/none", "permission_denied"),
        ("/etc/none", "permission_denied"),
        ("~/nowhere", ""),
    ],
)
def test_missing_parents_are_made_in_folders_only(above: str, wanted: str) -> None:
    assert opened().call("mkdir", {"path": f"{above}/n/o", "parents": True}).code == wanted


def test_a_copy_has_the_name_that_was_written_or_where_none_was_that_of_its_source() -> None:
    session = opened()
    do(session, "mkdir", path=f"{TOP}/f", parents=True)
    do(session, "write_file", path=f"{TOP}/f/x", content="x")
    do(session, "ln", target=f"{TOP}/f/x", link_path=f"{TOP}/f/link", kind="symbolic")
    do(session, "cd", path=f"{TOP}/f")
    for source, name in (
        ("x", "x"),
        ("./link", "link"),
        (f"{TOP}/f/", "f"),
        (".", "f"),
        ("../f/.", "f"),
        ("..", "t"),
    ):
        with session.attempt():
            path = do(session, "cp", source=source, destination="~/empty-box", recursive=True)["path"]
            assert path.rsplit("/", 2)[1:] == ["empty-box", name]
            kinds = {entry["name"]: entry["type"] for entry in do(session, "ls", path="~/empty-box")["entries"]}
            assert kinds == {name: "file" if name in ("x", "link") else "folder"}
    home = do(session, "pwd")["login"]
    refused = session.call("cp", {"source": "~", "destination": "/srv/shared", "recursive": True})
    assert refused.code == "permission_denied"
    taken = {"source": "~", "destination": "/home", "recursive": True}
    assert f"/home/{home} exists already" in session.call("cp", taken).message


# What they tell of texts

PIECES = st.sampled_from(["a", "b", "\n", "ab", "a\n"])


@settings(max_examples=40, deadline=None)
@given(text=st.lists(PIECES, min_size=1, max_size=9).map("".join), find=PIECES, put=PIECES, first=st.booleans())
def test_sed_tells_how_often_it_replaced_and_in_how_many_lines(text: str, find: str, put: str, first: bool) -> None:
    session = opened()
    do(session, "write_file", path="~/staging/s", content=text)
    text = text if text.endswith("\n") else f"{text}\n"
    places, at = [], text.find(find)
    while at >= 0 and not (first and places):
        places.append(at)
        at = text.find(find, at + len(find))
    given_ = {"path": "~/staging/s", "find": find, "replacement": put, "which": "first" if first else "every"}
    outcome = session.call("sed_replace", given_)
    if not places:
        assert outcome.code == "no_match"
        return
    lines = {text.count("\n", 0, place) for place in places}
    assert (outcome.value["replaced"], outcome.value["lines_changed"]) == (len(places), len(lines))
    assert len(do(session, "cat", path="~/staging/s")["content"].rstrip("\n")) == len(
        text.replace(find, put, len(places)).rstrip("\n")
    )


def test_uniq_tells_how_many_lines_are_left_and_how_many_were_dropped() -> None:
    session = opened()
    do(session, "write_file", path=TOP, content="b\na\nb\nb\n\n\nc")
    told = do(session, "uniq_lines", path=TOP, output_path="~/staging/u")
    assert (told["lines"], told["dropped"]) == (4, 3)
    assert do(session, "cat", path="~/staging/u")["content"] == "b\na\n\nc\n"


SIGNS = {"comma": ",", "tab": "\t", "semicolon": ";", "space": " "}


@pytest.mark.parametrize("delimiter", SIGNS)
def test_columns_are_cut_at_each_delimiter_in_the_order_asked_for_and_empty_lines_stay(delimiter: str) -> None:
    session, sign = opened(), SIGNS[delimiter]
    rows = [["b", "2", "x"], [""], ["a", "1", ""], ["c", "", ",;"[sign == ","]]]
    do(session, "write_file", path=TOP, content="\n".join(sign.join(row) for row in rows))
    told = do(session, "cut_columns", path=TOP, columns=[3, 1, 1], output_path="~/staging/c", delimiter=delimiter)
    assert (told["lines"], told["columns"]) == (4, 3)
    wanted = [sign.join([row[2], row[0], row[0]]) if len(row) == 3 else "" for row in rows]
    assert do(session, "cat", path="~/staging/c")["content"].split("\n") == [*wanted, ""]
    given_ = {"path": TOP, "columns": [1, 4, 2], "output_path": "~/staging/d", "delimiter": delimiter}
    assert code(session, "cut_columns", **given_) == "column_not_found"


def test_lines_are_sorted_by_a_column_or_by_their_leading_number() -> None:
    session = opened()
    do(session, "write_file", path=TOP, content="b,2\n\na,10\nc,x\nd,-3.5\ne,-3.25\nf, +1.5kg\n")
    for more, wanted in (
        ({"column": 2}, ["", "f, +1.5kg", "e,-3.25", "d,-3.5", "a,10", "b,2", "c,x"]),
        (
            {"column": 2, "compare": "numeric"},
            ["d,-3.5", "e,-3.25", "", "c,x", "f, +1.5kg", "b,2", "a,10"],
        ),
        ({"column": 1, "order": "descending"}, ["f, +1.5kg", "e,-3.25", "d,-3.5", "c,x", "b,2", "a,10", ""]),
    ):
        with session.attempt():
            assert do(session, "sort_file", path=TOP, output_path="~/staging/s", **more)["lines"] == 7
            assert do(session, "cat", path="~/staging/s")["content"].split("\n") == [*wanted, ""]
    assert code(session, "sort_file", path=TOP, output_path="~/staging/s", column=3) == "column_not_found"


# The trash


def test_the_last_fifty_are_kept_of_what_is_in_the_trash_and_not_of_what_was_brought_back() -> None:
    session = opened()
    do(session, "write_file", path=TOP, content="x")
    back = []
    for _ in range(5):
        back.append(do(session, "rm", path=TOP)["trash_item_id"])
        do(session, "restore_from_trash", trash_item_id=back[-1])
    held = do(session, "list_trash")["count"]
    ids = []
    for number in range(50):
        do(session, "touch", path=f"{TOP}{number}")
        ids.append(do(session, "rm", path=f"{TOP}{number}")["trash_item_id"])
        listed = do(session, "list_trash")["items"]
        assert len(listed) == min(50, held + number + 1)
    assert [item["trash_item_id"] for item in listed] == ids[::-1]
    states = dict(sql(session, "SELECT trash_item_id, state FROM trash_item ORDER BY number"))
    assert {states[item] for item in back} == {"restored"}
    assert {states[item] for item in ids} == {"held"}
    assert set(states.values()) == {"restored", "held", "dropped"}
    for item in (back[0], next(item for item in states if states[item] == "dropped")):
        assert code(session, "restore_from_trash", trash_item_id=item) == "trash_item_not_found"


def test_what_lay_behind_a_closed_folder_is_not_told_to_be_gone() -> None:
    session = opened()
    do(session, "mkdir", path=f"{TOP}/f/g", parents=True)
    do(session, "touch", path=f"{TOP}/f/g/x")
    item = do(session, "rm", path=f"{TOP}/f/g/x")["trash_item_id"]
    for mode, wanted in (("600", "permission_denied"), ("700", "")):
        do(session, "chmod", path=f"{TOP}/f", mode=mode)
        with session.attempt():
            assert session.call("restore_from_trash", {"trash_item_id": item}).code == wanted
    do(session, "rmdir", path=f"{TOP}/f/g")
    assert code(session, "restore_from_trash", trash_item_id=item) == "original_folder_gone"
    do(session, "chmod", path=f"{TOP}/f", mode="600")
    assert code(session, "restore_from_trash", trash_item_id=item) == "permission_denied"
