"""The rules of the reward one by one: levels, values, steps, rows, abstention, `paper`, and the explanation."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from io import StringIO

import pytest
from rich.console import Console

from proverl.records import (
    TERMS,
    Call,
    Change,
    Edge,
    Kind,
    Origin,
    Outcome,
    Score,
    Step,
    Task,
    Tool,
    Trace,
    TraceTurn,
    Turn,
    TurnKind,
    dump,
    load,
)
from proverl.reward import explain, score
from proverl.reward.match.values import SearchableResult, agree, same
from support import reward_policies as policies
from support import reward_shapes as shapes

# Validity


def one_call(call: Call, tool: Tool | None = None) -> float:
    """The validity, in `paper`, of a trace of this call on a task of one step."""
    tool = tool or shapes.TOOLS[call.name]
    step = Step(0, tool.name, {}, Outcome(Kind.OK, {}), tool.effect)
    task = Task("one", "bank", 1, (tool,), (Turn("Go.", steps=(step,)),))
    return score(task, Trace("one", (TraceTurn((call,)),)), "paper").terms["validity"]


def typed(kind: str, **more: object) -> Tool:
    found = shapes.tool("t", "read", {"v": kind})
    return replace(found, input_schema={**found.input_schema, **more})


@pytest.mark.parametrize(
    ("kind", "value", "level"),
    [
        ("integer", 5, 3),
        ("integer", 5.0, 3),
        ("integer", 5.5, 1),
        ("integer", "5", 1),
        ("integer", True, 1),
        ("number", 5, 3),
        ("number", False, 1),
        ("boolean", 1, 1),
        ("string", 5, 1),
        ("string", None, 1),
    ],
)
def test_types_are_judged_by_json_schema(kind: str, value: object, level: int) -> None:
    assert one_call(shapes.ok("t", {}, v=value), typed(kind)) == pytest.approx(level / 3)


def test_unknown_keys_fail_only_where_the_schema_says_so() -> None:
    call = shapes.ok("t", {}, v="a", w=1)
    assert one_call(call, typed("string")) == pytest.approx(1 / 3)
    assert one_call(call, typed("string", additionalProperties=True)) == 1


def test_an_enumeration_that_is_not_shown_cannot_make_arguments_bad() -> None:
    call = Call("t", {"v": "blue"}, Outcome(Kind.BAD_ARGUMENTS, code="schema"))
    assert one_call(call, typed("string")) == pytest.approx(2 / 3)
    shown = {"properties": {"v": {"type": "string", "enum": ["red"]}}}
    assert one_call(call, typed("string", **shown)) == pytest.approx(1 / 3)


def test_text_that_says_error_does_not_make_a_call_fail() -> None:
    assert one_call(shapes.ok("t", {"error": "not found"}, v="a"), typed("string")) == 1
    assert one_call(Call("t", {"v": "a"}, Outcome(Kind.EMPTY, {"count": 0})), typed("string")) == 1


def test_a_tool_of_a_later_turn_is_not_known_before() -> None:
    task, trace = policies.act("calls the hidden tool", "missing")
    hidden = replace(trace.turns[0].calls[0], outcome=Outcome(Kind.OK, {}))
    after = replace(trace, turns=(replace(trace.turns[0], calls=(hidden,)), trace.turns[1]))
    assert score(task, after, "paper").terms["validity"] == pytest.approx(2 / 3)


# Values


@pytest.mark.parametrize(
    ("right", "given", "schema", "equal"),
    [
        (5, 5.0, {}, True),
        (0.3, 0.1 + 0.2, {}, True),
        (100, 101, {}, False),
        (1, True, {}, False),
        (True, 1, {}, False),
        (10**400, 10**400 + 1, {}, False),
        (0.5, 10**400, {}, False),
        ("5", 5, {}, False),
        ("2031-05-14T16:00:00-05:00", "2031-05-14T21:00:00Z", {}, True),
        ("2031-05-14T16:00:00-05:00", "2031-05-14T16:00", {}, True),
        ("2031-05-14T16:00:00-05:00", "2031-05-14T16:00:00Z", {}, False),
        ("2031-05-14", "2031-05-15", {}, False),
        ("2031-05-14", "2031-05-14T00:00:00", {}, False),
        ("2031-99-99T16:00:00", "2031-99-99T16:00:01", {}, False),
        ("Ana@Example.com", "ana@example.com", {}, True),
        ("Ana", "ana", {}, False),
        ("/home/ana/work", "/home/ana/./x/../work/", {}, True),
        ("/home/ana", "//home/ana", {}, True),
        ("work", "./work", {}, False),
        ("caf\u00e9  bar", "cafe\u0301 bar ", {}, True),
        (["a", "b"], ["b", "a"], {}, False),
        (["a", "b"], ["b", "a"], {"uniqueItems": True}, True),
        (["a", "a"], ["a", "b"], {"uniqueItems": True}, False),
        ([["b", "a"]], [["a", "b"]], {"items": {"uniqueItems": True}}, True),
        ({"to": ["a", "b"]}, {"to": ["b", "a"]}, {"properties": {"to": {"uniqueItems": True}}}, True),
        ({"a": 1}, {"a": 1, "b": 2}, {}, False),
        (None, None, {}, True),
        (None, False, {}, False),
    ],
)
def test_values_agree_as_a_schema_reads_them(
    right: object, given: object, schema: dict[str, object], equal: bool
) -> None:
    assert agree(right, given, schema) is equal


def test_json_equality_is_strict_about_booleans_and_text() -> None:
    assert same({"a": [1, None]}, {"a": [1.0, None]})
    assert not same(1, True)
    assert not same(0, False)
    assert not same("a@b.co", "A@b.co")
    assert not same([1], [1, 2])


def test_a_result_shows_a_value_as_its_own_or_as_words_of_a_text() -> None:
    shown = SearchableResult({"rows": [{"id": "acc-12", "left": 7.5, "open": True}], "body": "Your code is 482913."})
    assert shown.holds("acc-12")
    assert shown.holds(["acc-12", 7.5])
    assert shown.holds("482913")
    assert not shown.holds("acc-1")
    assert not shown.holds("8291")
    assert not shown.holds(True)
    assert not shown.holds([])


# Steps


def single(step: Step, call: Call, turn: Turn | None = None, rows: tuple[Change, ...] = ()) -> Score:
    task = Task("one", "bank", 1, tuple(shapes.TOOLS.values()), (replace(turn or Turn("Go."), steps=(step,)),))
    return score(task, Trace("one", (TraceTurn((call,), "Done.", rows),)))


def test_free_text_counts_only_where_the_user_dictated_it() -> None:
    right = replace(shapes.transfer(), arguments={**shapes.transfer().arguments, "memo": "for the rent"})
    given = replace(right, arguments={**right.arguments, "memo": "rent"})
    step = shapes.step(0, right)
    assert single(step, given).terms["argument"] == 1
    assert single(replace(step, dictated=("memo",)), given).terms["argument"] == pytest.approx(3 / 4)


def test_a_required_text_that_was_dictated_counts_in_coverage() -> None:
    tool = replace(shapes.tool("say", "write", {"to": "string", "body": "string"}), free=("body",))
    step = Step(
        0, "say", {"to": "a", "body": "hello"}, Outcome(Kind.OK, {}), "write", compared=("to",), dictated=("body",)
    )
    task = Task("one", "bank", 1, (tool,), (Turn("Go.", steps=(step,)),))
    trace = Trace("one", (TraceTurn((shapes.ok("say", {}, to="a", body="bye"),)),))
    assert score(task, trace).terms["coverage"] == pytest.approx(1 / 2)


def test_an_argument_left_out_is_what_the_schema_takes_for_it() -> None:
    tool = shapes.tool("list_rows", "read", {}, {"limit": "integer"})
    tool.input_schema["properties"]["limit"]["default"] = 20
    step = Step(0, "list_rows", {"limit": 20}, Outcome(Kind.OK, {"rows": [1]}), compared=("limit",), terminal=True)
    task = Task("one", "bank", 1, (tool,), (Turn("Go.", steps=(step,)),))
    done = Trace("one", (TraceTurn((shapes.ok("list_rows", {"rows": []}),), "Done."),))
    assert score(task, done).total == 1


def test_a_terminal_read_with_a_filter_more_must_show_the_same() -> None:
    right = shapes.BRANCHES
    step = replace(shapes.step(0, right), terminal=True)
    assert single(step, shapes.BRANCHES_IN).terms["goal"] == 1  # it shows what the ground truth shows
    other = replace(shapes.BRANCHES_IN, outcome=Outcome(Kind.OK, {"count": 0, "branches": []}))
    assert single(step, other).terms["goal"] == 0
    assert single(step, other).terms["coverage"] == 1


def test_an_empty_result_of_wrong_values_is_not_what_the_user_wanted_to_know() -> None:
    step = replace(shapes.step(0, shapes.LOOK_NONE), terminal=True)
    other = replace(shapes.LOOK_NONE, arguments={"owner": "Somebody"})
    assert single(step, shapes.LOOK_NONE).terms["goal"] == 1
    assert single(step, other).terms["goal"] == 0


def test_paths_are_compared_as_the_server_resolved_them() -> None:
    tool = shapes.tool("read_file", "read", {"path": "string"})
    right = Outcome(Kind.OK, {"text": "x"})
    step = Step(0, "read_file", {"path": "/home/ana/a.txt"}, right, compared=("path",), terminal=True)
    task = Task("one", "bank", 1, (tool,), (Turn("Go.", steps=(step,)),))

    def scored(path: str, resolved: str) -> float:
        call = Call("read_file", {"path": path}, Outcome(Kind.OK, {"text": "y"}, resolved={"path": resolved}))
        return score(task, Trace("one", (TraceTurn((call,), "Read."),))).total

    assert scored("a.txt", "/home/ana/a.txt") == 1
    assert scored("a.txt", "/tmp/a.txt") < 0.5


def test_what_a_call_made_agrees_by_its_own_name_even_where_the_server_follows_it_further() -> None:
    make = shapes.tool("make_link", "write", {"link_path": "string"})
    count = shapes.tool("count_lines", "read", {"path": "string"})
    made = shapes.ok("make_link", {"link_path": "/home/ana/short"}, link_path="/home/ana/short")
    seen = Outcome(Kind.OK, {"lines": 3}, resolved={"path": "/home/ana/long.txt"})
    counted = Call("count_lines", {"path": "/home/ana/short"}, seen, 1)
    steps = (
        Step(0, "make_link", made.arguments, made.outcome, "write", compared=("link_path",)),
        Step(
            1,
            "count_lines",
            counted.arguments,
            seen,
            edges=(Edge(0, "value"),),
            origins={"path": Origin(0, "link_path", made=True)},
            compared=("path",),
            terminal=True,
        ),
    )
    task = Task("link", "files", 1, (make, count), (Turn("Go.", steps=steps),))
    assert score(task, Trace("link", (TraceTurn((made, counted), "Done."),))).total == 1
    elsewhere = replace(counted, arguments={"path": "/tmp/x"}, outcome=replace(seen, resolved={"path": "/tmp/x"}))
    assert score(task, Trace("link", (TraceTurn((made, elsewhere), "Done."),))).terms["argument"] == 0.5


def made_twice(first: str, second: str, used: str, other: str) -> Score:
    """Two payees are added, then each is paid; the ground truth made pay-8 and pay-9."""
    names = (("pay-8", "Al"), ("pay-9", "Bo"))
    adds = [shapes.ok("add_payee", {"payee_id": made}, name=name, iban="X") for made, name in names]
    pays = [shapes.transfer(payee="pay-8"), shapes.transfer(payee="pay-9", amount=7.0)]
    steps = [shapes.step(index, call) for index, call in enumerate(adds)]
    for index, call in enumerate(pays):
        origin = {"payee_id": Origin(index, "payee_id", made=True)}
        steps.append(shapes.step(2 + index, call, (Edge(index, "value"),), origins=origin))
    task = Task("two", "bank", 1, tuple(shapes.TOOLS.values()), (Turn("Go.", steps=tuple(steps)),))
    calls = [
        shapes.ok("add_payee", {"payee_id": first}, name="Bo", iban="X"),
        shapes.ok("add_payee", {"payee_id": second}, name="Al", iban="X"),
        shapes.transfer(payee=used),
        shapes.transfer(payee=other, amount=7.0),
    ]
    done = tuple(replace(call, assistant_turn=at) for at, call in enumerate(calls))
    return score(task, Trace("two", (TraceTurn(done, "Done."),)))


def test_an_id_made_in_the_episode_is_the_one_that_its_own_call_made() -> None:
    # Bo is added first and so becomes pay-8: right is to pay pay-9 for Al, and pay-8 for Bo.
    assert made_twice("pay-8", "pay-9", "pay-9", "pay-8").terms["coverage"] == 1
    swapped = made_twice("pay-8", "pay-9", "pay-8", "pay-9")
    assert swapped.terms["coverage"] == pytest.approx((1 + 1 + 2 / 3 + 2 / 3) / 4)


def test_a_look_up_is_not_served_by_a_read_that_came_after_its_value_was_used() -> None:
    task, trace = policies.act("look-up by another read", "read")
    search, balance = trace.turns[0].calls
    late = (replace(balance, assistant_turn=0), replace(search, assistant_turn=1))
    found = score(task, replace(trace, turns=(replace(trace.turns[0], calls=late),)))
    assert found.terms["coverage"] == pytest.approx(1 / 2)
    assert found.turns[0].matches[0].by == ""


def test_nor_by_a_read_of_a_later_turn() -> None:
    task, trace = policies.act("skipped look-ups", "multi-turn")
    calls = (replace(shapes.SEARCH, assistant_turn=8), replace(shapes.FREEZE, assistant_turn=9))
    found = score(task, replace(trace, turns=(trace.turns[0], replace(trace.turns[1], calls=calls))))
    assert found.turns[0].terms["coverage"] == pytest.approx(1 / 2)
    assert found.turns[0].matches[0].by == ""


@pytest.mark.parametrize(("shown", "names", "covered"), [("pay-7", 1, 1), ("pay-1", 1 / 2, 1 / 2)])
def test_one_call_may_be_a_step_and_show_what_another_look_up_of_its_name_was_for(
    shown: str, names: float, covered: float
) -> None:
    wanted = shapes.ok("list_payees", {"payees": [{"payee_id": "pay-2"}]}, name="Al")
    steps = (shapes.look_up(0, shapes.PAYEES, "pay-7"), replace(shapes.step(1, wanted), terminal=True))
    task = Task("one", "bank", 1, tuple(shapes.TOOLS.values()), (Turn("Go.", steps=steps),))
    call = shapes.ok("list_payees", {"payees": [{"payee_id": "pay-2"}, {"payee_id": shown}]}, name="Al")
    terms = score(task, Trace("one", (TraceTurn((call,)),))).terms
    assert (terms["name"], terms["validity"], terms["coverage"]) == (names, names, covered)


def test_one_read_of_an_earlier_turn_serves_a_later_look_up() -> None:
    task, trace = policies.act("reads, then asks", "clarify")
    second = replace(trace.turns[1], calls=trace.turns[1].calls[1:])
    found = score(task, replace(trace, turns=(trace.turns[0], second)))
    assert found.turns[1].total == 1
    assert found.turns[1].matches[0].turn == 0


def test_calls_after_the_first_2b_are_not_aligned() -> None:
    task, trace = policies.act("ground truth", "read")  # n 2, B 3
    noise = tuple(replace(shapes.BRANCHES, assistant_turn=at) for at in range(5))
    look, balance = trace.turns[0].calls
    for before, right in ((4, 1.0), (5, 0.5)):
        calls = (*noise[:before], replace(look, assistant_turn=8), replace(balance, assistant_turn=9))
        found = score(task, replace(trace, turns=(replace(trace.turns[0], calls=calls),)))
        assert found.terms["coverage"] == right


# Rows


def rows_of(wanted: list[Change], made: list[Change], dictated: tuple[str, ...] = ()) -> float:
    turn = Turn("Go.", changes=tuple(wanted), dictated=dictated)
    return single(shapes.step(0, shapes.ADD), shapes.ADD, turn, tuple(made)).terms["goal"]


def note(text: str | None, op: str = "insert") -> Change:
    return Change("note", op, "" if op == "insert" else "1", (("of", "a"),), (("body", text),))  # type: ignore[arg-type]


def test_rows_are_compared_as_multisets() -> None:
    one, two = shapes.paid(), shapes.left(1.0)
    assert rows_of([one, two], [two, one]) == 1
    assert rows_of([one, one], [one]) == 0.5
    assert rows_of([one], [one, one]) == 0
    assert rows_of([one, two], [one, one]) == 0
    assert rows_of([one], []) == 0


def test_free_columns_must_only_be_filled_unless_dictated() -> None:
    assert rows_of([note("hello")], [note("hi")]) == 1
    assert rows_of([note("hello")], [note(" ")]) == 0
    assert rows_of([note("hello")], [note(None)]) == 0
    assert rows_of([note("hello")], [note("hi")], ("hello",)) == 0
    assert rows_of([note("hello")], [note(" hello")], ("hello",)) == 1
    assert rows_of([note("Dear Bo, hello")], [note("hello there")], ("hello",)) == 1
    assert rows_of([note(None)], [note("more")]) == 1
    assert rows_of([note("", "update")], [note("more", "update")]) == 0
    assert rows_of([Change("note", "update", "1", (("of", "a"),))], [note("more", "update")]) == 0


def test_the_strictest_row_takes_what_only_fits_it() -> None:
    assert rows_of([note("any"), note("hello")], [note("hello"), note("other")], ("hello",)) == 1


# Abstention


def abstained(text: str, kind: TurnKind = "missing_argument", calls: tuple[Call, ...] = ()) -> float:
    turn = Turn(
        "Pay.",
        kind,
        missing=("amount", "how much"),
        present=(("payee",), ("account", "from which")),
    )
    task = Task("one", "bank", 1, tuple(shapes.TOOLS.values()), (turn,))
    return score(task, Trace("one", (TraceTurn(calls, text),))).total


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("What AMOUNT?", 1.0),
        ("How  much is it?", 1.0),
        ("What amount, and to which payee?", 1.0),
        ("What amount, which payee, which account?", 0.5),
        ("Tell me the amount.", 0.5),
        ("Which paramount?", 0.5),
        ("Amounts?", 0.5),
        (" \n", 0.0),
    ],
)
def test_a_question_must_name_the_missing_slot_as_a_word(text: str, right: float) -> None:
    assert abstained(text) == right


@pytest.mark.parametrize("kind", [Kind.OK, Kind.REFUSED, Kind.BAD_ARGUMENTS])
def test_trying_to_write_instead_of_asking_is_worth_nothing(kind: Kind) -> None:
    call = replace(shapes.transfer(), outcome=Outcome(kind, {}))
    assert abstained("What amount?", calls=(call,)) == 0


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I can\u2019t set the amount.", 1.0),
        ("There is no way to change the amount.", 1.0),
        ("I changed the amount.", 0.5),
        ("I cannot do that.", 0.5),
        ("", 0.0),
    ],
)
def test_a_missing_function_is_refused_by_name(text: str, right: float) -> None:
    assert abstained(text, "missing_function") == right


@pytest.mark.parametrize("kind", ["irrelevant", "imported", "steps"])
def test_where_nothing_is_to_be_called_text_alone_is_right(kind: TurnKind) -> None:
    assert abstained("Sorry.", kind) == 1
    assert abstained("", kind) == 0
    assert abstained("Sorry.", kind, (shapes.LOOK,)) == 0
    assert abstained("Sorry.", kind, (shapes.UNREADABLE,)) == 0


# Paper


def test_in_paper_a_parallel_group_is_one_step_and_all_of_its_calls_must_be_there() -> None:
    steps = tuple(replace(shapes.step(index, call), group=3) for index, call in enumerate((shapes.LOOK, shapes.PAYEES)))
    last = replace(shapes.step(2, shapes.ADD), group=4)
    task = Task("one", "bank", 1, tuple(shapes.TOOLS.values()), (Turn("Go.", steps=(*steps, last)),))

    def covered(*calls: Call) -> float:
        return score(task, Trace("one", (TraceTurn(calls),)), "paper").terms["coverage"]

    assert covered(shapes.LOOK, shapes.PAYEES, shapes.ADD) == 1
    assert covered(shapes.LOOK, shapes.ADD) == 0.5
    assert covered(shapes.LOOK) == 0


def test_in_paper_the_earliest_call_that_keeps_the_order_is_matched() -> None:
    task, trace = policies.act("ground truth", "read")
    look, balance = trace.turns[0].calls
    found = score(task, Trace("read", (TraceTurn((balance, look, balance)),)), "paper")
    assert [match.call for match in found.turns[0].matches] == [1, 2]
    assert found.terms["coverage"] == 1


# Explanation


SCREENS = [("reversed", "mixed"), ("spam", "multi-turn"), ("acts instead of asking", "clarify")]


@pytest.mark.parametrize(("policy", "shape"), SCREENS)
def test_an_explanation_fits_one_screen_and_says_what_is_lost(policy: str, shape: str) -> None:
    task, trace = policies.act(policy, shape)
    out = StringIO()
    explain(task, trace, score(task, trace), Console(file=out, width=100))
    lines = out.getvalue().splitlines()
    assert len(lines) <= 40
    assert all(len(line) <= 100 for line in lines)
    assert any(line.startswith("goal") for line in lines)
    if policy == "reversed":
        assert "called, but not_found" in out.getvalue()
    if policy == "spam":
        assert "calls 2 to 39" in out.getvalue()


def test_the_points_of_an_explanation_add_up_to_the_score() -> None:
    for policy, shape in (("last value wrong", "multi-turn"), ("reads, then asks", "clarify")):
        task, trace = policies.act(policy, shape)
        found, out = score(task, trace), StringIO()
        explain(task, trace, found, Console(file=out, width=100))
        rows = [line.split() for line in out.getvalue().splitlines() if line.split(" ")[0] in TERMS]
        assert len(rows) == len(TERMS)
        assert sum(float(row[3]) for row in rows) == pytest.approx(found.total, abs=0.005)
        assert 1 + sum(float(row[4]) for row in rows) == pytest.approx(found.total, abs=0.005)


def test_exact_fractions_of_terms_survive_a_file() -> None:
    found = score(*policies.act("last value wrong", "write"))
    assert load(Score, dump(found)) == found
    assert Fraction(found.terms["coverage"]).limit_denominator(100) == Fraction(8, 9)
