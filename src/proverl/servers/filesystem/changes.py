"""Changes of the tree: new entries, copies, other texts, the trash, and the quota that they share.

Covers: the rows behind these changes, in tools and in the histories of seeds alike. Does not cover: whether the user
may make them, which every tool settles first (rules.py).

An entry never loses its row: it moves by getting another parent, and lies in the trash when it has none. What the trash
holds does not count for the quota.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from proverl.world.domain import Row, World, folded

from .below import bytes_alone
from .nodes import Node, User, new_mode
from .results import TRASH_ITEM

TRASH_KEEPS: Final = 50

ADD_NODES: Final = """
INSERT INTO node (node_id, kind, owner, group_name, mode, modified, size, form, target, content)
SELECT v.value ->> 0, v.value ->> 3, ?2, ?3, v.value ->> 4, ?4, v.value ->> 5, v.value ->> 6,
  CASE v.value ->> 3 WHEN 'link' THEN coalesce(n.target, v.value ->> 7) END,
  CASE v.value ->> 3 WHEN 'file' THEN coalesce(n.content, v.value ->> 7) END
FROM json_each(?1) v LEFT JOIN node n ON n.node_id = v.value ->> 8
"""
ADD_ENTRIES: Final = """
INSERT INTO entry (entry_id, parent, name, node_id, kind)
SELECT v.value ->> 0, v.value ->> 1, v.value ->> 2, v.value ->> 0, v.value ->> 3 FROM json_each(?1) v
"""

SET_MODES: Final = """
UPDATE node SET mode = CASE kind WHEN 'folder' THEN ?1 ELSE ?1 & 511 END
WHERE node_id IN (SELECT value FROM json_each(?2))
"""


class New(NamedTuple):
    """An entry to be created: `text` is a file's content or a link's target, `source` the node that it is a copy of.

    `parent` is the node of a folder; where that folder is new itself, the negative of its place in the same list (0 is
    the first).
    """

    parent: int
    name: str
    kind: str
    text: str = ""
    form: str = ""
    size: int = 0
    source: int | None = None


def text_file(parent: int, name: str, text: str) -> New:
    """A new text file."""
    return New(parent, name, "file", text, "text", len(text.encode()))


def store_usage(world: World, size: int, entries: int, numbers: int = 0) -> int:
    """Count bytes and entries in, or out where negative; returns the first of so many new numbers."""
    world.run(
        "UPDATE setting SET used_bytes = used_bytes + ?, used_entries = used_entries + ?,"
        " last_number = last_number + ?",
        size,
        entries,
        numbers,
    )
    return int(world.value("SELECT last_number FROM setting")) - numbers + 1 if numbers else 0


def store_times(world: World, *nodes: int) -> None:
    """Set the modification time of files that changed, and of folders in which entries came or went."""
    for node in dict.fromkeys(nodes):
        world.run("UPDATE node SET modified = ? WHERE node_id = ?", world.moment, node)


def store_new(world: World, user: User, new: Sequence[New]) -> int:
    """Create entries with their nodes; returns the number of the first. The caller has asked `check_quota`."""
    first = store_usage(world, sum(item.size for item in new), len(new), len(new))
    rows = []
    for number, item in enumerate(new, first):
        parent = item.parent if item.parent > 0 else first - item.parent
        node = [new_mode(user, item.kind), item.size, item.form, item.text, item.source]
        rows.append([number, parent, item.name, item.kind, *node])
    packed = json.dumps(rows)
    world.run(ADD_NODES, packed, user.login, user.primary_group, world.moment)
    world.run(ADD_ENTRIES, packed)
    store_times(world, *(item.parent for item in new if item.parent > 0))
    return first


def copies(rows: Sequence[Row], folder: int, name: str) -> list[New]:
    """The entries of a copy of rows (the first is the top, then all below it) in a folder."""
    places = {row["node_id"]: -place for place, row in enumerate(rows) if row["kind"] == "folder"}
    tops = [(folder, name), *((places[row["parent"]], row["name"]) for row in rows[1:])]
    return [
        New(parent, new_name, row["kind"], "", row["form"], row["size"], row["node_id"])
        for (parent, new_name), row in zip(tops, rows, strict=True)
    ]


def store_name(world: World, node: int, kind: str, folder: int, name: str) -> None:
    """Give a node a further name: a hard link."""
    number = store_usage(world, 0, 1, 1)
    world.insert("entry", entry_id=number, parent=folder, name=name, node_id=node, kind=kind)
    store_times(world, folder)


def store_modes(world: World, mode: int, nodes: Sequence[int]) -> None:
    """Give nodes a mode; files go without the sticky bit."""
    world.run(SET_MODES, mode, json.dumps(nodes))


def store_text(world: World, node: Node, text: str) -> int:
    """Give a text file another content; returns its bytes."""
    size = len(text.encode())
    world.run("UPDATE node SET content = ?, size = ? WHERE node_id = ?", text, size, node.node_id)
    store_times(world, node.node_id)
    store_usage(world, size - node.size, 0)
    return size


def store_trashed(world: World, node: Node, rows: Sequence[Row]) -> tuple[str, int]:
    """Move a node with all below it into the trash; returns the trash item and the bytes that are free again."""
    freed = bytes_alone(world, rows)
    number = store_usage(world, -freed, -len(rows), 1)
    item = world.add(
        TRASH_ITEM,
        entry_id=node.entry_id,
        original_path=node.path,
        searched=folded(node.name),
        deleted_at=world.moment,
        number=number,
        state="held",
    )
    world.run("UPDATE entry SET parent = NULL WHERE entry_id = ?", node.entry_id)
    store_times(world, node.folder.node_id)
    world.run(
        "UPDATE trash_item SET state = 'dropped' WHERE state = 'held' AND number < "
        "(SELECT number FROM trash_item WHERE state = 'held' ORDER BY number DESC LIMIT 1 OFFSET ?)",
        TRASH_KEEPS - 1,
    )
    return item, freed


def store_removed(world: World, node: Node) -> None:
    """Remove an empty folder for good."""
    store_usage(world, 0, -1)
    world.run("DELETE FROM entry WHERE entry_id = ?", node.entry_id)
    world.run("DELETE FROM node WHERE node_id = ?", node.node_id)
    store_times(world, node.folder.node_id)
