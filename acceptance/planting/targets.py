"""What faults are planted into, and which tests have to find them: the table, and the files that it names.

Left out of the runs per fault: tests that are marked as soak; tests of synthesis, rollout and training, which use every
server but are no tests of one; the one law test that compares whole processes over all servers at once; tests of the
transports, except for faults in the transports themselves. There the tests of the manager, which start many processes,
run last and only for faults that the others have not found.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from pathlib import Path

from .faults import Source
from .syntax import functions


@dataclass(frozen=True)
class Target:
    """Files and tests as patterns from the root of the checkout; `{name}` is the target's name.

    `tests` run in this order with `options` for pytest; `slow` runs after them, and only if none of them failed. What
    matches `slow` or `without` is no part of `tests`.
    """

    name: str
    files: tuple[str, ...]
    tests: tuple[str, ...]
    slow: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def named(self, name: str) -> Target:
        """The target with its name in all patterns."""
        parts = {field: tuple(one.format(name=name) for one in getattr(self, field)) for field in PATTERNS}
        return replace(self, name=name, **parts)


PATTERNS = ("files", "tests", "slow", "without", "options")

SERVER = Target(
    "a server",
    files=("src/proverl/servers/{name}/**/*.py", "src/proverl/servers/{name}/schema.sql"),
    tests=(
        "tests/servers/test_{name}*.py",
        "tests/servers/test_oracles.py",
        "tests/servers/test_refusals.py",
        "tests/servers/test_refusal_orders.py",
        "tests/servers/test_limits.py",
        "tests/test_digests.py",
        "tests/servers/test_laws.py",
    ),
    options=("-k", "{name}"),
)
OTHERS = (
    Target("world", ("src/proverl/world/**/*.py",), ("tests/world/test_*.py", "tests/servers/test_laws.py")),
    Target("laws", ("src/proverl/laws/**/*.py",), ("tests/laws/test_*.py", "tests/servers/test_laws.py")),
    Target(
        "wire",
        ("src/proverl/wire/**/*.py",),
        ("tests/wire/test_*.py",),
        slow=("tests/wire/test_manager*.py",),
        without=("tests/wire/test_foreign*.py",),  # all soak
    ),
    Target("reward", ("src/proverl/reward/**/*.py",), ("tests/reward/test_*.py",)),
)


class UnknownTarget(Exception):
    """No target of this name, or one without files or tests."""


def names(root: Path) -> list[str]:
    """All targets of a checkout."""
    servers = root.glob(SERVER.files[1].format(name="*"))
    others = [one.name for one in OTHERS if matching(root, one.files)]
    return sorted([file.parent.name for file in servers] + others)


def find(name: str, root: Path) -> Target:
    """The target of this name.

    Raises:
        UnknownTarget: there is none, or one of its patterns that must match nothing else matches no file
    """
    if name not in names(root):
        raise UnknownTarget(f"no target {name!r}; there are {', '.join(names(root))}")
    target = next((one for one in OTHERS if one.name == name), SERVER).named(name)
    for what in ("files", "tests"):
        if not matching(root, getattr(target, what)):
            raise UnknownTarget(
                f"{name}: no file matches {' or '.join(getattr(target, what))}; see planting/targets.py"
            )
    return target


def matching(root: Path, patterns: tuple[str, ...]) -> list[str]:
    """The files that patterns match, each once, in the order of the patterns."""
    found = [str(file.relative_to(root)) for one in patterns for file in sorted(root.glob(one))]
    return list(dict.fromkeys(found))


def tests(root: Path, target: Target) -> list[list[str]]:
    """The arguments of each pytest run for a fault."""
    slow = matching(root, target.slow)
    quick = [file for file in matching(root, target.tests) if file not in {*slow, *matching(root, target.without)}]
    return [[*target.options, *files] for files in (quick, slow) if files]


def sources(root: Path, target: Target) -> list[Source]:
    """The files of a target in which something happens: a Python file without a function is a list of words."""
    read = [Source(file, (root / file).read_text(encoding="utf-8")) for file in matching(root, target.files)]
    return [one for one in read if one.file.endswith(".sql") or any(functions(one.tree))]


def schema(read: list[Source]) -> str:
    """The text of the schema among these files."""
    return next((one.text for one in read if one.file.endswith("schema.sql")), "")


def trees(root: Path) -> list[ast.Module]:
    """The syntax of all that a target's code may call."""
    return [ast.parse(file.read_text(encoding="utf-8")) for file in sorted((root / "src").rglob("*.py"))]
