"""What the filesystem server says when it refuses: the names and figures of the matter, and advice that holds."""

from __future__ import annotations

import re
from typing import Any

import pytest

from proverl.servers.filesystem.archive import Damaged, unpack
from proverl.world.session import LocalSession
from support.filesystem_model import do, opened, sql

TOP, TEXT = "~/staging/t", "~/documents/reports/annual-report.md"


def said(session: LocalSession, tool: str, code: str, **arguments: Any) -> str:
    """The message of a call that must be refused with this code."""
    outcome = session.call(tool, arguments)
    assert outcome.code == code, (tool, arguments, outcome)
    return outcome.message


@pytest.fixture(scope="module")
def grown() -> LocalSession:
    """~/staging/t with a table, a closed file, a link that leads nowhere, and a closed folder."""
    session = opened()
    do(session, "set_umask", umask="022")
    do(session, "mkdir", path=f"{TOP}/f/in", parents=True)
    for name, text in (
        ("table", "a,b\nc\nd,e,f"),
        ("closed", "x"),
        ("f/other", "x"),
        ("gone", "x"),
        ("long", "x\n" * 500),
    ):
        do(session, "write_file", path=f"{TOP}/{name}", content=text)
    do(session, "ln", target=f"{TOP}/gone", link_path=f"{TOP}/lost", kind="symbolic")
    do(session, "ln", target=f"{TOP}/lost", link_path=f"{TOP}/again", kind="symbolic")
    do(session, "rm", path=f"{TOP}/gone")
    do(session, "ln", target=f"{TOP}/again", link_path=f"{TOP}/gone", kind="symbolic")
    do(session, "cd", path="~/staging")
    return session


CASES: list[tuple[str, str, dict[str, Any], str]] = []


def case(tool: str, code: str, words: str, **arguments: Any) -> None:
    CASES.append((tool, code, arguments, words))


case("cat", "not_found", "'t/none/x': there is no 'none' in {top};", path="t/none/x")
case("cat", "not_found", "{top}/table is a file, so nothing is in it", path="t/table/x")
case("cat", "is_a_folder", "{top} is a folder", path="t")
case("ls", "not_a_folder", "{top}/table is a file, not a folder", path="t/table")
case(
    "cat", "binary_file", "{home}/downloads/release.zip is an archive; see archive_list", path="~/downloads/release.zip"
)
case("cat", "too_many_links", "'t/lost' leads through more than 40 links", path="t/lost")
case("cat", "broken_link", "there is no {home}/documents/lost-note.md/x;", path="~/desk/lost-note.md/x")
case("cat", "permission_denied", "'~/vault/x': you may not enter {home}/vault;", path="~/vault/x")
case(
    "cat",
    "permission_denied",
    "you may not read /home/{other}/passphrases.txt (mode 0600 of {other}:",
    path="/home/{other}/passphrases.txt",
)
case("touch", "permission_denied", "you may not change /etc (mode 0755 of root:root)", path="/etc/x")
case(
    "append_file",
    "permission_denied",
    "you may not write to /etc/hosts.txt (mode 0644 of root:root)",
    path="/etc/hosts.txt",
    content="x",
)
case(
    "sed_replace",
    "permission_denied",
    "you may not read and write /etc/hosts.txt",
    path="/etc/hosts.txt",
    find="x",
    replacement="",
)
case("ls", "permission_denied", "you may not list /var/backups (mode 0700 of root:root)", path="/var/backups")
case("cd", "permission_denied", "you may not enter /var/backups (mode 0700 of root:root)", path="/var/backups")
case("rm", "permission_denied", "you may not change /var (mode 0755", path="/var/log", recursive=True)
case("write_file", "invalid_argument", "content has 18000 bytes, 16384 are the most", path="t/n", content="é" * 9_000)
case(
    "append_file", "invalid_argument", "content has 6000 bytes, 4096 are the most", path="t/table", content="é" * 3_000
)
case("touch", "bad_name", "the name '" + "n" * 40 + "'... has 256 characters, at most 255", path="t/" + "n" * 256)
case("touch", "bad_name", "the name 'a\\tb' holds a control character", path="t/a\tb")
case("touch", "bad_name", "the name ' ' is blank", path="t/ ")
case("touch", "bad_name", "'t/n/' ends in a slash", path="t/n/")
case("write_file", "already_exists", "{top}/table exists already (file);", path="t/table", content="")
case("mkdir", "already_exists", "{top}/f exists already (folder);", path="t/f")
case("rmdir", "folder_not_empty", "{top}/f has 2 entries", path="t/f")
case("rm", "folder_in_use", "{home}/staging is the current folder or holds it", path=".", recursive=True)
case("rm", "is_a_folder", "{top}/f is a folder; set recursive", path="t/f")
case("rm", "sticky_folder", "/srv/shared/guestbook.txt belongs to another login", path="/srv/shared/guestbook.txt")
case("cp", "is_a_folder", "{top}/f is a folder; set recursive", source="t/f", destination="~")
case("cp", "destination_not_a_folder", "{top}/long is a file, not a folder", source="t/table", destination="t/long")
case("mv", "into_itself", "{top}/f lies in {top};", source="t", destination="t/f")
case("ln", "hard_link_to_folder", "{top} is a folder; use kind symbolic", target="t", link_path="n", kind="hard")
case("chmod", "not_owner", "/etc/hosts.txt belongs to root, not to {login};", path="/etc/hosts.txt", mode="644")
case("chmod", "bad_mode", "'" + "8" * 20 + "' is not a mode", path="t", mode="8" * 50)
case("chmod", "bad_mode", "'2755': the digit in front", path="t", mode="2755")
case(
    "chmod", "not_a_folder", "1640 has the sticky bit, but {top}/table is a file; use 640", path="t/table", mode="1640"
)
case("chown", "unknown_login", "there is no login '" + "n" * 40 + "';", path="t", owner="n" * 50)
case("chown", "unknown_group", "there is no group '" + "n" * 40 + "';", path="t", group="n" * 50)
case("chown", "not_in_group", "{login} is not in the group 'root'", path="t", group="root")
case("chown", "nothing_to_change", "{top} belongs to {login}:", path="t", owner="{login}")
case("set_umask", "bad_mode", "'" + "9" * 20 + "' is not a umask", umask="9" * 50)
case("set_umask", "owner_bits_masked", "'227' would take rights from yourself", umask="227")
case("sed_replace", "no_match", "'zz' does not occur in {top}/table", path="t/table", find="zz", replacement="")
case(
    "sort_file",
    "column_not_found",
    "there is no column 2: line 2 of {top}/table has 1, split at each ','",
    path="t/table",
    output_path="n",
    column=2,
)
case(
    "cut_columns",
    "column_not_found",
    "there is no column 4: line 1 of {top}/table has 2, split",
    path="t/table",
    output_path="n",
    columns=[1, 4],
)
case(
    "split_file", "too_many_parts", "125 parts of 4 lines are too many; take 6 or more", path="t/long", lines_per_part=4
)
case("find_files", "bad_pattern", "the name pattern has 201 characters; 1 to 200", name="n" * 201)
case("find_files", "bad_pattern", "'a/b' holds a slash", name="a/b")
case("grep_files", "bad_pattern", "the pattern has 0 characters; 1 to 200", pattern="")
case("grep_files", "bad_pattern", "'a(b' is no regular expression: missing ): a(b", pattern="a(b")
case("compare_dirs", "same_folder", "'t' and './t/' are one folder, {top};", first="t", second="./t/")
case("archive_list", "not_an_archive", "{top}/table is no tar or zip archive", path="t/table")
case(
    "archive_list",
    "archive_damaged",
    "documents-2029.tar is damaged: it cannot be read at character ",
    path="~/downloads/documents-2029.tar",
)
case(
    "archive_extract",
    "entry_not_found",
    "there is no 'none' in {home}/downloads/release.zip",
    path="~/downloads/release.zip",
    destination="t",
    entry="none",
)
case(
    "archive_create",
    "archive_inside_source",
    "{top}/f/n lies in {top};",
    paths=["t"],
    archive_path="t/f/n",
    format="tar",
)


@pytest.mark.parametrize(("tool", "code", "arguments", "words"), CASES)
def test_a_refusal_names_what_it_is_about(
    grown: LocalSession, tool: str, code: str, arguments: dict[str, Any], words: str
) -> None:
    shown = do(grown, "pwd")
    homes = [entry["name"] for entry in do(grown, "ls", path="/home")["entries"] if entry["name"] != shown["login"]]
    open_home = next(name for name in homes if grown.call("ls", {"path": f"/home/{name}"}).succeeded)
    home = f"/home/{shown['login']}"
    names = {"login": shown["login"], "home": home, "top": f"{home}/staging/t", "other": open_home}
    given = {key: value.format(**names) if isinstance(value, str) else value for key, value in arguments.items()}
    assert words.format(**names) in said(grown, tool, code, **given)


def test_what_stands_below_is_named_where_it_is_the_matter(grown: LocalSession) -> None:
    top = do(grown, "stat_file", path=TOP)["path"]
    copy = {"source": TOP, "destination": "~/handover", "recursive": True}
    for path, mode, read in (("f/in", "300", "list"), ("closed", "200", "read")):
        with grown.attempt():
            do(grown, "chmod", path=f"{TOP}/{path}", mode=mode)
            assert f"you may not {read} {top}/{path}" in said(grown, "cp", "permission_denied", **copy)
    with grown.attempt():
        do(grown, "chmod", path=f"{TOP}/f/in", mode="300")
        change = {"path": TOP, "mode": "750", "recursive": True}
        assert f"you may not list {top}/f/in;" in said(grown, "chmod", "permission_denied", **change)
    with grown.attempt():
        do(grown, "chmod", path=f"{TOP}/f", mode="500")
        message = said(grown, "rm", "permission_denied", path=TOP, recursive=True)
        assert f"you may not change {top}/f, which lies below {top};" in message
    with grown.attempt():
        do(grown, "chown", path=f"{TOP}/f/other", owner="root")
        message = said(grown, "chmod", "not_owner", path=TOP, mode="750", recursive=True)
        assert f"{top}/f/other belongs to root;" in message
        do(grown, "chmod", path=f"{TOP}/f", mode="1777")
        do(grown, "chown", path=f"{TOP}/f", owner="root")
        assert f"{top}/f/other belongs to another" in said(grown, "rm", "sticky_folder", path=TOP, recursive=True)
    with grown.attempt():
        do(grown, "cp", **copy)
        do(grown, "chmod", path="~/handover/t/closed", mode="000")
        message = said(grown, "compare_dirs", "permission_denied", first=TOP, second="~/handover/t")
        assert "/handover/t/closed, which both have" in message


@pytest.mark.parametrize(
    ("tool", "arguments", "free", "words"),
    [
        ("write_file", {"path": f"{TOP}/n", "content": "é" * 5}, (10, 9), "11 bytes more are needed, 10 are free"),
        ("mkdir", {"path": f"{TOP}/n/o/p", "parents": True}, (9, 2), "3 more entries are needed, 2 are free"),
        ("touch", {"path": f"{TOP}/n"}, (0, 0), "1 more entries are needed, 0 are free"),
    ],
)
def test_what_the_quota_lacks_is_told_to_the_byte_and_the_entry(
    grown: LocalSession, tool: str, arguments: dict[str, Any], free: tuple[int, int], words: str
) -> None:
    with grown.attempt():
        sql(grown, "UPDATE setting SET quota_bytes = used_bytes + ?, quota_entries = used_entries + ?", *free)
        assert words in said(grown, tool, "quota_exceeded", **arguments)


def test_as_many_lines_a_part_as_are_advised_are_enough_and_one_less_is_not(grown: LocalSession) -> None:
    with grown.attempt():
        assert do(grown, "split_file", path=f"{TOP}/long", lines_per_part=6)["count"] == 84
    assert "take 6 or more" in said(grown, "split_file", "too_many_parts", path=f"{TOP}/long", lines_per_part=5)


def _entry(name: str) -> str:
    return f'{{"name": "{name}", "type": "file", "form": "text", "data": "x"}}'


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (["../" + "n" * 90], f"the entry {'../' + 'n' * 77!r} would leave the destination"),
        (["n" * 256], f"the name {'n' * 80!r} is spoilt"),
        (["a", "a"], "the entry 'a' is spoilt or comes twice"),
        (["a", "a/b/c"], "the entry 'a/b/c' lies below 'a', which is no folder"),
        ([f"f{number}" for number in range(1_001)], "it holds 1001 entries, more than 1000"),
    ],
)
def test_a_damaged_archive_says_which_entry_is_spoilt(entries: list[str], words: str) -> None:
    with pytest.raises(Damaged, match=f"^{re.escape(words)}$"):
        unpack(f'{{"archive": "tar", "entries": [{", ".join(map(_entry, entries))}]}}')


def test_of_what_is_wrong_with_a_container_its_header_comes_first() -> None:
    with pytest.raises(Damaged, match=r"^its header is spoilt$"):
        unpack(f'{{"archive": "rar", "entries": [{", ".join(map(_entry, "a" * 1_001))}]}}')


def test_a_container_that_is_cut_off_is_said_to_be_so_where_it_is_cut() -> None:
    whole = f'{{"archive": "tar", "entries": [{_entry("a")}]}}'
    with pytest.raises(Damaged, match=f"^it cannot be read at character {len(whole) - 1}$"):
        unpack(whole[:-1])
    with pytest.raises(Damaged, match=r"^it cannot be read$"):
        unpack('{"archive": "tar"}')


HUGE = "z" * 900
LONG: list[tuple[str, str, dict[str, Any]]] = [
    ("touch", "bad_name", {"path": f"~/{HUGE}"}),
    ("chmod", "bad_mode", {"path": TOP, "mode": HUGE}),
    ("set_umask", "bad_mode", {"umask": HUGE}),
    ("chown", "unknown_login", {"path": TOP, "owner": HUGE}),
    ("chown", "unknown_group", {"path": TOP, "group": HUGE}),
    ("grep_files", "bad_pattern", {"pattern": HUGE}),
    ("find_files", "bad_pattern", {"name": HUGE}),
]


@pytest.mark.parametrize(("tool", "code", "arguments"), LONG)
def test_no_refusal_repeats_all_of_a_long_argument(
    grown: LocalSession, tool: str, code: str, arguments: dict[str, Any]
) -> None:
    assert len(said(grown, tool, code, **arguments)) <= 400


def test_a_spoilt_pattern_writes_nothing_to_the_streams_of_the_server(
    grown: LocalSession, capfd: pytest.CaptureFixture[str]
) -> None:
    said(grown, "grep_files", "bad_pattern", pattern="a(b")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("tool", ["find_files", "grep_files"])
def test_patterns_have_one_to_two_hundred_characters(grown: LocalSession, tool: str) -> None:
    argument = "name" if tool == "find_files" else "pattern"
    for length in (1, 200):
        assert do(grown, tool, path=TOP, **{argument: "z" * length})["count"] == 0
    said(grown, tool, "bad_pattern", path=TOP, **{argument: "z" * 201})
