"""The worlds of the filesystem server, and how a path leads to an entry."""

from __future__ import annotations

import errno
import itertools
import os
import posixpath
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proverl.records import Kind
from proverl.synth.phrases import read
from proverl.world.session import LocalSession
from support.filesystem_model import SERVER, Model, code, do, opened, sql
from support.reach.filesystem import CIRCLED, FEW_BYTES, FEW_ENTRIES

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
    free = [do(opened(seed), "df") for seed in (CIRCLED, FEW_ENTRIES, FEW_BYTES)]
    assert free[0]["free_entries"] >= 60
    assert free[0]["free_bytes"] >= 150_000
    assert 1 <= free[1]["free_entries"] < 5
    assert free[1]["free_bytes"] >= 150_000
    assert 400 <= free[2]["free_bytes"] < 8_000
    assert free[2]["free_entries"] >= 60
    assert opened(CIRCLED).call("cat", {"path": "~/desk/ping"}).code == "too_many_links"
    assert opened(0).call("cat", {"path": "~/desk/ping"}).code == "not_found"


def _file_names(seed: int) -> set[str]:
    model = Model(opened(seed))
    return {path.rsplit("/", 1)[1] for path, node in model.walk() if model.of(node, "kind") == "file"}


def _lines(seed: int) -> set[str]:
    model = Model(opened(seed))
    texts = [model.of(node, "content") for _, node in model.walk() if model.of(node, "form") == "text"]
    return {line for text in texts for line in text.splitlines() if len(line) > 12}


@pytest.mark.parametrize("of", [_file_names, _lines])
def test_two_worlds_share_less_than_half_of_their_names_and_lines(of: Callable[[int], set[str]]) -> None:
    found = [of(seed) for seed in range(10)]
    shares = [len(one & other) / len(one | other) for one, other in itertools.combinations(found, 2)]
    assert sum(shares) / len(shares) <= 0.5


@pytest.mark.parametrize("seed", range(8))
def test_a_world_came_about_in_order_of_time(seed: int) -> None:
    """What stands in a folder is as old as the folder's last change or older, and nothing was deleted before it was."""
    session = opened(seed)
    model = Model(session)
    now = sql(session, "SELECT moment FROM world_now")[0][0]
    modified = {node: model.of(node, "modified") for node in model.nodes}
    assert max(modified.values()) < now
    for _, parent, _, node, kind in model.entries:
        if parent is not None and kind != "folder":
            assert modified[node] <= modified[parent]
    deleted = sql(session, "SELECT deleted_at, number, entry_id, original_path FROM trash_item ORDER BY number")
    assert [row[0] for row in deleted] == sorted(row[0] for row in deleted)
    paths = dict(model.walk())
    nodes = {entry[0]: entry[3] for entry in model.entries}
    for when, _, entry, path in deleted:
        below = [node for _, node in model.walk(nodes[entry])] + [nodes[entry]]
        assert all(modified[node] < when < now for node in below)
        folder = paths.get(posixpath.dirname(path))
        assert folder is None or modified[folder] >= when


def test_times_have_seconds() -> None:
    model = Model(opened())
    seconds = Counter(model.of(node, "modified")[17:19] for node in model.nodes)
    assert len(seconds) > 50
    assert max(seconds.values()) < 0.1 * len(model.nodes)


def test_the_phrases_fit_the_tools() -> None:
    assert set(read(SERVER).tools) == {tool.name for tool in SERVER.tools}


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


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
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
    assert code(session, "cat", path="~/staging/n41") == "too_many_links"


def test_what_cannot_be_entered_hides_whether_something_is_there() -> None:
    session = opened()
    inside = sql(
        session, "SELECT e.name FROM entry e JOIN entry p ON p.node_id = e.parent WHERE p.name = 'vault' ORDER BY 1"
    )
    there = session.call("cat", {"path": f"~/vault/{inside[0][0]}"})
    missing = session.call("cat", {"path": "~/vault/no-such-file"})
    assert there.code == missing.code == "permission_denied"
