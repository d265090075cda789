"""The figures of the house: code lines a tool, complexity, cycles and arrows between the parts.

    python acceptance/house.py [--json]

Exit status: 0, or 1 if a figure misses its bound. Reads the sources beside it; `ruff` counts complexity.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "proverl"
SERVERS = PACKAGE / "servers"
REBUILT_LATER = ("reward", "synth")
"""Parts whose insides later issues rebuild; they are counted apart."""

LINES_A_TOOL = 85.0
COMPLEX_SHARE = 0.02
COMPLEX = 10
ORDER = (
    *("errors", "strict_json", "records", "schemas", "paths", "files", "world", "servers", "laws", "wire", "chat"),
    *("reward", "synth", "rollout", "policies", "evaluate", "train", "cli"),
)
"""The parts from the ground up: each may import only parts that stand before it."""
NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def main() -> int:
    """Print the figures; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    found = [*lines_a_tool(), *complexity(), *arrows()]
    if asked.json:
        print(json.dumps(found, indent=2))
    else:
        for row in found:
            bound = "" if row["at_most"] is None else f"  (at most {row['at_most']:g})"
            print(f"{row['figure']:<52} {row['value']:>8.3g}{bound}")
    return int(any(row["at_most"] is not None and row["value"] > row["at_most"] for row in found))


def figure(name: str, value: float, at_most: float | None = None) -> dict[str, Any]:
    """One line of the table."""
    return {"figure": name, "value": value, "at_most": at_most}


def lines_a_tool() -> Iterator[dict[str, Any]]:
    """Code lines a tool of each server and of all; blank lines, comments and docstrings are no code."""
    lines = tools = 0
    for folder in sorted(path for path in SERVERS.iterdir() if (path / "schema.sql").exists()):
        files = sorted(folder.rglob("*.py"))
        mine = sum(map(code_lines, files))
        count = sum(file.read_text(encoding="utf-8").count("\n@tool(") for file in files)
        yield figure(f"code lines a tool, {folder.name} ({count} tools)", mine / count)
        lines, tools = lines + mine, tools + count
    yield figure(f"code lines a tool, all {tools} tools", lines / tools, LINES_A_TOOL)


def code_lines(file: Path) -> int:
    """The lines of a file that hold code."""
    text = file.read_text(encoding="utf-8")
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            documented.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - documented)


def complexity() -> Iterator[dict[str, Any]]:
    """The share of functions whose cyclomatic complexity is over ten."""
    config = f"lint.mccabe.max-complexity = {COMPLEX}"
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "C901", "--config", config]
    done = subprocess.run([*command, "--output-format", "json", str(PACKAGE)], capture_output=True, text=True)
    complex_ = [Path(fault["filename"]).relative_to(PACKAGE).parts[0] for fault in json.loads(done.stdout)]
    count: dict[bool, int] = {False: 0, True: 0}
    for file in PACKAGE.rglob("*.py"):
        later = file.relative_to(PACKAGE).parts[0] in REBUILT_LATER
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        count[later] += sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes)
    for later, at_most in ((False, COMPLEX_SHARE), (True, None)):
        over = sum((part in REBUILT_LATER) is later for part in complex_)
        where = " and ".join(REBUILT_LATER)
        name = f"share of functions over {COMPLEX}, {'in' if later else 'outside'} {where}"
        yield figure(name, over / max(1, count[later]), at_most)


def arrows() -> Iterator[dict[str, Any]]:
    """Import cycles between modules, and imports that run up the order of the parts; lazy imports count."""
    graph = networkx.DiGraph()
    modules = {module_of(file) for file in PACKAGE.rglob("*.py")}
    for file in PACKAGE.rglob("*.py"):
        graph.add_edges_from((module_of(file), target) for target in imported(file, modules))
    graph.remove_edges_from(networkx.selfloop_edges(graph))
    cycles = [part for part in networkx.strongly_connected_components(graph) if len(part) > 1]
    place = {part: number for number, part in enumerate(ORDER)}
    up = [
        (one, other)
        for one, other in graph.edges
        if one and other and place.get(one[0], len(ORDER)) < place.get(other[0], len(ORDER))
    ]
    yield figure("import cycles", len(cycles), 0)
    yield figure("imports that run back up", len(up), 0)


def module_of(file: Path) -> tuple[str, ...]:
    """The dotted path below the package; a folder is named by itself."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def imported(file: Path, modules: set[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The modules of the package that a file imports."""
    package = file.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        origin = tuple((node.module or "").split(".")) if node.module else ()
        if node.level:
            home = package[: len(package) - node.level + 1] + origin
        elif origin[:1] == ("proverl",):
            home = origin[1:]
        else:
            continue
        for alias in node.names:
            yield (*home, alias.name) if (*home, alias.name) in modules else home


if __name__ == "__main__":
    sys.exit(main())
