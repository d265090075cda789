"""What a server process does for each request, whatever transport it came by.

Covers: which session a request means, opening and closing sessions, tool calls, the hidden requests. Does not cover:
lines and pipes (wire/lines.py, wire/stdio.py) or the SDK (wire/serve.py).

A request is a method with parameters, the answer a dictionary that is strict JSON; an error is `Rejected`.
Whatever a tool does, the handler and its other sessions live on.
"""

from __future__ import annotations

import base64
import binascii
import logging
import os
import signal
from collections.abc import Callable
from typing import Final

from ..errors import BadSeed
from ..records import Json, Kind, Outcome, plain
from ..strict_json import Unfit, check
from ..world.server import Server
from ..world.session import LocalSession
from .protocol import (
    INTERNAL_ERROR,
    SEED,
    SESSION,
    STOP_BEFORE_REPLY,
    Hidden,
    Rejected,
    outcome_to_wire,
    tool_to_wire,
)

MAX_SESSIONS: Final = 100_000
"""Sessions that one server process holds at a time; opening more is an error until some are closed."""

MAX_ID: Final = 200
ANSWER_DEPTH: Final = 8
"""Levels of an answer around a tool's value, which may be as deep itself as any."""

log = logging.getLogger(__name__)
Params = dict[str, Json]


class SessionHandler:
    """The sessions of one server in this process."""

    def __init__(
        self, server: Server, *, seed: int = 0, strict: bool = False, max_sessions: int = MAX_SESSIONS
    ) -> None:
        server.template(seed)  # a bad seed, or a world that cannot be built, fails here and not at the first request
        self.server = server
        self.max_sessions = max_sessions
        self._seed = seed
        self._strict = strict
        self._default: LocalSession | None = None
        self._sessions: dict[str, LocalSession] = {}
        self._calls = 0
        self._stop_at = int(os.environ.get(STOP_BEFORE_REPLY) or 0)
        self._hidden: dict[str, Callable[[Params], Json]] = {
            Hidden.OPEN: self._open,
            Hidden.RESET: self._reset,
            Hidden.FORK: self._fork,
            Hidden.SNAPSHOT: lambda params: {"snapshot": _encode(self._session(params).snapshot())},
            Hidden.CHANGES: self._changes,
            Hidden.DIGEST: lambda params: {"digest": self._session(params).digest()},
            Hidden.SECRETS: lambda params: {"secrets": self._session(params).secrets()},
            Hidden.CLOSE: self._close,
            Hidden.STATUS: self._status,
        }

    def tools(self) -> list[Json]:
        """The tools as tools/list shows them, in the order of definition."""
        return [tool_to_wire(tool) for tool in self.server.tools]

    def call(self, params: Params) -> Json:
        """Answer tools/call.

        Raises:
            Rejected: no such tool or session
        """
        session = self._session(params)
        outcome = self._run(session, params["name"], params.get("arguments") or {})
        self._calls += 1
        if self._calls == self._stop_at:
            os.kill(os.getpid(), signal.SIGSTOP)
        if outcome.kind is Kind.UNKNOWN_TOOL:
            raise Rejected(outcome.code, outcome.message)
        try:
            check([outcome.body(), outcome.resolved], -ANSWER_DEPTH)
        except Unfit as error:
            log.error("%s.%s returned what is not JSON: %s", self.server.name, params["name"], error)
            message = f"{params['name']} returned a value that cannot be sent: {error}"
            outcome = Outcome(Kind.INFRASTRUCTURE, code="unfit_result", message=message)
        return outcome_to_wire(outcome)

    def hidden(self, method: str, params: Params) -> Json:
        """Answer a hidden request.

        Raises:
            Rejected: no such session, or parameters that are wrong
        """
        answer = self._hidden[method](params)
        try:
            check(answer, -ANSWER_DEPTH)
        except Unfit as error:
            raise Rejected("unfit_result", f"the answer cannot be sent: {error}", INTERNAL_ERROR) from None
        return answer

    def _run(self, session: LocalSession, name: str, arguments: Params) -> Outcome:
        try:
            return session.call(name, arguments)
        except BaseException as error:  # SystemExit and its like in a tool's body must not end the other sessions
            log.exception("%s.%s ended in %s", self.server.name, name, type(error).__name__)
            return Outcome(Kind.INFRASTRUCTURE, code="internal_error", message=f"{type(error).__name__}: {error}")

    # Sessions

    def _session(self, params: Params) -> LocalSession:
        """The session that a request means, opened if a seed comes with it."""
        meta = params.get("_meta") or {}
        if SESSION not in meta:
            if SEED in meta:
                raise Rejected("session_needed", f"_meta has {SEED} without {SESSION}; give the session an id")
            return self._default_session()
        name = _session_id(meta[SESSION])
        held = self._sessions.get(name)
        if held is None:
            if SEED not in meta:
                raise Rejected("unknown_session", f"no session {name!r} is open; open one with {SEED} in _meta")
            return self._new(name, self._build(meta[SEED]))
        if SEED in meta and (type(meta[SEED]) is not int or meta[SEED] != held.seed):
            raise Rejected("other_seed", f"session {name!r} is open with seed {held.seed}, not {meta[SEED]!r}")
        return held

    def _default_session(self) -> LocalSession:
        if self._strict:
            raise Rejected("session_needed", f"this server is strict: every request needs {SESSION} in _meta")
        if self._default is None:
            self._default = self._build(self._seed)
        return self._default

    def _build(self, seed: Json) -> LocalSession:
        try:
            return LocalSession(self.server, seed, keep_log=False)
        except BadSeed as error:
            raise Rejected("bad_seed", str(error)) from None

    def _new(self, name: str, session: LocalSession) -> LocalSession:
        if len(self._sessions) >= self.max_sessions:
            message = f"{self.max_sessions} sessions are open, the most that this process holds; close some"
            raise Rejected("too_many_sessions", message, INTERNAL_ERROR)
        self._sessions[name] = session
        return session

    # Hidden requests

    def _open(self, params: Params) -> Json:
        meta = params.get("_meta") or {}
        name = _session_id(meta.get(SESSION))
        if name in self._sessions:
            raise Rejected("session_exists", f"session {name!r} is open already")
        self._new(name, self._build(meta.get(SEED)))
        return {}

    def _reset(self, params: Params) -> Json:
        self._session(params).reset()
        return {}

    def _fork(self, params: Params) -> Json:
        twin = _session_id(params.get("as"))
        if twin in self._sessions:
            raise Rejected("session_exists", f"session {twin!r} is open already")
        self._new(twin, self._session(params).fork())
        return {}

    def _changes(self, params: Params) -> Json:
        try:
            since = base64.b64decode(params.get("since", ""), validate=True)
            changes = self._session(params).changes(since)
        except (TypeError, binascii.Error) as error:
            raise Rejected("bad_snapshot", f"`since` must be a snapshot of this session: {error}") from None
        return {"changes": [plain(change) for change in changes]}

    def _close(self, params: Params) -> Json:
        session = self._session(params)
        session.close()
        if session is self._default:
            self._default = None
        else:
            del self._sessions[params["_meta"][SESSION]]
        return {}

    def _status(self, params: Params) -> Json:
        open_sessions = len(self._sessions) + (self._default is not None)
        return {"server": self.server.name, "sessions": open_sessions, "calls": self._calls}


def _session_id(value: Json) -> str:
    if isinstance(value, str) and 1 <= len(value) <= MAX_ID:
        return value
    raise Rejected("bad_session_id", f"a session id is a string of 1 to {MAX_ID} characters, not {str(value)[:50]!r}")


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()
