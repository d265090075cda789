"""What travels between a server process and those who use it.

Covers: the `_meta` keys, the hidden requests, and the records Tool and Outcome as MCP's JSON and back. Does not cover:
lines (wire/lines.py), sessions (wire/sessions.py) or the SDK (wire/serve.py, wire/manager.py).

A request may carry two keys in `_meta`:

    io.proverl/session    names the session, an opaque string of 1 to 200 characters
    io.proverl/seed       opens that session with this seed if it is not open yet

With a seed that is not the open session's own, and with an unknown session and no seed, the request is an error.
Without a session key the request goes to one default session, which a strict server refuses.

The hidden requests are no tools, so nothing that a policy can call reaches them. Each names its session as above.

    io.proverl/open       {}                -> {}                  the session must be new; the seed is required
    io.proverl/reset      {}                -> {}                  back to the initial state
    io.proverl/fork       {"as": id}        -> {}                  a second session with the same state
    io.proverl/snapshot   {}                -> {"snapshot": text}  base64
    io.proverl/changes    {"since": text}   -> {"changes": [...]}  since a snapshot, "" for the initial state
    io.proverl/digest     {}                -> {"digest": text}
    io.proverl/secrets    {}                -> {"secrets": {...}}
    io.proverl/close      {}                -> {}
    io.proverl/status     {}                -> {"server": name, "sessions": n, "calls": n}, of the process
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from ..records import Json, Kind, Outcome, Tool
from ..world.frozen import frozen

SESSION: Final = "io.proverl/session"
SEED: Final = "io.proverl/seed"
OUTCOME: Final = "io.proverl/outcome"
TOOL: Final = "io.proverl/tool"

DIE_WITH: Final = "PROVERL_DIE_WITH"
"""Environment: the id of the process with which a server dies."""

STOP_BEFORE_REPLY: Final = "PROVERL_STOP_BEFORE_REPLY"
"""Environment, for tests of recovery: a stdio server stops itself (SIGSTOP) after it has executed this many tool calls
and before it answers the last of them."""

EXIT_UNKNOWN_SERVER: Final = 66
"""Exit status of `proverl serve` for a server that does not exist."""

INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603


class Hidden(StrEnum):
    """The requests that are no tools."""

    OPEN = "io.proverl/open"
    RESET = "io.proverl/reset"
    FORK = "io.proverl/fork"
    SNAPSHOT = "io.proverl/snapshot"
    CHANGES = "io.proverl/changes"
    DIGEST = "io.proverl/digest"
    SECRETS = "io.proverl/secrets"
    CLOSE = "io.proverl/close"
    STATUS = "io.proverl/status"


class Rejected(Exception):
    """A request that becomes a protocol error; `reason` is the word that programs compare."""

    def __init__(self, reason: str, message: str, code: int = INVALID_PARAMS) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.code = code


def tool_to_wire(tool: Tool) -> dict[str, Json]:
    """A tool as tools/list shows it; what MCP has no place for goes into `_meta`, which no model sees."""
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": {
            "readOnlyHint": tool.effect == "read",
            "destructiveHint": tool.effect == "destructive",
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
        "_meta": {
            TOOL: {
                "server": tool.server,
                "effect": tool.effect,
                "takes": tool.takes,
                "gives": tool.gives,
                "after": list(tool.after),
                "secret": list(tool.secret),
                "free": list(tool.free),
                "refusals": list(tool.refusals),
                "marks": tool.marks,
            }
        },
    }


def tool_from_wire(listed: dict[str, Json]) -> Tool:
    """The record that `tool_to_wire` wrote."""
    rest = listed["_meta"][TOOL]
    tool = Tool(
        name=listed["name"],
        description=listed["description"],
        input_schema=listed["inputSchema"],
        output_schema=listed["outputSchema"],
        server=rest["server"],
        effect=rest["effect"],
        idempotent=listed["annotations"]["idempotentHint"],
        takes=rest["takes"],
        gives=rest["gives"],
        after=tuple(rest["after"]),
        secret=tuple(rest["secret"]),
        free=tuple(rest["free"]),
        refusals=tuple(rest["refusals"]),
        marks=rest["marks"],
    )
    return frozen(tool)


def outcome_to_wire(outcome: Outcome) -> dict[str, Json]:
    """An outcome as the result of tools/call: JSON text and structured content, and the rest of it in `_meta`."""
    about: dict[str, Json] = {"kind": outcome.kind.value}
    if not outcome.succeeded:
        about["code"] = outcome.code
        about["message"] = outcome.message
    if outcome.resolved:
        about["resolved"] = outcome.resolved
    return {
        "content": [{"type": "text", "text": outcome.observation()}],
        "structuredContent": outcome.body(),
        "isError": not outcome.succeeded,
        "_meta": {OUTCOME: about},
    }


def outcome_from_wire(result: dict[str, Json]) -> Outcome:
    """The outcome that `outcome_to_wire` wrote."""
    about = result["_meta"][OUTCOME]
    kind = Kind(about["kind"])
    value = result["structuredContent"] if kind in (Kind.OK, Kind.EMPTY) else None
    return Outcome(kind, value, about.get("code", ""), about.get("message", ""), about.get("resolved", {}))
