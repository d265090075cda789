"""The least call of a set of tools."""

from proverl.policies.least_call import least_call
from support.shop.tasks import (
    TOOLS,
)


def test_the_least_call_is_a_read_with_few_arguments():
    call = least_call(TOOLS)
    tool = next(tool for tool in TOOLS if tool.name == call.name)
    assert tool.effect == "read"
    assert call.arguments == {}
