"""Rollouts from file to file: interrupted, resumed, and failing with their machine."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from proverl import files, servers
from proverl.cli.episodes import roll_out
from proverl.errors import InfrastructureError, ServerDied, UsageError
from proverl.files import Journal
from proverl.rollout import Opener
from proverl.synth import data
from proverl.world.server import Server
from proverl.world.session import LocalSession


class Interrupted(BaseException):
    """What a user's Ctrl-C is."""


def test_a_rollout_resumes_without_playing_finished_episodes_again(tmp_path: Path) -> None:
    tasks = data.synthesise([_banking()], 4, 1).tasks
    files.write(tasks, tmp_path / "tasks.jsonl")
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
    files.write(tasks, file)
    monkeypatch.setattr("proverl.cli.episodes.local", _failing_once(tasks[1].seed, 1))
    with pytest.raises(InfrastructureError):
        roll_out(file, out, policy="silent", stdio=False, profile="robust")
    files.write([replace(task, seed=task.seed + 1) for task in tasks], file)
    with pytest.raises(UsageError, match="other settings"):
        roll_out(file, out, policy="silent", stdio=False, profile="robust")


def test_a_rollout_whose_machine_fails_keeps_what_it_has_and_fails(tmp_path: Path, monkeypatch) -> None:
    file, out = tmp_path / "tasks.jsonl", tmp_path / "traces.jsonl"
    tasks = data.synthesise([_banking()], 3, 1).tasks
    files.write(tasks, file)
    monkeypatch.setattr("proverl.cli.episodes.local", _failing_once(tasks[0].seed, 1))
    with pytest.raises(InfrastructureError, match="1 of 3 episodes"):
        roll_out(file, out, policy="ground_truth", stdio=False, profile="robust")
    assert not out.exists()
    (row,) = roll_out(file, out, policy="ground_truth", stdio=False, profile="robust")
    assert row["masked"] == 0
    assert row["total"] == pytest.approx(1)


def _failing_once(seed: int, times: int) -> Opener:
    """Opens sessions, but fails so many times on a seed."""
    left = [times]

    async def opener(server: str, wanted: int) -> LocalSession:
        if wanted == seed and left[0]:
            left[0] -= 1
            raise ServerDied("gone")
        return LocalSession(_banking(), wanted)

    return opener


def _banking() -> Server:
    return servers.load("banking")
