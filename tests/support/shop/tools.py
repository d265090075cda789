"""The shop's tools."""

from typing import Annotated

from typing_extensions import TypedDict

from proverl.world.server import FREE, SECRET, Field, Ref, Refused, World, tool
from proverl.world.values import iso

CustomerId = Annotated[str, Ref("customer")]
ItemId = Annotated[str, Ref("item")]
PurchaseId = Annotated[str, Ref("purchase")]


class Customer(TypedDict):
    customer_id: CustomerId
    name: str
    balance: int


class CustomerList(TypedDict):
    count: int
    customers: list[Customer]


class Item(TypedDict):
    item_id: ItemId
    name: str
    price: int
    stock: int


class ItemList(TypedDict):
    count: int
    items: list[Item]


class Purchase(TypedDict):
    purchase_id: PurchaseId
    total: int
    placed_at: str


class Cancelled(TypedDict):
    purchase_id: PurchaseId
    refund: int


@tool("read")
def list_customers(world: World, name: str | None = None) -> CustomerList:
    """List customers.

    Args:
        name: part of the name
    """
    found = world.all(
        "SELECT customer_id, name, balance FROM customer WHERE name LIKE ? ORDER BY name", f"%{name or ''}%"
    )
    return {"count": len(found), "customers": found}


@tool("read")
def list_items(world: World, limit: Annotated[int, Field(ge=1, le=50)] = 50) -> ItemList:
    """List items.

    Args:
        limit: rows at most, 1 to 50
    """
    found = world.all("SELECT item_id, name, price, stock FROM item ORDER BY item_id LIMIT ?", limit)
    return {"count": len(found), "items": found}


@tool("write", refusals=["customer_not_found", "item_not_found", "out_of_stock", "wrong_pin", "insufficient_funds"])
def buy(
    world: World,
    customer_id: CustomerId,
    item_ids: Annotated[list[ItemId], Field(min_length=1, max_length=5)],
    pin: Annotated[str, SECRET],
    note: Annotated[str | None, FREE] = None,
) -> Purchase:
    """Buy one of each item.

    Args:
        customer_id: who buys
        item_ids: items to buy
        pin: the shop's PIN
        note: anything
    """
    customer = world.one("SELECT * FROM customer WHERE customer_id = ?", customer_id)
    if customer is None:
        raise Refused("customer_not_found", f"no customer {customer_id!r}; see list_customers")
    items = []
    for item_id in sorted(set(item_ids)):
        item = world.one("SELECT * FROM item WHERE item_id = ?", item_id)
        if item is None:
            raise Refused("item_not_found", f"no item {item_id!r}; see list_items")
        if item["stock"] == 0:
            raise Refused("out_of_stock", f"{item['name']} is out of stock")
        items.append(item)
    if pin != world.secret("pin"):
        raise Refused("wrong_pin", "the PIN is wrong; ask the user")
    total = sum(item["price"] for item in items)
    if total > customer["balance"]:
        raise Refused("insufficient_funds", f"{total} is more than {customer['balance']}")
    purchase_id = world.new_id("ord")
    world.insert("purchase", purchase_id=purchase_id, customer_id=customer_id, placed_at=iso(world.now), note=note)
    for item in items:
        world.insert("purchase_line", purchase_id=purchase_id, item_id=item["item_id"], quantity=1)
        world.update("item", item["item_id"], stock=item["stock"] - 1)
    world.update("customer", customer_id, balance=customer["balance"] - total)
    return {"purchase_id": purchase_id, "total": total, "placed_at": iso(world.now)}


@tool("destructive", refusals=["purchase_not_found"], after=["buy"])
def cancel_purchase(world: World, purchase_id: PurchaseId) -> Cancelled:
    """Cancel a purchase.

    Args:
        purchase_id: the purchase
    """
    purchase = world.one("SELECT * FROM purchase WHERE purchase_id = ?", purchase_id)
    if purchase is None:
        raise Refused("purchase_not_found", f"no purchase {purchase_id!r}; buy returns it")
    lines = world.all(
        "SELECT l.item_id, i.price FROM purchase_line l JOIN item i USING (item_id) WHERE purchase_id = ? ORDER BY 1",
        purchase_id,
    )
    refund = sum(line["price"] for line in lines)
    for line in lines:
        world.run("UPDATE item SET stock = stock + 1 WHERE item_id = ?", line["item_id"])
    world.run("DELETE FROM purchase WHERE purchase_id = ?", purchase_id)
    world.run("UPDATE customer SET balance = balance + ? WHERE customer_id = ?", refund, purchase["customer_id"])
    return {"purchase_id": purchase_id, "refund": refund}


class PurchaseRow(TypedDict):
    purchase_id: PurchaseId
    customer_id: CustomerId
    placed_at: str


class PurchaseList(TypedDict):
    count: int
    purchases: list[PurchaseRow]


class Stocked(TypedDict):
    item_id: ItemId
    stock: int


@tool("read")
def list_purchases(world: World) -> PurchaseList:
    """List purchases."""
    found = world.all("SELECT purchase_id, customer_id, placed_at FROM purchase ORDER BY purchase_id")
    return {"count": len(found), "purchases": found}


@tool("write", refusals=["item_not_found"])
def restock(world: World, item_id: ItemId, quantity: Annotated[int, Field(ge=1, le=100)]) -> Stocked:
    """Add to an item's stock.

    Args:
        item_id: the item
        quantity: how many, 1 to 100
    """
    stock = world.value("SELECT stock FROM item WHERE item_id = ?", item_id)
    if stock is None:
        raise Refused("item_not_found", f"no item {item_id!r}; see list_items")
    world.update("item", item_id, stock=stock + quantity)
    return {"item_id": item_id, "stock": stock + quantity}
