"""Modes and owners: chmod, chown, set_umask."""

from __future__ import annotations

import re
from typing import Annotated, Final

from proverl.world.domain import Field, World, refuse, tool

from .. import results
from ..below import find_below
from ..changes import store_modes
from ..nodes import LIST, STICKY, find_user, octal
from ..paths import walk
from ..results import EntryPath
from ..rules import check_allowed, check_found, check_links, check_owner

MODE: Final = re.compile("[0-7]{3,4}")
UMASK: Final = re.compile("[0-7]{3}")


@tool(
    "write",
    refusals="not_found not_owner permission_denied broken_link too_many_links bad_mode not_a_folder",
    idempotent=True,
    unechoed={"recursive": "changed_count says what was changed"},
)
def chmod(world: World, path: EntryPath, mode: str, recursive: bool = False) -> results.ModeSet:
    """Set the mode bits of an entry the user owns, with recursive of all below a folder too. A leading 1 is the sticky
    bit, which only folders can have; with recursive the files below go without it. Links below are left alone.

    Args:
        path: file or folder
        mode: three or four octal digits, such as 640 or 1770
        recursive: true for all below a folder as well; default false
    """
    node = walk(world, "path", path)
    check_found("not_found", node)
    check_owner(node)
    rows = [row for row in find_below(world, node) if row["kind"] != "link"] if recursive else []
    for row in rows:
        if row["owner"] != node.user.login:
            whose = f"{node.path}{row['path']} belongs to {row['owner']}"
            refuse("not_owner", f"{whose}; change your own one by one")
    for row in rows:
        if row["kind"] == "folder" and row["bits"] & LIST != LIST:
            refuse("permission_denied", f"you may not list {node.path}{row['path']}; set its own mode first")
    check_allowed(0, node)
    check_links(node)
    check_mode(mode)
    bits = int(mode, 8)
    if bits & STICKY and node.kind == "file":
        refuse("not_a_folder", f"{mode} has the sticky bit, but {node.path} is a file; use {mode[-3:]}")
    changed = [row["node_id"] for row in rows] or [node.node_id]
    store_modes(world, bits, changed)
    return {"path": node.path, "old_mode": octal(node.mode), "mode": octal(bits), "changed_count": len(set(changed))}


def check_mode(text: str) -> None:
    """Refuse bad_mode: what is not three or four octal digits, or begins with another bit than the sticky one."""
    if MODE.fullmatch(text) is None:
        refuse("bad_mode", f"{text[:20]!r} is not a mode; write three or four octal digits, such as 640 or 1770")
    if len(text) == 4 and text[0] not in "01":
        refuse("bad_mode", f"{text[:20]!r}: the digit in front can be 0, or 1 for a sticky folder")


@tool(
    "write",
    refusals="not_found not_owner permission_denied broken_link too_many_links unknown_login unknown_group "
    "not_in_group nothing_to_change",
    idempotent=True,
)
def chown(
    world: World,
    path: EntryPath,
    owner: Annotated[str, Field(min_length=1)] | None = None,
    group: Annotated[str, Field(min_length=1)] | None = None,
) -> results.OwnerSet:
    """Hand an entry the user owns to another login, or to a group the user is in. Give at least one of the two. Who
    hands an entry to another login cannot take it back.

    Args:
        path: file or folder
        owner: login of the new owner
        group: new group, one of the user's own
    """
    node = walk(world, "path", path)
    check_found("not_found", node)
    check_owner(node)
    check_allowed(0, node)
    check_links(node)
    if owner is not None and world.one("SELECT 1 FROM login WHERE login = ?", owner) is None:
        refuse("unknown_login", f"there is no login {owner[:40]!r}; ls shows the owners of entries")
    if group is not None and world.one("SELECT 1 FROM membership WHERE group_name = ? LIMIT 1", group) is None:
        refuse("unknown_group", f"there is no group {group[:40]!r}; pwd shows your groups")
    elif group is not None and f" {group} " not in node.user.groups:
        refuse("not_in_group", f"{node.user.login} is not in the group {group!r}; pwd shows your groups")
    new_owner, new_group = owner or node.owner, group or node.group
    if (new_owner, new_group) == (node.owner, node.group):
        have = f"{node.path} belongs to {node.owner}:{node.group}"
        refuse("nothing_to_change", f"{have}; give another owner or group")
    world.run("UPDATE node SET owner = ?, group_name = ? WHERE node_id = ?", new_owner, new_group, node.node_id)
    return {"path": node.path, "owner": new_owner, "group": new_group}


@tool("write", refusals="bad_mode owner_bits_masked", idempotent=True)
def set_umask(world: World, umask: str) -> results.UmaskSet:
    """Set the umask, the mode bits that new files and folders will lack.

    Args:
        umask: three octal digits, such as 027
    """
    if UMASK.fullmatch(umask) is None:
        refuse("bad_mode", f"{umask[:20]!r} is not a umask; write three octal digits, such as 027")
    bits = int(umask, 8)
    if bits & 0o700:
        refuse("owner_bits_masked", f"{umask!r} would take rights from yourself; begin with 0, such as 027")
    previous = find_user(world).umask
    world.run("UPDATE setting SET umask = ?", bits)
    return {"umask": umask, "previous": f"{previous:03o}"}
