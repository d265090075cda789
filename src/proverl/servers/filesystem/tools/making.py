"""New files and folders, and text that is written: touch, mkdir, rmdir, write_file, append_file."""

from __future__ import annotations

from typing import Annotated

from ....errors import Refused
from ....world.server import FREE, Field, World, tool
from ....world.values import iso
from .. import results
from ..changing import New, charge, create, discard, need_quota, set_text, stamp, text_file
from ..nodes import Node
from ..paths import Place, find, need_folder, need_free, need_name, place
from ..reading import content_of, ended, lines_of, need_file, need_text
from ..results import FilePath, FolderPath, IfExists, NewPath
from ..rights import ENTER, WRITE, User, denied, is_kept_by_sticky, need, octal, user_of
from ..walks import below, bytes_alone, in_use, need_removable


@tool(
    "write",
    refusals=["folder_not_found", "permission_denied", "is_a_folder", "quota_exceeded", "bad_name"],
    idempotent=True,
)
def touch(world: World, path: NewPath) -> results.Touched:
    """Create an empty file, or set the modification time of an existing one to now.

    Args:
        path: file to create or touch
    """
    user = user_of(world)
    spot = place(world, user, "path", path, follow=True)
    folder = need_folder(spot)
    if spot.there is not None:
        if spot.there.owner != user.login:
            need(spot.there, WRITE)
        need_file(spot.there)
        world.update("node", spot.there.node_id, modified=iso(world.now))
    else:
        need(folder, WRITE | ENTER)
        need_quota(user, 0, 1)
        need_name(spot, "bad_name")
        create(world, user, [text_file(folder.node_id, spot.name, "")])
    return {"path": spot.path, "created": spot.there is None, "modified": iso(world.now)}


@tool(
    "write",
    refusals=["already_exists", "folder_not_found", "permission_denied", "quota_exceeded", "bad_name"],
    idempotent=True,
)
def mkdir(world: World, path: NewPath, parents: bool = False) -> results.MadeFolder:
    """Create a folder, with missing parents on request. created lists every new folder.

    Args:
        path: folder to create
        parents: true also creates missing parents; default false
    """
    user = user_of(world)
    spot = place(world, user, "path", path)
    need_free(spot, "choose another name")
    folder, names = _missing(spot) if parents else (need_folder(spot), [spot.name])
    need(folder, WRITE | ENTER)
    need_quota(user, 0, len(names))
    for name in names:
        need_name(Place(path, spot.path, name, folder, None), "bad_name", folder=True)
    create(world, user, [New(-number or folder.node_id, name, "folder") for number, name in enumerate(names)])
    made = [folder.child("/".join(names[: number + 1])) for number in range(len(names))]
    world.resolves("path", made[-1])
    return {"path": made[-1], "created": made, "mode": octal(0o777 & ~user.umask)}


def _missing(spot: Place) -> tuple[Node, list[str]]:
    """The last folder on the way that exists, and the names that are missing below it."""
    stop = spot.obstacle
    if stop is None:
        return need_folder(spot), [spot.name]
    if stop.why != "missing" or stop.at.kind != "folder" or ".." in stop.rest:
        need_folder(spot)
    return stop.at, list(stop.rest)


@tool(
    "destructive",
    refusals=["not_found", "not_a_folder", "folder_not_empty", "permission_denied", "folder_in_use"],
    idempotent=True,
)
def rmdir(world: World, path: FolderPath) -> results.RemovedFolder:
    """Remove an empty folder for good; it does not go to the trash.

    Args:
        path: empty folder
    """
    user = user_of(world)
    node = find(world, user, "path", path)
    if node.kind != "folder":
        raise Refused("not_a_folder", f"{node.path} is a {node.kind}, not a folder; rm deletes files and links")
    inside = world.value("SELECT COUNT(*) FROM entry WHERE parent = ?", node.node_id)
    if inside:
        raise Refused("folder_not_empty", f"{node.path} has {inside} entries; rm with recursive takes it with them")
    if node.parent is not None:
        need(node.parent, WRITE | ENTER)
        if is_kept_by_sticky(user, node.parent, node.owner):
            raise denied(node.parent, "take what is not yours from the sticky folder")
    if in_use(user, node) or node.parent is None:
        raise Refused("folder_in_use", f"{node.path} is the current folder or holds it; cd to another one first")
    charge(world, 0, -1)
    world.run("DELETE FROM entry WHERE entry_id = ?", node.entry_id)
    world.run("DELETE FROM node WHERE node_id = ?", node.node_id)
    stamp(world, [node.parent.node_id])
    return {"path": node.path, "removed": True}


@tool(
    "write",
    refusals=["folder_not_found", "already_exists", "is_a_folder", "permission_denied", "quota_exceeded", "bad_name"],
)
def write_file(
    world: World,
    path: NewPath,
    content: Annotated[str, FREE, Field(max_length=16_384)],
    if_exists: IfExists = "keep",
) -> results.Written:
    """Write text into a new file, or over an existing one with if_exists replace, which puts the old one into the
    trash. A last line without a newline gets one.

    Args:
        path: file to write
        content: text, up to 16 KB
        if_exists: keep (default, fails) or replace the file
    """
    user = user_of(world)
    spot = place(world, user, "path", path, follow=True)
    folder = need_folder(spot)
    text = ended(content)
    if if_exists == "keep":
        need_free(spot, "use if_exists replace, append_file, or another name")
    if spot.there is not None:
        need_file(spot.there)
    need(folder, WRITE | ENTER)
    size = len(text.encode())
    freed, entries = _replaced(world, user, spot.there)
    need_quota(user, size - freed, 1 - entries)
    need_name(spot, "bad_name")
    if spot.there is not None:
        discard(world, spot.there, below(world, spot.there))
    create(world, user, [text_file(folder.node_id, spot.name, text)])
    return {"path": spot.path, "bytes": size, "created": spot.there is None}


def _replaced(world: World, user: User, node: Node | None) -> tuple[int, int]:
    """Bytes and entries that go when a file is replaced; refuses with permission_denied."""
    if node is None:
        return 0, 0
    rows = below(world, node)
    need_removable(user, node, rows, "permission_denied")
    return bytes_alone(world, rows), len(rows)


@tool(
    "write",
    refusals=["not_found", "is_a_folder", "permission_denied", "binary_file", "broken_link", "quota_exceeded"],
)
def append_file(
    world: World, path: FilePath, content: Annotated[str, FREE, Field(min_length=1, max_length=4_096)]
) -> results.Appended:
    """Add text as new lines at the end of an existing text file. Returns how many lines and bytes it has now.

    Args:
        path: text file
        content: text to add, up to 4 KB
    """
    user = user_of(world)
    node = find(world, user, "path", path, broken="broken_link")
    need_file(node)
    need(node, WRITE)
    need_text(node)
    text = ended(content_of(world, node)) + ended(content)
    need_quota(user, len(text.encode()) - node.size, 0)
    return {"path": node.path, "lines": len(lines_of(text)), "bytes": set_text(world, node, text)}
