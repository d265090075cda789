"""The command as a person or a program uses it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from proverl import servers
from proverl.policies.scripted import POLICIES


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "proverl", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def answer(*arguments: str | Path) -> Any:
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("cli") / "tasks.jsonl"
    done = run("synth", "--server", "banking", "--count", "4", "--out", file)
    assert done.returncode == 0, done.stderr
    assert "4 conversations" in done.stdout
    return file


def test_servers_and_their_tools_are_listed() -> None:
    listed = answer("servers", "--json")
    assert [row["server"] for row in listed] == list(servers.names())
    tools = answer("servers", "banking", "--json")
    assert [row["tool"] for row in tools] == [tool.name for tool in servers.load("banking").tools]


def test_a_tool_is_called_with_named_values_or_an_object() -> None:
    named = answer("call", "banking", "list_bank_accounts", "kind=savings", "--seed", "7", "--json")
    whole = answer("call", "banking", "list_bank_accounts", '{"kind": "savings"}', "--seed", "7", "--json")
    assert named == whole
    assert named["kind"] == "ok"
    expected = servers.open_session("banking", 7).call("list_bank_accounts", {"kind": "savings"})
    assert named["body"] == expected.value


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["call", "bankin", "x"], 2, "did you mean 'banking'"),
        (["call", "banking", "list_bank_acounts"], 2, "did you mean 'list_bank_accounts'"),
        (["call", "banking", "list_bank_accounts", "--seed", "-1"], 2, "-1 is not a seed"),
        (["call", "banking", "list_bank_accounts", "kind"], 2, "'kind' is no name=value"),
        (["call", "banking", "list_bank_accounts", "{"], 2, "no JSON object"),
        (["call", "banking", "list_bank_accounts", "kind=gold"], 1, "gold"),
        (["call", "banking", "get_bank_account", "account_id=acc_0"], 1, "account_not_found"),
        (["call", "banking", "set_card_lock", "card_id=crd_1", "state=active", "pin=0417"], 1, "card_not_found"),
        (["replay", "nowhere.jsonl"], 2, "cannot read nowhere.jsonl"),
        (["reward", "explain", "nowhere.jsonl"], 2, "cannot read nowhere.jsonl"),
        (["synth", "--out", "x", "--server", "bank"], 2, "did you mean 'banking'"),
        (["train", "--engine", "ppo", "--data", "x"], 2, "trl"),
        (["serve", "bank"], 66, "did you mean 'banking'"),
    ],
)
def test_what_cannot_be_used_is_quoted_without_a_traceback(arguments: list[str], status: int, words: str) -> None:
    done = run(*arguments)
    assert done.returncode == status
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_of_tasks_is_described_and_replayed(tasks: Path) -> None:
    *_, whole = answer("data", tasks, "--json")
    assert whole["tasks"] == 4
    (row,) = answer("replay", tasks, "--json")
    assert row["conversations"] == 4
    assert row["observations_equal"] == row["final_states_equal"] == "100.0%"


def test_a_file_that_was_tampered_with_fails_its_replay(tasks: Path, tmp_path: Path) -> None:
    lines = tasks.read_text().splitlines()
    record = json.loads(lines[0])
    record["digest"] = "0" * len(record["digest"])
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps(record) + "\n")
    assert run("replay", bad).returncode == 1


def test_a_policy_is_rolled_out_scored_and_explained(tasks: Path, tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    (row,) = answer("rollout", tasks, "--policy", "ground_truth", "--out", traces, "--json")
    assert row["total"] == pytest.approx(1)
    assert row["masked"] == 0
    (scored,) = answer("reward", "score", traces, "--profile", "paper", "--json")
    assert scored["total"] == pytest.approx(1.3)
    judged = answer("reward", "explain", traces, "--json")
    assert judged["total"] == pytest.approx(1)
    shown = run("reward", "explain", traces, "--profile", "paper")
    assert shown.returncode == 0
    assert "coverage" in shown.stdout


def test_sessions_in_server_processes_give_the_same_rewards(tasks: Path, tmp_path: Path) -> None:
    here = answer("rollout", tasks, "--policy", "wrong_values", "--out", tmp_path / "a.jsonl", "--json")
    there = answer("rollout", tasks, "--policy", "wrong_values", "--stdio", "--out", tmp_path / "b.jsonl", "--json")
    assert here == there


def test_the_graph_and_a_sample_are_shown() -> None:
    edges = answer("graph", "banking", "--json")
    assert {"first": "list_payees", "then": "remove_payee", "kind": "explicit"} in edges
    chains = answer("graph", "banking", "--chains", "5", "--json")
    assert [row["length"] for row in chains] == [len(row["chain"]) for row in chains]
    entities = answer("sample", "banking", "--seed", "3", "--json")
    assert {row["entity"] for row in entities} >= {"account", "payee", "card"}


def test_the_laws_are_checked_on_request() -> None:
    rows = answer("laws", "banking", "--calls", "40", "--seeds", "1", "--json")
    assert {row["held"] for row in rows} <= {"holds", "not checked"}


@pytest.mark.soak
@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_scores_the_same_in_process_and_over_stdio(policy: str, tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    assert run("synth", "--count", "60", "--seed", "9", "--out", file).returncode == 0
    here = answer("rollout", file, "--policy", policy, "--out", tmp_path / "a.jsonl", "--json")
    there = answer("rollout", file, "--policy", policy, "--stdio", "--out", tmp_path / "b.jsonl", "--json")
    assert here == there
