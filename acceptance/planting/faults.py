"""A source file, and a fault in it: one place of the text replaced by another text.

Covers: offsets in a text, the fault as a patch, the name under which a fault is known. Does not cover: which faults
there are (python.py, bodies.py, sql.py).
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple


class Edit(NamedTuple):
    """The characters from `start` up to `end` of a text become `text`."""

    start: int
    end: int
    text: str


class Source:
    """A file of the checkout: `file` is its path from the root with forward slashes."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._lines = re.findall(r"[^\n]*\n|[^\n]+", text)
        self._starts = [0, *accumulate(map(len, self._lines))]

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax of a Python file."""
        return ast.parse(self.text)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node stands in the text."""
        assert isinstance(node, (ast.expr, ast.stmt, ast.keyword, ast.arg))
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def cut(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def between(self, left: ast.AST, right: ast.AST) -> tuple[int, str]:
        """Where the text between two nodes begins, and that text with blanks for comments."""
        start, end = self.span(left)[1], self.span(right)[0]
        return start, re.sub(r"#[^\n]*", lambda found: " " * len(found[0]), self.text[start:end])

    def line(self, offset: int) -> int:
        """The number of the line, from 1, in which an offset lies."""
        return min(bisect_right(self._starts, offset), max(len(self._lines), 1))

    def _offset(self, line: int, column: int) -> int:
        text = self._lines[line - 1]  # columns count bytes of UTF-8
        return self._starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode()))


@dataclass(frozen=True)
class Fault:
    """One fault: the place, the operator that made it, and the text as it was and becomes."""

    file: str
    operator: str
    line: int
    before: str
    after: str

    @cached_property
    def patch(self) -> str:
        """The fault as a unified diff of the file."""
        return "".join(_difference(self.before, self.after, self.file))

    @cached_property
    def name(self) -> str:
        """A hash of the patch without its line numbers, so that code which only moves keeps its name."""
        return name_of(self.patch)


def name_of(patch: str) -> str:
    """The name of the fault that this patch plants: 16 hex digits."""
    return hashlib.sha256(re.sub(r"(?m)^@@.*$", "@@", patch).encode()).hexdigest()[:16]


def plant(source: Source, operator: str, edit: Edit) -> Fault | None:
    """The fault of an edit, None where the result does not parse or means the same."""
    after = source.text[: edit.start] + edit.text + source.text[edit.end :]
    if after == source.text:
        return None
    if source.file.endswith(".py"):
        try:
            tree = ast.parse(after)
            compile(tree, source.file, "exec", dont_inherit=True)  # a `return` outside a function parses
        except SyntaxError:
            return None
        if ast.dump(tree) == ast.dump(source.tree):
            return None
    return Fault(source.file, operator, source.line(edit.start), source.text, after)


def _difference(before: str, after: str, file: str) -> Iterator[str]:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{file}", f"b/{file}"
    )
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
