"""Places in JSON values, and what an origin takes from them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.paths import every, extract, flat, get, join, leaves, parse, put, retaken, taken, values
from proverl.records import Json, Origin

NAMES = st.text(st.characters(exclude_characters=".[]", exclude_categories=["Cs"]), min_size=1, max_size=4)
PARTS = st.lists(NAMES | st.integers(0, 999_999_999), max_size=5).map(tuple)
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
RESULT: Json = {"accounts": [{"id": "a1", "tags": ["x", "y"]}, {"id": None}, {"id": "a3"}], "count": 3, "0": "zero"}


@given(PARTS)
def test_parts_become_a_path_and_come_back(parts: tuple[str | int, ...]) -> None:
    assert parse(join(parts)) == parts


@given(VALUES)
def test_every_leaf_stands_at_its_path(value: Json) -> None:
    for path, leaf in leaves(value):
        assert get(value, path) is leaf
    assert sorted(map(repr, values(value))) == sorted(repr(leaf) for _, leaf in leaves(value))


@given(VALUES, SCALARS, st.data())
def test_what_was_put_is_got_and_nothing_else_has_changed(value: Json, item: Json, data: st.DataObject) -> None:
    places = dict(leaves(value))
    if not places:
        return
    path = data.draw(st.sampled_from(sorted(places)))
    changed = put(value, path, item)
    assert get(changed, path) == item
    assert dict(leaves(changed)) == {**places, path: item}
    assert dict(leaves(value)) == places


@given(VALUES, PARTS)
def test_putting_at_a_place_that_is_not_there_changes_nothing(value: Json, parts: tuple[str | int, ...]) -> None:
    if parts and get(value, join(parts)) is None and join(parts) not in dict(leaves(value)):
        assert put(value, join(parts), "new") == value


@given(VALUES)
def test_every_without_a_wildcard_is_get(value: Json) -> None:
    for path, leaf in leaves(value):
        assert list(every(value, path)) == ([] if leaf is None else [leaf])


@given(st.lists(st.lists(st.dictionaries(st.sampled_from("ab"), SCALARS), max_size=3), max_size=3))
def test_every_with_wildcards_is_get_at_each_number(rows: list[list[dict[str, Json]]]) -> None:
    value = {"rows": rows}
    places = [f"rows[{one}][{two}].a" for one, row in enumerate(rows) for two in range(len(row))]
    found = [get(value, place) for place in places]
    assert list(every(value, "rows[][].a")) == [item for item in found if item is not None]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", RESULT),
        ("count", 3),
        ("accounts[0].tags[1]", "y"),
        ("accounts[0].tags", ["x", "y"]),
        ("accounts[3].id", None),
        ("accounts.id", None),
        ("accounts.0", None),
        ("[0]", None),
        ("0", "zero"),
        ("count.x", None),
    ],
)
def test_names_lead_into_objects_and_numbers_into_lists(path: str, value: Json) -> None:
    assert get(RESULT, path) == value


@pytest.mark.parametrize(
    "path", [".", "a.", ".a", "a..b", "a[", "a[]", "a[-1]", "a[x]", "a]b", "a[1]b", "[" + "9" * 5000]
)
def test_what_is_no_path_leads_nowhere(path: str) -> None:
    assert parse(path) is None
    assert get(RESULT, path) is None
    assert put(RESULT, path, 1) is RESULT


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("accounts[].id", ["a1", "a3"]),
        ("accounts[].tags[]", ["x", "y"]),
        ("accounts[0].tags[]", ["x", "y"]),
        ("count[]", []),
        ("nothing[].id", []),
        ("accounts[].id[]", []),
    ],
)
def test_a_wildcard_stands_for_every_item(path: str, found: list[Json]) -> None:
    assert list(every(RESULT, path)) == found


def test_a_result_as_one_table_has_its_fields_and_every_value_by_its_path() -> None:
    assert flat({"a": [{"b": 1}], "c": 2}) == {"a": [{"b": 1}], "c": 2, "a[0].b": 1}
    assert flat([1]) == {}


# Origins


@pytest.mark.parametrize(
    ("match", "found"),
    [
        ("", "Your code is 482913, not 17."),
        ("[0-9]{6}", "482913"),  # the whole match
        ("code is ([0-9]+)", "482913"),  # the first group
        ("(?:code) is ([0-9])([0-9])", "4"),
        ("(nothing)?code", None),  # a group that took no part
        ("[0-9]{9}", None),
        ("(?=code)", None),  # RE2 has no look-ahead
        ("([0-9]", None),
        ("a{1001}", None),
        ("\ud800", None),
    ],
)
def test_a_pattern_gives_its_first_group_or_its_match_or_nothing(
    match: str, found: str | None, capfd: pytest.CaptureFixture[str]
) -> None:
    result = {"messages": [{"body": "Your code is 482913, not 17."}]}
    assert taken(Origin(0, "messages[0].body", match=match), result) == found
    assert extract(result, "messages[0].body", match) == found
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("value", [None, 482913, True, ["482913"], {"code": "482913"}, "\ud800482913"])
def test_a_pattern_finds_nothing_in_what_is_no_text(value: Json) -> None:
    assert taken(Origin(0, "body", match="[0-9]{6}"), {"body": value}) is None


def test_a_pattern_that_backtracks_elsewhere_is_linear() -> None:
    assert extract({"body": "a" * 100_000}, "body", "(a+)+$x") is None


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_whatever_stands_in_a_file_taking_it_raises_nothing(path: str, match: str, body: str) -> None:
    taken(Origin(0, path, match=match), {"body": body})
    list(every({"body": body}, path))


def test_what_an_episode_made_is_taken_from_its_results_by_place_and_by_pattern() -> None:
    origins = {
        "ids[1]": Origin(0, "made[0].id", made=True),
        "code": Origin(1, "messages[0].body", made=True, match="[0-9]{6}"),
        "kept": Origin(0, "made[0].id"),
        "nowhere[3]": Origin(0, "made[0].id", made=True),
        "": Origin(0, "made[0].id", made=True),
    }
    arguments = {"ids": ["a", "b"], "code": "000000", "kept": "k"}
    results = {0: {"made": [{"id": "new"}]}, 1: {"messages": [{"body": "The code is 123456."}]}}
    assert retaken(arguments, origins, results) == {"ids": ["a", "new"], "code": "123456", "kept": "k"}
    assert arguments["ids"] == ["a", "b"]
    refused = {0: {"error": {"kind": "refused"}}, 1: {"messages": []}}
    assert retaken(arguments, origins, refused) == arguments
    assert retaken(arguments, origins, {}) == arguments
