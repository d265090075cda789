"""The strict reader: what is JSON to every reader passes unchanged, and nothing else does."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.strict_json import MAX_DEPTH, MAX_INTEGER, MAX_LINE, Unfit, check, decode

number = st.integers(-MAX_INTEGER, MAX_INTEGER) | st.floats(-float(MAX_INTEGER), float(MAX_INTEGER))
text = st.text(st.characters(exclude_categories=["Cs"]))
plain = st.recursive(
    st.none() | st.booleans() | number | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_what_every_reader_understands_alike_passes_and_comes_back_the_same(value: Any) -> None:
    check(value)
    line = json.dumps(value).encode()
    assert json.dumps(decode(line)) == json.dumps(value)
    assert decode(json.dumps(value, ensure_ascii=False).encode()) == value


UNFIT = [
    float("nan"),
    float("inf"),
    float("-inf"),
    MAX_INTEGER + 1,
    -MAX_INTEGER - 1,
    10**400,
    1e300,
    -1e16,
    "\ud800",
    "a\udfff",
    {"\ud800": 1},
    {1: 2},
    {None: 1},
    b"bytes",
    (1, 2),
    {1, 2},
    type("Text", (str,), {})("x"),
]


@pytest.mark.parametrize("bad", UNFIT, ids=lambda bad: repr(bad)[:30])
@given(around=st.lists(st.sampled_from(["list", "dict"]), max_size=5))
def test_what_no_reader_can_be_trusted_with_is_refused_wherever_it_stands(bad: Any, around: list[str]) -> None:
    value = bad
    for kind in around:
        value = [0, value] if kind == "list" else {"a": value}
    with pytest.raises(Unfit):
        check(value)


def nested(depth: int) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


def test_nesting_passes_to_the_limit_and_not_beyond() -> None:
    check(nested(MAX_DEPTH))
    assert decode(json.dumps(nested(MAX_DEPTH)).encode()) == nested(MAX_DEPTH)
    for depth in (MAX_DEPTH + 1, 500):
        with pytest.raises(Unfit, match="nested"):
            check(nested(depth))
        with pytest.raises(Unfit, match="nested"):
            decode(json.dumps(nested(depth)).encode())
    with pytest.raises(Unfit, match="nested"):
        decode(b"[" * 100_000)


def test_a_list_that_holds_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(Unfit, match="nested"):
        check(loop)


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": 1, "a": 2}',
        b'{"x": {"a": 1, "b": 2, "a": 1}}',
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1e999",
        b"9007199254740992",
        b"9007199254740992.0",
        b"9" * 5000,
        b"-" + b"9" * 17,
        b'"\\ud800"',
        b'"\xff"',
        b"\xef\xbb\xbf1",
        b"",
        b"{",
        b"[1,]",
        b"{'a': 1}",
        b"01",
        b"1 2",
        b'"\n"',
        b"[" + b"1," * (MAX_LINE // 2) + b"1]",
    ],
    ids=lambda line: repr(line[:30]),
)
def test_a_line_that_two_readers_could_read_differently_is_refused(line: bytes) -> None:
    with pytest.raises(Unfit):
        decode(line)


@given(st.binary(max_size=60))
def test_no_bytes_make_the_decoder_fail_otherwise(line: bytes) -> None:
    try:
        value = decode(line)
    except Unfit:
        return
    assert not isinstance(value, float) or math.isfinite(value)
