"""Digests of worlds and conversations, kept in tests/digests.json so that another machine can prove the same bytes.

    python -m support.digests        writes the file anew (from tests/, after a change that was meant to change worlds)

Covers: the state of the worlds of five seeds of each server, and of a few more in which something rare happens; the
lines of one hundred conversations. Does not cover: whether a world or a conversation is right; the tests of servers
and of synthesis do.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from proverl import servers
from proverl.records import dump
from proverl.synth import data

FILE = Path(__file__).parents[1] / "digests.json"
SEEDS = (0, 1, 2, 7, 2**40)
RARE = {"banking": (3, 5, 12)}
"""By server, seeds of worlds in which something happens that happens in none of `SEEDS`: in 3 and 5 several codes are
sent in the last hours, with and without a payee added in these; in 12 two standing payments are drawn alike."""
CONVERSATIONS = 100


def worlds(name: str) -> dict[str, str]:
    """The digest of the world of each seed."""
    return {str(seed): servers.load(name).template(seed).digest for seed in (*SEEDS, *RARE.get(name, ()))}


def conversations() -> list[str]:
    """A digest of each of one hundred conversations over all servers that have phrases, as they stand in a file."""
    made = data.synthesise([servers.load(name) for name in servers.with_phrases()], CONVERSATIONS, seed=5)
    return [hashlib.blake2b(dump(task).encode(), digest_size=8).hexdigest() for task in made.tasks]


if __name__ == "__main__":
    found = {"worlds": {name: worlds(name) for name in servers.names()}, "conversations": conversations()}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
