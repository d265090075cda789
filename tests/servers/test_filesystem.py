"""The filesystem server: paths, permissions, what stays true of the tree whatever is called, and each refusal."""

from __future__ import annotations

import errno
import fnmatch
import itertools
import json
import os
import posixpath
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proverl.errors import Refused
from proverl.records import Kind, Outcome
from proverl.servers import load
from proverl.servers.filesystem.archive import MAX_BYTES, MAX_ENTRIES, Archive, Damaged, Member, pack, unpack
from proverl.servers.filesystem.differences import blocks, unified
from proverl.servers.filesystem.patterns import glob
from proverl.synth.phrases import read
from proverl.world.session import LocalSession
from servers.reach_filesystem import MOST_CALLS, reach

SERVER = load("filesystem")
WAYS = reach()


ROOMY = 3
"""A world with plenty of quota."""


def opened(seed: int = ROOMY) -> LocalSession:
    return LocalSession(SERVER, seed)


def do(session: LocalSession, tool: str, **arguments: Any) -> Any:
    """The result of a call that must succeed."""
    outcome = session.call(tool, arguments)
    assert outcome.succeeded, (tool, arguments, outcome.code, outcome.message)
    return outcome.value


def code(session: LocalSession, tool: str, **arguments: Any) -> str:
    """The code of a call that must be refused."""
    outcome = session.call(tool, arguments)
    assert outcome.kind is Kind.REFUSED, (tool, arguments, outcome)
    return outcome.code


def sql(session: LocalSession, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Rows of the session's store, behind the tools' back."""
    return session.store.connection().execute(query, values).fetchall()


# An independent reading of the rows


class Model:
    """The tree of a session, read row by row and walked in Python."""

    def __init__(self, session: LocalSession) -> None:
        self.nodes = {row[0]: row for row in sql(session, "SELECT * FROM node ORDER BY node_id")}
        self.entries = sql(session, "SELECT entry_id, parent, name, node_id, kind FROM entry ORDER BY entry_id")
        names = [row[1] for row in sql(session, "SELECT * FROM pragma_table_info('node')")]
        self.column = {name: place for place, name in enumerate(names)}
        (self.setting,) = sql(session, "SELECT login, groups, cwd, used_bytes, used_entries FROM setting")
        self.children: dict[int, dict[str, int]] = {}
        for _, parent, name, node, _ in self.entries:
            if parent is not None:
                assert name not in self.children.setdefault(parent, {}), "two entries of one name"
                self.children[parent][name] = node

    def of(self, node: int, column: str) -> Any:
        return self.nodes[node][self.column[column]]

    def walk(self, top: int = 1, path: str = "") -> list[tuple[str, int]]:
        found = []
        for name, node in sorted(self.children.get(top, {}).items()):
            found.append((f"{path}/{name}", node))
            if self.of(node, "kind") == "folder":
                found.extend(self.walk(node, f"{path}/{name}"))
        return found

    def may(self, node: int, bits: int) -> bool:
        login, groups = self.setting[0], self.setting[1].split()
        mode, shift = self.of(node, "mode"), 0
        if self.of(node, "owner") == login:
            shift = 6
        elif self.of(node, "group_name") in groups:
            shift = 3
        return mode >> shift & bits == bits

    def visible(self, top: int = 1, path: str = "") -> list[tuple[str, int]]:
        """What a walk of the user sees: folders without read or enter stay closed."""
        if not self.may(top, 5):
            return []
        found = []
        for name, node in sorted(self.children.get(top, {}).items()):
            found.append((f"{path}/{name}", node))
            if self.of(node, "kind") == "folder":
                found.extend(self.visible(node, f"{path}/{name}"))
        return found

    def faults(self) -> list[str]:
        """What is wrong with the tree."""
        found = []
        live = self.walk()
        below_trash = [pair for entry in self.entries if entry[1] is None for pair in self.walk(entry[3])]
        in_trash = sum(entry[1] is None for entry in self.entries)
        if len(live) + len(below_trash) + in_trash != len(self.entries):
            found.append("an entry is reached twice or not at all")
        names = Counter(entry[3] for entry in self.entries)
        for node, row in self.nodes.items():
            kind, size, form = self.of(node, "kind"), self.of(node, "size"), self.of(node, "form")
            content, target = self.of(node, "content"), self.of(node, "target")
            if kind == "folder" and names[node] != (node != 1):
                found.append(f"the folder {node} has {names[node]} names")
            if kind != "folder" and self.children.get(node):
                found.append(f"{kind} {node} has entries")
            text = {"folder": "", "link": target, "file": content}[kind]
            if form != "base64" and len(text.encode()) != size:
                found.append(f"{row}: the size is wrong")
        if any(entry[4] != self.of(entry[3], "kind") for entry in self.entries):
            found.append("an entry has another kind than its node")
        if self.setting[4] != len(live):
            found.append(f"{self.setting[4]} entries counted, {len(live)} there")
        if self.setting[3] != sum(self.of(node, "size") for node in {node for _, node in live}):
            found.append("used bytes are counted wrong")
        if self.setting[2] not in {"/", *(path for path, node in live if self.of(node, "kind") == "folder")}:
            found.append(f"the current folder {self.setting[2]} is gone")
        return found

    def contents(self) -> Counter[str]:
        """The contents of all names in the tree."""
        return Counter(self.of(node, "content") for _, node in self.walk() if self.of(node, "kind") == "file")


# Worlds


def check_world(seed: int) -> None:
    session = opened(seed)
    model = Model(session)
    assert model.faults() == []
    live = model.walk()
    kinds = Counter(model.of(node, "kind") for _, node in live)
    forms = Counter(model.of(node, "form") for _, node in live)
    texts = [model.of(node, "size") for _, node in live if model.of(node, "form") == "text"]
    trash = sql(session, "SELECT e.name, t.original_path FROM trash_item t JOIN entry e USING (entry_id) ORDER BY 1")
    assert 400 <= kinds["file"] <= 900
    assert 70 <= kinds["folder"] <= 140
    assert 10 <= kinds["link"] <= 25
    assert 6 <= forms["archive"] <= 12
    assert forms["base64"] >= 4
    assert 8 <= len(trash) <= 20
    assert 5 <= sql(session, "SELECT COUNT(*) FROM login")[0][0] <= 8
    assert 4 <= sql(session, "SELECT COUNT(DISTINCT group_name) FROM membership")[0][0] <= 7
    assert max(path.count("/") for path, _ in live) <= 7
    assert 0 in texts
    assert max(texts) > 16_384
    assert Counter(name for name, _ in trash).most_common(1)[0][1] >= 2
    paths = {path for path, _ in live}
    assert any(posixpath.dirname(path) not in paths for _, path in trash)
    assert sum(names > 1 for names in Counter(node for _, node in live).values()) == 2
    assert _dangling(model, live) >= 2
    assert any(model.of(node, "kind") == "folder" and node not in model.children for _, node in live)
    own = [node for _, node in live if model.of(node, "owner") == model.setting[0]]
    assert any(not model.may(node, 2) for node in own)
    assert any(model.of(node, "mode") & 0o1000 for _, node in live)
    spoken = Counter(tuple(path.rsplit("/", 2)[-2:]) for path, _ in live)
    assert sum(number == 1 for number in spoken.values()) > 0.6 * len(live)


def _dangling(model: Model, live: list[tuple[str, int]]) -> int:
    paths = {path for path, _ in live}
    links = [(path, model.of(node, "target")) for path, node in live if model.of(node, "kind") == "link"]
    return sum(
        posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) not in paths for path, target in links
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_world_is_a_tree_of_the_right_size_with_the_states_that_make_it_interesting(seed: int) -> None:
    check_world(seed)


@pytest.mark.soak
def test_a_thousand_worlds_are_valid_and_all_different() -> None:
    digests = set()
    for seed in range(1000):
        check_world(seed)
        digests.add(SERVER.template(seed).digest)
    assert len(digests) == 1000


def test_some_worlds_have_hardly_any_quota_left_and_some_circular_links() -> None:
    quotas = [do(opened(seed), "df") for seed in range(40)]
    assert any(quota["free_bytes"] < 8_000 for quota in quotas)
    assert any(quota["free_entries"] < 5 for quota in quotas)
    circles = [opened(seed).call("cat", {"path": "~/desk/ping"}).code for seed in range(12)]
    assert set(circles) == {"broken_link", "not_found"}


def test_the_phrases_fit_the_tools() -> None:
    assert set(read(SERVER).tools) == {tool.name for tool in SERVER.tools}


# Refusals


def test_there_is_a_way_to_each_refusal_of_each_tool() -> None:
    assert set(WAYS) == {(tool.name, code) for tool in SERVER.tools for code in tool.refusals}


@pytest.mark.parametrize(("tool", "wanted"), sorted(WAYS))
def test_each_refusal_is_reached_in_at_most_five_calls(tool: str, wanted: str) -> None:
    outcome = WAYS[tool, wanted]()
    assert (outcome.kind, outcome.code) == (Kind.REFUSED, wanted), outcome
    assert len(outcome.message) > 20
    assert MOST_CALLS == 5


# Paths

TREE = ("a", "a/b", "a/b/c", "d", "d/e")
FILES = ("a/f", "d/e/f", "g")
LINKS = {
    "a/up": "..",
    "to-c": "a/b/c",
    "d/far": "../a/b",
    "chain": "d/far",
    "lost": "a/none",
    "loop": "pool",
    "pool": "loop",
}


def grown() -> tuple[LocalSession, str]:
    """A session that stands in a small tree."""
    session = opened()
    home = do(session, "cd", path="~")["cwd"]
    top = f"{home}/staging/w"
    do(session, "mkdir", path=top)
    do(session, "cd", path=top)
    for folder in TREE:
        do(session, "mkdir", path=folder)
    for file in FILES:
        do(session, "touch", path=file)
    for name, target in LINKS.items():
        session.store.connection()  # the tools link only to what exists, so the rows are set behind their back
        _plant_link(session, posixpath.join(top, name), target)
    return session, top


def _plant_link(session: LocalSession, path: str, target: str) -> None:
    folder, name = posixpath.split(path)
    do(session, "touch", path=path)
    (node,) = sql(
        session,
        "SELECT e.node_id FROM entry e WHERE e.name = ? ORDER BY e.entry_id DESC LIMIT 1",
        name,
    )[0]
    assert folder
    size = len(target)
    connection = session.store.connection()
    connection.execute(
        "UPDATE node SET kind = 'link', target = ?, size = ?, content = NULL, form = '' WHERE node_id = ?",
        (target, size, node),
    )
    connection.execute("UPDATE entry SET kind = 'link' WHERE node_id = ?", (node,))
    connection.execute("UPDATE setting SET used_bytes = used_bytes + ?", (size,))


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> tuple[LocalSession, str, Path]:
    """The same tree in a session and on disk; the kernel's resolution is what ours must equal."""
    session, top = grown()
    disk = tmp_path_factory.mktemp("twin") / "w"
    disk.mkdir()
    for folder in TREE:
        (disk / folder).mkdir()
    for file in FILES:
        (disk / file).touch()
    for name, target in LINKS.items():
        (disk / name).symlink_to(target)
    return session, top, disk


def _kernel_error(path: str) -> int:
    """The number of the error with which the kernel refuses a path, 0 if there is none."""
    try:
        os.stat(path)
    except OSError as error:
        return error.errno or 0
    return 0


NAMES = st.sampled_from(
    ["a", "b", "c", "d", "e", "f", "g", "..", ".", "", "up", "to-c", "far", "chain", "lost", "loop", "x"]
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(NAMES, min_size=1, max_size=7))
def test_a_path_leads_where_the_kernel_says(twin: tuple[LocalSession, str, Path], parts: list[str]) -> None:
    session, top, disk = twin
    text = "/".join(parts).lstrip("/") or "."
    outcome = session.call("realpath_of", {"path": text})
    problem = _kernel_error(f"{disk}/{text}")
    if problem:
        missing = {"not_found", "broken_link"}
        allowed = {errno.ENOENT: missing, errno.ENOTDIR: missing, errno.ELOOP: {"too_many_links"}}
        assert outcome.code in allowed[problem], (text, outcome)
        return
    real = os.path.realpath(f"{disk}/{text}", strict=True)
    if not (real + "/").startswith(f"{disk}/"):
        return  # above the tree the two worlds differ
    assert outcome.value["real_path"] == top + real.removeprefix(str(disk)), text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("/../../..", "/"),
        ("/../etc/../../etc", "/etc"),
        ("~/../../../../../srv", "/srv"),
        ("~//documents/./reports/", "{home}/documents/reports"),
        ("~/desk/documents/..", "{home}"),
        ("~/desk/../desk/documents/reports", "{home}/documents/reports"),
        ("/home/../home/./{login}", "{home}"),
    ],
)
def test_traversal_ends_inside_the_tree(text: str, wanted: str) -> None:
    session = opened()
    home = do(session, "cd", path="~")["cwd"]
    login = home.rsplit("/", 1)[1]
    assert do(session, "cd", path=text.format(login=login))["cwd"] == wanted.format(home=home)


def test_relative_paths_start_at_the_current_folder_and_tilde_at_home() -> None:
    session = opened()
    home = do(session, "cd", path="~")["cwd"]
    do(session, "cd", path="documents/reports")
    outcome = session.call("cat", {"path": "annual-report.md"})
    assert outcome.resolved == {"path": f"{home}/documents/reports/annual-report.md"}
    assert (
        session.call("cat", {"path": "~/documents/../documents/reports/annual-report.md"}).resolved == outcome.resolved
    )
    assert code(session, "cat", path="~nobody/file") == "not_found"
    assert session.call("cat", {"path": ""}).kind is Kind.BAD_ARGUMENTS


def test_forty_links_are_followed_and_no_more() -> None:
    session = opened()
    do(session, "write_file", path="~/staging/n0", content="x")
    for number in range(41):
        do(session, "ln", target=f"~/staging/n{number}", link_path=f"~/staging/n{number + 1}", kind="symbolic")
    assert do(session, "realpath_of", path="~/staging/n40")["steps"] == 40
    assert code(session, "realpath_of", path="~/staging/n41") == "too_many_links"
    assert code(session, "cat", path="~/staging/n41") == "broken_link"


def test_what_cannot_be_entered_hides_whether_something_is_there() -> None:
    session = opened()
    inside = sql(
        session, "SELECT e.name FROM entry e JOIN entry p ON p.node_id = e.parent WHERE p.name = 'vault' ORDER BY 1"
    )
    there = session.call("cat", {"path": f"~/vault/{inside[0][0]}"})
    missing = session.call("cat", {"path": "~/vault/no-such-file"})
    assert there.code == missing.code == "permission_denied"


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
JUDGES = {tool.name: jsonschema_rs.validator_for(tool.output_schema) for tool in SERVER.tools}
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
    for call in calls:
        digest, rows, contents = session.digest(), _rows(session), Model(session).contents()
        name, arguments, outcome = _act(session, *call)
        tool = SERVER.tool(name)
        assert outcome.kind in (Kind.OK, Kind.EMPTY, Kind.REFUSED), outcome
        if not outcome.succeeded:
            assert outcome.code in tool.refusals
            assert session.digest() == digest
            continue
        assert JUDGES[name].is_valid(outcome.value), outcome.value
        model = Model(session)
        assert model.faults() == [], (name, arguments)
        if tool.effect == "write":
            assert all(now >= before for now, before in zip(_rows(session), rows, strict=True))
        if name == "mv" and arguments["if_exists"] == "keep":
            assert model.contents() == contents
        if name == "cp" and arguments["if_exists"] == "keep":
            assert model.contents() >= contents
        if tool.idempotent:
            before = session.snapshot()
            session.call(name, arguments)
            assert session.changes(before) == ()
    assert do(session, "du", path="/")["total"] == _visible_bytes(Model(session))
    session.close()


def _visible_bytes(model: Model) -> int:
    return sum(model.of(node, "size") for node in {node for _, node in model.visible()})


@settings(max_examples=80, deadline=None)
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
    groups = do(session, "pwd")["groups"]
    do(session, "touch", path="~/staging/x")
    assert do(session, "chown", path="~/staging/x", group=groups[1])["group"] == groups[1]
    do(session, "chown", path="~/staging/x", owner="root")
    assert code(session, "chown", path="~/staging/x", owner=do(session, "pwd")["login"]) == "not_owner"
    assert code(session, "chmod", path="~/staging/x", mode="777") == "not_owner"


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
    do(session, "write_file", path="~/staging/wide", content="ü" * 16_000)
    wide = do(session, "head_file", path="~/staging/wide")
    assert wide["truncated"]
    assert len(wide["content"].encode()) <= 16_384


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
def test_patterns_that_blow_up_elsewhere_take_no_time(pattern: str) -> None:
    session = opened()
    do(session, "write_file", path="~/staging/long", content="a" * 16_000 + "!")
    start = time.process_time()
    outcome = session.call("grep_files", {"pattern": pattern, "path": "~/staging"})
    assert outcome.succeeded
    assert time.process_time() - start < 0.5


def test_name_patterns_with_many_stars_take_no_time() -> None:
    session = opened()
    do(session, "touch", path=f"~/staging/{'a' * 250}")
    start = time.process_time()
    assert do(session, "find_files", path="~/staging", name="*a" * 90 + "*b")["count"] == 0
    assert time.process_time() - start < 0.5


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
            begin, _, number = re.match(r"@@ -(\d+)(,(\d+))?", line).group(1, 2, 3)  # type: ignore[union-attr]
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


def test_a_diff_of_long_unlike_texts_takes_no_time() -> None:
    old = [f"{number % 7}" for number in range(20_000)]
    new = [f"{number % 5}" for number in range(20_000)]
    start = time.process_time()
    assert _patched(old, list(unified(old, new, blocks(old, new)))) == new
    assert time.process_time() - start < 2


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
    start = time.process_time()
    assert code(session, "sed_replace", path="~/staging/s", find="a", replacement="x" * 2_000) == "quota_exceeded"
    assert time.process_time() - start < 0.1


# Archives


@settings(max_examples=30, deadline=None)
@given(texts=st.dictionaries(st.text("abc", min_size=1, max_size=3), st.text("x\nyü", max_size=30), max_size=6),
       form=st.sampled_from(["tar", "zip"]))  # fmt: skip
def test_what_is_packed_comes_out_again(texts: dict[str, str], form: Any) -> None:
    members = tuple(Member(name, "file", len(text.encode()), "text", text) for name, text in sorted(texts.items()))
    assert unpack(pack(form, members)) == Archive(form, members)


def test_a_folder_survives_packing_and_unpacking() -> None:
    session = opened()
    for form in ("tar", "zip"):
        do(session, "archive_create", paths=["~/handover", "~/desk"], archive_path=f"~/staging/p.{form}", format=form)
        do(session, "mkdir", path=f"~/staging/{form}")
        do(session, "archive_extract", path=f"~/staging/p.{form}", destination=f"~/staging/{form}")
        compared = do(session, "compare_dirs", first="~/handover", second=f"~/staging/{form}/handover")
        assert (compared["only_first"], compared["only_second"], compared["different"]) == ([], [], [])
        links = do(session, "find_files", path=f"~/staging/{form}/desk", type="link")["count"]
        assert links == do(session, "find_files", path="~/desk", type="link")["count"]


def _file(name: str, data: Any = "x", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "file", "form": "text", "data": data, **more}


HOSTILE = {
    "leaves by ..": {"archive": "tar", "entries": [_file("../x")]},
    "leaves in the middle": {"archive": "tar", "entries": [_file("a/../../x")]},
    "absolute": {"archive": "tar", "entries": [_file("/etc/x")]},
    "a dot": {"archive": "tar", "entries": [_file("./x")]},
    "empty": {"archive": "tar", "entries": [_file("")]},
    "control character": {"archive": "tar", "entries": [_file("a\nb")]},
    "long name": {"archive": "tar", "entries": [_file("n" * 256)]},
    "through a link": {
        "archive": "tar",
        "entries": [{"name": "a", "type": "link", "target": "/etc"}, _file("a/x")],
    },
    "below a file": {"archive": "tar", "entries": [_file("a"), _file("a/x")]},
    "twice": {"archive": "tar", "entries": [_file("a"), _file("a")]},
    "a bomb": {"archive": "zip", "lines": ["x" * 10_000], "entries": [_file("a", [0] * 200)]},
    "a bomb of many": {
        "archive": "zip",
        "lines": ["x" * 1_000],
        "entries": [_file(f"f{n}", [0] * 2) for n in range(900)],
    },
    "too many": {"archive": "tar", "entries": [_file(f"f{n}") for n in range(MAX_ENTRIES + 1)]},
    "too large": {"archive": "tar", "entries": [_file("a", "x" * (MAX_BYTES + 1))]},
    "negative line": {"archive": "zip", "lines": ["x"], "entries": [_file("a", [-1])]},
    "no such line": {"archive": "zip", "lines": ["x"], "entries": [_file("a", [7])]},
    "a line that is true": {"archive": "zip", "lines": ["x", "y"], "entries": [_file("a", [True])]},
    "lines of numbers": {"archive": "zip", "lines": [7], "entries": [_file("a", [0])]},
    "data of another type": {"archive": "tar", "entries": [_file("a", 7)]},
    "another type": {"archive": "tar", "entries": [{"name": "a", "type": "pipe"}]},
    "another form": {"archive": "tar", "entries": [_file("a", form="binary")]},
    "spoilt base64": {"archive": "tar", "entries": [_file("a", "%%%", form="base64")]},
    "another archive": {"archive": "rar", "entries": []},
    "no entries": {"archive": "tar"},
    "entries of text": {"archive": "tar", "entries": ["a"]},
    "a list": [],
}


@pytest.mark.parametrize("container", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_container_is_damaged(container: Any) -> None:
    start = time.process_time()
    with pytest.raises(Damaged):
        unpack(json.dumps(container))
    assert time.process_time() - start < 0.3


@pytest.mark.parametrize("text", ["", "{", "null", "[" * 100_000, '{"archive": "tar", "entries": [' + "{" * 5_000, "7"])
def test_what_is_no_container_is_damaged(text: str) -> None:
    with pytest.raises(Damaged):
        unpack(text)


@given(st.integers(0, 400))
def test_a_container_cut_off_anywhere_is_damaged(cut: int) -> None:
    whole = pack("zip", [Member(f"f{number}", "file", 4, "text", "abc\n") for number in range(12)])
    with pytest.raises(Damaged):
        unpack(whole[: min(cut, len(whole) - 1)])


@pytest.mark.parametrize("name", ["leaves by ..", "through a link", "a bomb"])
def test_no_archive_writes_outside_its_destination_or_fills_the_quota(name: str) -> None:
    session = opened()
    do(session, "write_file", path="~/staging/evil.zip", content="x")
    text = json.dumps(HOSTILE[name])
    connection = session.store.connection()
    node = "(SELECT node_id FROM entry WHERE name = 'evil.zip')"
    connection.execute(
        f"UPDATE node SET form = 'archive', content = ?, size = ? WHERE node_id = {node}", (text, len(text))
    )
    digest = session.digest()
    assert code(session, "archive_extract", path="~/staging/evil.zip", destination="~/handover") == "archive_damaged"
    assert code(session, "archive_list", path="~/staging/evil.zip") == "archive_damaged"
    assert session.digest() == digest


def test_unpacking_never_follows_a_link_in_the_destination() -> None:
    session = opened()
    do(session, "mkdir", path="~/staging/out")
    do(session, "ln", target="~/handover", link_path="~/staging/out/notes", kind="symbolic")
    before = do(session, "ls", path="~/handover")
    assert (
        code(session, "archive_extract", path="~/downloads/release.zip", destination="~/staging/out")
        == "already_exists"
    )
    assert do(session, "ls", path="~/handover") == before


def test_one_entry_is_unpacked_alone_and_existing_files_are_replaced_only_on_request() -> None:
    session = opened()
    got = do(session, "archive_extract", path="~/downloads/release.zip", destination="~/staging", entry="manifest.json")
    assert got["count"] == 1
    assert [entry["name"] for entry in do(session, "ls", path="~/staging")["entries"]] == ["manifest.json"]
    assert code(session, "archive_extract", path="~/downloads/release.zip", destination="~/staging") == "already_exists"
    do(session, "archive_extract", path="~/downloads/release.zip", destination="~/staging", if_exists="replace")
    assert do(session, "list_trash")["items"][0]["name"] == "manifest.json"
    assert do(session, "tree", path="~/staging")["folders"] == 1
