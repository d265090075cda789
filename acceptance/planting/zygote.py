"""A process that has everything imported but the code under test, and forks a pytest run for each request.

Requests and answers are lines of JSON on standard input and output. Run as `python zygote.py` with the root of the
checkout's copy as working directory; the copy is the only place from which a run imports proverl. Does not cover: what
is changed in the copy between runs (runs.py).
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import json
import os
import resource
import select
import signal
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

import hypothesis
import pytest

MOST_BYTES = 6 << 30
"""What a run may allocate: a fault that fills the memory must not end the machine."""
LIBRARIES = tuple({sysconfig.get_paths()[name] for name in ("purelib", "platlib", "stdlib", "platstdlib")})
NOT_PLUGINS = ("xdist",)
"""Plugins that are left out: the runs are spread over processes here, not there."""


class Watch:
    """Follows one run: the tests named in `first` come first, and the first failure is kept."""

    def __init__(self, first: list[str], backwards: bool) -> None:
        self.backwards = backwards
        self.first = {name: index for index, name in enumerate(first)}
        self.by = ""
        self.passed = 0
        self.skipped: list[str] = []
        self.slowest: list[tuple[float, str]] = []

    def pytest_configure(self) -> None:
        """Look for one failing example only, and not for the smallest one."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile("planting", hypothesis.settings(), phases=phases)
        hypothesis.settings.load_profile("planting")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Begin with the tests that found something lately."""
        if self.backwards:
            items.reverse()
        items.sort(key=lambda item: self.first.get(item.nodeid, len(self.first)))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that cannot be imported."""
        if report.failed and not self.by:
            self.by = f"import of {report.nodeid}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what failed."""
        if report.failed and not self.by:
            self.by = report.nodeid
        if report.when == "call":
            self.passed += report.passed
            self.slowest = sorted([*self.slowest, (report.duration, report.nodeid)], reverse=True)[:5]
        if report.skipped:
            self.skipped.append(report.nodeid)


def plugins() -> list[Any]:
    """The installed pytest plugins, imported once."""
    entries = sorted(importlib.metadata.entry_points(group="pytest11"), key=lambda entry: entry.name)
    return [entry.load() for entry in entries if not entry.module.startswith(NOT_PLUGINS)]


def preload(names: list[str]) -> list[str]:
    """Import libraries before the forks; returns those that could not be imported by themselves."""
    failed = []
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:
            failed.append(name)
    return failed


def libraries() -> list[str]:
    """The modules of installed libraries that are imported now."""
    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(getattr(module, "__spec__", None), "origin", None) or ""
        plugin = name.split(".")[0] in ("pytest", "_pytest", "xdist", "__main__")
        if file.startswith(LIBRARIES) and not plugin:
            found.append(name)
    return found


def run(request: dict[str, Any], loaded: list[Any], answer: int) -> None:
    """In the child: run pytest and write what came of it. Never returns."""
    sys.dont_write_bytecode = not request["clean"]  # a fault's bytecode must not be found by the next run
    watch = Watch(request["first"], request["backwards"])
    code: int = -1
    try:
        code = int(pytest.main([*request["arguments"], "-p", "no:cacheprovider"], plugins=[*loaded, watch]))
    except BaseException as error:  # a fault may raise anything anywhere
        watch.by = watch.by or f"{type(error).__name__} outside the tests"
    told: dict[str, Any] = {"code": code, "by": watch.by, "passed": watch.passed}
    if request["clean"]:
        told |= {"libraries": libraries(), "skipped": watch.skipped, "slowest": watch.slowest}
    with contextlib.suppress(OSError):
        os.write(answer, json.dumps(told).encode())
    sys.stdout.flush()
    os._exit(0)  # threads that a fault left behind must not hold up the end


def fork(request: dict[str, Any], loaded: list[Any], log: Path) -> dict[str, Any]:
    """One run in a forked process group, ended at its limit."""
    began = time.monotonic()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.setsid()
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        nothing, out = os.open(os.devnull, os.O_RDONLY), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for source, descriptor in ((nothing, 0), (out, 1), (out, 2)):
            os.dup2(source, descriptor)
        run(request, loaded, writing)
    os.close(writing)
    try:
        told = _listen(reading, child, request["limit"], began)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return {**told, "seconds": round(time.monotonic() - began, 3)}


def _listen(reading: int, child: int, limit: float, began: float) -> dict[str, Any]:
    told = b""
    while True:
        left = limit - (time.monotonic() - began)
        ready, _, _ = select.select([reading, 0], [], [], max(left, 0))
        if 0 in ready:  # nobody writes to us now, so this is the end of the one who asked
            os.killpg(child, signal.SIGKILL)
            sys.exit(1)
        if not ready:
            return {"code": -2, "by": "time limit", "passed": 0}
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        told += piece
    try:
        found: dict[str, Any] = json.loads(told)
    except ValueError:
        return {"code": -3, "by": "death of the process", "passed": 0}
    return found


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    log = Path(sys.argv[1])
    loaded = plugins()
    asked = os.fdopen(0, "rb", buffering=0, closefd=False)  # a buffer would hide from select() what it has read
    while line := asked.readline():
        request = json.loads(line)
        told = {"failed": preload(request["preload"])} if "preload" in request else fork(request, loaded, log)
        answers.write(json.dumps(told) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
