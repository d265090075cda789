"""What phrases.toml may hold, and that each mistake is named."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from proverl import servers
from proverl.errors import DefinitionError, UsageError
from proverl.synth.phrases import read
from support.shop import server


class Edited:
    """The shop with another phrases.toml."""

    name = "shop"
    tools = server.tools

    def __init__(self, text: str) -> None:
        self._text = text

    def has(self, file: str) -> bool:
        return file == "phrases.toml"

    def text(self, file: str) -> str:
        assert file == "phrases.toml"
        return self._text


def edited(old: str, new: str) -> Any:
    text = server.text("phrases.toml")
    assert old in text
    return Edited(text.replace(old, new))


@pytest.mark.parametrize("name", servers.with_phrases())
def test_the_phrases_of_every_server_fit_its_tools(name: str) -> None:
    phrases = read(servers.load(name))
    assert set(phrases.tools) == {tool.name for tool in servers.load(name).tools}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('tell = "bought for {total}"', 'tell = "bought for {price}"', "price"),
        ("[tool.restock]", "[tool.restok]", "restok"),
        ('pin = { secret = "pin" }\n', "", "the required 'pin' has no entry"),
        ('{ tool = "list_purchases" }', '{ tool = "list_items" }', "does not show purchase ids"),
        ("worthy = { stock = { above = 0 } }", "worthy = { stock = { over = 0 } }", "over"),
        ('undoes = ["buy"]', 'undoes = ["bye"]', "bye"),
        ("cancel {purchase_id}", "cancel it", "does not say the required"),
        ("{note:quote}", "{note:loud}", "loud"),
        ("most = 2", "moist = 2", "moist"),
        ('rows = "item"', 'rows = "thing"', "no entity"),
        ("[entity.customer]", "[entity.client]", "entity.customer"),
        ("goal = false", "gaol = false", "gaol"),
        ('note = { pick = ["as a gift", "ring twice"] }', 'note = { pick = ["a"], when = { x = 1 } }', "when"),
        ('again = "that purchase"', 'again = "that {"', "entity.purchase.again"),
    ],
)
def test_a_phrase_that_does_not_fit_is_named(old: str, new: str, problem: str) -> None:
    with pytest.raises(DefinitionError, match=problem):
        read(edited(old, new))


def test_text_that_is_no_toml_is_refused_with_its_place() -> None:
    with pytest.raises(DefinitionError, match="line"):
        read(Edited("[tool]\nx = = 1\n"))  # type: ignore[arg-type]


def test_the_shop_itself_is_read_whole() -> None:
    raw = tomllib.loads(server.text("phrases.toml"))
    phrases = read(server)
    assert set(phrases.entities) == set(raw["entity"])
    assert phrases.tools["buy"].missing == {"pin": ("PIN", "pin")}
    assert phrases.base("item") == "item"


def test_a_server_without_phrases_is_told_so_and_where_to_read_about_them() -> None:
    class Silent(Edited):
        def has(self, file: str) -> bool:
            return False

    with pytest.raises(UsageError, match=r"shop has no phrases\.toml.*docs/phrases\.md"):
        read(Silent(""))  # type: ignore[arg-type]
