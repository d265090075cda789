"""How each refusal of the filesystem server is reached from a seed, in at most five calls.

Most ways are plain lists of calls on names that every world has; some look for what a world has first. A quota that is
used up is found by trying seeds from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any

from proverl.records import Outcome
from proverl.servers import load
from proverl.world.session import LocalSession

MOST_CALLS = 5
LONG = "n" * 256
EMPTY, FOLDER, CLOSED, SEALED = "~/documents/placeholder.txt", "~/handover", "~/vault", "~/documents/sealed.txt"
LOST, BINARY, REPORT = "~/desk/lost-note.md", "~/downloads/release.zip", "~/documents/reports/annual-report.md"
FOREIGN, GUESTBOOK, NOWHERE = "/etc/hosts.txt", "/srv/shared/guestbook.txt", "~/no-such-thing"

Arguments = dict[str, Any]
Way = list[tuple[str, Arguments]]


def new_session(seed: int = 0) -> LocalSession:
    return LocalSession(load("filesystem"), seed)


def follow(way: Way, session: LocalSession | None = None) -> Outcome:
    """Make the calls; all but the last must succeed."""
    session = session or new_session()
    for tool, arguments in way[:-1]:
        outcome = session.call(tool, arguments)
        assert outcome.succeeded, (tool, outcome)
    outcome = session.call(*way[-1])
    assert len(session.log) <= MOST_CALLS
    return outcome


# Quotas


@cache
def seed_with(column: str, most: int) -> int:
    """The first world with at most so much of the quota free."""
    return next(seed for seed in count() if new_session(seed).call("df", {}).value[column] <= most)


def full() -> LocalSession:
    """A world in which no entry is free any more, after two calls."""
    session = new_session(seed_with("free_entries", 4))
    free = session.call("df", {}).value["free_entries"]
    folders = "/".join(f"filler-{number}" for number in range(free))
    assert session.call("mkdir", {"path": f"~/staging/{folders}", "parents": True}).succeeded
    return session


def when_full(tool: str, **arguments: Any) -> Callable[[], Outcome]:
    return lambda: follow([(tool, arguments)], full())


def when_tight(tool: str, **arguments: Any) -> Callable[[], Outcome]:
    """In a world with less than 8 KB free, the call is repeated until it is refused."""

    def reach() -> Outcome:
        session = new_session(seed_with("free_bytes", 8_000))
        outcome = session.call(tool, arguments)
        while outcome.succeeded and len(session.log) < MOST_CALLS:
            outcome = session.call(tool, arguments)
        return outcome

    return reach


# Ways that look first


def _foreign_empty_folder() -> Outcome:
    session = new_session()
    own = session.call("pwd", {}).value["login"]
    found = session.call("find_files", {"path": "/srv/shared", "type": "folder"}).value["entries"]
    other = next(entry["path"] for entry in found if not entry["path"].endswith(f"/{own}-files"))
    return follow([("rmdir", {"path": other})], session)


def _trash(name: str, before: str = "", **arguments: Any) -> Callable[[], Outcome]:
    """Restore an item of this name; `before` writes a file where it lay."""

    def reach() -> Outcome:
        session = new_session()
        item = session.call("list_trash", {"name": name}).value["items"][0]
        way: Way = [("write_file", {"path": item["original_path"], "content": "x"})] if before else []
        way.append(("restore_from_trash", {"trash_item_id": item["trash_item_id"], **arguments}))
        return follow(way, session)

    return reach


def _restore_when_full() -> Outcome:
    session = full()
    item = session.call("list_trash", {"name": "minutes-old"}).value["items"][0]
    return follow([("restore_from_trash", {"trash_item_id": item["trash_item_id"]})], session)


def _restore_in_circles() -> Outcome:
    session = new_session()
    item = follow([("list_trash", {"name": "minutes-old"})], session).value["items"][0]["trash_item_id"]
    session = new_session()
    return follow([*CIRCLE, ("restore_from_trash", {"trash_item_id": item, "destination": "~/one/x"})], session)


# The table


def _simple() -> dict[tuple[str, str], Way]:
    """Ways that are plain lists of calls."""
    ways: dict[tuple[str, str], Way] = {}

    def add(tool: str, code: str, *before: tuple[str, Arguments], **arguments: Any) -> None:
        ways[tool, code] = [*before, (tool, arguments)]

    for tool in ("ls", "tree", "du", "find_files", "cd"):
        add(tool, "not_found", path=NOWHERE)
        add(tool, "not_a_folder", path=EMPTY)
        add(tool, "permission_denied", path=CLOSED)
    add("find_files", "bad_pattern", name="a/b")
    add("find_files", "invalid_argument", modified_after="soon")
    for tool in ("cat", "head_file", "tail_file", "wc_file"):
        _text_ways(add, tool, {})
    for code, path in (("not_found", NOWHERE), ("is_a_folder", FOLDER), ("permission_denied", SEALED)):
        add("checksum_file", code, path=path)
    for code, path in (
        ("not_found", NOWHERE),
        ("is_a_folder", FOLDER),
        ("permission_denied", SEALED),
        ("binary_file", BINARY),
    ):
        add("diff_files", code, first=EMPTY, second=path)
    add("compare_dirs", "not_found", first=FOLDER, second=NOWHERE)
    add("compare_dirs", "not_a_folder", first=FOLDER, second=EMPTY)
    add("compare_dirs", "permission_denied", first=FOLDER, second="/var/backups")
    add("compare_dirs", "same_folder", first="~/documents", second="~/desk/documents")
    add("grep_files", "not_found", pattern="a", path=NOWHERE)
    add("grep_files", "permission_denied", pattern="a", path=SEALED)
    add("grep_files", "bad_pattern", pattern="a(b")
    add("grep_files", "binary_file", pattern="a", path=BINARY)
    add("stat_file", "not_found", path=NOWHERE)
    add("stat_file", "permission_denied", path=f"{CLOSED}/anything")
    add("realpath_of", "not_found", path=NOWHERE)
    add("realpath_of", "permission_denied", path=f"{CLOSED}/anything")
    _links(add)
    _making(add)
    _moving(add)
    _owning(add)
    _texts(add)
    _archives(add)
    add("restore_from_trash", "trash_item_not_found", trash_item_id="tsh_0000")
    return ways


Add = Callable[..., None]

PATHS: dict[str, tuple[str, Arguments]] = {
    **dict.fromkeys(("cd", "ls", "tree", "du", "find_files", "rmdir", "stat_file", "realpath_of"), ("path", {})),
    **dict.fromkeys(("cat", "head_file", "tail_file", "wc_file", "checksum_file", "archive_list"), ("path", {})),
    **dict.fromkeys(("touch", "mkdir", "rm", "chown"), ("path", {})),
    "grep_files": ("path", {"pattern": "a"}),
    "diff_files": ("first", {"second": EMPTY}),
    "compare_dirs": ("second", {"first": FOLDER}),
    "write_file": ("path", {"content": "x"}),
    "append_file": ("path", {"content": "x"}),
    "sed_replace": ("path", {"find": "a", "replacement": "b"}),
    "cp": ("source", {"destination": FOLDER}),
    "mv": ("source", {"destination": FOLDER}),
    "ln": ("target", {"link_path": "~/new", "kind": "symbolic"}),
    "chmod": ("path", {"mode": "640"}),
    "sort_file": ("path", {"output_path": "~/new"}),
    "uniq_lines": ("path", {"output_path": "~/new"}),
    "cut_columns": ("path", {"columns": [1], "output_path": "~/new"}),
    "split_file": ("path", {"lines_per_part": 5}),
    "concat_files": ("paths", {"output_path": "~/new"}),
    "archive_create": ("paths", {"archive_path": "~/new", "format": "zip"}),
    "archive_extract": ("path", {"destination": FOLDER}),
}
"""A path argument of each tool that has one, and the other arguments of a call that would be right."""
CIRCLE: Way = [
    ("touch", {"path": "~/one"}),
    ("ln", {"target": "~/one", "link_path": "~/two", "kind": "symbolic"}),
    ("rm", {"path": "~/one"}),
    ("ln", {"target": "~/two", "link_path": "~/one", "kind": "symbolic"}),
]
"""Two links that lead to each other: ~/one and ~/two."""


def _links(add: Add) -> None:
    """What all tools refuse whose path leads through a dangling or a circular link."""
    for tool, (argument, more) in PATHS.items():
        for code, path, before in (("broken_link", f"{LOST}/x", []), ("too_many_links", "~/one/x", CIRCLE)):
            add(tool, code, *before, **{argument: [EMPTY, path] if argument == "paths" else path}, **more)


def _text_ways(add: Add, tool: str, more: Arguments) -> None:
    """What all tools refuse that take one text file."""
    add(tool, "not_found", path=NOWHERE, **more)
    add(tool, "is_a_folder", path=FOLDER, **more)
    add(tool, "permission_denied", path=SEALED, **more)
    add(tool, "binary_file", path=BINARY, **more)


def _making(add: Add) -> None:
    for tool, more in (("touch", {}), ("mkdir", {}), ("write_file", {"content": "x"})):
        add(tool, "folder_not_found", path=f"{NOWHERE}/new", **more)
        add(tool, "permission_denied", path="/etc/new", **more)
        add(tool, "bad_name", path=f"~/{LONG}", **more)
    add("touch", "is_a_folder", path=FOLDER)
    add("write_file", "is_a_folder", path=FOLDER, content="x", if_exists="replace")
    add("write_file", "already_exists", path=EMPTY, content="x")
    add("mkdir", "already_exists", path=FOLDER)
    add("rmdir", "not_found", path=NOWHERE)
    add("rmdir", "not_a_folder", path=EMPTY)
    add("rmdir", "folder_not_empty", path=FOLDER)
    add("rmdir", "folder_in_use", ("cd", {"path": "~/empty-box"}), path="~/empty-box")
    _text_ways(add, "append_file", {"content": "x"})
    add("append_file", "permission_denied", path="~/journal/notes.md", content="x")
    for tool in ("write_file", "append_file"):
        add(tool, "invalid_argument", path="~/new", content="é" * 9_000 if tool == "write_file" else "é" * 3_000)


def _moving(add: Add) -> None:
    for tool in ("cp", "mv"):
        add(tool, "not_found", source=NOWHERE, destination=FOLDER)
        add(tool, "destination_not_a_folder", source=EMPTY, destination=FOREIGN)
        add(tool, "already_exists", source=EMPTY, destination="~/documents")
    add("cp", "is_a_folder", source=FOLDER, destination="~/staging")
    add("cp", "into_itself", source=FOLDER, destination=FOLDER, recursive=True)
    add("cp", "permission_denied", source=EMPTY, destination="/etc")
    add("mv", "into_itself", source=FOLDER, destination=FOLDER, new_name="inner")
    add("mv", "permission_denied", source=FOREIGN, destination=FOLDER)
    add("mv", "sticky_folder", source=GUESTBOOK, destination=FOLDER)
    add("mv", "folder_in_use", ("cd", {"path": FOLDER}), source=FOLDER, destination="~/staging")
    add("ln", "not_found", target=NOWHERE, link_path="~/new", kind="hard")
    add("ln", "already_exists", target=EMPTY, link_path=FOLDER, kind="symbolic")
    add("ln", "folder_not_found", target=EMPTY, link_path=f"{NOWHERE}/new", kind="symbolic")
    add("ln", "permission_denied", target=EMPTY, link_path="/etc/new", kind="symbolic")
    add("ln", "hard_link_to_folder", target=FOLDER, link_path="~/new", kind="hard")
    add("ln", "invalid_argument", target=EMPTY, link_path=f"~/{LONG}", kind="symbolic")
    add("rm", "not_found", path=NOWHERE)
    add("rm", "is_a_folder", path=FOLDER)
    add("rm", "permission_denied", path=FOREIGN)
    add("rm", "sticky_folder", path=GUESTBOOK)
    add("rm", "folder_in_use", ("cd", {"path": FOLDER}), path=FOLDER, recursive=True)


def _owning(add: Add) -> None:
    for tool, more in (("chmod", {"mode": "640"}), ("chown", {"group": "root"})):
        add(tool, "not_found", path=NOWHERE, **more)
        add(tool, "not_owner", path=FOREIGN, **more)
        add(tool, "permission_denied", path=f"{CLOSED}/anything", **more)
    add("chmod", "bad_mode", path=EMPTY, mode="648")
    add("chmod", "not_a_folder", path=EMPTY, mode="1640")
    add("chown", "unknown_login", path=EMPTY, owner="nobody-here")
    add("chown", "unknown_group", path=EMPTY, group="nothing-here")
    add("chown", "not_in_group", path=EMPTY, group="root")
    add("chown", "nothing_to_change", path=EMPTY)
    add("set_umask", "bad_mode", umask="29")
    add("set_umask", "owner_bits_masked", umask="227")


def _texts(add: Add) -> None:
    _text_ways(add, "sed_replace", {"find": "a", "replacement": "b"})
    add("sed_replace", "no_match", path=EMPTY, find="a", replacement="b")
    for tool, more in (("sort_file", {}), ("uniq_lines", {}), ("cut_columns", {"columns": [1]})):
        _output_ways(add, tool, "path", lambda path: path, more)
    _output_ways(add, "concat_files", "paths", lambda path: [EMPTY, path], {})
    add("sort_file", "column_not_found", path=REPORT, output_path="~/new", column=99)
    add("cut_columns", "column_not_found", path=REPORT, output_path="~/new", columns=[1, 99])
    for code, path in (
        ("not_found", NOWHERE),
        ("invalid_argument", FOLDER),
        ("permission_denied", SEALED),
        ("binary_file", BINARY),
    ):
        add("split_file", code, path=path, lines_per_part=5)
    copied = ("cp", {"source": "/var/log/system.log", "destination": "~/staging"})
    add("split_file", "too_many_parts", copied, path="~/staging/system.log", lines_per_part=1)
    taken = ("touch", {"path": f"{REPORT}.001"})
    add("split_file", "already_exists", taken, path=REPORT, lines_per_part=10_000)


def _output_ways(add: Add, tool: str, argument: str, given: Callable[[str], Any], more: Arguments) -> None:
    """What all tools refuse that write a new file from text files."""
    for code, path, output in (
        ("not_found", NOWHERE, "~/new"),
        ("invalid_argument", EMPTY, f"~/{LONG}"),
        ("permission_denied", SEALED, "~/new"),
        ("binary_file", BINARY, "~/new"),
        ("already_exists", EMPTY, EMPTY),
        ("folder_not_found", EMPTY, f"{NOWHERE}/new"),
    ):
        add(tool, code, **{argument: given(path)}, output_path=output, **more)


def _archives(add: Add) -> None:
    damaged = "~/downloads/documents-2029.tar"
    add("archive_list", "not_found", path=NOWHERE)
    add("archive_list", "permission_denied", path=SEALED)
    add("archive_list", "not_an_archive", path=EMPTY)
    add("archive_list", "archive_damaged", path=damaged)
    for code, paths, archive in (
        ("not_found", [NOWHERE], "~/new.zip"),
        ("permission_denied", ["~/documents"], "~/new.zip"),
        ("already_exists", [FOLDER], EMPTY),
        ("folder_not_found", [FOLDER], f"{NOWHERE}/new.zip"),
        ("archive_inside_source", [FOLDER], f"{FOLDER}/new.zip"),
        ("invalid_argument", [FOLDER], f"~/{LONG}"),
    ):
        add("archive_create", code, paths=paths, archive_path=archive, format="zip")
    for code, path, destination in (
        ("not_found", NOWHERE, "~/staging"),
        ("not_an_archive", EMPTY, "~/staging"),
        ("archive_damaged", damaged, "~/staging"),
        ("destination_not_a_folder", BINARY, EMPTY),
        ("already_exists", "~/finance/finance-backup.zip", "~/finance"),
        ("permission_denied", BINARY, "/etc"),
    ):
        add("archive_extract", code, path=path, destination=destination)
    add("archive_extract", "entry_not_found", path=BINARY, destination="~/staging", entry="no-such-entry")


def reach() -> dict[tuple[str, str], Callable[[], Outcome]]:
    """For each refusal of each tool, a function that provokes it in a session of its own."""
    ways: dict[tuple[str, str], Callable[[], Outcome]] = {
        key: (lambda way=way: follow(way)) for key, way in _simple().items()
    }
    new = "~/staging/one-more"
    ways |= {
        ("restore_from_trash", "broken_link"): _trash("minutes-old", destination=f"{LOST}/x"),
        ("restore_from_trash", "too_many_links"): _restore_in_circles,
        ("rmdir", "permission_denied"): _foreign_empty_folder,
        ("restore_from_trash", "original_folder_gone"): _trash("lease-terms.md"),
        ("restore_from_trash", "destination_not_a_folder"): _trash("minutes-old", destination=EMPTY),
        ("restore_from_trash", "already_exists"): _trash("minutes-old", before="a file"),
        ("restore_from_trash", "permission_denied"): _trash("minutes-old", destination="/etc"),
        ("restore_from_trash", "quota_exceeded"): _restore_when_full,
        ("touch", "quota_exceeded"): when_full("touch", path=new),
        ("mkdir", "quota_exceeded"): when_full("mkdir", path=new),
        ("write_file", "quota_exceeded"): when_tight("write_file", path=new, content="x" * 9_000),
        ("append_file", "quota_exceeded"): when_tight("append_file", path=EMPTY, content="x" * 4_000),
        ("sed_replace", "quota_exceeded"): when_tight("sed_replace", path=REPORT, find=" ", replacement="x" * 2_000),
        ("cp", "quota_exceeded"): when_full("cp", source=REPORT, destination="~/staging"),
        ("ln", "quota_exceeded"): when_full("ln", target=REPORT, link_path=new, kind="hard"),
        ("sort_file", "quota_exceeded"): when_full("sort_file", path=REPORT, output_path=new),
        ("uniq_lines", "quota_exceeded"): when_full("uniq_lines", path=REPORT, output_path=new),
        ("cut_columns", "quota_exceeded"): when_full("cut_columns", path=REPORT, output_path=new, columns=[1]),
        ("split_file", "quota_exceeded"): when_full("split_file", path=REPORT, lines_per_part=100),
        ("concat_files", "quota_exceeded"): when_full("concat_files", paths=[REPORT, REPORT], output_path=new),
        ("archive_create", "quota_exceeded"): when_full(
            "archive_create", paths=[REPORT], archive_path=new, format="tar"
        ),
        ("archive_extract", "quota_exceeded"): when_full("archive_extract", path=BINARY, destination="~/handover"),
    }
    return ways
