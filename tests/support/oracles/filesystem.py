"""What the reads of the filesystem should answer.

Covers: the walk along a path with its links and permissions, and one oracle a read tool. Does not cover: what is done
with a text once it may be read (filesystem_texts.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from proverl.laws.oracles import Oracle, Refusal, Row, Tables
from proverl.records import Json

from . import filesystem_texts as texts

ROOT = 1
READ, ENTER = 4, 1
LINKS_IN_A_ROW = 40
TREE_ENTRIES = 300
FOUND_ENTRIES = 100
COMPARED_ENTRIES = 100


@dataclass(frozen=True)
class Place:
    """Where a path leads: the names from the root down, the node there, and how many links were followed."""

    names: tuple[str, ...]
    node: Row
    steps: int

    @property
    def path(self) -> str:
        return "/" + "/".join(self.names)


@dataclass(frozen=True)
class Below:
    """An entry below a folder; `trail` are the names from that folder down."""

    trail: tuple[str, ...]
    node: Row


class Disk:
    """The tree as the user of the session sees it."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.user = tables.rows["setting"][0]
        self.groups = sorted(
            row["group_name"] for row in tables.rows["membership"] if row["login"] == self.user["login"]
        )
        self.nodes: dict[int, Row] = {row["node_id"]: row for row in tables.rows["node"]}
        self.inside: dict[int, dict[str, Row]] = {}
        for row in tables.rows["entry"]:
            if row["parent"] is not None:
                self.inside.setdefault(row["parent"], {})[row["name"]] = self.nodes[row["node_id"]]

    def may(self, node: Row, bits: int) -> bool:
        """The one class of bits that is the user's decides, as in POSIX."""
        shift = 6 if node["owner"] == self.user["login"] else 3 if node["group_name"] in self.groups else 0
        return cast(int, node["mode"]) >> shift & bits == bits

    def entries(self, node: Row) -> dict[str, Row]:
        return self.inside.get(node["node_id"], {})

    def walk(self, path: str, *, follow: bool = True) -> Place:
        """Follow a path, and the link at its end too if asked; without that the link itself is the place."""
        return Walk(self, path, follow).place()

    def below(self, node: Row, trail: tuple[str, ...] = (), *, all_rights: bool = False) -> Iterator[Below]:
        """All entries below a folder; folders that the user may not list are not entered."""
        for name, child in sorted(self.entries(node).items()):
            yield Below((*trail, name), child)
            if child["kind"] == "folder" and (all_rights or self.may(child, READ | ENTER)):
                yield from self.below(child, (*trail, name), all_rights=all_rights)

    def folder(self, arguments: dict[str, Json], key: str = "path") -> Place:
        """The folder that an argument names, which the user may list."""
        place = self.walk(str(arguments.get(key, ".")))
        if place.node["kind"] != "folder":
            raise Refusal("not_a_folder")
        if not self.may(place.node, READ | ENTER):
            raise Refusal("permission_denied")
        return place

    def file(self, arguments: dict[str, Json], key: str = "path") -> Place:
        """The file that an argument names, which the user may read."""
        place = self.walk(str(arguments[key]))
        if place.node["kind"] == "folder":
            raise Refusal("is_a_folder")
        if not self.may(place.node, READ):
            raise Refusal("permission_denied")
        return place

    def text(self, arguments: dict[str, Json], key: str = "path") -> Place:
        """The text file that an argument names."""
        place = self.file(arguments, key)
        if place.node["form"] != "text":
            raise Refusal("binary_file")
        return place


class Walk:
    """One walk along a path."""

    def __init__(self, disk: Disk, path: str, follow: bool) -> None:
        self.disk = disk
        if path == "~" or path.startswith("~/"):
            path = disk.user["home"] + path[1:]
        elif not path.startswith("/"):
            path = disk.user["cwd"] + "/" + path
        # A step is a name and whether a link brought it: what a link promises and does not keep makes it broken.
        self.ahead = [(name, False) for name in path.split("/")[::-1]]
        self.passed: list[tuple[str, Row]] = []
        self.follow = follow
        self.steps = 0

    @property
    def here(self) -> Row:
        return self.passed[-1][1] if self.passed else self.disk.nodes[ROOT]

    def place(self) -> Place:
        while self.ahead:
            name, promised = self.ahead.pop()
            if self.here["kind"] != "folder":
                if self.here["kind"] == "link" and name in {"", "."}:
                    continue
                raise Refusal("broken_link" if promised else "not_found")
            if name in {"", "."}:
                continue
            if not self.disk.may(self.here, ENTER):
                raise Refusal("permission_denied")
            self.step(name, promised)
        return Place(tuple(name for name, _ in self.passed), self.here, self.steps)

    def step(self, name: str, promised: bool) -> None:
        if name == "..":
            self.passed = self.passed[:-1]
            return
        node = self.disk.entries(self.here).get(name)
        if node is None:
            raise Refusal("broken_link" if promised else "not_found")
        last = all(later in {"", "."} for later, _ in self.ahead)
        if node["kind"] != "link" or (last and not self.follow):
            self.passed.append((name, node))
            return
        self.steps += 1
        if self.steps > LINKS_IN_A_ROW:
            raise Refusal("too_many_links")
        target = str(node["target"])
        if target.startswith("/"):
            self.passed = []
        self.ahead += [(part, True) for part in target.split("/")[::-1]]


def described(node: Row) -> dict[str, Json]:
    return {
        "type": node["kind"],
        "mode": f"{node['mode']:04o}",
        "owner": node["owner"],
        "group": node["group_name"],
        "size": node["size"],
        "modified": node["modified"],
        "target": node["target"],
    }


def bytes_below(nodes: list[Row]) -> int:
    """The size of some nodes together; one that comes twice counts once."""
    return sum(size for _, size in {(node["node_id"], node["size"]) for node in nodes})


def newest_first(node: Row) -> int:
    return -int(texts.moment_of(node["modified"], timedelta(0)).timestamp())


# Folders


def pwd(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    return {
        "cwd": disk.user["cwd"],
        "login": disk.user["login"],
        "groups": list(disk.groups),
        "umask": f"{disk.user['umask']:03o}",
    }


def ls(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    place = disk.folder(arguments)
    orders: dict[Json, Callable[[Row], int]] = {
        "name": lambda node: 0,
        "size": lambda node: -int(node["size"]),
        "time": newest_first,
    }
    order = orders[arguments.get("sort", "name")]
    shown = [
        (order(node), name, node)
        for name, node in disk.entries(place.node).items()
        if arguments.get("show") == "all" or not name.startswith(".")
    ]
    entries: list[Json] = [
        {"name": name, **described(node)} for _, name, node in sorted(shown, key=lambda row: row[:2])
    ]
    return {"path": place.path, "count": len(entries), "entries": entries}


def tree(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    place = disk.folder(arguments)
    depth = int(cast(int, arguments.get("depth", 3)))
    shown = [
        row
        for row in disk.below(place.node)
        if len(row.trail) <= depth and not any(name.startswith(".") for name in row.trail)
    ]
    drawn = [line_of_tree(row) for row in shown]
    folders = sum(row.node["kind"] == "folder" for row in shown)
    return {
        "path": place.path,
        "tree": "".join(drawn[:TREE_ENTRIES]),
        "folders": folders,
        "files": len(shown) - folders,
        "truncated": len(shown) > TREE_ENTRIES,
    }


def line_of_tree(row: Below) -> str:
    ends = {"folder": "/", "link": f" -> {row.node['target']}", "file": ""}
    return "  " * (len(row.trail) - 1) + row.trail[-1] + ends[row.node["kind"]] + "\n"


def du(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    place = disk.folder(arguments)
    subfolders = [
        (-bytes_below([row.node for row in disk.below(node)]), name)
        for name, node in disk.entries(place.node).items()
        if node["kind"] == "folder" and disk.may(node, READ | ENTER)
    ]
    return {
        "path": place.path,
        "total": bytes_below([row.node for row in disk.below(place.node)]),
        "subfolders": [{"name": name, "bytes": -size} for size, name in sorted(subfolders)],
    }


def df(tables: Tables, arguments: dict[str, Json]) -> Json:
    """What is used is counted in the tree, not taken from the counters."""
    disk = Disk(tables)
    everything = [row.node for row in disk.below(disk.nodes[ROOT], all_rights=True)]
    used = bytes_below(everything)
    return {
        "total_bytes": disk.user["quota_bytes"],
        "used_bytes": used,
        "free_bytes": disk.user["quota_bytes"] - used,
        "used_entries": len(everything),
        "free_entries": disk.user["quota_entries"] - len(everything),
    }


def find_files(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    after = arguments.get("modified_after")
    moment = None if after is None else texts.moment_of(str(after), tables.offset)
    place = disk.folder(arguments)
    name = arguments.get("name")
    if name is not None:
        texts.check_name_pattern(str(name))
    found = []
    for row in disk.below(place.node):
        node = row.node
        fits = (
            (name is None or texts.fits_name(str(name), row.trail[-1]))
            and arguments.get("type") in {None, node["kind"]}
            and node["size"] >= arguments.get("min_size", 0)
            and (moment is None or texts.moment_of(node["modified"], tables.offset) > moment)
        )
        if fits:
            path = "/" + "/".join(place.names + row.trail)
            found.append((path, node))
    entries: list[Json] = [
        {"path": path, "type": node["kind"], "size": node["size"], "modified": node["modified"]}
        for path, node in sorted(found, key=lambda pair: pair[0])
    ]
    return {
        "count": len(entries),
        "truncated": len(entries) > FOUND_ENTRIES,
        "entries": entries[:FOUND_ENTRIES],
    }


def compare_dirs(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    places = both(
        lambda key: disk.folder(arguments, key), ("not_found", "not_a_folder", "permission_denied", "broken_link")
    )
    if places[0].node["node_id"] == places[1].node["node_id"]:
        raise Refusal("same_folder")
    first, second = ({"/".join(row.trail): row.node for row in disk.below(place.node)} for place in places)
    common = sorted(set(first) & set(second))
    differing = [name for name in common if differ(disk, first[name], second[name])]
    lists = [sorted(set(first) - set(second)), sorted(set(second) - set(first)), differing]
    return {
        "only_first": lists[0][:COMPARED_ENTRIES],
        "only_second": lists[1][:COMPARED_ENTRIES],
        "different": differing[:COMPARED_ENTRIES],
        "same_count": sum(first[name]["kind"] == "file" for name in set(common) - set(differing)),
        "truncated": any(len(names) > COMPARED_ENTRIES for names in lists),
    }


def differ(disk: Disk, first: Row, second: Row) -> bool:
    """Whether two entries of one name differ. What is in them has to be seen for that, or it would be a guess."""
    if first["kind"] != second["kind"] or first["node_id"] == second["node_id"]:
        return bool(first["kind"] != second["kind"])
    bits = {"file": READ, "folder": READ | ENTER, "link": 0}[first["kind"]]
    if not (disk.may(first, bits) and disk.may(second, bits)):
        raise Refusal("permission_denied")
    contents = [texts.bytes_of(node["form"], node["content"]) for node in (first, second)]
    return bool(first["target"] != second["target"] or contents[0] != contents[1])


def both(find: Callable[[str], Place], order: tuple[str, ...]) -> tuple[Place, Place]:
    """The two places of a comparison; of two refusals the one that stands first in the catalogue is given."""
    places, codes = [], []
    for key in ("first", "second"):
        try:
            places.append(find(key))
        except Refusal as refusal:
            codes.append(refusal.code)
    if codes:
        raise Refusal(min(codes, key=lambda code: order.index(code) if code in order else len(order)))
    return places[0], places[1]


# Single entries


def stat_file(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    place = disk.walk(str(arguments["path"]), follow=False)
    node = place.node
    names = sum(child["node_id"] == node["node_id"] for inside in disk.inside.values() for child in inside.values())
    return {"path": place.path, "link_count": max(names, 1), **described(node)}


def realpath_of(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    end = disk.walk(str(arguments["path"]))
    begin = disk.walk(str(arguments["path"]), follow=False)
    return {"path": begin.path, "real_path": end.path, "type": end.node["kind"], "steps": end.steps}


def checksum_file(tables: Tables, arguments: dict[str, Json]) -> Json:
    place = Disk(tables).file(arguments)
    algorithm = str(arguments.get("algorithm", "sha256"))
    return {
        "path": place.path,
        "algorithm": algorithm,
        "checksum": hashlib.new(algorithm, texts.bytes_of(place.node["form"], place.node["content"])).hexdigest(),
    }


def archive_list(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    place = disk.walk(str(arguments["path"]))
    if place.node["kind"] == "file" and not disk.may(place.node, READ):
        raise Refusal("permission_denied")
    if place.node["form"] != "archive":
        raise Refusal("not_an_archive")
    form, entries = texts.unpacked(place.node["content"])
    return {"path": place.path, "format": form, "count": len(entries), "entries": entries}


def list_trash(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    part = str(arguments.get("name", "")).casefold()
    entries = {row["entry_id"]: row for row in tables.rows["entry"]}
    rows = [row for row in tables.rows["trash_item"] if row["state"] == "held"]
    items: list[Json] = []
    for row in sorted(rows, key=lambda row: (row["deleted_at"], row["number"]), reverse=True):
        entry = entries[row["entry_id"]]
        node = disk.nodes[entry["node_id"]]
        if part in entry["name"].casefold():
            items.append(
                {
                    "trash_item_id": row["trash_item_id"],
                    "name": entry["name"],
                    "original_path": row["original_path"],
                    "kind": node["kind"],
                    "size": bytes_below([node, *(below.node for below in disk.below(node, all_rights=True))]),
                    "deleted_at": row["deleted_at"],
                }
            )
    return {"count": len(items), "items": items}


# Texts


def cat(tables: Tables, arguments: dict[str, Json]) -> Json:
    place = Disk(tables).text(arguments)
    shown, truncated = texts.printed(place.node["content"])
    lines = len(texts.lines_of(place.node["content"]))
    return {"path": place.path, "content": shown, "lines": lines, "truncated": truncated}


def head_file(tables: Tables, arguments: dict[str, Json]) -> Json:
    place = Disk(tables).text(arguments)
    part = "".join(texts.lines_of(place.node["content"])[: number_of_lines(arguments)])
    return excerpt(place, part, texts.first_bytes(part))


def tail_file(tables: Tables, arguments: dict[str, Json]) -> Json:
    place = Disk(tables).text(arguments)
    part = "".join(texts.lines_of(place.node["content"])[-number_of_lines(arguments) :])
    return excerpt(place, part, texts.last_bytes(part))


def number_of_lines(arguments: dict[str, Json]) -> int:
    return int(cast(int, arguments.get("lines", 10)))


def excerpt(place: Place, part: str, shown: str) -> Json:
    return {"path": place.path, "content": shown, "lines": len(texts.lines_of(shown)), "truncated": shown != part}


def wc_file(tables: Tables, arguments: dict[str, Json]) -> Json:
    place = Disk(tables).text(arguments)
    content = place.node["content"]
    return {
        "path": place.path,
        "lines": len(texts.lines_of(content)),
        "words": texts.words_in(content),
        "bytes": len(content.encode()),
    }


def diff_files(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    order = ("not_found", "is_a_folder", "permission_denied", "binary_file", "broken_link")
    old, new = both(lambda key: disk.text(arguments, key), order)
    return texts.AnySoundDiff(old.node["content"], new.node["content"], old.path, new.path)


def grep_files(tables: Tables, arguments: dict[str, Json]) -> Json:
    disk = Disk(tables)
    place = disk.walk(str(arguments.get("path", ".")))
    single = place.node["kind"] == "file"
    if not disk.may(place.node, READ if single else READ | ENTER):
        raise Refusal("permission_denied")
    search = texts.Search(str(arguments["pattern"]), arguments.get("case") == "ignore")
    search.lines("")
    name = arguments.get("name")
    if name is not None:
        texts.check_name_pattern(str(name))
    if single and place.node["form"] != "text":
        raise Refusal("binary_file")
    below = [Below((), place.node)] if single else list(disk.below(place.node))
    files = sorted(
        ("/" + "/".join(place.names + row.trail), row.node)
        for row in below
        if row.node["form"] == "text"
        and disk.may(row.node, READ)
        and (name is None or texts.fits_name(str(name), (place.names + row.trail)[-1]))
    )
    found = [(path, number, line) for path, node in files for number, line in search.lines(node["content"])]
    return cast(Json, texts.page_of_matches(found))


# fmt: off
ORACLES: dict[str, Oracle] = {
    oracle.__name__: oracle
    for oracle in (
        pwd, ls, tree, stat_file, realpath_of, du, df, cat, head_file, tail_file, wc_file, checksum_file, diff_files,
        compare_dirs, find_files, grep_files, archive_list, list_trash,
    )
}
# fmt: on
