"""What a server publishes and answers, to be compared with what another Python makes of the same server."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from proverl.policies.least_call import least_call
from proverl.records import Json, plain
from proverl.servers import load
from proverl.world.session import LocalSession


def answers(name: str) -> dict[str, Json]:
    """The server's tools, the digest of one of its worlds, and what the least call comes to there."""
    session = LocalSession(load(name), 3)
    call = least_call(session.tools)
    outcome = session.call(call.name, call.arguments)
    return {"tools": plain(session.tools), "digest": session.digest(), "outcome": plain(outcome)}


def answers_of(names: list[str], *options: str) -> list[dict[str, Json]]:
    """The answers of these servers in a Python started with these options."""
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, *options, "-m", "support.answers", *names]
    printed = subprocess.run(command, env=path, check=True, stdout=subprocess.PIPE).stdout
    found: list[dict[str, Json]] = json.loads(printed)
    return found


if __name__ == "__main__":
    json.dump([answers(name) for name in sys.argv[1:]], sys.stdout)
