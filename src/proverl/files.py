"""Files: records one a line, files that appear whole, and journals of long runs.

Covers: writing records so that a file appears at its place whole or not at all; reading them back with the line that is
wrong; a journal beside the final file (`tasks.jsonl.partial`) from which an interrupted run goes on, a torn last line
included. Does not cover: what the records are.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, TextIO

from .errors import BadFile, UsageError
from .records import Json, Record, dump, load


@contextmanager
def atomic(path: Path) -> Iterator[TextIO]:
    """A text file that appears at its place whole, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write(records: Iterable[object], path: Path) -> None:
    """Write records, one a line of JSON."""
    with atomic(path) as file:
        file.writelines(dump(record) + "\n" for record in records)


def read(kind: type[Record], path: Path, remedy: str) -> list[Record]:
    """The records of a file; `remedy` is the command that makes such a file.

    Raises:
        BadFile: it cannot be read, or a line is no such record; the message names the line
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"cannot read {path}: {error}; make one with `{remedy}`") from None
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(load(kind, line))
        except BadFile as error:
            raise BadFile(f"{path}, line {number}: {error}") from None
    return records


class Journal:
    """What a run towards `place` has done so far; a context manager.

    `run` says what the run is. `done` maps the key of each finished part to its result. When the context ends without
    an error the journal is removed; otherwise it stays, and the same run goes on from it.

    Raises:
        UsageError: another process is at it, or the journal is of a run with other settings
    """

    def __init__(self, place: Path, run: dict[str, Json]) -> None:
        self.path = place.with_name(f"{place.name}.partial")
        self.done: dict[str, Json] = {}
        self._run = run
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Journal:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.open("a+b")
        try:
            self._lock(file)
            self._read(file)
        except BaseException:
            file.close()
            raise
        self._file = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._file is not None
        if kind is None:
            self.path.unlink()
        self._file.close()
        self._file = None

    def add(self, key: str, result: Json) -> None:
        """Note a finished part; it is on its way to the disk when this returns."""
        assert self._file is not None
        self.done[key] = result
        self._file.write(_line([key, result]))
        self._file.flush()

    def _lock(self, file: IO[bytes]) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"another process is writing {self.path}; wait for it or name another file") from None

    def _read(self, file: IO[bytes]) -> None:
        file.seek(0)
        whole, _, torn = file.read().rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        if not lines:
            file.truncate(0)
            file.write(_line(self._run))
            file.flush()
            return
        if json.loads(lines[0]) != self._run:
            raise UsageError(
                f"{self.path} is of a run with other settings ({lines[0].decode()}); finish that run or remove the file"
            )
        if torn:
            file.truncate(len(whole) + 1)
        self.done = dict(json.loads(line) for line in lines[1:])


def _line(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True).encode() + b"\n"
