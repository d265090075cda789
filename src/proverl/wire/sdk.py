"""The official SDK's low-level Server between our pipes (stdio.py) and our sessions (sessions.py).

Covers: both revisions of the protocol, 2026-07-28 and the older one with a handshake. Does not cover: HTTP bodies
(http.py), lines and pipes (lines.py, stdio.py), or what a request means (sessions.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic_core import to_json

from ..errors import MissingExtra
from ..records import Json
from ..strict_json import MAX_LINE
from .lines import error_line
from .protocol import INTERNAL_ERROR, INVALID_PARAMS, Hidden, Rejected
from .sessions import SessionHandler
from .stdio import Inbox, Outlet, Pump

try:
    import anyio
    import mcp.types as t
    from mcp.server import Server as SdkServer
    from mcp.server import ServerRequestContext
    from mcp.server.caching import CacheHint
    from mcp.server.connection import Connection
    from mcp.server.runner import modern_error_data, serve_one
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.shared.exceptions import MCPError, NoBackChannelError
    from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
    from mcp.shared.message import SessionMessage
    from mcp.shared.transport_context import TransportContext
except ModuleNotFoundError as error:
    raise MissingExtra(f"serving needs the package {error.name}: pip install 'proverl[serve]'") from None


MAX_ANSWER: Final = 16 * MAX_LINE
"""Bytes of an answer: it holds a value twice, as text and as structured content."""


TURNS: Final = 16
"""Requests that are served before the pipes are looked at again."""


COMPLETE: Final = {"resultType": "complete"}
"""What the newer revision wants in each result; the SDK leaves it out for the older one."""


log = logging.getLogger(__name__)


Context = ServerRequestContext[Any, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
"""An ASGI application."""


def sdk_server(handler: SessionHandler) -> SdkServer[Any]:
    """The SDK's Server over the sessions of this process."""
    tools = handler.tools()

    async def list_tools(ctx: Context, params: t.PaginatedRequestParams | None) -> dict[str, Json]:
        return {"tools": tools, **COMPLETE}

    async def call_tool(ctx: Context, params: t.CallToolRequestParams) -> dict[str, Json]:
        return _answer(handler.call, ctx)

    def hidden(method: str) -> Callable[[Context, t.RequestParams], Awaitable[dict[str, Json]]]:
        async def handle(ctx: Context, params: t.RequestParams) -> dict[str, Json]:
            return _answer(lambda raw: handler.hidden(method, raw), ctx)

        return handle

    listing: Any = list_tools  # the SDK types its handlers by result model, and takes the model's JSON as well
    calling: Any = call_tool
    server: SdkServer[Any] = SdkServer(
        f"proverl-{handler.server.name}",
        version=_version(),
        instructions=handler.server.about,
        on_list_tools=listing,
        on_call_tool=calling,
        cache_hints={"tools/list": CacheHint(ttl_ms=86_400_000, scope="public")},
        get_tool_input_schema=lambda name: None,  # no argument of ours travels in an HTTP header
    )
    server.middleware.clear()  # tracing spans, which nobody collects here
    for method in Hidden:
        server.add_request_handler(method.value, t.RequestParams, hidden(method.value))
    return server


def sdk_http_app(server: SdkServer[Any], host: str) -> App:
    """The SDK's own ASGI application for streamable HTTP."""
    names = ("127.0.0.1", "localhost", "[::1]")
    security = TransportSecuritySettings(
        allowed_hosts=[f"{name}:*" for name in names],
        allowed_origins=[f"http://{name}:*" for name in names],
    )
    return server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        transport_security=security,
        max_request_body_size=MAX_LINE,
        host=host,
    )


def _answer(question: Callable[[dict[str, Json]], Json], ctx: Context) -> dict[str, Json]:
    try:
        answer: dict[str, Json] = question(dict(ctx.params or {}))
    except Rejected as rejected:
        raise MCPError(rejected.code, rejected.message, {"reason": rejected.reason}) from None
    except Exception as error:
        log.exception("a request failed")
        raise MCPError(INTERNAL_ERROR, f"{type(error).__name__}: {error}"[:1000]) from None
    return {**answer, **COMPLETE}


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("proverl")
    except PackageNotFoundError:
        return "0"


class PipeServer:
    """Both revisions on one pair of pipes.

    A request of the newer revision says all that is needed to serve it, so the SDK serves it by itself, in its turn; a
    call never waits for anything, so a task for each would gain nothing. The older revision is a conversation that
    begins with a handshake, and goes to the SDK's loop. What belongs to neither is answered here.
    """

    def __init__(self, server: SdkServer[Any], pump: Pump) -> None:
        self._server = server
        self._pump = pump
        self._older: Inbox[SessionMessage] = Inbox()
        self._handshake = False

    async def run(self) -> None:
        """Serve until the input ends."""
        reading: Any = self._older
        options = self._server.create_initialization_options()
        older = asyncio.create_task(self._server.run(reading, _Outbox(self._pump), options))
        served = 0
        async for message in self._pump.inbox:
            await self._take(message)
            served += 1
            if served % TURNS == 0:
                await asyncio.sleep(0)
        self._older.end()
        await older

    async def _take(self, message: dict[str, Json]) -> None:
        if "method" not in message:
            return  # an answer, and we ask nothing
        method = message["method"]
        if "id" not in message:
            if self._handshake:
                self._older.put(SessionMessage(t.JSONRPCNotification(**_fields(message))))
        elif method != "initialize" and _names_version(message):
            self._pump.answer(await self._serve(message))
        elif method == "initialize" or self._handshake:
            self._handshake = True
            self._older.put(SessionMessage(t.JSONRPCRequest(**_fields(message))))
        else:
            self._pump.answer(_unannounced(message))

    async def _serve(self, message: dict[str, Json]) -> bytes:
        """The answer to one request of the newer revision."""
        request_id = message["id"]
        route = classify_inbound_request(message)
        if isinstance(route, InboundLadderRejection):
            return error_line(route.code, route.message, request_id, route.data)
        connection = Connection.from_envelope(route.protocol_version, route.client_info, route.client_capabilities)
        try:
            result = await serve_one(
                self._server,
                _Dispatch(request_id),
                message["method"],
                message["params"],
                connection=connection,
                lifespan_state={},
            )
            return _line({"jsonrpc": "2.0", "id": request_id, "result": result})
        except Exception as error:
            wrong = modern_error_data(error)
            return error_line(wrong.code, wrong.message, request_id, wrong.data)


@dataclass
class _Dispatch:
    """What the SDK wants to know of the place where a request came from: it can be answered, and nothing else."""

    request_id: str | int
    transport: TransportContext = field(default=TransportContext(kind="stdio", can_send_request=False))
    message_metadata: Any = None
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    async def send_raw_request(self, method: str, params: Any, opts: Any = None) -> dict[str, Any]:
        """No request goes to a client."""
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Any, opts: Any = None) -> None:
        """No notification either."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """A call is over before its progress could be told."""


def _line(message: Any) -> bytes:
    line: bytes = to_json(message) + b"\n"
    if len(line) > MAX_ANSWER:
        raise MCPError(INTERNAL_ERROR, f"the answer has {len(line)} bytes, more than {MAX_ANSWER}")
    return line


def _fields(message: dict[str, Json]) -> dict[str, Json]:
    return {name: message[name] for name in ("jsonrpc", "id", "method", "params") if name in message}


def _names_version(message: dict[str, Json]) -> bool:
    meta = message.get("params", {}).get("_meta")
    return isinstance(meta, dict) and t.PROTOCOL_VERSION_META_KEY in meta


def _unannounced(message: dict[str, Json]) -> bytes:
    if message["method"] == "ping":
        return _line({"jsonrpc": "2.0", "id": message["id"], "result": {}})
    hint = f"params._meta needs {t.PROTOCOL_VERSION_META_KEY}, or send `initialize` first"
    return error_line(INVALID_PARAMS, hint, message["id"])


class _Outbox(Outlet):
    """Where the SDK's loop for the older revision writes: at once, and what cannot be written becomes an error."""

    def __init__(self, pump: Pump) -> None:
        self._pump = pump

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        answers = isinstance(message, t.JSONRPCResponse | t.JSONRPCError)
        try:
            line = _line(message.model_dump(by_alias=True, exclude_unset=True))
        except (ValueError, MCPError) as error:
            if not answers:
                return
            line = error_line(INTERNAL_ERROR, str(error)[:300], getattr(message, "id", None))
        if answers:
            self._pump.answer(line)
        else:
            self._pump.answers.write(line)
