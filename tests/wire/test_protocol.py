"""Records on the wire and back."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proverl.wire.protocol import (
    outcome_from_wire,
    outcome_to_wire,
    tool_from_wire,
    tool_to_wire,
)
from proverl.world.session import LocalSession
from support import trouble
from support.shop import server as shop


@given(st.sampled_from(shop.tools + trouble.server.tools))
def test_a_tool_goes_over_the_wire_and_back(tool: Any) -> None:
    assert tool_from_wire(json.loads(json.dumps(tool_to_wire(tool)))) == tool


def test_what_an_argument_stands_for_travels_beside_the_result() -> None:
    outcome = LocalSession(shop, 7).call("list_items", {})
    meant = type(outcome)(outcome.kind, outcome.value, resolved={"path": "/home/a"})
    assert outcome_from_wire(json.loads(json.dumps(outcome_to_wire(meant)))) == meant
