"""How each refusal of the filesystem server is reached from a seed, in at most five calls.

Most ways are plain lists of calls on names that every world has; some look for what a world has first. All worlds here
have two links that lead to each other. `more()` leads to calls for which several refusals hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proverl.records import Outcome
from proverl.servers import load
from proverl.world.session import LocalSession

MOST_CALLS = 5
CIRCLED, FEW_ENTRIES, FEW_BYTES = 1, 23, 34
"""Worlds with ~/desk/ping and ~/desk/pong; in the others less than 5 entries or 8 KB are free."""
LONG = "n" * 256
EMPTY, FOLDER, CLOSED, SEALED = "~/documents/placeholder.txt", "~/handover", "~/vault", "~/documents/sealed.txt"
LOST, BINARY, REPORT = "~/desk/lost-note.md", "~/downloads/release.zip", "~/documents/reports/annual-report.md"
FOREIGN, GUESTBOOK, NOWHERE = "/etc/hosts.txt", "/srv/shared/guestbook.txt", "~/no-such-thing"
BROKEN, CIRCLE, HIDDEN = f"{LOST}/x", "~/desk/ping/x", f"{CLOSED}/x"
UNLISTED, LOG, DAMAGED = "/var/backups", "/var/log/system.log", "~/downloads/documents-2029.tar"

Arguments = dict[str, Any]
Way = list[tuple[str, Arguments]]


def new_session(seed: int = CIRCLED) -> LocalSession:
    return LocalSession(load("filesystem"), seed)


def follow(way: Way, session: LocalSession | None = None) -> Outcome:
    """Make the calls; all but the last must succeed."""
    session = session or new_session()
    for tool, arguments in way[:-1]:
        outcome = session.call(tool, arguments)
        assert outcome.succeeded, (tool, outcome)
    return session.call(*way[-1])


# Quotas


def full(*before: tuple[str, Arguments]) -> LocalSession:
    """A world in which no entry is free any more, after two calls and these."""
    session = new_session(FEW_ENTRIES)
    free = follow([*before, ("df", {})], session).value["free_entries"]
    assert free < 5, "another seed has few entries now"
    folders = "/".join(f"filler-{number}" for number in range(free))
    assert session.call("mkdir", {"path": f"~/staging/{folders}", "parents": True}).succeeded
    return session


def when_full(tool: str, **arguments: Any) -> Callable[[], Outcome]:
    return lambda: follow([(tool, arguments)], full())


def when_tight(tool: str, **arguments: Any) -> Callable[[], Outcome]:
    """In a world with less than 8 KB free, the call is repeated until it is refused."""

    def reach() -> Outcome:
        session = new_session(FEW_BYTES)
        outcome = session.call(tool, arguments)
        while outcome.succeeded and len(session.log) < MOST_CALLS:
            outcome = session.call(tool, arguments)
        return outcome

    return reach


# Ways that look first


def _of_another(tool: str, before: str = "", **more: Any) -> Callable[[], Outcome]:
    """A call on another login's folder in the sticky one that all share, on which `before` is called first."""

    def reach() -> Outcome:
        session = new_session()
        own = session.call("pwd", {}).value["login"]
        found = session.call("find_files", {"path": "/srv/shared", "type": "folder"}).value["entries"]
        other = next(entry["path"] for entry in found if not entry["path"].endswith(f"/{own}-files"))
        given = {key: other if value == "other" else value for key, value in more.items()}
        way: Way = [(before, {"path": other})] if before else []
        return follow([*way, (tool, {PATHS[tool][0]: other, **given})], session)

    return reach


def _trash(name: str, *before: tuple[str, Arguments], **more: Any) -> Callable[[], Outcome]:
    """Restore an item of this name; in the calls before, {item} is where it lay and {folder} in which folder."""

    def reach() -> Outcome:
        session = new_session()
        item = session.call("list_trash", {"name": name}).value["items"][0]
        old = {"item": item["original_path"], "folder": item["original_path"].rsplit("/", 1)[0]}
        way = [(tool, {key: value.format(**old) for key, value in given.items()}) for tool, given in before]
        return follow([*way, ("restore_from_trash", {"trash_item_id": item["trash_item_id"], **more})], session)

    return reach


def _restore_when_full(*, taken: bool = False) -> Outcome:
    """`taken`: something stands where the item lay."""
    old = new_session(FEW_ENTRIES).call("list_trash", {"name": "minutes-old"}).value["items"][0]
    session = full(("rm", {"path": EMPTY}), ("touch", {"path": old["original_path"]})) if taken else full()
    return session.call("restore_from_trash", {"trash_item_id": old["trash_item_id"]})


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
    add("compare_dirs", "permission_denied", first=FOLDER, second=UNLISTED)
    add("compare_dirs", "same_folder", first="~/documents", second="~/desk/documents")
    add("grep_files", "not_found", pattern="a", path=NOWHERE)
    add("grep_files", "permission_denied", pattern="a", path=SEALED)
    add("grep_files", "bad_pattern", pattern="a(b")
    add("grep_files", "binary_file", pattern="a", path=BINARY)
    add("stat_file", "not_found", path=NOWHERE)
    add("stat_file", "permission_denied", path=HIDDEN)
    add("realpath_of", "not_found", path=NOWHERE)
    add("realpath_of", "permission_denied", path=HIDDEN)
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


def _links(add: Add) -> None:
    """What all tools refuse whose path leads through a dangling or a circular link."""
    for tool, (argument, more) in PATHS.items():
        for code, path in (("broken_link", BROKEN), ("too_many_links", CIRCLE)):
            add(tool, code, **{argument: [EMPTY, path] if argument == "paths" else path}, **more)


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
        add(tool, "permission_denied", path=HIDDEN, **more)
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
    add("sort_file", "column_not_found", path=REPORT, output_path="~/new", column=10_000)
    add("cut_columns", "column_not_found", path=REPORT, output_path="~/new", columns=[1, 99])
    for code, path in (
        ("not_found", NOWHERE),
        ("invalid_argument", FOLDER),
        ("permission_denied", SEALED),
        ("binary_file", BINARY),
    ):
        add("split_file", code, path=path, lines_per_part=5)
    copied = ("cp", {"source": LOG, "destination": "~/staging"})
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
    add("archive_list", "not_found", path=NOWHERE)
    add("archive_list", "permission_denied", path=SEALED)
    add("archive_list", "not_an_archive", path=EMPTY)
    add("archive_list", "archive_damaged", path=DAMAGED)
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
        ("archive_damaged", DAMAGED, "~/staging"),
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
        ("restore_from_trash", "broken_link"): _trash("minutes-old", destination=BROKEN),
        ("restore_from_trash", "too_many_links"): _trash("minutes-old", destination=CIRCLE),
        ("rmdir", "permission_denied"): _of_another("rmdir"),
        ("restore_from_trash", "original_folder_gone"): _trash("lease-terms.md"),
        ("restore_from_trash", "destination_not_a_folder"): _trash("minutes-old", destination=EMPTY),
        ("restore_from_trash", "already_exists"): _trash(
            "minutes-old", ("write_file", {"path": "{item}", "content": "x"})
        ),
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


# Several refusals at once


def _plain_mixtures() -> dict[tuple[str, str], Way]:
    """Calls without others before them; the last arguments go into the mixtures of all ways of their tool."""
    ways: dict[tuple[str, str], Way] = {}

    def add(tool: str, **arguments: Any) -> None:
        ways[tool, f"mixture {len(ways)}"] = [(tool, arguments)]

    for tool in ("cat", "head_file", "tail_file", "wc_file", "checksum_file"):
        add(tool, path=UNLISTED)
    add("diff_files", first=FOLDER, second=SEALED)
    add("diff_files", first=BINARY, second=CIRCLE)
    for path in (EMPTY, UNLISTED, BROKEN):
        add("compare_dirs", first=path, second=path)
    for tool, more in (("touch", {}), ("mkdir", {}), ("write_file", {"content": "x"})):
        for folder in (NOWHERE, "/etc", BROKEN, CIRCLE):
            add(tool, path=f"{folder}/{LONG}", **more)
        add(tool, path="/etc", **more)
    add("write_file", path=FOREIGN, content="x")
    for path in (FOREIGN, "/etc", "~", "/home", "/etc/none"):
        add("rmdir", path=path)
    for path in ("/etc", "/home"):
        add("rm", path=path)
    _moving_mixtures(add)
    add("chmod", path="/", mode="640", recursive=True)
    add("chmod", path=EMPTY, mode="3640")
    add("set_umask", umask="2222")
    add("append_file", path="/etc", content="x")
    add("sed_replace", path="/etc", find="no such words", replacement="")
    _text_mixtures(add)
    several = [NOWHERE, FOLDER, "~/documents", BROKEN, CIRCLE]
    for archive in (f"{NOWHERE}/{LONG}", f"{FOLDER}/{LONG}", f"{FOLDER}/none/x", BROKEN, CIRCLE):
        add("archive_create", paths=several, archive_path=archive, format="zip")
    for path, destination in ((NOWHERE, HIDDEN), (SEALED, BROKEN), (DAMAGED, CIRCLE)):
        add("archive_extract", path=path, destination=destination)
    return ways


def _moving_mixtures(add: Add) -> None:
    for tool in ("cp", "mv"):
        add(tool, source=NOWHERE, destination="/", new_name="home")
        add(tool, source="~", destination="/srv/shared", new_name="guestbook.txt")
        add(tool, source=NOWHERE, destination="~/documents", new_name="placeholder.txt")
        for destination in (BROKEN, CIRCLE):
            add(tool, source=FOLDER, destination=destination)
    add("cp", source="~/documents", destination=EMPTY, recursive=True)
    add("cp", source=FOLDER, destination="~")
    for target, link in ((NOWHERE, BROKEN), (FOLDER, CIRCLE), (HIDDEN, "/etc"), (EMPTY, f"{NOWHERE}/{LONG}")):
        add("ln", target=target, link_path=link, kind="hard")


def _text_mixtures(add: Add) -> None:
    for tool, more in (("sort_file", {}), ("uniq_lines", {}), ("cut_columns", {"columns": [1]})):
        for output in ("/etc/new", BROKEN, CIRCLE):
            add(tool, path=FOLDER, output_path=output, **more)
    for output in (EMPTY, f"{NOWHERE}/new"):
        add("concat_files", paths=[NOWHERE, FOLDER, SEALED, BINARY, BROKEN, CIRCLE], output_path=output)
    for path in ("/etc", LOG, "/etc/none"):
        add("split_file", path=path, lines_per_part=1)


def _later_mixtures() -> dict[tuple[str, str], Way]:
    """Calls with others before them."""
    backup = {"path": "~/finance/finance-backup.zip", "destination": "~/finance"}
    log = {"source": LOG, "destination": "~/staging"}
    parts: Way = [("touch", {"path": f"{of}.001"}) for of in (BINARY, SEALED, FOLDER, "~/staging/system.log")]
    top = "~/staging/sticky"
    ways: dict[tuple[str, str], Way] = {
        ("archive_extract", "a closed folder"): [
            ("chmod", {"path": "~/finance", "mode": "555"}),
            ("archive_extract", backup),
        ],
        ("split_file", "a long name"): [
            ("cp", {**log, "new_name": "n" * 255}),
            ("split_file", {"path": f"~/staging/{'n' * 255}", "lines_per_part": 1}),
        ],
        ("split_file", "parts are there"): [
            ("cp", log),
            *parts,
            ("split_file", {"path": "~/staging/system.log", "lines_per_part": 1}),
        ],
        ("split_file", "a part is there, and not what it is of"): [
            ("touch", {"path": f"{NOWHERE}.001"}),
            ("split_file", {"path": NOWHERE, "lines_per_part": 1}),
        ],
        ("rm", "a closed sticky folder of root"): [
            ("mkdir", {"path": top}),
            ("touch", {"path": f"{top}/x"}),
            ("chown", {"path": f"{top}/x", "owner": "root"}),
            ("chmod", {"path": top, "mode": "1555"}),
            ("chown", {"path": top, "owner": "root"}),
            ("rm", {"path": f"{top}/x"}),
        ],
    }
    for tool in ("cat", "head_file", "tail_file", "wc_file", "append_file", "sed_replace", "grep_files"):
        argument, more = PATHS[tool]
        shut = ("chmod", {"path": BINARY, "mode": "200"})
        ways[tool, "a closed archive"] = [shut, (tool, {argument: BINARY, **more})]
    return ways


def _split_when_full() -> Outcome:
    session = full(("rm", {"path": EMPTY}), ("touch", {"path": f"{REPORT}.001"}))
    return session.call("split_file", {"path": REPORT, "lines_per_part": 1})


def more() -> dict[tuple[str, str], Callable[[], Outcome]]:
    """Ways to calls for which several refusals hold; a name only tells the ways of a tool apart."""
    ways = {**_plain_mixtures(), **_later_mixtures()}
    shut = ("chmod", {"path": "{folder}", "mode": "555"})
    lost = ("ln", {"target": LOST, "link_path": "{folder}", "kind": "symbolic"})
    circle = ("ln", {"target": "~/desk/ping", "link_path": "{folder}", "kind": "symbolic"})
    return {
        **{key: (lambda way=way: follow(way)) for key, way in ways.items()},
        ("rm", "of another"): _of_another("rm"),
        ("rm", "of another, in use"): _of_another("rm", "cd"),
        ("mv", "of another"): _of_another("mv", destination="other"),
        ("split_file", "parts are there, and no room"): _split_when_full,
        ("restore_from_trash", "a file for a folder"): _trash("lease-terms", ("touch", {"path": "{folder}"})),
        ("restore_from_trash", "a broken link for a folder"): _trash("lease-terms", lost),
        ("restore_from_trash", "a circle for a folder"): _trash("lease-terms", circle),
        ("restore_from_trash", "taken and closed"): _trash("minutes-old", ("touch", {"path": "{item}"}), shut),
        ("restore_from_trash", "taken, and no room"): lambda: _restore_when_full(taken=True),
    }
