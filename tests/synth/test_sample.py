"""The sampler finds the real entities of a world through the tools, and only those."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl import servers
from proverl.records import Tool
from proverl.synth.converse import Domain
from proverl.synth.phrases import read
from proverl.synth.sample import Row, meets, names, sample, shown
from proverl.world.session import LocalSession
from support.shop import server

NOW = datetime(2031, 5, 10, 9, tzinfo=timezone(timedelta(hours=-5)))


def test_the_shops_entities_are_those_of_its_tables() -> None:
    context = Domain.of(server).context(4)
    reader = server.template(4).reader()
    for entity, table in (("customer", "customer"), ("item", "item")):
        kept = {row[0] for row in reader.execute(f"SELECT {table}_id FROM {table}")}
        assert {row.id for row in context.rows(entity)} == kept


@pytest.mark.parametrize("name", servers.with_phrases())
def test_every_sampled_row_exists_and_every_worthy_phrase_means_one_row(name: str) -> None:
    domain = Domain.of(servers.load(name))
    context = domain.context(2)
    for entity in domain.phrases.entities:
        phrases = [context.refer(row) for row in context.worthy(entity)]
        assert len({phrase.lower() for phrase in phrases}) == len(phrases), entity
    assert any(context.worthy(entity) for entity in domain.phrases.entities)


@pytest.mark.parametrize("name", servers.with_phrases())
def test_sampling_changes_nothing_and_depends_on_the_seed_alone(name: str) -> None:
    loaded = servers.load(name)
    phrases = read(loaded)
    session = LocalSession(loaded, 3)
    before = session.digest()
    first = sample(session, loaded.discovery, phrases, NOW, random.Random(1))
    assert session.digest() == before
    second = sample(LocalSession(loaded, 3), loaded.discovery, phrases, NOW, random.Random(1))
    for entity in phrases.entities:
        assert first.rows(entity) == second.rows(entity)


def test_an_id_stands_with_the_fields_around_it() -> None:
    tool = Tool("menu", "", {}, {}, gives={"groups[].rows[].row_id": "row"})
    value = {"name": "outer", "groups": [{"title": "a", "rows": [{"row_id": "r1", "name": "inner"}]}]}
    (one,) = shown(tool, {"place": "here"}, value)
    assert (one.id, one.place) == ("r1", "groups[0].rows[0].row_id")
    assert one.fields == {"place": "here", "name": "inner", "title": "a", "row_id": "r1"}


def test_a_row_is_recognised_only_where_its_phrase_can_be_read_off() -> None:
    phrases = read(server)
    assert names(phrases, "customer", {"customer_id": "c", "name": "Ann"})
    assert not names(phrases, "customer", {"customer_id": "c", "balance": 3})


@pytest.mark.parametrize(
    ("condition", "value", "met"),
    [
        ("open", "open", True),
        ({"above": 50}, 51, True),
        ({"above": 50}, 50, False),
        ({"above": 50}, None, False),
        ({"below": 10}, 9, True),
        ({"in": ["a", "b"]}, "c", False),
        ({"not": "x"}, "y", True),
        ({"ends": ".csv"}, "a.csv", True),
        ({"ends": [".zip", ".tar"]}, "a.tar", True),
        ({"filled": True}, "", False),
        ({"filled": False}, None, True),
        ({"days_ago_at_most": 45}, "2031-04-01", True),
        ({"days_ago_at_most": 45}, "2031-03-01", False),
        ({"after_now": True}, "2031-05-11", True),
        ({"after_now": True}, "2031-05-10T08:00:00-05:00", False),
    ],
)
def test_conditions_mean_what_is_documented(condition: object, value: object, met: bool) -> None:
    assert meets({"field": value}, {"field": condition}, NOW) is met


@given(
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 3)),
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 3)),
)
def test_plain_conditions_are_met_exactly_by_rows_that_have_them(
    fields: dict[str, int], wanted: dict[str, int]
) -> None:
    assert meets(fields, wanted, None) == all(fields.get(key) == value for key, value in wanted.items())


def test_a_field_of_a_row_that_is_referred_to_is_found() -> None:
    domain = Domain.of(servers.load("food_delivery"))
    context = domain.context(1)
    dish = context.worthy("dish")[0]
    restaurant = context.row("restaurant", dish.fields["restaurant_id"])
    assert restaurant is not None
    assert context.field(dish, "restaurant_id.name") == restaurant.fields["name"]
    assert context.field(Row("dish", "x", {}), "restaurant_id.name") is None
