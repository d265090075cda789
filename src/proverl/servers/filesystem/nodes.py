"""What a path leads to, and who asks.

Covers: the user of the session, permission bits, `Node` with what stopped a walk. Does not cover: how a node is found
(paths.py), what may be done with it (rules.py).
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from proverl.world.domain import Row, World

ROOT: Final = 1
READ: Final = 4
WRITE: Final = 2
ENTER: Final = 1
LIST: Final = READ | ENTER
"""What a folder must allow for its entries to be seen."""
CHANGE: Final = WRITE | ENTER
"""What a folder must allow for entries to come and go."""
ALL: Final = READ | WRITE | ENTER
STICKY: Final = 0o1000

SETTING: Final = """
SELECT login, primary_group, groups, home, cwd, umask, quota_bytes - used_bytes AS free_bytes,
  quota_entries - used_entries AS free_entries
FROM setting
"""
COLUMNS: Final = (
    'e.entry_id, n.node_id, n.kind, n.owner, n."group", n.mode, n.modified, n.size, n.form, n.target, n.bits'
)
"""What a node is made of, from a row n of node_now and an entry e that leads to it."""


class User(NamedTuple):
    """The login of the session: its groups with a blank around each, absolute paths, umask, what the quota has left."""

    login: str
    primary_group: str
    groups: str
    home: str
    cwd: str
    umask: int
    free_bytes: int
    free_entries: int


def find_user(world: World) -> User:
    """The user of this session."""
    row = world.one(SETTING)
    assert row is not None, "a world has one setting"
    return User(**row)


def new_mode(user: User, kind: str) -> int:
    """The mode of a new file or folder; links have 777, which means nothing."""
    return 0o777 if kind == "link" else (0o777 if kind == "folder" else 0o666) & ~user.umask


def octal(mode: int) -> str:
    """A mode as four octal digits."""
    return f"{mode:04o}"


class Node(NamedTuple):
    """A file, folder or link that a path leads to; `path` is absolute and goes through no link.

    `parent` is the folder in which the name stands (whose own `parent` is left out); the root has none, nor an
    `entry_id`. `bits` says what the user may do with the node, `links` how many links the walk followed.

    Where `stop` is set the path leads to nothing: the node stands for what is not there, has no kind and all rights,
    and passes every check but those for the reason of its stop. Its `parent` is set if only its own name is missing.
    """

    user: User
    path: str
    parent: Node | None
    entry_id: int | None
    node_id: int
    kind: Literal["file", "folder", "link", ""]
    owner: str
    group: str
    mode: int
    modified: str
    size: int
    form: str
    target: str | None
    bits: int
    links: int = 0
    stop: Stop | None = None

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[1] or "/"

    @property
    def folder(self) -> Node:
        """Where the name stands or would stand; the node itself for the root, and where no folder was found."""
        return self.parent or self

    @property
    def row(self) -> Row:
        """What is known of it, by name."""
        return self._asdict()

    def child(self, name: str) -> str:
        """The path of an entry of this folder."""
        return f"{self.path.rstrip('/')}/{name}"


class Stop(NamedTuple):
    """Why a path, as it was written, leads nowhere: what stopped the walk at which node, and the names left to go."""

    why: Literal["missing", "denied", "dangling", "loop"]
    text: str
    at: Node
    rest: tuple[str, ...]


def stand_in(user: User, path: str, stop: Stop) -> Node:
    """The node for a path that leads nowhere."""
    at, rest = stop.at, stop.rest
    parent = None
    if stop.why == "missing" and at.kind == "folder" and ".." not in rest:
        path = at.child("/".join(rest))
        parent = at if len(rest) == 1 else None
    own, group = user.login, user.primary_group
    return Node(user, path, parent, None, 0, "", own, group, 0, "", 0, "text", None, ALL, 0, stop)
