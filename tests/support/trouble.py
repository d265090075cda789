"""A server whose tools do what no tool should do: the wire must outlive each of them."""

import os
import sys
import time
from typing import Annotated, Any, Literal

from proverl.world.domain import Entity, Field, Server, TypedDict, World, tool
from support.shop.seed import build

CUSTOMER, ITEM = Entity("customer", "cus"), Entity("item", "item")


class Said(TypedDict):
    text: str | None


class Odd(TypedDict):
    value: Any


class Number(TypedDict):
    number: int


@tool("read")
def shout(world: World, text: str) -> Said:
    """Print a text, and return it.

    Args:
        text: the text
    """
    print(text)  # noqa: T201
    sys.stdout.flush()
    os.write(1, text.encode() + b"\n")
    return {"text": text}


@tool("read")
def say_nothing(world: World) -> Said:
    """Return null."""
    return {"text": None}


@tool("read")
def speak_at_length(world: World, size: Annotated[int, Field(ge=0)]) -> Said:
    """Return a long text.

    Args:
        size: its length
    """
    return {"text": "x" * size}


@tool("read")
def return_odd(
    world: World, what: Literal["surrogate", "nan", "infinity", "big", "deep", "set", "bytes", "number key"]
) -> Odd:
    """Return what is no JSON.

    Args:
        what: which kind
    """
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]
    odd = {
        "surrogate": "\ud800",
        "nan": float("nan"),
        "infinity": float("inf"),
        "big": 2**53,
        "deep": deep,
        "set": {1},
        "bytes": b"",
        "number key": {1: 2},
    }
    return {"value": odd[what]}


@tool("read")
def leave(world: World, how: Literal["exit", "interrupt", "generator", "memory", "recursion", "error"]) -> Said:
    """Raise.

    Args:
        how: what is raised
    """
    raise {
        "exit": SystemExit(3),
        "interrupt": KeyboardInterrupt(),
        "generator": GeneratorExit(),
        "memory": MemoryError(),
        "recursion": RecursionError(),
        "error": ZeroDivisionError("a bug"),
    }[how]


@tool("read")
def hang(world: World, seconds: float) -> Said:
    """Block the server.

    Args:
        seconds: for how long
    """
    time.sleep(seconds)
    return {"text": "awake"}


@tool("read")
def die(world: World) -> Said:
    """End the process."""
    os._exit(9)


@tool("read")
def which_process(world: World) -> Number:
    """Return what no replay can repeat."""
    return {"number": os.getpid()}


@tool("write")
def sell(world: World) -> Number:
    """Take one customer's money: something that must happen exactly once."""
    customer = world.one("SELECT customer_id, balance FROM customer ORDER BY customer_id LIMIT 1")
    assert customer is not None
    world.update(CUSTOMER, customer["customer_id"], balance=customer["balance"] - 1)
    return {"number": customer["balance"] - 1}


server = Server(
    "trouble",
    package="support.shop",
    category="Test",
    about="Trouble.",
    tools=[sys.modules[__name__]],
    seed=build,
    entities=[CUSTOMER, ITEM],
    discovery=["sell"],
)
