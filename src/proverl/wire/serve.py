"""Serving one server over MCP: stdio or streamable HTTP.

Covers: `serve_stdio` and `serve_http`, until the input ends or the process is interrupted. Does not cover: what is done
with a request (sessions.py), HTTP bodies (http.py), the SDK (sdk.py), or starting such a process and talking to it
(manager.py).

Over stdio the connection is the process, so a client that names no session has one world for as long as the process
lives. Streamable HTTP has no connections at all: there, all who name no session share the one default world.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from typing import Final

from ..errors import MissingExtra, UsageError
from ..world.server import Server
from .http import http_app
from .sdk import PipeServer, sdk_server
from .sessions import SessionHandler
from .stdio import Pump, die_with_parent, take_streams

try:
    import uvicorn
except ModuleNotFoundError as error:
    raise MissingExtra(f"serving needs the package {error.name}: pip install 'proverl[serve]'") from None


PORT: Final = 8321


def serve_stdio(server: Server, *, seed: int = 0, strict: bool = False) -> None:
    """Serve until the input ends; a stray print of a tool lands on standard error.

    Args:
        server: the server
        seed: seed of the default session
        strict: whether requests without a session key are refused
    """
    die_with_parent()
    handler = SessionHandler(server, seed=seed, strict=strict)
    source, target = take_streams()
    asyncio.run(_pump(handler, source, target))


def serve_http(
    server: Server,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    seed: int = 0,
    strict: bool = False,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Serve at http://HOST:PORT/mcp until interrupted.

    Args:
        server: the server
        host: a loopback address; nothing else is served, for there is no authentication
        port: 0 takes a free one
        seed: seed of the default session
        strict: whether requests without a session key are refused
        announce: called with the address once it is listened on; by default it is printed on standard error

    Raises:
        UsageError: the host is no loopback address, or the port is taken
    """
    app = http_app(server, host=host, seed=seed, strict=strict)
    with listen(host, port) as listening:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}/mcp"
        if announce is None:
            sys.stderr.write(f"proverl: {server.name} is served at {address}\n")
        else:
            announce(address)
        config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="on", ws="none")
        uvicorn.Server(config).run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        UsageError: the port is taken, or there is no such address
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only where the protocol is named; left on, each answer waits 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise UsageError(f"cannot listen on {host} port {port}: {error.strerror}; --port 0 takes a free one") from None
    return listening


async def _pump(handler: SessionHandler, source: int, target: int) -> None:
    pump = Pump()
    await pump.open(source, target)
    await PipeServer(sdk_server(handler), pump).run()
    await pump.answers.finish()
