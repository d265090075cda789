"""Operators on SQL: in schema.sql, and in the strings of Python files that hold a statement or a part of one.

Covers: conditions, comparisons, order, limits, SET, joins. In schema.sql only views and triggers: constraints and
indexes are a net under the tools, and no session can tell that they are gone. A condition that holds a parameter is
made true where it stands, for a statement with a parameter too few would fail at the first touch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from .faults import Edit, Source
from .syntax import Surroundings, live

LOOKS = re.compile(
    r"\b(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM|FROM|WHERE|ORDER BY|GROUP BY|UNION ALL|JOIN|LIMIT|AND NOT)\b"
    r"|^\s*[\w.]+ (<=|>=|<>|<|>|=) \?\d*\s*$"
)
TOKEN = re.compile(
    r"(?P<gap>\s+|--[^\n]*)|(?P<text>'(?:[^']|'')*')|(?P<hole>\{[^{}]*\})|(?P<word>[A-Za-z_]\w*)|(?P<number>\d[\d_.]*)"
    r"|(?P<parameter>\?\d*|:\w+)|(?P<sign><=|>=|<>|!=|==|\|\||->>|->|<<|>>|.)",
    re.DOTALL,
)
LITERAL = re.compile(r"""(?P<prefix>[rRbBfFuU]{0,2})(?P<quote>'{3}|"{3}|'|")""")
ENDS = frozenset(
    {
        *("AND", "OR", "ON", "JOIN", "LEFT", "INNER", "CROSS", "WHERE", "HAVING", "WHEN", "THEN", "ELSE"),
        *("GROUP", "ORDER", "ASC", "DESC", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "WINDOW"),
        *("SELECT", "FROM", "AS", "SET", "VALUES", "DO", "RETURNING"),
    }
)
"""Words that end a term of a condition."""


class Token(NamedTuple):
    """A word or sign of SQL; `depth` counts the brackets and CASEs around it."""

    kind: str
    text: str
    start: int
    end: int
    depth: int

    @property
    def word(self) -> str:
        """The word in capitals, or the sign; empty for the AND of a BETWEEN."""
        return "" if self.kind == "between" else self.text.upper()


def tokens(text: str) -> list[Token]:
    """The words and signs of SQL; comments and blanks are left out."""
    found: list[Token] = []
    depth = 0
    open_betweens: list[int] = []  # their depths
    for match in TOKEN.finditer(text):
        if match.lastgroup == "gap":
            continue
        word = match[0].upper()
        depth -= word in (")", "END")
        kind = str(match.lastgroup)
        if word == "BETWEEN":
            open_betweens.append(depth)
        elif word == "AND" and open_betweens and open_betweens[-1] == depth:
            open_betweens.pop()
            kind = "between"
        found.append(Token(kind, match[0], match.start(), match.end(), depth))
        depth += word in ("(", "CASE")
    return found


SqlOperator = Callable[[list[Token], str], Iterator[Edit]]


def _end(words: list[Token], start: int, stops: frozenset[str] = ENDS) -> int:
    """The index behind the term that begins at `start`."""
    depth = words[start].depth if start < len(words) else 0
    for index in range(start, len(words)):
        one = words[index]
        if one.depth < depth or (one.depth == depth and (one.word in stops or one.text in (",", ";"))):
            return index
    return len(words)


def _begin(words: list[Token], end: int) -> int:
    """The index at which the term begins that ends before `end`."""
    depth = words[end].depth
    for index in range(end - 1, -1, -1):
        one = words[index]
        if one.depth < depth or (one.depth == depth and (one.word in ENDS or one.text in (",", ";"))):
            return index + 1
    return 0


def _true(words: list[Token], text: str, start: int, end: int) -> Edit | None:
    """A term that always holds; None where it is not seen whole."""
    term = words[start:end]
    if (
        not term
        or any(one.kind == "hole" for one in term)
        or sum(t.text == "(" for t in term) != sum(t.text == ")" for t in term)
    ):
        return None
    first, last = term[0].start, term[-1].end
    kept = any(one.kind == "parameter" for one in term)
    return Edit(first, last, f"({text[first:last]} OR TRUE)" if kept else "TRUE")


def conditions(words: list[Token], text: str) -> Iterator[Edit]:
    """A term of AND goes, or a WHERE of one term without a parameter."""
    spans = {}
    for index, one in enumerate(words):
        if one.word == "AND":
            spans[_begin(words, index)] = index
            spans[index + 1] = _end(words, index + 1)
        elif one.word == "WHERE":
            end = _end(words, index + 1)
            alone = end == len(words) or words[end].word not in ("AND", "OR")
            if alone and not any(inner.kind == "parameter" for inner in words[index:end]):
                spans[index + 1] = end
    for start, end in sorted(spans.items()):
        edit = _true(words, text, start, end)
        if edit:
            yield edit


def boundaries(words: list[Token], text: str) -> Iterator[Edit]:
    """`<` to `<=`, and the like."""
    other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
    for one in words:
        if one.text in other:
            yield Edit(one.start, one.end, other[one.text])


def equalities(words: list[Token], text: str) -> Iterator[Edit]:
    """Equal to a fixed value becomes unequal, and back; IS NULL becomes IS NOT NULL; a NOT goes."""
    for before, one, after in zip([None, *words], words, [*words[1:], None], strict=False):
        follows = after.word if after else ""
        if one.text in ("<>", "!="):
            yield Edit(one.start, one.end, "=")
        elif one.text == "=" and after and after.kind in ("text", "number") and not _assigns(words, one):
            yield Edit(one.start, one.end, "<>")
        elif one.word == "IS" and follows == "NULL":
            yield Edit(one.end, one.end, " NOT")
        elif one.word == "NOT" and follows not in ("", "EXISTS") and after:
            if follows != "NULL" or (before and before.word == "IS"):
                yield Edit(one.start, after.start, "")
        elif one.word == "EXISTS" and not (before and before.word in ("IF", "NOT")):
            yield Edit(one.start, one.start, "NOT ")


def _assigns(words: list[Token], sign: Token) -> bool:
    """Whether a sign of equality stands in a SET."""
    clause = [
        w.word for w in words if w.start < sign.start and w.depth == sign.depth and w.word in ENDS - {"AND", "OR"}
    ]
    return bool(clause) and clause[-1] == "SET"


def directions(words: list[Token], text: str) -> Iterator[Edit]:
    """A key of ORDER BY goes the other way round."""
    stops = frozenset({"LIMIT", "UNION", "ROWS", "RANGE", "OFFSET", "RETURNING", "ASC", "DESC"})
    for index, one in enumerate(words[:-1]):
        if one.word != "ORDER" or words[index + 1].word != "BY":
            continue
        start = index + 2
        while start < len(words):
            end = _end(words, start, stops)
            if end == start:
                break
            if end < len(words) and words[end].word in ("ASC", "DESC"):
                yield Edit(words[end].start, words[end].end, "DESC" if words[end].word == "ASC" else "ASC")
                end += 1
            elif not any(inner.kind == "hole" for inner in words[start:end]):
                yield Edit(words[end - 1].end, words[end - 1].end, " DESC")
            if end >= len(words) or words[end].text != ",":
                break
            start = end + 1


def limits(words: list[Token], text: str) -> Iterator[Edit]:
    """LIMIT and OFFSET by one."""
    for one, after in pairwise(words):
        if one.word in ("LIMIT", "OFFSET"):
            if after.kind == "number":
                yield Edit(after.start, after.end, str(int(after.text) - 1))
            elif after.kind in ("parameter", "hole"):
                yield Edit(after.end, after.end, " - 1" if one.word == "LIMIT" else " + 1")


def assignments(words: list[Token], text: str) -> Iterator[Edit]:
    """A column of a SET keeps its value."""
    for index, one in enumerate(words):
        start = index + 1
        while one.word == "SET" and start + 2 < len(words) and words[start + 1].text == "=":
            end = _end(words, start + 2, frozenset({"WHERE", "FROM", "RETURNING"}))
            value = words[start + 2 : end]
            if not value or any(inner.kind == "hole" for inner in value):
                break
            first, last, column = value[0].start, value[-1].end, words[start].text
            kept = any(inner.kind == "parameter" for inner in value)
            yield Edit(first, last, f"iif(TRUE, {column}, {text[first:last]})" if kept else column)
            if end >= len(words) or words[end].text != ",":
                break
            start = end + 1


def joins(words: list[Token], text: str) -> Iterator[Edit]:
    """The condition of a join goes, or LEFT JOIN becomes JOIN."""
    for index, (one, after) in enumerate(pairwise(words)):
        if one.word == "LEFT" and after.word == "JOIN":
            yield Edit(one.start, after.start, "")
        elif one.word == "ON" and after.word not in ("CONFLICT", "DELETE", "UPDATE"):
            edit = _true(words, text, index + 1, _end(words, index + 1, ENDS - {"AND", "OR"}))
            if edit:
                yield edit


def sums(words: list[Token], text: str) -> Iterator[Edit]:
    """`+` to `-`, min to max, DISTINCT goes."""
    other = {"+": "-", "-": "+", "MIN": "max", "MAX": "min"}
    for before, one, after in zip(words, words[1:], [*words[2:], None], strict=False):
        if one.text in ("+", "-") and (before.text == ")" or before.kind in ("word", "number", "parameter")):
            yield Edit(one.start, one.end, other[one.text])
        elif one.word in ("MIN", "MAX") and after and after.text == "(":
            yield Edit(one.start, one.end, other[one.word])
        elif one.word == "DISTINCT" and after:
            yield Edit(one.start, after.start, "")


OPERATORS: dict[str, SqlOperator] = {
    "sql condition": conditions,
    "sql boundary": boundaries,
    "sql equality": equalities,
    "sql direction": directions,
    "sql limit": limits,
    "sql assignment": assignments,
    "sql join": joins,
    "sql sum": sums,
}


def edits(source: Source, operator: SqlOperator, around: Surroundings) -> Iterator[Edit]:
    """The faults of one operator in a schema, or in all SQL of a Python file."""
    if source.file.endswith(".sql"):
        for start, text in _views(source.text):
            for edit in operator(tokens(text), text):
                moved = Edit(start + edit.start, start + edit.end, edit.text)
                if around.still_schema(source.text[: moved.start] + moved.text + source.text[moved.end :]):
                    yield moved
        return
    for node in live(source):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            pieces = _pieces(source, node)
            text = "".join(source.text[start:end] for start, end in pieces)
            if LOOKS.search(text):
                for edit in operator(tokens(text), text):
                    placed = _placed(edit, pieces)
                    if placed and around.still_sql(text, text[: edit.start] + edit.text + text[edit.end :]):
                        yield placed


def _views(text: str) -> Iterator[tuple[int, str]]:
    """Each view and trigger of a schema, with the offset at which its text begins."""
    start = 0
    words = tokens(text)
    for one in words:
        if one.text == ";" and one.depth == 0:
            kinds = [word.word for word in words if start <= word.start < one.start][:3]
            if {"VIEW", "TRIGGER"} & set(kinds):
                yield start, text[start : one.end]
            start = one.end


def _pieces(source: Source, node: ast.AST) -> list[tuple[int, int]]:
    """Where the characters of a string stand, one span for each literal of those that are written side by side."""
    at, end = source.span(node)
    found = []
    while at < end:
        literal = LITERAL.match(source.text, at)
        if literal is None:  # a blank, a line break, or a comment between literals
            at = source.text.index("\n", at) if source.text[at] == "#" else at + 1
            continue
        start, quote = literal.end(), literal["quote"]
        close = re.compile(rf"(?:\\.|(?!{quote}).)*", re.DOTALL).match(source.text, start)
        assert close is not None
        found.append((start, close.end()))
        at = close.end() + len(quote)
    return found


def _placed(edit: Edit, pieces: list[tuple[int, int]]) -> Edit | None:
    """An edit of the joined text as one of the file; None where it reaches over two literals."""
    before = 0
    for start, end in pieces:
        if before <= edit.start and edit.end <= before + end - start:
            return Edit(start + edit.start - before, start + edit.end - before, edit.text)
        before += end - start
    return None
