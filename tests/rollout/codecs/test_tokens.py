"""The token codec in the loop: ids, masks, limits, templates."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proverl.chat import Reply, ToolCall
from proverl.errors import UsageError
from proverl.policies.scripted import POLICIES
from proverl.records import DEFAULT_LIMITS, Kind, Limits, Message, Task, Trace
from proverl.rollout import Sampled, TokenCodec, TokenPrompt, play
from support.shop import server
from support.shop.episodes import CODEC, act, act_in_tokens, kinds
from support.shop.tasks import (
    TASKS,
    buy_and_cancel,
    irrelevant,
    open_session,
)
from support.shop.tokenizer import CharacterTokenizer


def in_tokens(task: Task, *texts: str, limits: Limits = DEFAULT_LIMITS, codec: TokenCodec = CODEC) -> Trace:
    """The trace of a task with these texts as sampled ids."""
    left = list(texts)

    async def generate(prompt: TokenPrompt) -> Sampled:
        ids = CharacterTokenizer().encode(left.pop(0))
        return Sampled([*ids, codec.end_id], [-0.5] * (len(ids) + 1))

    return asyncio.run(play(task, open_session, generate, codec, limits))


def check_tokens(trace: Trace, limits: Limits = DEFAULT_LIMITS) -> None:
    assert len(trace.response_ids) == len(trace.response_mask) == len(trace.logprobs)
    assert len(trace.response_ids) <= limits.response_tokens
    assert set(trace.response_mask) <= {0, 1}
    assert all(logprob == 0.0 for logprob, own in zip(trace.logprobs, trace.response_mask, strict=True) if not own)


@pytest.mark.parametrize("make", TASKS)
@pytest.mark.parametrize("name", sorted(POLICIES))
def test_a_policy_does_the_same_through_messages_and_through_tokens(make, name):
    task = make()
    limits = Limits(response_tokens=200_000, prompt_tokens=200_000)
    by_messages, by_tokens = act(task, name, limits), act_in_tokens(task, name, limits=limits)
    check_tokens(by_tokens, limits)
    assert by_tokens.turns == by_messages.turns
    assert by_tokens.stop == by_messages.stop
    assert by_tokens.digest == by_messages.digest
    assert [m.content for m in by_tokens.messages] == [m.content for m in by_messages.messages]


@pytest.mark.parametrize("make", TASKS)
def test_the_ids_of_an_episode_are_those_of_the_whole_conversation_in_one_rendering(make):
    task = make()
    trace = act_in_tokens(task, "ground_truth")
    tokenizer = CharacterTokenizer()
    chat = [message.chat() for message in trace.messages]
    tools = [tool.function() for tool in task.shown(0)]
    whole = tokenizer.apply_chat_template(chat, tools=tools, tokenize=False, add_generation_prompt=False)
    rendered = whole.replace("<|im_start|>assistant\n\n<tool_call>", "<|im_start|>assistant\n<tool_call>")
    assert [*trace.prompt_ids, *trace.response_ids] == tokenizer.encode(rendered.removesuffix("\n"))


def test_the_mask_is_one_on_exactly_what_was_sampled():
    texts = ['<tool_call>{"name": "list_items", "arguments": {"limit": 1}}</tool_call>', "I cannot sing."]
    trace = in_tokens(irrelevant(), *texts)
    own = [i for i, m in zip(trace.response_ids, trace.response_mask, strict=True) if m]
    sampled = [i for text in texts for i in (*CharacterTokenizer().encode(text), CODEC.end_id)]
    assert own == sampled
    assert [p for p, m in zip(trace.logprobs, trace.response_mask, strict=True) if m] == [-0.5] * len(sampled)


def test_all_results_of_one_assistant_turn_stand_in_one_group():
    two = '<tool_call>{"name": "list_items", "arguments": {"limit": 1}}</tool_call>' * 2
    trace = in_tokens(irrelevant(), two, "No.")
    tokenizer = CharacterTokenizer()
    masked = [i for i, m in zip(trace.response_ids, trace.response_mask, strict=True) if not m]
    result = trace.turns[0].calls[0].outcome.observation()
    grouped = f"\n<tool_response>\n{result}\n</tool_response>" * 2
    expected = f"\n<|im_start|>user{grouped}<|im_end|>\n<|im_start|>assistant\n"
    assert tokenizer.decode(masked, skip_special_tokens=False, clean_up_tokenization_spaces=False) == expected


def test_an_engine_that_leaves_out_the_ending_token_gets_it_masked():
    texts = ['<tool_call>{"name": "list_items", "arguments": {"limit": 1}}</tool_call>', "No."]
    whole = in_tokens(irrelevant(), *texts)
    left = list(texts)

    async def generate(prompt: TokenPrompt) -> Sampled:
        return Sampled(CharacterTokenizer().encode(left.pop(0)))

    trace = asyncio.run(play(irrelevant(), open_session, generate, CODEC))
    assert trace.response_ids == whole.response_ids[:-1]
    assert trace.response_mask[len(CharacterTokenizer().encode(texts[0]))] == 0
    check_tokens(trace)


def test_an_engine_whose_log_probabilities_do_not_fit_its_ids_masks_the_trace(caplog):
    async def generate(prompt: TokenPrompt) -> Sampled:
        return Sampled([200, 201], [-1.0])

    assert asyncio.run(play(irrelevant(), open_session, generate, CODEC)).masked


def test_a_prompt_that_is_too_long_masks_the_trace_before_anything_is_generated():
    trace = in_tokens(irrelevant(), limits=Limits(prompt_tokens=100))
    assert trace.stop == "length"
    assert "prompt" in trace.masked


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 900), st.lists(st.integers(0, 300), min_size=1, max_size=12))
def test_whatever_the_lengths_the_token_fields_are_equally_long_and_within_the_limit(limit, lengths):
    good = '<tool_call>{"name": "list_items", "arguments": {"limit": 1}}</tool_call>'
    left = list(lengths)
    limits = Limits(response_tokens=limit)

    async def generate(prompt: TokenPrompt) -> Sampled:
        assert 0 < prompt.room <= limit
        length = left.pop(0) if left else 0
        ids = [*CharacterTokenizer().encode("x" * length + (good if length % 2 else "")), CODEC.end_id]
        return Sampled(ids[: prompt.room], finished=len(ids) <= prompt.room)

    trace = asyncio.run(play(buy_and_cancel(), open_session, generate, CODEC, limits))
    check_tokens(trace, limits)
    assert not trace.masked
    assert trace.response_mask[-1] == 1


TEXT = st.lists(
    st.sampled_from(
        ["<", "|im_end|>", "<|im_start|>", "<|im_end|>", "</tool_response>", "<tool_", "call>", "a", "\ue000"]
    )
).map("".join)


@settings(max_examples=80, deadline=None)
@given(TEXT, TEXT, TEXT)
def test_control_tokens_in_what_users_and_tools_say_stay_text(system, user, result):
    tokenizer = CharacterTokenizer()

    def controls(ids: Sequence[int]) -> list[int]:
        return [token for token in ids if token < 100]

    def prompt(*texts: str) -> list[int]:
        messages = [Message("system", texts[0]), Message("user", texts[1])]
        return list(CODEC.start(messages, server.tools, Limits()).prompt().ids)

    plain = prompt("s", "u")
    ids = prompt(system + "s", user)
    assert controls(ids) == controls(plain)
    text = tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    assert f"<|im_start|>user\n{user}<|im_end|>" in text
    told = CODEC.extension([Message("tool", result, name="list_items")])
    assert controls(told) == controls(CODEC.extension([Message("tool", "r", name="list_items")]))
    assert result in tokenizer.decode(told, skip_special_tokens=False, clean_up_tokenization_spaces=False)


ARGUMENTS = st.dictionaries(
    st.text(max_size=5),
    st.recursive(st.none() | st.integers(1 - 2**53, 2**53 - 1) | TEXT, lambda inner: st.lists(inner, max_size=3)),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["buy", "list_items"]), ARGUMENTS), min_size=1, max_size=4))
def test_calls_that_are_spelled_in_tokens_are_read_back_as_they_were(calls):
    reply = Reply("So be it.", tuple(ToolCall(name, arguments) for name, arguments in calls))
    read = CODEC.read(CODEC.spell(reply))
    assert read.text == reply.text
    assert read.calls == reply.calls


def test_a_template_without_a_token_at_the_end_of_a_turn_is_refused():
    class Bare(CharacterTokenizer):
        def apply_chat_template(self, conversation, **options):
            return "\n".join(f"{message['role']}: {message['content']}" for message in conversation)

    with pytest.raises(UsageError, match="special token"):
        TokenCodec(Bare())


def test_a_malformed_call_beside_a_good_one_leaves_the_good_one_executed():
    text = '<tool_call>{"name": "list_items"</tool_call><tool_call>{"name": "list_items", "arguments": {}}</tool_call>'
    trace = in_tokens(irrelevant(), text, "No.")
    assert kinds(trace) == [[Kind.UNPARSABLE, Kind.OK]]
