"""docs/generate.py and what it is made of, for the tests of the documents."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


@cache
def tool(name: str) -> Any:
    """A module of docs/, which is a folder of scripts and no package: generate, picture, worked."""
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(DOCS))


@cache
def worked_task() -> Any:
    """docs/one_task.md, run once for all tests of a process."""
    return tool("worked").worked(DOCS / "one_task.md")
