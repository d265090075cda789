"""Long runs can be interrupted at any point and resumed to the same bytes."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl import files as journal
from proverl.cli.episodes import roll_out
from proverl.errors import InfrastructureError, ServerDied, UsageError
from proverl.files import Journal, atomic
from proverl.records import dump
from proverl.synth import data
from proverl.world.session import LocalSession
from support.shop import server

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
    kept = [json.loads(line) for line in whole[:cut].split(b"\n")[1:-1]]
    with pytest.raises(Interrupted), Journal(place, RUN) as again:
        assert list(again.done.items()) == [tuple(pair) for pair in kept]
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


def test_an_interrupted_synthesis_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    data.make([server], 9, 2, whole)

    def stop(done: int, of: int) -> None:
        if done == 4:
            raise Interrupted

    resumed = tmp_path / "resumed.jsonl"
    with pytest.raises(Interrupted):
        data.make([server], 9, 2, resumed, stop)
    assert not resumed.exists()
    seen: list[int] = []
    data.make([server], 9, 2, resumed, lambda done, of: seen.append(done))
    assert resumed.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob("*.partial"))


ASKING = """
import sys
from pathlib import Path
from proverl import servers
from proverl.synth import data

def ask(done, of):
    print(done, flush=True)
    sys.stdin.readline()

data.make([servers.load("banking")], 40, 0, Path(sys.argv[1]), ask)
"""
"""A synthesis that waits for leave after each conversation, so that it cannot get away."""


@pytest.mark.soak
def test_a_killed_synthesis_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "proverl", "synth", "--server", "banking", "--count", "40", "--out"]
    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    subprocess.run([*command, str(whole)], check=True, capture_output=True)
    for most in (0, 1, 17, 33):
        asking = [sys.executable, "-c", ASKING, str(killed)]
        with subprocess.Popen(asking, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            while int(process.stdout.readline()) < most:
                process.stdin.write("\n")
                process.stdin.flush()
            process.stdin.write("\n")
            process.stdin.flush()
            process.kill()  # somewhere in the next conversation
        assert process.returncode == -signal.SIGKILL
        assert not killed.exists()
    subprocess.run([*command, str(killed)], check=True, capture_output=True)
    assert killed.read_bytes() == whole.read_bytes()


def test_a_rollout_resumes_without_playing_finished_episodes_again(tmp_path: Path) -> None:
    tasks = data.synthesise([_banking()], 4, 1).tasks
    journal.write(tasks, tmp_path / "tasks.jsonl")
    out = tmp_path / "traces.jsonl"
    roll_out(tmp_path / "tasks.jsonl", out, policy="silent", stdio=False, profile="robust")
    lines = out.read_text().splitlines()
    content = hashlib.blake2b((tmp_path / "tasks.jsonl").read_bytes(), digest_size=16).hexdigest()
    run = {"tasks": str(tmp_path / "tasks.jsonl"), "content": content, "policy": "silent", "model": "", "base_url": ""}
    with pytest.raises(Interrupted), Journal(out, run) as kept:
        marked = lines[0].replace('"stop":"answered"', '"stop":"deadline"')
        kept.add(tasks[0].id, marked)
        raise Interrupted
    roll_out(tmp_path / "tasks.jsonl", out, policy="silent", stdio=False, profile="robust")
    assert out.read_text().splitlines()[0] == marked
    assert [json.loads(line)["task_id"] for line in out.read_text().splitlines()] == [task.id for task in tasks]


def test_a_rollout_is_not_resumed_on_other_tasks_of_the_same_names(tmp_path: Path, monkeypatch) -> None:
    file, out = tmp_path / "tasks.jsonl", tmp_path / "traces.jsonl"
    tasks = data.synthesise([_banking()], 2, 1).tasks
    journal.write(tasks, file)
    monkeypatch.setattr("proverl.cli.episodes.local", _failing_once(tasks[1].seed, 1))
    with pytest.raises(InfrastructureError):
        roll_out(file, out, policy="silent", stdio=False, profile="robust")
    journal.write([replace(task, seed=task.seed + 1) for task in tasks], file)
    with pytest.raises(UsageError, match="other settings"):
        roll_out(file, out, policy="silent", stdio=False, profile="robust")


def test_a_rollout_whose_machine_fails_keeps_what_it_has_and_fails(tmp_path: Path, monkeypatch) -> None:
    file, out = tmp_path / "tasks.jsonl", tmp_path / "traces.jsonl"
    tasks = data.synthesise([_banking()], 3, 1).tasks
    journal.write(tasks, file)
    monkeypatch.setattr("proverl.cli.episodes.local", _failing_once(tasks[0].seed, 1))
    with pytest.raises(InfrastructureError, match="1 of 3 episodes"):
        roll_out(file, out, policy="ground_truth", stdio=False, profile="robust")
    assert not out.exists()
    (row,) = roll_out(file, out, policy="ground_truth", stdio=False, profile="robust")
    assert row["masked"] == 0
    assert row["total"] == pytest.approx(1)


def _failing_once(seed: int, times: int):  # type: ignore[no-untyped-def]
    """Opens sessions, but fails so many times on a seed."""
    left = [times]

    async def opener(server: str, wanted: int) -> LocalSession:
        if wanted == seed and left[0]:
            left[0] -= 1
            raise ServerDied("gone")
        return LocalSession(_banking(), wanted)

    return opener


def _banking():  # type: ignore[no-untyped-def]
    from proverl import servers

    return servers.load("banking")


def test_an_atomic_file_is_whole_or_not_there(tmp_path: Path) -> None:
    with pytest.raises(Interrupted), atomic(tmp_path / "a" / "file") as file:
        file.write("half")
        raise Interrupted
    assert list((tmp_path / "a").iterdir()) == []
    with atomic(tmp_path / "a" / "file") as file:
        file.write("whole")
    assert (tmp_path / "a" / "file").read_text() == "whole"


def test_a_task_read_back_from_a_line_is_the_same() -> None:
    (task,) = data.synthesise([server], 1, 3).tasks
    assert dump(task) == dump(data.load(type(task), dump(task)))
