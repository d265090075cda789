"""One session of random calls, each checked against the laws.

Covers: the laws that hold for a session wherever it lives; those that need its store are asked of inside.py. Does not
cover: drawing the calls (arguments.py) or several sessions at once (check.py).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from ..records import Json, Kind, Outcome, Tool
from ..schemas import Validator, judge
from ..strict_json import Unfit, check_arguments
from ..strict_json import check as fit
from ..world.session import LocalSession, Session
from .arguments import Drawn, Generator
from .inside import Inside
from .report import Report

STUCK = 16
Opener = Callable[[int], Session]


class Walk:
    """One session of random calls, each checked against the laws."""

    def __init__(self, report: Report, opener: Opener, seed: int, faults: int, start: int) -> None:
        self.report = report
        self.opener = opener
        self.seed = seed
        self.start = start
        self.session = opener(seed)
        self.tools = {tool.name: tool for tool in self.session.tools}
        self.judges = {name: _judges(tool) for name, tool in self.tools.items()}
        self.secrets = set(_guarded(self.session))
        self.stateful = "reads_change_nothing" not in report.skipped
        self.made: list[tuple[str, Json, Outcome]] = []
        self.sent: set[str] = set()
        self.initial = self.session.digest() if self.stateful else ""
        self.final = ""
        local = self.session if isinstance(self.session, LocalSession) and self.stateful else None
        self.inside = Inside(report, local, seed, faults, self.made) if local else None

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
            noted = self.inside.noted(tool, call) if self.inside else None
            outcome = self.session.call(call.tool, call.arguments)
            self.made.append((call.tool, sent, outcome))
            self.report.outcomes[outcome.kind] += 1
            self._holds("arguments_untouched", _same(sent, call.arguments), tool, f"{sent!r} became {call.arguments!r}")
            self._judge_outcome(tool, call, outcome)
            if twin is not None:
                self._holds("forks_apart", alike(twin, outcome), tool, "a fork gave another result")
            if self.stateful:
                digest = self._judge_state(tool, outcome, before, digest)
            if self.inside:
                self.inside.judge(tool, call, outcome, before, noted)
            if tool.effect != "read" and outcome.succeeded and self.stateful:
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

    def _again(self, tool: Tool, call: Drawn) -> None:
        """Call once more on a fork; what changes may differ from before in clocks, counters and ids only."""
        twin = self.session.fork()
        before = twin.snapshot()
        twin.call(call.tool, call.arguments)
        changes = twin.changes(before)
        twin.close()
        self.report.again[tool.name, bool(changes)] += 1
        if tool.idempotent:
            self._holds("idempotent", not changes, tool, f"{_copied(call.arguments)} again: {changes[:3]}")

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
            same = alike(tried, outcome)
            self._holds("attempts_taken_back", clean and same, tool, "an attempt left a trace or gave another result")
        return outcome

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
                if not self._holds(law, alike(outcome, expected), self.tools[name], detail):
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
            same = alike(self.session.call(name, arguments), expected)
            self._holds("reset_exact", same, self.tools[name], "another result after a reset")
        self.session.close()


def _judges(tool: Tool) -> tuple[Validator, Validator]:
    return judge(tool.input_schema), judge(tool.output_schema)


def _fits(judge: Validator, arguments: Any) -> bool:
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


def alike(one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes are the same to the byte."""
    return _text(one) == _text(other)


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
