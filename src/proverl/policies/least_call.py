"""The least call of a set of tools, for a policy that must call something where there is nothing to call.

Covers: which tool, and arguments that fit its schema. Does not cover: values that fit a schema (schemas.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..chat import ToolCall
from ..records import Tool
from ..schemas import example


def least_call(tools: Sequence[Tool]) -> ToolCall:
    """A call that fits the schema of one of the tools: the read with the fewest required arguments, if there is one."""
    if not tools:
        return ToolCall("")
    tool = min(tools, key=lambda tool: (tool.effect != "read", len(tool.required)))
    properties = tool.input_schema.get("properties", {})
    return ToolCall(tool.name, {name: example(properties.get(name, {})) for name in tool.required})
