"""One stream of calls, several sessions: every result, and the state at the end, must be the same.

with MCPManager() as manager, Http("banking") as http:
    sessions = [LocalSession(load("banking"), 7), manager.open("banking", 7), HttpSession(http, "a", 7)]
    assert differences(sessions, seed=7, calls=200) == []
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from proverl.laws.arguments import Generator
from proverl.records import Kind

PARTS = ("tools", "secrets", "changes", "digest")


def differences(sessions: Sequence[Any], seed: int, calls: int) -> list[str]:
    """What differs between the first session and the others after `calls` drawn calls; the first ten findings."""
    first, *others = sessions
    generator = Generator(first.tools, seed, secrets=first.secrets(), text_only=True)
    found: list[str] = []
    kinds: Counter[Kind] = Counter()
    for number in range(calls):
        drawn = generator.call()
        right = first.call(drawn.tool, drawn.arguments)
        kinds[right.kind] += 1
        for session in others:
            got = session.call(drawn.tool, drawn.arguments)
            if repr(got) != repr(right):
                found.append(f"call {number}, {drawn.tool} {drawn.arguments!r:.300}: {got!r:.300}, not {right!r:.300}")
        generator.learn(drawn, right)
        if len(found) >= 10:
            return found
    for part in PARTS:
        values = [getattr(session, part) for session in sessions]
        values = [value() if callable(value) else value for value in values]
        found.extend(f"{part} differ: {value!r:.300}, not {values[0]!r:.300}" for value in values if value != values[0])
    assert kinds[Kind.OK] + kinds[Kind.EMPTY] > calls / 10, f"a poor stream of calls: {kinds}"
    return found
