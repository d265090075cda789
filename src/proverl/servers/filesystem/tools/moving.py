"""Copies, moves and links: cp, mv, ln."""

from __future__ import annotations

from typing import Literal

from ....errors import Refused
from ....world.server import World, tool
from .. import results
from ..changing import charge, copy, create, discard, link, need_quota, stamp
from ..nodes import Node
from ..paths import Obstacle, existing_folder, find, need_folder, need_free, need_name, place, walk
from ..results import EntryPath, FolderPath, IfExists, NewName, NewPath
from ..rights import ENTER, WRITE, User, need, user_of
from ..walks import below, bytes_alone, in_use, is_within, link_count, need_all, need_removable


def _destination(world: World, user: User, text: str) -> Node:
    missing = "destination_not_a_folder"
    return existing_folder(world, user, "destination", text, missing=missing, wrong=missing)


def _there(world: World, user: User, folder: Node, name: str) -> Node | None:
    """What has this name in the folder already; a link is not followed."""
    found = walk(world, user, folder.child(name), follow=False)
    if isinstance(found, Obstacle):
        if found.why == "denied":
            raise found.refusal("", "", "")
        return None
    return found


def _need_apart(source: Node, folder: Node, there: Node | None) -> None:
    """Refuse with into_itself a folder that would lie below itself, or be replaced by a part of it."""
    if source.kind == "folder" and is_within(folder.path, source.path):
        raise Refused("into_itself", f"{folder.path} lies in {source.path}; choose a destination outside of it")
    if there is not None and is_within(source.path, there.path):
        what = "is the source itself" if there.path == source.path else f"holds the source {source.path}"
        raise Refused("into_itself", f"{there.path} {what} and cannot be replaced by it; choose another name")


@tool(
    "write",
    refusals=[
        "not_found",
        "destination_not_a_folder",
        "is_a_folder",
        "already_exists",
        "into_itself",
        "permission_denied",
        "quota_exceeded",
        "broken_link",
    ],
)
def cp(
    world: World,
    source: EntryPath,
    destination: FolderPath,
    new_name: NewName | None = None,
    recursive: bool = False,
    if_exists: IfExists = "keep",
) -> results.Copied:
    """Copy a file, or with recursive a folder, into an existing folder, under its own or a new name. The copy is yours,
    with the mode of a new entry; links inside a folder are copied as links.

    Args:
        source: file or folder to copy
        destination: existing folder to copy into
        new_name: name of the copy, default as the source
        recursive: true is needed for a folder; default false
        if_exists: keep (default, fails) or replace what has that name, which goes to the trash
    """
    user = user_of(world)
    node = find(world, user, "source", source, broken="broken_link")
    folder = _destination(world, user, destination)
    if node.kind == "folder" and not recursive:
        raise Refused("is_a_folder", f"{node.path} is a folder; set recursive to copy it with all in it")
    name = new_name or source.rstrip("/").rsplit("/", 1)[-1]
    if name in ("", ".", "..", "~"):
        name = node.name.strip("/") or "root"
    there = _there(world, user, folder, name)
    _need_replaceable(user, there, if_exists)
    _need_apart(node, folder, there)
    need(folder, WRITE | ENTER)
    rows = below(world, node)
    need_all(node, rows)
    gone = below(world, there) if there is not None else []
    if there is not None:
        need_removable(user, there, gone, "permission_denied")
    size = sum(row["size"] for row in rows)
    need_quota(user, size - bytes_alone(world, gone), len(rows) - len(gone))
    if there is not None:
        discard(world, there, gone)
    copy(world, user, rows, folder, name)
    return {"path": folder.child(name), "copied_count": len(rows), "bytes": size}


def _need_replaceable(user: User, there: Node | None, if_exists: IfExists) -> None:
    """Refuse with already_exists what stands in the way and may not or cannot be replaced."""
    if there is None:
        return
    if if_exists == "keep":
        raise Refused("already_exists", f"{there.path} exists already; use if_exists replace or another new_name")
    if there.kind == "folder" and in_use(user, there):
        raise Refused("already_exists", f"{there.path} is the current folder or holds it, and cannot be replaced")


@tool(
    "write",
    refusals=[
        "not_found",
        "destination_not_a_folder",
        "already_exists",
        "into_itself",
        "permission_denied",
        "sticky_folder",
        "folder_in_use",
    ],
)
def mv(
    world: World,
    source: EntryPath,
    destination: FolderPath,
    new_name: NewName | None = None,
    if_exists: IfExists = "keep",
) -> results.Renamed:
    """Move a file, link or folder into an existing folder, under its own or a new name. To rename, give its present
    folder and new_name.

    Args:
        source: file, link or folder to move
        destination: existing folder to move into
        new_name: new name, default as before
        if_exists: keep (default, fails) or replace what has that name, which goes to the trash
    """
    user = user_of(world)
    node = find(world, user, "source", source, follow=False)
    folder = _destination(world, user, destination)
    name = new_name or node.name
    there = _there(world, user, folder, name) if node.parent is not None else None
    if if_exists == "keep" or (there is not None and there.kind == "folder" and in_use(user, there)):
        _need_replaceable(user, there, if_exists)
    _need_apart(node, folder, there)
    need(folder, WRITE | ENTER)
    if node.parent is None:
        raise Refused("folder_in_use", "the root folder holds all others and cannot be moved")
    need_removable(user, node, [], "sticky_folder")
    gone = below(world, there) if there is not None else []
    if there is not None:
        need_removable(user, there, gone, "sticky_folder")
    if node.kind == "folder" and in_use(user, node):
        raise Refused("folder_in_use", f"{node.path} is the current folder or holds it; cd to another one first")
    if there is not None:
        discard(world, there, gone)
    assert node.entry_id is not None, "only the root has none"
    world.update("entry", node.entry_id, parent=folder.node_id, name=name)
    stamp(world, [node.parent.node_id, folder.node_id])
    return {"path": folder.child(name), "previous_path": node.path}


@tool(
    "write",
    refusals=[
        "not_found",
        "already_exists",
        "folder_not_found",
        "permission_denied",
        "hard_link_to_folder",
        "quota_exceeded",
        "invalid_argument",
    ],
    idempotent=True,
)
def ln(world: World, target: EntryPath, link_path: NewPath, kind: Literal["symbolic", "hard"]) -> results.Linked:
    """Create a symbolic or hard link to an existing entry. Folders can only be linked symbolically. A link as target is
    linked itself, not what it leads to.

    Args:
        target: what the link points to
        link_path: path of the new link
        kind: symbolic or hard
    """
    user = user_of(world)
    node = find(world, user, "target", target, follow=False)
    spot = place(world, user, "link_path", link_path)
    need_free(spot, "choose another name")
    folder = need_folder(spot)
    need(folder, WRITE | ENTER)
    if kind == "hard" and node.kind == "folder":
        raise Refused("hard_link_to_folder", f"{node.path} is a folder; use kind symbolic")
    new = link(folder.node_id, spot.name, node.path)
    need_quota(user, new.size if kind == "symbolic" else 0, 1)
    need_name(spot, "invalid_argument")
    if kind == "symbolic":
        create(world, user, [new])
        count = 1
    else:
        number = charge(world, 0, 1, 1)
        world.insert(
            "entry", entry_id=number, parent=folder.node_id, name=spot.name, node_id=node.node_id, kind=node.kind
        )
        stamp(world, [folder.node_id])
        count = link_count(world, node)
    return {"link_path": spot.path, "target": node.path, "kind": kind, "link_count": count}
