"""Operators on Python code in general: comparisons, logic, numbers, statements, arguments.

Each takes a file and yields edits, every one of them a fault of its own. plant() (faults.py) drops those that do not
compile. Does not cover: what only this project's code has (bodies.py), SQL (sql.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from .faults import Edit, Source
from .syntax import Function, Surroundings, bodies, functions, is_docstring, live, name_of_call

Operator = Callable[[Source, Surroundings], Iterator[Edit]]

BOUNDARIES: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}
EQUALITIES: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
}


def boundary(source: Source, around: Surroundings) -> Iterator[Edit]:
    """`<` to `<=`, and the like; not for a number drawn from a continuum, which never lies on the boundary."""
    yield from _compared(source, BOUNDARIES)


def equality(source: Source, around: Surroundings) -> Iterator[Edit]:
    """`==` to `!=`, `is` to `is not`, `in` to `not in`, and back."""
    yield from _compared(source, EQUALITIES)


def _compared(source: Source, table: dict[type[ast.cmpop], tuple[str, str]]) -> Iterator[Edit]:
    for node in live(source):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, operator, right in zip(sides, node.ops, node.comparators, strict=False):
                if type(operator) in table and "random" not in (name_of_call(left), name_of_call(right)):
                    sign, other = table[type(operator)]
                    yield from _in_between(source, left, right, sign, other)


def _in_between(source: Source, left: ast.AST, right: ast.AST, sign: str, other: str) -> Iterator[Edit]:
    start, gap = source.between(left, right)
    found = re.search(sign, gap)
    if found:
        yield Edit(start + found.start(), start + found.end(), other)


def logic(source: Source, around: Surroundings) -> Iterator[Edit]:
    """One `and` to `or`, one `or` to `and`."""
    for node in live(source):
        if isinstance(node, ast.BoolOp):
            sign, other = (r"\band\b", "or") if isinstance(node.op, ast.And) else (r"\bor\b", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from _in_between(source, left, right, sign, other)


def condition(source: Source, around: Surroundings) -> Iterator[Edit]:
    """One term of a condition counts no more."""
    for node in live(source):
        if isinstance(node, ast.BoolOp) and all(
            isinstance(v, (ast.Compare, ast.UnaryOp, ast.BoolOp)) for v in node.values
        ):
            for value in node.values:
                yield Edit(*source.span(value), "True" if isinstance(node.op, ast.And) else "False")


def negation(source: Source, around: Surroundings) -> Iterator[Edit]:
    """A `not` goes, or a condition is turned around."""
    for node in live(source):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            start = source.span(node)[0]
            found = re.match(r"not\s*", source.text[start:])
            if found:
                yield Edit(start, start + found.end(), "")
        tests = [node.test] if isinstance(node, (ast.If, ast.IfExp)) else []
        tests += node.ifs if isinstance(node, ast.comprehension) else []
        for test in tests:
            if not isinstance(test, (ast.UnaryOp, ast.Compare)):  # those have operators of their own
                yield Edit(*source.span(test), f"(not ({source.cut(test)}))")


def arithmetic(source: Source, around: Surroundings) -> Iterator[Edit]:
    """`+` to `-`, `*` to `//`, and back; `+=` to `-=`."""
    turned: dict[type[ast.operator], tuple[str, str]] = {
        ast.Add: (r"\+", "-"),
        ast.Sub: ("-", "+"),
        ast.Mult: (r"\*", "//"),
        ast.FloorDiv: ("//", "*"),
    }
    for node in live(source):
        if (
            isinstance(node, ast.BinOp)
            and type(node.op) in turned
            and not (_is_text(node.left) or _is_text(node.right))
        ):
            yield from _in_between(source, node.left, node.right, *turned[type(node.op)])
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)) and not _is_text(node.value):
            sign, other = (r"\+=", "-=") if isinstance(node.op, ast.Add) else ("-=", "+=")
            yield from _in_between(source, node.target, node.value, sign, other)


def _is_text(node: ast.AST) -> bool:
    """A string or a list as far as one can see: neither can be subtracted, so any run of the line would show that."""
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, ast.IfExp):
        return _is_text(node.body) or _is_text(node.orelse)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes))
    shown = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Dict)
    return isinstance(node, shown) or name_of_call(node) in {
        "join",
        "choices",
        "sample",
        "list",
        "sorted",
        "str",
        "format",
    }


def number(source: Source, around: Surroundings) -> Iterator[Edit]:
    """A whole number by one, up and down."""
    for node in live(source):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            for other in (node.value + 1, node.value - 1):
                yield Edit(*source.span(node), str(other) if other >= 0 else f"({other})")


def truth(source: Source, around: Surroundings) -> Iterator[Edit]:
    """True to False and back."""
    for node in live(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield Edit(*source.span(node), str(not node.value))


def early_return(source: Source, around: Surroundings) -> Iterator[Edit]:
    """A function that returns nothing returns before it is done."""
    for function in _live_functions(source):
        inner = list(ast.walk(function))
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) or (isinstance(n, ast.Return) and n.value) for n in inner):
            continue
        body = [one for one in function.body if not is_docstring(one)]
        for statement in body[1:]:
            start = source.span(statement)[0]
            yield Edit(start, start, "return\n" + " " * statement.col_offset)


def _live_functions(source: Source) -> list[Function]:
    seen = set(map(id, live(source)))
    return [function for function in functions(source.tree) if id(function) in seen]


def statement(source: Source, around: Surroundings) -> Iterator[Edit]:
    """A call, a check or an assignment goes, where the names that the rest needs stay bound."""
    nodes = list(live(source))
    for function in _live_functions(source):
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        bound = [(one.arg, 0) for one in ast.walk(function.args) if isinstance(one, ast.arg)]
        bound += [(one.id, one.lineno) for one in names]
        for body in bodies([node for node in nodes if node is function or _within(node, function)]):
            for one in body:
                if _may_go(one, bound):
                    yield Edit(*source.span(one), "pass")


def _within(node: ast.AST, function: Function) -> bool:
    line = getattr(node, "lineno", 0)
    return function.lineno < line <= (function.end_lineno or 0)


def _may_go(node: ast.stmt, bound: list[tuple[str, int]]) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, (ast.Call, ast.Await))
    if isinstance(node, ast.If):
        return not node.orelse and isinstance(
            node.body[-1], (ast.Raise, ast.Return, ast.Continue, ast.Expr, ast.Assign)
        )
    if isinstance(node, ast.AugAssign):
        return True
    if isinstance(node, ast.Assign):
        names = [one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)]
        stored = [target for target in node.targets if isinstance(target, (ast.Attribute, ast.Subscript))]
        before = {name for name, line in bound if line < node.lineno}
        return len(stored) == len(node.targets) or before.issuperset(names)
    return False


def extreme(source: Source, around: Surroundings) -> Iterator[Edit]:
    """`min` to `max` and back."""
    for node in live(source):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            yield Edit(*source.span(node.func), "max" if node.func.id == "min" else "min")


def part(source: Source, around: Surroundings) -> Iterator[Edit]:
    """A bound of a slice goes, or lies one further."""
    for node in live(source):
        if isinstance(node, ast.Slice):
            for bound in (node.lower, node.upper):
                if bound is not None and node.step is None:
                    yield Edit(*source.span(bound), "")
                    if not isinstance(bound, (ast.Constant, ast.UnaryOp)):  # numbers have an operator of their own
                        yield Edit(*source.span(bound), f"{source.cut(bound)} + 1")


def order(source: Source, around: Surroundings) -> Iterator[Edit]:
    """What is sorted is not, or by another key, or the other way round."""
    for node in live(source):
        if not isinstance(node, ast.Call) or name_of_call(node) not in ("sorted", "sort"):
            continue
        names = {keyword.arg for keyword in node.keywords}
        if isinstance(node.func, ast.Name):
            if not names:
                yield Edit(*source.span(node.func), "list")
            yield Edit(*source.span(node), f"list(reversed({source.cut(node)}))")
        for keyword in node.keywords:
            yield from without(source, keyword)


def keyword(source: Source, around: Surroundings) -> Iterator[Edit]:
    """An argument is not given, where the call goes through without it."""
    for node in live(source):
        if isinstance(node, ast.Call) and name_of_call(node) not in ("sorted", "sort"):
            must = around.required.get(name_of_call(node), frozenset()) | _columns(node, around)
            for one in node.keywords:
                if one.arg is not None and one.arg not in must | {"strict"}:
                    yield from without(source, one)


def _columns(node: ast.Call, around: Surroundings) -> frozenset[str]:
    """The columns that this insert must give."""
    table = node.args[0] if node.args else None
    if name_of_call(node).startswith("insert") and isinstance(table, ast.Constant):
        return around.columns.get(str(table.value), frozenset())
    return frozenset()


def without(source: Source, argument: ast.keyword) -> Iterator[Edit]:
    """The call without one of its arguments."""
    start, end = source.span(argument)
    after = re.match(r"\s*,[ \t]*", source.text[end:])
    before = re.search(r",\s*$", source.text[:start])
    if after:
        yield Edit(start, end + after.end(), "")
    elif before:
        yield Edit(before.start(), end, "")
    else:
        yield Edit(start, end, "")


OPERATORS: dict[str, Operator] = {
    "boundary": boundary,
    "equality": equality,
    "logic": logic,
    "condition": condition,
    "negation": negation,
    "arithmetic": arithmetic,
    "number": number,
    "truth": truth,
    "early return": early_return,
    "statement": statement,
    "extreme": extreme,
    "part": part,
    "order": order,
    "keyword": keyword,
}
