"""The policies of tests/claims.py: what each calls, says and changes in every turn of a shape.

Covers: one function per policy, and the trace that comes of it. Does not cover: what it must score (tests/claims.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from proverl.records import Call, Change, Kind, Outcome, Task, Trace, TraceTurn
from support.reward_shapes import (
    BRANCHES,
    BRANCHES_IN,
    LOOK,
    LOOK_NONE,
    NEW,
    PAYEE,
    PAYEES_NONE,
    RENAME,
    RENAMED,
    SEARCH,
    SHAPES,
    UNKNOWN,
    UNREADABLE,
    Shape,
    balance,
    left,
    ok,
    paid,
    transfer,
)

# How an episode goes


@dataclass
class Play:
    """What a policy does in one turn, before it becomes records."""

    calls: list[Call]
    text: str
    rows: list[Change]
    together: bool = False


def right(found: Shape) -> list[Play]:
    parts = zip(found.calls, found.texts, found.rows, strict=True)
    return [Play(list(calls), text, list(rows)) for calls, text, rows in parts]


def record(task: Task, plays: list[Play]) -> Trace:
    """The trace: each call a generation of its own, or all of a turn together."""
    turns, generation = [], 0
    for play in plays:
        calls = []
        for call in play.calls:
            calls.append(replace(call, assistant_turn=generation))
            generation += not play.together
        generation += 1
        turns.append(TraceTurn(tuple(calls), play.text, tuple(play.rows)))
    return Trace(task.id, tuple(turns))


def _wrong(call: Call) -> tuple[Call, list[Change]]:
    """The call with every value wrong, and what that changes."""
    other: dict[str, tuple[Call, list[Change]]] = {
        "list_accounts": (LOOK_NONE, []),
        "list_payees": (PAYEES_NONE, []),
        "get_balance": (balance(9.0, "acc-9"), []),
        "add_payee": (
            ok("add_payee", {"payee_id": "pay-8"}, name="Eve", iban="XX"),
            [Change("payee", "insert", "", (("iban", "XX"), ("name", "Eve")))],
        ),
        "transfer": (transfer("acc-9", "pay-1", 7.0), [paid("acc-9", "pay-1", 7.0), left(2.0, "acc-9")]),
        "freeze_card": (
            ok("freeze_card", {"frozen": True}, account_id="acc-9"),
            [Change("card", "update", '"crd-9"', (("frozen", 1),))],
        ),
    }
    return other[call.name]


def _last_wrong(call: Call) -> tuple[Call, list[Change]]:
    if call.name == "transfer":
        payee = call.arguments["payee_id"]
        return transfer(payee=payee, amount=7.0), [paid(payee=payee, amount=7.0), left(493.0)]
    return _wrong(call)


def _refused(call: Call) -> Call:
    return replace(call, outcome=Outcome(Kind.REFUSED, code="not_found", message="not found"))


def _before_last(found: Shape, extra: Callable[[Call], Call]) -> list[Play]:
    """The right calls, with one more before the last of each turn."""
    plays = right(found)
    for play in plays:
        if play.calls:
            play.calls.insert(-1, extra(play.calls[-1]))
    return plays


def _first_with_steps(plays: list[Play]) -> Play:
    return next(play for play in plays if play.calls)


# The policies, by their names in the table


def silent(found: Shape) -> list[Play]:
    return [Play([], "", []) for _ in found.calls]


def text_only(found: Shape) -> list[Play]:
    return [Play([], "I am sorry, I cannot do that.", []) for _ in found.calls]


def first_call(found: Shape) -> list[Play]:
    plays = right(found)
    for play in plays:
        if len(play.calls) > 1:
            play.calls, play.rows = play.calls[:1], []
    return plays


def wrong_values(found: Shape) -> list[Play]:
    plays = right(found)
    for play in plays:
        changed = [_wrong(call) for call in play.calls]
        play.calls = [call for call, _ in changed]
        play.rows = [row for _, rows in changed for row in rows]
    return plays


def wrong_values_refused(found: Shape) -> list[Play]:
    plays = wrong_values(found)
    for play in plays:
        play.calls, play.rows = [_refused(call) for call in play.calls], []
    return plays


def last_value_wrong(found: Shape) -> list[Play]:
    plays = right(found)
    for play in plays:
        if play.calls:
            writes = play.calls[-1].name != "get_balance"
            play.calls[-1], rows = _last_wrong(play.calls[-1])
            play.rows = rows if writes else play.rows
    return plays


def spam(found: Shape) -> list[Play]:
    plays = right(found)
    play = _first_with_steps(plays)
    play.calls += [play.calls[0]] * (40 - len(play.calls))
    return plays


def backwards(found: Shape) -> list[Play]:
    plays = right(found)
    for play in plays:
        play.calls.reverse()
    if found.name == "mixed":
        plays[0].calls[0] = balance(500.0)
        plays[0].calls[1] = _refused(plays[0].calls[1])
        plays[0].rows = [PAYEE]
    return plays


def skipped(found: Shape) -> list[Play]:
    plays = right(found)
    for play in plays:
        play.calls = [call for call in play.calls if call.name not in ("list_accounts", "list_payees")]
    return plays


def other_read(found: Shape) -> list[Play]:
    plays = skipped(found)
    _first_with_steps(plays).calls.insert(0, SEARCH)
    return plays


def recovery(found: Shape) -> list[Play]:
    return _before_last(found, lambda call: _refused(_last_wrong(call)[0]))


def bad_arguments(found: Shape) -> list[Play]:
    def without_first(call: Call) -> Call:
        arguments = dict(list(call.arguments.items())[1:])
        return replace(call, arguments=arguments, outcome=Outcome(Kind.BAD_ARGUMENTS, code="schema"))

    return _before_last(found, without_first)


def two_reads_more(found: Shape) -> list[Play]:
    plays = right(found)
    for play in plays:
        if play.calls:
            play.calls += [BRANCHES, BRANCHES_IN]
    return plays


def last_twice(found: Shape) -> list[Play]:
    plays = right(found)
    for play in plays:
        if not play.calls:
            continue
        again = play.calls[-1]
        if again.name == "transfer":
            play.rows = [paid(), paid(), left(259.0)]
        play.calls.append(_refused(again) if again.name == "freeze_card" else again)
    return plays


def transfer_twice(found: Shape) -> list[Play]:
    plays = right(found)
    look, add, pay, _ = plays[0].calls
    plays[0].calls = [look, add, pay, pay, balance(259.0)]
    plays[0].rows = [PAYEE, paid(payee=NEW), paid(payee=NEW), left(259.0)]
    return plays


def beyond(found: Shape) -> list[Play]:
    plays = right(found)
    play = _first_with_steps(plays)
    play.calls.append(RENAME)
    play.rows.append(RENAMED)
    return plays


def no_text(found: Shape) -> list[Play]:
    return [replace(play, text="") for play in right(found)]


def parallel_guess(found: Shape) -> list[Play]:
    return [replace(play, together=True) for play in right(found)]


def stops(found: Shape) -> list[Play]:
    return right(found)[:1]


def too_early(found: Shape) -> list[Play]:
    first, second = right(found)
    return [Play(first.calls + second.calls, first.text, first.rows + second.rows), Play([], second.text, [])]


def too_late(found: Shape) -> list[Play]:
    first, second = right(found)
    return [Play([], first.text, []), Play(first.calls + second.calls, second.text, first.rows + second.rows)]


def acts(found: Shape) -> list[Play]:
    _, second = right(found)
    return [
        Play([LOOK, transfer(amount=50.0)], "Paid 50.", [paid(amount=50.0), left(450.0)]),
        Play(second.calls, second.text, [paid(), left(329.5)]),
    ]


def first_turn(calls: list[Call], text: str | None = None) -> Callable[[Shape], list[Play]]:
    """The right calls, but other ones and another text in the first turn."""

    def play(found: Shape) -> list[Play]:
        first, *rest = right(found)
        return [Play(calls, first.text if text is None else text, first.rows), *rest]

    return play


POLICIES: dict[str, Callable[[Shape], list[Play]]] = {
    "ground truth": right,
    "silent": silent,
    "text only": text_only,
    "first call": first_call,
    "wrong values": wrong_values,
    "wrong values, refused": wrong_values_refused,
    "last value wrong": last_value_wrong,
    "spam": spam,
    "reversed": backwards,
    "skipped look-ups": skipped,
    "look-up by another read": other_read,
    "refusal, then recovery": recovery,
    "unreadable call, then recovery": lambda found: _before_last(found, lambda _: UNREADABLE),
    "unknown tool, then recovery": lambda found: _before_last(found, lambda _: UNKNOWN),
    "bad arguments, then recovery": bad_arguments,
    "two reads more": two_reads_more,
    "last call twice": last_twice,
    "transfer twice": transfer_twice,
    "write beyond the goal": beyond,
    "no closing text": no_text,
    "parallel guess": parallel_guess,
    "stops after the first turn": stops,
    "second turn's call in the first": too_early,
    "first turn's calls in the second": too_late,
    "acts instead of asking": acts,
    "asks for the wrong slot": first_turn([], "Which payee do you mean?"),
    "asks for everything": first_turn([], "Which amount, to which payee, from which account?"),
    "reads, then asks": first_turn([LOOK]),
    "reads twice, then asks": first_turn([LOOK, LOOK]),
    "reads, then does not ask": first_turn([LOOK], "Done."),
    "prefix, then refuses": first_turn([LOOK]),
    "calls the hidden tool": first_turn([replace(transfer(), outcome=UNKNOWN.outcome)]),
    "claims to have done it": first_turn([], "Done, the transfer is made."),
    "extra call in a turn without steps": first_turn([BRANCHES]),
}


def act(policy: str, name: str) -> tuple[Task, Trace]:
    """One policy on one shape."""
    found = SHAPES[name]
    return found.task, record(found.task, POLICIES[policy](found))
