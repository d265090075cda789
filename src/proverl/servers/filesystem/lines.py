"""The lines of texts: counting them, and cutting what is printed.

Covers: what tools print and write. Does not cover: whether a text may be read (rules.py), differences (differences.py).
"""

from __future__ import annotations

import base64
from typing import Final

from proverl.world.domain import World

from .nodes import READ, Node
from .paths import walk
from .rules import check_allowed, check_files, check_found, check_links, check_texts

PRINT_BYTES: Final = 16_384
PRINT_LINES: Final = 400


def find_texts(world: World, rights: int = READ, /, **paths: str) -> list[Node]:
    """The text files to which the paths in these arguments lead.

    Refuses not_found, is_a_folder, permission_denied, binary_file, broken_link, too_many_links, each for all of them.
    """
    nodes = [walk(world, argument, path) for argument, path in paths.items()]
    check_found("not_found", *nodes)
    check_files("is_a_folder", *nodes)
    check_allowed(rights, *nodes)
    check_texts(*nodes)
    check_links(*nodes)
    return nodes


def content_of(world: World, node: Node) -> str:
    """The stored content of a file; of what is not there none."""
    return str(world.value("SELECT content FROM node WHERE node_id = ?", node.node_id) or "")


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


def first_part(text: str) -> str:
    """As much of a text as is printed, from its beginning, in whole characters."""
    return text.encode()[:PRINT_BYTES].decode(errors="ignore")


def last_part(text: str) -> str:
    """As much of a text as is printed, up to its end, in whole characters."""
    return text.encode()[-PRINT_BYTES:].decode(errors="ignore")


def printed(text: str) -> tuple[str, bool]:
    """The lines of a text that are printed, from its beginning, and whether something was left out."""
    rest = text.split("\n", PRINT_LINES)[PRINT_LINES:]
    shown = first_part(text.removesuffix("".join(rest)))
    return shown, shown != text
