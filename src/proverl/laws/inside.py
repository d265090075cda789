"""Laws that look into the store of a session in this process.

Covers: what a write leaves in the rows (echo, marks, constraints, faults at every write), and all refusals of a call.
Does not cover: sessions that live elsewhere, for which these laws are listed as skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ..records import Json, Kind, Outcome, Tool
from ..world.session import LocalSession
from ..world.tools import ToolFunction
from .arguments import Drawn
from .refusals import refusals
from .report import Report

LAWS_INSIDE = (
    "faults_change_nothing",
    "time_runs_forward",
    "rows_whole",
    "attempts_taken_back",
    "hot_and_cold_alike",
    "refusals_in_order",
    "refuses_before_writing",
    "times_checked",
    "echoed",
    "marked",
)
NO_TIMES = {"date": "2031-02-30", "moment": "2031-02-30T10:00:00"}
MOVED = "UPDATE world_clock SET now = now + 1", "UPDATE world_counter SET value = value + 7"


class InjectedFault(Exception):
    """What a law raises inside a call, in place of a write."""


class Inside:
    """The laws inside, for one session; `most` bounds how often a tool is looked at where that is costly."""

    def __init__(self, report: Report, session: LocalSession, seed: int, most: int, made: Sequence[Any]) -> None:
        self._report = report
        self._session = session
        self._seed = seed
        self._most = most
        self._looked: Counter[tuple[str, str]] = Counter()
        self._now = 0
        self._made = made  # the calls so far, for findings

    def _holds(self, law: str, holds: bool, tool: Tool, detail: str) -> None:
        self._report.holds(law, holds, tool.name, self._seed, detail, self._made)

    def _often_enough(self, law: str, tool: Tool) -> bool:
        self._looked[law, tool.name] += 1
        return self._looked[law, tool.name] > self._most

    def noted(self, tool: Tool, call: Drawn) -> list[str] | None:
        """What a call would be refused with, asked before it is made; None for arguments that do not fit."""
        function = self._session.definition.function(tool.name)
        assert function is not None
        if type(call.arguments) is not dict or not _fits(function, call.arguments):
            return None
        return refusals(self._session, tool.name, call.arguments)

    def judge(self, tool: Tool, call: Drawn, outcome: Outcome, before: bytes, noted: list[str] | None) -> None:
        """All laws of one call that was made; `before` is the snapshot of the state before it."""
        if outcome.kind in (Kind.INFRASTRUCTURE, Kind.BAD_ARGUMENTS):
            return
        if noted is not None:
            self._order(tool, outcome, noted)
        if outcome.kind is Kind.REFUSED:
            self._refused(tool, call, outcome)
        elif outcome.succeeded and tool.effect != "read":
            self._wrote(tool, call, outcome, before)
        if outcome.succeeded and not self._often_enough("times_checked", tool):
            self._times(tool, call, before)

    def _order(self, tool: Tool, outcome: Outcome, noted: list[str]) -> None:
        """The refusals that hold together stand in the declared order, and the first one is what the call ends with."""
        place = {code: number for number, code in enumerate(tool.refusals)}
        known = [place[code] for code in noted if code in place]
        first = noted[0] if noted else ""
        told = outcome.code if not outcome.succeeded else ""
        right = known == sorted(known) and first == told
        self._holds("refusals_in_order", right, tool, f"checks in the order {noted}, ended with {told or 'success'!r}")
        self._report.together.update((tool.name, one, two) for n, one in enumerate(noted) for two in noted[n + 1 :])

    def _wrote(self, tool: Tool, call: Drawn, outcome: Outcome, before: bytes) -> None:
        self._whole(tool)
        self._echo(tool, call, outcome, before)
        if not self._often_enough("marked", tool):
            self._marks(tool, call, outcome, before)
        if not self._often_enough("faults_change_nothing", tool):
            self._fail_each_write(tool, call, outcome, before)

    def _whole(self, tool: Tool) -> None:
        connection = self._session.store.connection()
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        if not broken:
            broken = [row for row in connection.execute("PRAGMA quick_check") if row[0] != "ok"]
        self._holds("rows_whole", not broken, tool, f"{broken[:3]}")
        now = connection.execute("SELECT now FROM world_clock").get
        self._holds("time_runs_forward", now >= self._now, tool, f"{self._now} became {now}")
        self._now = now

    def _echo(self, tool: Tool, call: Drawn, outcome: Outcome, before: bytes) -> None:
        function = self._session.definition.function(tool.name)
        assert function is not None
        if not self._session.changes(before):
            return
        store = self._session.store
        changes = store.changed_rows(before)
        shown = [(old, new, _differences(old, new)) for _, _, old, new in changes]
        seen = list(_leaves([outcome.value, shown, [store.row_of(change) for change in changes]]))
        for name, value in call.arguments.items():
            if name in tool.secret or name in function.unechoed or isinstance(value, bool):
                continue  # a boolean says how, and shows in what is done
            resolved = outcome.resolved.get(name, value)
            lost = [one for one in _leaves(resolved) if not any(_shows(leaf, one) for leaf in seen)]
            self._holds("echoed", not lost, tool, f"{name} {lost[:3]!r:.200} shows in no changed row and no result")

    def _marks(self, tool: Tool, call: Drawn, outcome: Outcome, before: bytes) -> None:
        expected = self._session.changes(before)
        twin = self._session.fork()
        twin.store.restore(before)
        with twin.store.transaction():
            for sql in MOVED:
                twin.store.write(sql, ())
        moved = twin.snapshot()
        other = twin.call(call.tool, call.arguments)
        if other.kind is outcome.kind:
            changes = twin.changes(moved)
            differ = [one for one in (*expected, *changes) if one not in expected or one not in changes]
            detail = f"a second later: {differ[:2]}; mark the column @id, @clock or @counter in schema.sql"
            self._holds("marked", not differ, tool, detail)
        twin.close()

    def _times(self, tool: Tool, call: Drawn, before: bytes) -> None:
        """No day that is none passes, in a call that was right otherwise."""
        function = self._session.definition.function(tool.name)
        assert function is not None
        for name, kind in function.times.items():
            twin = self._session.fork()
            twin.store.restore(before)
            found = twin.call(call.tool, {**call.arguments, name: NO_TIMES[kind]})
            self._holds("times_checked", not found.succeeded, tool, f"{name} {NO_TIMES[kind]!r} was accepted")
            twin.close()

    def _refused(self, tool: Tool, call: Drawn, outcome: Outcome) -> None:
        """A refusal comes before the first write, or a listener would go on into changes."""
        twin = self._session.fork()
        written: list[str] = []
        twin.store.before_write = written.append
        twin.call(call.tool, call.arguments)
        self._holds("refuses_before_writing", not written, tool, f"{outcome.code} after {written[:1]!r:.200}")
        twin.close()

    def _fail_each_write(self, tool: Tool, call: Drawn, outcome: Outcome, before: bytes) -> None:
        """Make the call again from the state before it, with a fault at its k-th write, for every k."""
        twin = self._session.fork()
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
            clean = not failed.succeeded and twin.digest() == digest
            self._holds("faults_change_nothing", clean, tool, f"write {k + 1} failed, the state changed")
        same = (failed.kind, failed.value) == (outcome.kind, outcome.value)
        self._holds("faults_change_nothing", same, tool, "faults changed a later result")
        twin.close()


def _differences(old: tuple[Any, ...] | None, new: tuple[Any, ...] | None) -> list[float]:
    """By how much the numbers of an updated row have changed: a quantity that was added shows in no other way."""
    pairs = ((before[0], after[0]) for before, after in zip(old or (), new or (), strict=False) if before and after)
    return [abs(b - a) for a, b in pairs if isinstance(a, (int, float)) and isinstance(b, (int, float))]


def _fits(function: ToolFunction, arguments: dict[str, Json]) -> bool:
    try:
        return bool(function.judge.is_valid(arguments))
    except ValueError:  # no JSON
        return False


def _leaves(value: Any) -> Iterator[Any]:
    """The plain values inside a value."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield value


def _shows(leaf: Any, value: Any) -> bool:
    """Whether a plain value of a row or a result is or holds a value of an argument; rows hold money in cents."""
    if isinstance(value, str):
        return isinstance(leaf, str) and value.strip().casefold() in leaf.casefold()
    if isinstance(leaf, str):
        return not isinstance(value, bool) and f"{value:g}" in leaf
    return bool(leaf == value or leaf == round(value * 100))
