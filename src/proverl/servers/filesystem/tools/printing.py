"""What files hold and how they differ: cat, head_file, tail_file, wc_file, checksum_file, diff_files, compare_dirs."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Final, Literal

from ....errors import Refused
from ....world.server import Field, World, tool
from .. import results
from ..differences import blocks, unified
from ..nodes import Node
from ..paths import find
from ..reading import cut, joined, lines_of, need_file, raw_bytes, read_text
from ..results import FilePath, FolderPath
from ..rights import READ, User, need, user_of
from ..walks import BELOW, OPEN

TEXT_REFUSALS: Final = ["not_found", "is_a_folder", "permission_denied", "binary_file", "broken_link"]
COMPARED: Final = 100
LineCount = Annotated[int, Field(ge=1, le=200)]

INSIDE: Final = (
    BELOW
    + """
SELECT b.path, b.kind, b.node_id, n.size, n.target
FROM below b CROSS JOIN node n ON n.node_id = b.node_id
WHERE b.depth > 0
ORDER BY b.path
"""
)
UNLIKE: Final = """
SELECT v.value ->> 0 AS path
FROM json_each(?1) v CROSS JOIN node a ON a.node_id = v.value ->> 1 CROSS JOIN node b ON b.node_id = v.value ->> 2
WHERE a.content <> b.content OR a.form <> b.form
ORDER BY path
"""


def _text(world: World, user: User, argument: str, path: str) -> tuple[Node, str]:
    node = find(world, user, argument, path, broken="broken_link")
    return node, read_text(world, node)


@tool("read", refusals=TEXT_REFUSALS)
def cat(world: World, path: FilePath) -> results.Printed:
    """Print a text file, up to 16 KB or 400 lines; lines is the number of all its lines.

    Args:
        path: text file
    """
    node, text = _text(world, user_of(world), "path", path)
    content, truncated = cut(text)
    return {"path": node.path, "content": content, "lines": len(lines_of(text)), "truncated": truncated}


@tool("read", refusals=TEXT_REFUSALS)
def head_file(world: World, path: FilePath, lines: LineCount = 10) -> results.Printed:
    """Print the first lines of a text file, up to 16 KB.

    Args:
        path: text file
        lines: 1 to 200, default 10
    """
    node, text = _text(world, user_of(world), "path", path)
    first = lines_of(text)[:lines]
    content, truncated = cut(joined(first))
    return {"path": node.path, "content": content, "lines": len(first), "truncated": truncated}


@tool("read", refusals=TEXT_REFUSALS)
def tail_file(world: World, path: FilePath, lines: LineCount = 10) -> results.Printed:
    """Print the last lines of a text file, up to 16 KB.

    Args:
        path: text file
        lines: 1 to 200, default 10
    """
    node, text = _text(world, user_of(world), "path", path)
    last = lines_of(text)[-lines:]
    content, truncated = cut(joined(last))
    return {"path": node.path, "content": content, "lines": len(last), "truncated": truncated}


@tool("read", refusals=TEXT_REFUSALS)
def wc_file(world: World, path: FilePath) -> results.Counted:
    """Count lines, words and bytes of a text file.

    Args:
        path: text file
    """
    node, text = _text(world, user_of(world), "path", path)
    return {"path": node.path, "lines": len(lines_of(text)), "words": len(text.split()), "bytes": node.size}


@tool("read", refusals=["not_found", "is_a_folder", "permission_denied", "broken_link"])
def checksum_file(
    world: World, path: FilePath, algorithm: Literal["md5", "sha1", "sha256"] = "sha256"
) -> results.Checksum:
    """Compute the checksum of a file, text or binary.

    Args:
        path: file
        algorithm: md5, sha1 or sha256 (default)
    """
    node = find(world, user_of(world), "path", path, broken="broken_link")
    need_file(node)
    need(node, READ)
    digest = hashlib.new(algorithm, raw_bytes(world, node), usedforsecurity=False).hexdigest()
    return {"path": node.path, "algorithm": algorithm, "checksum": digest}


@tool("read", refusals=TEXT_REFUSALS)
def diff_files(world: World, first: FilePath, second: FilePath) -> results.Difference:
    """Compare two text files line by line as a unified diff, printed up to 16 KB or 400 lines.

    Args:
        first: old text file
        second: new text file
    """
    user = user_of(world)
    nodes = [
        find(world, user, name, path, broken="broken_link") for name, path in (("first", first), ("second", second))
    ]
    for node in nodes:
        need_file(node)
    for node in nodes:
        need(node, READ)
    old, new = (lines_of(read_text(world, node)) for node in nodes)
    differing = blocks(old, new)
    heads = [f"--- {nodes[0].path}", f"+++ {nodes[1].path}"] if differing else []
    diff, truncated = cut(joined([*heads, *unified(old, new, differing)]))
    return {
        "identical": not differing,
        "added": sum(d - c for _, _, c, d in differing),
        "removed": sum(b - a for a, b, _, _ in differing),
        "diff": diff,
        "truncated": truncated,
    }


@tool("read", refusals=["not_found", "not_a_folder", "permission_denied", "same_folder"])
def compare_dirs(world: World, first: FolderPath, second: FolderPath) -> results.Comparison:
    """Compare two folders with all below them: entries found in only one, and files whose content differs. Names are
    relative to the folders; each list is cut at 100, which sets truncated. An entry that is of another type in the
    other folder differs.

    Args:
        first: one folder
        second: other folder
    """
    user = user_of(world)
    tops = [find(world, user, name, path) for name, path in (("first", first), ("second", second))]
    for top in tops:
        if top.kind != "folder":
            raise Refused("not_a_folder", f"{top.path} is a {top.kind}, not a folder; diff_files compares files")
    for top in tops:
        need(top, OPEN)
    if tops[0].node_id == tops[1].node_id:
        raise Refused("same_folder", f"{first!r} and {second!r} are one folder, {tops[0].path}; name two")
    left, right = ({row["path"]: row for row in world.all(INSIDE, top.node_id, OPEN)} for top in tops)
    shared = [(left[path], right[path]) for path in left if path in right]
    different = {old["path"] for old, new in shared if _differs(old, new)}
    files = [
        [old["path"], old["node_id"], new["node_id"]]
        for old, new in shared
        if old["kind"] == "file" and old["path"] not in different and old["node_id"] != new["node_id"]
    ]
    different.update(row["path"] for row in world.all(UNLIKE, json.dumps(files)) if files)
    only_first = [path for path in left if path not in right]
    only_second = [path for path in right if path not in left]
    lists = [[path[1:] for path in paths] for paths in (only_first, only_second, sorted(different))]
    return {
        "only_first": lists[0][:COMPARED],
        "only_second": lists[1][:COMPARED],
        "different": lists[2][:COMPARED],
        "same_count": sum(old["kind"] == "file" and old["path"] not in different for old, new in shared),
        "truncated": any(len(paths) > COMPARED for paths in lists),
    }


def _differs(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether two entries differ as far as can be seen without their content."""
    if old["kind"] != new["kind"]:
        return True
    return old["kind"] != "folder" and (old["size"], old["target"]) != (new["size"], new["target"])
