"""Deleting and bringing back: rm, list_trash, restore_from_trash."""

from __future__ import annotations

from typing import Annotated, Any, Final, cast

from ....errors import Refused
from ....world.server import Field, World, tool
from .. import results
from ..changing import charge, discard, need_quota, stamp
from ..nodes import Node
from ..paths import Obstacle, existing_folder, find, node_of, walk
from ..results import EntryPath, FolderPath, TrashItemId
from ..rights import ENTER, WRITE, User, need, user_of
from ..walks import below, bytes_alone, in_use, need_removable

HELD: Final = """
SELECT t.trash_item_id, e.name, t.original_path, n.kind, n.node_id, t.deleted_at
FROM trash_item t JOIN entry e ON e.entry_id = t.entry_id JOIN node n ON n.node_id = e.node_id
WHERE t.state = 'held' AND (?1 = '' OR instr(lower(e.name), lower(?1)) > 0)
ORDER BY t.number DESC
"""
WEIGHTS: Final = """
WITH RECURSIVE below(top, node_id) AS (
  SELECT e.entry_id, e.node_id
  FROM trash_item t JOIN entry e ON e.entry_id = t.entry_id WHERE t.state = 'held'
  UNION
  SELECT b.top, e.node_id FROM below b CROSS JOIN entry e WHERE e.parent = b.node_id
)
SELECT t.trash_item_id, SUM(n.size) AS size
FROM below b CROSS JOIN node n ON n.node_id = b.node_id JOIN trash_item t ON t.entry_id = b.top AND t.state = 'held'
GROUP BY t.trash_item_id
ORDER BY t.trash_item_id
"""


@tool(
    "destructive",
    refusals=["not_found", "is_a_folder", "permission_denied", "sticky_folder", "folder_in_use"],
    idempotent=True,
)
def rm(world: World, path: EntryPath, recursive: bool = False) -> results.Deleted:
    """Delete a file or link, or with recursive a folder and all in it. Goes to the trash, which keeps the last 50;
    returns the trash_item_id. A link is deleted itself, not what it leads to.

    Args:
        path: file, link or folder
        recursive: true is needed for a folder; default false
    """
    user = user_of(world)
    node = find(world, user, "path", path, follow=False)
    if node.kind == "folder" and not recursive:
        raise Refused("is_a_folder", f"{node.path} is a folder; set recursive to delete it with all in it")
    if node.parent is None:
        raise Refused("folder_in_use", "the root folder holds the current one and cannot be deleted")
    rows = below(world, node)
    need_removable(user, node, rows, "sticky_folder")
    if node.kind == "folder" and in_use(user, node):
        raise Refused("folder_in_use", f"{node.path} is the current folder or holds it; cd to another one first")
    item, freed = discard(world, node, rows)
    return {"path": node.path, "trash_item_id": item, "removed_count": len(rows), "freed_bytes": freed}


@tool("read")
def list_trash(world: World, name: Annotated[str, Field(min_length=1, max_length=255)] | None = None) -> results.Trash:
    """List deleted entries, newest first, with trash_item_id, original path and time of deletion.

    Args:
        name: part of the name, in any case
    """
    weights = {row["trash_item_id"]: row["size"] for row in world.all(WEIGHTS)}
    rows = world.all(HELD, name or "")
    for row in rows:
        del row["node_id"]
        row["size"] = weights[row["trash_item_id"]]
    return {"count": len(rows), "items": cast(Any, rows)}


@tool(
    "write",
    refusals=[
        "trash_item_not_found",
        "original_folder_gone",
        "destination_not_a_folder",
        "already_exists",
        "permission_denied",
        "quota_exceeded",
    ],
    idempotent=True,
)
def restore_from_trash(
    world: World, trash_item_id: TrashItemId, destination: FolderPath | None = None
) -> results.Restored:
    """Put a deleted entry back to its original path, or into another folder.

    Args:
        trash_item_id: id from list_trash or rm
        destination: existing folder to use instead of the old place
    """
    user = user_of(world)
    item = world.one(
        "SELECT t.entry_id, t.original_path, e.node_id, e.name"
        " FROM trash_item t JOIN entry e ON e.entry_id = t.entry_id WHERE t.trash_item_id = ? AND t.state = 'held'",
        trash_item_id,
    )
    if item is None:
        raise Refused("trash_item_not_found", f"{trash_item_id!r} is not in the trash; see list_trash")
    folder = _home(world, user, item["original_path"], destination)
    path = folder.child(item["name"])
    if world.one("SELECT 1 FROM entry WHERE parent = ? AND name = ?", folder.node_id, item["name"]) is not None:
        raise Refused("already_exists", f"{path} exists; move it away or give another folder as destination")
    need(folder, WRITE | ENTER)
    node = _deleted(world, user, item)
    rows = below(world, node)
    size = bytes_alone(world, rows)
    need_quota(user, size, len(rows))
    charge(world, size, len(rows))
    world.update("entry", item["entry_id"], parent=folder.node_id)
    world.update("trash_item", trash_item_id, state="restored")
    stamp(world, [folder.node_id])
    return {"path": path, "kind": node.kind, "bytes": sum(row["size"] for row in rows)}


def _home(world: World, user: User, original: str, destination: str | None) -> Node:
    """The folder into which a deleted entry goes back."""
    if destination is not None:
        missing = "destination_not_a_folder"
        return existing_folder(world, user, "destination", destination, missing=missing, wrong=missing)
    above = original.rsplit("/", 1)[0] or "/"
    found = walk(world, user, above)
    if isinstance(found, Obstacle) and found.why == "denied":
        raise found.refusal("", "", "")
    if isinstance(found, Obstacle) or found.kind != "folder":
        raise Refused("original_folder_gone", f"{above} is gone; give another folder as destination, or mkdir it")
    return found


def _deleted(world: World, user: User, item: dict[str, Any]) -> Node:
    """The node of a deleted entry."""
    row = world.one("SELECT * FROM node WHERE node_id = ?", item["node_id"])
    assert row is not None, "entries refer to nodes"
    return node_of(user, item["original_path"], item["name"], None, {**row, "entry_id": item["entry_id"]})
