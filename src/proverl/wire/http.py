"""Streamable HTTP: the ASGI application, and the strict reading of bodies before the SDK sees them.

Covers: which addresses may be served, the limits of a body. Does not cover: listening (serve.py) or the protocol
(sdk.py).
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Final

from ..errors import UsageError
from ..strict_json import MAX_LINE
from ..world.server import Server
from .lines import KEPT, Malformed, Overlong, admit
from .sdk import App, Receive, Send, sdk_http_app, sdk_server
from .sessions import SessionHandler

MAX_DRAINED: Final = 64 * MAX_LINE
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def http_app(server: Server, *, host: str = "127.0.0.1", seed: int = 0, strict: bool = False) -> App:
    """The ASGI application behind `serve_http`."""
    if host not in LOOPBACK:
        raise UsageError(f"{host!r} is no loopback address; there is no authentication, so serve 127.0.0.1 and forward")
    app = sdk_http_app(sdk_server(SessionHandler(server, seed=seed, strict=strict)), host)
    return _StrictBodies(app)


class _StrictBodies:
    """Reads the bodies of POST requests strictly, before the SDK sees them."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await _read_body(receive)
        if body is None:
            return
        try:
            admit(body)
        except Malformed as malformed:
            await _send_json(send, 413 if isinstance(body, Overlong) else 400, malformed.answer)
            return
        await self._app(scope, _replay(body, receive), send)


async def _read_body(receive: Receive) -> bytes | Overlong | None:
    """The whole body; its ends if it is too long; None if the client has gone away."""
    head, tail, size = b"", b"", 0
    while size <= MAX_DRAINED:
        message = await receive()
        if message["type"] != "http.request":
            return None
        data = message.get("body", b"")
        size += len(data)
        if size <= MAX_LINE:
            head += data
        else:
            tail = (tail + data)[-KEPT:]
        if not message.get("more_body", False):
            break
    return head if size <= MAX_LINE else Overlong(size, (head or tail)[:KEPT], tail)


def _replay(body: Any, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> MutableMapping[str, Any]:
        return waiting.pop() if waiting else await receive()

    return again


async def _send_json(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
