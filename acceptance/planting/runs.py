"""Copies of the checkout, the tests run on them with one fault at a time, and the journal of what came of it.

The working tree is read once, when the first copy is made, and never written. Each job has a copy and a zygote of its
own (zygote.py). Does not cover: which faults (draw.py), what is reported (report.py).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import py_compile
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import cache_from_source
from pathlib import Path
from types import TracebackType
from typing import Any

from .faults import Fault

LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "out", "dist", "node_modules", "*.egg-info")
CLEAN_LIMIT = 900.0
TIMES = 5
"""A run with a fault may take this many times as long as the clean one, and SPARE seconds."""
SPARE = 5.0
RECENT = 24
"""So many tests that found something lately run first."""


class NotClean(Exception):
    """The tests fail, or none runs, without any fault."""


class Busy(Exception):
    """Another process does the same run."""


@dataclass
class Found:
    """What came of one fault: `by` is the test that failed, "import of FILE" or "time limit"; empty if it survived."""

    name: str
    by: str
    seconds: float


def copy(root: Path, to: Path) -> Path:
    """A copy of the checkout without what is built."""
    shutil.copytree(root, to, ignore=LEFT_OUT, symlinks=True)
    return to


class Job:
    """A copy with its zygote; a context manager."""

    def __init__(self, place: Path, arguments: list[list[str]]) -> None:
        self.place = place
        self.arguments = arguments  # of one pytest run after the other
        self.limits = [CLEAN_LIMIT] * len(arguments)
        self._log = place.with_name(f"{place.name}.log")
        self._zygote: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Job:
        path = os.pathsep.join([str(self.place / "src"), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        settings = {
            "PYTHONPATH": path,
            "PYTHONHASHSEED": "0",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": "",
        }
        self._zygote = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("zygote.py")), str(self._log)],
            cwd=self.place,
            env={**os.environ, **settings},
            start_new_session=True,  # an interrupt reaches us only, and we end it by closing its input
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._zygote is not None
        assert self._zygote.stdin is not None
        self._zygote.stdin.close()
        self._zygote.wait()

    def clean(self) -> tuple[float, int, list[str]]:
        """Run the tests without a fault, twice: the second run, with libraries at hand, sets the limits. It runs the
        tests backwards, for tests that depend on their order would fail where no fault is seen.

        Returns the seconds, the number of tests that passed and those that were skipped.

        Raises:
            NotClean: they do not pass
        """
        told = [self._clean(part) for part in self.arguments]
        self._ask({"preload": [name for one in told for name in one["libraries"]]})
        told = [self._clean(part, backwards=True) for part in self.arguments]
        self.limits = [one["seconds"] * TIMES + SPARE for one in told]
        passed, skipped = sum(one["passed"] for one in told), [name for one in told for name in one["skipped"]]
        return sum(one["seconds"] for one in told), passed, skipped

    def test(self, fault: Fault, first: Sequence[str] = (), only: str = "") -> Found:
        """Run the tests, or the one named by `only`, with a fault in the copy, and take it out again."""
        seconds, parts = 0.0, [[only]] if only else self.arguments
        with planted(self.place / fault.file, fault.after):
            for part, limit in zip(parts, self.limits, strict=False):
                told = self._ask(_request([*part, "--tb=no"], limit, first))
                seconds += told["seconds"]
                if told["code"] not in (0, 5):  # 5: no test was collected, so none failed
                    return Found(fault.name, told["by"] or f"pytest ended with {told['code']}", round(seconds, 2))
        return Found(fault.name, "", round(seconds, 2))

    def _clean(self, part: list[str], *, backwards: bool = False) -> dict[str, Any]:
        told = self._ask(_request([*part, "--tb=short"], CLEAN_LIMIT, clean=True, backwards=backwards))
        if told["code"] != 0 or not told["passed"]:
            said = self._log.read_text(errors="replace")[-3000:]
            raise NotClean(f"the tests do not pass without a fault ({told['by']}); pytest said:\n{said}")
        return told

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._zygote is not None
        assert self._zygote.stdin is not None
        assert self._zygote.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._zygote.stdin.write(json.dumps(request).encode() + b"\n")
            self._zygote.stdin.flush()
        line = self._zygote.stdout.readline()
        if not line:
            raise NotClean("the process that runs the tests has ended; what it wrote to standard error is above")
        told: dict[str, Any] = json.loads(line)
        return told


def _request(
    arguments: list[str], limit: float, first: Sequence[str] = (), *, clean: bool = False, backwards: bool = False
) -> dict[str, Any]:
    told = {"arguments": [*arguments, "-x", "-q"], "limit": limit, "first": list(first)}
    return {**told, "clean": clean, "backwards": backwards}


@contextlib.contextmanager
def planted(file: Path, after: str) -> Iterator[None]:
    """A file of a copy with another text; its bytecode is made anew, for a text changed within a second is not seen."""
    before = file.read_bytes()
    compiled = Path(cache_from_source(str(file))) if file.suffix == ".py" else None
    try:
        if compiled:
            compiled.unlink(missing_ok=True)
        file.write_text(after, encoding="utf-8", newline="")
        yield
    finally:
        file.write_bytes(before)
        if compiled:
            py_compile.compile(str(file), doraise=True)


class Journal:
    """What a run has found so far, in a file from which the same run goes on; of another run, it is begun anew.

    Raises:
        Busy: another process is writing it
    """

    def __init__(self, path: Path, run: dict[str, Any]) -> None:
        self.path = path
        self.done: dict[str, Found] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise Busy(f"another process is writing {path}; wait for it or name another file with --out") from None
        self._begin(json.dumps(run, sort_keys=True).encode())

    def add(self, found: Found) -> None:
        """Note what came of a fault."""
        self.done[found.name] = found
        self._file.write(json.dumps(asdict(found)).encode() + b"\n")
        self._file.flush()

    def remove(self) -> None:
        """The run is finished."""
        self.path.unlink()
        self.close()

    def close(self) -> None:
        """Let another process go on."""
        self._file.close()

    def _begin(self, run: bytes) -> None:
        self._file.seek(0)
        first, _, rest = self._file.read().partition(b"\n")
        whole = rest[: rest.rfind(b"\n") + 1] if first == run else b""  # a torn last line is done again
        self._file.truncate(0)
        self._file.write(run + b"\n" + whole)
        self._file.flush()
        for line in whole.splitlines():
            found = Found(**json.loads(line))
            self.done[found.name] = found
