"""What a harsh reader of conversations looks for, on every server: fair, plain and sensible to the letter."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache

import pytest

from proverl import servers
from proverl.errors import SynthesisError
from proverl.records import Json, Task
from proverl.synth import sample as sampling
from proverl.synth.converse import Domain, Job, converse, plan
from proverl.synth.goals.plan import Choice, Goal
from proverl.synth.machine import Dialogue, drive
from proverl.synth.phrases import EntityPhrases
from proverl.synth.sample import Context, Row, shown
from proverl.synth.teacher.scripted import ScriptedTeacher, naming_words
from proverl.synth.templates import FORMATS, spoken
from proverl.world.session import LocalSession
from proverl.world.world import World
from support.shop import server as shop

COUNT = 20
SEED = 77
NAMES = ("shop", *servers.with_phrases())
EXACT = ("", "money", "day", "time", "date", "list")


@dataclass(frozen=True)
class Spoken:
    """A conversation as the teacher meant it: the goals behind the words."""

    job: Job
    dialogue: Dialogue
    teacher: ScriptedTeacher

    def goals(self) -> Iterator[tuple[int, Goal]]:
        """Each goal once, with the turn in which it is carried out."""
        for number, turn in enumerate(self.dialogue.turns):
            if turn.kind == "steps":
                yield from ((number, goal) for goal in turn.goals)

    def words(self, turn: int) -> str:
        """All that the user said up to a turn."""
        return "\n".join(one.user for one in self.dialogue.turns[: turn + 1])


@cache
def domain(name: str) -> Domain:
    return Domain.of(shop if name == "shop" else servers.load(name))


@cache
def talks(name: str) -> tuple[Spoken, ...]:
    found = []
    one = domain(name)
    for job in plan([one], COUNT, SEED):
        session = LocalSession(one.server, job.world)
        rng = random.Random(f"{job.seed}:{job.index}:0")
        context = one.context(job.world)
        teacher = ScriptedTeacher(
            session, context, one.graph, job.chain, rng, level=job.level, hide=job.hide, reads=job.reads
        )
        dialogue = Dialogue(session, teacher)
        drive(dialogue)
        found.append(Spoken(job, dialogue, teacher))
    return tuple(found)


@cache
def tasks(name: str) -> tuple[Task, ...]:
    found = []
    for job in plan([domain(name)], COUNT, SEED):
        try:
            found.append(converse(domain(name), job))
        except SynthesisError:
            continue
    assert len(found) > COUNT * 0.8
    return tuple(found)


@cache
def everything(name: str, world: int) -> Context:
    """All rows that the tools can show, without the sampler's limits."""
    one = domain(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "PAGES", 10_000)
        patch.setattr(sampling, "PARENTS", 10_000)
        session = LocalSession(one.server, world)
        now = World(session.store, one.server.offset).now
        rng = random.Random(0)
        found = sampling.sample(session, one.server.discovery, one.phrases, now, rng)
        session.close()
    return found


@pytest.mark.parametrize("name", NAMES)
def test_user_texts_have_no_trace_of_their_templates(name: str) -> None:
    for task in tasks(name):
        for turn in task.turns:
            for text in (turn.user, *([turn.facts] if turn.facts else [])):
                problem = re.search(
                    r"  | [.,;:?!](?!\w)|\.\.|,,|[{}<>]|\b[Tt]he [Tt]he\b|\bNone\b|\bTrue\b|\[ | \]|,\.", text
                )
                assert problem is None, (problem, text)
                assert text.count('"') % 2 == 0, text
                assert re.match(r'[A-Z0-9"/.]', text), text
                assert re.search(r"[.?]$", text), text
            assert not re.search(
                r"\bnone\b|\bNone\b|dollars? dollars?|\b1 \w+s (is|are|were) ", turn.answer.split('"')[0]
            )


@pytest.mark.parametrize("name", NAMES)
def test_amounts_days_and_quotes_that_the_user_says_are_in_the_calls_or_belong_to_a_row(name: str) -> None:
    for one in talks(name):
        for turn in one.dialogue.turns:
            known = list(turn.goals)
            fields = [value for goal in known for choice in goal.choices.values() for value in _facts(choice)]
            today = one.teacher.planner.context.today.date()
            forms = {word for value in fields for word in _forms(value, today)}
            months = "|".join(sorted({word.split()[1] for word in forms if re.fullmatch(r"\d+ [A-Z]\w+", word)}))
            said = re.findall(r'"([^"]*)"', turn.user) + re.findall(r"(?:minus )?[\d.]+ dollars?", turn.user)
            said += re.findall(rf"\b\d+ (?:{months})\b(?: \d{{4}})?", turn.user) if months else []
            again = {word for goal in known for choice in goal.choices.values() for word in _phrases(one, choice)}
            for word in said:
                assert word in forms or any(word in phrase for phrase in again), (word, turn.user)


@pytest.mark.parametrize("name", NAMES)
def test_each_argument_of_a_goal_can_be_had_from_the_users_words(name: str) -> None:
    for one in talks(name):
        context = one.teacher.planner.context
        for turn, goal in one.goals():
            words = one.words(turn)
            for argument, choice in goal.choices.items():
                if choice.derived or choice.value is True:
                    continue
                if choice.literal:
                    assert str(choice.value) in words
                elif choice.rows:
                    for row in choice.rows:
                        assert row.id in one.teacher.made or _is_named(context, row, words), (argument, row, words)
                else:
                    enumerated = context.phrases.words.get(argument, {}).get(str(choice.value))
                    forms = [*_forms(choice.value, context.today.date()), *([enumerated] if enumerated else [])]
                    assert any(form.lower() in words.lower() for form in forms), (argument, choice.value, words)


@pytest.mark.parametrize("name", NAMES)
def test_a_phrase_means_one_row_among_all_that_the_tools_can_show(name: str) -> None:
    checked = 0
    for one in talks(name):
        context = one.teacher.planner.context
        whole = everything(name, one.job.world)
        for turn, goal in one.goals():
            for argument, choice in goal.choices.items():
                where = context.phrases.tools[goal.tool.name].values.get(argument, {}).get("where", {})
                scope = [field for field, value in where.items() if isinstance(value, str) and "{" in value]
                for row in () if choice.literal else choice.rows:
                    if row.id in one.teacher.made:
                        continue
                    same = {id for id, words in _meant(one, whole, row, scope, turn) if words == context.refer(row)}
                    assert same == {row.id}, (context.refer(row), same)
                    checked += 1
    assert checked > COUNT / 2


@pytest.mark.parametrize("name", NAMES)
def test_that_one_is_the_row_of_its_kind_that_was_mentioned_last(name: str) -> None:
    for one in talks(name):
        phrases = one.teacher.planner.phrases
        last: dict[str, set[str]] = {}
        for turn, goal in one.goals():
            mentioned: dict[str, set[str]] = {}
            for choice in goal.choices.values():
                for row in choice.rows:
                    base = phrases.base(row.entity)
                    named = one.teacher.planner.context.refer(row) if row.id not in one.teacher.made else None
                    if named and not choice.literal and named not in one.dialogue.turns[turn].user:
                        assert _is_named(one.teacher.planner.context, row, one.words(turn)), (named, one.words(turn))
                        assert last.get(base, {row.id}) == {row.id}, (named, one.words(turn))
                    mentioned.setdefault(base, set()).add(row.id)
            for made in shown(goal.tool, goal.calls[-1].arguments, goal.outcome.value):
                if one.teacher.made.get(made.id) == goal.tool.name:
                    mentioned[made.entity] = {made.id}
            last.update(mentioned)


@pytest.mark.parametrize("name", NAMES)
def test_nobody_wants_the_same_twice_or_throws_away_what_was_worked_on(name: str) -> None:
    for one in talks(name):
        touched: set[str] = set()
        done: list[tuple[str, frozenset[str]]] = []
        for _, goal in one.goals():
            assert not goal.rows or (goal.tool.name, goal.rows) not in done, one.words(9)
            done.append((goal.tool.name, goal.rows))
            if goal.tool.effect == "destructive":
                assert not goal.rows & touched, one.words(9)
            if goal.tool.effect != "read":
                touched |= goal.rows | {row.id for row in _made_by(one, goal)}


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_that_comes_back_is_used_for_what_was_asked_before(name: str) -> None:
    for one in talks(name):
        for turn in one.dialogue.turns:
            if turn.adds:
                assert turn.goals == one.dialogue.turns[0].goals


@pytest.mark.parametrize("name", NAMES)
def test_every_step_calls_a_tool_that_is_shown_in_its_turn(name: str) -> None:
    jobs = [job for job in plan([domain(name)], 160, SEED) if job.hide]
    assert len(jobs) > 5
    hidden = [made for job in jobs if (made := _made(name, job)) is not None]
    assert any(not any(turn.adds for turn in task.turns) for task in hidden), "no tool stayed away for good"
    for task in (*tasks(name), *hidden):
        for index, turn in enumerate(task.turns):
            visible = {tool.name for tool in task.shown(index)}
            assert {step.tool for step in (*turn.steps, *turn.prefix)} <= visible, task.id


def _made(name: str, job: Job) -> Task | None:
    try:
        return converse(domain(name), job)
    except SynthesisError:
        return None


@pytest.mark.parametrize("name", NAMES)
def test_a_refusal_and_a_question_hold_the_words_by_which_they_are_judged(name: str) -> None:
    for task in tasks(name):
        for turn in task.turns:
            if turn.kind in ("missing_argument", "missing_function"):
                assert any(word in turn.answer for word in turn.missing), turn
                assert all(re.fullmatch(r"[\w ,-]+", word) for word in turn.missing), turn.missing


@pytest.mark.parametrize("name", NAMES)
def test_writes_change_rows_and_reads_are_wanted_or_used(name: str) -> None:
    for task in tasks(name):
        feeding = {origin.step for step in task.steps for origin in step.origins.values()}
        for turn in task.turns:
            if any(step.effect != "read" for step in turn.steps):
                assert turn.changes, turn.user
            for step in turn.steps:
                assert step.effect != "read" or step.terminal or step.index in feeding, (task.id, step)


@pytest.mark.parametrize("name", NAMES)
def test_a_step_waits_for_the_last_of_several_equal_calls_only(name: str) -> None:
    for task in tasks(name):
        for step in task.steps:
            before = [task.steps[edge.step] for edge in step.edges if edge.kind == "state"]
            calls = [(one.tool, str(one.arguments)) for one in before]
            assert len(calls) == len(set(calls)), (task.id, step.index)


def _meant(one: Spoken, whole: Context, row: Row, scope: list[str], turn: int) -> Iterator[tuple[str, str | None]]:
    """(id, phrase) of the rows that the words could mean: of the whole world, and of what the look-ups showed."""
    context = one.teacher.planner.context
    for other in whole.rows(row.entity):
        if all(other.fields.get(field) == row.fields.get(field) for field in scope):
            yield other.id, whole.phrase(row.entity, other.fields)
    for done in [done for earlier in one.dialogue.turns[: turn + 1] for done in earlier.done]:
        if done.proposal.role == "look-up":
            tool = next(tool for tool in one.dialogue.session.tools if tool.name == done.proposal.tool)
            for found in shown(tool, done.proposal.arguments, done.outcome.value):
                same = all(found.fields.get(field) == row.fields.get(field) for field in scope)
                if found.entity == context.phrases.base(row.entity) and same and found.id not in one.teacher.made:
                    yield found.id, context.phrase(row.entity, found.fields)


def _is_named(context: Context, row: Row, words: str) -> bool:
    """Whether the row was named, as one of its kinds (a file is an entry), or said as it is."""
    base = context.phrases.base(row.entity)
    kinds = [kind for kind in context.phrases.entities if context.phrases.base(kind) == base]
    said = [context.refer(row), row.id, *(context.phrase(kind, row.fields) for kind in kinds)]
    return any(phrase in words for phrase in said if phrase)


def _made_by(one: Spoken, goal: Goal) -> list[Row]:
    return [row for row in one.teacher.planner.seen.made if one.teacher.made[row.id] == goal.tool.name]


def _facts(choice: Choice) -> list[Json]:
    return [] if choice.rows else [choice.value]


def _phrases(one: Spoken, choice: Choice) -> list[str]:
    """The words for the rows of a choice: their phrase, or their own fields where they were made on the way."""
    context = one.teacher.planner.context
    found = []
    for row in choice.rows:
        spec: EntityPhrases = context.phrases.entities[row.entity]
        found.append(context.phrase(row.entity, row.fields) or spec.refer.text)
        found += [str(value) for value in row.fields.values()]
    return found


def _forms(value: Json, today: date) -> set[str]:
    found = {str(value), str(value).strip()}
    for form in EXACT:
        assert form == "" or form in FORMATS
        try:
            found.add(spoken(value, form, today))
        except ValueError:
            continue
        except TypeError:
            continue
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_tool_that_can_be_missing_is_named_by_the_way_in_which_people_ask_for_it(name: str) -> None:
    """A refusal that repeats the request names what is missing, whichever way the request was put."""
    found = domain(name)
    for tool in found.server.tools:
        entry = found.phrases.tools[tool.name]
        if tool.effect == "read" or not entry.goal or entry.replaceable:
            continue
        words = naming_words(tool, entry.ask)
        for ask in entry.ask:
            text = f"I am sorry, I have no tool to {ask.text}."
            assert ask.text.startswith("I ") or contains(text, words), (tool.name, ask.text, words)


def contains(text: str, words: tuple[str, ...]) -> bool:
    """Whether one of the words stands in the text as a word."""
    return any(re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) for word in words)
