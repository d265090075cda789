"""Copies, moves and links: cp, mv, ln."""

from __future__ import annotations

from typing import Literal

from proverl.world.domain import World, refuse, tool

from .. import results
from ..below import bytes_alone, bytes_of, check_readable, count_names, find_below
from ..changes import New, copies, store_name, store_new, store_times, store_trashed
from ..nodes import CHANGE, Node
from ..paths import find_child, is_within, walk
from ..results import EntryPath, FolderPath, IfExists, NewName, NewPath
from ..rules import (
    check_allowed,
    check_destination,
    check_found,
    check_free,
    check_links,
    check_name,
    check_quota,
    check_removable,
    check_replaced,
    check_sticky,
    check_unused,
    check_vacant,
    in_use,
)


def check_replaceable(there: Node | None, if_exists: IfExists) -> None:
    """Refuse already_exists: what stands in the way and may not or cannot be replaced."""
    if if_exists == "keep":
        check_free(there, "use if_exists replace or another new_name")
    elif there is not None and in_use(there):
        check_free(there, "the current folder cannot be replaced; cd to another one first")


def check_apart(source: Node, folder: Node, there: Node | None) -> None:
    """Refuse into_itself: a folder that would lie below itself, or be replaced by a part of it."""
    if source.kind == "folder" and is_within(folder.path, source.path):
        refuse("into_itself", f"{folder.path} lies in {source.path}; choose a destination outside of it")
    if there is not None and is_within(source.path, there.path):
        what = "is the source itself" if there.path == source.path else f"holds the source {source.path}"
        refuse("into_itself", f"{there.path} {what} and cannot be replaced by it; choose another name")


@tool(
    "write",
    refusals="not_found destination_not_a_folder is_a_folder already_exists into_itself permission_denied "
    "quota_exceeded broken_link too_many_links",
    unechoed={
        "source": "the copy has its content",
        "recursive": "copied_count says what was copied",
        "if_exists": "what was replaced lies in the trash",
    },
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
        new_name: name of the copy, up to 255 characters, default as the source
        recursive: true is needed for a folder; default false
        if_exists: keep (default, fails) or replace what has that name, which goes to the trash
    """
    node = walk(world, "source", source)
    folder = walk(world, "destination", destination)
    check_found("not_found", node)
    check_destination(folder)
    if node.kind == "folder" and not recursive:
        refuse("is_a_folder", f"{node.path} is a folder; set recursive to copy it with all in it")
    name = new_name or source.rstrip("/").rsplit("/", 1)[-1]
    if name in ("", ".", "..", "~"):
        name = node.name
    there = find_child(world, folder, name)
    check_replaceable(there, if_exists)
    check_apart(node, folder, there)
    check_allowed(CHANGE, folder)
    check_allowed(0, node)
    rows, gone = find_below(world, node), find_below(world, there)
    check_readable(node, rows)
    check_replaced(there, gone)
    check_quota(node.user, bytes_of(rows) - bytes_alone(world, gone), len(rows) - len(gone))
    check_links(node, folder)
    if there is not None:
        store_trashed(world, there, gone)
    store_new(world, node.user, copies(rows, folder.node_id, name))
    return {"path": folder.child(name), "copied_count": len(rows), "bytes": bytes_of(rows)}


@tool(
    "write",
    refusals="not_found destination_not_a_folder already_exists into_itself permission_denied broken_link "
    "too_many_links sticky_folder folder_in_use",
    idempotent=True,
    unechoed={"if_exists": "what was replaced lies in the trash"},
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
        new_name: new name, up to 255 characters, default as before
        if_exists: keep (default, fails) or replace what has that name, which goes to the trash
    """
    node = walk(world, "source", source, follow=False)
    folder = walk(world, "destination", destination)
    check_found("not_found", node)
    check_destination(folder)
    name = new_name or node.name
    there = find_child(world, folder, name)
    check_replaceable(there, if_exists)
    check_apart(node, folder, there)
    gone = find_below(world, there)
    check_allowed(CHANGE, folder)
    check_removable(node, [])
    if there is not None:
        check_removable(there, gone)
    check_links(node, folder)
    check_sticky("sticky_folder", node, [])
    if there is not None:
        check_sticky("sticky_folder", there, gone)
    check_unused(node)
    if there is not None:
        store_trashed(world, there, gone)
    world.run("UPDATE entry SET parent = ?, name = ? WHERE entry_id = ?", folder.node_id, name, node.entry_id)
    store_times(world, node.folder.node_id, folder.node_id)
    return {"path": folder.child(name), "previous_path": node.path}


@tool(
    "write",
    refusals="invalid_argument not_found already_exists folder_not_found permission_denied broken_link too_many_links "
    "hard_link_to_folder quota_exceeded",
    idempotent=True,
)
def ln(world: World, target: EntryPath, link_path: NewPath, kind: Literal["symbolic", "hard"]) -> results.Linked:
    """Create a symbolic or hard link to an existing entry. Folders can only be linked symbolically. A link as target is
    linked itself, not what it leads to.

    Args:
        target: what the link points to
        link_path: path of the new link, up to 1,024 characters
        kind: symbolic or hard
    """
    node = walk(world, "target", target, follow=False)
    spot = walk(world, "link_path", link_path, follow=False)
    check_name(spot, "invalid_argument")
    check_found("not_found", node)
    check_vacant(spot, "choose another name")
    check_allowed(CHANGE, spot.folder)
    check_allowed(0, node)
    check_links(node, spot)
    if kind == "hard" and node.kind == "folder":
        refuse("hard_link_to_folder", f"{node.path} is a folder; use kind symbolic")
    folder, size = spot.folder.node_id, len(node.path.encode())
    check_quota(node.user, size if kind == "symbolic" else 0, 1)
    if kind == "symbolic":
        store_new(world, node.user, [New(folder, spot.name, "link", node.path, "", size)])
    else:
        store_name(world, node.node_id, node.kind, folder, spot.name)
    count = count_names(world, node) if kind == "hard" else 1
    return {"link_path": spot.path, "target": node.path, "kind": kind, "link_count": count}
