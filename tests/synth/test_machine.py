"""The state machine of a conversation."""

from __future__ import annotations

from proverl.synth import machine
from proverl.world.session import LocalSession
from support.shop import server


def test_states_lead_only_where_their_annotations_say() -> None:
    assert machine.allowed(machine.Query) == {machine.AssistantTurn, machine.End}
    assert machine.allowed(machine.Execute) == {machine.AssistantTurn, machine.Recover}
    assert machine.allowed(machine.Respond) == {machine.Continue}
    for state in (
        machine.Query,
        machine.AssistantTurn,
        machine.Execute,
        machine.Recover,
        machine.Respond,
        machine.Continue,
    ):
        assert machine.allowed(state)


class Failing:
    """A teacher whose first call fails and whose second try works."""

    def __init__(self, item: str) -> None:
        self.item = item
        self.acted = 0

    def ask(self, dialogue: machine.Dialogue) -> machine.DialogueTurn | None:
        return machine.DialogueTurn("restock it")

    def act(self, dialogue: machine.Dialogue) -> list[machine.Proposal]:
        self.acted += 1
        if self.acted == 1:
            return [machine.Proposal("restock", {"item_id": self.item, "quantity": "three"})]
        if self.acted == 2:
            return [machine.Proposal("restock", {"item_id": "item_0", "quantity": 3})]
        return []

    def recover(self, dialogue: machine.Dialogue, failed: list[machine.Done]) -> list[machine.Proposal]:
        assert failed[0].outcome.code == "item_not_found"
        return [machine.Proposal("restock", {"item_id": self.item, "quantity": 3})]

    def respond(self, dialogue: machine.Dialogue) -> str:
        return "done"

    def carry_on(self, dialogue: machine.Dialogue) -> bool:
        return False


def test_a_malformed_call_is_regenerated_and_a_failed_one_recovered() -> None:
    session = LocalSession(server, 0)
    item = session.call("list_items", {}).value["items"][0]["item_id"]
    dialogue = machine.Dialogue(session, Failing(item))
    machine.drive(dialogue)
    assert dialogue.path == [
        "Query",
        "AssistantTurn",
        "AssistantTurn",
        "Execute",
        "Recover",
        "Execute",
        "AssistantTurn",
        "Respond",
        "Continue",
        "End",
    ]
    assert [done.outcome.succeeded for done in dialogue.turn.done] == [False, True]
