"""Sessions of the filesystem server for its tests, and an independent reading of their rows."""

from __future__ import annotations

from collections import Counter
from typing import Any

from proverl.records import Kind
from proverl.servers import load
from proverl.world.session import LocalSession

SERVER = load("filesystem")


ROOMY = 3
"""A world with plenty of quota."""


def opened(seed: int = ROOMY) -> LocalSession:
    return LocalSession(SERVER, seed)


def do(session: LocalSession, tool: str, **arguments: Any) -> Any:
    """The result of a call that must succeed."""
    outcome = session.call(tool, arguments)
    assert outcome.succeeded, (tool, arguments, outcome.code, outcome.message)
    return outcome.value


def code(session: LocalSession, tool: str, **arguments: Any) -> str:
    """The code of a call that must be refused."""
    outcome = session.call(tool, arguments)
    assert outcome.kind is Kind.REFUSED, (tool, arguments, outcome)
    return outcome.code


def sql(session: LocalSession, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Rows of the session's store, behind the tools' back."""
    return session.store.connection().execute(query, values).fetchall()


# An independent reading of the rows


class Model:
    """The tree of a session, read row by row and walked in Python."""

    def __init__(self, session: LocalSession) -> None:
        self.nodes = {row[0]: row for row in sql(session, "SELECT * FROM node ORDER BY node_id")}
        self.entries = sql(session, "SELECT entry_id, parent, name, node_id, kind FROM entry ORDER BY entry_id")
        names = [row[1] for row in sql(session, "SELECT * FROM pragma_table_info('node')")]
        self.column = {name: place for place, name in enumerate(names)}
        (self.setting,) = sql(session, "SELECT login, groups, cwd, used_bytes, used_entries FROM setting")
        ((self.umask, self.primary_group),) = sql(session, "SELECT umask, primary_group FROM setting")
        ((self.moment,),) = sql(session, "SELECT moment FROM world_now")
        self.children: dict[int, dict[str, int]] = {}
        for _, parent, name, node, _ in self.entries:
            if parent is not None:
                assert name not in self.children.setdefault(parent, {}), "two entries of one name"
                self.children[parent][name] = node

    def of(self, node: int, column: str) -> Any:
        return self.nodes[node][self.column[column]]

    def walk(self, top: int = 1, path: str = "") -> list[tuple[str, int]]:
        found = []
        for name, node in sorted(self.children.get(top, {}).items()):
            found.append((f"{path}/{name}", node))
            if self.of(node, "kind") == "folder":
                found.extend(self.walk(node, f"{path}/{name}"))
        return found

    def may(self, node: int, bits: int) -> bool:
        login, groups = self.setting[0], self.setting[1].split()
        mode, shift = self.of(node, "mode"), 0
        if self.of(node, "owner") == login:
            shift = 6
        elif self.of(node, "group_name") in groups:
            shift = 3
        return mode >> shift & bits == bits

    def visible(self, top: int = 1, path: str = "") -> list[tuple[str, int]]:
        """What a walk of the user sees: folders without read or enter stay closed."""
        if not self.may(top, 5):
            return []
        found = []
        for name, node in sorted(self.children.get(top, {}).items()):
            found.append((f"{path}/{name}", node))
            if self.of(node, "kind") == "folder":
                found.extend(self.visible(node, f"{path}/{name}"))
        return found

    def faults(self) -> list[str]:
        """What is wrong with the tree."""
        found = []
        live = self.walk()
        below_trash = [pair for entry in self.entries if entry[1] is None for pair in self.walk(entry[3])]
        in_trash = sum(entry[1] is None for entry in self.entries)
        if len(live) + len(below_trash) + in_trash != len(self.entries):
            found.append("an entry is reached twice or not at all")
        names = Counter(entry[3] for entry in self.entries)
        for node, row in self.nodes.items():
            kind, size, form = self.of(node, "kind"), self.of(node, "size"), self.of(node, "form")
            content, target = self.of(node, "content"), self.of(node, "target")
            if kind == "folder" and names[node] != (node != 1):
                found.append(f"the folder {node} has {names[node]} names")
            if kind != "folder" and self.children.get(node):
                found.append(f"{kind} {node} has entries")
            text = {"folder": "", "link": target, "file": content}[kind]
            if form != "base64" and len(text.encode()) != size:
                found.append(f"{row}: the size is wrong")
        if any(entry[4] != self.of(entry[3], "kind") for entry in self.entries):
            found.append("an entry has another kind than its node")
        if self.setting[4] != len(live):
            found.append(f"{self.setting[4]} entries counted, {len(live)} there")
        if self.setting[3] != sum(self.of(node, "size") for node in {node for _, node in live}):
            found.append("used bytes are counted wrong")
        if self.setting[2] not in {"/", *(path for path, node in live if self.of(node, "kind") == "folder")}:
            found.append(f"the current folder {self.setting[2]} is gone")
        return found

    def contents(self) -> Counter[str]:
        """The contents of all names in the tree."""
        return Counter(self.of(node, "content") for _, node in self.walk() if self.of(node, "kind") == "file")
