"""Everything below a folder, in one query.

Covers: the rows below a folder, how many bytes go or come with them, how many names a node has. Does not cover: the way
down a path (paths.py).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from proverl.world.domain import Row, World, refuse

from .nodes import LIST, READ, Node

BELOW: Final = """
WITH RECURSIVE below(entry_id, node_id, parent, name, path, depth, kind, open) AS (
  SELECT 0, ?1, NULL, '', '', 0, 'folder', 1
  UNION ALL
  SELECT e.entry_id, e.node_id, e.parent, e.name, b.path || '/' || e.name, b.depth + 1, e.kind,
    e.kind = 'folder' AND (?2 = 0 OR (SELECT n.bits FROM node_now n WHERE n.node_id = e.node_id) & ?2 = ?2)
  FROM below b CROSS JOIN entry e
  WHERE b.open AND e.parent = b.node_id
)
"""
"""The entries below the folder ?1, and it itself as entry 0 at depth 0. Folders that lack a right of ?2 stay closed."""
ALL_BELOW: Final = """
{BELOW}
SELECT b.entry_id, b.node_id, b.parent, b.name, b.path, b.depth, b.kind, n.owner, n.mode, n.size, n.form, n.bits
FROM below b CROSS JOIN node_now n ON n.node_id = b.node_id
ORDER BY b.path
""".replace("{BELOW}", BELOW)
UP: Final = """
WITH RECURSIVE up(node_id, parent) AS (
  SELECT e.node_id, e.parent FROM entry e
  WHERE e.node_id IN (SELECT value FROM json_each(?1)) AND e.entry_id NOT IN (SELECT value FROM json_each(?2))
  UNION ALL
  SELECT up.node_id, e.parent FROM up CROSS JOIN entry e ON e.node_id = up.parent
)
"""
"""The folders above the names of the nodes ?1, without the entries ?2: up to the root (1), or to none in the trash."""
COUNT_NAMES: Final = """
{UP}
SELECT count(*) FROM up WHERE parent = 1
""".replace("{UP}", UP)
BYTES_ELSEWHERE: Final = """
{UP}
SELECT coalesce(sum(size), 0) FROM node WHERE node_id IN (SELECT up.node_id FROM up WHERE up.parent = 1)
""".replace("{UP}", UP)


def find_below(world: World, node: Node | None) -> list[Row]:
    """The node and all below it, the closed folders included, sorted by path; `path` is relative and begins with /.

    Nothing for what is not there.
    """
    if node is None or node.stop is not None:
        return []
    if node.kind == "folder":
        return world.all(ALL_BELOW, node.node_id, 0)
    return [{**node.row, "parent": None, "path": "", "depth": 0}]


def check_readable(node: Node, rows: Sequence[Row]) -> None:
    """Refuse permission_denied unless the user may read all of these rows, which lie below a node."""
    for row in rows:
        if row["kind"] == "folder" and row["bits"] & LIST != LIST:
            refuse("permission_denied", f"you may not list {node.path}{row['path']}, so not take all below it")
        elif row["kind"] == "file" and not row["bits"] & READ:
            refuse("permission_denied", f"you may not read {node.path}{row['path']}; see stat_file")


def bytes_of(rows: Sequence[Row]) -> int:
    """The bytes that these rows hold; what has two names among them counts twice."""
    return sum(row["size"] for row in rows)


def bytes_alone(world: World, rows: Sequence[Row]) -> int:
    """The bytes that these rows hold and that no name elsewhere in the tree leads to."""
    sizes = {row["node_id"]: row["size"] for row in rows}
    own = [row["entry_id"] for row in rows]
    return int(sum(sizes.values()) - world.value(BYTES_ELSEWHERE, json.dumps(list(sizes)), json.dumps(own)))


def count_names(world: World, node: Node) -> int:
    """The number of names in the tree that lead to a node; the root, which has none, counts as one."""
    return max(1, int(world.value(COUNT_NAMES, json.dumps([node.node_id]), "[]")))
