"""Where one is and what there is: pwd, cd, ls, tree, stat_file, realpath_of, du, df."""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated, Any, Final, Literal, cast

from ....world.server import Field, World, tool
from .. import results
from ..paths import existing_folder, find, optional_folder
from ..results import EntryPath, FolderPath, LinkPath
from ..rights import BITS, ENTER, need, octal, user_of
from ..walks import OPEN, link_count

TREE_ENTRIES: Final = 300

LIST: Final = """
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
    e.kind = 'folder' AND (SELECT {BITS} FROM node n CROSS JOIN setting s WHERE n.node_id = e.node_id) & ?2 = ?2
  FROM below b CROSS JOIN entry e
  WHERE b.open AND e.parent = b.node_id
), sizes(branch, node_id, size) AS MATERIALIZED (
  SELECT DISTINCT b.branch, b.node_id, n.size FROM below b CROSS JOIN node n ON n.node_id = b.node_id
)
SELECT name, bytes FROM (
  SELECT NULL AS name, SUM(size) AS bytes FROM (SELECT DISTINCT node_id, size FROM sizes)
  UNION ALL
  SELECT branch, SUM(size) FROM sizes WHERE branch <> '' GROUP BY branch
)
ORDER BY name IS NOT NULL, bytes DESC, name
""".replace("{BITS}", BITS)

TREE: Final = """
WITH RECURSIVE below(node_id, parent, name, depth, kind, open) AS (
  SELECT ?1, NULL, '', 0, 'folder', 1
  UNION ALL
  SELECT e.node_id, e.parent, e.name, b.depth + 1, e.kind,
    e.kind = 'folder' AND b.depth + 1 < ?3
      AND (SELECT {BITS} FROM node n CROSS JOIN setting s WHERE n.node_id = e.node_id) & ?2 = ?2
  FROM below b CROSS JOIN entry e
  WHERE b.open AND e.parent = b.node_id AND substr(e.name, 1, 1) <> '.'
)
SELECT b.node_id, b.parent, b.name, b.depth, b.kind,
  CASE b.kind WHEN 'link' THEN (SELECT n.target FROM node n WHERE n.node_id = b.node_id) END AS target
FROM below b
WHERE b.depth > 0
ORDER BY b.name, b.node_id
""".replace("{BITS}", BITS)


@tool("read")
def pwd(world: World) -> results.Session:
    """Print the current directory, the login, its groups and the umask."""
    user = user_of(world)
    return {"cwd": user.cwd, "login": user.login, "groups": list(user.groups), "umask": f"{user.umask:03o}"}


@tool("write", refusals=["not_found", "not_a_folder", "permission_denied", "broken_link"])
def cd(world: World, path: FolderPath) -> results.Moved:
    """Change the current directory. Returns the new one.

    Args:
        path: folder; .. is the parent, ~ the home folder
    """
    user = user_of(world)
    folder = existing_folder(world, user, "path", path, missing="not_found", wrong="not_a_folder", broken="broken_link")
    need(folder, ENTER)
    world.update("setting", 1, cwd=folder.path)
    return {"cwd": folder.path, "previous": user.cwd}


@tool("read", refusals=["not_found", "not_a_folder", "permission_denied"])
def ls(
    world: World,
    path: FolderPath | None = None,
    show: Literal["visible", "all"] = "visible",
    sort: Literal["name", "size", "time"] = "name",
) -> results.Listing:
    """List a folder with type, mode, owner, group, size in bytes and modification time of each entry. Hidden entries,
    whose names begin with a dot, only with show all.

    Args:
        path: folder, default the current one
        show: visible (default) or all
        sort: by name (default), size (largest first) or time (newest first)
    """
    user = user_of(world)
    folder = optional_folder(world, user, path)
    need(folder, OPEN)
    entries = world.all(LIST.format(ORDERS[sort]), folder.node_id, show == "all")
    return {"path": folder.path, "count": len(entries), "entries": cast(Any, entries)}


@tool("read", refusals=["not_found", "not_a_folder", "permission_denied"])
def tree(world: World, path: FolderPath | None = None, depth: Annotated[int, Field(ge=1, le=8)] = 3) -> results.Tree:
    """Show the folders and files below a folder as a tree, hidden entries left out, up to 300 entries. Folders end in
    a slash, links in their target; the counts are of all entries down to the depth, links among the files.

    Args:
        path: top folder, default the current one
        depth: levels, 1 to 8, default 3
    """
    user = user_of(world)
    top = optional_folder(world, user, path)
    need(top, OPEN)
    rows = world.all(TREE, top.node_id, OPEN, depth)
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


@tool("read", refusals=["not_found", "permission_denied"])
def stat_file(world: World, path: EntryPath) -> results.Status:
    """Show type, mode, owner, group, size, time of modification, hard-link count and, for a symbolic link, its target;
    links are not followed.

    Args:
        path: file, folder or link
    """
    node = find(world, user_of(world), "path", path, follow=False)
    return {
        "path": node.path,
        "type": node.kind,
        "mode": octal(node.mode),
        "owner": node.owner,
        "group": node.group,
        "size": node.size,
        "modified": node.modified,
        "link_count": link_count(world, node),
        "target": node.target,
    }


@tool("read", refusals=["not_found", "permission_denied", "broken_link", "too_many_links"])
def realpath_of(world: World, path: LinkPath) -> results.RealPath:
    """Follow a symbolic link through every step and give the absolute path at its end, what is there, and the number
    of links on the way.

    Args:
        path: link, or any path
    """
    user = user_of(world)
    end = find(world, user, "", path, broken="broken_link", loop="too_many_links")
    start = find(world, user, "path", path, follow=False)
    return {"path": start.path, "real_path": end.path, "type": end.kind, "steps": end.links}


@tool("read", refusals=["not_found", "not_a_folder", "permission_denied"])
def du(world: World, path: FolderPath | None = None) -> results.Usage:
    """Add up the bytes below a folder, in all and per direct subfolder, largest first. Content with two names counts
    once, folders themselves take nothing, and folders that you may not list are left out.

    Args:
        path: folder, default the current one
    """
    user = user_of(world)
    top = optional_folder(world, user, path)
    need(top, OPEN)
    total, *subfolders = world.all(SIZES, top.node_id, OPEN)
    return {"path": top.path, "total": total["bytes"], "subfolders": cast(Any, subfolders)}


@tool("read")
def df(world: World) -> results.Quota:
    """Show the quota: bytes and entries used and free."""
    row = world.one("SELECT quota_bytes, quota_entries, used_bytes, used_entries FROM setting")
    assert row is not None, "a world has one setting"
    return {
        "total_bytes": row["quota_bytes"],
        "used_bytes": row["used_bytes"],
        "free_bytes": row["quota_bytes"] - row["used_bytes"],
        "used_entries": row["used_entries"],
        "free_entries": row["quota_entries"] - row["used_entries"],
    }
