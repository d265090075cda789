"""Operators on what only this project's code has: refusals in an order, dates, cents, finders of rows.

Does not cover: Python in general (python.py), SQL (sql.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from .faults import Edit, Source
from .python import Operator
from .syntax import Surroundings, bodies, live, name_of_call

MONEY = re.compile(r"(^|_)(amount|balance|cents|credit|fee|price|tip|total|refund|discount|paid|cost)s?($|_)")
READS = {"one", "value", "all"}
SPANS = {"days", "hours", "minutes", "weeks"}
MEMOISED = (
    "@(lambda find, kept={}: lambda world, *args, **named: kept[repr((args, named))] if repr((args, named)) in kept"
    " else kept.setdefault(repr((args, named)), find(world, *args, **named)))\n"
)


def swapped(source: Source, around: Surroundings) -> Iterator[Edit]:
    """Two checks that follow each other change places, where neither needs what the other binds."""
    for body in bodies(list(live(source))):
        for first, second in pairwise(body):
            if _refuses(first, around) and _refuses(second, around) and not _entangled(first, second):
                (start, middle), (again, end) = source.span(first), source.span(second)
                yield Edit(start, end, source.cut(second) + source.text[middle:again] + source.cut(first))


def _refuses(node: ast.stmt, around: Surroundings) -> bool:
    """A statement that may raise and changes nothing."""
    if isinstance(node, (ast.Raise, ast.Return, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    within = list(ast.walk(node))
    called = set(map(name_of_call, within))
    raising = any(isinstance(inner, ast.Raise) for inner in within) or bool(called & around.refusers)
    return raising and not called & around.writers


def _entangled(first: ast.stmt, second: ast.stmt) -> bool:
    def names(node: ast.stmt, kind: type[ast.expr_context]) -> set[str]:
        return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, kind)}

    stored, also = names(first, ast.Store), names(second, ast.Store)
    return bool(stored & (names(second, ast.Load) | also) or also & names(first, ast.Load))


def a_day(source: Source, around: Surroundings) -> Iterator[Edit]:
    """A span of time by one, a date by a day."""
    knows = any(
        isinstance(node, ast.ImportFrom) and any(alias.name == "timedelta" for alias in node.names)
        for node in source.tree.body
    )
    for node in live(source):
        if not isinstance(node, ast.Call):
            continue
        if name_of_call(node) == "timedelta":
            for one in node.keywords:
                if one.arg in SPANS:
                    yield from _one_more(source, one.value)
        elif knows and name_of_call(node) == "day" and len(node.args) == 1:
            yield Edit(*source.span(node.args[0]), f"{source.cut(node.args[0])} + timedelta(days=1)")
        elif knows and name_of_call(node) == "date" and not node.args and isinstance(node.func, ast.Attribute):
            yield Edit(*source.span(node), f"({source.cut(node)} + timedelta(days=1))")


def a_cent(source: Source, around: Surroundings) -> Iterator[Edit]:
    """An amount of money by a cent."""
    for node in live(source):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            if re.fullmatch(r"\d[\d_]*_\d\d", source.cut(node.value)):  # 500_00
                yield from _one_more(source, node.value)
        elif isinstance(node, ast.keyword) and MONEY.search(node.arg or ""):
            yield from _one_more(source, node.value)
        elif name_of_call(node) == "dollars" and isinstance(node, ast.Call) and len(node.args) == 1:
            yield from _one_more(source, node.args[0])


def _one_more(source: Source, node: ast.expr) -> Iterator[Edit]:
    if isinstance(node, ast.Constant):
        if type(node.value) is int:
            yield Edit(*source.span(node), str(node.value + 1))
    elif isinstance(node, (ast.IfExp, ast.BoolOp, ast.Compare)):
        yield Edit(*source.span(node), f"({source.cut(node)}) + 1")
    elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)):
        yield Edit(*source.span(node), f"{source.cut(node)} + 1")


def stale(source: Source, around: Surroundings) -> Iterator[Edit]:
    """A finder of rows keeps what it found in its module, over calls and sessions."""
    for node in source.tree.body:
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or not node.args.args:
            continue
        called = {name_of_call(one) for one in ast.walk(node)}
        if node.args.args[0].arg == "world" and called & READS and not called & around.writers and _gives(node):
            start = source.span(node)[0]
            yield Edit(start, start, MEMOISED)


def _gives(node: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Return) and one.value is not None for one in ast.walk(node))


OPERATORS: dict[str, Operator] = {"swapped": swapped, "a day": a_day, "a cent": a_cent, "stale": stale}
