"""The shop's worlds."""

from proverl.world.world import Builder


def build(world: Builder) -> None:
    """Customers with money and items with stock."""
    for name in ("Ann", "Bob", "Cid"):
        world.insert("customer", customer_id=world.new_id("cus"), name=name, balance=world.random.randrange(500, 5000))
    for number in range(30):
        world.insert(
            "item",
            item_id=world.new_id("item"),
            name=f"thing {number}",
            price=world.random.randrange(10, 90),
            stock=world.random.randrange(0, 20),
        )
    world.secret("pin", f"{world.random.randrange(10_000):04d}")
