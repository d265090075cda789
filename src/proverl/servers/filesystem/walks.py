"""Everything below a folder, in one query.

Covers: the rows below a folder, how many bytes would go or come with them, whether a folder lies below another one.
Does not cover: the way down a path (paths.py).
"""

from __future__ import annotations

import json
from typing import Any, Final

from ...errors import Refused
from ...world.world import World
from .nodes import Node
from .paths import ROOT
from .rights import BITS, ENTER, READ, STICKY, WRITE, User, denied

Row = dict[str, Any]

OPEN: Final = READ | ENTER
"""What a folder must allow for its entries to be seen."""

BELOW: Final = """
WITH RECURSIVE below(entry_id, node_id, parent, name, path, depth, kind, open) AS (
  SELECT NULL, ?1, NULL, '', '', 0, 'folder', 1
  UNION ALL
  SELECT e.entry_id, e.node_id, e.parent, e.name, b.path || '/' || e.name, b.depth + 1, e.kind,
    e.kind = 'folder' AND (?2 = 0 OR
      (SELECT {BITS} FROM node n CROSS JOIN setting s WHERE n.node_id = e.node_id) & ?2 = ?2)
  FROM below b CROSS JOIN entry e
  WHERE b.open AND e.parent = b.node_id
)
""".replace("{BITS}", BITS)
"""The entries below the folder ?1, and the folder itself at depth 0. Folders that lack a right of ?2 stay closed."""

ALL_BELOW: Final = (
    BELOW
    + """
SELECT b.entry_id, b.node_id, b.parent, b.name, b.path, b.depth, b.kind, n.owner, n.mode, n.size, n.form,
  {BITS} AS bits
FROM setting s CROSS JOIN below b CROSS JOIN node n ON n.node_id = b.node_id
ORDER BY b.path
""".replace("{BITS}", BITS)
)

NAMES: Final = """
SELECT e.node_id, e.entry_id FROM entry e
WHERE e.node_id IN (SELECT value FROM json_each(?1))
ORDER BY e.node_id, e.entry_id
"""

LIVES: Final = """
WITH RECURSIVE up(parent) AS (
  SELECT e.parent FROM entry e WHERE e.entry_id = ?1
  UNION ALL
  SELECT e.parent FROM up JOIN entry e ON e.node_id = up.parent WHERE up.parent <> 1
)
SELECT 1 FROM up WHERE parent = 1
"""


def below(world: World, node: Node) -> list[Row]:
    """The node and all below it, the closed folders included, sorted by path; `path` is relative and begins with /."""
    rows = world.all(ALL_BELOW, node.node_id, 0) if node.kind == "folder" else []
    return rows or [
        {
            "entry_id": node.entry_id,
            "node_id": node.node_id,
            "parent": None,
            "name": node.name,
            "path": "",
            "depth": 0,
            "kind": node.kind,
            "owner": node.owner,
            "mode": node.mode,
            "size": node.size,
            "form": node.form,
            "bits": node.bits,
        }
    ]


def need_all(node: Node, rows: list[Row]) -> None:
    """Refuse with permission_denied unless the user may read all of these rows, which lie below a node."""
    for row in rows:
        if row["kind"] == "folder" and row["bits"] & OPEN != OPEN:
            raise Refused("permission_denied", f"you may not list {node.path}{row['path']}, so not take all below it")
        if row["kind"] == "file" and not row["bits"] & READ:
            raise Refused("permission_denied", f"you may not read {node.path}{row['path']}; see stat_file")


def need_removable(user: User, node: Node, rows: list[Row], sticky: str) -> None:
    """Refuse unless the user may take away a node with all below it: permission_denied, or the code `sticky`."""
    folder = node.parent
    assert folder is not None, "the root is refused before"
    if folder.bits & (WRITE | ENTER) != WRITE | ENTER:
        raise denied(folder, "change")
    folders = {row["node_id"]: row for row in rows if row["kind"] == "folder"}
    for row in rows[1:]:
        if folders[row["parent"]]["bits"] & (WRITE | ENTER) != WRITE | ENTER:
            above = (node.path + row["path"]).rsplit("/", 1)[0]
            raise Refused("permission_denied", f"you may not change {above}, which lies below {node.path}")
    kept = [node.path] if folder.mode & STICKY and user.login not in (node.owner, folder.owner) else []
    for row in rows[1:]:
        above_row = folders[row["parent"]]
        if above_row["mode"] & STICKY and user.login not in (row["owner"], above_row["owner"]):
            kept.append(node.path + row["path"])
    if kept:
        raise Refused(sticky, f"{kept[0]} belongs to another login and lies in a sticky folder; ask its owner")


def bytes_alone(world: World, rows: list[Row]) -> int:
    """The bytes that these rows hold and that no name elsewhere in the tree leads to."""
    sizes = {row["node_id"]: row["size"] for row in rows}
    own = {row["entry_id"] for row in rows}
    files = [row["node_id"] for row in rows if row["kind"] == "file"]
    for name in world.all(NAMES, json.dumps(files)) if files else ():
        if name["entry_id"] not in own and lives(world, name["entry_id"]):
            sizes.pop(name["node_id"], None)
    return sum(sizes.values())


def lives(world: World, entry_id: int) -> bool:
    """Whether an entry is in the tree, and neither in the trash nor below a folder in the trash."""
    return world.value(LIVES, entry_id) is not None


def link_count(world: World, node: Node) -> int:
    """The number of names in the tree that lead to a node; a folder has one."""
    if node.kind == "folder":
        return 1
    names = world.all("SELECT entry_id FROM entry WHERE node_id = ? ORDER BY entry_id", node.node_id)
    return sum(lives(world, name["entry_id"]) for name in names) if len(names) > 1 else 1


def is_within(path: str, folder: str) -> bool:
    """Whether an absolute path is a folder's own or leads to something below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def in_use(user: User, node: Node) -> bool:
    """Whether a node is the current folder or holds it."""
    return node.node_id == ROOT or is_within(user.cwd, node.path)
