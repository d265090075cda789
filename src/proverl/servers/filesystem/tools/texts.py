"""Text files made from text files: sort_file, uniq_lines, cut_columns, split_file, concat_files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from proverl.world.domain import Field, World, refuse, tool

from .. import results
from ..changes import store_new, text_file
from ..lines import content_of, ended, joined, lines_of
from ..nodes import CHANGE, READ, Node
from ..paths import find_child, walk
from ..results import FilePath, NewPath
from ..rules import (
    MAX_NAME,
    check_allowed,
    check_files,
    check_found,
    check_free,
    check_links,
    check_name,
    check_quota,
    check_texts,
    check_vacant,
)

MAX_PARTS: Final = 99
NUMBER: Final = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)")
DELIMITERS: Final = {"comma": ",", "tab": "\t", "semicolon": ";", "space": " "}
SOURCE_REFUSALS: Final = "invalid_argument not_found permission_denied binary_file broken_link too_many_links"
SOURCE_UNECHOED: Final = {"path": "its lines are in the new file"}


def check_sources(nodes: Sequence[Node], spot: Node) -> None:
    """Refuse SOURCE_REFUSALS: sources that are no texts to be read, a folder in which nothing new may be made."""
    check_files("invalid_argument", *nodes)
    check_found("not_found", *nodes)
    check_allowed(READ, *nodes)
    check_allowed(CHANGE, spot.folder)
    check_texts(*nodes)
    check_links(*nodes, spot)


@tool(
    "write",
    refusals=f"{SOURCE_REFUSALS} already_exists folder_not_found column_not_found quota_exceeded",
    idempotent=True,
    unechoed={**SOURCE_UNECHOED, **dict.fromkeys(("order", "compare", "column"), "shows in the order of the lines")},
)
def sort_file(
    world: World,
    path: FilePath,
    output_path: NewPath,
    order: Literal["ascending", "descending"] = "ascending",
    compare: Literal["text", "numeric"] = "text",
    column: Annotated[int, Field(ge=1)] | None = None,
) -> results.Sorted:
    """Sort the lines of a text file into a new file; the original stays. Equal lines keep their order.

    Args:
        path: text file
        output_path: new file for the result, up to 1,024 characters
        order: ascending (default) or descending
        compare: text (default) or numeric, by the leading number
        column: sort by this comma-separated column, from 1; default the whole line
    """
    node, spot = walk(world, "path", path), walk(world, "output_path", output_path, follow=False)
    check_name(spot, "invalid_argument")
    check_sources([node], spot)
    check_vacant(spot, "choose another output_path")
    lines = lines_of(content_of(world, node))
    keys = lines
    if column is not None:
        check_columns(node, lines, ",", column)
        keys = [line.split(",")[column - 1] if line else "" for line in lines]
    ranks: list[Any] = [_leading_number(text) for text in keys] if compare == "numeric" else keys
    ranked = sorted(range(len(lines)), key=ranks.__getitem__, reverse=order == "descending")
    new = text_file(spot.folder.node_id, spot.name, joined([lines[number] for number in ranked]))
    check_quota(spot.user, new.size, 1)
    store_new(world, spot.user, [new])
    return {"output_path": spot.path, "lines": len(lines)}


def _leading_number(text: str) -> float:
    """The number at the beginning of a text, 0 if there is none."""
    found = NUMBER.match(text)
    return float(found[1]) if found else 0.0


def check_columns(node: Node, lines: list[str], delimiter: str, column: int) -> None:
    """Refuse column_not_found; an empty line has all columns, each of them empty."""
    short = next((n for n, line in enumerate(lines, 1) if line and line.count(delimiter) + 1 < column), None)
    if short is not None:
        has = f"line {short} of {node.path} has {lines[short - 1].count(delimiter) + 1}, split at each {delimiter!r}"
        refuse("column_not_found", f"there is no column {column}: {has}; head_file shows them")


@tool(
    "write",
    refusals=f"{SOURCE_REFUSALS} already_exists folder_not_found quota_exceeded",
    idempotent=True,
    unechoed={**SOURCE_UNECHOED, "counts": "shows in the lines of the new file"},
)
def uniq_lines(world: World, path: FilePath, output_path: NewPath, counts: bool = False) -> results.Unique:
    """Drop repeated lines of a text file into a new file, keeping the first of each; on request with a count before
    each line.

    Args:
        path: text file
        output_path: new file for the result, up to 1,024 characters
        counts: true writes the number of occurrences before each line; default false
    """
    node, spot = walk(world, "path", path), walk(world, "output_path", output_path, follow=False)
    check_name(spot, "invalid_argument")
    check_sources([node], spot)
    check_vacant(spot, "choose another output_path")
    seen = Counter(lines_of(content_of(world, node)))
    made = [f"{number} {line}" if counts else line for line, number in seen.items()]
    new = text_file(spot.folder.node_id, spot.name, joined(made))
    check_quota(spot.user, new.size, 1)
    store_new(world, spot.user, [new])
    return {"output_path": spot.path, "lines": len(seen), "dropped": seen.total() - len(seen)}


@tool(
    "write",
    refusals=f"{SOURCE_REFUSALS} column_not_found already_exists folder_not_found quota_exceeded",
    idempotent=True,
    unechoed={**SOURCE_UNECHOED, **dict.fromkeys(("columns", "delimiter"), "shows in the lines of the new file")},
)
def cut_columns(
    world: World,
    path: FilePath,
    columns: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=20)],
    output_path: NewPath,
    delimiter: Literal["comma", "tab", "semicolon", "space"] = "comma",
) -> results.Cut:
    """Take some columns of a delimited text file, in the given order, into a new file. Empty lines stay empty. Returns
    the number of lines and of columns.

    Args:
        path: delimited text file
        columns: column numbers from 1, up to 20
        output_path: new file for the result, up to 1,024 characters
        delimiter: comma (default), tab, semicolon or space
    """
    node, spot = walk(world, "path", path), walk(world, "output_path", output_path, follow=False)
    check_name(spot, "invalid_argument")
    check_sources([node], spot)
    sign, lines = DELIMITERS[delimiter], lines_of(content_of(world, node))
    check_columns(node, lines, sign, max(columns))
    check_vacant(spot, "choose another output_path")
    parts = [line.split(sign) for line in lines]
    made = [sign.join(part[column - 1] for column in columns) if part != [""] else "" for part in parts]
    new = text_file(spot.folder.node_id, spot.name, joined(made))
    check_quota(spot.user, new.size, 1)
    store_new(world, spot.user, [new])
    return {"output_path": spot.path, "lines": len(made), "columns": len(columns)}


@tool(
    "write",
    refusals=f"{SOURCE_REFUSALS} too_many_parts already_exists quota_exceeded",
    idempotent=True,
    unechoed={"lines_per_part": "count says how many parts there are"},
)
def split_file(world: World, path: FilePath, lines_per_part: Annotated[int, Field(ge=1, le=10_000)]) -> results.Parts:
    """Split a text file into numbered parts beside it, such as log.txt.001; the original stays.

    Args:
        path: text file
        lines_per_part: lines per part, 1 to 10000; at most 99 parts
    """
    node = walk(world, "path", path)
    if node.stop is None and len(node.name) + len(".001") > MAX_NAME:
        refuse("invalid_argument", f"the names of the parts would have more than {MAX_NAME} characters; mv renames")
    check_sources([node], node)
    lines = lines_of(content_of(world, node))
    count = max(1, -(-len(lines) // lines_per_part))
    if count > MAX_PARTS:
        least = -(-len(lines) // MAX_PARTS)
        refuse("too_many_parts", f"{count} parts of {lines_per_part} lines are too many; take {least} or more")
    names = [f"{node.name}.{number:03d}" for number in range(1, count + 1)]
    for name in names:
        check_free(find_child(world, node.folder, name), "move it away first")
    texts = [joined(lines[start : start + lines_per_part]) for start in range(0, len(lines), lines_per_part)] or [""]
    parts = [text_file(node.folder.node_id, name, text) for name, text in zip(names, texts, strict=True)]
    check_quota(node.user, sum(part.size for part in parts), count)
    store_new(world, node.user, parts)
    return {"path": node.path, "parts": [node.folder.child(name) for name in names], "count": count}


@tool(
    "write",
    refusals=f"{SOURCE_REFUSALS} already_exists folder_not_found quota_exceeded",
    idempotent=True,
    unechoed={"paths": "their lines are in the new file"},
)
def concat_files(
    world: World, paths: Annotated[list[FilePath], Field(min_length=2, max_length=20)], output_path: NewPath
) -> results.Joined:
    """Join two or more text files, in the given order, into a new file; the originals stay.

    Args:
        paths: 2 to 20 text files
        output_path: new file for the result, up to 1,024 characters
    """
    nodes = [walk(world, "", path) for path in paths]
    world.resolves("paths", [node.path for node in nodes])
    spot = walk(world, "output_path", output_path, follow=False)
    check_name(spot, "invalid_argument")
    check_sources(nodes, spot)
    check_vacant(spot, "choose another output_path")
    new = text_file(spot.folder.node_id, spot.name, "".join(ended(content_of(world, node)) for node in nodes))
    check_quota(spot.user, new.size, 1)
    store_new(world, spot.user, [new])
    return {"output_path": spot.path, "lines": new.text.count("\n"), "bytes": new.size}
