"""The filesystem server: what stays true of the tree whatever is called, and its rules one by one.

The way to each refusal is in reach_filesystem.py.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proverl.records import Kind, Outcome
from proverl.schemas import judge
from proverl.world.session import LocalSession
from support.filesystem_laws import faults_of
from support.filesystem_model import SERVER, Model, code, do, opened, sql

# Laws of the tree, whatever is called

SPOTS = st.sampled_from(
    [
        "~",
        "~/documents",
        "~/handover",
        "~/staging",
        "~/desk",
        "~/finance",
        "/srv/shared",
        "/etc",
        "~/vault",
        "~/empty-box",
    ]
)
NEW = st.sampled_from(["one", "two", "three.txt", "todo.txt", "notes.md"])
PATHS = st.one_of(
    SPOTS,
    st.builds("{}/{}".format, SPOTS, NEW),
    st.sampled_from(
        [
            "~/documents/todo.txt", "~/documents/reports", "~/documents/reports/annual-report.md", "~/latest", "/",
            "~/desk/lost-note.md", "~/desk/documents", "/srv/shared/guestbook.txt", "~/journal/notes.md", ".", "..",
            "~/downloads/release.zip", "~/finance/finance-backup.zip", "~/downloads/documents-2029.tar",
            "~/handover-old",
            "/var/log/system.log", "~/documents/signed", "~/staging/one/two",
        ]
    ),
)  # fmt: skip
REPLACE = st.sampled_from(["keep", "replace"])
CALLS = st.one_of(
    st.tuples(st.just("cd"), st.fixed_dictionaries({"path": PATHS})),
    st.tuples(st.just("touch"), st.fixed_dictionaries({"path": PATHS})),
    st.tuples(st.just("mkdir"), st.fixed_dictionaries({"path": PATHS, "parents": st.booleans()})),
    st.tuples(st.just("rmdir"), st.fixed_dictionaries({"path": PATHS})),
    st.tuples(
        st.just("write_file"),
        st.fixed_dictionaries({"path": PATHS, "content": st.text("ab\nü", max_size=8), "if_exists": REPLACE}),
    ),
    st.tuples(st.just("append_file"), st.fixed_dictionaries({"path": PATHS, "content": st.text("ab\n", min_size=1)})),
    st.tuples(
        st.just("cp"),
        st.fixed_dictionaries(
            {"source": PATHS, "destination": PATHS, "recursive": st.booleans(), "if_exists": REPLACE},
            optional={"new_name": NEW},
        ),
    ),
    st.tuples(
        st.just("mv"),
        st.fixed_dictionaries(
            {"source": PATHS, "destination": PATHS, "if_exists": REPLACE}, optional={"new_name": NEW}
        ),
    ),
    st.tuples(
        st.just("ln"),
        st.fixed_dictionaries({"target": PATHS, "link_path": PATHS, "kind": st.sampled_from(["symbolic", "hard"])}),
    ),
    st.tuples(
        st.just("chmod"),
        st.fixed_dictionaries(
            {"path": PATHS, "mode": st.sampled_from(["755", "700", "1777", "000", "640"]), "recursive": st.booleans()}
        ),
    ),
    st.tuples(st.just("set_umask"), st.fixed_dictionaries({"umask": st.sampled_from(["022", "077"])})),
    st.tuples(
        st.just("sed_replace"),
        st.fixed_dictionaries({"path": PATHS, "find": st.sampled_from(["a", "\n"]), "replacement": st.text("xa\n")}),
    ),
    st.tuples(st.just("sort_file"), st.fixed_dictionaries({"path": PATHS, "output_path": PATHS})),
    st.tuples(st.just("uniq_lines"), st.fixed_dictionaries({"path": PATHS, "output_path": PATHS})),
    st.tuples(st.just("split_file"), st.fixed_dictionaries({"path": PATHS, "lines_per_part": st.integers(1, 9)})),
    st.tuples(
        st.just("concat_files"),
        st.fixed_dictionaries({"paths": st.lists(PATHS, min_size=2, max_size=3), "output_path": PATHS}),
    ),
    st.tuples(
        st.just("archive_create"),
        st.fixed_dictionaries(
            {
                "paths": st.lists(PATHS, min_size=1, max_size=3),
                "archive_path": PATHS,
                "format": st.sampled_from(["tar", "zip"]),
            }
        ),
    ),
    st.tuples(
        st.just("archive_extract"),
        st.fixed_dictionaries({"path": PATHS, "destination": PATHS, "if_exists": REPLACE}),
    ),
    st.tuples(st.just("rm"), st.fixed_dictionaries({"path": PATHS, "recursive": st.booleans()})),
    st.tuples(st.just("restore"), st.fixed_dictionaries({"place": st.integers(0, 3)}, optional={"destination": PATHS})),
)
JUDGES = {tool.name: judge(tool.output_schema) for tool in SERVER.tools}
COUNTED = ("node", "entry", "trash_item", "setting", "login", "membership")


def _rows(session: LocalSession) -> tuple[int, ...]:
    return tuple(sql(session, f"SELECT COUNT(*) FROM {table}")[0][0] for table in COUNTED)


def _act(session: LocalSession, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any], Outcome]:
    if name == "restore":
        items = do(session, "list_trash")["items"]
        rest = {key: value for key, value in arguments.items() if key != "place"}
        name, arguments = "restore_from_trash", {"trash_item_id": items[arguments["place"]]["trash_item_id"], **rest}
    return name, arguments, session.call(name, arguments)


def check_laws(seed: int, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """After each call the tree is whole, a refusal changed nothing, and the tool kept what its effect promises."""
    session = opened(seed)
    model, rows = Model(session), _rows(session)
    for call in calls:
        digest = session.digest()
        name, arguments, outcome = _act(session, *call)
        tool = SERVER.tool(name)
        assert outcome.kind in (Kind.OK, Kind.EMPTY, Kind.REFUSED), outcome
        if not outcome.succeeded:
            assert outcome.code in tool.refusals
            assert session.digest() == digest
            continue
        assert JUDGES[name].is_valid(outcome.value), outcome.value
        earlier, fewer, model, rows = model, rows, Model(session), _rows(session)
        assert model.faults() == [], (name, arguments)
        assert faults_of(earlier, model, name, outcome.value) == [], (name, arguments)
        if tool.effect == "write":
            assert all(now >= before for now, before in zip(rows, fewer, strict=True))
        if name == "mv" and arguments["if_exists"] == "keep":
            assert model.contents() == earlier.contents()
        if name == "cp" and arguments["if_exists"] == "keep":
            assert model.contents() >= earlier.contents()
        if tool.idempotent:
            with session.attempt():
                before = session.snapshot()
                session.call(name, arguments)
                assert session.changes(before) == ()
    assert do(session, "du", path="/")["total"] == _visible_bytes(Model(session))
    session.close()


def _visible_bytes(model: Model) -> int:
    return sum(model.of(node, "size") for node in {node for _, node in model.visible()})


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 5), calls=st.lists(CALLS, min_size=3, max_size=10))
def test_the_tree_stays_a_tree_and_every_tool_keeps_its_promises(seed: int, calls: list[Any]) -> None:
    check_laws(seed, calls)


@pytest.mark.soak
@settings(max_examples=1500, deadline=None)
@given(seed=st.integers(0, 60), calls=st.lists(CALLS, min_size=3, max_size=20))
def test_the_tree_stays_a_tree_over_long_sessions(seed: int, calls: list[Any]) -> None:
    check_laws(seed, calls)


# Rules, one by one


def test_new_entries_lack_the_bits_of_the_umask() -> None:
    session = opened()
    for umask, file, folder in (("022", "0644", "0755"), ("077", "0600", "0700"), ("007", "0660", "0770")):
        do(session, "set_umask", umask=umask)
        do(session, "touch", path=f"~/staging/f{umask}")
        assert do(session, "stat_file", path=f"~/staging/f{umask}")["mode"] == file
        assert do(session, "mkdir", path=f"~/staging/d{umask}")["mode"] == folder
        copied = do(session, "cp", source="/etc/hosts.txt", destination=f"~/staging/d{umask}")
        status = do(session, "stat_file", path=copied["path"])
        assert (status["mode"], status["owner"]) == (file, do(session, "pwd")["login"])


def test_mv_keeps_owner_mode_and_time_and_cp_does_not() -> None:
    session = opened()
    before = do(session, "stat_file", path="~/journal/notes.md")
    do(session, "mv", source="~/journal/notes.md", destination="~/staging", new_name="moved.md")
    after = do(session, "stat_file", path="~/staging/moved.md")
    assert {**after, "path": before["path"]} == before
    do(session, "cp", source="~/staging/moved.md", destination="~/journal")
    assert do(session, "stat_file", path="~/journal/moved.md")["modified"] > before["modified"]
    assert do(session, "checksum_file", path="~/journal/moved.md") == {
        **do(session, "checksum_file", path="~/staging/moved.md"),
        "path": do(session, "stat_file", path="~/journal/moved.md")["path"],
    }


def test_hard_links_share_content_until_the_last_name_is_gone() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/first", content="one")
    used = do(session, "df")["used_bytes"]
    assert do(session, "ln", target="~/staging/first", link_path="~/handover/second", kind="hard")["link_count"] == 2
    do(session, "append_file", path="~/handover/second", content="two")
    assert do(session, "cat", path="~/staging/first")["content"] == "one\ntwo\n"
    assert do(session, "df")["used_bytes"] == used + 4
    deleted = do(session, "rm", path="~/staging/first")
    assert deleted["freed_bytes"] == 0
    assert do(session, "stat_file", path="~/handover/second")["link_count"] == 1
    assert do(session, "cat", path="~/handover/second")["content"] == "one\ntwo\n"
    assert do(session, "rm", path="~/handover/second")["freed_bytes"] == 8
    do(session, "restore_from_trash", trash_item_id=deleted["trash_item_id"])
    assert do(session, "cat", path="~/staging/first")["content"] == "one\ntwo\n"
    assert do(session, "df")["used_bytes"] == used + 4


def test_a_folder_in_the_trash_keeps_all_in_it_and_counts_for_nothing() -> None:
    session = opened()
    before, listed = do(session, "df"), do(session, "find_files", path="~/handover")
    deleted = do(session, "rm", path="~/handover", recursive=True)
    assert deleted["removed_count"] == listed["count"] + 1
    after = do(session, "df")
    assert before["used_entries"] - after["used_entries"] == deleted["removed_count"]
    assert before["used_bytes"] - after["used_bytes"] == deleted["freed_bytes"]
    do(session, "restore_from_trash", trash_item_id=deleted["trash_item_id"])
    assert do(session, "df") == before
    assert do(session, "find_files", path="~/handover")["entries"][1:] == listed["entries"][1:]


def test_the_trash_keeps_the_last_fifty() -> None:
    session = opened()
    ids = []
    for number in range(55):
        do(session, "write_file", path=f"~/staging/t{number}", content="x")
        ids.append(do(session, "rm", path=f"~/staging/t{number}")["trash_item_id"])
    listed = do(session, "list_trash")
    assert [item["trash_item_id"] for item in listed["items"]] == ids[:4:-1]
    assert code(session, "restore_from_trash", trash_item_id=ids[0]) == "trash_item_not_found"
    assert code(session, "restore_from_trash", trash_item_id=ids[4]) == "trash_item_not_found"
    do(session, "restore_from_trash", trash_item_id=ids[5])


def test_in_a_sticky_folder_only_owners_delete_and_move() -> None:
    session = opened()
    own = f"/srv/shared/{do(session, 'pwd')['login']}-files"
    do(session, "append_file", path="/srv/shared/guestbook.txt", content="was here")
    assert code(session, "rm", path="/srv/shared/guestbook.txt") == "sticky_folder"
    assert code(session, "write_file", path="/srv/shared/guestbook.txt", content="x", if_exists="replace") == (
        "permission_denied"
    )
    do(session, "mv", source=own, destination="/srv/shared", new_name="mine")
    do(session, "chmod", path="~/staging", mode="1777")
    do(session, "touch", path="~/staging/x")
    do(session, "chown", path="~/staging/x", owner="root")
    do(session, "rm", path="~/staging/x")  # the owner of a sticky folder may


def test_who_hands_a_file_over_cannot_take_it_back() -> None:
    session = opened()
    do(session, "touch", path="~/staging/x")
    own = do(session, "stat_file", path="~/staging/x")["group"]
    other = next(group for group in do(session, "pwd")["groups"] if group != own)
    assert do(session, "chown", path="~/staging/x", group=other)["group"] == other
    do(session, "chown", path="~/staging/x", owner="root")
    assert code(session, "chown", path="~/staging/x", owner=do(session, "pwd")["login"]) == "not_owner"
    assert code(session, "chmod", path="~/staging/x", mode="777") == "not_owner"


@pytest.mark.parametrize("given", [("owner",), ("group",), ("owner", "group")])
def test_a_file_that_is_handed_over_belongs_to_whom_it_was_given(given: tuple[str, ...]) -> None:
    session = opened()
    do(session, "touch", path="~/staging/x")
    own = do(session, "stat_file", path="~/staging/x")
    new = {"owner": "root", "group": next(group for group in do(session, "pwd")["groups"] if group != own["group"])}
    told = do(session, "chown", path="~/staging/x", **{name: new[name] for name in given})
    after = do(session, "stat_file", path="~/staging/x")
    wanted = {name: new[name] if name in given else own[name] for name in ("owner", "group")}
    assert {name: told[name] for name in wanted} == {name: after[name] for name in wanted} == wanted
    assert {**after, **{name: own[name] for name in wanted}} == own


@pytest.mark.parametrize("recursive", [False, True])
def test_a_mode_is_set_on_what_is_asked_for_and_on_nothing_else(recursive: bool) -> None:
    session = opened()
    do(session, "set_umask", umask="022")
    do(session, "mkdir", path="~/staging/a/b", parents=True)
    do(session, "touch", path="~/staging/a/f")
    before = {entry["path"]: entry["type"] for entry in do(session, "find_files", path="~/staging")["entries"]}
    told = do(session, "chmod", path="~/staging/a", mode="1750", recursive=recursive)
    modes = {path: do(session, "stat_file", path=path)["mode"] for path in before}
    wanted = {"/a": "1750"} | ({"/a/b": "1750", "/a/f": "0750"} if recursive else {"/a/b": "0755", "/a/f": "0644"})
    assert {path.partition("/staging")[2]: mode for path, mode in modes.items()} == wanted
    assert (told["old_mode"], told["mode"], told["changed_count"]) == ("0755", "1750", 3 if recursive else 1)


def test_rights_are_those_of_the_first_class_that_fits() -> None:
    """An owner without the right is refused even where the group or all others have it, as in POSIX."""
    session = opened()
    do(session, "write_file", path="~/staging/x", content="x")
    do(session, "chmod", path="~/staging/x", mode="077")
    assert code(session, "cat", path="~/staging/x") == "permission_denied"
    do(session, "chmod", path="~/staging/x", mode="400")
    do(session, "cat", path="~/staging/x")
    assert code(session, "append_file", path="~/staging/x", content="y") == "permission_denied"


def test_the_current_folder_and_its_parents_stay() -> None:
    session = opened()
    do(session, "mkdir", path="~/staging/a/b", parents=True)
    do(session, "cd", path="~/staging/a/b")
    for path in (".", "..", "~/staging/a"):
        assert code(session, "rm", path=path, recursive=True) == "folder_in_use"
        assert code(session, "mv", source=path, destination="~/handover") == "folder_in_use"
    assert code(session, "rmdir", path=".") == "folder_in_use"
    do(session, "mkdir", path="~/handover/a")
    assert code(session, "cp", source="~/handover/a", destination="~/staging", recursive=True, if_exists="replace") == (
        "already_exists"
    )


def test_replacing_puts_the_old_entry_into_the_trash() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/x", content="old")
    assert do(session, "write_file", path="~/staging/x", content="new", if_exists="replace")["created"] is False
    item = do(session, "list_trash")["items"][0]
    assert (item["name"], item["size"]) == ("x", 4)
    restored = do(session, "restore_from_trash", trash_item_id=item["trash_item_id"], destination="~/handover")
    assert do(session, "cat", path=restored["path"])["content"] == "old\n"


def test_a_folder_is_never_replaced_by_its_own_part_or_moved_below_itself() -> None:
    session = opened()
    do(session, "mkdir", path="~/staging/a/a", parents=True)
    for tool, more in (("mv", {}), ("cp", {"recursive": True})):
        assert code(session, tool, source="~/staging/a/a", destination="~/staging", if_exists="replace", **more) == (
            "into_itself"
        )
        assert code(session, tool, source="~/staging/a", destination="~/staging/a/a", **more) == "into_itself"
        for source, said in (("~/staging/a", "is the source itself"), ("~/staging/a/a", "holds the source")):
            given = {"source": source, "destination": "~/staging", "new_name": "a", "if_exists": "replace", **more}
            assert said in session.call(tool, given).message
    assert code(session, "cp", source="/", destination="~/staging", recursive=True) == "into_itself"


def test_only_the_sticky_bit_stands_in_front_of_a_mode_and_files_go_without_it() -> None:
    session = opened()
    for mode in ("2755", "4755", "77", "07777", "abc", "7 7", "٧٧٧"):
        assert code(session, "chmod", path="~/handover", mode=mode) == "bad_mode"
    do(session, "chmod", path="~/handover", mode="1770", recursive=True)
    modes = {entry["type"]: entry["mode"] for entry in do(session, "ls", path="~/handover")["entries"]}
    assert modes == {"file": "0770"}
    assert do(session, "stat_file", path="~/handover")["mode"] == "1770"


def test_printed_text_is_cut() -> None:
    session = opened()
    printed = do(session, "cat", path="/var/log/system.log")
    assert printed["truncated"]
    assert len(printed["content"].encode()) <= 16_384
    assert printed["content"].count("\n") <= 400
    assert printed["lines"] > 400
    do(session, "write_file", path="~/staging/wide", content="ü" * 8_000)
    do(session, "append_file", path="~/staging/wide", content="ü" * 2_000)
    wide = do(session, "head_file", path="~/staging/wide")
    assert wide["truncated"]
    assert len(wide["content"].encode()) <= 16_384


AGAIN: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "cd": [("cd", {"path": ".."})],
    "write_file": [("write_file", {"path": "~/staging/x", "content": "x", "if_exists": "replace"})],
    "append_file": [("append_file", {"path": "~/documents/placeholder.txt", "content": "x"})],
    "sed_replace": [
        ("write_file", {"path": "~/staging/x", "content": "x"}),
        ("sed_replace", {"path": "~/staging/x", "find": "x", "replacement": "xx"}),
    ],
    "cp": [("cp", {"source": "/etc/hosts.txt", "destination": "~/staging", "if_exists": "replace"})],
    "archive_extract": [
        ("archive_extract", {"path": "~/downloads/release.zip", "destination": "~/staging", "if_exists": "replace"})
    ],
}
"""For each tool whose second equal call may change something, calls of which the last does when it is repeated."""


def test_the_tools_whose_second_equal_call_changes_something_are_those_that_are_not_idempotent() -> None:
    assert {tool.name for tool in SERVER.tools if not tool.idempotent} == set(AGAIN)
    for tool, calls in AGAIN.items():
        session = opened()
        for name, arguments in calls:
            do(session, name, **arguments)
        before = session.snapshot()
        do(session, tool, **calls[-1][1])
        assert session.changes(before) != (), tool
