"""Files of tasks: written whole, read back, and resumed to the same bytes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from proverl import files
from proverl.records import Task, dump, load
from proverl.synth import data
from support.shop import server


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return data.synthesise([server], 12, seed=5).tasks


@pytest.mark.soak
def test_a_run_gives_the_same_bytes_under_any_hash_seed_time_zone_and_locale(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from support.shop import server;"
        "from proverl import files; from proverl.synth import data;"
        "files.write(data.synthesise([server], 12, 3).tasks, Path(sys.argv[2]))"
    )
    found = set()
    for number, (seed, zone, lang) in enumerate(
        [("0", "UTC", "C"), ("1", "Asia/Kolkata", "C.UTF-8"), ("random", "UTC", "C.UTF-8")]
    ):
        out = tmp_path / f"{number}.jsonl"
        environment = {"PYTHONHASHSEED": seed, "TZ": zone, "LANG": lang, "PATH": "/usr/bin:/bin"}
        folder = str(Path(__file__).parents[1])
        subprocess.run([sys.executable, "-c", code, folder, str(out)], check=True, env=environment)
        found.add(out.read_bytes())
    assert len(found) == 1


def test_tasks_survive_their_file(tasks: list[Task], tmp_path: Path) -> None:
    files.write(tasks, tmp_path / "tasks.jsonl")
    assert data.read(tmp_path / "tasks.jsonl") == tasks
    assert [json.loads(dump(task)) for task in tasks] == [json.loads(dump(load(Task, dump(task)))) for task in tasks]


def test_a_broken_line_is_named(tasks: list[Task], tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(dump(tasks[0]) + "\n{}\n")
    with pytest.raises(Exception, match="line 2"):
        data.read(path)


def test_an_interrupted_write_leaves_the_old_file(tasks: list[Task], tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    files.write(tasks[:1], path)

    def broken() -> Iterator[Task]:
        yield tasks[1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write(broken(), path)
    assert data.read(path) == tasks[:1]
    assert list(tmp_path.iterdir()) == [path]


class Interrupted(BaseException):
    """What a user's Ctrl-C is."""


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


def test_a_task_read_back_from_a_line_is_the_same() -> None:
    (task,) = data.synthesise([server], 1, 3).tasks
    assert dump(task) == dump(load(type(task), dump(task)))
