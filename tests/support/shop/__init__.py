"""A small domain for the tests of world/: a shop with customers, items and purchases."""

from datetime import timedelta

from proverl.world.domain import Server

from . import tools
from .seed import build as build

server = Server(
    "shop",
    package=__name__,
    category="Test",
    about="A shop.",
    tools=[tools],
    seed=build,
    discovery=["list_customers", "list_items"],
    tick=timedelta(minutes=1),
)
