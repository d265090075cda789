"""What every server must obey: each law by name, checked by random calls and counted.

Covers: `check`, for our servers and for any other whose sessions answer like `Session`; the laws and what breaks them.
Does not cover: drawing the calls (laws/arguments.py) or starting servers (wire/manager.py).

    report = check(server, seeds=range(3), calls=200)
    print(report)
    assert report.ok

Laws that look into the store (a fault at every write, eviction, foreign keys) need a `LocalSession`; for sessions that
live elsewhere they are listed under `skipped` with the reason.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from ..errors import DefinitionError, ProverlError
from ..records import Tool
from ..schemas import judge
from ..world.server import Server
from ..world.session import LocalSession, Session
from ..world.tools import SNAKE
from .inside import LAWS_INSIDE, InjectedFault
from .report import Report
from .source import Globals, codes_in_source
from .walk import Opener, Walk, alike

MOST_UNECHOED = 1
"""The values that a tool may say are not echoed; options that say how, and ids of what is only read, come on top."""
SUCCESS_SHARE = 0.5
ENOUGH_AGAIN = 8
"""Second calls of a tool after which one that never changed anything should have been idempotent."""


def check(
    server: Server | Opener,
    *,
    seeds: Iterable[int] = range(3),
    calls: int = 100,
    faults: int = 3,
    schedules: int = 3,
    name: str = "",
) -> Report:
    """Check all laws with `calls` random calls on each seed.

    `server` is a Server, or a function that opens a session of a seed. `faults` is how many successful calls of each
    writing tool are failed at every write; `schedules` how often sessions are interleaved.
    """

    def local(seed: int) -> Session:
        assert isinstance(server, Server)
        return LocalSession(server, seed)

    opener: Opener = local if isinstance(server, Server) else server
    seeds = list(seeds)
    with _quiet():
        first = opener(seeds[0])
        report = Report(name or first.server)
        _described(report, first.tools)
        _note_what_cannot_be_checked(report, first)
        first.close()
        held = Globals(server) if isinstance(server, Server) else None
        _seeds_differ(report, opener, seeds)
        walks = []
        for seed in seeds:
            made = 0
            while made < calls:
                walk = Walk(report, opener, seed, faults, start=made)
                made += walk.run(calls - made)
                walk.replay()
                walk.reset()
                walks.append(walk)
        _interleave(report, opener, walks, schedules)
    if held is not None:
        changed = held.changed()
        report.holds("globals_stay", not changed, "", seeds[0], f"calls changed {changed}")
    if isinstance(server, Server):
        codes_in_source(report, server)
        _listers(report, server)
        _idempotent(report, server, seeds[0])
        _note_exceptions(report, server)
    if "calls_succeed" not in report.skipped:
        enough = report.success_share >= SUCCESS_SHARE
        report.holds("calls_succeed", enough, "", seeds[0], f"{report.success_share:.0%} succeeded")
    return report


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the faults that laws inject out of the log."""

    def keep(record: logging.LogRecord) -> bool:
        return not (record.exc_info and isinstance(record.exc_info[1], InjectedFault))

    logger = logging.getLogger("proverl.world.session")
    logger.addFilter(keep)
    try:
        yield
    finally:
        logger.removeFilter(keep)


def _described(report: Report, tools: Sequence[Tool]) -> None:
    names = [tool.name for tool in tools]
    for tool in tools:
        faults = []
        if not SNAKE.fullmatch(tool.name):
            faults.append("its name is not snake_case")
        if names.count(tool.name) > 1:
            faults.append("its name occurs twice")
        if not tool.description.strip():
            faults.append("it has no description")
        for name, schema in tool.input_schema.get("properties", {}).items():
            if not schema.get("description", "").strip():
                faults.append(f"the parameter {name} has no description")
        for schema in (tool.input_schema, tool.output_schema):
            try:
                judge(schema)
            except DefinitionError as error:
                faults.append(f"a schema is unsound: {error}")
        report.holds("described", not faults, tool.name, 0, "; ".join(faults))


def _note_what_cannot_be_checked(report: Report, session: Session) -> None:
    if not isinstance(session, LocalSession):
        report.skipped.update(dict.fromkeys(LAWS_INSIDE, "skipped: needs a session in this process"))
        sources = ("codes_in_source", "globals_stay")
        report.skipped.update(dict.fromkeys(sources, "skipped: needs the server's source"))
    try:
        session.digest()
    except ProverlError as error:
        stateful = ("failed_calls_change_nothing", "reads_change_nothing", "forks_apart", "reset_exact", "seeds_differ")
        marked = ("writes_delete_nothing", "idempotent", "calls_succeed")
        report.skipped.update(dict.fromkeys((*stateful, *marked), f"skipped: no digest ({error})"))


def _seeds_differ(report: Report, opener: Opener, seeds: Sequence[int]) -> None:
    if "seeds_differ" in report.skipped:
        return
    found: dict[str, int] = {}
    for seed in seeds:
        session = opener(seed)
        twin = found.setdefault(session.digest(), seed)
        report.holds("seeds_differ", twin == seed, "", seed, f"the same world as seed {twin}")
        session.close()


def _interleave(report: Report, opener: Opener, walks: Sequence[Walk], schedules: int) -> None:
    """Play the walks again, their calls in random order, two sessions on each seed."""
    for number in range(schedules):
        order = random.Random(f"schedule:{number}")
        sessions = [(walk, opener(walk.seed), iter(walk.made[:40])) for walk in walks for _ in range(2)]
        running = list(sessions)
        while running:
            playing = order.choice(running)
            walk, session, left = playing
            made = next(left, None)
            if made is None:
                running.remove(playing)
                continue
            name, arguments, expected = made
            same = alike(session.call(name, arguments), expected)
            detail = f"schedule {number}: another result than alone"
            report.holds("sessions_apart", same, name, walk.seed, detail, walk.made)
        for _, session, _ in sessions:
            session.close()


def _listers(report: Report, server: Server) -> None:
    """The tool that a refusal sends the caller to for ids is one of the server's."""
    for entity in server.entities:
        known = not entity.lister or entity.lister in server.tool_names
        report.holds("described", known, "", 0, f"{entity.name} is listed by {entity.lister!r}, which is no tool")


def _idempotent(report: Report, server: Server, seed: int) -> None:
    """A tool whose second equal call has never changed anything says so, or why it is not so."""
    for tool in server.tools:
        function = server.function(tool.name)
        if function is None or function.repeats:
            continue
        same, changed = report.again[tool.name, False], report.again[tool.name, True]
        if not tool.idempotent and same + changed >= ENOUGH_AGAIN:
            report.holds(
                "idempotent", changed > 0, tool.name, seed, f"{same} second calls changed nothing; say idempotent"
            )


def _note_exceptions(report: Report, server: Server) -> None:
    for tool in server.tools:
        function = server.function(tool.name)
        assert function is not None
        values = [name for name in function.unechoed if name not in tool.takes and not _is_option(tool, name)]
        report.holds("echoed", len(values) <= MOST_UNECHOED, tool.name, 0, f"too many are not echoed: {values}")
        if function.repeats:
            report.exceptions.append(f"idempotent: {tool.name}: {function.repeats}")
        report.exceptions += [f"echoed: {tool.name}.{name}: {why}" for name, why in function.unechoed.items()]


def _is_option(tool: Tool, name: str) -> bool:
    schema = tool.input_schema["properties"][name]
    return "enum" in schema or schema.get("type") == "boolean"
