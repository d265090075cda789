"""The dependency graph of the shop, whose edges are known by hand."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.errors import SynthesisError
from proverl.records import Tool
from proverl.synth.graph import Graph
from support.shop import server

EDGES = {
    ("list_customers", "buy"),
    ("list_items", "buy"),
    ("list_items", "restock"),
    ("list_purchases", "cancel_purchase"),
    ("buy", "cancel_purchase"),
}


def test_every_unordered_pair_is_classified_once() -> None:
    graph = Graph(server.tools)
    assert len(graph.pairs) == comb(len(server.tools), 2)
    assert sum(graph.counts().values()) == len(graph.pairs)


def test_a_result_that_gives_what_a_tool_requires_is_an_explicit_edge() -> None:
    graph = Graph(server.tools)
    assert set(graph.directed.edges) >= EDGES
    assert not graph.directed.has_edge("buy", "list_items")


def test_an_after_mark_without_a_value_is_an_implicit_edge() -> None:
    start = Tool("start", "", {"properties": {}}, {}, effect="write")
    drive = Tool("drive", "", {"properties": {}}, {}, effect="write", after=("start",))
    graph = Graph([start, drive])
    assert graph.counts() == {"explicit": 0, "implicit": 1, "none": 0}
    assert list(graph.directed.edges) == [("start", "drive")]


def test_tools_that_declare_nothing_are_joined_by_equal_id_fields() -> None:
    lists = Tool("list", "", {"properties": {}}, {"properties": {"rows": {"items": {"properties": {"x_id": {}}}}}})
    takes = Tool("take", "", {"properties": {"x_id": {}}, "required": ["x_id"]}, {})
    assert list(Graph([lists, takes]).directed.edges) == [("list", "take")]


@given(st.integers(0, 10_000), st.sampled_from([2, 3, 4, 5]))
def test_a_chain_is_connected_distinct_and_each_tool_follows_what_it_builds_on(seed: int, length: int) -> None:
    graph = Graph(server.tools)
    chain = graph.chain(random.Random(seed), Counter(), [length])
    assert len(set(chain)) == len(chain) == length
    edges = set(graph.directed.edges)
    assert all(any((a, b) in edges or (b, a) in edges for a in chain) for b in chain)
    assert not any((later, earlier) in edges for i, earlier in enumerate(chain) for later in chain[i + 1 :])


def test_chains_use_all_tools_when_what_was_used_is_counted() -> None:
    used = Counter(tool for chain in Graph(server.tools).chains(30, 3) for tool in chain)
    assert set(used) == {tool.name for tool in server.tools}


def test_a_server_without_dependencies_has_no_chains() -> None:
    alone = Tool("alone", "", {"properties": {}}, {})
    with pytest.raises(SynthesisError, match="no chains"):
        Graph([alone]).chain(random.Random(0), Counter())


def test_the_digest_changes_with_a_schema_and_not_with_the_order_of_tools() -> None:
    tools = list(server.tools)
    assert Graph(tools).digest == Graph(reversed(tools)).digest
    other = [replace(tools[0], description="another", takes={"x": "y"}), *tools[1:]]
    assert Graph(other).digest != Graph(tools).digest
