"""A tree in the making: the rows of a world before they are written.

Covers: adding folders, files, links and trash, and what the tree takes of the quota. Does not cover: what is in the
tree (seed.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any, Final

from ...world.values import iso
from ...world.world import Builder
from .paths import ROOT

FOLDER_MODE: Final = 0o755
FILE_MODE: Final = 0o644


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose an entry is."""

    login: str
    group: str


@dataclass
class Tree:
    """Rows by node, and for each folder its path and the names in it."""

    world: Builder
    random: Random
    user: Owner
    nodes: dict[int, dict[str, Any]] = field(default_factory=dict)
    entries: list[dict[str, Any]] = field(default_factory=list)
    trash: list[dict[str, Any]] = field(default_factory=list)
    paths: dict[int, str] = field(default_factory=dict)
    names: dict[int, dict[str, int]] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)
    last: int = 0

    def _node(self, kind: str, owner: Owner, mode: int, size: int, form: str, target: str | None, content: Any) -> int:
        self.last += 1
        moment = self.world.now - timedelta(minutes=int(600_000 * self.random.random() ** 2) + 1)
        self.nodes[self.last] = {
            "node_id": self.last,
            "kind": kind,
            "owner": owner.login,
            "group_name": owner.group,
            "mode": mode,
            "modified": iso(moment),
            "size": size,
            "form": form,
            "target": target,
            "content": content,
        }
        return self.last

    def _entry(self, parent: int | None, name: str, node: int) -> int:
        number = node if node == self.last else self.last + 1
        self.last = max(self.last, number)
        self.entries.append(
            {"entry_id": number, "parent": parent, "name": name, "node_id": node, "kind": self.nodes[node]["kind"]}
        )
        if parent is not None:
            self.names[parent][name] = node
            self.parents[node] = parent
        return number

    def root(self, owner: Owner) -> int:
        """The folder that holds all others."""
        node = self._node("folder", owner, FOLDER_MODE, 0, "", None, None)
        assert node == ROOT, "the root is the first node"
        self.paths[node], self.names[node] = "", {}
        return node

    def folder(self, parent: int | None, name: str, owner: Owner | None = None, mode: int = FOLDER_MODE) -> int:
        """A folder; the one of that name, where there is one."""
        if parent is not None and name in self.names[parent]:
            return self.names[parent][name]
        node = self._node("folder", owner or self.user, mode, 0, "", None, None)
        self.names[node] = {}
        if parent is not None:
            self.paths[node] = f"{self.paths[parent]}/{name}"
        self._entry(parent, name, node)
        return node

    def file(
        self,
        parent: int | None,
        name: str,
        content: str,
        owner: Owner | None = None,
        mode: int = FILE_MODE,
        form: str = "text",
    ) -> int:
        """A file; 0 if the name is taken."""
        if parent is not None and name in self.names[parent]:
            return 0
        size = len(content) // 4 * 3 - content.count("=") if form == "base64" else len(content.encode())
        node = self._node("file", owner or self.user, mode, size, form, None, content)
        self._entry(parent, name, node)
        return node

    def link(self, parent: int, name: str, target: str, owner: Owner | None = None) -> int:
        """A symbolic link; 0 if the name is taken."""
        if name in self.names[parent]:
            return 0
        node = self._node("link", owner or self.user, 0o777, len(target.encode()), "", target, None)
        self._entry(parent, name, node)
        return node

    def hard_link(self, parent: int, name: str, node: int) -> None:
        """A second name for a file."""
        home = self.parents[node]
        if name not in self.names[parent]:
            self._entry(parent, name, node)
            self.parents[node] = home

    def path(self, node: int) -> str:
        """The path of an entry."""
        if node in self.paths:
            return self.paths[node] or "/"
        home = self.parents[node]
        name = next(name for name, other in self.names[home].items() if other == node)
        return f"{self.paths[home]}/{name}"

    def bin(self, node: int, path: str, minutes: int) -> None:
        """Put a node without a parent into the trash."""
        entry = next(entry for entry in reversed(self.entries) if entry["node_id"] == node)
        self.last += 1
        self.trash.append(
            {
                "trash_item_id": self.world.new_id("tsh"),
                "entry_id": entry["entry_id"],
                "original_path": path,
                "deleted_at": iso(self.world.now - timedelta(minutes=minutes)),
                "number": self.last,
                "state": "held",
            }
        )

    def text_files(self, folder: int) -> list[tuple[str, int]]:
        """Name and node of the text files of a folder, sorted."""
        return [pair for pair in sorted(self.names[folder].items()) if self.nodes[pair[1]]["form"] == "text"]

    def usage(self) -> tuple[int, int]:
        """Bytes and entries of the tree, without the trash."""
        inside = {ROOT}
        entries = 0
        waiting = [ROOT]
        while waiting:
            for node in self.names[waiting.pop()].values():
                entries += 1
                inside.add(node)
                if self.nodes[node]["kind"] == "folder":
                    waiting.append(node)
        return sum(self.nodes[node]["size"] for node in inside), entries

    def write(self) -> None:
        """Write all rows."""
        self.world.insert_all("node", self.nodes.values())
        self.world.insert_all("entry", self.entries)
        self.world.insert_all("trash_item", self.trash)
