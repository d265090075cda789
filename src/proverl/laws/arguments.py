"""Arguments for tool calls, drawn from the published schemas alone.

Covers: four families of arguments. `live` fits the schema and uses ids and words that the server has shown, so that
most calls succeed and states get deep; `valid` fits the schema and is random; `broken` breaks the schema or JSON;
`hostile` fits the schema and tries paths, patterns, extremes and odd text. Does not cover: making the calls or judging
what comes of them (laws/check.py). Works for any tool record, foreign servers' included; without `takes` and `gives`
it goes by the names of fields.

One seed, one stream of calls, given the same outcomes: all chance comes from one `random.Random`.
"""

from __future__ import annotations

import copy
import random
import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal

from ..paths import every
from ..records import Json, Kind, Outcome, Tool
from ..schemas import Validator, judge
from ..strict_json import MAX_INTEGER

Family = Literal["live", "valid", "broken", "hostile"]
SHARES: Mapping[Family, float] = {"live": 0.8, "valid": 0.04, "broken": 0.08, "hostile": 0.08}
TRIALS = 8
KEPT = 60  # values remembered per field or entity, and rows in all
# fmt: off
WORDS = ("blue", "lamp", "Ana", "north", "weekly plan", "R2", "tea & milk", "Zoë", "2031", "first draft")
SAMPLES = (
    "a", "ab", "abc", "ABC", "A1", "AB12", "USD", "1234", "123456", "12345678", "2031-05-14", "16:30", "a@example.org",
    "2031-05-14T16:00:00", "2031-05-14T16:00:00+00:00", "+15550100", "https://example.org/a", "/home", "/home/a.txt",
    "rw-r--r--", "644", "0755", "u+x", "#ff8800", "Ann Lee", "en", "10.0.0.1", "a-b", "a_b", "0.5", "1:2",
)
ODD_TEXT = (
    "", " ", ".", "..", "/", "//", "~", "-", "../../../etc/passwd", "/etc/../etc/passwd", "a/../../b", "C:\\x", "a//b/",
    "*", "**/*", "?", "[", "[!", "]", "{a,b", "(a+)+$", "(a|a)*b", "(?P<x>", "(?=a)b", "\\1", "a{9999}", "^", "$", "\\",
    "%", "_", "%%", "'", "''; DROP TABLE x; --", '" OR "1"="1', "s/a/b/g", "s/(/x/", "$(id)", "`id`", "{{7*7}}", "${x}",
    "null", "NaN", "-1", "0", "1e999", "true", "\n", "\t\r\n", "a\x00b", "\x1b[31mred", "\u202eabc", "\u200b", "\ufeff",
    "é", "e\u0301", "ß", "İ", "ﬁ", "𝟙", "👩‍👩‍👧", "<|im_start|>system", "</tool_response>", "<script>alert(1)</script>",
    "0000-00-00", "9999-12-31", "2031-02-29", "2031-W01-1", "9999-12-31T23:59:59+14:00", "0001-01-01T00:00:00-14:00",
    "24:00", "16:60", "@", "a@b", "@".join("ab" * 40), "x" * 5000, "a/" * 2000, "(" * 500, "9" * 400,
)
# fmt: on
RANGE = re.compile(r"(\d+) to (\d+)")
CODE = re.compile(r"(?<![\d-])\d{4,8}(?![\d-])")
DAY = re.compile(r"^\d{4}-\d{2}-\d{2}$")
MOMENT = re.compile(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")


@dataclass(frozen=True)
class Drawn:
    """One call to make."""

    tool: str
    arguments: Any
    family: Family


@dataclass
class Seen:
    """What a server has shown so far."""

    entities: dict[str, list[Json]] = field(default_factory=dict)
    fields: dict[str, list[Json]] = field(default_factory=dict)
    rows: list[dict[str, Json]] = field(default_factory=list)
    worked: dict[str, list[dict[str, Json]]] = field(default_factory=dict)
    codes: list[str] = field(default_factory=list)


class Generator:
    """A stream of calls to the tools.

    `secrets` are what the user knows (`Session.secrets`). `text_only` leaves out what JSON text cannot say (bytes, keys
    that are no strings, a list that holds itself), for callers that write the calls on a wire. `trial` makes a call
    without lasting effect; with it live calls are drawn until one succeeds, a few times at most.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        seed: int | str,
        *,
        secrets: Mapping[str, str] | None = None,
        text_only: bool = False,
        shares: Mapping[Family, float] = SHARES,
        trial: Callable[[Drawn], Outcome] | None = None,
    ) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.seen = Seen()
        self._random = random.Random(f"arguments:{seed}")
        self._secrets = dict(secrets or {})
        self._text_only = text_only
        self._shares = dict(shares)
        self._trial = trial
        self._waiting: list[str] = []
        self._judges: dict[str, Validator] = {}
        self._entity_of: dict[str, str] = {}

    # Calls

    def call(self) -> Drawn:
        """The next call. Every tool has its turn before one comes again; what it needs may be done first."""
        if not self._waiting:
            self._waiting = list(self.tools)
            self._random.shuffle(self._waiting)
            if not self.seen.worked:  # look around before acting; the last one is called first
                self._waiting.sort(key=lambda name: self.tools[name].effect == "read" and not self.tools[name].required)
        name = self._waiting.pop()
        before = self._needed_before(self.tools[name])
        if before and self._random.random() < 0.6:
            self._waiting.append(name)
            name = self._random.choice(before)
        family = self._random.choices(list(self._shares), list(self._shares.values()))[0]
        call = Drawn(name, self.arguments(self.tools[name], family), family)
        if self._trial is None or family != "live":
            return call
        for attempt in range(TRIALS):
            outcome = self._trial(call)
            if outcome.succeeded or outcome.kind is Kind.INFRASTRUCTURE:
                break
            self.learn(call, outcome)
            if attempt == TRIALS // 2 and self._random.random() < 0.5:  # this tool has nothing to do now
                name = self._random.choice(list(self.tools))
            call = Drawn(name, self.arguments(self.tools[name], family), family)
        return call

    def _needed_before(self, tool: Tool) -> list[str]:
        """Tools that show ids which this one needs and nobody has shown yet, or that have to run first."""
        unknown = {tool.takes[name] for name in tool.required if name in tool.takes} - self.seen.entities.keys()
        givers = [other.name for other in self.tools.values() if unknown & set(other.gives.values())]
        if givers or tool.name in self.seen.worked:
            return [name for name in givers if name != tool.name]
        return [name for name in tool.after if name in self.tools and name != tool.name]

    def arguments(self, tool: Tool, family: Family) -> Any:
        """Arguments of this family for a tool. Only `broken` ones may be something else than an object."""
        if family == "live":
            return self._live(tool)
        if family == "valid":
            return {name: self._value(schema, name) for name, schema in self._chosen(tool, 0.4)}
        if family == "hostile":
            return self._hostile(tool)
        return self._broken(tool)

    def learn(self, call: Drawn, outcome: Outcome) -> None:
        """Take in what a call has shown."""
        if type(call.arguments) is not dict:
            return
        tool = self.tools[call.tool]
        if not outcome.succeeded:
            self._forget(tool, call, outcome)
            return
        self._keep(self.seen.worked.setdefault(tool.name, []), call.arguments)
        self._learn_ids(tool, call, outcome)
        for name, value in [*call.arguments.items(), *_leaves(outcome.value)]:
            self._keep(self.seen.fields.setdefault(name, []), value)
            if type(value) is str:
                for code in CODE.findall(value):
                    self._keep(self.seen.codes, code)
        for row in _objects(outcome.value, dict(call.arguments)):
            self._keep(self.seen.rows, row)

    def _learn_ids(self, tool: Tool, call: Drawn, outcome: Outcome) -> None:
        for name, entity in tool.takes.items():  # a file is an entry to the tool that lists it, and a file to this one
            if type(call.arguments.get(name)) is str:
                self._keep(self.seen.entities.setdefault(entity, []), call.arguments[name])
        for path, entity in tool.gives.items():
            self._entity_of[path.rsplit(".", 1)[-1].rstrip("[]")] = entity
            for value in every(outcome.value, path):
                self._keep(self.seen.entities.setdefault(entity, []), value)

    def _forget(self, tool: Tool, call: Drawn, outcome: Outcome) -> None:
        """Drop ids that are gone, and arguments that worked once and do not any more."""
        worked = self.seen.worked.get(tool.name, [])
        if call.arguments in worked:
            worked.remove(call.arguments)
        for name, entity in tool.takes.items():
            value = call.arguments.get(name)
            known = self.seen.entities.get(entity, [])
            if outcome.code.endswith("not_found") and value in known and str(value) in outcome.message:
                known.remove(value)
                self.seen.rows = [row for row in self.seen.rows if value not in row.values()]

    def _keep(self, held: list[Any], value: Any) -> None:
        if value in held:
            return
        if len(held) >= KEPT:
            held.pop(self._random.randrange(len(held)))
        held.append(value)

    def _chosen(self, tool: Tool, share: float) -> list[tuple[str, dict[str, Json]]]:
        """The required arguments, and each of the others with this chance."""
        properties = tool.input_schema.get("properties", {})
        return [
            (name, schema)
            for name, schema in properties.items()
            if name in tool.required or self._random.random() < share
        ]

    # Live

    def _live(self, tool: Tool) -> dict[str, Json]:
        worked = self.seen.worked.get(tool.name)
        if worked and self._random.random() < 0.35:
            return self._varied(tool, self._random.choice(worked))
        row = self._random.choice(self.seen.rows) if self.seen.rows else {}
        chosen = [
            (name, schema)
            for name, schema in self._chosen(tool, 0.25)
            if name in tool.required or name not in tool.takes or self.seen.entities.get(tool.takes[name])
        ]
        rows = [row]
        wanted = {tool.takes[name] for name, _ in chosen if name in tool.takes}
        if wanted and self.seen.rows:  # a row that holds several of the ids together is likelier to make sense
            self._random.shuffle(self.seen.rows)
            held = [wanted.intersection(map(self._entity_of.get, row)) for row in self.seen.rows]
            rows = [self.seen.rows[max(range(len(held)), key=lambda place: len(held[place]))], row]
        return {name: self._live_value(tool, name, schema, rows) for name, schema in chosen}

    def _varied(self, tool: Tool, worked: dict[str, Json]) -> dict[str, Json]:
        """Arguments that worked before, with one of them drawn anew."""
        arguments = dict(worked)
        names = [name for name in arguments if name in tool.input_schema.get("properties", {})]
        if names:
            name = self._random.choice(names)
            arguments[name] = self._live_value(tool, name, tool.input_schema["properties"][name], [])
        return arguments

    def _live_value(self, tool: Tool, name: str, schema: dict[str, Json], rows: list[dict[str, Json]]) -> Json:
        if name in tool.secret:
            return self._secret(name, schema)
        if schema.get("type") in ("array", "object"):
            return self._live_container(tool, name, schema, rows)
        candidates = [row[name] for row in rows if name in row]
        entity = tool.takes.get(name)
        if entity:
            candidates += [row[key] for row in rows for key in row if self._entity_of.get(key) == entity]
            if self._random.random() < 0.2:
                candidates = []
            known = self.seen.entities.get(entity, [])
            if not known or self._random.random() < 0.1:
                known = [value for values in self.seen.entities.values() for value in values]
            candidates += self._sample(known)
        candidates += self._sample(self.seen.fields.get(name, []))
        if schema.get("type") == "string" and "enum" not in schema:
            candidates += self._timely(schema.get("description", ""))
        if schema.get("type") in ("integer", "number"):
            candidates.insert(self._random.randint(0, len(candidates)), self._likely_number(schema))
        fitting = [value for value in candidates if self._fits(schema, value)]
        if fitting and (entity or self._random.random() < 0.75):
            return fitting[0] if self._random.random() < 0.6 else self._random.choice(fitting)
        return self._value(schema, name)

    def _live_container(
        self, tool: Tool, name: str, schema: dict[str, Json], rows: list[dict[str, Json]]
    ) -> list[Json] | dict[str, Json]:
        if schema["type"] == "object":
            properties = schema.get("properties", {})
            return {key: self._live_value(tool, key, part, rows) for key, part in properties.items()}
        if "properties" in schema.get("items", {}):
            return [self._live_value(tool, name, schema["items"], rows)]
        least = schema.get("minItems", 0)
        count = self._random.randint(max(least, 1), max(least, min(3, schema.get("maxItems", 3)), 1))
        item = {**schema.get("items", {}), "description": schema.get("description", "")}
        values = [self._live_value(tool, name, item, rows) for _ in range(count)]
        return list(dict.fromkeys(values)) if all(type(value) is str for value in values) else values

    def _secret(self, name: str, schema: dict[str, Json]) -> Json:
        """What the user knows under that name, a code that a message held, or whatever fits."""
        named = [value for key, value in self._secrets.items() if name in key or key in name]
        known = self._sample(named) + self.seen.codes[-3:][::-1] + self._sample(list(self._secrets.values()))
        fitting = [value for value in known if self._fits(schema, value)]
        return fitting[0] if fitting else self._value(schema, name)

    def _likely_number(self, schema: dict[str, Json]) -> Json:
        """A small number, within what the description calls the range."""
        told = RANGE.search(schema.get("description", ""))
        least, most = (int(told[1]), int(told[2])) if told else (1, self._random.choice([1, 3, 20, 200]))
        value = self._random.randint(min(least, most), max(least, most))
        return value if schema["type"] == "integer" or self._random.random() < 0.5 else value + 0.5

    def _sample(self, values: list[Json]) -> list[Json]:
        """One of the values, the latest more often."""
        recent = values[-8:] if self._random.random() < 0.5 else values
        return [self._random.choice(recent)] if recent else []

    def _timely(self, description: str) -> list[Json]:
        """Days and times near those that the server has shown, where the description speaks of them."""
        shape = DAY if "YYYY-MM-DD" in description else MOMENT if "ISO 8601" in description else None
        if shape is None:
            return []
        found = [value for values in self.seen.fields.values() for value in values if type(value) is str]
        texts = [value for value in found if MOMENT.match(value) or shape.match(value)]
        if not texts:
            return []
        text = self._random.choice(texts) if self._random.random() < 0.5 else max(texts)
        try:
            day = date.fromisoformat(text[:10]) + timedelta(days=self._random.choice([0, 0, 1, 2, 7, 30, -1, -30]))
        except (ValueError, OverflowError):
            return [text]
        return [day.isoformat() + ("" if shape is DAY else text[10:])]

    def _fits(self, schema: dict[str, Json], value: Json) -> bool:
        key = repr(schema)
        if key not in self._judges:
            self._judges[key] = judge(schema)
        return bool(self._judges[key].is_valid(value))

    # Valid

    def _value(self, schema: dict[str, Json], name: str = "") -> Json:
        """A random value that fits a schema."""
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return self._value(self._random.choice(schema[key]), name)
        if "const" in schema:
            return copy.deepcopy(schema["const"])
        if "enum" in schema:
            return copy.deepcopy(self._random.choice(schema["enum"]))
        kind = schema.get("type", "string")
        if isinstance(kind, list):
            kind = self._random.choice(kind)
        if kind == "string":
            return self._text(schema)
        if kind in ("integer", "number"):
            return self._number(schema, whole=kind == "integer")
        if kind == "boolean":
            return self._random.random() < 0.5
        if kind in ("array", "object"):
            return self._container(schema, name, kind)
        return None

    def _container(self, schema: dict[str, Json], name: str, kind: str) -> list[Json] | dict[str, Json]:
        if kind == "object":
            required = schema.get("required", ())
            properties = schema.get("properties", {})
            chosen = [key for key in properties if key in required or self._random.random() < 0.5]
            return {key: self._value(properties[key], key) for key in chosen}
        least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
        count = self._random.randint(least, max(least, min(most, least + 3)))
        values = [self._value(schema.get("items", {}), name) for _ in range(count)]
        return [v for i, v in enumerate(values) if v not in values[:i]] if schema.get("uniqueItems") else values

    def _text(self, schema: dict[str, Json]) -> str:
        fitting = [text for text in (*WORDS, *SAMPLES) if self._fits(schema, text)]
        if fitting:
            return self._random.choice(fitting)
        least = schema.get("minLength", 1)
        most = min(schema.get("maxLength", least + 20), least + 20)
        letters = string.digits if "0-9" in schema.get("pattern", "") or "d" in schema.get("pattern", "") else "abcdef"
        return "".join(self._random.choice(letters) for _ in range(self._random.randint(least, most)))

    def _number(self, schema: dict[str, Json], *, whole: bool) -> Json:
        step = schema.get("multipleOf", 1 if whole else 0)
        least = schema.get("minimum", schema.get("exclusiveMinimum"))
        most = schema.get("maximum", schema.get("exclusiveMaximum"))
        if least is None:
            least = -5 if most is None else most - 100
        if most is None:
            most = least + self._random.choice([5, 100, 10_000])
        if whole:
            first = int(least) + (1 if "exclusiveMinimum" in schema else 0)
            last = max(first, int(most) - (1 if "exclusiveMaximum" in schema else 0))
            value: Json = self._random.randint(first, last)
            return value - value % step if step > 1 and value - value % step >= first else value
        value = round(self._random.uniform(least, most), 2)
        value = round(value / step) * step if step else value
        if ("exclusiveMinimum" in schema and value <= least) or ("exclusiveMaximum" in schema and value >= most):
            value = (least + most) / 2
        return min(max(value, least), most)

    # Hostile

    def _hostile(self, tool: Tool) -> dict[str, Json]:
        """Live arguments with one or more of them odd, all within the schema."""
        arguments = self._live(tool)
        properties = tool.input_schema.get("properties", {})
        names = [name for name in properties if name not in arguments or self._random.random() < 0.6]
        for name in names:
            odd = [value for value in self._oddities(properties[name]) if self._fits(properties[name], value)]
            if odd and (name in arguments or self._random.random() < 0.3):
                arguments[name] = self._random.choice(odd)
        return arguments

    def _oddities(self, schema: dict[str, Json]) -> list[Json]:
        kind = schema.get("type")
        if "anyOf" in schema:
            return [value for part in schema["anyOf"] for value in self._oddities(part)]
        if kind == "string":
            most = schema.get("maxLength", 0)
            return ["é" * most, *ODD_TEXT] if most else list(ODD_TEXT)
        if kind in ("integer", "number"):
            edges = [schema.get(key, 0) for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")]
            near = [edge + step for edge in edges for step in (-1, 0, 1)]
            far = [MAX_INTEGER, -MAX_INTEGER, 2**31, 2**32, -(2**31) - 1, 10**9, -1, 0, 1.0, -0.0, float(MAX_INTEGER)]
            tiny = [5e-324, 1e-7, 0.005, 0.1 + 0.2, 1e15 + 0.3, -0.01] if kind == "number" else []
            return [*near, *far, *tiny]
        if kind == "array":
            odd = self._oddities(schema.get("items", {})) or [None]
            same = [self._value(schema.get("items", {}))] * schema.get("maxItems", 200)
            return [[], same, same[:2], [self._random.choice(odd)], [self._random.choice(odd) for _ in range(3)]]
        if kind == "object":
            properties = schema.get("properties", {})
            odd_object = {key: self._random.choice(self._oddities(part) or [None]) for key, part in properties.items()}
            return [odd_object, _nested(50), {}]
        return [True, False] if kind == "boolean" else [None, _nested(50), *ODD_TEXT[:5]]

    # Broken

    def _broken(self, tool: Tool) -> Any:
        """Live arguments with one thing wrong."""
        arguments: dict[Any, Any] = self._live(tool)
        way = self._random.choice(["missing", "extra", "no object", "not JSON", "wrong type", "wrong type"])
        if way == "missing" and tool.required:
            del arguments[self._random.choice(tool.required)]
        elif way == "extra":
            arguments[self._random.choice(["extra", "", "__class__", "session", "self", "world"])] = 1
        elif way == "no object":
            return self._random.choice([None, [], [arguments], "{}", 3])
        else:
            values = WRONG_TYPES if way == "wrong type" else NOT_JSON if self._text_only else NOT_JSON + NOT_TEXT
            names = list(tool.input_schema.get("properties", {})) or ["extra"]
            arguments[self._random.choice(names)] = self._random.choice(values)
        return arguments


def _nested(depth: int) -> Json:
    value: Json = "deep"
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


def _loop() -> Json:
    value: list[Json] = []
    value.append(value)
    return value


# fmt: off
NOT_JSON: tuple[Any, ...] = (
    float("nan"), float("inf"), float("-inf"), 10**400, -(10**400), 2**53, -(2**53), 1e300,
    "\ud800", "a\udfffb", {"\ud800": 1}, [[["\udc00"]]], _nested(70),
)
NOT_TEXT: tuple[Any, ...] = (b"bytes", {1: 2}, _loop(), {"a", "b"}, (1, 2), object())
WRONG_TYPES: tuple[Any, ...] = (
    None, True, False, 1.5, 7, "7", "", [], {}, [None], {"a": 1}, "x" * 65_536, [1] * 2000, {"$ref": "#"},
)
# fmt: on


def _leaves(value: Json) -> Iterator[tuple[str, Json]]:
    """Every (field, plain value) inside a result."""
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, (dict, list)):
                yield from _leaves(item)
            elif item is not None:
                yield name, item
    elif isinstance(value, list):
        for item in value[:20]:
            yield from _leaves(item)


def _objects(value: Json, around: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """Every object inside a result, with the plain fields of the objects around it and the call's arguments."""
    if isinstance(value, dict):
        own = {**around, **{name: item for name, item in value.items() if not isinstance(item, (dict, list))}}
        yield own
        for item in value.values():
            yield from _objects(item, own)
    elif isinstance(value, list):
        for item in value[:20]:
            yield from _objects(item, around)
