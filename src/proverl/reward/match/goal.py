"""Whether what the user asked for is done: rows and terminal reads (specification 7.3, Goal).

Covers: comparing the rows that a turn changed with those it should have, and which terminal reads gave what the user
wanted to know. Does not cover: where changes come from (world/changes.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from ...records import Change, Json, Kind
from .steps import LocatedCall, Placed, View, came_before
from .values import same, text


def rows(
    wanted: Sequence[Change],
    made: Sequence[Change],
    owed: list[tuple[Change, tuple[str, ...]]],
    dictated: tuple[str, ...],
) -> tuple[int, int]:
    """(required rows that were changed, rows changed beyond them).

    `owed` holds rows that earlier turns should have changed, with the texts dictated there: made late they are neither;
    what is made goes from the list, and what this turn leaves undone is added.
    """
    if wanted == made or not (wanted or made):
        return len(wanted), 0
    done, rest, undone = _match([(change, dictated) for change in wanted], made)
    _, beyond, still = _match(owed, rest)
    owed[:] = [*still, *undone]
    return done, len(beyond)


def _match(
    wanted: Sequence[tuple[Change, tuple[str, ...]]], made: Sequence[Change]
) -> tuple[int, list[Change], list[tuple[Change, tuple[str, ...]]]]:
    """How many wanted rows are made, one to one and as many as can be; the rows made and those wanted that are left."""
    by_key: dict[str, list[int]] = {}
    for place, change in enumerate(made):
        by_key.setdefault(_key(change), []).append(place)
    near = [
        [place for place in by_key.get(_key(change), ()) if _free_fits(change, made[place], texts)]
        for change, texts in wanted
    ]
    pairs = matched(near)
    undone = [row for at, row in enumerate(wanted) if at not in pairs]
    used = set(pairs.values())
    return len(pairs), [change for place, change in enumerate(made) if place not in used], undone


def matched(near: Sequence[Sequence[int]]) -> dict[int, int]:
    """As many pairs as can be, one to one, where each of the first may take one of the places listed for it."""
    holder: dict[int, int] = {}

    def settle(one: int, tried: set[int]) -> bool:
        for place in near[one]:
            if place not in tried:
                tried.add(place)
                if place not in holder or settle(holder[place], tried):
                    holder[place] = one
                    return True
        return False

    for one in range(len(near)):
        settle(one, set())
    return {one: place for place, one in holder.items()}


def _key(change: Change) -> str:
    values = [[name, _number(value)] for name, value in sorted(change.values, key=lambda pair: pair[0])]
    return json.dumps([change.table, change.op, change.key, values], sort_keys=True)


def _number(value: Json) -> Json:
    """5.0 as 5, so that a row that went through JSON elsewhere keeps its key."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _free_fits(wanted: Change, made: Change, dictated: tuple[str, ...]) -> bool:
    """Whether free-text columns will do: filled where they should be, and as dictated where the user dictated them.

    A new row may have a text more; a row that was there before may not, and keeps empty what should be emptied.
    """
    has = dict(made.free)
    for name, right in wanted.free:
        given = has.pop(name, None)
        if not _filled(right):
            if wanted.op == "update" and _filled(given):
                return False
        elif not _filled(given) or not _as_dictated(right, given, dictated):
            return False
    return wanted.op != "update" or not has


def _filled(value: Json) -> bool:
    return bool(value.strip()) if isinstance(value, str) else value is not None


def _as_dictated(right: Json, given: Json, dictated: Iterable[str]) -> bool:
    if not isinstance(right, str):
        return True
    wanted = text(right)
    inside = [words for words in map(text, dictated) if words and words in wanted]
    if wanted in inside:
        return isinstance(given, str) and text(given) == wanted
    return not inside or (isinstance(given, str) and all(words in text(given) for words in inside))


def reads(
    views: Sequence[View], placed: Mapping[int, Placed], window: Sequence[LocatedCall], every: Mapping[int, View]
) -> int:
    """How many of the terminal reads gave the user what was asked for: one call for each, as many as can be."""
    near = [
        [at for at, seen in enumerate(window) if view.can_be(seen.call) and _tells(view, seen, placed, every)]
        for view in views
    ]
    return len(matched(near))


def _tells(view: View, seen: LocatedCall, placed: Mapping[int, Placed], every: Mapping[int, View]) -> bool:
    """Whether a read was made with right values, after what had to change first; or showed what it should have.

    An argument that the ground truth does not have may change the result, so then only what was shown counts. An empty
    result proves nothing by being equal.
    """
    call = seen.call
    if not view.has_more(call) and all(
        _first(edge.step, seen, placed, every) for edge in view.edges if edge.kind == "state"
    ):
        agreed, _ = view.agreeing(call, lambda origin: every[origin.step].made_by(placed[origin.step], origin))
        if agreed == view.kept:
            return True
    right = view.step.outcome
    return right.kind is Kind.OK and call.outcome.kind is Kind.OK and same(right.value, call.outcome.value)


def _first(index: int, seen: LocatedCall, placed: Mapping[int, Placed], every: Mapping[int, View]) -> bool:
    before = placed[index].seen
    if before is None:
        return every[index].step.effect == "read"
    return came_before(before, seen, False)
