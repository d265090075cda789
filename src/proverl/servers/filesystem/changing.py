"""Changes of the tree: new entries, copies, entries that move, the trash, and the quota that they share.

Covers: the rows behind these changes, and quota_exceeded. Does not cover: whether the user may make them (rights.py,
walks.py), which every tool settles first.

An entry never loses its row: it moves by getting another parent, and lies in the trash when it has none. What the trash
holds does not count for the quota.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...errors import Refused
from ...world.values import iso
from ...world.world import World
from .nodes import Node
from .rights import User, new_mode
from .walks import bytes_alone

Row = dict[str, Any]

TRASH_KEEPS: Final = 50

ADD_NODES: Final = """
INSERT INTO node (node_id, kind, owner, group_name, mode, modified, size, form, target, content)
SELECT v.value ->> 0, v.value ->> 1, ?2, ?3, v.value ->> 2, ?4, v.value ->> 3, v.value ->> 4, v.value ->> 5,
  v.value ->> 6
FROM json_each(?1) v
"""
COPY_NODES: Final = """
INSERT INTO node (node_id, kind, owner, group_name, mode, modified, size, form, target, content)
SELECT v.value ->> 1, n.kind, ?2, ?3, v.value ->> 2, ?4, n.size, n.form, n.target, n.content
FROM json_each(?1) v CROSS JOIN node n ON n.node_id = v.value ->> 0
"""
ADD_ENTRIES: Final = """
INSERT INTO entry (entry_id, parent, name, node_id, kind)
SELECT v.value ->> 0, v.value ->> 1, v.value ->> 2, v.value ->> 0, v.value ->> 3 FROM json_each(?1) v
"""


@dataclass(frozen=True, slots=True)
class New:
    """An entry to be created.

    `parent` is the node of a folder; where that folder is new itself, the negative of its place in the same list (-1 is
    the first).
    """

    parent: int
    name: str
    kind: str
    text: str = ""
    form: str = ""
    size: int = 0


def text_file(parent: int, name: str, text: str) -> New:
    """A new text file."""
    return New(parent, name, "file", text, "text", len(text.encode()))


def link(parent: int, name: str, target: str) -> New:
    """A new symbolic link."""
    return New(parent, name, "link", target, "", len(target.encode()))


def need_quota(user: User, size: int, entries: int) -> None:
    """Refuse with quota_exceeded unless so many more bytes and entries fit."""
    if size > user.free_bytes:
        raise Refused(
            "quota_exceeded", f"{size} bytes more are needed, {user.free_bytes} are free; delete something (rm)"
        )
    if entries > user.free_entries:
        more = f"{entries} more entries are needed, {user.free_entries} are free"
        raise Refused("quota_exceeded", f"{more}; delete something (rm)")


def charge(world: World, size: int, entries: int, numbers: int = 0) -> int:
    """Count bytes and entries in, or out where negative; returns the first of so many new numbers."""
    world.run(
        "UPDATE setting SET used_bytes = used_bytes + ?, used_entries = used_entries + ?, last_number = last_number + ?"
        " WHERE setting_id = 1",
        size,
        entries,
        numbers,
    )
    return int(world.value("SELECT last_number FROM setting")) - numbers + 1 if numbers else 0


def stamp(world: World, folders: Iterable[int]) -> None:
    """Set the modification time of folders in which entries came or went."""
    for folder in sorted(set(folders)):
        world.update("node", folder, modified=iso(world.now))


def create(world: World, user: User, new: Sequence[New]) -> None:
    """Create entries with their nodes. The caller has asked `need_quota`."""
    first = charge(world, sum(item.size for item in new), len(new), len(new))
    now = iso(world.now)
    if len(new) == 1:
        _create_one(world, user, new[0], first, now)
        return
    nodes, entries = [], []
    for number, item in enumerate(new, first):
        is_link = item.kind == "link"
        content = None if item.kind != "file" else item.text
        mode = new_mode(user, item.kind)
        nodes.append([number, item.kind, mode, item.size, item.form, item.text if is_link else None, content])
        parent = item.parent if item.parent > 0 else first - item.parent - 1
        entries.append([number, parent, item.name, item.kind])
    world.run(ADD_NODES, json.dumps(nodes), user.login, user.primary_group, now)
    world.run(ADD_ENTRIES, json.dumps(entries))
    stamp(world, (item.parent for item in new if item.parent > 0))


def _create_one(world: World, user: User, item: New, number: int, now: str) -> None:
    """The same for a single entry, which is what most tools create, without the cost of the lists."""
    world.insert(
        "node",
        node_id=number,
        kind=item.kind,
        owner=user.login,
        group_name=user.primary_group,
        mode=new_mode(user, item.kind),
        modified=now,
        size=item.size,
        form=item.form,
        target=item.text if item.kind == "link" else None,
        content=item.text if item.kind == "file" else None,
    )
    world.insert("entry", entry_id=number, parent=item.parent, name=item.name, node_id=number, kind=item.kind)
    world.update("node", item.parent, modified=now)


def copy(world: World, user: User, rows: list[Row], folder: Node, name: str) -> int:
    """Copy rows (the first is the top, then all below it) into a folder; returns the bytes of the copies."""
    size = sum(row["size"] for row in rows)
    first = charge(world, size, len(rows), len(rows))
    fresh = {row["node_id"]: number for number, row in enumerate(rows, first) if row["kind"] == "folder"}
    nodes = [[row["node_id"], number, new_mode(user, row["kind"])] for number, row in enumerate(rows, first)]
    entries = [[first, folder.node_id, name, rows[0]["kind"]]]
    entries.extend(
        [number, fresh[row["parent"]], row["name"], row["kind"]] for number, row in enumerate(rows[1:], first + 1)
    )
    world.run(COPY_NODES, json.dumps(nodes), user.login, user.primary_group, iso(world.now))
    world.run(ADD_ENTRIES, json.dumps(entries))
    stamp(world, [folder.node_id])
    return int(size)


def set_text(world: World, node: Node, text: str) -> int:
    """Give a text file another content; returns its bytes."""
    size = len(text.encode())
    world.update("node", node.node_id, content=text, size=size, modified=iso(world.now))
    charge(world, size - node.size, 0)
    return size


def discard(world: World, node: Node, rows: list[Row]) -> tuple[str, int]:
    """Move a node with all below it into the trash; returns the trash item and the bytes that are free again."""
    assert node.parent is not None, "the root is refused before"
    freed = bytes_alone(world, rows)
    number = charge(world, -freed, -len(rows), 1)
    item = world.new_id("tsh")
    world.insert(
        "trash_item",
        trash_item_id=item,
        entry_id=node.entry_id,
        original_path=node.path,
        deleted_at=iso(world.now),
        number=number,
        state="held",
    )
    world.update("entry", node.entry_id or 0, parent=None)
    stamp(world, [node.parent.node_id])
    world.run(
        "UPDATE trash_item SET state = 'dropped' WHERE state = 'held' AND number < "
        "(SELECT number FROM trash_item WHERE state = 'held' ORDER BY number DESC LIMIT 1 OFFSET ?)",
        TRASH_KEEPS - 1,
    )
    return item, freed
