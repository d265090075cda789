"""A file of the filesystem server's worlds holds what its name promises."""

from __future__ import annotations

import ast
import base64
import configparser
import itertools
import json
import posixpath
import re
from collections import Counter
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import pytest

from proverl.servers.filesystem.seed.names import lists
from support.filesystem_model import Model, opened, sql

SEEDS = range(6)
each_world = pytest.mark.parametrize("seed", SEEDS)


@cache
def contents(seed: int, form: str = "text") -> dict[str, tuple[str, int]]:
    """Content and size of the files of a form, by path."""
    model = Model(opened(seed))
    found = {path: node for path, node in model.walk() if model.of(node, "form") == form}
    return {path: (model.of(node, "content"), model.of(node, "size")) for path, node in found.items()}


def check_json(text: str) -> None:
    found = json.loads(text)
    assert isinstance(found["name"], str)
    assert re.fullmatch(r"\w+-\w+", found["host"])
    assert 3 <= sum(isinstance(value, int) and 1 <= value < 500 for value in found.values()) <= 5


def check_csv(text: str) -> None:
    head, *rows = (line.split(",") for line in text.splitlines())
    assert head == ["number", "name", "item", "quantity", "amount"]
    numbers = [int(row[0]) for row in rows]
    assert 6 <= len(rows) <= 35
    assert numbers == list(range(numbers[0], numbers[0] + len(rows)))
    assert 1000 <= numbers[0] < 9000
    for _, name, item, quantity, amount in rows:
        assert re.fullmatch(r"(old )?\w+ \w+", name)
        assert item.removeprefix("old ") in ("lamp", "desk", *lists()["texts"]["goods"])
        assert 1 <= int(quantity.removeprefix("old ")) <= 9
        assert re.fullmatch(r"\d{1,3}\.\d\d", amount)
        assert 1 <= float(amount) < 400


TROUBLES = [re.escape(trouble).replace(r"\{n\}", r"[1-5]?\d") for trouble in lists()["texts"]["troubles"]]
LOG = re.compile(r"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d) (INFO|WARN|ERROR) ([\w-]+): (.*)")
DEED = re.compile(rf"({'|'.join(lists()['texts']['subjects'])}) \d{{3,4}} ({'|'.join(lists()['texts']['deeds'])})")


def check_log(text: str) -> None:
    rows: list[Any] = [LOG.fullmatch(line) for line in text.splitlines()]
    assert 8 <= len(rows) < 480
    times = [datetime.fromisoformat(row[1]) for row in rows]
    assert {time.year for time in times} == {2030}
    for before, after in itertools.pairwise(times):
        assert timedelta(seconds=17) <= after - before <= timedelta(seconds=106)
    for row in rows:
        trouble = DEED.fullmatch(row[4]) if row[2] == "INFO" else re.fullmatch("|".join(TROUBLES), row[4])
        assert trouble is not None, row[0]
        assert row[3] in lists()["places"]["modules"]


def check_python(text: str) -> None:
    tree = ast.parse(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert ast.get_docstring(tree)
    assert 2 <= len(functions) <= 5
    for function in functions:
        assert ast.get_docstring(function) == f"Apply {function.name.split('_')[0]} to the items."
        assert 2 <= ast.literal_eval(function.args.defaults[0]) < 90


def check_ini(text: str) -> None:
    found = configparser.ConfigParser()
    found.read_string(text)
    assert len(found.sections()) == 2
    for section in found.sections():
        assert len(found[section]) == 4
        assert 3000 <= found.getint(section, "port") < 9900


def check_yaml(text: str) -> None:
    lines = text.splitlines()
    if lines[0] == "name: demo":  # of add_copies
        return
    pairs = dict(line.split(": ") for line in lines[1:])
    assert lines[0].startswith("# settings of ")
    assert 3000 <= int(pairs["port"]) < 9900
    assert 5 <= len(pairs) <= 8
    assert all(1 <= int(value) < 500 for key, value in pairs.items() if key not in ("host", "port"))


def check_script(text: str) -> None:
    first, title, stop, *steps = text.splitlines()
    assert (first, title[:2], stop) == ("#!/bin/sh", "# ", "set -e")
    assert 3 <= len(steps) <= 5
    assert all(re.fullmatch(r"\./run \w+ --host \w+-\w+", step) for step in steps)


def check_note(text: str) -> None:
    """A note, or a list of things to do."""
    if text.startswith("["):
        assert all(re.fullmatch(r"\[[x ]\] \w.+", line) for line in text.splitlines())
        assert 4 <= text.count("\n") <= 15
        return
    assert re.match(r"# \w.*\n\n## ", text)
    parts = text.split("\n\n")[1:]
    assert 1 <= len(parts) <= 3
    for part in parts:
        heading, *points = part.splitlines()
        assert heading.removeprefix("## ") in lists()["texts"]["headings"]
        assert 2 <= len(points) <= 6
        assert all(point.startswith("- ") for point in points)


def check_plain(text: str) -> None:
    """A few sentences under a title, a note or a list; one file is empty."""
    if not text or text.startswith(("[", "#")):
        return check_note(text) if text else None
    title, *sentences = text.splitlines()
    assert "-" not in title
    assert 3 <= len(sentences) <= 13
    assert all(re.fullmatch(r"[A-Z].*\.", sentence) for sentence in sentences)
    return None


CHECKS = {
    ".json": check_json,
    ".csv": check_csv,
    ".log": check_log,
    ".py": check_python,
    ".ini": check_ini,
    ".yaml": check_yaml,
    ".sh": check_script,
    ".md": check_note,
    ".txt": check_plain,
}


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_a_file_holds_what_its_name_promises(seed: int) -> None:
    tried: Counter[str] = Counter()
    for path, (content, _) in contents(seed).items():
        extension = posixpath.splitext(path)[1]
        if extension in CHECKS:
            try:
                CHECKS[extension](content)
            except (AssertionError, ValueError, KeyError) as error:
                raise AssertionError(f"{path}: {error}\n{content}") from error
            tried[extension] += 1
    assert all(tried[extension] for extension in CHECKS if extension != ".sh"), tried


COUNTS: dict[str, tuple[str, str, set[int]]] = {
    "steps of a script": (r"\.sh", r"(?m)^\./run ", {3, 4, 5}),
    "headings of a note": (r"\.md", r"(?m)^## ", {1, 2, 3}),
    "functions of a module": (r"\.py", r"(?m)^def ", {2, 3, 4, 5}),
    "rows of a table": (r"\.csv", r"(?m)^\d", set(range(6, 36))),
    "sentences of a text": (r"\.txt", r"(?m)^[A-Z].*\.$", set(range(3, 14))),
    "things to do": (r"/(todo|notes|ideas)\.\w+", r"(?m)^\[", set(range(4, 16))),
    "settings": (r"\.yaml", r"(?m)^(?!host|port)\w+: \d", {3, 4, 5, 6}),
}
"""Of a kind of file: what its name fits, what is counted in it, and how many there may be."""


@pytest.mark.parametrize("what", COUNTS)
def test_each_number_of_parts_that_may_be_there_is_there_in_some_file(what: str) -> None:
    named, part, numbers = COUNTS[what]
    texts = [text for seed in SEEDS for path, (text, _) in contents(seed).items() if re.search(f"{named}$", path)]
    assert {len(re.findall(part, text)) for text in texts} - {0} == numbers


@each_world
def test_who_buys_has_no_login(seed: int) -> None:
    session = opened(seed)
    known = {name.split()[0] for (name,) in sql(session, "SELECT full_name FROM login")}
    tables = [text for path, (text, _) in contents(seed).items() if path.endswith(".csv")]
    buyers = {line.split(",")[1].removeprefix("old ") for text in tables for line in text.splitlines()[1:]}
    assert not known & {name.split()[0] for name in buyers}
    assert 10 <= len(buyers) <= 16


@each_world
def test_most_of_a_log_is_information_and_some_of_it_warning_and_error(seed: int) -> None:
    text, _ = contents(seed)["/var/log/system.log"]
    levels = Counter(line.split()[1] for line in text.splitlines())
    assert 410 <= levels.total() < 480
    assert 0.7 < levels["INFO"] / levels.total() < 0.9
    assert levels["WARN"] > levels["ERROR"] > 0


@each_world
def test_binary_files_are_pictures_whose_size_is_that_of_their_bytes(seed: int) -> None:
    for path, (content, size) in contents(seed, "base64").items():
        data = base64.b64decode(content, validate=True)
        assert data.startswith(b"\x89IMG\r\n"), path
        assert size == len(data)
        assert 66 <= len(data) < 906
