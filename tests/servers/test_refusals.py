"""Every refusal that a tool declares is reached from a seed in at most five calls, and domain code is pure.

For each server tests/support/reach/<server>.py offers `reach() -> dict[(tool, code), Callable[[], Outcome]]`. Each
function opens a session of its own (several, if it looks for a seed), calls at most five tools in it and returns the
refusal.
"""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import proverl.servers
from proverl import servers
from proverl.records import Kind
from proverl.world.session import LocalSession
from support.tested import NAMES, part

SOURCES = Path(proverl.servers.__file__).parent
MOST_CALLS = 5


def reach(name: str):
    """The table of a server."""
    return part(name, "reach").reach()


@pytest.fixture
def counted(monkeypatch):
    """Calls per session."""
    made: Counter[int] = Counter()
    held = []
    call = LocalSession.call

    def counting(self, name, arguments):
        if not made[id(self)]:
            held.append(self)  # so that its id is not given to another one
        made[id(self)] += 1
        return call(self, name, arguments)

    monkeypatch.setattr(LocalSession, "call", counting)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_every_declared_refusal_is_reached_in_at_most_five_calls(name, counted, cases):
    declared = {(tool.name, code) for tool in servers.load(name).tools for code in tool.refusals}
    table = reach(name)
    assert sorted(declared - set(table)) == [], "declared, and nobody shows how it is reached"
    assert sorted(set(table) - declared) == [], "reached, and not declared"
    wrong = []
    for (tool, code), function in table.items():
        counted.clear()
        outcome = function()
        cases["refusals reached"] += 1
        if (outcome.kind, outcome.code) != (Kind.REFUSED, code):
            wrong.append(f"{tool} {code}: got {outcome.kind} {outcome.code} {outcome.message[:100]}")
        elif max(counted.values(), default=0) > MOST_CALLS:
            wrong.append(f"{tool} {code}: {max(counted.values())} calls in one session")
        elif not 10 <= len(outcome.message) <= 400:
            wrong.append(f"{tool} {code}: the message has {len(outcome.message)} characters")
    assert wrong == []


# Purity of domain code, read off its syntax

FORBIDDEN_MODULES = {
    *("asyncio", "ctypes", "http", "io", "locale", "logging", "multiprocessing", "numpy", "os", "pathlib", "pickle"),
    *("platform", "random", "requests", "secrets", "shelve", "shutil", "signal", "socket", "sqlite3", "subprocess"),
    *("sys", "tempfile", "threading", "time", "urllib", "uuid", "zoneinfo", "apsw"),
}
FORBIDDEN_NAMES = {"hash", "id", "open", "eval", "exec", "compile", "input", "print", "__import__", "globals", "vars"}
FORBIDDEN_ATTRIBUTES = {"now", "utcnow", "today", "fromtimestamp"}
CLASSES_WITH_A_CLOCK = {"datetime", "date", "dt"}
PATTERN_CALLS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE|WITH)\b", re.IGNORECASE)
READS = re.compile(r"\s*(SELECT|WITH)\b", re.IGNORECASE)
SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b.*\b(FROM|INTO|SET|VALUES)\b", re.DOTALL)
UNSAFE = re.compile(r"\bOR\s+(REPLACE|ROLLBACK)\b|\bRANDOM\s*\(|\bCURRENT_(TIME|DATE)|'now'", re.IGNORECASE)


def files():
    return sorted(file for file in SOURCES.rglob("*.py") if file.parent != SOURCES)


def faults(tree: ast.AST) -> list[str]:
    """What domain code may not do, as line and reason."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            level = getattr(node, "level", 0)
            for module in modules:
                names = {alias.name for alias in node.names}
                typing = module == "random" and names == {"Random"}  # the type of world.random
                if not level and module.partition(".")[0] in FORBIDDEN_MODULES and not typing:
                    found.append(f"{node.lineno}: imports {module}")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in FORBIDDEN_NAMES:
            found.append(f"{node.lineno}: uses {node.id}")
        elif isinstance(node, ast.Call):
            found += [f"{node.lineno}: {fault}" for fault in call_faults(node)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value):
            found += [f"{node.lineno}: {unsafe[0]} in SQL" for unsafe in UNSAFE.finditer(node.value)]
        elif isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.iter, (ast.Set, ast.SetComp)):
            found.append(f"{node.iter.lineno}: goes through a set in the order of its hashes")
        elif isinstance(node, ast.Global):
            found.append(f"{node.lineno}: global state")
    return found


def call_faults(node: ast.Call) -> list[str]:
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        owner, name = node.func.value.id, node.func.attr
        first = node.args[0] if node.args else None
        if owner in CLASSES_WITH_A_CLOCK and name in FORBIDDEN_ATTRIBUTES:
            return [f"reads the wall clock with {owner}.{name}"]
        if owner == "re" and name in PATTERN_CALLS and not is_fixed(first):
            return [f"re.{name} on a pattern that is not fixed; use re2"]
        if owner == "world" and isinstance(first, ast.Constant) and isinstance(first.value, str):
            return sql_faults(name, first.value)
    if isinstance(node.func, ast.Name) and node.func.id == "Random":
        return ["makes a random generator of its own"]
    if isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple") and node.args:
        inner = node.args[0]
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "set":
            return [f"{node.func.id}(set(...)) has the order of hashes; use sorted or dict.fromkeys"]
    return []


def sql_faults(method: str, sql: str) -> list[str]:
    """What a method of the world is wrongly given as SQL."""
    if method in ("all", "one", "value") and not READS.match(sql):
        return [f"world.{method} with {sql.split()[0]}; use world.run"]
    if method == "run" and not WRITES.match(sql):
        return [f"world.run with {sql.split()[0]}"]
    return ["world.all without ORDER BY"] if method == "all" and "ORDER BY" not in sql.upper() else []


def is_fixed(pattern: ast.AST | None) -> bool:
    """A literal, or a constant of the module in capitals."""
    return isinstance(pattern, ast.Constant) or (isinstance(pattern, ast.Name) and pattern.id.isupper())


@pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(SOURCES)))
def test_domain_code_uses_no_clock_chance_disk_or_pattern_of_its_own(file):
    assert faults(ast.parse(file.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("import os", "imports os"),
        ("from random import choice", "imports random"),
        ("from random import Random\nRandom(3)", "random generator of its own"),
        ("import time as t", "imports time"),
        ("x = hash('a')", "uses hash"),
        ("open('f')", "uses open"),
        ("from datetime import datetime\ndatetime.now()", "wall clock"),
        ("import re\nre.search(user, text)", "use re2"),
        ("for x in {1, 2}: pass", "order of its hashes"),
        ("y = list(set(x))", "order of hashes"),
        ("world.all('SELECT 1')", "without ORDER BY"),
        ("world.one('UPDATE a SET b = 1')", "use world.run"),
        ("world.run('INSERT OR REPLACE INTO a VALUES (1)')", "OR REPLACE"),
        ("world.run('UPDATE a SET at = CURRENT_TIMESTAMP')", "CURRENT_TIME"),
        ("def f():\n    global x\n    x = 1", "global state"),
    ],
)
def test_each_impurity_is_seen(code, fault):
    assert fault in "; ".join(faults(ast.parse(code)))
