"""The conversation as a state machine (specification section 2, step 3).

Covers: the five groups of states (query, turn, execution, response, continuation) and what leads from one to the next;
a state's `run` is annotated with the states that may follow, and `drive` holds it to that. Does not cover: what is said
and called, which a `Teacher` decides (synth/teacher/scripted.py).
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, Union

from ..records import Json, Outcome, TurnKind
from ..schemas import fits
from ..world.session import Session
from .goals.plan import Goal, Role

REGENERATIONS = 2
RECOVERIES = 2
STEPS_MOST = 200


@dataclass(frozen=True)
class Proposal:
    """A call that the teacher wants to make, with what is known of it for the ground truth.

    `said` names the arguments that the user's words give, `spoken` holds the ids that the user said as they are (a
    path), `derived` maps an argument to the (tool, path, match) of the result it was taken from.
    """

    tool: str
    arguments: dict[str, Json]
    role: Role = "goal"
    said: frozenset[str] = frozenset()
    spoken: frozenset[str] = frozenset()
    derived: tuple[tuple[str, tuple[str, str, str]], ...] = ()


@dataclass(frozen=True)
class Done:
    """A proposal that was executed."""

    proposal: Proposal
    outcome: Outcome


@dataclass
class DialogueTurn:
    """One user turn as it comes about."""

    user: str
    kind: TurnKind = "steps"
    goals: tuple[Goal, ...] = ()
    done: list[Done] = field(default_factory=list)
    before: bytes = b""
    after: bytes = b""
    answer: str = ""
    facts: str = ""
    dictated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    present: tuple[tuple[str, ...], ...] = ()
    adds: tuple[str, ...] = ()


@dataclass
class Dialogue:
    """A conversation in the making: the live session, who teaches, and the turns so far."""

    session: Session
    teacher: Teacher
    turns: list[DialogueTurn] = field(default_factory=list)
    path: list[str] = field(default_factory=list)

    @property
    def turn(self) -> DialogueTurn:
        """The turn that is under way."""
        return self.turns[-1]


class Teacher(Protocol):
    """Plays the user and the assistant."""

    def ask(self, dialogue: Dialogue) -> DialogueTurn | None:
        """The next user turn, None if there is nothing to ask for."""
        ...

    def act(self, dialogue: Dialogue) -> list[Proposal]:
        """The next calls of the assistant; none when the turn can be answered."""
        ...

    def recover(self, dialogue: Dialogue, failed: list[Done]) -> list[Proposal]:
        """Corrected or other calls after a failure; none to give up."""
        ...

    def respond(self, dialogue: Dialogue) -> str:
        """The assistant's closing words of the turn."""
        ...

    def carry_on(self, dialogue: Dialogue) -> bool:
        """Whether the user says something more."""
        ...


@dataclass
class Query:
    """The user asks."""

    def run(self, dialogue: Dialogue) -> AssistantTurn | End:
        """Open a turn with what the teacher's user says."""
        turn = dialogue.teacher.ask(dialogue)
        if turn is None:
            return End()
        turn.before = dialogue.session.snapshot()
        dialogue.turns.append(turn)
        return AssistantTurn()


@dataclass
class AssistantTurn:
    """The assistant decides: calls, or an answer."""

    regenerations: int = 0

    def run(self, dialogue: Dialogue) -> Execute | Respond | AssistantTurn:
        """Take the teacher's calls if they are well formed, else let it try again."""
        proposals = dialogue.teacher.act(dialogue)
        if not proposals:
            return Respond()
        if all(well_formed(dialogue.session, proposal) for proposal in proposals):
            return Execute(proposals)
        return AssistantTurn(self.regenerations + 1) if self.regenerations < REGENERATIONS else Respond()


@dataclass
class Execute:
    """The calls run on the live session."""

    proposals: list[Proposal]
    recoveries: int = 0

    def run(self, dialogue: Dialogue) -> AssistantTurn | Recover:
        """Success goes on; partial success and failure go to recovery."""
        done = [Done(proposal, dialogue.session.call(proposal.tool, proposal.arguments)) for proposal in self.proposals]
        dialogue.turn.done.extend(done)
        failed = [one for one in done if not one.outcome.succeeded]
        return Recover(failed, self.recoveries) if failed else AssistantTurn()


@dataclass
class Recover:
    """A call failed: try it corrected, try another tool, or give up with an explanation."""

    failed: list[Done]
    recoveries: int

    def run(self, dialogue: Dialogue) -> Execute | Respond:
        """Ask the teacher for other calls, a limited number of times."""
        if self.recoveries >= RECOVERIES:
            return Respond()
        proposals = dialogue.teacher.recover(dialogue, self.failed)
        return Execute(proposals, self.recoveries + 1) if proposals else Respond()


@dataclass
class Respond:
    """The assistant closes the turn."""

    def run(self, dialogue: Dialogue) -> Continue:
        """Note the closing words and the state after the turn."""
        dialogue.turn.answer = dialogue.teacher.respond(dialogue)
        dialogue.turn.after = dialogue.session.snapshot()
        return Continue()


@dataclass
class Continue:
    """Go on or end."""

    def run(self, dialogue: Dialogue) -> Query | End:
        """As the teacher's schedule says."""
        return Query() if dialogue.teacher.carry_on(dialogue) else End()


@dataclass
class End:
    """The conversation is over."""


State: TypeAlias = Query | AssistantTurn | Execute | Recover | Respond | Continue


def drive(dialogue: Dialogue) -> None:
    """Run the machine from the first query to the end; `dialogue.path` holds the states it went through."""
    state: State | End = Query()
    for _ in range(STEPS_MOST):
        dialogue.path.append(type(state).__name__)
        if isinstance(state, End):
            return
        following = state.run(dialogue)
        if type(following) not in allowed(type(state)):
            raise TypeError(f"{type(state).__name__} may not lead to {type(following).__name__}")
        state = following
    raise RuntimeError(f"a conversation of more than {STEPS_MOST} states")


def allowed(state: type[State]) -> frozenset[type]:
    """The states that may follow a state: what its `run` is annotated to return."""
    run: Callable[..., object] = state.run
    hint = typing.get_type_hints(run)["return"]
    options = typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, Union) else (hint,)
    return frozenset(options)


def well_formed(session: Session, proposal: Proposal) -> bool:
    """Whether a call names a tool of the session and its arguments fit the tool's schema."""
    tool = next((tool for tool in session.tools if tool.name == proposal.tool), None)
    return tool is not None and fits(tool.input_schema, proposal.arguments)
