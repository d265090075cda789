"""Archives: archive_list, archive_create, archive_extract."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, cast

from proverl.world.domain import Field, Row, World, refuse, tool

from .. import results
from ..archive import MAX_BYTES, MAX_ENTRIES, Archive, Damaged, Member, pack, unpack
from ..below import bytes_alone, check_readable, find_below
from ..changes import New, store_new, store_trashed
from ..lines import content_of
from ..nodes import CHANGE, READ, Node
from ..paths import find_child, is_within, walk
from ..results import ArchivePath, EntryPath, FolderPath, IfExists, NewPath
from ..rules import (
    check_allowed,
    check_destination,
    check_found,
    check_free,
    check_links,
    check_name,
    check_quota,
    check_replaced,
    check_vacant,
)

CONTENTS: Final = """
SELECT coalesce(n.content, n.target, '') AS text
FROM json_each(?1) v JOIN node n ON n.node_id = v.value
ORDER BY v.key
"""


def find_archive(world: World, node: Node) -> Archive | None:
    """What is in the archive at a node; None where there is nothing, or nothing that the user may read.

    Refuses not_an_archive, archive_damaged.
    """
    archive = None
    if node.stop is not None or (node.kind == "file" and not node.bits & READ):
        return archive
    if node.form != "archive":
        refuse("not_an_archive", f"{node.path} is no tar or zip archive; find_files with *.zip or *.tar finds some")
    else:
        try:
            archive = unpack(content_of(world, node))
        except Damaged as error:
            refuse("archive_damaged", f"{node.path} is damaged: {error}; look for another copy")
    return archive


@tool("read", refusals="not_found permission_denied broken_link too_many_links not_an_archive archive_damaged")
def archive_list(world: World, path: ArchivePath) -> results.Packed:
    """List what is inside a tar or zip archive: names and sizes, in the order in which they were packed. The size of a
    link is that of the path it holds.

    Args:
        path: archive file
    """
    node = walk(world, "path", path)
    check_found("not_found", node)
    check_allowed(READ if node.kind == "file" else 0, node)
    check_links(node)
    archive = find_archive(world, node)
    assert archive is not None, "refused otherwise"
    entries = [{"name": member.name, "type": member.kind, "size": member.size} for member in archive.members]
    return {"path": node.path, "format": archive.format, "count": len(entries), "entries": cast(Any, entries)}


@tool(
    "write",
    refusals="invalid_argument not_found permission_denied broken_link too_many_links already_exists folder_not_found "
    "quota_exceeded archive_inside_source",
    idempotent=True,
    unechoed={"paths": "the archive has what they lead to"},
)
def archive_create(
    world: World,
    paths: Annotated[list[EntryPath], Field(min_length=1, max_length=20)],
    archive_path: NewPath,
    format: Literal["tar", "zip"],
) -> results.ArchiveMade:
    """Pack files and folders, with all below them, into a new tar or zip archive; the originals stay. Names in it are
    relative to the deepest folder that holds all of them. At most 1,000 entries and 1 MiB.

    Args:
        paths: 1 to 20 files or folders
        archive_path: new archive file, up to 1,024 characters
        format: tar or zip
    """
    sources = [walk(world, "", path) for path in paths]
    world.resolves("paths", [source.path for source in sources])
    spot = walk(world, "archive_path", archive_path, follow=False)
    check_name(spot, "invalid_argument")
    check_found("not_found", *sources)
    found = [(source, find_below(world, source)) for source in sources]
    for source, many in found:
        check_readable(source, many)
    check_allowed(0, *sources)
    check_allowed(CHANGE, spot.folder)
    check_links(*sources, spot)
    check_vacant(spot, "choose another name")
    rows = _packed(found)
    if len(rows) > MAX_ENTRIES or sum(row["size"] for row in rows.values()) > MAX_BYTES:
        most = f"an archive takes at most {MAX_ENTRIES} entries and {MAX_BYTES} bytes"
        refuse("quota_exceeded", f"{most}; take less")
    text = pack(format, _members(world, rows))
    size = len(text.encode())
    check_quota(spot.user, size, 1)
    for source in sources:
        if source.kind == "folder" and is_within(spot.path, source.path):
            refuse("archive_inside_source", f"{spot.path} lies in {source.path}; choose a place outside of it")
    store_new(world, spot.user, [New(spot.folder.node_id, spot.name, "file", text, "archive", size)])
    return {"archive_path": spot.path, "count": len(rows), "bytes": size}


def _packed(found: list[tuple[Node, list[Row]]]) -> dict[str, Row]:
    """The rows of these sources under their names in an archive; what is named twice is packed once."""
    above = [source.folder.path.rstrip("/") for source, _ in found]
    common = above[0]
    while not all(is_within(path or "/", common or "/") for path in above):
        common = common.rsplit("/", 1)[0]
    rows = {(source.path.rstrip("/") + row["path"])[len(common) + 1 :]: row for source, many in found for row in many}
    rows.pop("", None)  # the root itself
    return rows


def _members(world: World, rows: dict[str, Row]) -> list[Member]:
    """The members for these rows, sorted by name."""
    named = sorted(rows.items())
    contents = world.all(CONTENTS, json.dumps([row["node_id"] for _, row in named]))
    return [
        Member(name, row["kind"], row["size"], row["form"], content["text"])
        for (name, row), content in zip(named, contents, strict=True)
    ]


@tool(
    "write",
    refusals="not_found not_an_archive archive_damaged entry_not_found destination_not_a_folder already_exists "
    "permission_denied broken_link too_many_links quota_exceeded",
    unechoed={
        "path": "what was in it is in the destination",
        "entry": "count says how many came with it",
        "if_exists": "what was replaced lies in the trash",
    },
)
def archive_extract(
    world: World,
    path: ArchivePath,
    destination: FolderPath,
    entry: Annotated[str, Field(min_length=1, max_length=1024)] | None = None,
    if_exists: IfExists = "keep",
) -> results.Unpacked:
    """Unpack an archive, or one entry of it, into an existing folder, under the names in the archive. Folders that
    exist already are used; the new files are yours.

    Args:
        path: archive file
        destination: existing folder to unpack into
        entry: name of one entry, up to 1,024 characters, default all; a folder comes with all in it
        if_exists: keep (default, fails) or replace files of the same name, which go to the trash
    """
    node, folder = walk(world, "path", path), walk(world, "destination", destination)
    check_found("not_found", node)
    archive = find_archive(world, node)
    chosen = [] if archive is None else _chosen(node, archive, entry)
    check_destination(folder)
    plan = _plan(world, folder, chosen, if_exists)
    check_allowed(READ, node)
    check_allowed(0, folder)
    check_allowed(CHANGE, *plan.changed)
    gone = [find_below(world, old) for old in plan.replaced]
    for old, rows in zip(plan.replaced, gone, strict=True):
        check_replaced(old, rows)
    check_links(node, folder)
    freed = sum(bytes_alone(world, rows) for rows in gone)
    check_quota(folder.user, sum(item.size for item in plan.new) - freed, len(plan.new) - len(gone))
    for old, rows in zip(plan.replaced, gone, strict=True):
        store_trashed(world, old, rows)
    if plan.new:
        store_new(world, folder.user, plan.new)
    return {"destination": folder.path, "count": len(chosen), "bytes": sum(member.size for member in chosen)}


def _chosen(node: Node, archive: Archive, entry: str | None) -> list[Member]:
    """The members to be unpacked."""
    wanted = None if entry is None else entry.rstrip("/")
    chosen = [m for m in archive.members if wanted is None or m.name == wanted or m.name.startswith(f"{wanted}/")]
    if wanted is not None and not chosen:
        refuse("entry_not_found", f"there is no {entry!r} in {node.path}; archive_list shows what is")
    return chosen


@dataclass
class _Plan:
    """What unpacking creates, in which folders that are there already, and which files go into the trash before."""

    new: list[New] = field(default_factory=list)
    changed: list[Node] = field(default_factory=list)
    replaced: list[Node] = field(default_factory=list)

    def add(self, home: Node | int, new: New) -> int:
        """Plan one new entry; returns the number by which entries inside it know it."""
        if isinstance(home, Node):
            self.changed.append(home)
        self.new.append(new._replace(parent=home.node_id if isinstance(home, Node) else home))
        return 1 - len(self.new)


def _plan(world: World, folder: Node, chosen: list[Member], if_exists: IfExists) -> _Plan:
    """Refuses already_exists; no path of a member leads through a link, and none out of the folder."""
    plan = _Plan()
    homes: dict[str, Node | int] = {"": folder}
    for member in chosen:
        parts = member.name.split("/")
        for end in range(1, len(parts) + (member.kind == "folder")):
            above, here, name = "/".join(parts[: end - 1]), "/".join(parts[:end]), parts[end - 1]
            if here not in homes:
                there = _there(world, homes[above], name)
                if there is not None and there.kind != "folder":
                    check_free(there, "it is a folder in the archive; choose another destination")
                homes[here] = there or plan.add(homes[above], New(0, name, "folder"))
        if member.kind != "folder":
            home, name = homes["/".join(parts[:-1])], parts[-1]
            there = _there(world, home, name)
            if there is not None and (if_exists == "keep" or there.kind == "folder"):
                check_free(there, "use if_exists replace for a file, or another destination")
            elif there is not None:
                plan.replaced.append(there)
            plan.add(home, New(0, name, member.kind, member.text, member.form, member.size))
    return plan


def _there(world: World, home: Node | int, name: str) -> Node | None:
    """What has this name in a folder already; nothing where the folder is new itself."""
    return None if isinstance(home, int) else find_child(world, home, name)
