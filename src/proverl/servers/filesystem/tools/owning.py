"""Modes and owners: chmod, chown, set_umask."""

from __future__ import annotations

import json
from typing import Annotated, Final

from ....errors import Refused
from ....world.server import Field, World, tool
from .. import results
from ..paths import find
from ..results import EntryPath
from ..rights import STICKY, need_owner, octal, user_of
from ..walks import OPEN, below

OCTAL: Final = frozenset("01234567")

SET_MODES: Final = """
UPDATE node SET mode = CASE kind WHEN 'folder' THEN ?1 ELSE ?1 & 511 END
WHERE node_id IN (SELECT value FROM json_each(?2))
"""


@tool("write", refusals=["not_found", "not_owner", "permission_denied", "bad_mode", "not_a_folder"], idempotent=True)
def chmod(
    world: World,
    path: EntryPath,
    mode: Annotated[str, Field(max_length=20)],
    recursive: bool = False,
) -> results.ModeSet:
    """Set the mode bits of an entry the user owns, with recursive of all below a folder too. A leading 1 is the sticky
    bit, which only folders can have; with recursive the files below go without it. Links below are left alone.

    Args:
        path: file or folder
        mode: three or four octal digits, such as 640 or 1770
        recursive: true for all below a folder as well; default false
    """
    user = user_of(world)
    node = find(world, user, "path", path)
    need_owner(user, node)
    rows = [row for row in below(world, node) if row["kind"] != "link"] if recursive else []
    for row in rows:
        if row["owner"] != user.login:
            raise Refused(
                "not_owner", f"{node.path}{row['path']} belongs to {row['owner']}; change your own one by one"
            )
    for row in rows:
        if row["kind"] == "folder" and row["bits"] & OPEN != OPEN:
            raise Refused("permission_denied", f"you may not list {node.path}{row['path']}; set its own mode first")
    bits = _mode(mode)
    if bits & STICKY and node.kind != "folder":
        raise Refused("not_a_folder", f"{mode} has the sticky bit, but {node.path} is a {node.kind}; use {mode[-3:]}")
    changed = [row["node_id"] for row in rows] or [node.node_id]
    world.run(SET_MODES, bits, json.dumps(changed))
    return {
        "path": node.path,
        "old_mode": octal(node.mode),
        "mode": octal(bits),
        "changed_count": len(set(changed)),
    }


def _mode(text: str) -> int:
    """Three or four octal digits as a number."""
    if not 3 <= len(text) <= 4 or not set(text) <= OCTAL:
        raise Refused("bad_mode", f"{text!r} is not a mode; write three or four octal digits, such as 640 or 1770")
    if len(text) == 4 and text[0] not in "01":
        raise Refused("bad_mode", f"{text!r}: the digit in front can be 0, or 1 for a sticky folder")
    return int(text, 8)


@tool(
    "write",
    refusals=[
        "not_found",
        "not_owner",
        "permission_denied",
        "unknown_login",
        "unknown_group",
        "not_in_group",
        "nothing_to_change",
    ],
    idempotent=True,
)
def chown(
    world: World,
    path: EntryPath,
    owner: Annotated[str, Field(min_length=1, max_length=40)] | None = None,
    group: Annotated[str, Field(min_length=1, max_length=40)] | None = None,
) -> results.OwnerSet:
    """Hand an entry the user owns to another login, or to a group the user is in. Give at least one of the two. Who
    hands an entry to another login cannot take it back.

    Args:
        path: file or folder
        owner: login of the new owner
        group: new group, one of the user's own
    """
    user = user_of(world)
    node = find(world, user, "path", path)
    need_owner(user, node)
    if owner is not None and world.one("SELECT 1 FROM login WHERE login = ?", owner) is None:
        raise Refused("unknown_login", f"there is no login {owner!r}; ls shows the owners of entries")
    if group is not None and group not in user.groups:
        if world.one("SELECT 1 FROM membership WHERE group_name = ? LIMIT 1", group) is None:
            raise Refused("unknown_group", f"there is no group {group!r}; pwd shows your groups")
        raise Refused("not_in_group", f"{user.login} is not in the group {group!r}; pwd shows your groups")
    new_owner, new_group = owner or node.owner, group or node.group
    if (new_owner, new_group) == (node.owner, node.group):
        raise Refused(
            "nothing_to_change", f"{node.path} belongs to {node.owner}:{node.group}; give another owner or group"
        )
    world.update("node", node.node_id, owner=new_owner, group_name=new_group)
    return {"path": node.path, "owner": new_owner, "group": new_group}


@tool("write", refusals=["bad_mode", "owner_bits_masked"], idempotent=True)
def set_umask(world: World, umask: Annotated[str, Field(max_length=20)]) -> results.UmaskSet:
    """Set the umask, the mode bits that new files and folders will lack.

    Args:
        umask: three octal digits, such as 027
    """
    user = user_of(world)
    if len(umask) != 3 or not set(umask) <= OCTAL:
        raise Refused("bad_mode", f"{umask!r} is not a umask; write three octal digits, such as 027")
    bits = int(umask, 8)
    if bits & 0o700:
        raise Refused("owner_bits_masked", f"{umask!r} would take rights from yourself; begin with 0, such as 027")
    world.update("setting", 1, umask=bits)
    return {"umask": umask, "previous": f"{user.umask:03o}"}
