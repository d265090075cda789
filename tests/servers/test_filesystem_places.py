"""What is in the worlds of the filesystem server: whose each entry is, its mode, where links lead, what archives hold.

Covers: the states that the catalogue promises and that tasks rely on. Does not cover: how many there are of each kind,
the order of time (test_filesystem_worlds.py), what is written in files (test_filesystem_contents.py).
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from functools import cache
from typing import NamedTuple

import pytest

from proverl.servers.filesystem.seed.names import lists
from support.filesystem_model import Model, do, opened, sql

SEEDS = range(6)
each_world = pytest.mark.parametrize("seed", SEEDS)


class Entry(NamedTuple):
    kind: str
    owner: str
    group_name: str
    mode: int
    form: str
    target: str | None
    content: str | None
    modified: str
    size: int


class World(NamedTuple):
    """All entries by path, the user's home, and for each login its groups, the primary one first."""

    entries: dict[str, Entry]
    home: str
    groups: dict[str, list[str]]

    def names(self, folder: str) -> list[str]:
        return sorted(path.rsplit("/", 1)[1] for path in self.entries if posixpath.dirname(path) == folder)

    def texts(self, folder: str) -> list[str]:
        """The text files of a folder that show."""
        found = [f"{folder}/{name}" for name in self.names(folder) if not name.startswith(".")]
        return [path for path in found if self.entries[path].form == "text"]


@cache
def world(seed: int) -> World:
    session = opened(seed)
    model = Model(session)
    entries = {path: Entry(*(model.of(node, field) for field in Entry._fields)) for path, node in model.walk()}
    groups: dict[str, list[str]] = {}
    for login, group in sql(session, "SELECT login, group_name FROM membership ORDER BY rowid"):
        groups.setdefault(login, []).append(group)
    return World(entries, f"/home/{model.setting[0]}", groups)


# People


@each_world
def test_the_user_is_in_two_or_three_groups_and_there_is_one_that_is_not_the_users(seed: int) -> None:
    session, groups = opened(seed), world(seed).groups
    shown = do(session, "pwd")
    mine = groups[shown["login"]]
    assert 2 <= len(mine) <= 3
    assert shown["groups"] == sorted(mine)
    assert len({group for many in groups.values() for group in many} - {"root", *mine}) >= 1
    assert groups["root"] == ["root"]
    assert all(len(groups[login]) >= 1 for login in groups)
    names = dict(sql(session, "SELECT login, full_name FROM login"))
    assert names.keys() == groups.keys()
    assert all(names[login].split()[0].lower() == login for login in names if login != "root")


@each_world
def test_the_user_stands_at_home_or_near_it_with_a_common_umask(seed: int) -> None:
    shown, home = do(opened(seed), "pwd"), world(seed).home
    assert shown["cwd"] in (home, f"{home}/projects", f"{home}/documents")
    assert shown["umask"] in ("022", "002", "027")


def test_worlds_begin_in_other_folders_with_other_umasks() -> None:
    shown = [do(opened(seed), "pwd") for seed in range(12)]
    assert {one["umask"] for one in shown} == {"022", "002", "027"}
    assert len({one["cwd"].rsplit("/", 1)[1] for one in shown} & {"projects", "documents"}) >= 1


# Owners and modes

HOME_MODES = {
    "documents/sealed.txt": 0o200,
    "journal/notes.md": 0o440,
    "documents/signed": 0o555,
    "vault": 0o600,
    ".history": 0o600,
}


def expected(found: World, path: str, entry: Entry) -> tuple[str, set[int]]:
    """Whose an entry should be, and the modes that it may have."""
    plain = {{"folder": 0o755, "file": 0o644, "link": 0o777}[entry.kind]}
    user, parts = found.home.rsplit("/", 1)[1], path.split("/")[1:]
    if path.startswith(f"{found.home}/"):
        name = path.removeprefix(f"{found.home}/")
        closed = {0o644, 0o444} if name.startswith("projects/") and entry.kind == "file" else plain
        return user, {HOME_MODES[name]} if name in HOME_MODES else closed
    if parts[0] == "home" and len(parts) > 1 and parts[1] != user:
        modes = {2: {0o700, 0o755}, 3: {"private": {0o700}, "passphrases.txt": {0o600}}.get(parts[-1], plain)}
        return parts[1], modes.get(len(parts), plain)
    if parts[0] == "srv" and len(parts) > 1 and parts[1] != "shared":
        log = {0o664} if parts[-2:] == ["logs", "access.log"] else plain
        return entry.owner, {0o775} if entry.kind == "folder" else log
    if parts[:2] == ["srv", "shared"]:
        modes = {"shared": {0o1777}, "guestbook.txt": {0o666}}
        return entry.owner if len(parts) > 2 else "root", modes.get(parts[-1], plain)
    return ("root" if path != found.home else user), {0o700} if path == "/var/backups" else plain


@each_world
def test_each_entry_belongs_to_whom_it_should_with_the_mode_that_it_should_have(seed: int) -> None:
    found = world(seed)
    for path, entry in found.entries.items():
        owner, modes = expected(found, path, entry)
        assert entry.owner == owner, path
        assert entry.mode in modes, (path, oct(entry.mode))
        assert path.startswith("/srv/") or entry.group_name == found.groups[owner][0], path


@each_world
def test_some_places_are_closed_to_the_user(seed: int) -> None:
    found = world(seed)
    assert sum(e.mode == 0o444 for path, e in found.entries.items() if f"{found.home}/projects/" in path) == 2
    assert len(found.names("/var/backups")) >= 1
    assert found.names(f"{found.home}/vault")
    assert len(found.names(f"{found.home}/documents/signed")) >= 2
    assert found.entries[f"{found.home}/documents/sealed.txt"].size > 0


@each_world
def test_other_people_have_homes_with_something_private(seed: int) -> None:
    found = world(seed)
    others = set(found.groups) - {"root", found.home.rsplit("/", 1)[1]}
    assert set(found.names("/home")) == {*others, found.home.rsplit("/", 1)[1]}
    for login in others:
        inside = found.names(f"/home/{login}")
        assert {"private", "passphrases.txt"} <= set(inside)
        assert 1 <= len(set(inside) - {"private", "passphrases.txt"}) <= 2
        assert set(inside) - {"private", "passphrases.txt"} <= set(lists()["places"]["home"])
        assert all(found.names(f"/home/{login}/{folder}") for folder in inside if "." not in folder)
    shut = {entry.mode for other in range(6) for path, entry in world(other).entries.items() if path.count("/") == 2
            and path.startswith("/home/")}  # fmt: skip
    assert shut == {0o700, 0o755}


@each_world
def test_the_system_has_settings_of_each_service_logs_and_closed_backups(seed: int) -> None:
    found = world(seed)
    services = [name for name in found.names("/srv") if name != "shared"]
    assert found.names("/") == ["etc", "home", "srv", "var"]
    assert found.names("/etc") == sorted(["hosts.txt", *(f"{name}.yaml" for name in services)])
    assert found.names("/var") == ["backups", "log"]
    logs = [name.removesuffix(".log") for name in found.names("/var/log")]
    assert len(logs) == 5
    assert set(logs) - {"system"} <= set(lists()["places"]["modules"])
    assert all(name.endswith(".json") for name in found.names("/var/backups"))


@each_world
def test_services_belong_to_a_login_whose_group_or_the_users_may_change_them(seed: int) -> None:
    found = world(seed)
    user = found.home.rsplit("/", 1)[1]
    services = [name for name in found.names("/srv") if name != "shared"]
    assert 2 <= len(services) <= 4
    assert found.groups[user][0] in {found.entries[f"/srv/{name}"].group_name for name in services}
    for name in services:
        below = {(e.owner, e.group_name) for path, e in found.entries.items() if path.startswith(f"/srv/{name}/")}
        top = found.entries[f"/srv/{name}"]
        assert below == {(top.owner, top.group_name)}
        assert top.owner not in ("root", user)
        assert found.names(f"/srv/{name}") == ["config", "data", "logs", "releases"]
        assert f"/etc/{name}.yaml" in found.entries
        releases = found.names(f"/srv/{name}/releases")
        wanted = [one for one in releases if found.entries[f"/srv/{name}/releases/{one}"].kind == "folder"]
        assert wanted in ([f"{name}-1.0"], [f"{name}-1.0", f"{name}-2.0"])
        for one in wanted:
            manifest = json.loads(found.entries[f"/srv/{name}/releases/{one}/manifest.json"].content or "")
            assert manifest["name"] == one


@each_world
def test_in_the_shared_folder_everybody_has_files_and_the_user_and_another_a_folder(seed: int) -> None:
    found = world(seed)
    inside = [e for path, e in found.entries.items() if posixpath.dirname(path) == "/srv/shared"]
    user = found.home.rsplit("/", 1)[1]
    folders = [name for name in found.names("/srv/shared") if found.entries[f"/srv/shared/{name}"].kind == "folder"]
    assert {entry.owner for entry in inside} >= {user}
    assert len({entry.owner for entry in inside}) >= 3
    assert len(folders) == 2
    assert f"{user}-files" in folders
    for name in folders:
        assert found.entries[f"/srv/shared/{name}"].owner == name.removesuffix("-files")
    assert found.entries["/srv/shared/guestbook.txt"].owner == found.entries["/srv/shared/rules.txt"].owner != user


# The user's home


@each_world
def test_the_home_has_the_folders_and_files_that_tasks_name(seed: int) -> None:
    found = world(seed)
    home = found.names(found.home)
    fixed = {"documents", "journal", "finance", "downloads", "photos", "handover", "handover-old", "staging"}
    fixed |= {"empty-box", "projects", "vault", "desk", "archive", "latest", ".profile", ".history", ".config"}
    assert set(home) >= fixed
    assert 2 <= len(set(home) - fixed) <= 4
    assert set(home) - fixed <= set(lists()["places"]["home"])
    for empty in ("staging", "empty-box", "documents/unsorted"):
        assert found.names(f"{found.home}/{empty}") == []
    for name in ("handover", "handover-old"):
        assert 1 <= len(found.texts(f"{found.home}/{name}")) <= 6
    assert {"reports", "reports-old", "signed"} <= set(found.names(f"{found.home}/documents"))
    for name in ("reports", "reports-old"):
        assert "annual-report.md" in found.names(f"{found.home}/documents/{name}")
    assert found.entries[f"{found.home}/documents/placeholder.txt"].content == ""
    binary = [name for name in found.names(f"{found.home}/photos") + found.names(f"{found.home}/downloads")
              if name.endswith((".png", ".pdf"))]  # fmt: skip
    assert 6 <= len(binary) <= 13
    assert all(name.endswith(".png") for name in found.names(f"{found.home}/photos"))
    assert sum(name.endswith(".pdf") for name in binary) - sum(name.endswith(".png") for name in binary) in (0, 1)
    assert not any(name.endswith(".png") for name in found.names(f"{found.home}/downloads"))


@each_world
def test_projects_have_what_projects_have(seed: int) -> None:
    found = world(seed)
    top = f"{found.home}/projects"
    words, projects = lists()["places"], found.names(top)
    assert 3 <= len(projects) <= 5
    kinds = {"src": {".py", ".json"}, "tests": {".py"}, "docs": {".md", ".txt"}, "config": {".yaml", ".ini", ".json"}}
    kinds |= {"data": {".csv", ".json"}, "logs": {".log"}, "scripts": {".sh"}, "build": {".txt", ".log"}}
    for name in projects:
        inside = found.names(f"{top}/{name}")
        assert {"README.md", ".gitignore"} <= set(inside)
        folders = [one for one in inside if found.entries[f"{top}/{name}/{one}"].kind == "folder"]
        assert 4 <= len(folders) <= 8
        assert set(folders) <= set(words["project"])
        assert set(inside) - set(folders) - {"README.md", ".gitignore"} <= set(words["common"])
        for folder in folders:
            files = [one for one in found.names(f"{top}/{name}/{folder}") if "." in one]
            assert {posixpath.splitext(one)[1] for one in files} <= kinds[folder], (name, folder)
            inner = set(found.names(f"{top}/{name}/{folder}")) - set(files)
            assert inner <= (set(words["inner"]) if folder == "src" else set())
            assert folder != "src" or 1 <= len(inner) <= 2


@each_world
def test_two_budgets_differ_in_one_line_and_one_config_has_the_port_that_is_asked_for(seed: int) -> None:
    found = world(seed)
    named = [path for path in found.entries if path.endswith("/budget.csv") and "/projects/" in path]
    assert len(named) == 2
    assert len({path.split("/")[4] for path in named}) == 2
    one, other = ((found.entries[path].content or "").splitlines() for path in named)
    assert len(one) == len(other)
    assert sum(x != y for x, y in zip(one, other, strict=True)) == 1
    (server,) = [path for path in found.entries if re.search(r"/projects/[^/]+/config/server\.yaml$", path)]
    port = re.fullmatch(r"name: demo\nport: (80\d\d)\n", found.entries[server].content or "")
    assert port is not None
    assert 8081 <= int(port[1]) <= 8089
    assert len([path for path in found.entries if re.search(r"/projects/[^/]+/data/orders\.csv$", path)]) == 1


@each_world
def test_lists_of_one_name_stand_in_several_folders(seed: int) -> None:
    found = world(seed)
    lists_of = [p for p in found.entries if p.rsplit("/", 1)[1] in ("todo.txt", "notes.md", "ideas.md")]
    assert max(Counter(path.rsplit("/", 1)[1] for path in lists_of).values()) >= 2
    for folder in ("documents", "finance"):
        assert sum(posixpath.dirname(path) == f"{found.home}/{folder}" for path in lists_of) == 2


# Links


@each_world
def test_links_lead_where_their_names_say(seed: int) -> None:
    found = world(seed)
    home, desk = found.home, f"{found.home}/desk"
    links = {path: entry.target or "" for path, entry in found.entries.items() if entry.kind == "link"}
    ends = {path: posixpath.normpath(posixpath.join(posixpath.dirname(path), to)) for path, to in links.items()}
    assert links[f"{desk}/documents"] == "../documents"
    assert re.fullmatch(r"/srv/(?!shared)\w+", links[f"{desk}/current-service"])
    assert found.entries[links[f"{desk}/current-service"]].kind == "folder"
    assert links[f"{home}/latest"] == "desk/latest"
    assert re.fullmatch(rf"{home}/projects/\w+/README\.md", ends[f"{desk}/latest"])
    gone = {f"{desk}/lost-note.md": f"{home}/documents/lost-note.md"}
    gone |= {f"{home}/documents/old-contract.txt": f"{home}/contracts/old-contract.txt"}
    assert {path: ends[path] for path in ends if ends[path] not in found.entries} == gone
    for path in links:
        name = path.rsplit("/", 1)[1]
        if name.startswith("shortcut-"):
            assert re.fullmatch(rf"{home}/(documents|finance|journal)/[^/]+", ends[path])
            assert ends[path].rsplit("/", 1)[1] == name.removeprefix("shortcut-")
        elif ends[path].startswith(f"{home}/projects/") and name != "latest":
            assert name == "-".join(ends[path].rsplit("/", 2)[1:])
    assert 4 <= sum(path.startswith(f"{desk}/shortcut-") for path in links) <= 6
    assert sum("/projects/" in to for to in links.values()) == len(found.names(f"{home}/projects")) + 1


@each_world
def test_two_files_of_finance_have_a_second_name_in_handover(seed: int) -> None:
    session = opened(seed)
    found = [entry["name"] for entry in do(session, "ls", path="~/handover")["entries"]]
    second = [name for name in found if name.startswith(("kept-", "same-"))]
    assert [name.split("-")[0] for name in second] == ["kept", "same"]
    for name in second:
        mine = do(session, "stat_file", path=f"~/handover/{name}")
        first = do(session, "stat_file", path=f"~/finance/{name.split('-', 1)[1]}")
        assert mine["link_count"] == first["link_count"] == 2
        assert {**mine, "path": ""} == {**first, "path": ""}


# Archives and the trash


@each_world
def test_archives_hold_what_stands_beside_them_or_what_a_release_has(seed: int) -> None:
    found, session = world(seed), opened(seed)
    home = found.home
    packed = {
        path: do(session, "archive_list", path=path)
        for path, entry in found.entries.items()
        if entry.form == "archive" and not path.endswith("/documents-2029.tar")
    }
    backup = packed.pop(f"{home}/finance/finance-backup.zip")
    names = [entry["name"] for entry in backup["entries"]]
    assert names == sorted(names)
    assert 7 <= len(names) <= 20
    assert set(names) <= set(found.names(f"{home}/finance"))
    release = packed.pop(f"{home}/downloads/release.zip")
    assert [(entry["name"], entry["type"]) for entry in release["entries"]] == [
        ("manifest.json", "file"),
        ("notes", "folder"),
        ("notes/changes.md", "file"),
        ("notes/known-problems.md", "file"),
        ("install.sh", "file"),
    ]
    projects = found.names(f"{home}/projects")
    snapshots = {path: packed.pop(path) for path in list(packed) if "-snapshot." in path}
    wanted = {f"{home}/downloads/{name}-snapshot" for name in projects}
    assert {path.rsplit(".", 1)[0] for path in snapshots} == wanted
    forms = Counter(one["format"] for one in snapshots.values())
    assert forms["tar"] - forms["zip"] in (0, 1)
    for path, one in snapshots.items():
        project = path.rsplit("/", 1)[1].partition("-snapshot")[0]
        assert path.endswith(one["format"])
        folder = one["entries"][0]["name"]
        inside = set(found.names(f"{home}/projects/{project}/{folder}"))
        assert {entry["name"].split("/")[1] for entry in one["entries"][1:]} <= inside
        assert len(one["entries"]) > 3
    for path, one in packed.items():
        kept = re.fullmatch(rf"{home}/archive/(handover|journal)-20(27|28|29|30)\.tar", path)
        assert kept is not None, path
        assert one["format"] == "tar"
        assert one["entries"][0]["name"] == kept[1]
        assert {entry["name"].split("/")[1] for entry in one["entries"][1:]} <= set(found.names(f"{home}/{kept[1]}"))
        assert one["count"] >= 2


@each_world
def test_a_damaged_archive_has_been_cut_off(seed: int) -> None:
    found = world(seed)
    text = found.entries[f"{found.home}/downloads/documents-2029.tar"].content or ""
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    assert text.startswith('{"archive":"tar","entries":[{"name":')
    names = re.findall(r'"name":"([^"]+)","type":"file","form":"text"', text)
    assert 2 <= len(names) < len(found.texts(f"{found.home}/documents"))
    assert set(names) <= set(found.names(f"{found.home}/documents"))


@each_world
def test_the_trash_has_what_the_user_deleted_from_folders_of_the_home(seed: int) -> None:
    found = world(seed)
    items = do(opened(seed), "list_trash")["items"]
    folders = Counter(posixpath.dirname(item["original_path"]).removeprefix(f"{found.home}/") for item in items)
    twins = [item["original_path"] for item in items if item["name"] == "minutes-old.txt"]
    assert len(twins) == len(set(twins)) == 2
    assert not any(path in found.entries for path in twins)
    by_name = {item["name"]: item for item in items}
    assert by_name["lease-terms.md"]["original_path"] == f"{found.home}/old-flat/lease-terms.md"
    assert f"{found.home}/old-flat" not in found.entries
    assert by_name["winter-course"]["kind"] == by_name["contracts"]["kind"] == "folder"
    assert by_name["winter-course"]["size"] > by_name["lost-note.md"]["size"] * 0
    assert by_name["lost-note.md"]["original_path"] == f"{found.home}/documents/lost-note.md"
    assert sum(folders[name] for name in ("documents", "journal", "finance", "handover")) == len(items) - 3
