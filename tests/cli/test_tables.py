"""Rows for people and for programs."""

from __future__ import annotations

import json

import pytest

from proverl.cli.tables import outcome, show
from proverl.records import Json, Kind, Outcome

ROWS: list[dict[str, Json]] = [
    {"name": "[red]a", "share": 0.5, "parts": ["x", "y"]},
    {"name": "b", "share": None, "parts": []},
]


def test_rows_for_programs_are_one_list_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    show("A title", ROWS, as_json=True)
    assert json.loads(capsys.readouterr().out) == ROWS


def test_rows_for_people_show_every_value_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    show("A title", ROWS)
    shown = capsys.readouterr().out
    for words in ("A title", "[red]a", "0.500", "x, y", " - "):
        assert words in shown
    show("A title", [])
    assert capsys.readouterr().out == "A title: none\n"


def test_what_a_call_came_to_is_its_value_or_its_error(capsys: pytest.CaptureFixture[str]) -> None:
    outcome(Outcome(Kind.OK, {"a": "[b]"}), as_json=True)
    assert json.loads(capsys.readouterr().out) == {"kind": "ok", "body": {"a": "[b]"}}
    outcome(Outcome(Kind.OK, {"a": "[b]"}))
    assert json.loads(capsys.readouterr().out) == {"a": "[b]"}
    outcome(Outcome(Kind.REFUSED, code="not_found", message="no [b]; see list"))
    assert "refused not_found: no [b]; see list" in capsys.readouterr().err
