"""A model behind an OpenAI-compatible endpoint: what is sent, and what is read from the answer."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from proverl.chat import Endpoint, Reply, ToolCall
from proverl.chat.endpoint import wire
from proverl.errors import DeadlineExceeded, InfrastructureError, UsageError
from proverl.records import Kind, Message, Trace
from proverl.rollout import MessageCodec, asking, play
from support.shop import server
from support.shop.tasks import irrelevant, open_session

GOOD = '{"name": "buy", "arguments": {"n": 1}}'
BUY = ToolCall("buy", {"n": 1})


def block(inside: str) -> str:
    return f"<tool_call>\n{inside}\n</tool_call>"


def test_results_carry_the_id_of_the_call_they_answer_and_parse_errors_follow_as_a_user_message():
    messages = [
        Message("user", "Go."),
        Message("assistant", "", (("a", {"x": "ü"}), ("b", {}))),
        Message("tool", "1", name="a"),
        Message("tool", "unreadable"),
        Message("tool", "2", name="b"),
        Message("assistant", "", (("a", {}),)),
        Message("tool", "3", name="a"),
    ]
    sent = wire(messages)
    assert [m["role"] for m in sent] == ["user", "assistant", "tool", "tool", "user", "assistant", "tool"]
    first, second = sent[1]["tool_calls"]
    assert first["function"]["arguments"] == '{"x":"ü"}'
    assert [sent[2]["tool_call_id"], sent[3]["tool_call_id"]] == [first["id"], second["id"]]
    assert sent[4]["content"] == "unreadable"
    ids = [call["id"] for m in sent for call in m.get("tool_calls", ())]
    assert len(set(ids)) == 3
    assert sent[6]["tool_call_id"] == ids[2]
    assert all(len(i) == 9 and i.isalnum() for i in ids)


Answer = tuple[int, dict[str, Any]]


def completion(content: str | None = None, calls: list[tuple[str, str]] | None = None, finish: str = "stop") -> Answer:
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {"id": f"x{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for n, (name, arguments) in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": finish}
    usage = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}
    return 200, {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def refusal(status: int, message: str = "no", code: str | None = None) -> Answer:
    return status, {"error": {"message": message, "type": "t", "code": code}}


@contextmanager
def endpoint(*answers: Answer, wait: float = 0.0, **options: Any) -> Iterator[tuple[Endpoint, list[dict[str, Any]]]]:
    """An endpoint on this machine that gives these answers, the last one for ever, and what it was asked."""
    asked: list[dict[str, Any]] = []
    release = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            asked.append(body)
            if wait:
                release.wait(wait)
            status, answer = answers[min(len(asked), len(answers)) - 1]
            data = json.dumps(answer).encode()
            try:
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.send_header("retry-after-ms", "1")
                self.end_headers()
                self.wfile.write(data)
            except BrokenPipeError:
                pass

        def log_message(self, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield Endpoint("m", base_url=f"http://127.0.0.1:{http.server_port}/v1", **options), asked
    finally:
        release.set()
        http.shutdown()
        thread.join()
        http.server_close()


def ask(model: Endpoint, *messages: Message, tools: bool = True) -> Reply:
    async def once() -> Reply:
        try:
            return await model.reply(messages or (Message("user", "Go."),), server.tools if tools else ())
        finally:
            await model.close()

    return asyncio.run(once())


def test_an_endpoint_is_sent_messages_schemas_and_options_and_its_calls_are_read():
    calls = [("buy", '{"n": 1}'), ("list_items", "")]
    with endpoint(completion("So be it.", calls), options={"temperature": 0, "max_tokens": 9}) as (model, asked):
        reply = ask(model)
    assert reply == Reply("So be it.", (BUY, ToolCall("list_items")), tokens=7)
    (request,) = asked
    assert request["model"] == "m"
    assert request["temperature"] == 0
    assert request["max_tokens"] == 9
    assert request["messages"] == [{"role": "user", "content": "Go."}]
    assert request["tools"] == [tool.function() for tool in server.tools]


def test_arguments_that_cannot_be_read_make_a_malformed_call():
    with endpoint(completion(None, [("buy", '{"n": 1, "n": 2}')])) as (model, _):
        (call,) = ask(model).calls
    assert (call.name, call.fragment, call.readable) == ("buy", '{"n": 1, "n": 2}', False)


@pytest.mark.parametrize("text", [f"```json\n{GOOD}\n```", block(GOOD)])
def test_a_call_in_the_text_is_lifted_only_where_tools_were_offered(text):
    with endpoint(completion(text)) as (model, _):
        assert ask(model).calls == (BUY,)
        assert ask(model, tools=False) == Reply(text, tokens=7)


def test_a_reply_that_was_cut_off_says_so():
    with endpoint(completion("So", finish="length")) as (model, _):
        assert ask(model).truncated


def test_a_context_that_is_full_cuts_the_reply_off_and_is_no_fault():
    with endpoint(refusal(400, "too long", "context_length_exceeded")) as (model, asked):
        assert ask(model) == Reply(truncated=True)
    assert len(asked) == 1


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_a_passing_fault_is_asked_again_and_a_lasting_one_is_an_infrastructure_error(status):
    with endpoint(refusal(status), completion("Yes.")) as (model, asked):
        assert ask(model).text == "Yes."
    assert len(asked) == 2
    with endpoint(refusal(status), retries=1) as (model, asked), pytest.raises(InfrastructureError):
        ask(model)
    assert len(asked) == 2


@pytest.mark.parametrize(("status", "error"), [(401, UsageError), (404, UsageError), (400, InfrastructureError)])
def test_what_asking_again_cannot_mend_is_not_asked_again(status, error):
    with endpoint(refusal(status)) as (model, asked), pytest.raises(error):
        ask(model)
    assert len(asked) == 1


def test_no_answer_in_time_is_a_missed_deadline():
    with endpoint(completion("late"), wait=5, timeout=0.1, retries=0) as (model, _), pytest.raises(DeadlineExceeded):
        ask(model)


def test_an_endpoint_that_is_not_there_is_an_infrastructure_error():
    with pytest.raises(InfrastructureError):
        ask(Endpoint("m", base_url="http://127.0.0.1:9/v1", retries=0))


def test_an_endpoint_without_any_key_says_what_to_give(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="API key"):
        ask(Endpoint("m"))


def test_an_endpoint_can_be_used_from_one_event_loop_after_another():
    with endpoint(completion("Yes.")) as (model, _):

        async def once() -> Reply:
            return await model.reply((Message("user", "Go."),), ())

        first = ask(model)
        assert ask(model) == first


def test_an_episode_with_an_endpoint_sends_back_the_results_of_its_calls():
    answers = [completion(None, [("list_items", '{"limit": 1}'), ("list_items", "{")]), completion("I cannot sing.")]
    with endpoint(*answers) as (model, asked):

        async def once() -> Trace:
            try:
                return await play(irrelevant(), open_session, asking(model), MessageCodec())
            finally:
                await model.close()

        trace = asyncio.run(once())
    good, bad = trace.turns[0].calls
    assert (good.outcome.kind, bad.outcome.kind) == (Kind.OK, Kind.UNPARSABLE)
    assert trace.turns[0].text == "I cannot sing."
    user, assistant, result, error = asked[1]["messages"]
    assert user["content"] == irrelevant().turns[0].user
    assert result["tool_call_id"] == assistant["tool_calls"][0]["id"]
    assert result["content"] == good.outcome.observation()
    assert error == {"role": "user", "content": bad.outcome.observation()}
