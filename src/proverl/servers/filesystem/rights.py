"""Who may do what.

Covers: the user of the session, POSIX permission bits, sticky folders, the modes of new entries. Does not cover: the
right to enter the folders on the way to a node, which paths.py checks as it walks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...errors import Refused
from ...world.world import World
from .nodes import Node

READ: Final = 4
WRITE: Final = 2
ENTER: Final = 1
STICKY: Final = 0o1000
WORDS: Final = {
    READ: "read",
    WRITE: "write to",
    ENTER: "enter",
    READ | ENTER: "list",
    READ | WRITE: "read and write",
    WRITE | ENTER: "change",
}

SETTING: Final = """
SELECT login, primary_group, groups, home, cwd, umask, quota_bytes - used_bytes AS free_bytes,
  quota_entries - used_entries AS free_entries
FROM setting
"""
BITS: Final = """
((CASE WHEN n.owner = s.login THEN n.mode >> 6
       WHEN instr(s.groups, ' ' || n.group_name || ' ') THEN n.mode >> 3
       ELSE n.mode END) & 7)
"""
"""What the user of the setting s may do with a node n, in SQL; `bits_of` is the same in Python."""


@dataclass(frozen=True, slots=True)
class User:
    """The login of the session: its groups, its home and current folder (absolute paths), its umask, its free quota."""

    login: str
    primary_group: str
    groups: tuple[str, ...]
    home: str
    cwd: str
    umask: int
    free_bytes: int
    free_entries: int


def user_of(world: World) -> User:
    """The user of this session."""
    row = world.one(SETTING)
    assert row is not None, "a world has one setting"
    return User(**{**row, "groups": tuple(row["groups"].split())})


def bits_of(user: User, owner: str, group: str, mode: int) -> int:
    """What the user may do with a node: 4 read, 2 write, 1 enter, added up."""
    if owner == user.login:
        return mode >> 6 & 7
    return (mode >> 3 if group in user.groups else mode) & 7


def may(node: Node, bits: int) -> bool:
    """Whether the user has all these rights on a node."""
    return node.bits & bits == bits


def need(node: Node, bits: int) -> None:
    """Refuse with permission_denied unless the user has all these rights on a node."""
    if not may(node, bits):
        raise denied(node, WORDS[bits])


def denied(node: Node, what: str) -> Refused:
    """The refusal of something that a mode forbids."""
    mode = f"mode {octal(node.mode)} of {node.owner}:{node.group}"
    return Refused("permission_denied", f"you may not {what} {node.path} ({mode}); see stat_file and pwd")


def need_owner(user: User, node: Node) -> None:
    """Refuse with not_owner unless the node is the user's own."""
    if node.owner != user.login:
        raise Refused(
            "not_owner", f"{node.path} belongs to {node.owner}, not to {user.login}; only the owner may do this"
        )


def is_kept_by_sticky(user: User, folder: Node, owner: str) -> bool:
    """Whether a sticky folder keeps the user from deleting or moving an entry of this owner."""
    return bool(folder.mode & STICKY) and user.login not in (owner, folder.owner)


def octal(mode: int) -> str:
    """A mode as four octal digits."""
    return f"{mode:04o}"


def new_mode(user: User, kind: str) -> int:
    """The mode of a new file or folder; links have 777, which means nothing."""
    if kind == "link":
        return 0o777
    return (0o777 if kind == "folder" else 0o666) & ~user.umask
