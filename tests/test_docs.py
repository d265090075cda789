"""The documents say what the code does."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import tokenize
from pathlib import Path

import pytest

from proverl import servers
from proverl.cli.app import app
from support.pages import DOCS, tool

ROOT = Path(__file__).parents[1]


def test_the_page_of_servers_is_what_the_registry_says() -> None:
    assert (DOCS / "servers.md").read_text() == tool("generate").servers_page(), "run `python docs/generate.py`"


def test_the_python_in_the_readme_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert blocks
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block, "README.md", "exec"), {})
        assert printed.getvalue()


def test_the_readme_counts_the_servers_and_tools_right() -> None:
    tools = sum(len(servers.load(name).tools) for name in servers.names())
    assert f"{len(servers.names())} servers, {tools} tools" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "AGENTS.md"])
def test_every_verb_that_a_page_names_exists(page: str) -> None:
    verbs = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    verbs |= {group.name for group in app.registered_groups if group.name}
    named = set(re.findall(r"(?:^|[`/ ])proverl ([a-z]+)\b", (ROOT / page).read_text()))
    assert named - verbs - {"trains", "is", "implements"} == set()


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")], ids=lambda path: path.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


NAMED = re.compile(r"(?<![\w./<>{}*-])((?:[\w-]+/)*[\w-]+\.(?:py|md|toml|sql|sh|mjs|jinja))(?![\w/])")
"""A file as prose names it; one with a word in capitals (servers/NAME/) stands for several."""

MISSING = {
    "tests/servers/test_filesystem.py: reach_filesystem.py",
    "tests/support/oracles/__init__.py: test_oracles.py",
}
"""Files that are named and not there. The list may only shrink."""


def prose(file: Path) -> str:
    """What a file says to people: a page whole, of code its comments and docstrings."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        return text
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    said = [token.string for token in tokens if token.type == tokenize.COMMENT]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            said.append(node.value.value)
    return "\n".join(said)


def written() -> list[Path]:
    """Pages and code of the project, but for the log, which speaks of the past."""
    folders = ("src", "tests", "docs", "benchmarks")
    files = [file for folder in folders for kind in ("*.py", "*.md") for file in (ROOT / folder).rglob(kind)]
    return sorted(file for file in [*files, *ROOT.glob("*.md")] if file != ROOT / "docs" / "log.md")


def test_every_file_that_prose_names_exists() -> None:
    """From the root, the package, the tests, the file's own folder or one above it; or in the folder of a server."""
    package = ROOT / "src" / "proverl"
    servers_ = [folder for folder in (package / "servers").iterdir() if folder.is_dir()]
    shared = [ROOT, package, ROOT / "tests", *servers_, ROOT / "tests" / "support" / "shop"]
    missing = set()
    for file in written():
        above = [folder for folder in file.parents if ROOT in folder.parents]
        for name in NAMED.findall(prose(file)):
            stands_for_several = re.search(r"[A-Z]{2}", name) and not name.endswith(".md")
            if not stands_for_several and not any((folder / name).exists() for folder in (*above, *shared)):
                missing.add(f"{file.relative_to(ROOT)}: {name}")
    assert missing - MISSING == set()


def test_a_file_is_seen_in_prose() -> None:
    said = "See world/state.py, `docs/log.md` and runs/tiny.sh. Not out/a.jsonl, *.py, servers/{name}.py or a.python."
    assert NAMED.findall(said) == ["world/state.py", "docs/log.md", "runs/tiny.sh"]


def test_the_page_for_agents_is_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text().split()) <= 700
