"""A small domain for the tests of world/: a shop with customers, items and purchases."""

from datetime import timedelta
from importlib import resources

from proverl.world.server import Server

from . import tools
from .seed import build

server = Server(
    "shop",
    folder=resources.files(__name__),
    category="Test",
    about="A shop.",
    tools=[tools],
    seed=build,
    ids=["cus", "item", "ord"],
    discovery=["list_customers", "list_items"],
    tick=timedelta(minutes=1),
)
