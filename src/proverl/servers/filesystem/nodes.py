"""The noun of this domain: what a path leads to.

Covers: `Node`. Does not cover: how it is found (paths.py) or what the user may do with it (rights.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Node:
    """A file, folder or link that a path leads to; `path` is absolute and goes through no link.

    `parent` is the folder in which the name stands (whose own `parent` is left out); the root has none, nor an
    `entry_id`. `bits` says what the user may do with the node (4 read, 2 write, 1 enter), `links` how many links the
    walk followed.
    """

    path: str
    name: str
    parent: Node | None
    entry_id: int | None
    node_id: int
    kind: Literal["file", "folder", "link"]
    owner: str
    group: str
    mode: int
    modified: str
    size: int
    form: str
    target: str | None
    bits: int
    links: int = 0

    def child(self, name: str) -> str:
        """The path of an entry of this folder."""
        return f"{self.path.rstrip('/')}/{name}"
