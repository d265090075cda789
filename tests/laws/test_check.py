"""The laws see each kind of breach, and the drawn calls reach deep."""

import re
import sys
from collections import Counter
from datetime import timedelta
from types import ModuleType
from typing import Annotated, Any

import pytest

from proverl import laws
from proverl.laws.arguments import Generator
from proverl.laws.inside import LAWS_INSIDE
from proverl.world.domain import SECRET, Builder, Day, Field, Server, TypedDict, World, refuse, tool
from proverl.world.session import LocalSession
from support import shop
from support.depot import server as depot
from support.shop.tools import CUSTOMER, ITEM, ItemId


class Shown(TypedDict):
    item_id: ItemId
    stock: int


MEMORY: list[int] = []
CACHE: dict[str, str] = {}


def first_item(world: World) -> Shown:
    row = world.one("SELECT item_id, stock FROM item ORDER BY item_id LIMIT 1")
    assert row is not None
    return {"item_id": row["item_id"], "stock": row["stock"]}


@tool("read")
def fine(world: World) -> Shown:
    """Show the first item."""
    return first_item(world)


@tool("read")
def read_that_writes(world: World) -> Shown:
    """Write through a reading method."""
    world.one("UPDATE item SET stock = stock + 1 WHERE item_id = (SELECT min(item_id) FROM item) RETURNING item_id")
    return first_item(world)


@tool("write")
def write_that_deletes(world: World) -> Shown:
    """Delete a row."""
    world.run("DELETE FROM item WHERE item_id = (SELECT max(item_id) FROM item)")
    return first_item(world)


@tool("write", idempotent=True)
def not_idempotent(world: World) -> Shown:
    """Count on and on."""
    world.update(ITEM, first_item(world)["item_id"], stock=first_item(world)["stock"] + 1)
    return first_item(world)


@tool("read")
def wrong_result(world: World) -> Shown:
    """Answer something else."""
    return {"item_id": "x", "stock": "many"}  # type: ignore[typeddict-item]


@tool("read", refusals="something_else")
def undeclared(world: World) -> Shown:
    """Refuse with a code that is not declared."""
    refuse("surprise", "no")


@tool("read")
def crashes(world: World, number: Annotated[int, Field(ge=0, le=20)]) -> Shown:
    """Divide by what may be zero.

    Args:
        number: a number, 0 to 20
    """
    return {"item_id": "x", "stock": 100 // number}


@tool("read")
def remembers(world: World) -> Shown:
    """Keep a count outside of the world."""
    MEMORY.append(1)
    return {"item_id": "x", "stock": len(MEMORY)}


@tool("read")
def sorts_its_argument(world: World, names: Annotated[list[str], Field(min_length=2)]) -> Shown:
    """Sort in place.

    Args:
        names: names
    """
    names.append(str(len(names)))
    return first_item(world)


@tool("read")
def tells_the_pin(world: World, pin: Annotated[str, SECRET] = "") -> TypedDict("Told", {"text": str}):  # type: ignore[valid-type]
    """Say what must not be said.

    Args:
        pin: the PIN
    """
    return {"text": world.secret("pin")}


@tool("write")
def order_by_accident(world: World) -> TypedDict("Order", {"names": list[str]}):  # type: ignore[valid-type]
    """List new rows in the order of the table, which a changeset does not keep."""
    world.add(ITEM, name=f"n{world.now}", price=1, stock=1)
    rows = world.all("SELECT name FROM item WHERE price = 1")
    return {"names": [row["name"] for row in rows]}


@tool("write", refusals="sold_out item_not_found")
def looks_up_too_late(world: World, item_id: ItemId) -> Shown:
    """Refuse in another order than declared.

    Args:
        item_id: an item
    """
    item = world.find(ITEM, item_id)
    if item["stock"] < 15:
        refuse("sold_out", f"only {item['stock']} of {item_id} are left; choose another item")
    world.update(ITEM, item_id, stock=item["stock"] - 1)
    return {"item_id": item_id, "stock": item["stock"] - 1}


@tool("write", refusals="item_not_found sold_out")
def refuses_too_late(world: World, item_id: ItemId) -> Shown:
    """Write first.

    Args:
        item_id: an item
    """
    item = world.find(ITEM, item_id)
    world.update(ITEM, item_id, stock=item["stock"] + 1)
    if item["stock"] < 15:
        refuse("sold_out", f"only {item['stock']} of {item_id} are left; choose another item")
    return {"item_id": item_id, "stock": item["stock"] + 1}


@tool("read", refusals="item_not_found never_raised")
def promises_too_much(world: World, item_id: ItemId) -> Shown:
    """Declare what nothing refuses with.

    Args:
        item_id: an item
    """
    return {"item_id": item_id, "stock": world.find(ITEM, item_id)["stock"]}


@tool("read")
def takes_any_day(world: World, day: Day = "2031-05-14") -> Shown:
    """Look at no day that it is given.

    Args:
        day: a day, YYYY-MM-DD
    """
    return first_item(world)


@tool("write")
def loses_a_note(world: World, note: str) -> Shown:
    """Keep nothing of the note.

    Args:
        note: a note
    """
    return not_idempotent(world)


@tool("write", unechoed={"note": "it is thrown away", "word": "so is this", "size": "and this"})
def loses_three(world: World, note: str, word: str, size: int) -> Shown:
    """Keep nothing of them.

    Args:
        note: a note
        word: a word
        size: a size
    """
    return not_idempotent(world)


@tool("write")
def writes_the_time(world: World) -> Shown:
    """Write the time into a column that is not marked as a clock."""
    world.update(ITEM, first_item(world)["item_id"], name=world.moment)
    return first_item(world)


@tool("write")
def forgets_to_say_idempotent(world: World) -> Shown:
    """Set what is set."""
    world.update(ITEM, first_item(world)["item_id"], stock=7)
    return first_item(world)


@tool("read")
def remembers_in_silence(world: World) -> Shown:
    """Keep rows in a module between calls, and answer as if it did not."""
    CACHE.setdefault(str(len(CACHE) % 3), first_item(world)["item_id"])
    return first_item(world)


def seed_nothing(world: Builder) -> None:
    world.random.seed(1)
    world.opening = world.opening.replace(year=2031, month=1, day=1)
    world.set_clock(world.opening)
    world._counters = dict.fromkeys(world._counters, 1)
    shop.build(world)


def server(*names: str, seed: Any = shop.build) -> Server:
    module = ModuleType(__name__)
    vars(module).update({name: vars(sys.modules[__name__])[name] for name in ("fine", *names)})
    return Server(
        "bad",
        package=shop.__name__,
        category="Test",
        about="A server that breaks laws.",
        tools=[module],
        seed=seed,
        entities=[CUSTOMER, ITEM],
        discovery=["fine"],
        tick=timedelta(minutes=1),
    )


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("read_that_writes", "no_internal_error"),
        ("write_that_deletes", "writes_delete_nothing"),
        ("not_idempotent", "idempotent"),
        ("wrong_result", "results_fit"),
        ("undeclared", "refusals_declared"),
        ("crashes", "no_internal_error"),
        ("remembers", "same_seed_same_bytes"),
        ("remembers", "sessions_apart"),
        ("sorts_its_argument", "arguments_untouched"),
        ("tells_the_pin", "secrets_hidden"),
        ("order_by_accident", "hot_and_cold_alike"),
        ("looks_up_too_late", "refusals_in_order"),
        ("refuses_too_late", "refuses_before_writing"),
        ("promises_too_much", "codes_in_source"),
        ("undeclared", "codes_in_source"),
        ("takes_any_day", "times_checked"),
        ("loses_a_note", "echoed"),
        ("loses_three", "echoed"),
        ("writes_the_time", "marked"),
        ("forgets_to_say_idempotent", "idempotent"),
        ("remembers_in_silence", "globals_stay"),
    ],
)
def test_each_breach_is_found_and_named(name, law, caplog):
    report = laws.check(server(name), seeds=range(2), calls=60)
    assert law in {finding.law for finding in report.findings}
    assert {finding.tool for finding in report.findings if finding.law == law} & {name, ""}
    assert re.search(rf"{law}: ({name}|the server), seed ", str(report))


def test_worlds_that_do_not_depend_on_the_seed_are_found():
    report = laws.check(server(seed=seed_nothing), seeds=range(2), calls=5)
    assert {finding.law for finding in report.findings} - {"described"} == {"seeds_differ"}


def test_a_sound_server_passes_every_law_and_no_law_goes_without_a_case():
    report = laws.check(depot, seeds=range(2), calls=60)
    assert report.ok, report
    assert {law for law in laws.LAWS if not report.cases[law]} == set()


class Distant:
    """A session that is not known to be local, as those of other processes."""

    def __init__(self, session: LocalSession) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def fork(self) -> "Distant":
        return Distant(self._session.fork())


def test_sessions_that_live_elsewhere_are_checked_as_far_as_they_can_be():
    report = laws.check(lambda seed: Distant(LocalSession(depot, seed)), seeds=range(2), calls=40)
    assert report.ok, report
    assert set(report.skipped) == {law for law in laws.LAWS if not report.cases[law]}
    assert set(report.skipped) == {*LAWS_INSIDE, "codes_in_source", "globals_stay"}


def test_one_seed_draws_one_stream_of_calls():
    def stream(seed: int) -> list[str]:
        session = LocalSession(depot, 1)
        generator = Generator(session.tools, seed, secrets=session.secrets(), text_only=True)
        drawn = []
        for _ in range(60):
            call = generator.call()
            generator.learn(call, session.call(call.tool, call.arguments))
            drawn.append(repr(call))
        return drawn

    assert stream(1) == stream(1)
    assert stream(1) != stream(2)


def test_each_family_is_what_it_says():
    session = LocalSession(depot, 1)
    found: dict[str, Counter[str]] = {}
    generator = Generator(session.tools, 1, secrets=session.secrets())
    for _ in range(1200):
        call = generator.call()
        outcome = session.call(call.tool, call.arguments)
        generator.learn(call, outcome)
        found.setdefault(call.family, Counter())[outcome.kind.value] += 1
    assert found["valid"]["bad_arguments"] == found["hostile"]["bad_arguments"] == found["live"]["bad_arguments"] == 0
    assert found["broken"]["bad_arguments"] > 0.8 * found["broken"].total()
    assert found["live"]["ok"] + found["live"]["empty"] > 0.6 * found["live"].total()


def test_broken_arguments_hold_every_value_that_has_hurt_a_server():
    generator = Generator(depot.tools, 1)
    seen = [repr(generator.arguments(depot.tool("stock_up"), "broken")) for _ in range(2000)]
    for text in ("nan", "inf", "1e+300", "\\ud800", str(2**53), "[...]", "b'bytes'", "True", "x" * 1000):
        assert any(text in one for one in seen), text
    texts = Generator(depot.tools, 1, text_only=True)
    assert not any("bytes" in repr(texts.arguments(depot.tool("buy"), "broken")) for _ in range(500))


def test_an_entity_whose_lister_is_no_tool_is_found():
    report = laws.check(server(), seeds=range(2), calls=5)
    assert "item is listed by 'list_items', which is no tool" in str(report)
