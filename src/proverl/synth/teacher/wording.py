"""The words of a conversation: what the user asks, what the assistant asks back and answers.

Covers: putting phrases.toml's templates together into messages, second mentions, the three information levels. Does
not cover: which goals there are (synth/goals/plan.py).
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial

from ...paths import get
from ...records import Json
from ..goals.plan import Choice, Goal
from ..sample import Context, Row, shown
from ..templates import PhraseTemplate, Slot, listed, omittable, spoken

ASKING = frozenset(
    "are can did do does has have how is was what when where which who whose why will".split()  # noqa: SIM905
)
OPENERS = ("", "", "Hello.", "Good morning.", "I need some help.")
LONG_OPENER = "A few things for today."
LEADS = ("", "", "please ", "could you please ")
FOLLOW_UPS = ("", "", "Thanks.", "Good.", "Thank you.")
SHORT_FOLLOW_UP = "One more thing."
QUESTIONS = ("One question before I do that: {}?", "Just one thing: {}?", "One thing is missing: {}?")
PREPOSITION = re.compile(r"^(and|as|at|by|for|from|of|to|with) ")


@dataclass(frozen=True)
class Said:
    """A user message, the same without greeting and courtesy, and for each of its goals the arguments that it says."""

    text: str
    plain: str
    arguments: tuple[frozenset[str], ...]


class Wording:
    """Speaks for the user and the assistant of one conversation, remembering what was mentioned.

    `made` in its methods maps the ids of rows that the conversation created to the tools that did.
    """

    def __init__(self, context: Context, rng: random.Random) -> None:
        self.context = context
        self.phrases = context.phrases
        self.rng = rng
        self._last: dict[str, str] = {}
        self._named: set[str] = set()
        self._opener = ""
        self._turns = 0

    def query(
        self, goals: Collection[Goal], made: Mapping[str, str], omit: frozenset[str] = frozenset(), opener: str = ""
    ) -> Said:
        """The next user message: all goals, without the arguments in `omit`; a secret is said once in a message."""
        asked = []
        secrets: set[str] = set()
        for goal in goals:
            sensitive = [name for name in goal.tool.secret if name in goal.choices and name in omittable(goal.ask)]
            again = {name for name in sensitive if str(goal.choices[name].value) in secrets}
            text, said = self._asked(goal.ask, goal, made, omit | again)
            asked.append((text, said | again))
            secrets |= {str(goal.choices[name].value) for name in goal.tool.secret if name in said}
            self._note_made(goal, made)
        asks = [text for text, _ in asked]
        lead = self.rng.choice(LEADS)
        text = _sentences(opener or self._opening(len(asks)), lead, asks)
        return Said(text, _sentences("", "", asks), tuple(said for _, said in asked))

    def clause(self, goal: Goal, argument: str, made: Mapping[str, str]) -> str:
        """What the user answers when asked for an argument that was left out."""
        clause = omittable(goal.ask)[argument]
        words, _ = self._asked(PhraseTemplate("", clause.parts), goal, made)
        words = words.lstrip(" ,;:")
        self._note_made(goal, made)
        return _sentence(words if goal.choices[argument].rows else PREPOSITION.sub("", words, count=1))

    def question(self, goal: Goal, argument: str) -> str:
        """What the assistant asks when an argument is missing."""
        words = self.phrases.tools[goal.tool.name].missing[argument]
        return self.rng.choice(QUESTIONS).format(words[0])

    def refusal(self, goal: Goal, made: Mapping[str, str], names: Collection[str]) -> str:
        """What the assistant says when the goal's tool is missing: it names what it cannot do, with one of `names`."""
        for template in (goal.ask, *self.phrases.tools[goal.tool.name].ask):
            plain = set(template.plain_slots()) - set(omittable(template))
            omit = {name for name in goal.choices if name not in plain}
            if template.text.startswith("I ") or not plain <= set(goal.choices):
                continue
            words, _ = self._asked(template, goal, made, omit)
            if any(name in words.lower() for name in names):
                yours = re.sub(r"\bmy\b", "your", words)
                return f"I am sorry, I have no tool to {yours}."
        return f"I am sorry, I cannot do that: none of my tools is made to {next(iter(names))}."

    def answer(self, goals: Collection[Goal]) -> str:
        """The assistant's closing words for goals that were reached."""
        return " ".join(self._tell(goal) for goal in goals)

    # Pieces

    def _opening(self, count: int) -> str:
        openers = [*FOLLOW_UPS, SHORT_FOLLOW_UP] if self._turns else [*OPENERS, LONG_OPENER]
        self._turns += 1
        unfit = SHORT_FOLLOW_UP if count > 1 else LONG_OPENER
        fitting = [opener for opener in openers if opener != unfit and (not opener or opener != self._opener)]
        self._opener = self.rng.choice(fitting)
        return self._opener

    def _tell(self, goal: Goal) -> str:
        entry = self.phrases.tools[goal.tool.name]
        value = goal.outcome.value
        text = self._told(self.rng.choice(entry.tell), value)
        if entry.row is not None:
            row = entry.row
            items = value[row.of]
            told = [self._told(row.say, item) for item in items[: row.most]]
            if told:
                count = value.get("count")
                left = (count if isinstance(count, int) else len(items)) - len(told)
                more = f"; and {left} more" if left > 0 else ""
                text = f"{text}: {'; '.join(told)}{more}"
            for entity in goal.tool.gives.values():
                self._last.pop(self.phrases.base(entity), None)
        return _sentence(text)

    def _told(self, template: PhraseTemplate, value: Json) -> str:
        """A template over a result; a bracket is shown when all its values are there and none is 0, false or empty."""
        return template.render(
            partial(self._field, value), lambda name: bool(get(value, name) if isinstance(value, dict) else value)
        )

    def _field(self, value: Json, slot: Slot) -> str:
        found = get(value, slot.name) if isinstance(value, dict) else value
        words = self.phrases.words.get(slot.name.rsplit(".", 1)[-1], {})
        if slot.format == "" and isinstance(found, str) and found in words:
            return words[found]
        if found is None:
            return "none"
        return spoken(found, slot.format, self.context.today.date())

    def _asked(
        self, template: PhraseTemplate, goal: Goal, made: Mapping[str, str], omit: Collection[str] = ()
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
            for row in choice.rows:
                self._last[self.phrases.base(row.entity)] = row.id
            return self._value(head, choice, slot.format)

        text = template.render(write, has)
        flags = {name for name in template.flags() if has(name)}
        self._forget_several(goal)
        return text, frozenset(said | flags)

    def _forget_several(self, goal: Goal) -> None:
        """After two rows of one kind in a request, nobody knows which one `that account` would be."""
        ids: dict[str, set[str]] = {}
        for choice in goal.choices.values():
            for row in choice.rows:
                ids.setdefault(self.phrases.base(row.entity), set()).add(row.id)
        for entity in [entity for entity, several in ids.items() if len(several) > 1]:
            self._last.pop(entity, None)

    def _note_made(self, goal: Goal, made: Mapping[str, str]) -> None:
        """A row that the goal makes is from now on the one that was mentioned last; of several, none is."""
        if goal.tool.effect == "read":
            return
        new: dict[str, set[str]] = {}
        for one in shown(goal.tool, goal.calls[-1].arguments, goal.outcome.value):
            if made.get(one.id) == goal.tool.name:
                new.setdefault(one.entity, set()).add(one.id)
        for entity, ids in new.items():
            self._last[entity] = next(iter(ids)) if len(ids) == 1 else ""

    def _value(self, name: str, choice: Choice, form: str) -> str:
        value = choice.value
        words = self.phrases.words.get(name, {})
        if form == "" and isinstance(value, str) and value in words:
            return words[value]
        return spoken(value, form, self.context.today.date())

    def _mention(self, row: Row, made: Mapping[str, str]) -> str:
        """`refer` the first time, `again` while it is the last one of its kind, `made` for a row made on the way."""
        spec = self.phrases.entities[row.entity]
        base = self.phrases.base(row.entity)
        is_last = self._last.get(base) == row.id
        is_named = row.id in self._named
        self._last[base] = row.id
        self._named.add(row.id)
        if row.id in made and not (is_last and is_named):
            own = self.phrases.tools[made[row.id]].made
            return self._worded(own, row) or self._worded(spec.made, row) or f"the new {row.entity.replace('_', ' ')}"
        if is_last:
            return self._worded(spec.again, row) or f"that {row.entity.replace('_', ' ')}"
        return self.context.refer(row)

    def _worded(self, template: PhraseTemplate | None, row: Row) -> str | None:
        """A template over a row's fields, None if the row lacks one of them."""
        if template is None:
            return None
        try:
            return template.render(lambda slot: self.context.write(row, slot))
        except KeyError:
            return None


def _sentences(opener: str, lead: str, asks: list[str]) -> str:
    """The asks as sentences: short imperatives joined as A, B and then C; all others on their own."""
    sentences = [opener] if opener else []
    runs: list[list[str]] = []
    for ask in asks:
        if runs and _is_imperative(ask) and _is_imperative(runs[-1][-1]):
            runs[-1].append(ask)
        else:
            runs.append([ask])
    for run in runs:
        if not _is_imperative(run[0]):
            sentences.append(_capital(run[0]) + ("?" if _first_word(run[0]) in ASKING else "."))
            continue
        polite = lead if run is runs[0] else ""
        mark = "?" if polite.startswith("could") else "."
        if any(re.search(r"[,;:]", ask) for ask in run):
            sentences.append(_capital(polite + run[0]) + mark)
            sentences += [f"{'Then' if number == 0 else 'After that,'} {ask}." for number, ask in enumerate(run[1:])]
        else:
            joined = run[0] if len(run) == 1 else f"{', '.join(run[:-1])} and then {run[-1]}"
            sentences.append(_capital(polite + joined) + mark)
    return " ".join(sentences)


def _is_imperative(ask: str) -> bool:
    return _first_word(ask) not in ASKING and not ask.startswith("I ")


def _first_word(ask: str) -> str:
    return ask.split(" ", 1)[0].strip(",").lower()


def _sentence(text: str) -> str:
    return _capital(text) + ("" if text.endswith((".", "?", "!")) else ".")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
