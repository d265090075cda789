"""Archives: archive_list, archive_create, archive_extract."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, cast

from ....errors import Refused
from ....world.server import Field, World, tool
from .. import results
from ..archive import MAX_BYTES, MAX_ENTRIES, Archive, Damaged, Member, pack, unpack
from ..changing import New, create, discard, need_quota
from ..nodes import Node
from ..paths import Obstacle, existing_folder, find, need_folder, need_free, need_name, place, walk
from ..reading import content_of
from ..results import ArchivePath, EntryPath, FolderPath, IfExists, NewPath
from ..rights import ENTER, READ, WRITE, User, denied, may, need, user_of
from ..walks import below, bytes_alone, is_within, need_all, need_removable

CONTENTS: Final = """
SELECT n.node_id, n.target, n.content
FROM node n WHERE n.node_id IN (SELECT value FROM json_each(?1))
ORDER BY n.node_id
"""


def _opened(world: World, node: Node) -> Archive:
    """What is in the archive at a node; refuses with permission_denied, not_an_archive or archive_damaged."""
    if node.kind == "file":
        need(node, READ)
    if node.form != "archive":
        raise Refused(
            "not_an_archive", f"{node.path} is no tar or zip archive; find_files with *.zip or *.tar finds some"
        )
    try:
        return unpack(content_of(world, node))
    except Damaged as error:
        raise Refused("archive_damaged", f"{node.path} is damaged: {error}; look for another copy") from None


@tool("read", refusals=["not_found", "permission_denied", "not_an_archive", "archive_damaged"])
def archive_list(world: World, path: ArchivePath) -> results.Packed:
    """List what is inside a tar or zip archive: names and sizes.

    Args:
        path: archive file
    """
    node = find(world, user_of(world), "path", path)
    archive = _opened(world, node)
    entries = [{"name": member.name, "type": member.kind, "size": member.size} for member in archive.members]
    return {"path": node.path, "format": archive.format, "count": len(entries), "entries": cast(Any, entries)}


@tool(
    "write",
    refusals=[
        "not_found",
        "permission_denied",
        "already_exists",
        "folder_not_found",
        "quota_exceeded",
        "archive_inside_source",
        "invalid_argument",
    ],
    idempotent=True,
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
        archive_path: new archive file
        format: tar or zip
    """
    user = user_of(world)
    sources = [find(world, user, "", path) for path in paths]
    world.resolves("paths", [source.path for source in sources])
    spot = place(world, user, "archive_path", archive_path)
    found = [(source, below(world, source)) for source in sources]
    for source, rows in found:
        need_all(source, rows)
    if spot.folder is not None:
        need(spot.folder, WRITE | ENTER)
    need_free(spot, "choose another name")
    folder = need_folder(spot)
    members = _members(world, found)
    text = pack(format, members)
    size = len(text.encode())
    need_quota(user, size, 1)
    for source in sources:
        if source.kind == "folder" and is_within(spot.path, source.path):
            raise Refused("archive_inside_source", f"{spot.path} lies in {source.path}; choose a place outside of it")
    need_name(spot, "invalid_argument")
    create(world, user, [New(folder.node_id, spot.name, "file", text, "archive", size)])
    return {"archive_path": spot.path, "count": len(members), "bytes": size}


def _members(world: World, found: list[tuple[Node, list[dict[str, Any]]]]) -> list[Member]:
    """The members for these sources, sorted by name; what is named twice is packed once."""
    above = [(source.path if source.parent is None else source.parent.path).rstrip("/") for source, _ in found]
    common = above[0]
    while not all(is_within(path or "/", common or "/") for path in above):
        common = common.rsplit("/", 1)[0]
    rows = {(source.path.rstrip("/") + row["path"])[len(common) + 1 :]: row for source, many in found for row in many}
    rows.pop("", None)  # the root itself
    if len(rows) > MAX_ENTRIES or sum(row["size"] for row in rows.values()) > MAX_BYTES:
        raise Refused(
            "quota_exceeded", f"an archive takes at most {MAX_ENTRIES} entries and {MAX_BYTES} bytes; take less"
        )
    contents = world.all(CONTENTS, json.dumps([row["node_id"] for row in rows.values() if row["kind"] != "folder"]))
    texts = {row["node_id"]: row["target"] if row["content"] is None else row["content"] for row in contents}
    return [
        Member(name, row["kind"], row["size"], row["form"], texts.get(row["node_id"], ""))
        for name, row in sorted(rows.items())
    ]


@tool(
    "write",
    refusals=[
        "not_found",
        "not_an_archive",
        "archive_damaged",
        "entry_not_found",
        "destination_not_a_folder",
        "already_exists",
        "permission_denied",
        "quota_exceeded",
    ],
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
        entry: name of one entry, default all; a folder comes with all in it
        if_exists: keep (default, fails) or replace files of the same name, which go to the trash
    """
    user = user_of(world)
    node = find(world, user, "path", path)
    archive = _opened(world, node)
    chosen = _chosen(node, archive, entry)
    missing = "destination_not_a_folder"
    folder = existing_folder(world, user, "destination", destination, missing=missing, wrong=missing)
    plan = _plan(world, user, folder, chosen, if_exists)
    gone = 0
    for old in plan.replaced:
        need_removable(user, old, below(world, old), "permission_denied")
        gone += bytes_alone(world, below(world, old))
    need_quota(user, sum(item.size for item in plan.new) - gone, len(plan.new) - len(plan.replaced))
    for old in plan.replaced:
        discard(world, old, below(world, old))
    if plan.new:
        create(world, user, plan.new)
    return {"destination": folder.path, "count": len(chosen), "bytes": sum(member.size for member in chosen)}


def _chosen(node: Node, archive: Archive, entry: str | None) -> list[Member]:
    """The members to be unpacked."""
    if entry is None:
        return list(archive.members)
    wanted = entry.rstrip("/")
    chosen = [m for m in archive.members if m.name == wanted or m.name.startswith(f"{wanted}/")]
    if not chosen or not wanted:
        raise Refused("entry_not_found", f"there is no {entry!r} in {node.path}; archive_list shows what is")
    return chosen


@dataclass(frozen=True)
class _Plan:
    """What unpacking creates, and which files it puts into the trash before."""

    new: list[New]
    replaced: list[Node]


def _plan(world: World, user: User, folder: Node, chosen: list[Member], if_exists: IfExists) -> _Plan:
    """Refuses with already_exists, then with permission_denied; no path of a member leads through a link."""
    plan = _Plan([], [])
    homes: dict[str, Node | int] = {"": folder}
    closed: list[Node] = []
    for member in chosen:
        parts = member.name.split("/")
        for end in range(1, len(parts) + (member.kind == "folder")):
            above, here = "/".join(parts[: end - 1]), "/".join(parts[:end])
            if here not in homes:
                there = _there(world, user, homes[above], parts[end - 1])
                if there is not None and there.kind != "folder":
                    raise Refused("already_exists", f"{there.path} is a {there.kind}, but a folder in the archive")
                homes[here] = there or _add(plan, closed, homes[above], New(0, parts[end - 1], "folder"))
        if member.kind != "folder":
            home = homes["/".join(parts[:-1])]
            there = _there(world, user, home, parts[-1])
            if there is not None and (if_exists == "keep" or there.kind == "folder"):
                advice = "it is a folder" if there.kind == "folder" else "use if_exists replace or another destination"
                raise Refused("already_exists", f"{there.path} exists already; {advice}")
            if there is not None:
                plan.replaced.append(there)
            _add(plan, closed, home, New(0, parts[-1], member.kind, member.text, member.form, member.size))
    if closed:
        raise denied(closed[0], "change")
    return plan


def _there(world: World, user: User, home: Node | int, name: str) -> Node | None:
    """What has this name in a folder already, nothing where the folder is new itself; a link is not followed."""
    if isinstance(home, int):
        return None
    found = walk(world, user, home.child(name), follow=False)
    if isinstance(found, Obstacle):
        if found.why == "denied":
            raise found.refusal("", "", "")
        return None
    return found


def _add(plan: _Plan, closed: list[Node], home: Node | int, new: New) -> int:
    """Plan one new entry; returns the number by which entries inside it know it."""
    if isinstance(home, Node) and not may(home, WRITE | ENTER):
        closed.append(home)
    parent = home if isinstance(home, int) else home.node_id
    plan.new.append(New(parent, new.name, new.kind, new.text, new.form, new.size))
    return -len(plan.new)
