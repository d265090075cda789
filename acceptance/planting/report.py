"""What a run has found: the shares, the survivors, and who has judged one of them equivalent.

A survivor stays in the file of the run with an empty `reason`. Whoever reads it and finds that no session, file or
report could differ copies it into equivalents.json with the reason and a name; all others are faults that the tests
miss. Equivalents are known by the hash of their patch. Does not cover: finding survivors (runs.py).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .faults import Fault
from .runs import Found

UNJUDGED = {"reason": "", "confirmed_by": ""}


class BadEquivalents(Exception):
    """equivalents.json has an entry without a fault, a reason or a name."""


def equivalents(path: Path) -> dict[str, dict[str, str]]:
    """By the name of a fault, why it is none and who says so.

    Raises:
        BadEquivalents: an entry lacks one of them
    """
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    for entry in entries:
        lacking = [key for key in ("fault", "reason", "confirmed_by") if not entry.get(key)]
        if lacking:
            raise BadEquivalents(f"{path}: an entry has no {' and no '.join(lacking)}: {json.dumps(entry)[:200]}")
    return {entry["fault"]: {key: entry[key] for key in UNJUDGED} for entry in entries}


@dataclass(frozen=True)
class Report:
    """One finished run."""

    target: str
    seed: int
    faults: list[Fault]
    found: dict[str, Found]
    judged: dict[str, dict[str, str]]

    @property
    def survivors(self) -> list[Fault]:
        """The faults that no test has seen."""
        return [fault for fault in self.faults if not self.found[fault.name].by]

    @property
    def equivalent(self) -> list[Fault]:
        """The survivors of which somebody has said that they are no faults."""
        return [fault for fault in self.survivors if fault.name in self.judged]

    @property
    def share(self) -> float:
        """The caught share, equivalents excluded."""
        return self._caught / max(len(self.faults) - len(self.equivalent), 1)

    @property
    def share_of_all(self) -> float:
        """The caught share, equivalents counted as missed."""
        return self._caught / max(len(self.faults), 1)

    @property
    def _caught(self) -> int:
        return len(self.faults) - len(self.survivors)

    def shown(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "target": self.target,
            "seed": self.seed,
            "faults": len(self.faults),
            "caught": self._caught,
            "equivalent": len(self.equivalent),
            "share": round(self.share, 4),
            "share_with_equivalents_as_missed": round(self.share_of_all, 4),
            "survivors": [self._survivor(fault) for fault in self.survivors],
            "caught_by": [
                {"fault": one.name, "operator": one.operator, "file": one.file, "line": one.line}
                | {"by": self.found[one.name].by, "seconds": self.found[one.name].seconds}
                for one in self.faults
                if self.found[one.name].by
            ],
        }

    def _survivor(self, fault: Fault) -> dict[str, Any]:
        place = {"fault": fault.name, "operator": fault.operator, "file": fault.file, "line": fault.line}
        return {**place, **self.judged.get(fault.name, UNJUDGED), "patch": fault.patch}

    def lines(self) -> list[str]:
        """The report for a person."""
        missed = Counter(fault.operator for fault in self.survivors if fault.name not in self.judged)
        seconds = sum(self.found[fault.name].seconds for fault in self.faults)
        told = [
            f"{self.target}, seed {self.seed}: {self._caught} of {len(self.faults)} faults caught,"
            f" {len(self.equivalent)} equivalent; {seconds / max(len(self.faults), 1):.1f} s each",
            f"share caught {self.share:.3f}, with equivalents counted as missed {self.share_of_all:.3f}",
        ]
        if missed:
            told.append("missed: " + ", ".join(f"{name} {number}" for name, number in sorted(missed.items())))
        for fault in self.survivors:
            if fault.name not in self.judged:
                changed = [line for line in fault.patch.splitlines()[2:] if line[:1] in "+-"]
                told += ["", f"{fault.name} {fault.operator}, {fault.file}:{fault.line}", *changed]
        return told


def write(path: Path, value: object) -> None:
    """Write JSON so that the file appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
