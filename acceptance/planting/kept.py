"""Faults that are kept as patches, each with the test that must fail on it.

A file of faults/ begins with two lines, `Test: NODE ID` and `Why: what the fault is`; then comes a unified diff of one
file, as `plant.py --show` prints it. Does not cover: finding faults (draw.py).
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .faults import Fault
from .runs import Job, copy

HEAD = re.compile(
    r"Test: (?P<test>\S.*)\nWhy: (?P<why>\S.*)\n\s*(?P<patch>--- a/(?P<file>\S+)\n\+\+\+ b/(?P=file)\n.*)", re.DOTALL
)


class BadPatch(Exception):
    """A kept fault that cannot be read, or does not fit the sources any more."""


@dataclass(frozen=True)
class Kept:
    """A kept fault: `test` is the node id of the test that must fail."""

    name: str
    test: str
    why: str
    file: str
    patch: str


def read(path: Path) -> Kept:
    """A kept fault.

    Raises:
        BadPatch: the file is none
    """
    found = HEAD.fullmatch(path.read_text(encoding="utf-8"))
    if found is None or found["patch"].count("\n--- a/"):
        raise BadPatch(f"{path.name}: expected the lines 'Test: ...' and 'Why: ...' and then a diff of one file")
    return Kept(path.stem, found["test"].strip(), found["why"].strip(), found["file"], found["patch"])


def fault(kept: Kept, root: Path) -> Fault:
    """The fault of a patch in the sources below `root`.

    Raises:
        BadPatch: it does not fit
    """
    source = root / kept.file
    if not source.is_file():
        raise BadPatch(f"{kept.name}: there is no {kept.file}; make the patch anew")
    before = source.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as place:
        scratch = Path(place) / kept.file
        scratch.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text(before, encoding="utf-8")
        command = ["git", "apply", "--recount", "-"]
        environment = {"GIT_CEILING_DIRECTORIES": str(Path(place).parent), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        done = subprocess.run(command, cwd=place, input=kept.patch, text=True, capture_output=True, env=environment)
        if done.returncode:
            raise BadPatch(f"{kept.name}: does not fit {kept.file}: {done.stderr.strip()}; make the patch anew")
        return Fault(kept.file, "kept", 0, before, scratch.read_text(encoding="utf-8"))


def check(folder: Path, root: Path, say: Callable[[str], None]) -> list[str]:
    """Plant each kept fault in a copy and run its test; returns the faults that do not make it fail.

    Raises:
        BadPatch: a patch does not fit
        NotClean: a named test fails without its fault
    """
    all_kept = [read(path) for path in sorted(folder.glob("*.patch"))]
    if not all_kept:
        raise BadPatch(f"no patch in {folder}")
    wrong = []
    with tempfile.TemporaryDirectory(prefix="plant") as place:
        at = copy(root, Path(place) / "kept")
        faults = [(kept, fault(kept, at)) for kept in all_kept]
        with Job(at, [sorted({kept.test for kept in all_kept})]) as job:
            job.clean()
            for kept, planted in faults:
                found = job.test(planted, only=kept.test)
                if not found.by:
                    wrong.append(f"{kept.name}: {kept.test} passes with it ({kept.why})")
                say(f"{'caught' if found.by else 'MISSED'} {kept.name}")
    return wrong
