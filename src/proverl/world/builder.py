"""A world being made from a seed.

Covers: `Builder`, a World whose clock can be set, with the only source of chance; plans of what happens, run in order
of time. Does not cover: what is in a world (servers/NAME/seed/) or keeping it (state.py).

The history of a world is booked by the functions under the tools, so that no world breaks its own rules:

    world.plan(world.ago(days=12, hour=18, minute=5), buy, card_id, "Corner Bakery", 12_40)
    world.happen()

A plan that the rules refuse when its time comes does not happen, and is counted in `dropped`.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, TypeAlias

import apsw

from ..errors import DefinitionError, Refused
from .marks import Entity
from .schema import Schema
from .state import Template, connect
from .world import EPOCH, World, insertion

Event: TypeAlias = Callable[[], object]


class _Draft:
    """The database of a world that is being made."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._connection = connect()
        schema.create(self._connection)
        self._connection.execute("BEGIN IMMEDIATE")

    def connection(self) -> apsw.Connection:
        return self._connection

    def write(self, sql: str, values: tuple[Any, ...]) -> int:
        self._connection.execute(sql, values)
        return self._connection.changes()


class Builder(World):
    """A world being made: the same rows for the same seed, in any process, locale and time zone.

    `random` is the only source of chance. `opening` is the moment at which the world will be handed over; the clock
    stands there except inside a plan.
    """

    def __init__(self, schema: Schema, name: str, seed: int, prefixes: Iterable[str]) -> None:
        self._draft = _Draft(schema)
        super().__init__(self._draft, UTC)
        self.random = random.Random(f"{name}:{seed}")
        self.opening: datetime
        self.dropped: Counter[str] = Counter()
        """Plans that the rules refused when their time came, by code."""
        # Counters start anywhere, so that an id cannot be guessed from the number of rows.
        self._counters = {prefix: self.random.randrange(100, 8000) for prefix in prefixes}
        self._plans: list[tuple[datetime, int, Event]] = []
        self._planned = 0

    def open_at(self, opening: datetime) -> None:
        """Set the moment at which the world will be handed over, once, before anything else."""
        assert opening.tzinfo is not None
        self.opening, self._now = opening, None
        self.offset = timezone(opening.utcoffset() or timedelta())
        text = opening.isoformat(timespec="seconds")[19:]
        self.insert("world_clock", clock_id=1, now=_seconds(opening), offset=text)

    # Time

    def ago(self, *, days: int = 0, hour: int | None = None, minute: int = 0, second: int = 0) -> datetime:
        """So many days before the opening, at that time of the day if an hour is given."""
        moment = self.opening - timedelta(days=days)
        return moment if hour is None else moment.replace(hour=hour, minute=minute, second=second)

    def set_clock(self, moment: datetime) -> None:
        """Move the clock to a moment, forwards or backwards."""
        self._now = None
        self._draft.write("UPDATE world_clock SET now = ?", (_seconds(moment),))

    def plan(self, moment: datetime, event: Callable[..., object], *given: Any, **named: Any) -> None:
        """Let `event` happen at a moment: it is called with the world and the rest."""
        self._planned += 1
        heapq.heappush(self._plans, (moment, self._planned, lambda: event(self, *given, **named)))

    def happen(self) -> None:
        """Run what was planned in order of time (of one moment: in order of planning), plans made on the way included.

        What a plan changes is taken back where the rules refuse it. The clock stands at the opening again afterwards.
        """
        connection = self._draft.connection()
        while self._plans:
            moment, _, event = heapq.heappop(self._plans)
            self.set_clock(moment)
            connection.execute("SAVEPOINT plan")
            try:
                event()
            except Refused as refused:
                connection.execute("ROLLBACK TO plan")
                self.dropped[refused.code] += 1
            connection.execute("RELEASE plan")
        self.set_clock(self.opening)

    # Changing

    def new_id(self, entity: Entity) -> str:
        """The next id of an entity; the numbers have gaps."""
        self._counters[entity.prefix] += self.random.randrange(1, 4)
        return f"{entity.prefix}_{self._counters[entity.prefix]:04d}"

    def insert_all(self, table: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Add many rows that have the same columns in the same order."""
        found = list(records)
        if found:
            sql = insertion(table, found[0])
            self._draft.connection().executemany(sql, [tuple(record.values()) for record in found])

    def keep_secret(self, name: str, value: str) -> None:
        """Give the world a secret that only the user knows."""
        self.insert("world_secret", name=name, value=value)

    def finish(self) -> Template:
        """Close the world and make it a template.

        Raises:
            DefinitionError: something was planned and did not happen
        """
        if self._plans:
            raise DefinitionError(f"{len(self._plans)} plans are left; end the seed with world.happen()")
        counters = [{"prefix": prefix, "value": value} for prefix, value in self._counters.items()]
        self.insert_all("world_counter", counters)
        connection = self._draft.connection()
        connection.execute("COMMIT")
        return Template(self._draft.schema, connection.serialize("main"))


def _seconds(moment: datetime) -> int:
    return round((moment.replace(tzinfo=None) - EPOCH).total_seconds())
