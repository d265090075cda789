"""What every server must obey: each law by name, checked by random calls and counted.

Covers: `check`, for our servers and for any other whose sessions answer like `Session`; the laws and what breaks them.
Does not cover: drawing the calls (laws/arguments.py) or starting servers (wire/manager.py).

    report = check(server, seeds=range(3), calls=200)
    print(report)
    assert report.ok

Laws that look into the store (a fault at every write, eviction, foreign keys) need a `LocalSession`; for sessions that
live elsewhere they are listed under `skipped` with the reason.
"""

from __future__ import annotations

import copy
import json
import logging
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jsonschema_rs

from ..errors import ProverlError
from ..records import Json, Kind, Outcome, Tool
from ..strict_json import Unfit, check_arguments
from ..strict_json import check as fit
from ..world.server import SNAKE, Server
from ..world.session import LocalSession, Session
from .arguments import Drawn, Generator
from .report import LAWS, Finding, Report

__all__ = ["LAWS", "Finding", "Report", "check"]

SUCCESS_SHARE = 0.5
STUCK = 16

Opener = Callable[[int], Session]


class InjectedFault(Exception):
    """What a law raises inside a call, in place of a write."""


def check(
    server: Server | Opener,
    *,
    seeds: Iterable[int] = range(3),
    calls: int = 100,
    faults: int = 3,
    schedules: int = 3,
    name: str = "",
) -> Report:
    """Check all laws with `calls` random calls on each seed.

    `server` is a Server, or a function that opens a session of a seed. `faults` is how many successful calls of each
    writing tool are failed at every write; `schedules` how often sessions are interleaved.
    """

    def local(seed: int) -> Session:
        assert isinstance(server, Server)
        return LocalSession(server, seed)

    opener: Opener = local if isinstance(server, Server) else server
    seeds = list(seeds)
    with _quiet():
        first = opener(seeds[0])
        report = Report(name or first.server)
        _described(report, first.tools)
        _note_what_cannot_be_checked(report, first)
        first.close()
        _seeds_differ(report, opener, seeds)
        walks = []
        for seed in seeds:
            made = 0
            while made < calls:
                walk = _Walk(report, opener, seed, faults, start=made)
                made += walk.run(calls - made)
                walk.replay()
                walk.reset()
                walks.append(walk)
        _interleave(report, opener, walks, schedules)
    if "calls_succeed" not in report.skipped:
        enough = report.success_share >= SUCCESS_SHARE
        report.holds("calls_succeed", enough, "", seeds[0], f"{report.success_share:.0%} succeeded")
    return report


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the faults that laws inject out of the log."""

    def keep(record: logging.LogRecord) -> bool:
        return not (record.exc_info and isinstance(record.exc_info[1], InjectedFault))

    logger = logging.getLogger("proverl.world.session")
    logger.addFilter(keep)
    try:
        yield
    finally:
        logger.removeFilter(keep)


def _described(report: Report, tools: Sequence[Tool]) -> None:
    names = [tool.name for tool in tools]
    for tool in tools:
        faults = []
        if not SNAKE.fullmatch(tool.name):
            faults.append("its name is not snake_case")
        if names.count(tool.name) > 1:
            faults.append("its name occurs twice")
        if not tool.description.strip():
            faults.append("it has no description")
        for name, schema in tool.input_schema.get("properties", {}).items():
            if not schema.get("description", "").strip():
                faults.append(f"the parameter {name} has no description")
        for schema in (tool.input_schema, tool.output_schema):
            try:
                jsonschema_rs.validator_for(schema)
            except (ValueError, jsonschema_rs.ValidationError) as error:
                faults.append(f"a schema is unsound: {error}")
        report.holds("described", not faults, tool.name, 0, "; ".join(faults))


def _note_what_cannot_be_checked(report: Report, session: Session) -> None:
    if not isinstance(session, LocalSession):
        local = (
            "faults_change_nothing",
            "time_runs_forward",
            "rows_whole",
            "attempts_taken_back",
            "hot_and_cold_alike",
        )
        report.skipped.update(dict.fromkeys(local, "skipped: needs a session in this process"))
    try:
        session.digest()
    except ProverlError as error:
        stateful = ("failed_calls_change_nothing", "reads_change_nothing", "forks_apart", "reset_exact", "seeds_differ")
        marked = ("writes_delete_nothing", "idempotent", "calls_succeed")
        report.skipped.update(dict.fromkeys((*stateful, *marked), f"skipped: no digest ({error})"))


def _seeds_differ(report: Report, opener: Opener, seeds: Sequence[int]) -> None:
    if "seeds_differ" in report.skipped:
        return
    found: dict[str, int] = {}
    for seed in seeds:
        session = opener(seed)
        twin = found.setdefault(session.digest(), seed)
        report.holds("seeds_differ", twin == seed, "", seed, f"the same world as seed {twin}")
        session.close()


class _Walk:
    """One session of random calls, each checked against the laws."""

    def __init__(self, report: Report, opener: Opener, seed: int, faults: int, start: int) -> None:
        self.report = report
        self.opener = opener
        self.seed = seed
        self.start = start
        self.faults = faults
        self.session = opener(seed)
        self.tools = {tool.name: tool for tool in self.session.tools}
        self.judges = {name: _judges(tool) for name, tool in self.tools.items()}
        self.secrets = set(_guarded(self.session))
        self.stateful = "reads_change_nothing" not in report.skipped
        self.faulted: Counter[str] = Counter()
        self.made: list[tuple[str, Json, Outcome]] = []
        self.sent: set[str] = set()
        self.now = 0
        self.initial = self.session.digest() if self.stateful else ""
        self.final = ""

    def run(self, most: int) -> int:
        """Make the calls, fewer where the session is stuck (a home folder that may not be entered, say)."""
        trial = self._trial if self.stateful else None
        draw = f"{self.seed}:{self.start}"
        generator = Generator(self.session.tools, draw, secrets=self.session.secrets(), trial=trial)
        digest = self.initial
        for number in range(most):
            call = generator.call()
            sent = _copied(call.arguments)
            tool = self.tools[call.tool]
            before = self.session.snapshot() if self.stateful else b""
            twin = self._try_out(tool, call) if number % 4 == 0 else None
            outcome = self.session.call(call.tool, call.arguments)
            self.made.append((call.tool, sent, outcome))
            self.report.outcomes[outcome.kind] += 1
            self._holds("arguments_untouched", _same(sent, call.arguments), tool, f"{sent!r} became {call.arguments!r}")
            self._judge_outcome(tool, call, outcome)
            if twin is not None:
                self._holds("forks_apart", _bytes(twin) == _bytes(outcome), tool, "a fork gave another result")
            if self.stateful:
                digest = self._judge_state(tool, outcome, before, digest)
            if isinstance(self.session, LocalSession) and outcome.succeeded and tool.effect != "read":
                self._judge_rows(self.session, tool)
                self._fail_each_write(self.session, tool, call, outcome, before)
            if tool.idempotent and tool.effect != "read" and outcome.succeeded and self.stateful:
                self._again(tool, call)
            generator.learn(call, outcome)
            if sum(made.succeeded for _, _, made in self.made[-STUCK:]) < STUCK // 4 and len(self.made) >= STUCK:
                break
        self.final = digest
        return len(self.made)

    def _trial(self, call: Drawn) -> Outcome:
        if isinstance(self.session, LocalSession):
            with self.session.attempt():
                return self.session.call(call.tool, call.arguments)
        twin = self.session.fork()
        outcome = twin.call(call.tool, call.arguments)
        twin.close()
        return outcome

    def _holds(self, law: str, holds: bool, tool: Tool, detail: str) -> bool:
        return self.report.holds(law, holds, tool.name, self.seed, detail, self.made)

    def _judge_outcome(self, tool: Tool, call: Drawn, outcome: Outcome) -> None:
        sent = f"{str(call.arguments)[:300]} gave {outcome.kind}: {outcome.message[:300]}"
        if not self._holds("no_internal_error", outcome.kind is not Kind.INFRASTRUCTURE, tool, sent):
            return
        takes, gives = self.judges[tool.name]
        bad = outcome.kind is Kind.BAD_ARGUMENTS
        self._holds("schema_judges", bad != _fits(takes, call.arguments), tool, sent)
        if outcome.succeeded:
            wrong = next(gives.iter_errors(outcome.value), None) if _is_json(outcome.value) else "not JSON"
            shown = json.dumps(outcome.value, default=repr)[:300]
            self._holds("results_fit", wrong is None, tool, f"{wrong}: {shown}")
            self.sent.update(_texts(call.arguments))
            leaked = self.secrets.intersection(_texts(outcome.value)) - self.sent
            self._holds("secrets_hidden", not leaked, tool, f"{sorted(leaked)} in {shown}")
        elif outcome.kind is Kind.REFUSED:
            self.report.reached.add((tool.name, outcome.code))
            declared = outcome.code in tool.refusals and bool(outcome.message.strip())
            self._holds("refusals_declared", declared, tool, f"{outcome.code}: {outcome.message}")

    def _judge_state(self, tool: Tool, outcome: Outcome, before: bytes, digest: str) -> str:
        """The laws about what a call may change; returns the digest after it."""
        after = self.session.digest()
        if not outcome.succeeded:
            self._holds("failed_calls_change_nothing", after == digest, tool, f"{outcome.kind} {outcome.code}")
        elif tool.effect == "read":
            self._holds("reads_change_nothing", after == digest, tool, "a read changed the state")
        elif tool.effect == "write":
            gone = [change for change in self.session.changes(before) if change.op == "delete"]
            self._holds("writes_delete_nothing", not gone, tool, f"{gone[:3]}")
        return after

    def _judge_rows(self, session: LocalSession, tool: Tool) -> None:
        connection = session.store.connection()
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        if not broken:
            broken = [row for row in connection.execute("PRAGMA quick_check") if row[0] != "ok"]
        self._holds("rows_whole", not broken, tool, f"{broken[:3]}")
        now = connection.execute("SELECT now FROM world_clock").get
        self._holds("time_runs_forward", now >= self.now, tool, f"{self.now} became {now}")
        self.now = now

    def _again(self, tool: Tool, call: Drawn) -> None:
        """Call once more on a fork; what changes may differ from before in clocks, counters and ids only."""
        twin = self.session.fork()
        before = twin.snapshot()
        twin.call(call.tool, call.arguments)
        changes = twin.changes(before)
        self._holds("idempotent", not changes, tool, f"{_copied(call.arguments)} again: {changes[:3]}")
        twin.close()

    def _try_out(self, tool: Tool, call: Drawn) -> Outcome | None:
        """Make the call on a fork and inside an attempt first; neither may leave a trace."""
        if not self.stateful:
            return None
        digest = self.session.digest()
        twin = self.session.fork()
        self._holds("forks_apart", twin.digest() == digest, tool, "a fork has another digest")
        outcome = twin.call(call.tool, call.arguments)
        twin.close()
        self._holds("forks_apart", self.session.digest() == digest, tool, "a call on a fork changed the original")
        if isinstance(self.session, LocalSession):
            logged = len(self.session.log)
            with self.session.attempt():
                tried = self.session.call(call.tool, call.arguments)
                self.session.call(call.tool, call.arguments)
            clean = self.session.digest() == digest and len(self.session.log) == logged
            same = _bytes(tried) == _bytes(outcome)
            self._holds("attempts_taken_back", clean and same, tool, "an attempt left a trace or gave another result")
        return outcome

    def _fail_each_write(self, session: LocalSession, tool: Tool, call: Drawn, outcome: Outcome, before: bytes) -> None:
        """Make the call again from the state before it, with a fault at its k-th write, for every k."""
        if self.faulted[tool.name] >= self.faults:
            return
        self.faulted[tool.name] += 1
        twin = session.fork()
        twin.store.restore(before)
        digest = twin.digest()
        for k in range(10_000):
            writes = 0

            def fail(sql: str, k: int = k) -> None:
                nonlocal writes
                writes += 1
                if writes > k:
                    raise InjectedFault(sql)

            twin.store.before_write = fail
            failed = twin.call(call.tool, call.arguments)
            if writes <= k:
                break
            clean = failed.kind is Kind.INFRASTRUCTURE and twin.digest() == digest
            self._holds("faults_change_nothing", clean, tool, f"write {k + 1} failed, the state changed")
        self._holds("faults_change_nothing", _bytes(failed) == _bytes(outcome), tool, "faults changed a later result")
        twin.close()

    def replay(self) -> None:
        """The same calls on a new session, and on one that is evicted before each call."""
        for law in ("same_seed_same_bytes", "hot_and_cold_alike"):
            if law in self.report.skipped:
                continue
            session = self.opener(self.seed)
            for name, arguments, expected in self.made:
                if law == "hot_and_cold_alike" and isinstance(session, LocalSession):
                    session.store.try_evict()
                outcome = session.call(name, arguments)
                detail = f"{_text(outcome)[:200]} instead of {_text(expected)[:200]}"
                if not self._holds(law, _bytes(outcome) == _bytes(expected), self.tools[name], detail):
                    break
            if self.stateful:
                same = session.digest() == self.final
                self.report.holds(law, same, "", self.seed, "the same calls led to another state", self.made)
            session.close()

    def reset(self) -> None:
        """Back to the start, and the first calls again."""
        if not self.stateful:
            return
        self.session.reset()
        clean = self.session.digest() == self.initial and not self.session.log and not self.session.changes()
        self.report.holds("reset_exact", clean, "", self.seed, "a reset did not bring the initial state back")
        for name, arguments, expected in self.made[:10]:
            same = _bytes(self.session.call(name, arguments)) == _bytes(expected)
            self._holds("reset_exact", same, self.tools[name], "another result after a reset")
        self.session.close()


def _interleave(report: Report, opener: Opener, walks: Sequence[_Walk], schedules: int) -> None:
    """Play the walks again, their calls in random order, two sessions on each seed."""
    for number in range(schedules):
        order = random.Random(f"schedule:{number}")
        sessions = [(walk, opener(walk.seed), iter(walk.made[:40])) for walk in walks for _ in range(2)]
        running = list(sessions)
        while running:
            playing = order.choice(running)
            walk, session, left = playing
            made = next(left, None)
            if made is None:
                running.remove(playing)
                continue
            name, arguments, expected = made
            same = _bytes(session.call(name, arguments)) == _bytes(expected)
            detail = f"schedule {number}: another result than alone"
            report.holds("sessions_apart", same, name, walk.seed, detail, walk.made)
        for _, session, _ in sessions:
            session.close()


def _judges(tool: Tool) -> tuple[Any, Any]:
    return (
        jsonschema_rs.validator_for(tool.input_schema, validate_formats=False),
        jsonschema_rs.validator_for(tool.output_schema, validate_formats=False),
    )


def _fits(judge: Any, arguments: Any) -> bool:
    return _is_json(arguments, check_arguments) and bool(judge.is_valid(arguments))


def _is_json(value: Any, judge: Callable[[Any], None] = fit) -> bool:
    try:
        judge(value)
    except Unfit:
        return False
    return True


def _copied(value: Any) -> Any:
    return copy.deepcopy(value) if _is_json(value) else value


def _same(first: Any, second: Any) -> bool:
    return first is second or json.dumps(first) == json.dumps(second)


def _text(outcome: Outcome) -> str:
    return json.dumps([outcome.kind, outcome.value, outcome.code, outcome.message, outcome.resolved], default=repr)


def _bytes(outcome: Outcome) -> bytes:
    return _text(outcome).encode()


def _guarded(session: Session) -> Iterator[str]:
    """The secrets that some tool takes in an argument marked as secret; others are words that only the user knows."""
    arguments = {argument for tool in session.tools for argument in tool.secret}
    for name, value in session.secrets().items():
        if any(argument in name or name in argument for argument in arguments):
            yield value


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Every text inside a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)) and depth < 70:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth + 1)
