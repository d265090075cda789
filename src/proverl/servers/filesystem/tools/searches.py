"""Looking for names and for text: find_files, grep_files."""

from __future__ import annotations

from bisect import bisect_right
from typing import Annotated, Any, Final, Literal, cast

from proverl.world.domain import Field, Moment, World, check_moment, iso, tool

from .. import results
from ..below import BELOW
from ..lines import PRINT_BYTES, content_of, ended
from ..nodes import LIST, READ, Node
from ..paths import walk
from ..patterns import LinePattern, find_glob
from ..results import EntryPath, FolderPath, Kind
from ..rules import check_allowed, check_found, check_links, check_texts, find_folder

SHOWN: Final = 100
COUNTED: Final = 1_000

FIND: Final = """
{BELOW}
SELECT b.path, b.kind AS type, n.size, n.modified, COUNT(*) OVER () AS total
FROM below b CROSS JOIN node n ON n.node_id = b.node_id
WHERE b.depth > 0 AND b.name GLOB ?3 AND (?4 IS NULL OR b.kind = ?4) AND n.size >= ?5 AND n.modified > ?6
ORDER BY b.path LIMIT ?7
""".replace("{BELOW}", BELOW)
TEXTS: Final = """
{BELOW}
SELECT b.path, n.content
FROM below b CROSS JOIN node_now n ON n.node_id = b.node_id
WHERE b.name GLOB ?3 AND n.form = 'text' AND instr(n.content, ?4) AND n.bits & 4
ORDER BY b.path
""".replace("{BELOW}", BELOW)


@tool(
    "read", refusals="invalid_argument not_found not_a_folder permission_denied broken_link too_many_links bad_pattern"
)
def find_files(
    world: World,
    path: FolderPath | None = None,
    name: str | None = None,
    type: Kind | None = None,
    min_size: Annotated[int, Field(ge=0)] | None = None,
    modified_after: Moment | None = None,
) -> results.Found:
    """Find entries below a folder by name pattern, type, size or age. Hidden ones count too; folders that you may not
    list are passed over. Returns absolute paths in alphabetical order, capitals first, up to 100; count is of all that
    fit.

    Args:
        path: folder to start in, default the current one
        name: pattern for the whole name with * and ?, such as *.log, up to 200 characters
        type: file, folder or link
        min_size: at least this many bytes
        modified_after: changed after this ISO 8601 time
    """
    after = "" if modified_after is None else iso(check_moment(modified_after, "modified_after", world.offset))
    top = find_folder(world, path)
    names = find_glob(name)
    rows = world.all(FIND, top.node_id, LIST, names, type, min_size or 0, after, SHOWN)
    count = rows[0]["total"] if rows else 0
    entries = [
        {"path": top.child(row["path"][1:]), "type": row["type"], "size": row["size"], "modified": row["modified"]}
        for row in rows
    ]
    return {"count": count, "truncated": count > SHOWN, "entries": cast(Any, entries)}


@tool("read", refusals="not_found permission_denied broken_link too_many_links bad_pattern binary_file")
def grep_files(
    world: World,
    pattern: str,
    path: EntryPath | None = None,
    name: str | None = None,
    case: Literal["match", "ignore"] = "match",
) -> results.Matches:
    """Search text files for lines that match a regular expression (RE2 syntax), in one file or in all below a folder;
    hidden ones too, but not those that you may not read or list. Each line is looked at alone, without its newline.
    Returns path, line number and line, up to 100 or 16 KB; count is of all lines that match, up to 1,000.

    Args:
        pattern: regular expression, 1 to 200 characters
        path: folder or file to search, default the current folder
        name: only files whose name fits this pattern with * and ?
        case: match (default) or ignore upper and lower case
    """
    node = walk(world, "path", path)
    check_found("not_found", node)
    check_allowed(LIST if node.kind == "folder" else READ, node)
    check_links(node)
    wanted = LinePattern(pattern, ignore_case=case == "ignore")
    names = find_glob(name)
    if node.kind != "folder":
        check_texts(node)
    found = _matches(_texts(world, node, names, wanted.literal), wanted)
    shown: list[results.MatchingLine] = []
    room = PRINT_BYTES
    for where, text, begin, end in found[:SHOWN]:
        room -= end - begin
        if room < 0:
            break
        shown.append({"path": where, "line": text.count(b"\n", 0, begin) + 1, "text": text[begin:end].decode()})
    return {"count": min(len(found), COUNTED), "truncated": len(shown) < len(found), "matches": shown}


def _texts(world: World, node: Node, names: str, literal: str) -> list[tuple[str, bytes]]:
    """Path and bytes of the texts to be searched: those that hold the literal."""
    if node.kind != "folder":
        fits = world.value("SELECT ? GLOB ?", node.name, names)
        return [(node.path, ended(content_of(world, node)).encode())] if fits else []
    rows = world.all(TEXTS, node.node_id, LIST, names, literal)
    return [(node.child(row["path"][1:]), ended(row["content"]).encode()) for row in rows]


def _matches(texts: list[tuple[str, bytes]], wanted: LinePattern) -> list[tuple[str, bytes, int, int]]:
    """Path and text of the files, with begin and end of each matching line, one more than are counted.

    The texts are searched as one: a search costs more to begin than to run over a small file.
    """
    starts = [0]
    for _, text in texts:
        starts.append(starts[-1] + len(text))
    found = []
    for begin, end in wanted.lines(b"".join(text for _, text in texts), COUNTED + 1):
        number = bisect_right(starts, begin) - 1
        found.append((*texts[number], begin - starts[number], end - starts[number]))
    return found
