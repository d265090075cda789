"""What a batch of rollouts shows in figures, by the same names whatever the engine.

Covers: `reward/*` (the mean of each term), `tools/*` and `rollout/*`. Does not cover: an engine's own figures (loss,
KL, lengths).

Every batch gives the same names, so that engines which average over machines can line them up; a mean over nothing is
NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import get_args

from ..records import TERMS, Call, Kind, Score, Stop, Trace


def figures(traces: Sequence[Trace], scores: Sequence[Score | None], groups: int) -> dict[str, float]:
    """The figures of a batch; `scores` has None for masked traces, `groups` is the number of rollouts of one task.

    Frequencies of calls are per rollout, those of kinds per call, those of stops per rollout.
    """
    scored = [score for score in scores if score is not None]
    calls = [call for trace in traces for turn in trace.turns for call in turn.calls]
    found = {"reward/total": _mean([score.total for score in scored])}
    found.update({f"reward/{term}": _mean([score.terms[term] for score in scored]) for term in TERMS})
    found["tools/call_frequency"] = _share(len(calls), len(traces))
    found.update(_kinds(calls))
    found["rollout/assistant_turns_mean"] = _mean([_assistant_turns(trace) for trace in traces])
    found["rollout/user_turns_mean"] = _mean([len(trace.turns) for trace in traces])
    found["rollout/seconds_mean"] = _mean([trace.seconds for trace in traces])
    found["rollout/unscorable_frac"] = _share(len(traces) - len(scored), len(traces))
    found["rollout/silent_frac"] = _share(sum(_silent(trace) for trace in traces), len(traces))
    found["rollout/zero_variance_frac"] = _zero_variance(scores, groups)
    for stop in get_args(Stop):
        found[f"rollout/stop_{stop}_frac"] = _share(sum(trace.stop == stop for trace in traces), len(traces))
    return found


def _kinds(calls: Sequence[Call]) -> dict[str, float]:
    kinds = [call.outcome.kind for call in calls]
    failed = sum(not call.outcome.succeeded for call in calls)
    return {
        "tools/failure_frequency": _share(failed, len(calls)),
        "tools/refused_frequency": _share(kinds.count(Kind.REFUSED), len(calls)),
        "tools/bad_arguments_frequency": _share(kinds.count(Kind.BAD_ARGUMENTS), len(calls)),
        "tools/unknown_name_frequency": _share(kinds.count(Kind.UNKNOWN_TOOL), len(calls)),
        "tools/malformed_frequency": _share(kinds.count(Kind.UNPARSABLE), len(calls)),
    }


def _assistant_turns(trace: Trace) -> int:
    return sum(message.role == "assistant" for message in trace.messages)


def _silent(trace: Trace) -> bool:
    return not any(turn.calls or turn.text for turn in trace.turns)


def _zero_variance(scores: Sequence[Score | None], groups: int) -> float:
    """The share of groups whose scored rollouts all have one total: nothing is learned from them."""
    parts = [scores[start : start + groups] for start in range(0, len(scores), groups)]
    totals = [[score.total for score in part if score is not None] for part in parts]
    return _share(sum(max(part, default=0.0) - min(part, default=0.0) < 1e-9 for part in totals), len(totals))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
