"""The nouns that travel between the stages, all frozen: Tool, Call, Outcome, Change, Message, Step, Task, Trace, Score.

Covers: what each noun holds, how it becomes JSON and comes back, and what the specification fixes for all stages: the
limits of an episode, the profiles and terms of a reward, the share of episodes that may be masked. Does not cover: any
behaviour of a stage. Every stage takes and returns these, so a file written by one can be read by any other, and by
programs that are not ours.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError

from .errors import BadFile, UsageError

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list or dict with string keys."""

Effect = Literal["read", "write", "destructive"]


class Kind(StrEnum):
    """How a call ended (specification 7.1), and how rewards see it."""

    OK = "ok"  # level 1
    EMPTY = "empty"  # level 1: it worked, and nothing matched
    REFUSED = "refused"  # level 2/3: a domain error; nothing changed
    BAD_ARGUMENTS = "bad_arguments"  # level 1/3: the arguments break the tool's schema
    UNKNOWN_TOOL = "unknown_tool"  # level 0
    UNPARSABLE = "unparsable"  # level 0: no call could be read from the text
    INFRASTRUCTURE = "infrastructure"  # masked: our fault or the machine's


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to.

    `value` is the result of a success. `code` and `message` belong to every other kind. `resolved` holds arguments as
    the server understood them where that differs from what was sent (a relative path made absolute); rewards compare
    these.
    """

    kind: Kind
    value: Json = None
    code: str = ""
    message: str = ""
    resolved: dict[str, Json] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether the call did what it was asked, an empty answer included."""
        return self.kind is Kind.OK or self.kind is Kind.EMPTY

    def body(self) -> Json:
        """The structured content that a caller gets: the value, or an object with the error."""
        if self.succeeded:
            return self.value
        return {"error": {"kind": self.kind.value, "code": self.code, "message": self.message}}

    def observation(self) -> str:
        """The text that the policy reads: compact JSON of `body`."""
        return json.dumps(self.body(), ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as its server publishes it.

    `takes` maps an argument to the entity whose id it holds, `gives` a path in the result (`accounts[].account_id`)
    to the entity whose id stands there. `after` names tools that may have to run first, `secret` the arguments whose
    value only the user or an earlier result may supply, `free` the free-text arguments, `refusals` the codes with
    which the tool can refuse. `marks` maps a path in the result to what stands there: money, date, moment, text,
    comparable, flag.
    """

    name: str
    description: str
    input_schema: dict[str, Json]
    output_schema: dict[str, Json]
    server: str = ""
    effect: Effect = "read"
    idempotent: bool = False
    takes: dict[str, str] = field(default_factory=dict)
    gives: dict[str, str] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def required(self) -> tuple[str, ...]:
        """The arguments that a call must have."""
        return tuple(self.input_schema.get("required", ()))

    def function(self) -> dict[str, Json]:
        """The tool in OpenAI's function form, as chat templates and endpoints take it."""
        described = {"name": self.name, "description": self.description, "parameters": self.input_schema}
        return {"type": "function", "function": described}


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a policy and what came of it.

    `assistant_turn` counts the generations of the episode from 0; calls of one generation share it. `text` is the
    fragment that could not be read, for a call of kind unparsable (its name is then empty or what could be read).
    """

    name: str
    arguments: dict[str, Json]
    outcome: Outcome
    assistant_turn: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One row that differs from before, in a form that two runs can be compared by.

    Columns that schema.sql marks as id, clock or counter are left out. `key` is the primary key of a row that existed
    before, and empty for a new row. A reference to a new row is written as a digest of that row's content, so the
    order in which ids were given out does not matter. `free` holds the free-text columns, of which only being filled
    counts unless the user dictated the text.
    """

    table: str
    op: Literal["insert", "update", "delete"]
    key: str
    values: tuple[tuple[str, Json], ...] = ()
    free: tuple[tuple[str, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation in the chat form.

    `tool_calls` holds (name, arguments) of an assistant message; `name` is the tool of a tool message.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[tuple[str, dict[str, Json]], ...] = ()
    name: str = ""

    def chat(self) -> dict[str, Json]:
        """The message as chat templates take it (tool call ids are the endpoint client's business)."""
        message: dict[str, Json] = {"role": self.role, "content": self.content}
        if self.tool_calls:
            message["tool_calls"] = [
                {"type": "function", "function": {"name": name, "arguments": arguments}}
                for name, arguments in self.tool_calls
            ]
        if self.name:
            message["name"] = self.name
        return message


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a ground-truth argument came from: the result of an earlier step.

    `step` is that step's index in the conversation, `path` the place in its result (`accounts[2].account_id`, or
    `account_ids[0]`, `amount`). `match`, if given, is a regular expression: the value is the part of the text at `path`
    that it finds (a code in a message). `made` says that the step created the value, so that another run may see
    another one there.
    """

    step: int
    path: str
    made: bool = False
    match: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """The step depends on step `step`: its output is used (value), or it had to change the state first (state)."""

    step: int
    kind: Literal["value", "state"]


@dataclass(frozen=True, slots=True)
class Step:
    """One ground-truth call, which succeeded when the conversation was made and on every replay.

    `index` counts the steps of the whole conversation from 0; edges and origins point to it. `group` is shared by
    parallel calls. `compared` names the arguments whose values count (not free text, not made up by the assistant).
    `dictated` names the free-text arguments whose text the user gave word for word: they are compared as well.
    `terminal` marks a read whose output feeds no later step: what the user wanted to know. `supplies` holds the values
    that later steps take from a look-up; any earlier successful read that shows them serves as well.
    """

    index: int
    tool: str
    arguments: dict[str, Json]
    outcome: Outcome
    effect: Effect = "read"
    group: int = -1
    edges: tuple[Edge, ...] = ()
    origins: dict[str, Origin] = field(default_factory=dict)
    compared: tuple[str, ...] = ()
    dictated: tuple[str, ...] = ()
    terminal: bool = False
    supplies: tuple[Json, ...] = ()


TurnKind = Literal["steps", "irrelevant", "missing_argument", "missing_function", "imported"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One user turn of a task: what the user says, and what a right assistant does.

    `changes` are the rows that the steps change, against the start of the turn. `facts` is what the scripted user
    answers, once, when the assistant ends the turn with a question while steps are undone. `answer` is the closing
    text of the teacher. For turns without steps: `missing` holds the words of which one must name the missing slot or
    function, `present` the words of each slot that was given, `prefix` the reads that may be made before refusing.
    `adds` names tools of the task that are shown only from this turn on. `dictated` holds the texts given word for
    word.
    """

    user: str
    kind: TurnKind = "steps"
    steps: tuple[Step, ...] = ()
    changes: tuple[Change, ...] = ()
    dictated: tuple[str, ...] = ()
    facts: str = ""
    answer: str = ""
    missing: tuple[str, ...] = ()
    present: tuple[tuple[str, ...], ...] = ()
    prefix: tuple[Step, ...] = ()
    adds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One conversation to be had: the world it starts in, the tools shown, and the ground truth of each turn.

    `digest` is the state's digest after the ground truth has run. `meta` says how it was made (chain, level, knobs).
    """

    id: str
    server: str
    seed: int
    tools: tuple[Tool, ...]
    turns: tuple[Turn, ...]
    system: str = ""
    digest: str = ""
    meta: dict[str, Json] = field(default_factory=dict)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The ground-truth steps of all turns, in order of their index."""
        return tuple(step for turn in self.turns for step in turn.steps)

    def shown(self, turn: int) -> tuple[Tool, ...]:
        """The tools that the policy may see in a turn."""
        later = {name for later in self.turns[turn + 1 :] for name in later.adds}
        return tuple(tool for tool in self.tools if tool.name not in later)


@dataclass(frozen=True, slots=True)
class Limits:
    """How far an episode may go (specification 4, 7.3 and 7.5).

    Counts: `assistant_turns` (generations) and `user_messages` of the episode; of one assistant turn `calls_per_turn`
    are executed, the rest are answered as refused. Tokens: `prompt_tokens` before the first generation,
    `response_tokens` from there on, observations included, for engines that count them. Seconds: of one tool call, one
    generation, and all of it.

    Raises:
        UsageError: a limit under which nothing could be done: a count or a number of tokens below 1, no time
    """

    assistant_turns: int = 10
    user_messages: int = 5
    calls_per_turn: int = 8
    prompt_tokens: int = 12_384
    response_tokens: int = 16_384
    call_seconds: float = 30.0
    generate_seconds: float = 600.0
    episode_seconds: float = 3_600.0

    def __post_init__(self) -> None:
        for one in fields(self):
            value, seconds = getattr(self, one.name), one.name.endswith("_seconds")
            if not (value > 0 if seconds else value >= 1):
                raise UsageError(f"{one.name} is {value}; {'more than 0' if seconds else 'at least 1'} is needed")


DEFAULT_LIMITS: Final = Limits()

MAX_MASKED: Final = 0.001
"""The share of episodes that may be masked before a run fails (specification 7.1)."""


@dataclass(frozen=True, slots=True)
class TraceTurn:
    """What the policy did in one turn of the task: its calls in order, its closing text ("" if none), the rows changed.

    What it does after the scripted user's answer to a question belongs to the same turn.
    """

    calls: tuple[Call, ...] = ()
    text: str = ""
    changes: tuple[Change, ...] = ()


Stop = Literal["answered", "assistant_turns", "user_turns", "length", "deadline", "infrastructure"]


@dataclass(frozen=True, slots=True)
class Trace:
    """One episode: a policy against a live session.

    `turns` has one entry per user turn that was reached. `stop` says why it ended; "answered" is the only regular
    end. A non-empty `masked` is the reason why the episode must not be scored. Token fields are flat lists over the
    episode: `prompt_ids` before the first generation, then `response_ids` with `response_mask` (1 = the policy's own
    token) and `logprobs` (0.0 where masked), all three of equal length; all empty where the engine has no tokens.
    """

    task_id: str
    turns: tuple[TraceTurn, ...]
    messages: tuple[Message, ...] = ()
    stop: Stop = "answered"
    masked: str = ""
    digest: str = ""
    prompt_ids: tuple[int, ...] = ()
    response_ids: tuple[int, ...] = ()
    response_mask: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Match:
    """How one step fared: the call matched with it, and why not where none was.

    `call` is the position among the calls that were judged together (the turn's in robust, all in paper), -1 for none;
    `by` is "call", "other read" (a look-up served by another read) or "" (unmatched). `turn` is the turn in which
    `call` counts, where that is not the step's own: -1, or the later turn in which a step left open was done, or the
    earlier one whose read served it.
    """

    step: int
    call: int
    m: float
    o: float
    agreement: float
    by: str = ""
    reason: str = ""
    turn: int = -1


@dataclass(frozen=True, slots=True)
class TurnScore:
    """The score of one turn: its total, its terms by name, its weight in the conversation, and the matches."""

    total: float
    weight: float
    terms: dict[str, float]
    matches: tuple[Match, ...] = ()
    note: str = ""


Profile = Literal["paper", "robust"]
"""The name of a way to compute the reward (reward/)."""

PROFILES: Final[tuple[Profile, ...]] = get_args(Profile)

TERMS: Final = ("validity", "coverage", "efficiency", "name", "argument", "goal", "abstention")
"""What a reward is made of, in both profiles."""


@dataclass(frozen=True, slots=True)
class Score:
    """The reward of one trace under one profile; `terms` has the keys of TERMS for every task."""

    profile: Profile
    total: float
    terms: dict[str, float]
    turns: tuple[TurnScore, ...] = ()


Record = TypeVar("Record")


# Made when first used: that of a Task takes 50 ms, for which a command that reads none need not wait.
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def dump(record: object) -> str:
    """One record as one line of JSON."""
    return _adapter(type(record)).dump_json(record).decode()


def plain(record: object) -> Json:
    """One record as plain JSON data."""
    return _adapter(type(record)).dump_python(record, mode="json")


def load(kind: type[Record], text: str | bytes) -> Record:
    """The record that `dump` wrote.

    Raises:
        BadFile: the text is not such a record; the message names the first field that is wrong
    """
    try:
        record: Record = _adapter(kind).validate_json(text)
        return record
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the record"
        raise BadFile(f"not a {kind.__name__}: {where}: {first['msg']}; got {str(first['input'])[:80]!r}") from None
