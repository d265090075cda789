"""Folders: pwd, cd, ls, tree, du, df, mkdir, rmdir."""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated, Any, Final, Literal, cast

from proverl.world.domain import Field, World, refuse, shown, tool

from .. import results
from ..changes import New, store_new, store_removed
from ..nodes import CHANGE, ENTER, LIST, STICKY, Node, find_user, octal
from ..paths import walk
from ..results import FolderPath, NewPath
from ..rules import (
    check_allowed,
    check_folders,
    check_found,
    check_free,
    check_links,
    check_name,
    check_parent,
    check_quota,
    check_unused,
    deny,
    find_folder,
)

TREE_ENTRIES: Final = 300
LISTED: Final = """
SELECT e.name, n.kind AS type, printf('%04o', n.mode) AS mode, n.owner, n.group_name AS "group", n.size, n.modified,
  n.target
FROM entry e JOIN node n ON n.node_id = e.node_id
WHERE e.parent = ?1 AND (?2 OR substr(e.name, 1, 1) <> '.')
ORDER BY {}
"""
ORDERS: Final = {"name": "e.name", "size": "n.size DESC, e.name", "time": "n.modified DESC, e.name"}

SIZES: Final = """
WITH RECURSIVE below(node_id, branch, kind, open) AS (
  SELECT ?1, NULL, 'folder', 1
  UNION ALL
  SELECT e.node_id, coalesce(b.branch, CASE e.kind WHEN 'folder' THEN e.name ELSE '' END), e.kind,
    e.kind = 'folder' AND (SELECT n.bits FROM node_now n WHERE n.node_id = e.node_id) & ?2 = ?2
  FROM below b CROSS JOIN entry e
  WHERE b.open AND e.parent = b.node_id
), sizes(branch, node_id, size) AS MATERIALIZED (
  SELECT DISTINCT b.branch, b.node_id, n.size FROM below b CROSS JOIN node n ON n.node_id = b.node_id
  WHERE b.open OR b.kind <> 'folder'
)
SELECT name, bytes FROM (
  SELECT NULL AS name, SUM(size) AS bytes FROM (SELECT DISTINCT node_id, size FROM sizes)
  UNION ALL
  SELECT branch, SUM(size) FROM sizes WHERE branch <> '' GROUP BY branch
)
ORDER BY name IS NOT NULL, bytes DESC, name
"""

TREE: Final = """
WITH RECURSIVE below(node_id, parent, name, depth, kind, open) AS (
  SELECT ?1, NULL, '', 0, 'folder', 1
  UNION ALL
  SELECT e.node_id, e.parent, e.name, b.depth + 1, e.kind,
    e.kind = 'folder' AND b.depth + 1 < ?3
      AND (SELECT n.bits FROM node_now n WHERE n.node_id = e.node_id) & ?2 = ?2
  FROM below b CROSS JOIN entry e
  WHERE b.open AND e.parent = b.node_id AND substr(e.name, 1, 1) <> '.'
)
SELECT b.node_id, b.parent, b.name, b.depth, b.kind,
  CASE b.kind WHEN 'link' THEN (SELECT n.target FROM node n WHERE n.node_id = b.node_id) END AS target
FROM below b
WHERE b.depth > 0
ORDER BY b.name
"""


@tool("read")
def pwd(world: World) -> results.Session:
    """Print the current directory, the login, its groups and the umask."""
    user = find_user(world)
    return {"cwd": user.cwd, "login": user.login, "groups": user.groups.split(), "umask": f"{user.umask:03o}"}


@tool(
    "write",
    refusals="not_found not_a_folder permission_denied broken_link too_many_links",
    repeats="`cd ..` goes up once more each time",
)
def cd(world: World, path: FolderPath) -> results.Moved:
    """Change the current directory. Returns the new one.

    Args:
        path: folder; .. is the parent, ~ the home folder
    """
    folder = find_folder(world, path, ENTER)
    world.run("UPDATE setting SET cwd = ?", folder.path)
    return {"cwd": folder.path, "previous": folder.user.cwd}


@tool("read", refusals="not_found not_a_folder permission_denied broken_link too_many_links")
def ls(
    world: World,
    path: FolderPath | None = None,
    show: Literal["visible", "all"] = "visible",
    sort: Literal["name", "size", "time"] = "name",
) -> results.Listing:
    """List a folder with type, mode, owner, group, size in bytes and modification time of each entry. Hidden entries,
    whose names begin with a dot, only with show all. Names are in the order of their characters, capitals first;
    entries of one size or time too.

    Args:
        path: folder, default the current one
        show: visible (default) or all
        sort: by name (default), size (largest first) or time (newest first)
    """
    folder = find_folder(world, path)
    entries = world.all(LISTED.format(ORDERS[sort]), folder.node_id, show == "all")
    return {"path": folder.path, "count": len(entries), "entries": cast(Any, entries)}


@tool("read", refusals="not_found not_a_folder permission_denied broken_link too_many_links")
def tree(world: World, path: FolderPath | None = None, depth: Annotated[int, Field(ge=1, le=8)] = 3) -> results.Tree:
    """Show the folders and files below a folder as a tree, hidden entries and all in hidden folders left out, up to 300
    entries. Folders end in a slash, links in their target; the counts are of all entries down to the depth, links among
    the files. Folders that you may not list are shown without what is in them.

    Args:
        path: top folder, default the current one
        depth: levels, 1 to 8, default 3
    """
    top = find_folder(world, path)
    rows = world.all(TREE, top.node_id, LIST, depth)
    inside = defaultdict(list)
    for row in rows:
        inside[row["parent"]].append(row)
    lines: list[str] = []
    waiting = inside[top.node_id][::-1]
    while waiting and len(lines) < TREE_ENTRIES:
        row = waiting.pop()
        mark = {"folder": "/", "link": f" -> {row['target']}", "file": ""}[row["kind"]]
        lines.append("  " * (row["depth"] - 1) + row["name"] + mark + "\n")
        waiting.extend(inside[row["node_id"]][::-1] if row["kind"] == "folder" else ())
    folders = sum(row["kind"] == "folder" for row in rows)
    return {
        "path": top.path,
        "tree": "".join(lines),
        "folders": folders,
        "files": len(rows) - folders,
        "truncated": len(rows) > len(lines),
    }


@tool("read", refusals="not_found not_a_folder permission_denied broken_link too_many_links")
def du(world: World, path: FolderPath | None = None) -> results.Usage:
    """Add up the bytes below a folder, in all and per direct subfolder, largest first. Content with two names counts
    once, folders themselves take nothing, and folders that you may not list are left out.

    Args:
        path: folder, default the current one
    """
    top = find_folder(world, path)
    total, *subfolders = world.all(SIZES, top.node_id, LIST)
    return {"path": top.path, "total": total["bytes"], "subfolders": cast(Any, subfolders)}


@tool("read")
def df(world: World) -> results.Quota:
    """Show the quota: bytes and entries used and free."""
    row = world.one("SELECT * FROM quota_now")
    assert row is not None, "a world has one setting"
    return shown(results.Quota, row)


@tool(
    "write",
    refusals="already_exists folder_not_found permission_denied broken_link too_many_links quota_exceeded bad_name",
    idempotent=True,
    unechoed={"parents": "created lists every folder"},
)
def mkdir(world: World, path: NewPath, parents: bool = False) -> results.MadeFolder:
    """Create a folder, with missing parents on request. created lists every new folder.

    Args:
        path: folder to create, up to 1,024 characters
        parents: true also creates missing parents; default false
    """
    spot = walk(world, "path", path, follow=False)
    check_free(spot, "choose another name")
    folder, names = _missing(spot) if parents else (spot.folder, [spot.name])
    if folder is spot:
        check_parent(spot)
    check_allowed(CHANGE, folder)
    check_links(spot)
    check_quota(spot.user, 0, len(names))
    check_name(spot, "bad_name", folder=True)
    store_new(
        world,
        spot.user,
        [New(1 - place if place else folder.node_id, name, "folder") for place, name in enumerate(names)],
    )
    made = [folder.child("/".join(names[: place + 1])) for place in range(len(names))]
    return {"path": made[-1], "created": made, "mode": octal(0o777 & ~spot.user.umask)}


def _missing(spot: Node) -> tuple[Node, list[str]]:
    """The last folder on the way that exists, and the names that are missing below it."""
    stop = spot.stop
    if stop is None or stop.why != "missing" or stop.at.kind != "folder" or ".." in stop.rest:
        return spot.folder, [spot.name]
    return stop.at, list(stop.rest)


@tool(
    "destructive",
    refusals="not_found not_a_folder folder_not_empty permission_denied broken_link too_many_links folder_in_use",
    idempotent=True,
)
def rmdir(world: World, path: FolderPath) -> results.RemovedFolder:
    """Remove an empty folder for good; it does not go to the trash.

    Args:
        path: empty folder
    """
    node = walk(world, "path", path)
    check_found("not_found", node)
    check_folders("not_a_folder", node)
    inside = world.value("SELECT COUNT(*) FROM entry WHERE parent = ?", node.node_id)
    if inside:
        refuse("folder_not_empty", f"{node.path} has {inside} entries; rm with recursive takes it with them")
    check_allowed(CHANGE, node.folder)
    if node.folder.mode & STICKY and node.user.login not in (node.owner, node.folder.owner):
        deny(node.folder, "take what is not yours from the sticky folder")
    check_links(node)
    check_unused(node)
    store_removed(world, node)
    return {"path": node.path, "removed": True}
