"""Refusing: ends a call, but where a law listens it is written down and the call goes on."""

from __future__ import annotations

import threading

import pytest

from proverl.errors import Refused
from proverl.world.refusals import note, noting, refuse


@pytest.mark.parametrize("say", [refuse, note])
def test_a_refusal_ends_the_call_with_its_code_and_message(say) -> None:
    with pytest.raises(Refused, match="choose another card") as caught:
        say("card_expired", "the card has expired; choose another card")
    assert (caught.value.code, caught.value.message) == ("card_expired", "the card has expired; choose another card")


def test_where_a_law_listens_all_refusals_are_written_down_in_their_order() -> None:
    with noting() as found:
        for code in ("b", "a", "b"):
            note(code, f"{code}!")
        with noting() as inner:
            note("c", "")
        note("d", "")
    assert [(refused.code, refused.message) for refused in found] == [("b", "b!"), ("a", "a!"), ("b", "b!"), ("d", "")]
    assert [refused.code for refused in inner] == ["c"]


def test_listening_ends_with_the_law_however_that_ends() -> None:
    with pytest.raises(ZeroDivisionError), noting():
        raise ZeroDivisionError
    with pytest.raises(Refused):
        note("a", "")


def test_nobody_listens_to_the_calls_of_another_thread() -> None:
    raised: list[bool] = []

    def call() -> None:
        try:
            note("a", "")
        except Refused:
            raised.append(True)

    with noting() as found:
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    assert (raised, found) == ([True], [])
