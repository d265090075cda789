"""Long runs can be interrupted at any point and resumed to the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import UsageError
from proverl.files import Journal, atomic

RUN = {"what": "a test"}


class Interrupted(BaseException):
    """What a user's Ctrl-C is."""


def test_a_finished_run_leaves_no_journal(tmp_path: Path) -> None:
    with Journal(tmp_path / "out", RUN) as kept:
        kept.add("1", {"a": "ä"})
    assert list(tmp_path.iterdir()) == []


@given(results=st.dictionaries(st.text(), st.text(), max_size=5), cut=st.integers(0, 400))
def test_a_journal_that_was_cut_anywhere_is_read_up_to_its_last_whole_line(
    tmp_path_factory: pytest.TempPathFactory, results: dict[str, str], cut: int
) -> None:
    place = tmp_path_factory.mktemp("journal") / "out"
    with pytest.raises(Interrupted), Journal(place, RUN) as kept:
        for key, result in results.items():
            kept.add(key, result)
        raise Interrupted
    whole = kept.path.read_bytes()
    kept.path.write_bytes(whole[:cut])
    left = [json.loads(line) for line in whole[:cut].split(b"\n")[1:-1]]
    with pytest.raises(Interrupted), Journal(place, RUN) as again:
        assert list(again.done.items()) == [tuple(pair) for pair in left]
        for key, result in results.items():
            if key not in again.done:
                again.add(key, result)
        raise Interrupted
    with Journal(place, RUN) as last:
        assert last.done == results


def test_a_journal_of_other_settings_is_refused_and_kept(tmp_path: Path) -> None:
    with pytest.raises(Interrupted), Journal(tmp_path / "out", RUN) as kept:
        kept.add("1", 1)
        raise Interrupted
    before = kept.path.read_bytes()
    with pytest.raises(UsageError, match="other settings"), Journal(tmp_path / "out", {"what": "else"}):
        pass
    assert kept.path.read_bytes() == before


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with Journal(tmp_path / "out", RUN), pytest.raises(UsageError, match="another process"):
        Journal(tmp_path / "out", RUN).__enter__()


def test_an_atomic_file_is_whole_or_not_there(tmp_path: Path) -> None:
    with pytest.raises(Interrupted), atomic(tmp_path / "a" / "file") as file:
        file.write("half")
        raise Interrupted
    assert list((tmp_path / "a").iterdir()) == []
    with atomic(tmp_path / "a" / "file") as file:
        file.write("whole")
    assert (tmp_path / "a" / "file").read_text() == "whole"
