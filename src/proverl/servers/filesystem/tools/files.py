"""Single files and what is in them: stat, print, count, check, touch, write and change."""

from __future__ import annotations

import hashlib
from typing import Annotated, Final, Literal

from proverl.world.domain import FREE, Field, World, refuse, shown, tool

from .. import results
from ..below import bytes_alone, count_names, find_below
from ..changes import store_new, store_text, store_times, store_trashed, text_file
from ..lines import (
    PRINT_BYTES,
    content_of,
    ended,
    find_texts,
    first_part,
    joined,
    last_part,
    lines_of,
    printed,
    raw_bytes,
)
from ..nodes import CHANGE, READ, WRITE, octal
from ..paths import walk
from ..results import EntryPath, FilePath, IfExists, LinkPath, NewPath
from ..rules import (
    check_allowed,
    check_files,
    check_found,
    check_free,
    check_links,
    check_name,
    check_parent,
    check_quota,
    check_replaced,
    check_size,
    find_entry,
)

TEXT_REFUSALS: Final = "not_found is_a_folder permission_denied binary_file broken_link too_many_links"
APPENDED_BYTES: Final = 4_096
LineCount = Annotated[int, Field(ge=1, le=200)]


@tool("read", refusals="not_found permission_denied broken_link too_many_links")
def stat_file(world: World, path: EntryPath) -> results.Status:
    """Show type, mode, owner, group, size, time of modification, hard-link count and, for a symbolic link, its target;
    a link at the end of the path is not followed.

    Args:
        path: file, folder or link
    """
    node = find_entry(world, "path", path, follow=False)
    count = count_names(world, node)
    return shown(results.Status, node.row, type=node.kind, mode=octal(node.mode), link_count=count)


@tool("read", refusals="not_found permission_denied broken_link too_many_links")
def realpath_of(world: World, path: LinkPath) -> results.RealPath:
    """Follow a symbolic link through every step and give the absolute path at its end, what is there, and the number
    of links on the way.

    Args:
        path: link, or any path
    """
    end = find_entry(world, "path", path)
    start = walk(world, "path", path, follow=False)
    return {"path": start.path, "real_path": end.path, "type": end.kind or "file", "steps": end.links}


@tool("read", refusals=TEXT_REFUSALS)
def cat(world: World, path: FilePath) -> results.Printed:
    """Print a text file, up to 16 KB or 400 lines; lines is the number of all its lines.

    Args:
        path: text file
    """
    (node,) = find_texts(world, path=path)
    text = content_of(world, node)
    content, truncated = printed(text)
    return {"path": node.path, "content": content, "lines": len(lines_of(text)), "truncated": truncated}


@tool("read", refusals=TEXT_REFUSALS)
def head_file(world: World, path: FilePath, lines: LineCount = 10) -> results.Printed:
    """Print the first lines of a text file, of these the first 16 KB; lines is the number of lines printed.

    Args:
        path: text file
        lines: 1 to 200, default 10
    """
    (node,) = find_texts(world, path=path)
    part = joined(lines_of(content_of(world, node))[:lines])
    content = first_part(part)
    return {"path": node.path, "content": content, "lines": len(lines_of(content)), "truncated": content != part}


@tool("read", refusals=TEXT_REFUSALS)
def tail_file(world: World, path: FilePath, lines: LineCount = 10) -> results.Printed:
    """Print the last lines of a text file, of these the last 16 KB; lines is the number of lines printed.

    Args:
        path: text file
        lines: 1 to 200, default 10
    """
    (node,) = find_texts(world, path=path)
    part = joined(lines_of(content_of(world, node))[-lines:])
    content = last_part(part)
    return {"path": node.path, "content": content, "lines": len(lines_of(content)), "truncated": content != part}


@tool("read", refusals=TEXT_REFUSALS)
def wc_file(world: World, path: FilePath) -> results.Counted:
    """Count lines, words and bytes of a text file.

    Args:
        path: text file
    """
    (node,) = find_texts(world, path=path)
    text = content_of(world, node)
    return {"path": node.path, "lines": len(lines_of(text)), "words": len(text.split()), "bytes": node.size}


@tool("read", refusals="not_found is_a_folder permission_denied broken_link too_many_links")
def checksum_file(
    world: World, path: FilePath, algorithm: Literal["md5", "sha1", "sha256"] = "sha256"
) -> results.Checksum:
    """Compute the checksum of a file, text or binary.

    Args:
        path: file
        algorithm: md5, sha1 or sha256 (default)
    """
    node = walk(world, "path", path)
    check_found("not_found", node)
    check_files("is_a_folder", node)
    check_allowed(READ, node)
    check_links(node)
    digest = hashlib.new(algorithm, raw_bytes(world, node), usedforsecurity=False).hexdigest()
    return {"path": node.path, "algorithm": algorithm, "checksum": digest}


# Writing


@tool(
    "write",
    refusals="folder_not_found permission_denied broken_link too_many_links is_a_folder quota_exceeded bad_name",
    idempotent=True,
)
def touch(world: World, path: NewPath) -> results.Touched:
    """Create an empty file, or set the modification time of an existing one to now.

    Args:
        path: file to create or touch, up to 1,024 characters
    """
    spot = walk(world, "path", path)
    created = spot.stop is not None
    if created:
        check_parent(spot)
        check_allowed(CHANGE, spot.folder)
        check_links(spot)
        check_quota(spot.user, 0, 1)
        check_name(spot, "bad_name")
        store_new(world, spot.user, [text_file(spot.folder.node_id, spot.name, "")])
    else:
        check_allowed(0 if spot.owner == spot.user.login else WRITE, spot)
        check_files("is_a_folder", spot)
        store_times(world, spot.node_id)
    return {"path": spot.path, "created": created, "modified": world.moment}


@tool(
    "write",
    refusals="invalid_argument folder_not_found already_exists is_a_folder permission_denied broken_link "
    "too_many_links quota_exceeded bad_name",
    unechoed={"if_exists": "created says whether a file was replaced"},
)
def write_file(
    world: World,
    path: NewPath,
    content: Annotated[str, FREE, Field(max_length=PRINT_BYTES)],
    if_exists: IfExists = "keep",
) -> results.Written:
    """Write text into a new file, or over an existing one with if_exists replace, which puts the old one into the
    trash. A last line without a newline gets one.

    Args:
        path: file to write, up to 1,024 characters
        content: text, up to 16 KB (16,384 bytes)
        if_exists: keep (default, fails) or replace the file
    """
    check_size("content", content, PRINT_BYTES)
    spot = walk(world, "path", path)
    check_parent(spot)
    if if_exists == "keep":
        check_free(spot, "use if_exists replace, append_file, or another name")
    check_files("is_a_folder", spot)
    gone = find_below(world, spot)
    check_replaced(spot, gone)
    check_links(spot)
    new = text_file(spot.folder.node_id, spot.name, ended(content))
    check_quota(spot.user, new.size - bytes_alone(world, gone), 1 - len(gone))
    check_name(spot, "bad_name")
    if gone:
        store_trashed(world, spot, gone)
    store_new(world, spot.user, [new])
    return {"path": spot.path, "bytes": new.size, "created": not gone}


@tool(
    "write",
    refusals="invalid_argument not_found is_a_folder permission_denied binary_file broken_link too_many_links "
    "quota_exceeded",
)
def append_file(
    world: World, path: FilePath, content: Annotated[str, FREE, Field(min_length=1, max_length=APPENDED_BYTES)]
) -> results.Appended:
    """Add text as new lines at the end of an existing text file. Returns how many lines and bytes it has now.

    Args:
        path: text file
        content: text to add, up to 4 KB (4,096 bytes)
    """
    check_size("content", content, APPENDED_BYTES)
    (node,) = find_texts(world, WRITE, path=path)
    text = ended(content_of(world, node)) + ended(content)
    check_quota(node.user, len(text.encode()) - node.size, 0)
    return {"path": node.path, "lines": len(lines_of(text)), "bytes": store_text(world, node, text)}


@tool(
    "write",
    refusals="not_found is_a_folder permission_denied binary_file broken_link too_many_links no_match quota_exceeded",
    repeats="what was replaced may hold the text again",
    unechoed={"which": "replaced says how often the text was replaced"},
)
def sed_replace(
    world: World,
    path: FilePath,
    find: Annotated[str, Field(min_length=1, max_length=500)],
    replacement: Annotated[str, Field(max_length=2_000)],
    which: Literal["every", "first"] = "every",
) -> results.Replaced:
    """Replace literal text in a text file, every time it occurs or only the first. Fails if it does not occur. A last
    line that is left without a newline gets one.

    Args:
        path: text file
        find: text to look for, 1 to 500 characters, case matters
        replacement: text to put there, up to 2,000 characters, may be empty
        which: every (default) or first occurrence
    """
    (node,) = find_texts(world, READ | WRITE, path=path)
    pieces = content_of(world, node).split(find, 1 if which == "first" else -1)
    replaced = len(pieces) - 1
    if not replaced:
        refuse("no_match", f"{find!r} does not occur in {node.path}; cat or grep_files shows what does")
    # Counted before the text is made: a short text times a long replacement must not take the machine's memory.
    check_quota(node.user, replaced * (len(replacement.encode()) - len(find.encode())), 0)
    text = ended(replacement.join(pieces))
    check_quota(node.user, len(text.encode()) - node.size, 0)
    lines = set()
    line = 0
    for piece in pieces[:-1]:
        line += piece.count("\n")
        lines.add(line)
        line += find.count("\n")
    store_text(world, node, text)
    return {"path": node.path, "replaced": replaced, "lines_changed": len(lines)}
