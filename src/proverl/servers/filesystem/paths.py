"""From the text of a path to a node of the tree.

Covers: relative paths, `.`, `..`, `~`, symbolic links with a limit, and the right to enter each folder on the way.
Does not cover: what may be done with the node that is found, and refusing (rules.py).

A relative path is put behind the path of the current folder, and all paths are walked from the root, with one query
for each stretch of plain names. `..` after a link leads to the parent of the folder that the link leads to, as in
POSIX, and `..` of the root is the root, so no path leaves the tree. Behind a folder that the user may not enter
nothing is there or missing: the walk stops as denied before it can tell. Nearly all paths go straight to something
that is there, or that is missing in a folder that is; one query finds these, and the others are walked step by step.
"""

from __future__ import annotations

from typing import Final, Literal

from proverl.world.domain import Row, World

from .nodes import COLUMNS, ENTER, ROOT, Node, Stop, User, find_user, stand_in

MAX_LINKS: Final = 40

STEPS: Final = """
WITH RECURSIVE step(depth, node_id, entry_id, rest) AS (
  SELECT 0, ?1, NULL, ?2
  UNION ALL
  SELECT s.depth + 1, e.node_id, e.entry_id, substr(s.rest, instr(s.rest, '/') + 1)
  FROM step s JOIN entry e ON e.parent = s.node_id AND e.name = substr(s.rest, 1, instr(s.rest, '/') - 1)
)
SELECT {COLUMNS} FROM step e CROSS JOIN node_now n ON n.node_id = e.node_id ORDER BY e.depth
""".replace("{COLUMNS}", COLUMNS)
STRAIGHT: Final = """
WITH RECURSIVE step(depth, node_id, entry_id, rest) AS (
  SELECT 0, 1, NULL, ?1
  UNION ALL
  SELECT s.depth + 1, e.node_id, e.entry_id, substr(s.rest, instr(s.rest, '/') + 1)
  FROM step s CROSS JOIN node_now n CROSS JOIN entry e
  WHERE n.node_id = s.node_id AND n.bits & 1
    AND e.parent = s.node_id AND e.name = substr(s.rest, 1, instr(s.rest, '/') - 1)
)
SELECT {COLUMNS} FROM step e CROSS JOIN node_now n ON n.node_id = e.node_id WHERE e.depth >= ?2 - 1 ORDER BY e.depth
""".replace("{COLUMNS}", COLUMNS)
"""The last two steps of a path of ?2 names, if it leads through no link and may be walked by the user."""
CHILD: Final = """
SELECT {COLUMNS} FROM entry e CROSS JOIN node_now n ON n.node_id = e.node_id WHERE e.parent = ? AND e.name = ?
""".replace("{COLUMNS}", COLUMNS)


def walk(world: World, argument: str, text: str | None, *, follow: bool = True) -> Node:
    """The node to which the path in an argument leads, by default the current folder; never refuses.

    If the argument is named, notes what the path is in full for the comparison of calls. `follow` says whether a link
    at its very end is followed too. What ends in a slash means a folder, so a file is not there under such a name.
    """
    user = find_user(world)
    path = absolute(user, "." if text is None else text)
    names = _names(path)
    node = _straight(world, user, path, names, text or ".", follow) if names and ".." not in names else None
    node = node or _Walk(world, user, path, names, text or ".", follow).run()
    if text is not None:
        if node.kind == "file" and text.endswith(("/", "/.")):
            node = stand_in(user, path, Stop("missing", text, node, (".",)))
        if argument:
            world.resolves(argument, node.path)
    return node


def find_child(world: World, folder: Node, name: str) -> Node | None:
    """What has this name in a folder, as far as the user may know; a link is not followed."""
    row = world.one(CHILD, folder.node_id, name) if folder.bits & ENTER else None
    return None if row is None else Node(folder.user, folder.child(name), folder, **row)


def absolute(user: User, text: str) -> str:
    """A path from the root without `.` and double slashes; `..` and links are left in it."""
    if text == "~" or text.startswith("~/"):
        text = user.home + text[1:]
    elif not text.startswith("/"):
        text = f"{user.cwd}/{text}"
    return "/" + "/".join(_names(text))


def is_within(path: str, folder: str) -> bool:
    """Whether an absolute path is a folder's own or leads to something below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _names(text: str) -> list[str]:
    return [name for name in text.split("/") if name not in ("", ".")]


def _straight(world: World, user: User, path: str, names: list[str], text: str, follow: bool) -> Node | None:
    """The node of a path without `..` that leads through no link and nothing closed; None for all others."""
    rows = world.all(STRAIGHT, f"{path[1:]}/", len(names))
    if not rows or (follow and rows[-1]["kind"] == "link"):
        return None
    parent = Node(user, path[: -len(names[-1]) - 1] or "/", None, **rows[0])
    if len(rows) == 2:
        return Node(user, path, parent, **rows[1])
    if parent.kind == "folder" and parent.bits & ENTER:
        return stand_in(user, path, Stop("missing", text, parent, (names[-1],)))
    return None


class _Walk:
    """One walk: the trail of names and rows from the root to where it stands now."""

    def __init__(self, world: World, user: User, path: str, names: list[str], text: str, follow: bool) -> None:
        self.world = world
        self.user = user
        self.path = path
        self.text = text
        self.pending = names
        self.follow = follow
        self.typed = len(names)  # how many of the pending names the caller wrote; the others stand in a link
        self.links = 0
        self.trail: list[tuple[str, Row]] = []

    def run(self) -> Node:
        while True:
            cut = self.pending.index("..") if ".." in self.pending else len(self.pending)
            stretch, later = self.pending[:cut], self.pending[cut:]
            start = self.trail[-1][1]["node_id"] if self.trail else ROOT
            found = self.world.all(STEPS, start, "".join(f"{name}/" for name in stretch))
            if not self.trail:
                self.trail.append(("", found[0]))
            stop = self._along(stretch, later, found[1:])
            if stop is not None:
                return stand_in(self.user, self.path, stop)
            if not self.pending:
                return self.here()

    def _along(self, stretch: list[str], later: list[str], rows: list[Row]) -> Stop | None:
        """Go along plain names, then up once if `..` comes after them; a link on the way sets new names to go."""
        for position, name in enumerate(stretch):
            left = stretch[position:] + later
            stop = self._blocked(left)
            if stop is not None:
                return stop
            if position == len(rows):
                return self._gone(left)
            row, left = rows[position], left[1:]
            if row["kind"] == "link" and (left or self.follow):
                return self._hop(row["target"], left)
            self.trail.append((name, row))
        self.pending = later[1:]
        if later:
            stop = self._blocked(later)
            if len(self.trail) > 1:
                self.trail.pop()
            return stop
        return None

    def _blocked(self, left: list[str]) -> Stop | None:
        """What keeps the walk from going on below where it stands."""
        row = self.trail[-1][1]
        if row["kind"] != "folder":
            return self._gone(left)
        return None if row["bits"] & ENTER else self._stop("denied", left)

    def _gone(self, left: list[str]) -> Stop:
        return self._stop("dangling" if len(left) > self.typed else "missing", left)

    def _stop(self, why: Literal["missing", "denied", "dangling", "loop"], left: list[str]) -> Stop:
        return Stop(why, self.text, self.here(), tuple(left))

    def _hop(self, target: str, left: list[str]) -> Stop | None:
        self.links += 1
        if self.links > MAX_LINKS:
            return self._stop("loop", left)
        self.typed = min(self.typed, len(left))
        if target.startswith("/"):
            del self.trail[1:]
        self.pending = _names(target) + left
        return None

    def here(self) -> Node:
        """The node at which the walk stands."""
        names = [name for name, _ in self.trail[1:]]
        row = self.trail[-1][1]
        if len(self.trail) == 1:
            return Node(self.user, "/", None, **row, links=self.links)
        parent = Node(self.user, "/" + "/".join(names[:-1]), None, **self.trail[-2][1])
        return Node(self.user, "/" + "/".join(names), parent, **row, links=self.links)
