"""Reading calls out of what a model wrote."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proverl.chat import Reply, ToolCall, fenced, hermes, read_object, without_thinking
from proverl.strict_json import Unfit

GOOD = '{"name": "buy", "arguments": {"n": 1}}'


BUY = ToolCall("buy", {"n": 1})


def block(inside: str) -> str:
    return f"<tool_call>\n{inside}\n</tool_call>"


def test_blocks_are_calls_and_the_rest_is_text():
    assert hermes(f"Let me see.\n{block(GOOD)}\n{block(GOOD)}\nDone.") == Reply("Let me see.\n\n\nDone.", (BUY, BUY))


def test_a_closing_tag_inside_a_string_does_not_end_the_block():
    text = '{"name": "note", "arguments": {"text": "</tool_call><tool_call>"}}'
    assert hermes(block(text)).calls == (ToolCall("note", {"text": "</tool_call><tool_call>"}),)


def test_the_last_block_may_lack_its_closing_tag():
    assert hermes(f"<tool_call>{GOOD}").calls == (BUY,)
    assert hermes(f"<tool_call>{GOOD}<tool_call>{GOOD}").calls == (BUY, BUY)


@pytest.mark.parametrize(
    ("fragment", "problem"),
    [
        ('{"name": "buy", "arguments": {"n": 1}', "delimiter"),
        ('{"name": "buy", "arguments": {"n": 1, "n": 2}}', "occurs twice"),
        ('{"name": "buy", "name": "sell", "arguments": {}}', "occurs twice"),
        ('{"name": "buy", "arguments": {"n": NaN}}', "NaN"),
        ('{"name": "buy", "arguments": {"n": -Infinity}}', "Infinity"),
        ('{"name": "buy", "arguments": {"n": 1e999}}', "too large"),
        ('{"name": "buy", "arguments": {"n": "\\ud800"}}', "surrogate"),
        ('{"name": "buy", "arguments": {"n": ' + "9" * 5000 + "}}", "outside"),
        ('{"name": "buy", "arguments": ' + '{"a":' * 70 + "1" + "}" * 70 + "}", "deeper"),
        ('{"name": "buy", "arguments": ' + "[" * 100_000, "deeper"),
        ('{"name": "buy", "arguments": [1]}', "a list"),
        ('{"name": "buy", "arguments": "{}"}', "a string"),
        ('{"name": "buy", "arguments": null}', "null"),
        ('{"name": "buy"}', "missing"),
        ('{"arguments": {}}', '"name"'),
        ('{"name": 3, "arguments": {}}', '"name"'),
        (f"[{GOOD}]", "a list"),
        (f"{GOOD} and more", "text after"),
        (f"{GOOD}{GOOD}", "text after"),
        ("buy(n=1)", "Expecting value"),
    ],
)
def test_what_two_readers_could_read_differently_is_a_malformed_call_with_its_fragment(fragment, problem):
    (call,) = hermes(block(fragment)).calls
    assert not call.readable
    assert call.fragment == fragment
    assert problem in call.problem
    assert call.arguments == {}


def test_an_empty_block_is_a_malformed_call():
    (call,) = hermes("<tool_call></tool_call>").calls
    assert call.fragment
    assert not call.readable


def test_the_name_of_a_malformed_call_is_kept_where_it_could_be_read():
    assert hermes(block('{"name": "buy", "arguments": 3}')).calls[0].name == "buy"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<think>a</think>b", "b"),
        ("a<think>b</think>c<think>d</think>e", "ace"),
        ("<think>never closed", ""),
        ("opened in the prompt</think>b", "b"),
        ("opened in the prompt</think>b<think>c</think>d", "bd"),
        ("nothing", "nothing"),
    ],
)
def test_thinking_is_taken_away(text, rest):
    assert without_thinking(text) == rest


def test_calls_inside_thinking_do_not_count():
    assert hermes(f"<think>perhaps {block(GOOD)}</think>No.") == Reply("No.")
    assert hermes(f"<think>perhaps {block(GOOD)}") == Reply()
    assert fenced(f"<think>```json\n{GOOD}\n```</think>No.") == Reply("No.")


@given(st.text(alphabet=st.sampled_from('<>/tool_cal{}[]":,namergu1 \n\\'), max_size=60), st.booleans())
def test_no_text_makes_the_reader_fail_and_every_opened_block_is_a_call(text, inside):
    text = block(text) if inside else text
    reply = hermes(text)
    assert len(reply.calls) >= (1 if inside else 0)
    fenced(f"```json\n{text}\n```")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.floats(1 - 2**53, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(min_size=1), st.dictionaries(st.text(), JSON, max_size=4))
def test_a_call_written_by_any_json_writer_is_read_back(name, arguments):
    for ascii_only in (True, False):
        text = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=ascii_only)
        assert hermes(block(text)).calls == (ToolCall(name, arguments),)
        assert read_object(text) == {"name": name, "arguments": arguments}


def test_read_object_takes_nothing_after_the_object():
    with pytest.raises(Unfit, match="after"):
        read_object("{} {}")


def test_a_fence_with_a_call_is_lifted_and_other_fences_stay_text():
    other = '```json\n{"name": "Ann", "age": 3}\n```'
    reply = fenced(f"First:\n```json\n{GOOD}\n```\nThen:\n{other}")
    assert reply.calls == (BUY,)
    assert other in reply.text
    assert GOOD not in reply.text


def test_a_fence_with_a_list_of_calls_is_lifted_whole():
    assert fenced(f"```\n[{GOOD}, {GOOD}]\n```").calls == (BUY, BUY)


def test_a_fence_that_should_be_a_call_and_is_malformed_is_a_malformed_call():
    (call,) = fenced('```json\n{"name": "buy", "arguments": {"n": 1,}}\n```').calls
    assert not call.readable
