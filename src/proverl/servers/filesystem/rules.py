"""The rules of the tree: where a path must lead, and what the user may do there.

Covers: the checks that several tools share. Each refuses with the code that the tools list, and changes nothing. A
check takes several nodes where a tool has several paths, so that all of them are seen for one code before the next.
Does not cover: walking (paths.py) and what lies below a folder (below.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from proverl.world.domain import Row, World, refuse

from .nodes import CHANGE, ENTER, LIST, READ, ROOT, STICKY, WRITE, Node, User, octal
from .paths import MAX_LINKS, is_within, walk

MAX_NAME: Final = 255
WORDS: Final = {
    READ: "read",
    WRITE: "write to",
    ENTER: "enter",
    LIST: "list",
    READ | WRITE: "read and write",
    CHANGE: "change",
}


# Finding


def find_entry(world: World, argument: str, path: str, *, follow: bool = True) -> Node:
    """What a path leads to; refuses not_found, permission_denied, broken_link, too_many_links."""
    node = walk(world, argument, path, follow=follow)
    check_found("not_found", node)
    check_allowed(0, node)
    check_links(node)
    return node


def find_folder(world: World, path: str | None, rights: int = LIST) -> Node:
    """The folder in the argument `path`, by default the current one.

    Refuses not_found, not_a_folder, permission_denied, broken_link, too_many_links.
    """
    folder = walk(world, "path", path)
    check_found("not_found", folder)
    check_folders("not_a_folder", folder)
    check_allowed(rights, folder)
    check_links(folder)
    return folder


def check_found(code: str, *nodes: Node) -> None:
    """Refuse with `code` a path whose last name, or one before it, is not there."""
    for node in nodes:
        if node.stop is None or node.stop.why != "missing":
            continue
        at, text = node.stop.at, node.stop.text
        if at.kind != "folder":
            refuse(code, f"{text!r}: {at.path} is a {at.kind}, so nothing is in it; see ls")
        else:
            refuse(code, f"{text!r}: there is no {node.stop.rest[0]!r} in {at.path}; ls and find_files show what is")


def check_links(*nodes: Node) -> None:
    """Refuse broken_link, then too_many_links, where a path leads through such a link."""
    for stop in (node.stop for node in nodes):
        if stop is not None and stop.why == "dangling":
            gone = f"there is no {stop.at.child('/'.join(stop.rest))}"
            refuse("broken_link", f"{stop.text!r} leads through a broken link: {gone}; stat_file shows its target")
    for stop in (node.stop for node in nodes):
        if stop is not None and stop.why == "loop":
            many = f"{stop.text!r} leads through more than {MAX_LINKS} links"
            refuse("too_many_links", f"{many}; stat_file shows the target of one")


def check_allowed(rights: int, *nodes: Node) -> None:
    """Refuse permission_denied unless the user may come to all of these nodes and has these rights on them."""
    for node in nodes:
        if node.stop is not None and node.stop.why == "denied":
            closed = node.stop.at.path
            refuse("permission_denied", f"{node.stop.text!r}: you may not enter {closed}; see stat_file")
        elif node.bits & rights != rights:
            deny(node, WORDS[rights])


def deny(node: Node, what: str) -> None:
    """Refuse permission_denied for something that a mode forbids."""
    mode = f"mode {octal(node.mode)} of {node.owner}:{node.group}"
    refuse("permission_denied", f"you may not {what} {node.path} ({mode}); see stat_file and pwd")


# Kinds


def check_folders(code: str, *nodes: Node) -> None:
    """Refuse with `code` what is no folder."""
    for node in nodes:
        if node.kind in ("file", "link"):
            refuse(code, f"{node.path} is a {node.kind}, not a folder; ls and tree show the folders")


def check_destination(folder: Node) -> None:
    """Refuse destination_not_a_folder: nothing is there, or no folder."""
    check_found("destination_not_a_folder", folder)
    check_folders("destination_not_a_folder", folder)


def check_files(code: str, *nodes: Node) -> None:
    """Refuse with `code` a folder where a file is meant."""
    for node in nodes:
        if node.kind == "folder":
            refuse(code, f"{node.path} is a folder; give the path of a file, ls shows what is in it")


def check_texts(*nodes: Node) -> None:
    """Refuse binary_file: what is not text."""
    for node in nodes:
        if node.form != "text":
            archive = node.form == "archive"
            what = "an archive; see archive_list" if archive else "not text; checksum_file takes any file"
            refuse("binary_file", f"{node.path} is {what}")


# New entries


def check_free(node: Node | None, advice: str) -> None:
    """Refuse already_exists if something is there; `advice` is the next step."""
    if node is not None and node.stop is None:
        refuse("already_exists", f"{node.path} exists already ({node.kind}); {advice}")


def check_vacant(node: Node, advice: str) -> None:
    """Refuse already_exists, folder_not_found: nothing new can stand there."""
    check_free(node, advice)
    check_parent(node)


def check_parent(node: Node) -> None:
    """Refuse folder_not_found: the folder in which something new would stand is not there."""
    if node.parent is None:
        check_found("folder_not_found", node)


def check_name(node: Node, code: str, *, folder: bool = False) -> None:
    """Refuse with `code` a name that no new entry can have; only a folder's path may end in a slash."""
    if node.stop is None:
        return
    for name in (*node.stop.rest, node.name):
        if len(name) > MAX_NAME:
            refuse(code, f"the name {name[:40]!r}... has {len(name)} characters, at most {MAX_NAME} are allowed")
        elif not name.strip():
            refuse(code, f"the name {name!r} is blank; write one that can be seen")
        elif any(ord(character) < 32 or ord(character) == 127 for character in name):
            refuse(code, f"the name {name!r} holds a control character; use printable ones")
    if node.stop.text.endswith("/") and not folder:
        refuse(code, f"{node.stop.text!r} ends in a slash, which only a folder's path can; leave it out")


def check_quota(user: User, size: int, entries: int) -> None:
    """Refuse quota_exceeded unless so many more bytes and entries fit."""
    if size > user.free_bytes:
        more = f"{size} bytes more are needed, {user.free_bytes} are free"
    elif entries > user.free_entries:
        more = f"{entries} more entries are needed, {user.free_entries} are free"
    else:
        return
    refuse("quota_exceeded", f"{more}; delete something (rm)")


def check_size(name: str, text: str, most: int) -> None:
    """Refuse invalid_argument: a text of more bytes than a tool takes."""
    size = len(text.encode())
    if size > most:
        refuse("invalid_argument", f"{name} has {size} bytes, {most} are the most; write it in parts (append_file)")


# Whose it is


def check_owner(node: Node) -> None:
    """Refuse not_owner."""
    if node.owner != node.user.login:
        whose = f"{node.path} belongs to {node.owner}, not to {node.user.login}"
        refuse("not_owner", f"{whose}; only the owner may do this")


def in_use(node: Node) -> bool:
    """Whether a node is a folder that is the current one or holds it."""
    return node.kind == "folder" and is_within(node.user.cwd, node.path)


def check_unused(node: Node) -> None:
    """Refuse folder_in_use: the current folder, and all that hold it."""
    if in_use(node) or node.node_id == ROOT:
        refuse("folder_in_use", f"{node.path} is the current folder or holds it; cd to another one first")


def check_removable(node: Node, rows: Iterable[Row]) -> None:
    """Refuse permission_denied unless the user may change the folder of a node and all folders in the rows below it."""
    check_allowed(CHANGE, node.folder)
    folders = {row["node_id"]: row for row in rows if row["kind"] == "folder"}
    for row in rows:
        if row["depth"] and folders[row["parent"]]["bits"] & CHANGE != CHANGE:
            above = (node.path + row["path"]).rsplit("/", 1)[0]
            refuse("permission_denied", f"you may not change {above}, which lies below {node.path}; see stat_file")


def check_sticky(code: str, node: Node, rows: Iterable[Row]) -> None:
    """Refuse with `code` what lies in a sticky folder and, like the folder, is another login's."""
    folder, login = node.folder, node.user.login
    folders = {row["node_id"]: row for row in rows if row["kind"] == "folder"}
    kept = [node.path] if folder.mode & STICKY and login not in (node.owner, folder.owner) else []
    for row in rows:
        home = folders[row["parent"]] if row["depth"] else {"mode": 0}
        if home["mode"] & STICKY and login not in (row["owner"], home["owner"]):
            kept.append(node.path + row["path"])
    if kept:
        refuse(code, f"{kept[0]} belongs to another login and lies in a sticky folder; ask its owner")


def check_replaced(node: Node | None, rows: Iterable[Row]) -> None:
    """Refuse permission_denied unless the user may take away what is to be replaced, if there is anything."""
    if node is not None:
        check_removable(node, rows)
        check_sticky("permission_denied", node, rows)
