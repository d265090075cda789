"""Scored conversations per second, profile `robust`, against the literal formulas of `paper`.

    python benchmarks/reward.py [CONVERSATIONS]

The conversations are records: one or two turns, 4 to 6 steps of three arguments (look-ups, writes, a terminal read),
acted by seven policies from right to spam in equal parts. Each is a task of its own, read from JSON, as a data set
gives them; a group of 16 rollouts shares its task. The peer is the plainest reward that there is: five formulas
without alignment search, rows or schemas of values. Both are timed on the same conversations, in turns.
"""

from __future__ import annotations

import gc
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace

from proverl.records import (
    Call,
    Change,
    Edge,
    Json,
    Kind,
    Origin,
    Outcome,
    Step,
    Task,
    Tool,
    Trace,
    TraceTurn,
    Turn,
    dump,
    load,
)
from proverl.reward import score

GROUP = 16
ROUNDS = 5
TARGET = 5_000


def tool(name: str, effect: str) -> Tool:
    properties: dict[str, Json] = {
        "record_id": {"type": "string", "minLength": 1},
        "amount": {"type": "number", "minimum": 0},
        "day": {"type": "string"},
        "note": {"type": "string"},
    }
    required = ["record_id", "amount", "day"]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(name, f"{name}.", schema, {"type": "object"}, "bench", effect, free=("note",))  # type: ignore[arg-type]


READS = [f"find_{number}" for number in range(8)]
WRITES = [f"change_{number}" for number in range(8)]
TOOLS = tuple([tool(name, "read") for name in READS] + [tool(name, "write") for name in WRITES])


def make(number: int, steps: int) -> tuple[Task, Trace]:
    """A task and the trace of its ground truth: look-up, write, look-up, write, ..., terminal read."""
    rng = random.Random(number)
    turns: list[Turn] = []
    done: list[TraceTurn] = []
    split = steps if number % 2 else steps - 2
    found: list[Step] = []
    for index in range(steps):
        read = index % 2 == 0 or index == steps - 1
        name = rng.choice(READS if read else WRITES)
        arguments = {
            "record_id": f"rec_{rng.randrange(9999):04d}",
            "amount": rng.randrange(999) / 4,
            "day": "2031-05-14",
        }
        terminal = index == steps - 1
        edges: tuple[Edge, ...] = ()
        origins = {}
        if index and not read:
            edges = (Edge(index - 1, "value"),)
            origins = {"record_id": Origin(index - 1, "rows[3].record_id")}
            arguments["record_id"] = f"row_{number}_{index - 1}_3"
        elif terminal and index > 1:
            edges = (Edge(index - 2 + index % 2, "state"),)
        rows = [{"record_id": f"row_{number}_{index}_{row}", "name": "x" * 20, "left": row * 2.5} for row in range(10)]
        outcome = Outcome(Kind.OK, {"count": 10, "rows": rows} if read else {"change_id": f"chg_{index}"})
        supplies = (f"row_{number}_{index}_3",) if read and not terminal else ()
        effect = "read" if read else "write"
        compared = ("record_id", "amount", "day")
        found.append(
            Step(index, name, arguments, outcome, effect, index, edges, origins, compared, (), terminal, supplies)  # type: ignore[arg-type]
        )
    for part in (found[:split], found[split:]):
        if part:
            changes = tuple(booked(step) for step in part if step.effect != "read")
            turns.append(Turn("Do it.", steps=tuple(part), changes=changes))
            calls = tuple(Call(step.tool, step.arguments, step.outcome, step.index) for step in part)
            done.append(TraceTurn(calls, "Done.", changes))
    task = Task(f"task-{number}", "bench", number, TOOLS, tuple(turns))
    return task, Trace(task.id, tuple(done))


def booked(step: Step) -> Change:
    values = (("amount", step.arguments["amount"]), ("of", step.arguments["record_id"]))
    return Change("record", "insert", "", values)


def act(trace: Trace, policy: int) -> Trace:
    """One of seven ways to go on from the ground truth."""
    first = trace.turns[0]
    if policy == 1:  # a refusal before the last call
        bad = replace(first.calls[-1], outcome=Outcome(Kind.REFUSED, code="no"))
        return replace(trace, turns=(replace(first, calls=(*first.calls[:-1], bad, first.calls[-1])), *trace.turns[1:]))
    if policy == 2:  # the look-ups skipped
        kept = tuple(call for call in first.calls if call.name not in READS)
        return replace(trace, turns=(replace(first, calls=kept), *trace.turns[1:]))
    if policy == 3:  # one wrong value in the last call
        wrong = replace(first.calls[-1], arguments={**first.calls[-1].arguments, "amount": 0.5})
        return replace(trace, turns=(replace(first, calls=(*first.calls[:-1], wrong)), *trace.turns[1:]))
    if policy == 4:  # the first call only
        return replace(trace, turns=(replace(first, calls=first.calls[:1], changes=()),))
    if policy == 5:  # reversed
        return replace(trace, turns=tuple(replace(turn, calls=turn.calls[::-1]) for turn in trace.turns))
    if policy == 6:  # 20 calls
        return replace(trace, turns=(replace(first, calls=(first.calls * 20)[:20]), *trace.turns[1:]))
    return trace


def timed(pairs: list[tuple[Task, Trace]], judge: Callable[[Task, Trace], object]) -> float:
    """Conversations per second."""
    begun = time.process_time()
    for task, trace in pairs:
        judge(task, trace)
    return len(pairs) / (time.process_time() - begun)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000
    pairs = []
    for number in range(count // GROUP):
        task, right = make(number, 4 + number % 3)
        task = load(Task, dump(task))
        pairs += [(task, load(Trace, dump(act(right, policy % 7)))) for policy in range(GROUP)]
    gc.freeze()  # the data stand for what a trainer holds anyway
    kinds = {"robust": lambda task, trace: score(task, trace), "paper": lambda task, trace: score(task, trace, "paper")}
    first = timed(pairs, kinds["robust"])
    rates = {name: [timed(pairs, judge) for _ in range(ROUNDS)] for name, judge in kinds.items()}
    robust, paper = statistics.median(rates["robust"]), statistics.median(rates["paper"])
    whole = timed([pair for at, pair in enumerate(pairs) if at % GROUP % 7 == 0], kinds["robust"])
    print(f"{len(pairs)} conversations of 4 to 6 steps, groups of {GROUP}; median of {ROUNDS} rounds")
    print(f"robust: {robust:,.0f}/s (target {TARGET:,}/s), first pass with schemas to compile {first:,.0f}/s")
    print(f"robust, right rollouts only: {whole:,.0f}/s")
    print(f"paper:  {paper:,.0f}/s; robust takes {paper / robust:.1f} times as long")


if __name__ == "__main__":
    main()
