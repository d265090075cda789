"""Each read answers what an independent oracle works out from the tables (tests/support/oracles).

Sessions are walked with drawn calls, writes included; on the way each read is asked with arguments of every family that
fits its schema, and with the ends of what its schema allows. The whole result is compared, or the code of the refusal.
"""

from __future__ import annotations

import importlib
import random
from typing import Any

import pytest

from proverl import servers
from proverl.laws.arguments import Drawn, Generator
from proverl.records import Json, Kind, Outcome, Tool
from proverl.world.session import LocalSession
from support.oracles import Refusal, tables_of

each_server = pytest.mark.parametrize("name", servers.names())


def oracles(name: str) -> dict[str, Any]:
    return importlib.import_module(f"support.oracles.{name}").ORACLES


def expected(oracle: Any, tables: Any, arguments: dict[str, Json]) -> tuple[str, Json]:
    try:
        return "", oracle(tables, arguments)
    except Refusal as refusal:
        return refusal.code, None


def given(outcome: Outcome) -> tuple[str, Json]:
    return outcome.code, outcome.value


def edges(tool: Tool, arguments: dict[str, Json], chance: random.Random) -> dict[str, Json]:
    """The arguments with one of them at an end of what its schema allows, or one of the values that it lists."""
    properties = tool.input_schema["properties"]
    ends = [
        (name, schema[key]) for name, schema in properties.items() for key in ("minimum", "maximum") if key in schema
    ]
    ends += [(name, value) for name, schema in properties.items() for value in schema.get("enum", ())]
    return {**arguments, **dict(chance.sample(ends, 1))} if ends else arguments


def compare(name: str, seed: int, calls: int) -> int:
    """Walk one session and compare each read after each write; returns how many reads were compared."""
    server, judges = servers.load(name), oracles(name)
    session, chance = LocalSession(server, seed), random.Random(f"oracle:{name}:{seed}")

    def trial(call: Drawn) -> Outcome:
        with session.attempt():
            return session.call(call.tool, call.arguments)

    generator = Generator(session.tools, f"oracle:{seed}", secrets=session.secrets(), trial=trial)
    reads = [tool for tool in session.tools if tool.effect == "read"]
    compared = 0
    for _ in range(calls):
        drawn = generator.call()
        generator.learn(drawn, session.call(drawn.tool, drawn.arguments))
        tables = tables_of(session, server.offset.utcoffset(None))
        for tool in reads:
            family = chance.choice(("live", "live", "valid", "hostile"))
            arguments = edges(tool, generator.arguments(tool, family), chance)
            outcome = session.call(tool.name, arguments)
            if outcome.kind is Kind.BAD_ARGUMENTS:
                continue
            right, told = expected(judges[tool.name], tables, arguments), given(outcome)
            asked = f"{tool.name} {arguments!r}, seed {seed}"
            assert right == told, f"{asked}: the oracle says {str(right)[:600]}, the tool {str(told)[:600]}"
            compared += 1
    session.close()
    return compared


@each_server
def test_every_read_has_an_oracle(name: str) -> None:
    assert sorted(oracles(name)) == sorted(tool.name for tool in servers.load(name).tools if tool.effect == "read")


@each_server
def test_reads_answer_what_the_oracle_works_out(name: str, cases: Any) -> None:
    cases["reads compared with an oracle"] += compare(name, 0, 12) + compare(name, 3, 12)


@pytest.mark.soak
@each_server
def test_thousands_of_reads_answer_what_the_oracle_works_out(name: str, cases: Any) -> None:
    cases["reads compared with an oracle"] += sum(compare(name, seed, 60) for seed in range(10, 30))
