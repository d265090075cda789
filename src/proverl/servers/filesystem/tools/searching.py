"""Looking for names and for text: find_files, grep_files."""

from __future__ import annotations

from bisect import bisect_right
from typing import Annotated, Any, Final, Literal, cast

from ....world.server import Field, World, tool
from ....world.values import iso, parse_time
from .. import results
from ..nodes import Node
from ..paths import find, optional_folder
from ..patterns import Glob, LinePattern, glob
from ..reading import PRINT_BYTES, content_of, ended, need_text
from ..results import EntryPath, FolderPath
from ..rights import BITS, READ, need, user_of
from ..walks import BELOW, OPEN

SHOWN: Final = 100
COUNTED: Final = 1_000

NAMED: Final = """
  AND (?3 = 0 OR length(b.name) >= ?3 AND substr(b.name, 1, length(?4)) = ?4
    AND (?5 = '' OR substr(b.name, -length(?5)) = ?5) AND (NOT ?6 OR b.name = ?4))
ORDER BY b.path
"""
FIND: Final = (
    BELOW
    + """
SELECT b.path, b.name, b.kind AS type, n.size, n.modified, COUNT(*) OVER () AS total
FROM below b CROSS JOIN node n ON n.node_id = b.node_id
WHERE b.depth > 0 AND (?7 IS NULL OR b.kind = ?7) AND n.size >= ?8 AND n.modified > ?9
"""
    + NAMED
    + "LIMIT ?10"
)
TEXTS: Final = (
    BELOW
    + """
SELECT b.path, b.name, n.content
FROM setting s CROSS JOIN below b CROSS JOIN node n ON n.node_id = b.node_id
WHERE b.kind = 'file' AND n.form = 'text' AND (?7 = '' OR instr(n.content, ?7) > 0)
  AND {BITS} & 4
""".replace("{BITS}", BITS)
    + NAMED
)


def _names(pattern: Glob | None) -> tuple[int, str, str, bool]:
    """What the query itself can ask of a name."""
    if pattern is None:
        return 0, "", "", False
    return pattern.least, pattern.head, pattern.tail, pattern.exact


@tool("read", refusals=["not_found", "not_a_folder", "permission_denied", "bad_pattern", "invalid_argument"])
def find_files(
    world: World,
    path: FolderPath | None = None,
    name: str | None = None,
    type: Literal["file", "folder", "link"] | None = None,
    min_size: Annotated[int, Field(ge=0)] | None = None,
    modified_after: str | None = None,
) -> results.Found:
    """Find entries below a folder by name pattern, type, size or age. Hidden ones count too; folders that you may not
    list are passed over. Returns absolute paths in alphabetical order, up to 100; count is of all that fit.

    Args:
        path: folder to start in, default the current one
        name: pattern for the whole name with * and ?, such as *.log, up to 200 characters
        type: file, folder or link
        min_size: at least this many bytes
        modified_after: changed after this ISO 8601 time
    """
    top = optional_folder(world, user_of(world), path)
    need(top, OPEN)
    pattern = None if name is None else glob(name)
    after = "" if modified_after is None else iso(parse_time(modified_after, "modified_after", world.offset))
    settled = pattern is None or pattern.settled
    limit = SHOWN if settled else -1
    rows = world.all(FIND, top.node_id, OPEN, *_names(pattern), type, min_size or 0, after, limit)
    if pattern is not None and not settled:
        rows = [row for row in rows if pattern.fits(row["name"])]
    count = rows[0]["total"] if rows and settled else len(rows)
    entries = [
        {"path": top.child(row["path"][1:]), "type": row["type"], "size": row["size"], "modified": row["modified"]}
        for row in rows[:SHOWN]
    ]
    return {"count": count, "truncated": count > SHOWN, "entries": cast(Any, entries)}


@tool("read", refusals=["not_found", "permission_denied", "bad_pattern", "binary_file"])
def grep_files(
    world: World,
    pattern: str,
    path: EntryPath | None = None,
    name: str | None = None,
    case: Literal["match", "ignore"] = "match",
) -> results.Matches:
    """Search text files for lines that match a regular expression (RE2 syntax), in one file or in all below a folder.
    Returns path, line number and line, up to 100 or 16 KB; count is of all lines that match, up to 1,000.

    Args:
        pattern: regular expression, 1 to 200 characters
        path: folder or file to search, default the current folder
        name: only files whose name fits this pattern with * and ?
        case: match (default) or ignore upper and lower case
    """
    node = find(world, user_of(world), "" if path is None else "path", path or ".")
    need(node, OPEN if node.kind == "folder" else READ)
    wanted = LinePattern(pattern, ignore_case=case == "ignore")
    names = None if name is None else glob(name)
    texts = _texts(world, node, names, wanted.literal)
    found: list[tuple[str, bytes, int, int]] = []
    for batch in [[text] for text in texts] if wanted.whole else [texts]:
        found.extend(_matches(batch, wanted, COUNTED + 1 - len(found)))
    shown: list[results.MatchingLine] = []
    room = PRINT_BYTES
    for where, text, begin, end in found[:SHOWN]:
        room -= end - begin
        if room < 0:
            break
        shown.append({"path": where, "line": text.count(b"\n", 0, begin) + 1, "text": text[begin:end].decode()})
    return {"count": min(len(found), COUNTED), "truncated": len(shown) < len(found), "matches": shown}


def _texts(world: World, node: Node, names: Glob | None, literal: str) -> list[tuple[str, bytes]]:
    """Path and bytes of the texts to be searched: those that hold the literal."""
    if node.kind != "folder":
        need_text(node)
        fits = names is None or names.fits(node.name)
        return [(node.path, ended(content_of(world, node)).encode())] if fits else []
    rows = world.all(TEXTS, node.node_id, OPEN, *_names(names), literal)
    if names is not None and not names.settled:
        rows = [row for row in rows if names.fits(row["name"])]
    return [(node.child(row["path"][1:]), ended(row["content"]).encode()) for row in rows]


def _matches(texts: list[tuple[str, bytes]], wanted: LinePattern, most: int) -> list[tuple[str, bytes, int, int]]:
    """Path and text of the files, with begin and end of each matching line.

    The texts are searched as one: a search costs more to begin than to run over a small file.
    """
    starts = [0]
    for _, text in texts:
        starts.append(starts[-1] + len(text))
    found = []
    for begin, end in wanted.lines(b"".join(text for _, text in texts), most):
        number = bisect_right(starts, begin) - 1
        found.append((*texts[number], begin - starts[number], end - starts[number]))
    return found
