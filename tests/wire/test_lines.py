"""Lines of JSON-RPC: split as they come, read strictly, answered whatever they hold."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from proverl.wire.lines import Malformed, Overlong, Splitter, admit, find_id

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.just("id"), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40)
@given(
    before=st.dictionaries(st.text(max_size=4), JSON_VALUES, max_size=3),
    after=st.dictionaries(st.text(max_size=4), JSON_VALUES, max_size=3),
    request_id=st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=8),
    ascii_only=st.booleans(),
)
def test_the_id_is_found_wherever_it_stands(
    before: dict[str, Any], after: dict[str, Any], request_id: Any, ascii_only: bool
) -> None:
    before.pop("id", None)
    after.pop("id", None)
    whole = {**before, "id": request_id, **after}
    line = json.dumps(whole, ensure_ascii=ascii_only).encode()
    assert find_id(line) == request_id
    assert find_id(line[:-1] + b', "n": NaN, "d": ' + b"[" * 500) == request_id
    assert find_id(b"[" + line + b"]") is None


@given(st.lists(st.binary(max_size=30), max_size=12), st.integers(1, 20))
def test_lines_do_not_depend_on_how_they_arrive(parts: list[bytes], limit: int) -> None:
    whole = b"".join(parts)
    expected = [line.strip(b" \t\r") if len(line) <= limit else len(line) for line in whole.split(b"\n")]
    splitter = Splitter(limit)
    found = [line for part in parts for line in splitter.feed(part)] + splitter.finish()
    assert [line.size if isinstance(line, Overlong) else line for line in found] == [e for e in expected if e]


@given(st.binary(max_size=60) | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
def test_whatever_is_no_message_is_answered_with_one_line_of_json(line: bytes) -> None:
    try:
        answer = None
        admitted = admit(line)
    except Malformed as malformed:
        answer = malformed.answer
    if answer is None:
        assert admitted["jsonrpc"] == "2.0"
    else:
        assert json.loads(answer)["error"]["code"] in (-32700, -32600)
        assert answer.endswith(b"\n")
        assert answer.count(b"\n") == 1
