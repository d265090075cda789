"""Progress of long work on standard error.

Covers: bars with name, count and seconds. Does not cover: results (tables.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .tables import errors


@contextmanager
def counting(task: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """A progress bar for one thing; the function it gives is told how much is done, of how much."""
    with progress() as bars:
        bar = bars.add_task(task, total=total)
        yield lambda done, of: bars.update(bar, completed=done, total=of)


def progress() -> Progress:
    """A progress display on standard error: name, bar, count, seconds."""
    return Progress(
        TextColumn("{task.description:<28}"),
        BarColumn(bar_width=36),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=errors,
    )
