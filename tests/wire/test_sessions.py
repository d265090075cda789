"""What a server process does for each request, asked without any transport."""

import pytest

from proverl.records import Kind
from proverl.wire.protocol import (
    Hidden,
    Rejected,
    outcome_from_wire,
)
from proverl.wire.sessions import SessionHandler
from support.pipe import session
from support.shop import server as shop

A = session("a", 7)


def test_a_strict_server_has_no_default_session() -> None:
    handler = SessionHandler(shop, strict=True)
    with pytest.raises(Rejected, match="strict"):
        handler.call({"name": "list_items"})
    assert outcome_from_wire(handler.call({"name": "list_items", "_meta": A})).kind is Kind.OK


def test_more_sessions_than_a_process_may_hold_are_refused() -> None:
    handler = SessionHandler(shop, max_sessions=2)
    for name in ("a", "b"):
        handler.hidden(Hidden.OPEN, {"_meta": session(name, 1)})
    with pytest.raises(Rejected, match="2 sessions are open"):
        handler.hidden(Hidden.OPEN, {"_meta": session("c", 1)})
    with pytest.raises(Rejected, match="2 sessions are open"):
        handler.hidden(Hidden.FORK, {"_meta": session("a"), "as": "c"})
    handler.hidden(Hidden.CLOSE, {"_meta": session("a")})
    handler.hidden(Hidden.OPEN, {"_meta": session("c", 1)})
    assert handler.hidden(Hidden.STATUS, {})["sessions"] == 2
