"""Laws that read a server's source and modules instead of calling its tools.

Covers: which codes the functions under a tool can refuse with, and what the modules of a server hold between calls.
Does not cover: anything that a call shows (walk.py, inside.py).
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from ..world.marks import Entity
from ..world.server import Server
from .report import Report

HELD = (list, dict, set, bytearray)


def codes_in_source(report: Report, server: Server) -> None:
    """Each code that a tool declares stands in the functions that it calls, and each that stands there is declared."""
    declared = {code for tool in server.tools for code in tool.refusals}
    found: set[str] = set()
    for tool in server.tools:
        function = server.function(tool.name)
        assert function is not None
        codes = {code for part in _called(function.body) for code in _codes(part)}
        found |= codes
        codes.add("invalid_argument")  # with which the framework's own checks of amounts and times refuse
        missing = [code for code in tool.refusals if code not in codes and not _named(function.body, code)]
        report.holds("codes_in_source", not missing, tool.name, 0, f"declares {missing}, which nothing refuses with")
    surplus = sorted(found - declared - {"invalid_argument"})
    report.holds("codes_in_source", not surplus, "", 0, f"the source refuses with {surplus}, which no tool declares")


def _called(body: Callable[..., Any]) -> list[FunctionType]:
    """A tool's body and the functions of its server that it calls, directly or not."""
    package = body.__module__.split(".tools")[0]
    found: dict[FunctionType, None] = {}

    def visit(function: FunctionType) -> None:
        if function in found or not function.__module__.startswith(package):
            return
        found[function] = None
        for name in _names(function):
            other = function.__globals__.get(name)
            if isinstance(other, FunctionType):
                visit(other)

    assert isinstance(body, FunctionType)
    visit(body)
    return list(found)


@cache
def _nodes(function: FunctionType) -> tuple[ast.AST, ...]:
    """All that stands in the body of a function; its decorators are no part of it."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(definition, ast.FunctionDef)
    return tuple(node for statement in definition.body for node in ast.walk(statement))


def _names(function: FunctionType) -> Iterator[str]:
    for node in _nodes(function):
        if isinstance(node, ast.Name):
            yield node.id


def _codes(function: FunctionType) -> Iterator[str]:
    """The codes of `refuse("code", ...)` and of `world.find(ENTITY, ...)`."""
    for node in _nodes(function):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called == "refuse" and isinstance(node.args[0], ast.Constant):
            yield str(node.args[0].value)
        elif called == "find" and isinstance(node.args[0], ast.Name):
            entity = function.__globals__.get(node.args[0].id)
            if isinstance(entity, Entity):
                yield entity.not_found


def _named(body: Callable[..., Any], code: str) -> bool:
    """Whether a code stands as a word somewhere under a tool, handed to a shared check, say."""
    return any(
        isinstance(node, ast.Constant) and node.value == code for function in _called(body) for node in _nodes(function)
    )


class Globals:
    """What the modules of a server hold, to be looked at twice."""

    def __init__(self, server: Server) -> None:
        homes = {body.__module__.split(".tools")[0] for body in (server.function(t.name).body for t in server.tools)}  # type: ignore[union-attr]
        self._modules = [
            module
            for name, module in sorted(sys.modules.items())
            if isinstance(module, ModuleType) and any(name == home or name.startswith(f"{home}.") for home in homes)
        ]
        self._before = self._held()

    def _held(self) -> dict[str, str]:
        found = {}
        for module in self._modules:
            for name, value in sorted(vars(module).items()):
                if isinstance(value, HELD) and not name.startswith("__"):
                    found[f"{module.__name__}.{name}"] = repr(value)
                elif hasattr(value, "cache_info") and inspect.signature(value).parameters:
                    found[f"{module.__name__}.{name}"] = str(value.cache_info().currsize)
        return found

    def changed(self) -> list[str]:
        """The names whose value is not what it was; a function's cache counts if the function takes arguments."""
        after = self._held()
        return [name for name, value in after.items() if self._before.get(name) != value]
