"""The loop: user messages, assistant turns, calls, until the conversation ends or a limit does.

Covers: the order of things, limits and deadlines, the scripted user, and what makes a trace masked. Does not cover:
what a call comes to (executor.py) or the form in which a policy is asked (codecs/).

Nothing that a policy or a machine does raises from here, so one episode cannot break a batch: a policy's fault is an
outcome, and a machine's fault gives a masked trace. Only what the caller got wrong (`UsageError`) and cancellation pass
through. The session is closed by whoever opened it: `run` leaves it open, `play` opens and closes its own.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic

from ..chat import Reply, ToolCall
from ..errors import InfrastructureError, UnknownSession, UsageError
from ..records import DEFAULT_LIMITS, Call, Kind, Limits, Message, Outcome, Stop, Task, Tool, Trace, TraceTurn, Turn
from ..world.session import Session
from .executor import Executor, end, not_executed
from .protocol import Answer, Codec, Generate, Opener, Prompt, Tokens, Transcript

log = logging.getLogger(__name__)


async def run(
    task: Task,
    session: Session,
    generate: Generate[Prompt, Answer],
    codec: Codec[Prompt, Answer],
    limits: Limits = DEFAULT_LIMITS,
    *,
    open_session: Opener | None = None,
) -> Trace:
    """One episode in an open session, which stays open.

    `open_session` opens sessions of other servers when the policy calls a distractor of theirs; they are closed here.

    Raises:
        UsageError: what the caller gave cannot be used (a wrong key, a chat template that does not fit)
    """
    return await _EpisodeRunner(task, session, generate, codec, limits, open_session).play()


async def play(
    task: Task,
    open_session: Opener,
    generate: Generate[Prompt, Answer],
    codec: Codec[Prompt, Answer],
    limits: Limits = DEFAULT_LIMITS,
) -> Trace:
    """One episode in a session of its own, which is opened before and closed after, however the episode ends.

    Raises:
        UsageError: there is no such server or seed, or what `run` raises
    """
    try:
        session = await open_session(task.server, task.seed)
    except UsageError:
        raise
    except Exception as error:
        log.exception("no session of %s for %s", task.server, task.id)
        return Trace(task.id, (), stop="infrastructure", masked=_why(error))
    try:
        return await run(task, session, generate, codec, limits, open_session=open_session)
    finally:
        await end(session)


class _EpisodeEnded(Exception):
    """The episode ends here; `masked` is the reason why it must not be scored, empty if it may be."""

    def __init__(self, stop: Stop, masked: str = "") -> None:
        super().__init__(stop)
        self.stop: Stop = stop
        self.masked = masked


@dataclass
class _CurrentTurn:
    """The user turn that is going on."""

    turn: Turn
    shown: dict[str, Tool]
    since: dict[str, bytes]
    calls: list[Call] = field(default_factory=list)
    text: str = ""
    clarified: bool = False


class _EpisodeRunner(Generic[Prompt, Answer]):
    """One episode; `play` is called once."""

    def __init__(
        self,
        task: Task,
        session: Session,
        generate: Generate[Prompt, Answer],
        codec: Codec[Prompt, Answer],
        limits: Limits,
        open_session: Opener | None,
    ) -> None:
        self._task = task
        self._generate = generate
        self._codec = codec
        self._limits = limits
        self._executor = Executor(task, session, limits.call_seconds, open_session)
        self._transcript: Transcript[Prompt, Answer] | None = None
        self._messages: list[Message] = []
        self._turns: list[TraceTurn] = []
        self._open: _CurrentTurn | None = None
        self._users = 0
        self._generations = 0

    async def play(self) -> Trace:
        """Run the episode to its end."""
        started = time.perf_counter()
        digest = ""
        try:
            stop, masked = await self._guarded()
            if not masked:
                await self._end_turn()
                digest = await self._executor.digest()
        except (InfrastructureError, UnknownSession) as error:
            log.exception("the state after %s cannot be read", self._task.id)
            stop, masked = "infrastructure", _why(error)
        finally:
            await self._executor.close()
        if self._open is not None:  # masked in the middle of a turn: what was done is shown, its changes are unknown
            self._turns.append(TraceTurn(tuple(self._open.calls), self._open.text))
        tokens = Tokens() if self._transcript is None else self._transcript.tokens()
        return Trace(
            task_id=self._task.id,
            turns=tuple(self._turns),
            messages=tuple(self._messages),
            stop=stop,
            masked=masked,
            digest=digest,
            prompt_ids=tokens.prompt_ids,
            response_ids=tokens.response_ids,
            response_mask=tokens.response_mask,
            logprobs=tokens.logprobs,
            seconds=round(time.perf_counter() - started, 6),
        )

    async def _guarded(self) -> tuple[Stop, str]:
        """Why the conversation ended, and why it must not be scored."""
        clock = asyncio.timeout(self._limits.episode_seconds)
        try:
            async with clock:
                await self._converse()
            return "answered", ""
        except _EpisodeEnded as ended:
            return ended.stop, ended.masked
        # A UsageError by its type, but this session was opened by us: that it is gone is no fault of the caller.
        except UnknownSession as error:
            return "infrastructure", _why(error)
        except UsageError:
            raise
        except TimeoutError as error:
            if clock.expired():
                return "deadline", f"the episode took longer than {self._limits.episode_seconds} s"
            return "infrastructure", _why(error)
        except Exception as error:
            log.exception("the episode of %s failed", self._task.id)
            return "infrastructure", _why(error)

    # The conversation

    async def _converse(self) -> None:
        for index, turn in enumerate(self._task.turns):
            if self._users == self._limits.user_messages:
                raise _EpisodeEnded("user_turns")
            if self._generations == self._limits.assistant_turns:
                raise _EpisodeEnded("assistant_turns")
            shown = {tool.name: tool for tool in self._task.shown(index)}
            self._open = _CurrentTurn(turn, shown, await self._executor.mark())
            self._begin(turn) if index == 0 else self._say(turn.user + announcement(turn, shown))
            await self._assist(self._open)
            await self._end_turn()

    def _begin(self, turn: Turn) -> None:
        assert self._open is not None
        system = [Message("system", self._task.system)] if self._task.system else []
        self._messages = [*system, Message("user", turn.user)]
        self._users = 1
        self._transcript = self._codec.start(self._messages, tuple(self._open.shown.values()), self._limits)
        length = len(self._transcript.tokens().prompt_ids)
        if length > self._limits.prompt_tokens:
            raise _EpisodeEnded("length", f"the prompt has {length} tokens, more than {self._limits.prompt_tokens}")

    async def _assist(self, current: _CurrentTurn) -> None:
        """Assistant turns, until one of them is the closing text of the user's turn."""
        while True:
            reply = await self._next_reply()
            if reply.truncated:
                # They were asked for, so they count; but what follows the cut is unknown, so none of them is run.
                current.calls.extend(self._unexecuted(reply.calls, "cut_off", "the turn was cut off"))
                raise _EpisodeEnded("length")
            if reply.calls:
                self._tell(await self._execute(reply.calls, current))
                continue
            current.text = reply.text
            if not self._wants_facts(current):
                return
            if self._users == self._limits.user_messages:
                raise _EpisodeEnded("user_turns")
            current.clarified = True
            self._say(current.turn.facts)
            current.text = ""

    async def _next_reply(self) -> Reply:
        assert self._transcript is not None
        seconds = self._limits.generate_seconds
        clock = asyncio.timeout(seconds)
        try:
            async with clock:
                answer = await self._generate(self._transcript.prompt())
        except TimeoutError as error:
            # The engine may time out by itself; only our own clock makes it a deadline.
            why = f"no generation within {seconds} s" if clock.expired() else _why(error)
            raise _EpisodeEnded("deadline" if clock.expired() else "infrastructure", why) from None
        reply = self._transcript.take(answer)
        self._generations += 1
        self._messages.append(reply.message())
        return reply

    def _wants_facts(self, current: _CurrentTurn) -> bool:
        """Whether the user has an answer to what the assistant ends its turn with."""
        asks = current.text.rstrip(" \t\r\n\"'*_)]").endswith(("?", "？"))
        return asks and bool(current.turn.facts) and not current.clarified and undone(current.turn, current.calls)

    # What is added to the conversation

    def _say(self, text: str) -> None:
        self._users += 1
        self._tell([Message("user", text)])

    def _tell(self, messages: Sequence[Message]) -> None:
        """Results or a user message; the episode ends where nobody could read them any more."""
        assert self._transcript is not None
        assert self._open is not None
        self._messages.extend(messages)
        if self._generations == self._limits.assistant_turns:
            raise _EpisodeEnded("assistant_turns")
        if not self._transcript.tell(messages, tuple(self._open.shown.values())):
            raise _EpisodeEnded("length")

    async def _end_turn(self) -> None:
        if self._open is not None:
            changes = await self._executor.changes(self._open.since)
            self._turns.append(TraceTurn(tuple(self._open.calls), self._open.text, changes))
            self._open = None

    # Calls

    async def _execute(self, requests: Sequence[ToolCall], current: _CurrentTurn) -> list[Message]:
        """The results of one assistant turn's calls, executed one after another in their order."""
        most = self._limits.calls_per_turn
        results = []
        # Never at the same time: ids and the clock go by the order of calls, and equal episodes must be equal bytes.
        for request in requests[:most]:
            outcome = _unparsable(request) or await self._executor.call(request.name, request.arguments, current.shown)
            current.calls.append(self._call(request, outcome))
            results.append(_result(request, outcome))
            if outcome.kind is Kind.INFRASTRUCTURE:
                stop: Stop = "deadline" if outcome.code == "deadline" else "infrastructure"
                raise _EpisodeEnded(stop, f"{request.name}: {outcome.code}: {outcome.message}")
        message = f"at most {most} calls of one assistant turn are executed; the rest can be made in the next"
        for request, call in zip(
            requests[most:], self._unexecuted(requests[most:], "too_many_calls", message), strict=True
        ):
            current.calls.append(call)
            results.append(_result(request, call.outcome))
        return results

    def _unexecuted(self, requests: Sequence[ToolCall], code: str, message: str) -> list[Call]:
        assert self._open is not None
        shown = self._open.shown
        return [
            self._call(
                request,
                _unparsable(request) or not_executed(request.name, request.arguments, shown, code, message),
            )
            for request in requests
        ]

    def _call(self, request: ToolCall, outcome: Outcome) -> Call:
        return Call(request.name, request.arguments, outcome, self._generations - 1, request.fragment)


def announcement(turn: Turn, shown: dict[str, Tool]) -> str:
    """What is added to a user message whose turn brings tools: their schemas, one a line."""
    # Not by a new list of tools alone: token ids once given are never written anew, nor the list at their top.
    tools = [shown[name] for name in turn.adds if name in shown]
    if not tools:
        return ""
    lines = [json.dumps(tool.function(), ensure_ascii=False) for tool in tools]
    return "\n\nFrom now on you can also call:\n" + "\n".join(lines)


def undone(turn: Turn, calls: Sequence[Call]) -> bool:
    """Whether something that the user asked for in the turn is still to be done.

    Counted by tool, over writes and over reads whose result the user wants: fewer calls have succeeded than there are
    steps. Look-ups do not count, since there may be other ways to know.
    """
    done = [call.name for call in calls if call.outcome.succeeded]
    wanted = [step.tool for step in turn.steps if step.effect != "read" or step.terminal]
    wanted = wanted or [step.tool for step in turn.steps]
    return any(done.count(tool) < wanted.count(tool) for tool in wanted)


def _unparsable(request: ToolCall) -> Outcome | None:
    if request.readable:
        return None
    message = f'{request.problem}. Write {{"name": ..., "arguments": {{...}}}} as one JSON object'
    return Outcome(Kind.UNPARSABLE, code="parse_error", message=message)


def _result(request: ToolCall, outcome: Outcome) -> Message:
    """The tool message that the policy reads; a parse error names no tool, since no call could be read."""
    return Message("tool", outcome.observation(), name=request.name if request.readable else "")


def _why(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
