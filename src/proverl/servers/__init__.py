"""The registry: the folders in this package are the servers.

Listing them imports none; `load` imports one.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ..errors import UnknownServer, nearest
from ..world.server import Server


@cache
def names() -> tuple[str, ...]:
    """The names of all servers, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


@cache
def load(name: str) -> Server:
    """The server of this name.

    Raises:
        UnknownServer: there is none; the message names the nearest one
    """
    if name not in names():
        raise UnknownServer(f"no server {name!r}; {nearest(name, names())}")
    server = importlib.import_module(f"{__name__}.{name}").server
    assert isinstance(server, Server)
    return server
