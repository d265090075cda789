"""Every law for every server: a sample by default, the full counts under `-m soak`.

The laws themselves are in proverl.laws; that they see each kind of breach is shown in tests/laws/test_check.py.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import threading
from functools import cache

import pytest

from proverl import servers
from proverl.laws import LAWS, Report, check
from proverl.laws.arguments import Drawn, Generator
from proverl.records import Kind, Outcome
from proverl.world.session import LocalSession
from proverl.world.state import Hot, Store
from support.tested import NAMES

each_server = pytest.mark.parametrize("name", NAMES)
CALLS = max(24, 300 // len(NAMES))
"""Calls per server in the sample: about the same time whatever the number of servers."""


def assert_lawful(report: Report, cases, *, every_law: bool = False) -> None:
    cases["law cases"] += report.cases.total()
    assert report.ok, str(report)
    without = {law for law in LAWS if not report.cases[law]} - {"secrets_hidden"}
    if every_law:
        assert without <= {"idempotent"}, f"no case of {without}"


@each_server
def test_each_server_obeys_every_law(name, cases):
    assert_lawful(check(servers.load(name), seeds=range(2), calls=CALLS, faults=1, schedules=1), cases, every_law=True)


@pytest.mark.soak
@each_server
def test_two_thousand_calls_on_forty_seeds_break_no_law(name, cases):
    """The k-th write of up to 20 calls of each tool fails as well, for every k."""
    assert_lawful(check(servers.load(name), seeds=range(100, 140), calls=50, faults=1, schedules=5), cases)
    deep = check(servers.load(name), seeds=range(3), calls=400, faults=20, schedules=5)
    assert_lawful(deep, cases, every_law=True)


@pytest.mark.soak
@each_server
def test_two_thousand_fuzzed_calls_never_end_in_an_internal_error(name, cases):
    """More of the broken and hostile families than the laws draw."""
    server = servers.load(name)
    shares = {"live": 0.4, "valid": 0.1, "broken": 0.2, "hostile": 0.3}
    for seed in range(40):
        session = LocalSession(server, seed)
        generator = Generator(session.tools, f"fuzz:{seed}", secrets=session.secrets(), shares=shares)
        for _ in range(50):
            call = generator.call()
            outcome = session.call(call.tool, call.arguments)
            generator.learn(call, outcome)
            assert outcome.kind is not Kind.INFRASTRUCTURE, (call, outcome.message)
            outcome.observation().encode()
        session.close()
        cases["fuzzed calls"] += 50


@cache
def plan(name: str, seed: int, calls: int) -> list[tuple[str, object, Outcome]]:
    """Random calls on a session of their own, with what came of them; most of them succeed."""
    session = LocalSession(servers.load(name), seed)

    def trial(call: Drawn) -> Outcome:
        with session.attempt():
            return session.call(call.tool, call.arguments)

    generator = Generator(session.tools, f"plan:{seed}", secrets=session.secrets(), trial=trial)
    made = []
    for _ in range(calls):
        call = generator.call()
        outcome = session.call(call.tool, call.arguments)
        generator.learn(call, outcome)
        made.append((call.tool, call.arguments, outcome))
    return made


def interleave(name: str, schedule: int, calls: int) -> None:
    """Eight sessions on four seeds, their calls in random order, with room for three open databases."""
    server, hot = servers.load(name), Hot(limit=3, spare=2)
    sessions = [LocalSession(server, seed % 4, _store=Store(server.template(seed % 4), hot=hot)) for seed in range(8)]
    turns = [number for number in range(8) for _ in range(calls)]
    random.Random(schedule).shuffle(turns)
    left = [iter(plan(name, seed % 4, calls)) for seed in range(8)]
    for number in turns:
        tool, arguments, outcome = next(left[number])
        assert sessions[number].call(tool, arguments) == outcome, (tool, arguments)


@each_server
def test_eight_sessions_interleaved_at_random_get_what_each_gets_alone(name, cases):
    for schedule in range(2):
        interleave(name, schedule, calls=10)
        cases["schedules"] += 1


@pytest.mark.soak
@each_server
def test_two_hundred_schedules_of_eight_sessions_get_what_each_gets_alone(name, cases):
    for schedule in range(200):
        interleave(name, schedule, calls=20)
        cases["schedules"] += 1


def threaded(name: str, sessions: int, calls: int) -> int:
    """Eight threads with sessions of their own on shared templates; all results as in one thread."""
    server, hot = servers.load(name), Hot(limit=5, spare=3)
    plans = [plan(name, seed, calls) for seed in range(3)]
    failures: list[object] = []
    made = [0] * 8

    def work(number: int) -> None:
        try:
            for turn in range(sessions):
                seed = (number + turn) % 3
                session = LocalSession(server, seed, keep_log=False, _store=Store(server.template(seed), hot=hot))
                for tool, arguments, outcome in plans[seed][turn % 5 :] if turn % 5 == 0 else plans[seed]:
                    got = session.call(tool, arguments)
                    made[number] += 1
                    if got != outcome:
                        failures.append((tool, arguments, got, outcome))
                        return
                if turn % 2:
                    session.close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[:2]
    return sum(made)


@each_server
def test_eight_threads_get_the_results_of_one(name, cases):
    cases["calls in threads"] += threaded(name, sessions=3, calls=10)


@pytest.mark.soak
@each_server
def test_eight_threads_of_ten_thousand_calls_get_the_results_of_one(name, cases):
    made = threaded(name, sessions=250, calls=40)
    assert made == 80_000
    cases["calls in threads"] += made


FINGERPRINT = """
import hashlib, sys
from proverl import servers
from proverl.records import dump
from proverl.laws.arguments import Generator
from proverl.world.session import LocalSession

seeds, calls = int(sys.argv[1]), int(sys.argv[2])
for name in sys.argv[3:]:
    server = servers.load(name)
    found = hashlib.sha256()
    for tool in server.tools:
        found.update(dump(tool).encode())
    for seed in range(seeds):
        session = LocalSession(server, seed)
        found.update(session.digest().encode() + repr(sorted(session.secrets().items())).encode())
        generator = Generator(session.tools, seed, secrets=session.secrets())
        for _ in range(calls):
            call = generator.call()
            outcome = session.call(call.tool, call.arguments)
            generator.learn(call, outcome)
            found.update(dump(outcome).encode())
        found.update(session.digest().encode() + repr(session.changes()).encode())
    print(name, found.hexdigest())
"""


def fingerprints(names: tuple[str, ...], seeds: int, calls: int, **environment: str) -> str:
    """A hash per server over worlds, transcripts and changes, made in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", FINGERPRINT, str(seeds), str(calls), *names],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    return done.stdout.strip()


ENVIRONMENTS = [
    {"PYTHONHASHSEED": seed, "TZ": zone, "LANG": lang, "LC_ALL": lang}
    for seed, zone, lang in itertools.product(["0", "1", "random"], ["UTC", "Asia/Kolkata"], ["C", "C.UTF-8"])
]


def test_one_seed_gives_the_same_bytes_in_another_process_zone_and_locale(cases):
    first = fingerprints(NAMES, 1, 30, **ENVIRONMENTS[0])
    assert first.count("\n") == len(NAMES) - 1
    assert fingerprints(NAMES, 1, 30, **ENVIRONMENTS[-2]) == first
    cases["processes compared"] += 2


@pytest.mark.soak
@each_server
def test_one_seed_gives_the_same_bytes_in_twelve_environments(name, cases):
    found = {json.dumps(one): fingerprints((name,), 5, 100, **one) for one in ENVIRONMENTS}
    assert len(set(found.values())) == 1, found
    cases["processes compared"] += len(found)


@pytest.mark.soak
@each_server
def test_a_thousand_seeds_give_a_thousand_different_whole_worlds(name, cases):
    server = servers.load(name)
    digests = set()
    for seed in range(1000):
        template = server._build(seed)
        digests.add(template.digest)
        world = template.open()
        assert world.execute("PRAGMA foreign_key_check").fetchall() == []
        assert world.execute("PRAGMA integrity_check").get == "ok"
        cases["worlds"] += 1
    assert len(digests) == 1000


@each_server
def test_the_worlds_of_a_few_seeds_are_different_and_whole_and_the_same_when_built_again(name):
    server = servers.load(name)
    digests = set()
    for seed in (0, 1, 2**32 + 1, 2**53 - 1):
        template = server.template(seed)
        digests.add(template.digest)
        assert template.open().execute("PRAGMA foreign_key_check").fetchall() == []
    assert len(digests) == 4
    assert server._build(1).blob == server.template(1).blob
