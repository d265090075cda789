"""Servers: a domain's tools, tables and seed fit together, and a seed gives one world."""

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Annotated, Any

import pytest

from proverl.errors import BadSeed, DefinitionError, UnknownTool
from proverl.world.domain import Entity, Server, TypedDict, World, tool
from proverl.world.server import TEMPLATES_KEPT
from proverl.world.session import LocalSession
from support import shop
from support.shop import tools as shop_tools


def make(*modules: ModuleType, folder: Any = None, **changes: Any) -> Server:
    given = {
        "package": folder or shop.__name__,
        "category": "Test",
        "about": "A shop.",
        "tools": list(modules) or [shop_tools],
        "seed": shop.build,
        "discovery": ["list_customers"],
        "tick": timedelta(minutes=1),
    }
    return Server("shop", **{**given, **changes})


def module(**functions: Any) -> ModuleType:
    made = ModuleType(__name__)
    vars(made).update(functions)
    return made


def test_a_schema_fault_ends_the_making_of_the_server_before_any_world(tmp_path: Path):
    (tmp_path / "schema.sql").write_text("CREATE TABLE b (\n  x TEXT\n);")
    with pytest.raises(DefinitionError, match="table b"):
        make(folder=tmp_path)


class Thing(TypedDict):
    item_id: Annotated[str, shop_tools.ITEM]


@tool("read", after="other")
def example(world: World) -> Thing:
    """Do a thing."""
    raise NotImplementedError


def test_discovery_and_after_must_name_tools():
    with pytest.raises(DefinitionError, match=r"discovery names \['nope'\]"):
        make(discovery=["nope"])
    with pytest.raises(DefinitionError, match=r"example comes after \['other'\]"):
        make(shop_tools, module(example=example))


class LineOf(TypedDict):
    item_id: Annotated[str, Entity("purchase_line", "pli", key="item_id")]


@tool("write")
def change_line(world: World, item_id: Annotated[str, Entity("purchase_line", "pli", key="item_id")]) -> LineOf:
    """Change a line.

    Args:
        item_id: the item
    """
    world.update(Entity("purchase_line", "pli", key="item_id"), item_id, quantity=7)
    return {"item_id": item_id}


def test_an_entity_whose_key_is_only_a_part_of_the_primary_key_is_refused_wherever_it_comes_from():
    (line,) = change_line.__dict__["__tool__"].entities
    for server in (lambda: make(shop_tools, module(change_line=change_line)), lambda: make(entities=[line])):
        with pytest.raises(DefinitionError, match=r"primary key of purchase_line is \('purchase_id', 'item_id'\)"):
            server()


def test_two_tools_of_one_name_are_refused():
    first, second = module(example=example), module(example=example)
    with pytest.raises(DefinitionError, match="two tools are called 'example'"):
        make(first, second)


def test_tools_stand_in_the_order_of_their_definition_and_know_their_server():
    assert [tool.name for tool in shop.server.tools][:4] == ["list_customers", "list_items", "buy", "cancel_purchase"]
    assert {tool.server for tool in shop.server.tools} == {"shop"}


def test_an_unknown_tool_is_answered_with_the_nearest_one():
    with pytest.raises(UnknownTool, match="did you mean 'list_items'"):
        shop.server.tool("list_item")


def test_a_server_says_what_it_is():
    server = make(about="  A shop\n  with lines. ", category="Trade")
    assert (server.name, server.about, server.category) == ("shop", "A shop with lines.", "Trade")
    assert repr(server) == f"Server('shop', {len(server.tools)} tools)"
    assert server.discovery == ("list_customers",)
    assert list(server.tool_names) == [tool.name for tool in server.tools]
    buy = server.function("buy")
    assert buy is not None
    assert server.tool("buy") is buy.tool
    assert server.function("sell") is None


def test_only_what_a_module_defines_itself_is_a_tool_of_it():
    other = ModuleType("elsewhere")
    vars(other).update(vars(shop_tools) | {"__name__": "elsewhere"})
    assert not make(other, discovery=[]).tools
    assert not make(module(buy=shop_tools.buy, number=3), discovery=[]).tools


class Elsewhere(type(Path())):  # type: ignore[misc]
    """A folder in a place where texts are not in UTF-8 unless one says so."""

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        return str(super().read_text(encoding=encoding or "latin-1", errors=errors))


def test_the_files_of_the_folder_are_read_as_utf_8_wherever_that_is(tmp_path: Path):
    (tmp_path / "schema.sql").write_text(shop.server.text("schema.sql"))
    (tmp_path / "notes.txt").write_bytes("déjà vu".encode())
    assert make(folder=Elsewhere(tmp_path)).text("notes.txt") == "déjà vu"


def test_the_files_of_the_folder_are_read_as_utf_8(tmp_path: Path):
    (tmp_path / "schema.sql").write_text(shop.server.text("schema.sql"))
    (tmp_path / "notes.txt").write_bytes("déjà vu".encode())
    (tmp_path / "folder").mkdir()
    server = make(folder=tmp_path)
    assert server.text("notes.txt") == "déjà vu"
    assert [server.has(file) for file in ("notes.txt", "schema.sql", "phrases.toml", "folder")] == [
        True,
        True,
        False,
        False,
    ]


def test_entities_are_those_of_the_tools_and_those_that_are_named_each_once_sorted_by_name():
    assert [entity.name for entity in shop.server.entities] == ["customer", "item", "purchase"]
    more = Entity("word"), Entity("code")
    assert [entity.name for entity in make(entities=more).entities] == ["code", "customer", "item", "purchase", "word"]
    assert make(entities=[shop_tools.ITEM, Entity("item", "item", "list_items")]).entities == shop.server.entities


@pytest.mark.parametrize(
    ("entity", "message"),
    [
        (Entity("item", "itm"), r"two entities have one name; of \['customer', 'item', 'purchase'\] each must be one"),
        (Entity("article", "item", table="item", key="item_id"), "ids of article and item both begin with 'item'"),
    ],
)
def test_an_entity_that_does_not_fit_to_the_others_and_to_the_tools_is_refused(entity, message):
    with pytest.raises(DefinitionError, match=f"shop: .*{message}"):
        make(entities=[entity])


# Worlds


def opening(server: Server, seed: int) -> datetime:
    """The moment at which a world is handed over, from its rows."""
    ((now, offset),) = server.template(seed).reader().execute("SELECT now, offset FROM world_clock")
    return datetime.fromisoformat(f"{datetime(1970, 1, 1) + timedelta(seconds=now):%Y-%m-%dT%H:%M:%S}{offset}")


@pytest.mark.parametrize(("opens", "offset"), [(9, 0), (0, -7), (23, 5)])
def test_worlds_open_at_the_hour_and_offset_of_the_server_on_any_day_of_two_years(opens, offset):
    server = make(opens=opens, offset=offset)
    found = [opening(server, seed) for seed in range(60)]
    assert {moment.time() for moment in found} == {time(opens)}
    assert {moment.utcoffset() for moment in found} == {timedelta(hours=offset)}
    days = {moment.date() for moment in found}
    assert date(2031, 1, 1) <= min(days) < date(2031, 4, 1)
    assert date(2032, 10, 1) < max(days) < date(2032, 12, 31)
    assert len(days) > 50


@pytest.mark.parametrize(("drawn", "day"), [(0, date(2031, 1, 1)), (1, date(2031, 1, 2)), (729, date(2032, 12, 30))])
def test_the_first_and_the_last_day_on_which_worlds_open_are_two_years_apart(drawn, day):
    """In a world without ids the day is the first thing that is drawn."""
    server = make(ModuleType("empty"), seed=lambda world: None, discovery=[])
    seed = next(seed for seed in range(10**6) if Random(f"shop:{seed}").randrange(730) == drawn)
    assert opening(server, seed).date() == day
    beyond = next(seed for seed in range(10**6) if Random(f"shop:{seed}").randrange(731) == 730)
    assert date(2031, 1, 1) <= opening(server, beyond).date() <= date(2032, 12, 30)


def test_a_server_that_says_nothing_of_time_opens_at_nine_utc_and_ticks_by_minutes():
    server = make(shop_tools)
    silent = Server(
        "shop",
        package=shop.__name__,
        category="Test",
        about="",
        tools=[shop_tools],
        seed=shop.build,
        discovery=[],
    )
    assert opening(silent, 1).isoformat()[10:] == "T09:00:00+00:00"
    assert (silent.offset, silent.tick) == (UTC, timedelta(minutes=1))
    assert opening(silent, 1) == opening(server, 1)


def test_the_clock_ticks_after_each_successful_write_and_after_nothing_else():
    session = LocalSession(make(tick=timedelta(seconds=90)), 1)
    customer = session.call("list_customers", {}).value["customers"][0]["customer_id"]
    item = session.call("list_items", {}).value["items"][0]["item_id"]

    def now() -> int:
        return session.store.connection().execute("SELECT now FROM world_clock").get

    start = now()
    session.call("restock", {"item_id": item, "quantity": 0})
    session.call("restock", {"item_id": "no", "quantity": 1})
    session.call("list_items", {})
    assert now() == start
    for _ in range(2):
        assert session.call("restock", {"item_id": item, "quantity": 1}).succeeded
    assert now() == start + 180
    pin = session.secrets()["pin"]
    bought = session.call("buy", {"customer_id": customer, "item_ids": [item], "pin": pin})
    assert datetime.fromisoformat(bought.value["placed_at"]) == opening(shop.server, 1) + timedelta(seconds=180)


def test_every_entity_with_a_prefix_has_a_counter_in_a_world():
    reader = make(entities=[Entity("word")]).template(1).reader()
    counters = reader.execute("SELECT prefix FROM world_counter ORDER BY prefix").fetchall()
    assert counters == [("cus",), ("item",), ("ord",)]


@pytest.mark.parametrize("seed", [-1, 2**53, 1.0, True, "1", None])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(BadSeed, match=r"an integer from 0 to 2\*\*53 - 1") as caught:
        shop.server.template(seed)
    assert repr(seed) in str(caught.value)


def test_a_world_is_built_once_per_seed_and_the_same_when_built_again():
    assert shop.server.template(3) is shop.server.template(3)
    assert make().template(3).blob == shop.server.template(3).blob
    digests = {shop.server.template(seed).digest for seed in (*range(20), 2**53 - 1)}
    assert len(digests) == 21


def test_worlds_that_are_in_use_are_kept_and_those_unused_longest_are_built_again():
    server = make()
    kept = {seed: server.template(seed) for seed in range(TEMPLATES_KEPT)}
    assert server.template(0) is kept[0]
    server.template(TEMPLATES_KEPT)
    assert server.template(0) is kept[0]
    assert server.template(2) is kept[2]
    again = server.template(1)
    assert again is not kept[1]
    assert again.digest == kept[1].digest


def test_two_entities_whose_ids_begin_alike_are_refused():
    with pytest.raises(DefinitionError, match="customer and thing both begin with 'cus'"):
        make(entities=[Entity("thing", "cus", "list_items", "item", key="item_id")])
