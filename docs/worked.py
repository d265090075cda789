"""Pages whose Python runs: each block is executed, and what it prints stands below it.

Covers: running the ```python blocks of a page in order, in one namespace, and the page with each ```text block below
one written anew. Does not cover: pages whose code only has to run (tests/test_docs.py does those).
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n.*?^```\n)?", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Worked:
    """A page as it should be, and the names that its code has defined."""

    text: str
    names: Mapping[str, Any]


def worked(page: Path) -> Worked:
    """Run a page.

    Raises:
        whatever its code raises
    """
    names: dict[str, Any] = {"__name__": page.stem}

    def run(block: re.Match[str]) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block["code"], page.name, "exec"), names)  # noqa: S102 - a page of this repository
        shown = "\n".join(line.rstrip() for line in printed.getvalue().strip().splitlines())
        code = f"```python\n{block['code']}```\n"
        return f"{code}\n```text\n{shown}\n```\n" if shown else code

    return Worked(BLOCK.sub(run, page.read_text(encoding="utf-8")), names)
