"""Templates and formats."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.synth.templates import PhraseTemplate, is_format, listed, spoken

TODAY = date(2031, 5, 1)


def write(values: dict[str, object]):
    return lambda slot: None if values.get(slot.name) is None else spoken(values[slot.name], slot.format, TODAY)


def has(values: dict[str, object]):
    return lambda name: values.get(name) not in (None, False)


def render(text: str, **values: object) -> str:
    return PhraseTemplate(text).render(write(values), has(values))


def test_a_square_bracket_is_shown_only_when_all_its_slots_have_values() -> None:
    text = "list accounts[ from {start} to {end}]"
    assert render(text, start="May", end="June") == "list accounts from May to June"
    assert render(text, start="May") == "list accounts"


def test_a_boolean_shows_its_bracket_and_is_never_printed() -> None:
    text = "delete {path}[ with everything in it ({recursive})]"
    assert render(text, path="old", recursive=True) == "delete old with everything in it"
    assert render(text, path="old", recursive=False) == "delete old"
    assert render(text, path="old") == "delete old"


def test_an_angle_bracket_leaves_a_required_argument_out_when_it_has_no_value() -> None:
    assert render("pay {who}< {amount:money}>", who="Ann", amount=12.5) == "pay Ann 12.50 dollars"
    assert render("pay {who}< {amount:money}>", who="Ann") == "pay Ann"


def test_a_value_stands_as_it_is_with_its_line_breaks_and_blanks() -> None:
    assert render("it reads: {body:quote}[ and {more}], really", body="a\n  b") == 'it reads: "a\n  b", really'
    assert render("the [{kind} ]thing[ of {who}] is there") == "the thing is there"


def test_a_slot_outside_of_brackets_must_have_a_value() -> None:
    with pytest.raises(KeyError, match="who"):
        render("pay {who}")


@pytest.mark.parametrize("text", ["a [b", "a b]", "a <b]", "{a", "a}", "[a <b>]", "{a b}"])
def test_a_template_that_does_not_close_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"brace|bracket"):
        PhraseTemplate(text)


@pytest.mark.parametrize(
    ("value", "form", "words"),
    [
        (12.5, "money", "12.50 dollars"),
        (1, "money", "1 dollar"),
        (-413.29, "money", "minus 413.29 dollars"),
        (1450, "money", "1450 dollars"),
        ("2031-05-14", "day", "14 May"),
        ("2032-05-14T09:00:00+00:00", "day", "14 May 2032"),
        ("2031-05-14T16:05:00-05:00", "time", "14 May at 16:05"),
        ("2031-05-14T16:05:00-05:00", "hour", "16:05"),
        ("2031-05-14T16:05:00-05:00", "date", "2031-05-14"),
        ("hello there", "quote", '"hello there"'),
        (["a", "b", "c"], "list", "a, b and c"),
        ("/home/ana/work/plan.txt", "basename", "plan.txt"),
        ("/home/ana/work/plan.txt", "parent", "work"),
        ("/plan.txt", "parent", "/"),
        ("/", "basename", "/"),
        (1, "plural(account,accounts)", "1 account"),
        (0, "plural(account,accounts)", "0 accounts"),
        (3.0, "", "3"),
        (2.5, "", "2.5"),
        (None, "", "none"),
        ([], "list", "none"),
    ],
)
def test_formats_write_values_as_documented(value: object, form: str, words: str) -> None:
    assert is_format(form)
    assert spoken(value, form, TODAY) == words


def test_an_unknown_format_is_refused() -> None:
    assert not is_format("roman")
    with pytest.raises(ValueError, match="roman"):
        spoken(1, "roman", TODAY)


@given(st.lists(st.text("abc", min_size=1), max_size=6))
def test_a_list_in_words_names_every_item_in_order(items: list[str]) -> None:
    words = listed(items)
    assert words.replace(" and ", ", ").split(", ") == (items or ["none"])
