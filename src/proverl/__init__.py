"""proverl: programmatic rewards on verified environments.

The stages in order, each a module and a verb of the command:

    servers   stateful domains whose tools are typed functions over seeded worlds
    graph     how tools depend on each other            synth/graph.py
    sample    the real entities of a live session       synth/sample.py
    converse  conversations whose every call executes   synth/converse.py
    replay    the same again, compared                  synth/replay.py
    data      tasks, one a line                         synth/data.py
    rollout   a policy against a session                rollout/
    reward    what that was worth                       reward/
    train     GRPO on live sessions                     train/

    import proverl

    session = proverl.open_session("banking", seed=7)
    print(session.call("list_bank_accounts", {"kind": "savings"}).value)

The names below are imported when they are first used, so that `import proverl` stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .chat import Endpoint, Model
    from .errors import ProverlError, Refused
    from .records import Call, Limits, Outcome, Score, Task, Tool, Trace
    from .reward import score
    from .rollout import play
    from .servers import open_session
    from .wire.manager import MCPManager
    from .world.server import Server
    from .world.session import Session

__all__ = [
    "Call",
    "Endpoint",
    "Limits",
    "MCPManager",
    "Model",
    "Outcome",
    "ProverlError",
    "Refused",
    "Score",
    "Server",
    "Session",
    "Task",
    "Tool",
    "Trace",
    "open_session",
    "play",
    "score",
]

_HOMES = {
    "chat": ("Endpoint", "Model"),
    "errors": ("ProverlError", "Refused"),
    "records": ("Call", "Limits", "Outcome", "Score", "Task", "Tool", "Trace"),
    "reward": ("score",),
    "rollout": ("play",),
    "servers": ("open_session",),
    "wire.manager": ("MCPManager",),
    "world.server": ("Server",),
    "world.session": ("Session",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
