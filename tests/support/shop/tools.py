"""The shop's tools."""

from typing import Annotated

from proverl.world.domain import FREE, SECRET, Entity, Field, TypedDict, World, refuse, tool

CUSTOMER = Entity("customer", "cus", "list_customers", order="name")
ITEM = Entity("item", "item", "list_items")
PURCHASE = Entity("purchase", "ord", "list_purchases")

CustomerId = Annotated[str, CUSTOMER]
ItemId = Annotated[str, ITEM]
PurchaseId = Annotated[str, PURCHASE]


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


@tool("write", refusals="customer_not_found item_not_found out_of_stock wrong_pin insufficient_funds")
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
    customer = world.find(CUSTOMER, customer_id)
    items = []
    for item_id in sorted(set(item_ids)):
        item = world.find(ITEM, item_id)
        if item["stock"] == 0:
            refuse("out_of_stock", f"{item['name']} is out of stock")
        items.append(item)
    if pin != world.secret("pin"):
        refuse("wrong_pin", "the PIN is wrong; ask the user")
    total = sum(item["price"] for item in items)
    if total > customer["balance"]:
        refuse("insufficient_funds", f"{total} is more than {customer['balance']}")
    placed_at = world.moment
    purchase_id = world.add(PURCHASE, customer_id=customer_id, placed_at=placed_at, note=note)
    for item in items:
        world.insert("purchase_line", purchase_id=purchase_id, item_id=item["item_id"], quantity=1)
        world.update(ITEM, item["item_id"], stock=item["stock"] - 1)
    world.update(CUSTOMER, customer_id, balance=customer["balance"] - total)
    return {"purchase_id": purchase_id, "total": total, "placed_at": placed_at}


@tool("destructive", refusals="purchase_not_found", after="buy", idempotent=True)
def cancel_purchase(world: World, purchase_id: PurchaseId) -> Cancelled:
    """Cancel a purchase.

    Args:
        purchase_id: the purchase
    """
    purchase = world.find(PURCHASE, purchase_id)
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


@tool("write", refusals="item_not_found")
def restock(world: World, item_id: ItemId, quantity: Annotated[int, Field(ge=1, le=100)]) -> Stocked:
    """Add to an item's stock.

    Args:
        item_id: the item
        quantity: how many, 1 to 100
    """
    stock = world.find(ITEM, item_id)["stock"]
    world.update(ITEM, item_id, stock=stock + quantity)
    return {"item_id": item_id, "stock": stock + quantity}
