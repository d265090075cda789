"""Which nodes of a Python file may be changed at all.

Left alone: docstrings, type hints, the texts of errors and f-strings, assertions (`strict` of zip too), and big tables
of data. What remains is what a file does.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import apsw

from .faults import Source

MESSAGE_MAKERS = re.compile(r"(Refused|Error|Fault|Mismatch)$|^(Bad|Unknown)[A-Z]")
"""Callables whose arguments are read by people: errors and refusals."""
HINTS = {"Annotated", "Literal", "Optional", "Union", "Callable", "TypeVar", "NewType", "TypeAliasType", "Field", "Ref"}
WRITES = {"insert", "insert_all", "update", "delete", "run", "new_id"}
"""What changes a world."""
TABLE = 6
"""A display at module level with more entries than this is data (a word list), not behaviour."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Surroundings:
    """What an operator knows of the rest of the code, so that it plants nothing that fails at the first touch."""

    required: dict[str, frozenset[str]] = field(default_factory=dict)
    """By function or class: parameters without a default; for a name defined several times those of any."""
    columns: dict[str, frozenset[str]] = field(default_factory=dict)
    """By table: columns that an insert must give."""
    refusers: frozenset[str] = frozenset()
    """Functions that raise, directly or through another one."""
    writers: frozenset[str] = frozenset()
    """Functions that change the world, directly or through another one."""
    schema: str = ""
    """The text of the target's schema.sql, if it has one."""

    def still_sql(self, before: str, after: str) -> bool:
        """Whether a statement can still be prepared; a part of one, or one with escapes, is not judged."""
        known = database(self.schema)
        return known is None or not prepares(known, before) or prepares(known, after)

    def still_schema(self, after: str) -> bool:
        """Whether a changed schema has all the views that could be read before."""
        known, changed = database(self.schema), database(after)
        if known is None:
            return True
        views = [name for (name,) in known.execute("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")]
        readable = [f"SELECT * FROM {name}" for name in views if prepares(known, f"SELECT * FROM {name}")]
        return changed is not None and all(prepares(changed, one) for one in readable)


@lru_cache(maxsize=4)
def database(schema: str) -> apsw.Connection | None:
    """An empty database with these tables; None where the text is no schema."""
    made = apsw.Connection(":memory:")
    try:
        made.execute(schema)
    except apsw.Error:
        return None
    return made


def prepares(made: apsw.Connection, statement: str) -> bool:
    """Whether SQLite understands a statement."""
    try:
        made.execute(f"EXPLAIN {statement}")
    except apsw.BindingsError:  # it was understood, and has parameters
        return True
    except (apsw.Error, ValueError):
        return False
    return True


def must_insert(schema: str) -> dict[str, frozenset[str]]:
    """By table, the columns that may not be left out of an insert."""
    made = database(schema)
    if made is None:
        return {}
    found: dict[str, set[str]] = {}
    for table, column in made.execute(
        "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c"
        " WHERE t.type = 'table' AND c.\"notnull\" AND c.dflt_value IS NULL ORDER BY 1, 2"
    ):
        found.setdefault(str(table), set()).add(str(column))
    return {table: frozenset(columns) for table, columns in found.items()}


def name_of_call(node: ast.AST) -> str:
    """The last name of what is called: `insert` of `world.insert(...)`; empty for anything else."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return node.func.id
        if isinstance(node.func, ast.Attribute):
            return node.func.attr
    return ""


def live(source: Source) -> Iterator[ast.AST]:
    """The nodes that may be changed, a parent before its children."""
    for statement in source.tree.body:
        if not _is_type(statement):
            yield from _visit(statement, _is_data(statement))


def _visit(node: ast.AST, data: bool) -> Iterator[ast.AST]:
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.Assert)) or is_docstring(node):
        return
    if data and isinstance(node, ast.Constant):
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: an assertion
        return
    yield node
    if isinstance(node, (ast.Raise, ast.JoinedStr)) or MESSAGE_MAKERS.search(name_of_call(node)):
        return
    if name_of_call(node) in HINTS:
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "bases", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _visit(child, data)


def is_docstring(node: ast.AST) -> bool:
    """A string that stands alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_type(node: ast.stmt) -> bool:
    """A module-level name for a type, or what only the type checker sees."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test).endswith("TYPE_CHECKING")
    if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
        return False
    value = node.value
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Name) and value.value.id in HINTS | {"dict", "list", "tuple", "set"}
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr) and "None" in ast.unparse(value)


def _is_data(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    inner = ast.walk(value) if value is not None else ()
    shown = [child for child in inner if isinstance(child, (ast.List, ast.Tuple, ast.Set, ast.Dict))]
    return any(len(one.keys if isinstance(one, ast.Dict) else one.elts) > TABLE for one in shown) or len(shown) > TABLE


def functions(tree: ast.AST) -> Iterator[Function]:
    """All functions of a file, nested ones included."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def bodies(nodes: list[ast.AST]) -> Iterator[list[ast.stmt]]:
    """The lists of statements inside functions."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.If, ast.For, ast.While, ast.With, ast.Try)):
            for name in ("body", "orelse", "finalbody"):
                found = getattr(node, name, [])
                if found:
                    yield found


def survey(trees: list[ast.Module], own: list[ast.Module], schema: str) -> Surroundings:
    """What operators need to know: `trees` are all files that may be called, `own` those that get faults."""
    required: dict[str, frozenset[str]] = {}
    for tree in trees:
        for function in functions(tree):
            required[function.name] = required.get(function.name, frozenset()) | _required(function)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                required[node.name] = required.get(node.name, frozenset()) | _fields(node)
    called: dict[str, set[str]] = {}
    raising: set[str] = set()
    for function in (one for tree in own for one in functions(tree) if not hasattr(builtins, one.name)):
        within = list(ast.walk(function))
        called.setdefault(function.name, set()).update(filter(None, map(name_of_call, within)))
        if any(isinstance(node, ast.Raise) for node in within):
            raising.add(function.name)
    writers = _reaching(called, WRITES)
    refusers = _reaching(called, raising) - writers
    return Surroundings(required, must_insert(schema), frozenset(refusers), frozenset(writers), schema)


def _reaching(called: dict[str, set[str]], ends: set[str]) -> set[str]:
    """The names that call one of `ends`, directly or through another one, and `ends`."""
    found = set(ends)
    while more := {name for name, names in called.items() if names & found} - found:
        found |= more
    return found


def _required(function: Function) -> frozenset[str]:
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    given = plain[: len(plain) - len(arguments.defaults)]
    named = [one for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default is None]
    return frozenset(one.arg for one in (*given, *named))


def _fields(node: ast.ClassDef) -> frozenset[str]:
    return frozenset(
        one.target.id
        for one in node.body
        if isinstance(one, ast.AnnAssign) and one.value is None and isinstance(one.target, ast.Name)
    )
