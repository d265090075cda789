"""The content of files: reading it with all checks, counting and cutting what is printed.

Covers: text files and raw bytes. Does not cover: archives (archive.py).
"""

from __future__ import annotations

import base64
from typing import Final

from ...errors import Refused
from ...world.world import World
from .nodes import Node
from .rights import READ, need

PRINT_BYTES: Final = 16_384
PRINT_LINES: Final = 400


def need_file(node: Node, code: str = "is_a_folder") -> None:
    """Refuse a folder where a file is meant."""
    if node.kind == "folder":
        raise Refused(code, f"{node.path} is a folder; give the path of a file, ls shows what is in it")


def need_text(node: Node) -> None:
    """Refuse with binary_file what is not text."""
    if node.form != "text":
        what = "an archive; see archive_list" if node.form == "archive" else "not text; checksum_file takes any file"
        raise Refused("binary_file", f"{node.path} is {what}")


def content_of(world: World, node: Node) -> str:
    """The stored content of a file."""
    return str(world.value("SELECT content FROM node WHERE node_id = ?", node.node_id))


def read_text(world: World, node: Node) -> str:
    """The text of a file; refuses with is_a_folder, permission_denied or binary_file, in this order."""
    need_file(node)
    need(node, READ)
    need_text(node)
    return content_of(world, node)


def raw_bytes(world: World, node: Node) -> bytes:
    """The bytes of a file of any form."""
    content = content_of(world, node)
    return base64.b64decode(content) if node.form == "base64" else content.encode()


def lines_of(text: str) -> list[str]:
    """The lines of a text, without their ends; only a newline ends a line."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def joined(lines: list[str]) -> str:
    """Lines as the text of a file: each ends with a newline."""
    return "".join(f"{line}\n" for line in lines)


def ended(text: str) -> str:
    """A text whose last line ends with a newline, unless it is empty."""
    return text if not text or text.endswith("\n") else text + "\n"


def cut(text: str, lines: int = PRINT_LINES) -> tuple[str, bool]:
    """As much of a text as is printed, from its beginning, and whether something was left out."""
    shown = text
    if text.count("\n") >= lines:
        shown = joined(lines_of(text)[:lines]) if len(lines_of(text)) > lines else text
    if len(shown.encode()) > PRINT_BYTES:
        shown = shown.encode()[:PRINT_BYTES].decode(errors="ignore")
    return shown, shown != text
