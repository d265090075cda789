"""Tables for people and the same rows as JSON for programs.

Covers: what every verb of the command that prints rows has in common. Does not cover: which rows (the verbs, flow.py).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..records import Json, Outcome

console = Console()
errors = Console(stderr=True)


def show(title: str, rows: Sequence[Mapping[str, Json]], *, as_json: bool = False) -> None:
    """Print rows that have the same keys: a table, or with `as_json` a JSON list on standard output."""
    if as_json:
        sys.stdout.write(json.dumps(list(rows), ensure_ascii=False, indent=2) + "\n")
        return
    if not rows:
        console.print(f"{title}: none")
        return
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    for name in rows[0]:
        numeric = all(isinstance(row[name], int | float | None) for row in rows)
        table.add_column(name.replace("_", " "), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    console.print(table)


def _cell(value: Json) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list | tuple):
        return escape(", ".join(str(item) for item in value))
    return escape(str(value))


def outcome(found: Outcome, *, as_json: bool = False) -> None:
    """Print what a call came to."""
    if as_json:
        sys.stdout.write(json.dumps({"kind": found.kind.value, "body": found.body()}, ensure_ascii=False) + "\n")
    elif found.succeeded:
        console.print_json(found.observation())
    else:
        errors.print(f"[red]{found.kind.value}[/red] {escape(found.code)}: {escape(found.message)}")
