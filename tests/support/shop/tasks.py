"""Hand-built tasks of the shop, their results taken from a session."""

from dataclasses import replace

from proverl.records import Edge, Origin, Step, Task, Turn
from proverl.world.session import LocalSession

from . import server

SEED = 7
TOOLS = tuple(server.tool(name) for name in ("list_customers", "list_items", "buy", "cancel_purchase"))


async def open_session(name: str, seed: int) -> LocalSession:
    """Opens the shop, whatever it is called."""
    assert name == "shop"
    return LocalSession(server, seed)


def executed(task: Task) -> Task:
    """The task with the outcomes of its steps, the changes of its turns and the final digest filled in."""
    session = LocalSession(server, task.seed)
    turns = []
    for turn in task.turns:
        since = session.snapshot()
        steps = tuple(replace(step, outcome=session.call(step.tool, step.arguments)) for step in turn.steps)
        assert all(step.outcome.succeeded for step in steps), steps
        turns.append(replace(turn, steps=steps, changes=session.changes(since)))
    return replace(task, turns=tuple(turns), digest=session.digest())


def step(index: int, tool: str, arguments: dict, effect: str = "read", **more) -> Step:
    """A step whose outcome is filled in by `executed`."""
    return Step(index, tool, arguments, None, effect=effect, **more)  # type: ignore[arg-type]


def world() -> tuple[str, str, list[dict]]:
    """Ann's id, the PIN, and the items in stock."""
    session = LocalSession(server, SEED)
    ann = session.call("list_customers", {"name": "Ann"}).value["customers"][0]["customer_id"]
    items = [item for item in session.call("list_items", {}).value["items"] if item["stock"] > 2]
    return ann, session.secrets()["pin"], items


def purchases() -> tuple[str, str]:
    """The ids of the first two purchases of a session."""
    ann, pin, items = world()
    session = LocalSession(server, SEED)
    bought = {"customer_id": ann, "item_ids": [items[2]["item_id"]], "pin": pin}
    first, second = (session.call("buy", bought).value["purchase_id"] for _ in range(2))
    return first, second


def buy_and_cancel() -> Task:
    """Two turns: look Ann up and buy; then cancel what was bought, by its new id."""
    ann, pin, items = world()
    item = items[0]
    bought = {"customer_id": ann, "item_ids": [item["item_id"]], "pin": pin}
    return executed(
        Task(
            id="shop/buy-and-cancel",
            server="shop",
            seed=SEED,
            system="You work in a shop.",
            tools=TOOLS,
            turns=(
                Turn(
                    user=f"Buy {item['name']} ({item['item_id']}) for Ann. The PIN is {pin}.",
                    facts=f"Yes, {item['name']}, for Ann.",
                    answer="Bought.",
                    steps=(
                        step(0, "list_customers", {"name": "Ann"}, supplies=(ann,), compared=("name",)),
                        step(
                            1,
                            "buy",
                            bought,
                            "write",
                            edges=(Edge(0, "value"),),
                            origins={"customer_id": Origin(0, "customers[0].customer_id")},
                            compared=("customer_id", "item_ids", "pin"),
                        ),
                    ),
                ),
                Turn(
                    user="Cancel that purchase again.",
                    answer="Cancelled.",
                    steps=(
                        step(
                            2,
                            "cancel_purchase",
                            {"purchase_id": purchases()[0]},
                            "destructive",
                            edges=(Edge(1, "value"),),
                            origins={"purchase_id": Origin(1, "purchase_id", made=True)},
                            compared=("purchase_id",),
                        ),
                    ),
                ),
            ),
        )
    )


def two_at_once() -> Task:
    """One turn: two purchases for one customer, in parallel."""
    ann, pin, items = world()
    steps = tuple(
        step(
            number,
            "buy",
            {"customer_id": ann, "item_ids": [items[number]["item_id"]], "pin": pin},
            "write",
            group=0,
            compared=("customer_id", "item_ids", "pin"),
        )
        for number in range(2)
    )
    return executed(
        Task("shop/two", "shop", SEED, TOOLS, (Turn(f"Buy both. PIN {pin}.", steps=steps, answer="Both bought."),))
    )


def ask_first() -> Task:
    """Two turns: the item is not said, so the assistant must ask; then it is said."""
    ann, pin, items = world()
    bought = {"customer_id": ann, "item_ids": [items[1]["item_id"]], "pin": pin}
    return executed(
        Task(
            "shop/ask",
            "shop",
            SEED,
            TOOLS,
            (
                Turn(
                    f"Buy something for {ann}. The PIN is {pin}.",
                    kind="missing_argument",
                    missing=("item", "thing"),
                    present=(("customer",), ("pin",)),
                ),
                Turn(
                    f"The item {items[1]['item_id']}.",
                    steps=(step(0, "buy", bought, "write", compared=("customer_id", "item_ids", "pin")),),
                    answer="Bought.",
                ),
            ),
        )
    )


def tool_comes_later() -> Task:
    """Two turns: `buy` is hidden at first and comes with the second turn."""
    ann, pin, items = world()
    bought = {"customer_id": ann, "item_ids": [items[1]["item_id"]], "pin": pin}
    return executed(
        Task(
            "shop/later",
            "shop",
            SEED,
            TOOLS,
            (
                Turn(
                    f"Buy {items[1]['item_id']} for {ann}. The PIN is {pin}.",
                    kind="missing_function",
                    missing=("buy", "purchase"),
                    answer="I have no tool to buy anything.",
                ),
                Turn(
                    "Try again now.",
                    steps=(step(0, "buy", bought, "write", compared=("customer_id", "item_ids", "pin")),),
                    answer="Bought.",
                    adds=("buy",),
                ),
            ),
        )
    )


def irrelevant() -> Task:
    """One turn that no tool can serve."""
    return executed(Task("shop/irrelevant", "shop", SEED, TOOLS, (Turn("Sing a song.", kind="irrelevant"),)))


TASKS = (buy_and_cancel, two_at_once, ask_first, tool_comes_later, irrelevant)
