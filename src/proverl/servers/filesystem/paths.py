"""From the text of a path to a node of the tree.

Covers: relative paths, `.`, `..`, `~`, symbolic links with a limit, and the right to enter each folder on the way.
Does not cover: what may be done with the node that is found (rights.py).

A relative path is put behind the path of the current folder, and all paths are walked from the root, with one query
for each stretch of plain names. `..` after a link leads to the parent of the folder that the link leads to, as in
POSIX, and `..` of the root is the root, so no path leaves the tree. Behind a folder that the user may not enter
nothing is there or missing: the walk ends with permission_denied before it can tell. Nearly all paths go straight to
something that is there; one query finds these, and what it does not find is walked step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from ...errors import Refused
from ...world.world import World
from .nodes import Node
from .rights import ENTER, User, bits_of

ROOT: Final = 1
MAX_LINKS: Final = 40
MAX_NAME: Final = 255

STEPS: Final = """
WITH RECURSIVE step(depth, node_id, entry_id, rest) AS (
  SELECT 0, ?1, NULL, ?2
  UNION ALL
  SELECT s.depth + 1, e.node_id, e.entry_id, substr(s.rest, instr(s.rest, '/') + 1)
  FROM step s JOIN entry e ON e.parent = s.node_id AND e.name = substr(s.rest, 1, instr(s.rest, '/') - 1)
  WHERE s.rest <> ''
)
SELECT s.entry_id, n.node_id, n.kind, n.owner, n.group_name, n.mode, n.modified, n.size, n.form, n.target
FROM step s JOIN node n ON n.node_id = s.node_id
ORDER BY s.depth
"""

STRAIGHT: Final = """
WITH RECURSIVE step(depth, node_id, entry_id, rest) AS (
  SELECT 0, 1, NULL, ?1
  UNION ALL
  SELECT s.depth + 1, e.node_id, e.entry_id, substr(s.rest, instr(s.rest, '/') + 1)
  FROM step s CROSS JOIN node n CROSS JOIN entry e
  WHERE s.rest <> '' AND n.node_id = s.node_id AND 1 & CASE
      WHEN n.owner = ?3 THEN n.mode >> 6 WHEN instr(?4, ' ' || n.group_name || ' ') THEN n.mode >> 3 ELSE n.mode END
    AND e.parent = s.node_id AND e.name = substr(s.rest, 1, instr(s.rest, '/') - 1)
)
SELECT s.entry_id, n.node_id, n.kind, n.owner, n.group_name, n.mode, n.modified, n.size, n.form, n.target
FROM step s CROSS JOIN node n ON n.node_id = s.node_id
WHERE s.depth >= ?2 - 1
ORDER BY s.depth
"""
"""The last two steps of a path of ?2 names, if it leads through no link and may be walked by the user."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a path leads nowhere: what stopped the walk at which node, and the names that were left."""

    why: Literal["missing", "denied", "dangling", "loop"]
    text: str
    at: Node
    rest: tuple[str, ...]

    def refusal(self, missing: str, broken: str, loop: str) -> Refused:
        """The refusal, under the codes that a tool has for names that are not there and for bad links."""
        if self.why == "denied":
            return Refused("permission_denied", f"{self.text!r}: you may not enter {self.at.path}; see stat_file")
        if self.why == "loop":
            return Refused(loop, f"{self.text!r} leads through more than {MAX_LINKS} links; stat_file shows a target")
        if self.why == "dangling":
            gone = f"there is no {self.at.child('/'.join(self.rest))}"
            return Refused(broken, f"{self.text!r} is a broken link: {gone}; stat_file shows its target")
        if self.at.kind != "folder":
            return Refused(missing, f"{self.text!r}: {self.at.path} is a {self.at.kind}, so nothing is in it; see ls")
        where = f"there is no {self.rest[0]!r} in {self.at.path}"
        return Refused(missing, f"{self.text!r}: {where}; ls and find_files show what there is")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is to be created: a name in a folder, and what stands there already.

    `folder` is None where no folder was found to hold the name, for the reason in `obstacle`.
    """

    text: str
    path: str
    name: str
    folder: Node | None
    there: Node | None
    obstacle: Obstacle | None = None


def absolute(user: User, text: str) -> str:
    """A path from the root without `.` and double slashes; `..` and links are left in it."""
    if text == "~" or text.startswith("~/"):
        text = user.home + text[1:]
    elif not text.startswith("/"):
        text = f"{user.cwd}/{text}"
    return "/" + "/".join(_names(text))


def _names(text: str) -> list[str]:
    return [name for name in text.split("/") if name not in ("", ".")]


class _Walk:
    """One walk: the trail of names and rows from the root to where it stands now."""

    def __init__(self, world: World, user: User, text: str, pending: list[str], follow: bool) -> None:
        self.world = world
        self.user = user
        self.text = text
        self.pending = pending
        self.follow = follow
        self.typed = len(pending)  # how many of the pending names the caller wrote; the others stand in a link
        self.links = 0
        self.trail: list[tuple[str, Row]] = []

    def run(self) -> Node | Obstacle:
        while True:
            cut = self.pending.index("..") if ".." in self.pending else len(self.pending)
            stretch, later = self.pending[:cut], self.pending[cut:]
            start = self.trail[-1][1]["node_id"] if self.trail else ROOT
            found = self.world.all(STEPS, start, "".join(f"{name}/" for name in stretch))
            if not self.trail:
                self.trail.append(("", found[0]))
            stop = self._along(stretch, later, found[1:])
            if stop is not None:
                return stop
            if not self.pending:
                return self.here()

    def _along(self, stretch: list[str], later: list[str], rows: list[Row]) -> Obstacle | None:
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

    def _blocked(self, left: list[str]) -> Obstacle | None:
        """What keeps the walk from going on below where it stands."""
        row = self.trail[-1][1]
        if row["kind"] != "folder":
            return self._gone(left)
        may_enter = bits_of(self.user, row["owner"], row["group_name"], row["mode"]) & ENTER
        return None if may_enter else Obstacle("denied", self.text, self.here(), tuple(left))

    def _gone(self, left: list[str]) -> Obstacle:
        why: Literal["missing", "dangling"] = "dangling" if len(left) > self.typed else "missing"
        return Obstacle(why, self.text, self.here(), tuple(left))

    def _hop(self, target: str, left: list[str]) -> Obstacle | None:
        self.links += 1
        if self.links > MAX_LINKS:
            return Obstacle("loop", self.text, self.here(), tuple(left))
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
            return self._node("/", "/", None, row)
        above = self.trail[-2]
        parent = self._node("/" + "/".join(names[:-1]), above[0] or "/", None, above[1])
        return self._node("/" + "/".join(names), names[-1], parent, row)

    def _node(self, path: str, name: str, parent: Node | None, row: Row) -> Node:
        return node_of(self.user, path, name, parent, row, self.links)


def node_of(user: User, path: str, name: str, parent: Node | None, row: Row, links: int = 0) -> Node:
    """A node from its row."""
    owner, group, mode = row["owner"], row["group_name"], row["mode"]
    return Node(
        path,
        name,
        parent,
        row["entry_id"],
        row["node_id"],
        row["kind"],
        owner,
        group,
        mode,
        row["modified"],
        row["size"],
        row["form"],
        row["target"],
        bits_of(user, owner, group, mode),
        links,
    )


def walk(world: World, user: User, text: str, *, follow: bool = True) -> Node | Obstacle:
    """Walk a path; `follow` says whether a link at its very end is followed too.

    What ends in a slash means a folder, so a file is not there under such a name.
    """
    path = absolute(user, text)
    names = _names(path)
    straight = _straight(world, user, path, names, follow) if names and ".." not in names else None
    found = straight or _Walk(world, user, text, names, follow).run()
    if isinstance(found, Node) and found.kind == "file" and text.endswith(("/", "/.")):
        return Obstacle("missing", text, found, (".",))
    return found


def _straight(world: World, user: User, path: str, names: list[str], follow: bool) -> Node | None:
    """The node of a path without `..` that leads through no link and nothing closed; None for all others."""
    rows = world.all(STRAIGHT, f"{path[1:]}/", len(names), user.login, f" {' '.join(user.groups)} ")
    if len(rows) != 2 or (follow and rows[1]["kind"] == "link"):
        return None
    above = path[: -len(names[-1]) - 1]
    parent = node_of(user, above or "/", names[-2] if above else "/", None, rows[0])
    return node_of(user, path, names[-1], parent, rows[1])


def find(
    world: World,
    user: User,
    argument: str,
    text: str,
    *,
    follow: bool = True,
    missing: str = "not_found",
    broken: str = "not_found",
    loop: str = "",
) -> Node:
    """The node to which the path in an argument leads; notes its absolute path for the comparison of calls.

    `missing`, `broken` and `loop` are the tool's codes for a name that is not there, a dangling and a circular link
    (by default the code of the former).

    Raises:
        Refused: one of these codes, or permission_denied
    """
    found = walk(world, user, text, follow=follow)
    if isinstance(found, Obstacle):
        raise found.refusal(missing, broken, loop or broken)
    if argument:
        world.resolves(argument, found.path)
    return found


def place(world: World, user: User, argument: str, text: str, *, follow: bool = False) -> Place:
    """The place that the path in an argument names for something new; notes its absolute path.

    With `follow` a link at the very end is followed, also to where its target is missing: what is written there comes
    into being.

    Raises:
        Refused: permission_denied, where a folder on the way may not be entered
    """
    found = walk(world, user, text, follow=follow)
    if isinstance(found, Node):
        spot = Place(text, found.path, found.name, found.parent or found, found)
    elif found.why == "denied":
        raise found.refusal("", "", "")
    elif found.why in ("missing", "dangling") and len(found.rest) == 1 and found.at.kind == "folder":
        spot = Place(text, found.at.child(found.rest[0]), found.rest[0], found.at, None)
    else:
        spot = Place(text, absolute(user, text), "", None, None, found)
    world.resolves(argument, spot.path)
    return spot


def need_folder(spot: Place) -> Node:
    """The folder of a place; refuses with folder_not_found."""
    if spot.folder is None:
        assert spot.obstacle is not None
        why = spot.obstacle.refusal("folder_not_found", "folder_not_found", "folder_not_found").message
        raise Refused("folder_not_found", f"{why}; mkdir makes folders")
    return spot.folder


def need_free(spot: Place, advice: str) -> None:
    """Refuse with already_exists if something stands at a place; `advice` is the next step."""
    if spot.there is not None:
        raise Refused("already_exists", f"{spot.path} exists already ({spot.there.kind}); {advice}")


def need_name(spot: Place, code: str, *, folder: bool = False) -> None:
    """Refuse a name that no new entry can have: too long, with control characters, or a file's that ends in a slash."""
    if len(spot.name) > MAX_NAME:
        raise Refused(
            code, f"the name {spot.name[:40]!r}... has {len(spot.name)} characters, at most {MAX_NAME} are allowed"
        )
    if any(ord(character) < 32 or ord(character) == 127 for character in spot.name):
        raise Refused(code, f"the name {spot.name!r} holds a control character; use printable ones")
    if spot.text.endswith("/") and not folder:
        raise Refused(code, f"{spot.text!r} ends in a slash, which only a folder's path can; leave it out")


def existing_folder(
    world: World, user: User, argument: str, text: str, *, missing: str, wrong: str, broken: str = ""
) -> Node:
    """The folder to which the path in an argument leads; `wrong` is the code for anything else that is there."""
    found = find(world, user, argument, text, missing=missing, broken=broken or missing)
    if found.kind != "folder":
        raise Refused(wrong, f"{found.path} is a {found.kind}, not a folder; ls and tree show the folders")
    return found


def optional_folder(world: World, user: User, text: str | None) -> Node:
    """The folder in the argument `path`, by default the current one; refuses with not_found or not_a_folder."""
    argument = "" if text is None else "path"
    return existing_folder(world, user, argument, text or ".", missing="not_found", wrong="not_a_folder")
