"""The documents say what the code does."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path
from typing import Any

import pytest

from proverl import servers
from proverl.cli.app import app

ROOT = Path(__file__).parents[1]


def _generator() -> Any:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_servers_is_what_the_registry_says() -> None:
    generator = _generator()
    assert generator.PAGE.read_text() == generator.page(), "run `python docs/generate.py`"


def test_the_python_in_the_readme_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert blocks
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block, "README.md", "exec"), {})
        assert printed.getvalue()


def test_the_readme_counts_the_servers_and_tools_right() -> None:
    tools = sum(len(servers.load(name).tools) for name in servers.names())
    words = {3: "three", 20: "20"}[len(servers.names())]
    assert f"{words} servers, {tools} tools" in (ROOT / "README.md").read_text()


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


def test_the_page_for_agents_is_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text().split()) <= 700
