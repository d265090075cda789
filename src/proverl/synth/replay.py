"""Replay: the ground truth once more on a fresh session.

Covers: specification section 2, step 5, and 7.6: errors per call, every observation and the final digest compared,
and that sensitive values were given by the user or an earlier result. Does not cover: deduplication.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ..records import Json, Task
from ..world.session import Session


@dataclass(frozen=True)
class Replay:
    """What a replay found."""

    calls: int
    errors: int
    observations_equal: int
    digest_equal: bool
    leaked: tuple[str, ...] = ()
    first: str = ""

    @property
    def equal(self) -> bool:
        """Every observation and the final digest came out as recorded, and no secret came from nowhere."""
        return self.observations_equal == self.calls and self.digest_equal and not self.leaked


def replay(task: Task, session: Session) -> Replay:
    """Run a task's steps on a fresh session, which is closed at the end."""
    errors = equal = 0
    first = ""
    for step in task.steps:
        outcome = session.call(step.tool, step.arguments)
        errors += not outcome.succeeded
        if outcome.value == step.outcome.value and outcome.kind == step.outcome.kind:
            equal += 1
        elif not first:
            first = f"step {step.index} ({step.tool}): {outcome.observation()[:200]}"
    digest_equal = session.digest() == task.digest
    if not digest_equal and not first:
        first = "the final state"
    session.close()
    leaked = unprovided(task)
    return Replay(len(task.steps), errors, equal, digest_equal, leaked, first or ", ".join(leaked))


def unprovided(task: Task) -> tuple[str, ...]:
    """Sensitive arguments whose value neither an earlier user turn nor an earlier result holds, as `tool.argument`."""
    secret = {tool.name: tool.secret for tool in task.tools}
    given = ""
    found = []
    for turn in task.turns:
        given += "\n" + turn.user
        for step in turn.steps:
            for name in secret.get(step.tool, ()):
                if name in step.arguments and str(step.arguments[name]) not in given:
                    found.append(f"{step.tool}.{name}")
            given += "\n" + json.dumps(step.outcome.value, ensure_ascii=False)
    return tuple(found)


def summary(replays: Sequence[Replay]) -> dict[str, Json]:
    """The figures of many replays as one row; both rates of specification 7.6."""
    calls = sum(one.calls for one in replays)
    return {
        "conversations": len(replays),
        "calls": calls,
        "errors": sum(one.errors for one in replays),
        "observations_equal": f"{sum(one.observations_equal for one in replays) / max(1, calls):.1%}",
        "final_states_equal": f"{sum(one.digest_equal for one in replays) / max(1, len(replays)):.1%}",
        "secrets_from_nowhere": sum(len(one.leaked) for one in replays),
    }
