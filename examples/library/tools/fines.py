"""Fines: listing and paying them."""

from __future__ import annotations

from typing import Annotated

from proverl.world.domain import SECRET, Field, Money, World, dollars, refuse, tool

from ..results import FINE, FineId, FineList, FineRow, Paid
from ..rules import check_pin, total_owed


@tool("read")
def list_fines(world: World, unpaid_only: bool = False) -> FineList:
    """List the member's fines in US dollars, newest first, with what is still owed. Returns every match, no paging.

    Args:
        unpaid_only: only fines of which something is still owed
    """
    found = world.rows(FineRow, FINE, *(["owed > 0"] if unpaid_only else []))
    return {"count": len(found), "total_owed": total_owed(world), "fines": found}


@tool("write", refusals="invalid_argument fine_not_found already_paid overpayment wrong_pin", after="return_book")
def pay_fine(world: World, fine_id: FineId, amount: Annotated[Money, Field(gt=0)], pin: Annotated[str, SECRET]) -> Paid:
    """Pay a fine in full or in part. Returns what is still owed of this fine and of all fines.

    Args:
        fine_id: id of the fine
        amount: dollars, greater than 0, at most two decimals; at most what is owed
        pin: the six-digit PIN of the member's library card
    """
    fine = world.find(FINE, fine_id)
    owed = fine["owed"]
    if not owed:
        refuse("already_paid", f"the fine for {fine['title']} is paid in full; nothing is left to do")
    if amount > owed:
        refuse("overpayment", f"{dollars(amount)} is more than the {dollars(owed)} owed; pay at most that")
    check_pin(world, pin)
    world.update(FINE, fine_id, paid=fine["paid"] + amount)
    return {"fine_id": fine_id, "owed": owed - amount, "total_owed": total_owed(world)}
