"""A server: tools, a schema, a seed.

Covers: `Server`, which collects the tools of a domain and builds its worlds. Does not cover: what a tool is (tools.py),
calling one (session.py) or serving them (wire/).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from datetime import date, datetime, timedelta, timezone
from importlib import resources
from importlib.resources.abc import Traversable
from threading import Lock
from types import ModuleType

from ..errors import BadSeed, DefinitionError, UnknownTool, nearest
from ..records import Tool
from ..strict_json import MAX_INTEGER
from .builder import Builder
from .marks import Entity
from .schema import Schema
from .state import Template
from .tools import ToolFunction, collect

TEMPLATES_KEPT = 128
REFERENCE_DAYS = 730


class Server:
    """A domain: its tools, its schema and the way a seed becomes a world.

    `package` holds schema.sql and phrases.toml (`__name__`). `tools` are the modules whose functions are tools, in the
    order of definition. `entities` names those whose ids no tool takes or gives; the others are known from the tools.
    `opens` is the hour at which worlds start, `offset` their hours east of UTC, `tick` what the clock moves on by after
    a successful write, `discovery` the reads that enumerate the entities.

    Raises:
        DefinitionError: tools, entities and schema.sql do not fit together; the message names what
    """

    def __init__(
        self,
        name: str,
        *,
        package: str | Traversable,
        category: str,
        about: str,
        tools: Iterable[ModuleType],
        seed: Callable[[Builder], None],
        discovery: Iterable[str],
        entities: Iterable[Entity] = (),
        opens: int = 9,
        offset: int = 0,
        tick: timedelta = timedelta(minutes=1),
    ) -> None:
        self.name = name
        self._folder = resources.files(package) if isinstance(package, str) else package
        self.category = category
        self.about = " ".join(about.split())
        self.discovery = tuple(discovery)
        self.offset = timezone(timedelta(hours=offset))
        self.tick = tick
        self._opens = opens
        self._seed = seed
        self._functions = collect(name, tools)
        self.schema = Schema(self.text("schema.sql"))
        """The tables of the domain."""
        self.entities = _entities(name, self._functions.values(), entities)
        """What has ids, sorted by name."""
        for entity in self.entities:
            self.schema.check_entity(entity)
        self._templates: OrderedDict[int, Template] = OrderedDict()
        self._lock = Lock()
        self._check_prefixes()
        unknown = [tool for tool in self.discovery if tool not in self._functions]
        if unknown:
            raise DefinitionError(f"{name}: discovery names {unknown}, which are no tools")

    def _check_prefixes(self) -> None:
        prefixes: dict[str, str] = {}
        for entity in self.entities:
            twin = prefixes.setdefault(entity.prefix, entity.name)
            if entity.prefix and twin != entity.name:
                raise DefinitionError(
                    f"{self.name}: the ids of {twin} and {entity.name} both begin with {entity.prefix!r}"
                )

    def __repr__(self) -> str:
        return f"Server({self.name!r}, {len(self._functions)} tools)"

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools in the order in which they are defined, which is also the order on the wire."""
        return tuple(function.tool for function in self._functions.values())

    @property
    def tool_names(self) -> Collection[str]:
        """The names of the tools, in the same order."""
        return self._functions.keys()

    def function(self, name: str) -> ToolFunction | None:
        """The tool of this name, None if there is none."""
        return self._functions.get(name)

    def tool(self, name: str) -> Tool:
        """The tool of this name.

        Raises:
            UnknownTool: there is none; the message names the nearest one
        """
        function = self._functions.get(name)
        if function is None:
            raise UnknownTool(f"{self.name} has no tool {name!r}; {nearest(name, self._functions)}")
        return function.tool

    def has(self, file: str) -> bool:
        """Whether the domain's folder holds a file, such as phrases.toml."""
        return self._folder.joinpath(file).is_file()

    def text(self, file: str) -> str:
        """A text file of the domain's folder, such as phrases.toml."""
        return self._folder.joinpath(file).read_text(encoding="utf-8")

    def template(self, seed: int) -> Template:
        """The world of a seed, built once and kept while it is in use.

        Raises:
            BadSeed: not an integer from 0 to 2**53 - 1
        """
        if type(seed) is not int or not 0 <= seed <= MAX_INTEGER:
            raise BadSeed(f"{seed!r} is not a seed; a seed is an integer from 0 to 2**53 - 1")
        with self._lock:
            if seed in self._templates:
                self._templates.move_to_end(seed)
                return self._templates[seed]
            template = self._build(seed)
            self._templates[seed] = template
            if len(self._templates) > TEMPLATES_KEPT:
                self._templates.popitem(last=False)
            return template

    def _build(self, seed: int) -> Template:
        prefixes = sorted({entity.prefix for entity in self.entities if entity.prefix})
        builder = Builder(self.schema, self.name, seed, prefixes)
        day = date(2031, 1, 1) + timedelta(days=builder.random.randrange(REFERENCE_DAYS))
        builder.open_at(datetime(day.year, day.month, day.day, self._opens, tzinfo=self.offset))
        self._seed(builder)
        return builder.finish()


def _entities(server: str, functions: Iterable[ToolFunction], more: Iterable[Entity]) -> tuple[Entity, ...]:
    found = {entity for function in functions for entity in function.entities}.union(more)
    by_name = {entity.name: entity for entity in found}
    if len(by_name) != len(found):
        raise DefinitionError(f"{server}: two entities have one name; of {sorted(by_name)} each must be one object")
    return tuple(by_name[name] for name in sorted(by_name))
