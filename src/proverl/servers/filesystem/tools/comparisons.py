"""How files and folders differ: diff_files, compare_dirs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from proverl.world.domain import Row, World, refuse, tool

from .. import results
from ..below import BELOW
from ..differences import blocks, unified
from ..lines import content_of, find_texts, joined, lines_of, printed
from ..nodes import LIST, READ, Node
from ..paths import walk
from ..results import FilePath, FolderPath
from ..rules import check_allowed, check_folders, check_found, check_links

COMPARED: Final = 100

INSIDE: Final = """
{BELOW}
SELECT b.path, b.kind, b.node_id, n.bits
FROM below b CROSS JOIN node_now n ON n.node_id = b.node_id
ORDER BY b.path
""".replace("{BELOW}", BELOW)
UNLIKE: Final = """
SELECT a.kind <> b.kind OR a.target <> b.target OR a.content <> b.content AS unlike
FROM json_each(?1) v CROSS JOIN node a ON a.node_id = v.value ->> 0 CROSS JOIN node b ON b.node_id = v.value ->> 1
ORDER BY v.key
"""


@tool("read", refusals="not_found is_a_folder permission_denied binary_file broken_link too_many_links")
def diff_files(world: World, first: FilePath, second: FilePath) -> results.Difference:
    """Compare two text files line by line as a unified diff, printed up to 16 KB or 400 lines.

    Args:
        first: old text file
        second: new text file
    """
    nodes = find_texts(world, first=first, second=second)
    old, new = (lines_of(content_of(world, node)) for node in nodes)
    differing = blocks(old, new)
    heads = [f"--- {nodes[0].path}", f"+++ {nodes[1].path}"] if differing else []
    diff, truncated = printed(joined([*heads, *unified(old, new, differing)]))
    return {
        "identical": not differing,
        "added": sum(d - c for _, _, c, d in differing),
        "removed": sum(b - a for a, b, _, _ in differing),
        "diff": diff,
        "truncated": truncated,
    }


@tool("read", refusals="not_found not_a_folder permission_denied broken_link too_many_links same_folder")
def compare_dirs(world: World, first: FolderPath, second: FolderPath) -> results.Comparison:
    """Compare two folders with all below them: entries found in only one, and files whose content differs. Names are
    relative to the folders, in the order of their characters; each list is cut at 100, which sets truncated. An entry
    that is of another type in the other folder differs, and so does a link with another target; same_count is of files.
    Files that both have must be readable, and folders that both have such that you may list them, or the answer is
    permission_denied; a folder that only one of them has and that you may not list is named without what is in it.

    Args:
        first: one folder
        second: other folder
    """
    tops = [walk(world, "first", first), walk(world, "second", second)]
    check_found("not_found", *tops)
    check_folders("not_a_folder", *tops)
    check_allowed(LIST, *tops)
    left, right = ({row["path"]: row for row in world.all(INSIDE, top.node_id, LIST)} for top in tops)
    shared = [(left[path], right[path]) for path in left if path in right]
    check_comparable(tops, shared)
    check_links(*tops)
    if tops[0].node_id == tops[1].node_id:
        refuse("same_folder", f"{first!r} and {second!r} are one folder, {tops[0].path}; name two")
    pairs = world.all(UNLIKE, json.dumps([[old["node_id"], new["node_id"]] for old, new in shared]))
    judged = [(old, pair["unlike"]) for (old, _), pair in zip(shared, pairs, strict=True)]
    only_first = [path for path in left if path not in right]
    only_second = [path for path in right if path not in left]
    different = [old["path"] for old, unlike in judged if unlike]
    lists = [[path[1:] for path in paths] for paths in (only_first, only_second, different)]
    return {
        "only_first": lists[0][:COMPARED],
        "only_second": lists[1][:COMPARED],
        "different": lists[2][:COMPARED],
        "same_count": sum(old["kind"] == "file" and not unlike for old, unlike in judged),
        "truncated": any(len(paths) > COMPARED for paths in lists),
    }


def check_comparable(tops: list[Node], shared: Iterable[tuple[Row, Row]]) -> None:
    """Refuse permission_denied: two entries of one name of which one may not be seen, so that they would be a guess."""
    for pair in shared:
        rights = {"file": READ, "folder": LIST, "link": 0}[pair[0]["kind"]]
        if pair[0]["kind"] != pair[1]["kind"] or pair[0]["node_id"] == pair[1]["node_id"]:
            continue
        for top, row in zip(tops, pair, strict=True):
            if row["bits"] & rights != rights:
                closed = f"you may not see what is in {top.path}{row['path']}, which both have"
                refuse("permission_denied", f"{closed}; compare folders without it")
