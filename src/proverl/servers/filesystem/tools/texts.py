"""Text files made from text files: sed_replace, sort_file, uniq_lines, cut_columns, split_file, concat_files."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Any, Final, Literal

from ....errors import Refused
from ....world.server import Field, World, tool
from .. import results
from ..changing import create, need_quota, set_text, text_file
from ..nodes import Node
from ..paths import MAX_NAME, Place, need_folder, need_free, need_name, place, walk
from ..paths import find as node_at
from ..reading import content_of, joined, lines_of, need_file, need_text
from ..results import FilePath, NewPath
from ..rights import ENTER, READ, WRITE, User, need, user_of

MAX_PARTS: Final = 99
NUMBER: Final = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)")
DELIMITERS: Final = {"comma": ",", "tab": "\t", "semicolon": ";", "space": " "}


@tool(
    "write",
    refusals=["not_found", "is_a_folder", "permission_denied", "binary_file", "no_match", "quota_exceeded"],
)
def sed_replace(
    world: World,
    path: FilePath,
    find: Annotated[str, Field(min_length=1, max_length=500)],
    replacement: Annotated[str, Field(max_length=2_000)],
    which: Literal["every", "first"] = "every",
) -> results.Replaced:
    """Replace literal text in a text file, every time it occurs or only the first. Fails if it does not occur.

    Args:
        path: text file
        find: text to look for, 1 to 500 characters, case matters
        replacement: text to put there, up to 2,000 characters, may be empty
        which: every (default) or first occurrence
    """
    user = user_of(world)
    node = node_at(world, user, "path", path)
    need_file(node)
    need(node, READ | WRITE)
    need_text(node)
    text = content_of(world, node)
    limit = 1 if which == "first" else -1
    replaced = min(text.count(find), 1) if which == "first" else text.count(find)
    if not replaced:
        raise Refused("no_match", f"{find!r} does not occur in {node.path}; cat or grep_files shows what does")
    # Counted before the text is made: a short text times a long replacement must not take the machine's memory.
    need_quota(user, replaced * (len(replacement.encode()) - len(find.encode())), 0)
    pieces = text.split(find, limit)
    lines = set()
    line = 0
    for piece in pieces[:-1]:
        line += piece.count("\n")
        lines.add(line)
        line += find.count("\n")
    set_text(world, node, replacement.join(pieces))
    return {"path": node.path, "replaced": replaced, "lines_changed": len(lines)}


def _source(world: World, user: User, argument: str, path: str) -> Node:
    """A file to be read, or a refusal: not_found, or invalid_argument for a folder."""
    node = node_at(world, user, argument, path)
    need_file(node, "invalid_argument")
    return node


def _write(world: World, user: User, spot: Place, text: str) -> int:
    """Write a new file after the last checks; returns its bytes."""
    need_quota(user, len(text.encode()), 1)
    need_name(spot, "invalid_argument")
    create(world, user, [text_file(need_folder(spot).node_id, spot.name, text)])
    return len(text.encode())


def _checked(world: World, node: Node, spot: Place) -> list[str]:
    """The lines of a file whose output goes to a new place; refuses with permission_denied or binary_file."""
    need(node, READ)
    if spot.folder is not None:
        need(spot.folder, WRITE | ENTER)
    need_text(node)
    return lines_of(content_of(world, node))


@tool(
    "write",
    refusals=[
        "not_found",
        "invalid_argument",
        "permission_denied",
        "binary_file",
        "already_exists",
        "folder_not_found",
        "column_not_found",
        "quota_exceeded",
    ],
    idempotent=True,
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
        output_path: new file for the result
        order: ascending (default) or descending
        compare: text (default) or numeric, by the leading number
        column: sort by this comma-separated column, from 1; default the whole line
    """
    user = user_of(world)
    node = _source(world, user, "path", path)
    spot = place(world, user, "output_path", output_path)
    lines = _checked(world, node, spot)
    need_free(spot, "choose another output_path")
    need_folder(spot)
    keys = lines if column is None else _column(node, lines, column)
    ranks: list[Any] = [_leading_number(text) for text in keys] if compare == "numeric" else keys
    ranked = sorted(range(len(lines)), key=ranks.__getitem__, reverse=order == "descending")
    _write(world, user, spot, joined([lines[number] for number in ranked]))
    return {"output_path": spot.path, "lines": len(lines)}


def _leading_number(text: str) -> float:
    """The number at the beginning of a text, 0 if there is none."""
    found = NUMBER.match(text)
    return float(found[1]) if found else 0.0


def _column(node: Node, lines: list[str], column: int) -> list[str]:
    """One comma-separated column; an empty line counts as an empty one."""
    found = []
    for number, line in enumerate(lines, 1):
        parts = line.split(",")
        if line and len(parts) < column:
            has = f"line {number} of {node.path} has {len(parts)} columns"
            raise Refused("column_not_found", f"there is no column {column}: {has}; head_file shows them")
        found.append(parts[column - 1] if line else "")
    return found


OUTPUT_REFUSALS: Final = [
    "not_found",
    "invalid_argument",
    "permission_denied",
    "binary_file",
    "already_exists",
    "folder_not_found",
    "quota_exceeded",
]


@tool("write", refusals=OUTPUT_REFUSALS, idempotent=True)
def uniq_lines(world: World, path: FilePath, output_path: NewPath, counts: bool = False) -> results.Unique:
    """Drop repeated lines of a text file into a new file, keeping the first of each; on request with a count before
    each line.

    Args:
        path: text file
        output_path: new file for the result
        counts: true writes the number of occurrences before each line; default false
    """
    user = user_of(world)
    node = _source(world, user, "path", path)
    spot = place(world, user, "output_path", output_path)
    lines = _checked(world, node, spot)
    need_free(spot, "choose another output_path")
    need_folder(spot)
    seen = Counter(lines)
    _write(world, user, spot, joined([f"{number} {line}" if counts else line for line, number in seen.items()]))
    return {"output_path": spot.path, "lines": len(seen), "dropped": len(lines) - len(seen)}


@tool(
    "write",
    refusals=[
        "not_found",
        "invalid_argument",
        "permission_denied",
        "binary_file",
        "column_not_found",
        "already_exists",
        "folder_not_found",
        "quota_exceeded",
    ],
    idempotent=True,
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
        output_path: new file for the result
        delimiter: comma (default), tab, semicolon or space
    """
    user = user_of(world)
    node = _source(world, user, "path", path)
    spot = place(world, user, "output_path", output_path)
    sign = DELIMITERS[delimiter]
    made = []
    for number, line in enumerate(_checked(world, node, spot), 1):
        parts = line.split(sign)
        if line and len(parts) < max(columns):
            has = f"line {number} of {node.path} has {len(parts)}, split at each {delimiter}"
            raise Refused("column_not_found", f"there is no column {max(columns)}: {has}; head_file shows them")
        made.append(sign.join(parts[column - 1] for column in columns) if line else "")
    need_free(spot, "choose another output_path")
    need_folder(spot)
    _write(world, user, spot, joined(made))
    return {"output_path": spot.path, "lines": len(made), "columns": len(columns)}


@tool(
    "write",
    refusals=[
        "not_found",
        "invalid_argument",
        "permission_denied",
        "binary_file",
        "too_many_parts",
        "already_exists",
        "quota_exceeded",
    ],
    idempotent=True,
)
def split_file(world: World, path: FilePath, lines_per_part: Annotated[int, Field(ge=1, le=10_000)]) -> results.Parts:
    """Split a text file into numbered parts beside it, such as log.txt.001; the original stays.

    Args:
        path: text file
        lines_per_part: lines per part, 1 to 10000; at most 99 parts
    """
    user = user_of(world)
    node = _source(world, user, "path", path)
    folder = node.parent
    assert folder is not None, "a file lies in a folder"
    need(node, READ)
    need(folder, WRITE | ENTER)
    need_text(node)
    lines = lines_of(content_of(world, node))
    count = max(1, -(-len(lines) // lines_per_part))
    if count > MAX_PARTS:
        least = -(-len(lines) // MAX_PARTS)
        raise Refused("too_many_parts", f"{count} parts of {lines_per_part} lines are too many; take {least} or more")
    names = [f"{node.name}.{number:03d}" for number in range(1, count + 1)]
    for name in names:
        there = walk(world, user, folder.child(name), follow=False)
        if isinstance(there, Node):
            raise Refused("already_exists", f"{there.path} exists already; move it away first")
    parts = [
        text_file(folder.node_id, name, joined(lines[number * lines_per_part : (number + 1) * lines_per_part]))
        for number, name in enumerate(names)
    ]
    need_quota(user, sum(part.size for part in parts), count)
    if len(names[0]) > MAX_NAME:
        raise Refused(
            "invalid_argument", f"the names of the parts would be longer than {MAX_NAME} characters; mv renames"
        )
    create(world, user, parts)
    return {"path": node.path, "parts": [folder.child(name) for name in names], "count": count}


@tool("write", refusals=OUTPUT_REFUSALS, idempotent=True)
def concat_files(
    world: World,
    paths: Annotated[list[FilePath], Field(min_length=2, max_length=20)],
    output_path: NewPath,
) -> results.Joined:
    """Join two or more text files, in the given order, into a new file; the originals stay.

    Args:
        paths: 2 to 20 text files
        output_path: new file for the result
    """
    user = user_of(world)
    nodes = [_source(world, user, "", path) for path in paths]
    world.resolves("paths", [node.path for node in nodes])
    spot = place(world, user, "output_path", output_path)
    for node in nodes:
        need(node, READ)
    texts = [joined(_checked(world, node, spot)) for node in nodes]
    need_free(spot, "choose another output_path")
    need_folder(spot)
    whole = "".join(texts)
    return {"output_path": spot.path, "lines": whole.count("\n"), "bytes": _write(world, user, spot, whole)}
