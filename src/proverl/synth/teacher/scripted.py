"""The scripted teacher: user and assistant of a conversation, without a language model.

Covers: turning a chain into goals over two to three user turns, the information levels, a missing function, and the
calls and words of each turn. Does not cover: how goals are found (goals/plan.py) or worded (wording.py).
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal

from ...errors import SynthesisError
from ...records import DEFAULT_LIMITS, Tool
from ...world.session import LocalSession
from ..goals.plan import Goal, Planned, Planner
from ..graph import Graph
from ..machine import Dialogue, DialogueTurn, Done, Proposal
from ..sample import Context
from ..templates import PhraseTemplate, omittable
from .wording import Wording

Level = Literal["complete", "missing", "minimal"]

MIN_TURNS = 2
MAX_TURNS = 3
GOALS_PER_TURN = 3
FOLLOW_UP_LENGTHS = (1, 2, 3)
GOING_ON = 0.5
REACHING = 2
ASSISTANT_TURNS = DEFAULT_LIMITS.assistant_turns
"""A conversation must fit an episode: one call for each assistant turn, and the closing words."""
LEAST_TURN = 3
"""Assistant turns that a further user turn needs at the least: a look-up, a goal, the closing words."""
DIGRESSION = 0.2
"""How often a request has something in it that has nothing to do with the rest of it."""
COMMON_WORDS = frozenset(
    ("the", "for", "from", "with", "between", "and", "set", "get", "add", "make", "file", "put", "let", "give", "take")
)
"""Words of a tool's name that do not tell which tool it is."""


class ScriptedTeacher:
    """Plays one conversation from a chain of tools.

    `level` says how much the user tells; `hide` lets one goal's tool be missing at first. Both are tried for unless
    `insist` is set: `level` and `hidden` hold afterwards what came about. With `reads` the user only asks.
    """

    def __init__(
        self,
        session: LocalSession,
        context: Context,
        graph: Graph,
        chain: tuple[str, ...],
        rng: random.Random,
        *,
        level: Level = "complete",
        hide: bool = False,
        reads: bool = False,
        insist: bool = False,
    ) -> None:
        self.planner = Planner(session.fork(), context, rng)
        self.wording = Wording(context, rng)
        self.phrases = context.phrases
        self.graph = graph
        self.rng = rng
        self.wanted = level
        self.level: Level = "complete"
        self.hidden = ""
        self._hide = hide
        self._insist = insist
        self._among = graph.reads if reads else None
        self._waiting = self._goal_tools(chain)
        self._used: Counter[str] = Counter(chain)
        self._goals: list[Goal] = []
        self._plan: list[Proposal] = []
        self._held: tuple[Goal, str] | None = None
        self._absent = ""
        self._returns: Goal | None = None
        self._put_off = ""
        self._rounds = 0
        self._spent = 0

    @property
    def made(self) -> dict[str, str]:
        """The ids of the rows that the conversation created, each with the tool that did."""
        return self.planner.seen.makers

    # The user

    def ask(self, dialogue: Dialogue) -> DialogueTurn | None:
        """The next user turn: an answer to a question, a tool that came back, or new goals."""
        if self._held is not None:
            return self._supply(*self._held)
        if self._returns is not None:
            return self._bring_back(self._returns)
        self._rounds += 1
        if not dialogue.turns and self._hide:
            turn = self._without_its_tool()
            if turn is not None:
                return turn
            if self._insist:
                raise SynthesisError("no tool of these goals can be missing")
        if not dialogue.turns and self.wanted != "complete":
            turn = self._leave_out()
            if turn is not None:
                return turn
            if self._insist:
                raise SynthesisError("no argument of these goals can be missing")
        goals = self._next_goals()
        return self._open(goals) if goals else None

    def carry_on(self, dialogue: Dialogue) -> bool:
        """Two turns with goals at the least, three at the most, less likely with each; a question is always answered.

        A turn without its tool has nothing to do, so two more follow it.
        """
        if self._held is not None or self._returns is not None:
            return True
        if self._rounds < self._least_rounds:
            return True
        if ASSISTANT_TURNS - self._spent < LEAST_TURN:
            return False
        return self._rounds < MAX_TURNS and self.rng.random() < GOING_ON ** (self._rounds - MIN_TURNS + 1)

    @property
    def _least_rounds(self) -> int:
        return MAX_TURNS if self.hidden else MIN_TURNS

    def _open(self, goals: list[Goal], opener: str = "", adds: tuple[str, ...] = ()) -> DialogueTurn:
        said = self.wording.query(goals, self.made, opener=opener)
        self._schedule(goals, said.arguments)
        facts = f"Yes, please go ahead. {said.plain}"
        return DialogueTurn(
            said.text, goals=tuple(goals), facts=facts, dictated=_dictated(goals, said.arguments), adds=adds
        )

    def _leave_out(self) -> DialogueTurn | None:
        """A first turn whose user does not say a required argument that no look-up can settle."""
        for name in [name for name in self._waiting if self.phrases.tools[name].missing]:
            goal = self.planner.plan(name, terse=self.wanted == "minimal")
            if goal is None or not self._fits([goal], 2):
                continue
            entry = self.phrases.tools[name]
            options = [argument for argument in entry.missing if argument in omittable(goal.ask)]
            options = [argument for argument in options if self.planner.alternatives(goal, argument) > 1]
            if not options:
                continue
            argument = self.rng.choice(options)
            said = self.wording.query([goal], self.made, frozenset({argument}))
            self._waiting.remove(name)
            self._held = (goal, argument)
            self.level = self.wanted
            given = [words for other, words in entry.missing.items() if other in said.arguments[0]]
            return DialogueTurn(
                said.text, "missing_argument", (goal,), missing=entry.missing[argument], present=tuple(given)
            )
        return None

    def _supply(self, goal: Goal, argument: str) -> DialogueTurn:
        """The turn in which the user gives what was asked for."""
        self._held = None
        self.planner.commit(goal)
        self._goals.append(goal)
        words = self.wording.clause(goal, argument, self.made)
        said = (frozenset(name for name, choice in goal.choices.items() if not choice.derived),)
        self._schedule([goal], said)
        return DialogueTurn(words, goals=(goal,), facts=f"Yes, please. {words}", dictated=_dictated([goal], said))

    def _without_its_tool(self) -> DialogueTurn | None:
        """A first turn that asks for something whose tool is not there, and that no other tool can do."""
        writes = [name for name in self._waiting if self.planner.tools[name].effect != "read"]
        for name in [name for name in writes if not self.phrases.tools[name].replaceable]:
            goal = self.planner.plan(name)
            if goal is None or not self._fits([goal], 2) or self._reached_otherwise(goal):
                continue
            self._waiting.remove(name)
            self.hidden = self._absent = name
            if self.rng.random() < 0.5:
                self._returns = goal
            said = self.wording.query([goal], self.made)
            prefix = [call for call in goal.calls[:-1] if self.planner.tools[call.tool].effect == "read"]
            self._plan = [Proposal(call.tool, call.arguments, call.role) for call in prefix]
            names = naming_words(self.planner.tools[name], self.phrases.tools[name].ask)
            return DialogueTurn(said.text, "missing_function", (goal,), missing=names)
        return None

    def _reached_otherwise(self, goal: Goal) -> bool:
        """Whether some other tool makes the changes that the goal makes: tried on copies of the world."""
        wanted = set(map(repr, self._changes_of(goal.calls)))
        for name, entry in self.phrases.tools.items():
            if name == goal.tool.name or self.planner.tools[name].effect == "read" or not entry.goal:
                continue
            for _ in range(REACHING):
                other = self.planner.plan(name)
                if other is not None and wanted <= set(map(repr, self._changes_of(other.calls))):
                    return True
        return False

    def _changes_of(self, calls: Iterable[Planned]) -> list[object]:
        twin = self.planner.session.fork()
        before = twin.snapshot()
        for call in calls:
            twin.call(call.tool, call.arguments)
        changes = list(twin.changes(before))
        twin.close()
        return [*changes]

    def _bring_back(self, goal: Goal) -> DialogueTurn:
        """The turn in which the missing tool has come back: the user asks for the same again."""
        self._returns, self._absent = None, ""
        self.planner.commit(goal)
        self._goals.append(goal)
        return self._open([goal], opener="You can do that kind of thing now.", adds=(goal.tool.name,))

    def _next_goals(self) -> list[Goal]:
        goals: list[Goal] = []
        most = self.rng.randint(1, GOALS_PER_TURN)
        for _ in range(8):
            if not self._waiting:
                if goals or self._rounds == 1:
                    break
                follow_up = self.graph.chain(self.rng, self._used, FOLLOW_UP_LENGTHS, self._among)
                self._used.update(follow_up)
                self._waiting = self._goal_tools(follow_up)
            later = []
            for name in self._waiting:
                goal = self._plan_next(name, goals) if len(goals) < most else None
                if goal is not None:
                    goals.append(goal)
                elif len(goals) == most or name == self._put_off:
                    later.append(name)
            self._waiting = later
            if goals:
                break
        return goals

    def _fits(self, goals: Iterable[Goal], closings: int) -> bool:
        """Whether calls made one by one, and closing words, leave room for the turns that must still come."""
        ahead = max(0, self._least_rounds - self._rounds) * LEAST_TURN
        return self._spent + sum(len(goal.calls) for goal in goals) + closings + ahead <= ASSISTANT_TURNS

    def _plan_next(self, name: str, beside: list[Goal]) -> Goal | None:
        self._put_off = ""
        if any(self._undoes(name, goal.tool.name) for goal in self._goals):
            return None
        goal = self.planner.plan(name, terse=self.wanted == "minimal")
        if goal is None or any(call.tool == self._absent for call in goal.calls):
            return None
        if self._is_idle(goal) or not self._fits([*beside, goal], 1):
            return None
        if beside and not any(self._belong(goal, other) for other in beside) and self.rng.random() > DIGRESSION:
            self._put_off = name
            return None
        self.planner.commit(goal)
        self._goals.append(goal)
        return goal

    def _is_idle(self, goal: Goal) -> bool:
        """Whether nobody would want this after what was done: the same once more, or away with what was worked on."""
        if any(_same(goal, other) for other in self._goals):
            return True
        touched = {id for other in self._goals if other.tool.effect != "read" for id in other.rows} | set(self.made)
        return goal.tool.effect == "destructive" and bool(goal.rows & touched)

    def _belong(self, one: Goal, other: Goal) -> bool:
        """Whether two goals are about the same row or about rows of one kind."""
        return bool(one.rows & other.rows) or bool(self._kinds(one) & self._kinds(other))

    def _kinds(self, goal: Goal) -> set[str]:
        tool = goal.tool
        entities = [*tool.takes.values(), *(() if tool.takes and tool.effect != "read" else tool.gives.values())]
        return {self.phrases.base(entity) for entity in entities}

    def _undoes(self, one: str, other: str) -> bool:
        tools = self.phrases.tools
        return one in tools[other].undoes or other in tools[one].undoes

    def _goal_tools(self, chain: tuple[str, ...]) -> list[str]:
        """The tools of a chain that a user asks for; a read that only feeds a later one is found along the way."""
        found = []
        for index, name in enumerate(chain):
            feeds = any(self.graph.directed.has_edge(name, later) for later in chain[index + 1 :])
            hidden = self.graph.tools[name].effect == "read" and feeds
            if self.phrases.tools[name].goal and not hidden:
                found.append(name)
        return found

    # The assistant

    def act(self, dialogue: Dialogue) -> list[Proposal]:
        """The next planned call, one at a time."""
        return [self._plan.pop(0)] if self._plan else []

    def recover(self, dialogue: Dialogue, failed: list[Done]) -> list[Proposal]:
        """Nothing: plans were tried before, so a failure means that the world is not the one they were made for."""
        first = failed[0]
        raise SynthesisError(f"{first.proposal.tool} failed on the live session: {first.outcome.message}")

    def respond(self, dialogue: Dialogue) -> str:
        """A question, a refusal that names what is missing, or the results."""
        turn = dialogue.turn
        self._spent += len(turn.done) + 1
        if turn.kind == "missing_argument" and self._held is not None:
            return self.wording.question(*self._held)
        if turn.kind == "missing_function":
            return self.wording.refusal(turn.goals[0], self.made, turn.missing)
        return self.wording.answer(turn.goals)

    def _schedule(self, goals: Iterable[Goal], said: tuple[frozenset[str], ...]) -> None:
        self._plan = []
        for goal, arguments in zip(goals, said, strict=True):
            spoken = frozenset(row.id for one in goal.choices.values() if one.literal for row in one.rows)
            for call in goal.calls[:-1]:
                self._plan.append(Proposal(call.tool, call.arguments, call.role, spoken=spoken))
            final = goal.calls[-1]
            values = self.phrases.tools[goal.tool.name].values
            derived = tuple(
                (name, (values[name]["result"], values[name]["path"], values[name].get("match", "")))
                for name, choice in goal.choices.items()
                if choice.derived
            )
            self._plan.append(Proposal(final.tool, final.arguments, "goal", arguments, spoken, derived))


def _dictated(goals: Iterable[Goal], said: tuple[frozenset[str], ...]) -> tuple[str, ...]:
    texts = []
    for goal, arguments in zip(goals, said, strict=True):
        texts += [str(goal.choices[name].value) for name in goal.tool.free if name in arguments]
    return tuple(texts)


def naming_words(tool: Tool, asks: Iterable[PhraseTemplate]) -> tuple[str, ...]:
    """The words of which a refusal must hold one to name a tool: its name, that name's words, the user's verbs.

    A noun counts in both numbers: who cannot save an address cannot save addresses. A verb that says little (set,
    put) counts where the request has no telling word besides.
    """
    words = tool.name.split("_")
    found = [" ".join(words)]
    for word in words:
        if word not in COMMON_WORDS and len(word) > 2:
            found += [word, _other_number(word)]
    for ask in asks:
        said = re.findall(r"\w+", re.sub(r"{[^}]*}", "", ask.text))
        if said[0] != "I" and (said[0] not in COMMON_WORDS or not set(said) & set(found)):
            found.append(said[0])
    return tuple(dict.fromkeys(found))


def _other_number(noun: str) -> str:
    """The plural of a singular, the singular of a plural."""
    if noun.endswith(("ss", "x", "ch", "sh")):
        return noun + "es"
    return noun[:-1] if noun.endswith("s") else noun + "s"


def _same(one: Goal, other: Goal) -> bool:
    """Whether two goals are one and the same, or do the same kind of thing to the same rows."""
    if one.tool.name != other.tool.name:
        return False
    return one.calls[-1].arguments == other.calls[-1].arguments or (bool(one.rows) and one.rows == other.rows)
