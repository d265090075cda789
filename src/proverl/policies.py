"""Scripted policies: how a conversation goes when the assistant is right, silent, hasty, wrong, greedy or backwards.

Covers: six policies that work on any task, as generators of replies that see the results of their calls, and `Acting`,
which makes one of them a `Model`. The demo, the audits and the tests use them. Does not cover: a policy that decides
anything; each follows the ground truth or departs from it in one way.

`ground_truth`   each step, parallel ones together, then the right closing text
`silent`         nothing at all
`first_call`     the first step of the task, then nothing to the end
`wrong_values`   each step with other values of the right type, then the right closing text
`spam`           the right steps, then calls of the same tools up to 40, then the right closing text
`backwards`      the steps in reversed order, one at a time, then the right closing text
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any, TypeAlias

import jsonschema_rs
import re2

from .chat import Asked, Reply
from .records import Json, Message, Origin, Step, Task, Tool, Turn

Script: TypeAlias = Generator[Reply, tuple[Message, ...], None]
"""Yields replies; receives the messages that came since (results of its calls, or what the user said)."""

Policy: TypeAlias = Callable[[Task], Script]

SPAM = 40


class Acting:
    """A model that acts a policy in one episode of a task."""

    def __init__(self, policy: Policy, task: Task) -> None:
        self._script = policy(task)
        self._begun = False

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        """The policy's next reply; nothing once its script is over."""
        return self.next(messages)

    def next(self, messages: Sequence[Message]) -> Reply:
        """The same without waiting."""
        last = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=-1)
        news = tuple(messages[last + 1 :])
        try:
            if self._begun:
                return self._script.send(news)
            self._begun = True
            return next(self._script)
        except StopIteration:
            return Reply()


def ground_truth(task: Task) -> Script:
    """The right calls, then the right closing text, in each turn."""
    results: dict[int, Json] = {}
    for turn in task.turns:
        yield from _play(_groups(turn.steps), results)
        yield Reply(closing(turn))


def silent(task: Task) -> Script:
    """Says nothing and does nothing."""
    for _ in task.turns:
        yield Reply()


def first_call(task: Task) -> Script:
    """The first step of the task when its turn comes, then silence to the end."""
    results: dict[int, Json] = {}
    for turn in task.turns:
        yield from _play([tuple(step for step in turn.steps if step.index == 0)], results)
        yield Reply()


def wrong_values(task: Task) -> Script:
    """The right calls with other values of the right type, then the right closing text."""
    results: dict[int, Json] = {}
    tools = {tool.name: tool for tool in task.tools}

    def change(step: Step, arguments: dict[str, Json]) -> dict[str, Json]:
        return changed(tools[step.tool], arguments, step.compared) if step.tool in tools else arguments

    for turn in task.turns:
        yield from _play(_groups(turn.steps), results, change)
        yield Reply(closing(turn))


def spam(task: Task) -> Script:
    """The right calls and then more of them, 40 in all in each turn, then the right closing text.

    Where there is nothing to call it calls a tool that is shown with the least arguments that fit.
    """
    results: dict[int, Json] = {}
    for index, turn in enumerate(task.turns):
        yield from _play(_groups(turn.steps), results)
        calls = [Asked(step.tool, resolved(step, results)) for step in turn.steps or turn.prefix]
        calls = calls or [least_call(task.shown(index))]
        more = SPAM - len(turn.steps)
        if calls[0].name and more > 0:
            yield Reply("", tuple(calls[number % len(calls)] for number in range(more)))
        yield Reply(closing(turn))


def backwards(task: Task) -> Script:
    """The right calls in reversed order, one at a time, then the right closing text.

    An id that the episode has not made yet is written as the ground truth saw it.
    """
    results: dict[int, Json] = {}
    for turn in task.turns:
        yield from _play([(step,) for step in reversed(turn.steps)], results)
        yield Reply(closing(turn))


POLICIES: dict[str, Policy] = {
    "ground_truth": ground_truth,
    "silent": silent,
    "first_call": first_call,
    "wrong_values": wrong_values,
    "spam": spam,
    "backwards": backwards,
}


# Parts of the policies


def _play(
    groups: Sequence[Sequence[Step]],
    results: dict[int, Json],
    change: Callable[[Step, dict[str, Json]], dict[str, Json]] = lambda step, arguments: arguments,
) -> Script:
    """One assistant turn for each group; what comes back is kept in `results` by step."""
    for group in groups:
        if not group:
            continue
        news = yield Reply("", tuple(Asked(step.tool, change(step, resolved(step, results))) for step in group))
        answers = [message for message in news if message.role == "tool"]
        for step, answer in zip(group, answers, strict=False):
            results[step.index] = json.loads(answer.content)


def _groups(steps: Sequence[Step]) -> list[tuple[Step, ...]]:
    """The steps, neighbours of one parallel group together."""
    found: list[tuple[Step, ...]] = []
    for step in steps:
        if found and step.group >= 0 and found[-1][-1].group == step.group:
            found[-1] = (*found[-1], step)
        else:
            found.append((step,))
    return found


def closing(turn: Turn) -> str:
    """The right closing text of a turn; made up where the task holds none."""
    text = turn.answer.strip()
    if turn.kind == "steps":  # a question would make the user go on with this turn
        return text.rstrip("? ") or "Done."
    if text:
        return text
    if turn.kind == "missing_argument" and turn.missing:
        return f"Which {turn.missing[0]} do you mean?"
    if turn.kind == "missing_function" and turn.missing:
        return f"I have no tool for that: {turn.missing[0]}."
    return "I cannot do that with the tools that I have."


def resolved(step: Step, results: dict[int, Json]) -> dict[str, Json]:
    """The arguments of a step, with what the episode made taken from what it returned in this episode."""
    arguments: dict[str, Json] = json.loads(json.dumps(step.arguments))
    for place, origin in step.origins.items():
        if origin.made and origin.step in results:
            value = _origin_value(origin, results[origin.step])
            if value is not None:
                _put(arguments, place, value)
    return arguments


def _origin_value(origin: Origin, result: Json) -> Json:
    value = _get(result, origin.path)
    if origin.match and isinstance(value, str):
        found = re2.search(origin.match, value)
        return None if found is None else found[1] if found.groups() else found[0]
    return value


def _keys(path: str) -> list[str | int]:
    """The parts of a path such as accounts[2].account_id."""
    return [int(number) if number else name for name, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path)]


def _get(value: Json, path: str) -> Json:
    """The value at a path, None where there is none."""
    for key in _keys(path):
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _put(arguments: dict[str, Json], path: str, value: Json) -> None:
    """Set the value at a path that exists."""
    *parents, last = _keys(path)
    holder: Any = arguments
    try:
        for key in parents:
            holder = holder[key]
        holder[last] = value
    except (KeyError, IndexError, TypeError):
        return


# Wrong values


def changed(tool: Tool, arguments: dict[str, Json], names: Sequence[str]) -> dict[str, Json]:
    """The arguments with the named ones given other values that the tool's schema allows, where there are any."""
    judge = jsonschema_rs.validator_for(tool.input_schema, validate_formats=False)
    found = dict(arguments)
    properties = tool.input_schema.get("properties", {})
    for name in names:
        if name not in found:
            continue
        for other in _others(found[name], properties.get(name, {})):
            if judge.is_valid({**found, name: other}):
                found[name] = other
                break
    return found


def _others(value: Json, schema: dict[str, Json]) -> Iterator[Json]:
    """Other values of the same type, likely ones first."""
    for allowed in schema.get("enum", ()):
        if allowed != value:
            yield allowed
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, value + 10, value * 2, value / 2)
    elif isinstance(value, str):
        yield from _other_texts(value)
    elif isinstance(value, list | dict):
        yield from _other_containers(value, schema)


def _other_containers(value: Json, schema: dict[str, Json]) -> Iterator[Json]:
    """The same list or object with one of its parts other than it is."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for key, item in value.items():
            for other in _others(item, properties.get(key, {})):
                yield {**value, key: other}
        return
    items = schema.get("items", {})
    for place, item in enumerate(value):
        for other in _others(item, items):
            yield [*value[:place], other, *value[place + 1 :]]
    if not value:
        yield [example(items)]


def _other_texts(text: str) -> Iterator[str]:
    """Another day for a date, another number for an id, other letters for anything else."""
    if re.match(r"\d{4}-\d\d-\d\d", text):
        with contextlib.suppress(ValueError, OverflowError):
            moment = date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
            yield (moment + timedelta(days=1)).isoformat()
    digits = list(re.finditer(r"[0-9]", text))
    if digits:
        last = digits[-1].start()
        yield text[:last] + str((int(text[last]) + 1) % 10) + text[last + 1 :]
    letters = list(re.finditer(r"[a-z]", text, re.IGNORECASE))
    for match in (letters[0], letters[-1]) if letters else ():
        place = match.start()
        letter = "q" if text[place].lower() != "q" else "w"
        letter = letter.upper() if text[place].isupper() else letter
        yield text[:place] + letter + text[place + 1 :]
    yield f"{text}x"
    yield f"{text} other"


# The least that fits a schema


def least_call(tools: Sequence[Tool]) -> Asked:
    """A call that fits the schema of one of the tools: the read with the fewest required arguments, if there is one."""
    if not tools:
        return Asked("")
    tool = min(tools, key=lambda tool: (tool.effect != "read", len(tool.required)))
    properties = tool.input_schema.get("properties", {})
    return Asked(tool.name, {name: example(properties.get(name, {})) for name in tool.required})


def example(schema: dict[str, Json]) -> Json:
    """A small value that fits a schema of the kinds that tools have; a pattern is not looked at."""
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return example(schema[key][0])
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind in ("integer", "number"):
        return _least_number(schema)
    if kind == "array":
        return [example(schema.get("items", {}))] * int(schema.get("minItems", 0))
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: example(properties.get(name, {})) for name in schema.get("required", ())}
    values: dict[str, Json] = {"boolean": True, "null": None}
    return values[kind] if kind in values else "a" * max(1, int(schema.get("minLength", 1)))


def _least_number(schema: dict[str, Json]) -> int | float:
    if "exclusiveMinimum" in schema:
        least: int | float = schema["exclusiveMinimum"] + 1
    else:
        least = schema.get("minimum", min(1, schema.get("maximum", 1)))
    return least
