"""Deleting and bringing back: rm, list_trash, restore_from_trash."""

from __future__ import annotations

from typing import Annotated, Any, Final, cast

from proverl.world.domain import Field, World, refuse, tool

from .. import results
from ..below import bytes_alone, bytes_of, find_below
from ..changes import store_times, store_trashed, store_usage
from ..nodes import CHANGE, COLUMNS, Node
from ..paths import find_child, walk
from ..results import TRASH_ITEM, EntryPath, FolderPath, TrashItemId
from ..rules import (
    check_allowed,
    check_destination,
    check_found,
    check_free,
    check_links,
    check_quota,
    check_removable,
    check_sticky,
    check_unused,
)

DELETED: Final = """
SELECT t.trash_item_id, t.name, t.original_path, t.kind, (
  WITH RECURSIVE below(node_id) AS (
    SELECT t.node_id UNION SELECT e.node_id FROM below b CROSS JOIN entry e WHERE e.parent = b.node_id
  )
  SELECT sum(n.size) FROM below b CROSS JOIN node n ON n.node_id = b.node_id
) AS size, t.deleted_at
FROM trash_now t
WHERE instr(t.searched, ?1)
ORDER BY t.number DESC
"""
ONE: Final = """
SELECT {COLUMNS} FROM entry e CROSS JOIN node_now n ON n.node_id = e.node_id WHERE e.entry_id = ?
""".replace("{COLUMNS}", COLUMNS)


@tool(
    "destructive",
    refusals="not_found is_a_folder permission_denied broken_link too_many_links sticky_folder folder_in_use",
    idempotent=True,
    unechoed={"recursive": "removed_count says what was deleted"},
)
def rm(world: World, path: EntryPath, recursive: bool = False) -> results.Deleted:
    """Delete a file or link, or with recursive a folder and all in it. Goes to the trash, which keeps the last 50;
    returns the trash_item_id. A link is deleted itself, not what it leads to.

    Args:
        path: file, link or folder
        recursive: true is needed for a folder; default false
    """
    node = walk(world, "path", path, follow=False)
    check_found("not_found", node)
    if node.kind == "folder" and not recursive:
        refuse("is_a_folder", f"{node.path} is a folder; set recursive to delete it with all in it")
    rows = find_below(world, node)
    check_removable(node, rows)
    check_links(node)
    check_sticky("sticky_folder", node, rows)
    check_unused(node)
    item, freed = store_trashed(world, node, rows)
    return {"path": node.path, "trash_item_id": item, "removed_count": len(rows), "freed_bytes": freed}


@tool("read")
def list_trash(world: World, name: Annotated[str, Field(min_length=1, pattern=r"\S")] | None = None) -> results.Trash:
    """List deleted entries, newest first, with trash_item_id, original path and time of deletion.

    Args:
        name: part of the name, in any case
    """
    items = world.all(DELETED, (name or "").casefold())
    return {"count": len(items), "items": cast(Any, items)}


@tool(
    "write",
    refusals="trash_item_not_found original_folder_gone destination_not_a_folder already_exists permission_denied "
    "broken_link too_many_links quota_exceeded",
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
    item = world.find(TRASH_ITEM, trash_item_id)
    above = item["original_path"].rsplit("/", 1)[0] or "/"
    folder = walk(world, "destination" if destination else "", destination or above)
    if destination is not None:
        check_destination(folder)
    elif folder.kind != "folder" and (folder.stop is None or folder.stop.why != "denied"):
        refuse("original_folder_gone", f"{above} is gone; give another folder as destination, or mkdir it")
    check_free(find_child(world, folder, item["name"]), "move it away or give another folder as destination")
    check_allowed(CHANGE, folder)
    check_links(folder)
    row = world.one(ONE, item["entry_id"])
    assert row is not None, "trash items refer to entries"
    rows = find_below(world, Node(folder.user, item["original_path"], None, **row))
    size = bytes_alone(world, rows)
    check_quota(folder.user, size, len(rows))
    store_usage(world, size, len(rows))
    world.run("UPDATE entry SET parent = ? WHERE entry_id = ?", folder.node_id, item["entry_id"])
    world.update(TRASH_ITEM, trash_item_id, state="restored")
    store_times(world, folder.node_id)
    return {"path": folder.child(item["name"]), "kind": item["kind"], "bytes": bytes_of(rows)}
