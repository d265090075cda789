"""The words of a conversation: what the user asks, what the assistant asks back and answers.

Covers: putting phrases.toml's templates together into messages, second mentions, the three information levels. Does
not cover: which goals there are (synth/goals.py).
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from ..records import Json
from .goals import Choice, Goal, at, omittable
from .sample import Context, Row
from .words import Slot, Template, listed, spoken

ASKING = frozenset(
    "are can did do does has have how is was what when where which who whose why will".split()  # noqa: SIM905
)
OPENERS = ("", "", "Hello.", "Good morning.", "I need some help.", "A few things for today.")
LEADS = ("", "", "please ", "could you please ")
FOLLOW_UPS = ("", "", "Thanks.", "Good.", "Thank you.", "One more thing.")


@dataclass(frozen=True)
class Said:
    """A user message, and for each of its goals the arguments that it says."""

    text: str
    arguments: tuple[frozenset[str], ...]


class Speaker:
    """Speaks for the user and the assistant of one conversation, remembering what was mentioned."""

    def __init__(self, context: Context, rng: random.Random) -> None:
        self.context = context
        self.phrases = context.phrases
        self.rng = rng
        self._last: dict[str, str] = {}
        self._turns = 0

    def query(self, goals: Collection[Goal], made: Collection[str], omit: frozenset[str] = frozenset()) -> Said:
        """The next user message: all goals, without the arguments in `omit`.

        `made` holds the ids of rows that the conversation created; they are called new ones.
        """
        asked = [self._asked(goal.ask, goal, made, omit) for goal in goals]
        asks = [text for text, _ in asked]
        opener = self.rng.choice(FOLLOW_UPS if self._turns else OPENERS)
        self._turns += 1
        imperative = all(ask.split(" ", 1)[0] != "I" for ask in asks)
        lead = self.rng.choice(LEADS) if imperative else ""
        return Said(_sentences(opener, lead, asks), tuple(said for _, said in asked))

    def clause(self, goal: Goal, argument: str, made: Collection[str]) -> str:
        """What the user answers when asked for an argument that was left out."""
        clause = omittable(goal.ask)[argument]
        words, _ = self._asked(Template("", clause.parts), goal, made)
        return _sentence(words.lstrip(" ,;").removeprefix("of "))

    def question(self, goal: Goal, argument: str) -> str:
        """What the assistant asks when an argument is missing."""
        words = self.phrases.tools[goal.tool.name].missing[argument]
        return f"One question before I do that: {words[0]}?"

    def answer(self, goals: Collection[Goal]) -> str:
        """The assistant's closing words for goals that were reached."""
        return " ".join(self._tell(goal) for goal in goals)

    # Pieces

    def _tell(self, goal: Goal) -> str:
        entry = self.phrases.tools[goal.tool.name]
        value = goal.outcome.value
        text = self.rng.choice(entry.tell).render(partial(self._field, value))
        if entry.row is not None:
            row = entry.row
            items = value[row.of]
            told = [row.say.render(partial(self._field, item)) for item in items[: row.most]]
            if told:
                more = f"; and {len(items) - row.most} more" if len(items) > row.most else ""
                text = f"{text}: {'; '.join(told)}{more}"
        return _sentence(text)

    def _field(self, value: Json, slot: Slot) -> str:
        found = at(value, slot.name) if isinstance(value, dict) else value
        words = self.phrases.words.get(slot.name.rsplit(".", 1)[-1], {})
        if slot.format == "" and isinstance(found, str) and found in words:
            return words[found]
        if found is None:
            return "none"
        return spoken(found, slot.format, self.context.today.date())

    def _asked(
        self, template: Template, goal: Goal, made: Collection[str], omit: Collection[str] = ()
    ) -> tuple[str, frozenset[str]]:
        """A template over a goal's arguments in words, and the arguments that it says."""
        said: set[str] = set()

        def has(name: str) -> bool:
            choice = goal.choices.get(name.split(".")[0])
            return choice is not None and not choice.derived and name not in omit and choice.value is not False

        def write(slot: Slot) -> str | None:
            head, _, rest = slot.name.partition(".")
            if not has(head):
                return None
            said.add(head)
            choice = goal.choices[head]
            if rest:
                return self.context.write(choice.rows[0], Slot(rest, slot.format)) if choice.rows else None
            if choice.rows and not choice.literal:
                return listed([self._mention(row, made) for row in choice.rows])
            return self._value(head, choice, slot.format)

        text = template.render(write, has)
        flags = {name for name in template.flags() if has(name)}
        return text, frozenset(said | flags)

    def _value(self, name: str, choice: Choice, form: str) -> str:
        value = choice.value
        words = self.phrases.words.get(name, {})
        if form == "" and isinstance(value, str) and value in words:
            return words[value]
        return spoken(value, form, self.context.today.date())

    def _mention(self, row: Row, made: Collection[str]) -> str:
        """`refer` the first time, `again` while it is the last one of its kind, `made` for a row made on the way."""
        spec = self.phrases.entities[row.entity]
        last = self._last.get(row.entity)
        self._last[row.entity] = row.id
        if row.id in made:
            return spec.again if last == row.id else spec.made
        return spec.again if last == row.id else self.context.refer(row)


def _sentences(opener: str, lead: str, asks: list[str]) -> str:
    """The asks as sentences: imperatives joined as A, B and then C, questions on their own."""
    sentences = [opener] if opener else []
    run: list[str] = []

    def close() -> None:
        if run:
            joined = run[0] if len(run) == 1 else f"{', '.join(run[:-1])} and then {run[-1]}"
            sentences.append(_capital(lead + joined) + ("?" if lead.startswith("could") else "."))
            run.clear()

    for ask in asks:
        if ask.split(" ", 1)[0].strip(",").lower() in ASKING:
            close()
            sentences.append(_capital(ask) + "?")
        else:
            run.append(ask)
    close()
    return " ".join(sentences)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return _capital(text) + ("" if text.endswith((".", "?", "!")) else ".")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
