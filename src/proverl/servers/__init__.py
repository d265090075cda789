"""The registry: the folders in this package are the servers.

Listing them imports none; `load` imports one. A server that lives elsewhere is named `package.module:attribute`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib import resources

from ..errors import UnknownServer, nearest
from ..world.server import Server
from ..world.session import LocalSession


@cache
def names() -> tuple[str, ...]:
    """The names of all servers, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


@cache
def with_phrases() -> tuple[str, ...]:
    """The names of the servers that conversations can be made on: those with a phrases.toml, sorted."""
    folder = resources.files(__name__)
    return tuple(name for name in names() if folder.joinpath(name, "phrases.toml").is_file())


@cache
def load(name: str) -> Server:
    """The server of this name, or at `package.module:attribute`.

    Raises:
        UnknownServer: there is none; the message names the nearest one
    """
    if ":" in name:
        return _elsewhere(name)
    if name not in names():
        raise UnknownServer(f"no server {name!r}; {nearest(name, names())}")
    server = importlib.import_module(f"{__name__}.{name}").server
    assert isinstance(server, Server)
    return server


def _elsewhere(name: str) -> Server:
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module is there, and something that it needs is not
        raise UnknownServer(f"no server {name!r}: there is no module {error.name!r} on the path") from None
    if not isinstance(found, Server):
        raise UnknownServer(f"no server {name!r}: {attribute!r} in {module} is no proverl Server")
    return found


def open_session(name: str, seed: int) -> LocalSession:
    """A new session of a server in this process.

    Raises:
        UnknownServer, BadSeed: there is no such server or seed
    """
    return LocalSession(load(name), seed)
