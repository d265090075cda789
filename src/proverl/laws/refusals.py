"""All refusals that one call would meet, not only the first.

Covers: running the body of a tool so that each refusal is written down and the body goes on, up to its first write; an
id that does not exist is then taken for another row of its kind. Does not cover: which order is right (the tool
declares it, and the tests of a server compare it with what was ordered).
"""

from __future__ import annotations

from contextlib import suppress

from ..errors import UsageError
from ..records import Json
from ..world.marks import Entity
from ..world.refusals import noting
from ..world.session import LocalSession
from ..world.state import Row
from ..world.world import World


class _FirstWriteError(Exception):
    """The body has checked all that it checks, and begins to change something."""


class _Listening(World):
    """A world in which what does not exist is taken for something else of its kind."""

    stand_in = 0

    def absent(self, entity: Entity, key: str) -> Row:
        try:
            return super().absent(entity, key)
        except LookupError:
            known = self.count(entity)
            other = self.nth(entity, self.stand_in % known) if known else None
            if other is None:
                raise _FirstWriteError from None
            return other


def refusals(session: LocalSession, tool: str, arguments: dict[str, Json], *, stand_in: int = 0) -> list[str]:
    """The codes that a call would be refused with, in the order of its checks, each once; empty for one that succeeds.

    The arguments must fit the tool's schema. The session stays as it was. For an id that does not exist the row number
    `stand_in` of its kind stands in. Where a check cannot go on after an earlier one has failed, the list ends there.

    Raises:
        UsageError: the server has no such tool, or the arguments do not fit
    """
    function = session.definition.function(tool)
    if function is None or not function.judge.is_valid(arguments):
        raise UsageError(f"{tool} of {session.server} cannot be called with {arguments!r:.200}")
    store = session.store

    def stop(sql: str) -> None:
        raise _FirstWriteError

    world = _Listening(store, session.definition.offset)
    world.stand_in = stand_in
    writes = function.tool.effect != "read"
    # Besides the first write, a check that cannot go on ends it, or a fault of the tool, which the call itself shows.
    with store.lock, noting() as found:
        before, store.before_write = store.before_write, stop
        with suppress(Exception), store.transaction(writable=writes):
            function.body(world, **function.arguments(arguments))
        store.before_write = before
    return list(dict.fromkeys(refused.code for refused in found))
