"""The shop's worlds."""

from proverl.world.domain import Builder

from .tools import CUSTOMER, ITEM


def build(world: Builder) -> None:
    """Customers with money and items with stock."""
    for name in ("Ann", "Bob", "Cid"):
        world.add(CUSTOMER, name=name, balance=world.random.randrange(500, 5000))
    for number in range(30):
        world.add(
            ITEM,
            name=f"thing {number}",
            price=world.random.randrange(10, 90),
            stock=world.random.randrange(0, 20),
        )
    world.keep_secret("pin", f"{world.random.randrange(10_000):04d}")
