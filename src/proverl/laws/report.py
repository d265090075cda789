"""The laws by name, and the report of a check.

Covers: what each law says, cases counted per law, and breaches with the calls that lead there. Does not cover: checking
(check.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..records import Json, Kind

LAWS = {
    "described": "tool names are snake_case and unique, tools and parameters are described, schemas are sound",
    "same_seed_same_bytes": "the same calls on the same seed give the same results and the same state",
    "seeds_differ": "different seeds give different worlds",
    "no_internal_error": "whatever the arguments, no call ends as infrastructure",
    "schema_judges": "a call ends as bad_arguments exactly when the published schema or JSON forbids its arguments",
    "results_fit": "every result obeys its tool's output schema and is JSON",
    "refusals_declared": "every refusal has a code that its tool declares, and a message",
    "refusals_in_order": "the refusals that hold together stand in the order in which the tool declares them",
    "refuses_before_writing": "a refused call has written nothing before it was refused",
    "codes_in_source": "the codes that the source refuses with are those that the tools declare",
    "times_checked": "a day or moment that is none is refused, whatever else is right",
    "failed_calls_change_nothing": "a call that does not succeed leaves the state as it was",
    "faults_change_nothing": "a call that fails at its k-th write leaves the state as it was, for every k",
    "reads_change_nothing": "a read leaves the state as it was",
    "writes_delete_nothing": "a tool that is not destructive deletes no row",
    "idempotent": "a second equal call changes only clocks, counters and ids, if and only if the tool is idempotent",
    "echoed": "each argument that is not secret shows in a changed row or in the result, or the tool says why not",
    "marked": "a write with clock and counters moved changes the same, but for the columns marked so in schema.sql",
    "globals_stay": "no call changes what a module of the server holds",
    "arguments_untouched": "a call does not change the arguments it was given",
    "secrets_hidden": "no result holds a secret that the caller has not sent",
    "time_runs_forward": "the virtual clock never runs backwards",
    "rows_whole": "foreign keys resolve and constraints hold after every successful write",
    "forks_apart": "a fork has the same state, and calls on it change nothing in the original",
    "attempts_taken_back": "what is called inside an attempt leaves no trace",
    "hot_and_cold_alike": "a session that is evicted before each call gives the same results",
    "sessions_apart": "calls of sessions in any order give each session what it gets alone",
    "reset_exact": "a reset brings the initial state back",
    "calls_succeed": "at least half of the drawn calls succeed, or the other laws look at shallow states only",
}
FINDINGS_PER_LAW = 5


@dataclass(frozen=True)
class Finding:
    """One breach of a law: what happened, and the calls that lead there from the seed."""

    law: str
    tool: str
    seed: int
    detail: str
    calls: tuple[tuple[str, Json], ...] = ()

    def __str__(self) -> str:
        return f"{self.law}: {self.tool or 'the server'}, seed {self.seed}: {self.detail}"


@dataclass
class Report:
    """What `check` found: cases per law, breaches, laws that could not be checked and why, and outcomes by kind."""

    server: str
    cases: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    reached: set[tuple[str, str]] = field(default_factory=set)
    """(tool, code) of every refusal seen."""
    together: set[tuple[str, str, str]] = field(default_factory=set)
    """(tool, code, later code) of refusals that were seen to hold together."""
    again: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """(tool, whether anything changed) of every second equal call."""
    exceptions: list[str] = field(default_factory=list)
    """What a server says that a law does not hold for, with its reason."""

    @property
    def ok(self) -> bool:
        """Whether no law was broken."""
        return not self.findings

    @property
    def success_share(self) -> float:
        """The share of calls that succeeded."""
        succeeded = self.outcomes[Kind.OK] + self.outcomes[Kind.EMPTY]
        return succeeded / max(1, self.outcomes.total())

    def holds(self, law: str, holds: bool, tool: str, seed: int, detail: str, calls: Sequence[Any] = ()) -> bool:
        """Count one case of a law, and note a breach."""
        self.cases[law] += 1
        if not holds and sum(finding.law == law for finding in self.findings) < FINDINGS_PER_LAW:
            kept = tuple((name, arguments) for name, arguments, *_ in calls)
            self.findings.append(Finding(law, tool, seed, detail, kept))
        return holds

    def rows(self) -> list[dict[str, Json]]:
        """Each law as a row: the cases checked, whether it held, and the first breach or why it was not checked."""
        found = []
        for law, meaning in LAWS.items():
            breaches = [finding for finding in self.findings if finding.law == law]
            without = "holds" if self.cases[law] else "no case"
            held = "not checked" if law in self.skipped else "broken" if breaches else without
            why = self.skipped.get(law) or (str(breaches[0]) if breaches else "")
            found.append({"law": meaning, "cases": self.cases[law], "held": held, "why": why})
        return found

    def __str__(self) -> str:
        lines = [f"{self.server}: {self.outcomes.total()} calls, {self.success_share:.0%} succeeded"]
        for law, meaning in LAWS.items():
            broken = sum(finding.law == law for finding in self.findings)
            state = f"{broken} BROKEN" if broken else self.skipped.get(law, "ok" if self.cases[law] else "no case")
            lines.append(f"  {law:28} {self.cases[law]:7} cases  {state:10} {meaning}")
        lines += [f"  except {exception}" for exception in self.exceptions]
        lines += [f"  {finding}" for finding in self.findings]
        return "\n".join(lines)
