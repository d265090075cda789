"""The task shapes of tests/claims.py, as records: no server runs.

Covers: a small bank written down as tools, steps, calls and rows, and how each shape's ground truth goes. Does not
cover: other policies (tests/support/reward_policies.py), or what any of it must score (tests/claims.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from proverl.records import Call, Change, Edge, Effect, Json, Kind, Origin, Outcome, Step, Task, Tool, Turn


def tool(
    name: str, effect: Effect, required: dict[str, str], optional: dict[str, str] | None = None, **more: Json
) -> Tool:
    properties = {key: {"type": kind} for key, kind in {**required, **(optional or {})}.items()}
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return Tool(name, f"{name}.", schema, {"type": "object"}, server="bank", effect=effect, **more)


TOOLS = {
    found.name: found
    for found in (
        tool("list_accounts", "read", {"owner": "string"}),
        tool("list_payees", "read", {"name": "string"}),
        tool("search_all", "read", {"text": "string"}),
        tool("list_branches", "read", {}, {"city": "string"}),
        tool("get_balance", "read", {"account_id": "string"}),
        tool("add_payee", "write", {"name": "string", "iban": "string"}),
        tool(
            "transfer",
            "write",
            {"account_id": "string", "payee_id": "string", "amount": "number"},
            {"memo": "string"},
            free=("memo",),
        ),
        tool("freeze_card", "write", {"account_id": "string"}),
        tool("rename_account", "write", {"account_id": "string", "nickname": "string"}),
    )
}


def ok(name: str, value: Json, /, **arguments: Json) -> Call:
    return Call(name, arguments, Outcome(Kind.OK, value))


def failed(kind: Kind, name: str, /, code: str = "no", text: str = "", **arguments: Json) -> Call:
    return Call(name, arguments, Outcome(kind, code=code, message=f"{code}."), text=text)


LOOK = ok("list_accounts", {"count": 1, "accounts": [{"account_id": "acc-1", "owner": "Ana Silva"}]}, owner="Ana Silva")
PAYEES = ok("list_payees", {"count": 1, "payees": [{"payee_id": "pay-7", "name": "Bob Stone"}]}, name="Bob Stone")
PAYEES_NONE = Call("list_payees", {"name": "Nobody"}, Outcome(Kind.EMPTY, {"count": 0, "payees": []}))
LOOK_NONE = Call("list_accounts", {"owner": "Nobody"}, Outcome(Kind.EMPTY, {"count": 0, "accounts": []}))
SEARCH = ok("search_all", {"count": 2, "found": [{"id": "acc-1"}, {"id": "pay-7"}]}, text="Ana")
BRANCHES = ok("list_branches", {"count": 1, "branches": [{"city": "Porto"}]})
BRANCHES_IN = ok("list_branches", {"count": 1, "branches": [{"city": "Porto"}]}, city="Porto")
ADD = ok("add_payee", {"payee_id": "pay-8"}, name="Bob Stone", iban="DE02")
FREEZE = ok("freeze_card", {"frozen": True}, account_id="acc-1")
RENAME = ok("rename_account", {"nickname": "x"}, account_id="acc-2", nickname="x")
UNREADABLE = failed(Kind.UNPARSABLE, "", "parse_error", text='{"name": "transfer", ')
UNKNOWN = failed(Kind.UNKNOWN_TOOL, "send_cash", "unknown_tool", amount=1)


def transfer(account: str = "acc-1", payee: str = "pay-7", amount: float = 120.5) -> Call:
    value = {"transfer_id": "trf-1", "amount": amount}
    return ok("transfer", value, account_id=account, payee_id=payee, amount=amount)


def balance(left: float = 500.0, account: str = "acc-1") -> Call:
    return ok("get_balance", {"account_id": account, "balance": left}, account_id=account)


def paid(account: str = "acc-1", payee: str = "pay-7", amount: float = 120.5) -> Change:
    values = (("account_id", account), ("amount", amount), ("payee_id", payee))
    return Change("transfer", "insert", "", values, (("memo", None),))


def left(amount: float, account: str = "acc-1") -> Change:
    return Change("account", "update", f'"{account}"', (("balance", amount),))


PAYEE = Change("payee", "insert", "", (("iban", "DE02"), ("name", "Bob Stone")))
NEW = "@payee:1f"  # how a row refers to the payee made in the episode
FROZEN = Change("card", "update", '"crd-1"', (("frozen", 1),))
RENAMED = Change("account", "update", '"acc-2"', (("nickname", "x"),))


def step(index: int, call: Call, edges: tuple[Edge, ...] = (), **more: Json) -> Step:
    shown = TOOLS[call.name]
    compared = tuple(name for name in call.arguments if name not in shown.free)
    return Step(index, call.name, call.arguments, call.outcome, shown.effect, index, edges, compared=compared, **more)


def value(*steps: int) -> tuple[Edge, ...]:
    return tuple(Edge(index, "value") for index in steps)


def look_up(index: int, call: Call, *supplies: str) -> Step:
    return step(index, call, supplies=supplies)


@dataclass(frozen=True)
class Shape:
    """A task and how its ground truth goes: per turn the calls, the closing text and the rows changed."""

    name: str
    task: Task
    calls: tuple[tuple[Call, ...], ...]
    texts: tuple[str, ...]
    rows: tuple[tuple[Change, ...], ...]


def shape(name: str, turns: list[Turn], calls: list[tuple[Call, ...]], texts: list[str]) -> Shape:
    task = Task(name, "bank", 1, tuple(TOOLS.values()), tuple(turns), meta={"shape": name})
    return Shape(name, task, tuple(calls), tuple(texts), tuple(turn.changes for turn in turns))


def _pay_steps(first: int) -> tuple[Step, ...]:
    return look_up(first, LOOK, "acc-1"), step(first + 1, transfer(), value(first))


PAY_ROWS = (paid(), left(379.5))
FREEZE_STEP = step(2, FREEZE, value(0))
ASK = "How much should I transfer?"
REFUSE = "I am sorry, I cannot do that: I have no tool to transfer money."
SLOTS = (("payee", "recipient", "whom"), ("account", "from which"))

SHAPES = {
    found.name: found
    for found in (
        shape(
            "write",
            [
                Turn(
                    "Pay Bob Stone 120.50 from Ana Silva's account.",
                    steps=(
                        look_up(0, LOOK, "acc-1"),
                        look_up(1, PAYEES, "pay-7"),
                        step(2, transfer(), value(0, 1)),
                    ),
                    changes=PAY_ROWS,
                )
            ],
            [(LOOK, PAYEES, transfer())],
            ["Paid."],
        ),
        shape(
            "read",
            [
                Turn(
                    "What is the balance?",
                    steps=(look_up(0, LOOK, "acc-1"), step(1, balance(), value(0), terminal=True)),
                )
            ],
            [(LOOK, balance())],
            ["500 dollars."],
        ),
        shape(
            "mixed",
            [
                Turn(
                    "Add Bob, pay him, tell me what is left.",
                    steps=(
                        look_up(0, LOOK, "acc-1"),
                        step(1, ADD),
                        step(
                            2,
                            transfer(payee="pay-8"),
                            value(0, 1),
                            origins={
                                "account_id": Origin(0, "accounts[0].account_id"),
                                "payee_id": Origin(1, "payee_id", made=True),
                            },
                        ),
                        step(3, balance(379.5), (*value(0), Edge(2, "state")), terminal=True),
                    ),
                    changes=(PAYEE, paid(payee=NEW), left(379.5)),
                )
            ],
            [(LOOK, ADD, transfer(payee="pay-8"), balance(379.5))],
            ["379.50 are left."],
        ),
        shape(
            "multi-turn",
            [
                Turn("Pay pay-7 120.50.", steps=_pay_steps(0), changes=PAY_ROWS),
                Turn("Freeze the card.", steps=(FREEZE_STEP,), changes=(FROZEN,)),
            ],
            [(LOOK, transfer()), (FREEZE,)],
            ["Paid.", "Frozen."],
        ),
        shape(
            "clarify",
            [
                Turn("Pay pay-7.", "missing_argument", missing=("how much", "amount"), present=SLOTS),
                Turn("120.50.", steps=_pay_steps(0), changes=PAY_ROWS),
            ],
            [(), (LOOK, transfer())],
            [ASK, "Paid."],
        ),
        shape(
            "missing",
            [
                Turn(
                    "Pay pay-7 120.50.",
                    "missing_function",
                    missing=("transfer", "send money"),
                    prefix=(look_up(0, LOOK, "acc-1"),),
                ),
                Turn("You can now.", steps=_pay_steps(0), changes=PAY_ROWS, adds=("transfer",)),
            ],
            [(), (LOOK, transfer())],
            [REFUSE, "Paid."],
        ),
        shape("irrelevant", [Turn("Sing.", "irrelevant")], [()], ["I cannot sing."]),
    )
}
