"""The shop with more tools: a swap of unique names, lists of objects, an idempotent write."""

import sys
from datetime import timedelta
from typing import Annotated

from proverl.world.domain import Day, Field, Server, TypedDict, World, check_day, tool
from support import shop
from support.shop.seed import build
from support.shop.tools import CUSTOMER, ITEM, CustomerId, CustomerList, Item, ItemId, PurchaseId


class PurchaseRow(TypedDict):
    purchase_id: PurchaseId
    customer_id: CustomerId
    placed_at: str
    note: str | None
    item_ids: list[ItemId]


class PurchaseList(TypedDict):
    count: int
    purchases: list[PurchaseRow]


class Line(TypedDict):
    """What came in of one item."""

    item_id: ItemId
    quantity: Annotated[int, Field(ge=1, le=20)]


class Stocked(TypedDict):
    items: list[Item]


@tool("read", refusals="invalid_argument customer_not_found")
def find_purchases(world: World, customer_id: CustomerId | None = None, since: Day = "2001-01-01") -> PurchaseList:
    """List purchases, latest first.

    Args:
        customer_id: whose purchases; left out, everybody's
        since: only purchases of this day, YYYY-MM-DD, or later
    """
    check_day(since, "since")
    world.find(CUSTOMER, customer_id)
    found = world.all(
        "SELECT * FROM purchase WHERE customer_id = coalesce(?, customer_id) AND placed_at >= ?"
        " ORDER BY placed_at DESC, purchase_id",
        customer_id,
        since,
    )
    for purchase in found:
        lines = world.all(
            "SELECT item_id FROM purchase_line WHERE purchase_id = ? ORDER BY item_id", purchase["purchase_id"]
        )
        purchase["item_ids"] = [line["item_id"] for line in lines]
    return {"count": len(found), "purchases": found}


@tool("write", refusals="item_not_found")
def stock_up(world: World, lines: Annotated[list[Line], Field(min_length=1, max_length=5)]) -> Stocked:
    """Put items on the shelf.

    Args:
        lines: what came in, and how many of each
    """
    for line in lines:
        world.find(ITEM, line["item_id"])
    world.resolves("lines", sorted(lines, key=lambda line: line["item_id"]))
    for line in lines:
        assert type(line["quantity"]) is int
        world.run("UPDATE item SET stock = stock + ? WHERE item_id = ?", line["quantity"], line["item_id"])
    ids = sorted({line["item_id"] for line in lines})
    items = [world.find(ITEM, item_id) for item_id in ids]
    return {"items": items}


@tool("write", refusals="customer_not_found")
def swap_names(world: World, first: CustomerId, second: CustomerId) -> CustomerList:
    """Give two customers each other's names.

    Args:
        first: a customer
        second: another one
    """
    pair = [world.find(CUSTOMER, one) for one in (first, second)]
    world.update(CUSTOMER, first, name="swapping")
    world.update(CUSTOMER, second, name=pair[0]["name"])
    world.update(CUSTOMER, first, name=pair[1]["name"] if first != second else pair[0]["name"])
    return {
        "count": 2,
        "customers": [world.find(CUSTOMER, one) for one in (first, second)],
    }


@tool("write", refusals="item_not_found", idempotent=True)
def rename_item(world: World, item_id: ItemId, name: Annotated[str, Field(min_length=1)]) -> Item:
    """Rename an item.

    Args:
        item_id: the item
        name: its new name
    """
    world.find(ITEM, item_id)
    world.update(ITEM, item_id, name=name)
    return world.find(ITEM, item_id)


server = Server(
    "depot",
    package=shop.__name__,
    category="Test",
    about="A shop with more tools.",
    tools=[shop.tools, sys.modules[__name__]],
    seed=build,
    discovery=["list_customers", "list_items", "find_purchases"],
    tick=timedelta(minutes=1),
)
