"""Invitations from others: listing and answering them."""

from __future__ import annotations

from typing import Annotated

from proverl.world.domain import FREE, Field, World, refuse, tool

from ..occurrences import AT_ONCE, Leave, clashes, intervals
from ..results import (
    EVENT,
    INVITATION,
    Answer,
    Answered,
    AnswerSoFar,
    EventConflict,
    InvitationId,
    InvitationList,
    InvitationRow,
    Span,
)
from ..rules import find_ahead, living


@tool("read")
def list_event_invitations(world: World, answer: AnswerSoFar | None = None) -> InvitationList:
    """List invitations from other people, newest first, with the event, organiser, time (of a series that of its first
    occurrence) and the user's answer so far. Returns every match, no paging.

    Args:
        answer: open (not answered yet), accepted, declined or tentative
    """
    found = world.rows(InvitationRow, INVITATION, answer=answer)
    return {"count": len(found), "invitations": found}


@tool("write", refusals="invitation_not_found event_in_past event_cancelled same_answer", idempotent=True)
def respond_to_event_invitation(
    world: World,
    invitation_id: InvitationId,
    answer: Answer,
    comment: Annotated[str | None, Field(max_length=300), FREE] = None,
) -> Answered:
    """Answer an invitation from someone else with accepted, declined or tentative. Accepting puts the event into the
    user's own calendar and reports clashes there, of a series during its next 12 occurrences; another answer takes it
    out again. An earlier answer may be changed until the event starts.

    Args:
        invitation_id: id of the invitation
        answer: accepted, declined or tentative
        comment: message to the organiser, up to 300 characters
    """
    invitation = world.find(INVITATION, invitation_id)
    event = world.find(EVENT, invitation["event_id"])
    title, event_id = event["title"], event["event_id"]
    ahead = find_ahead(world, event)
    if invitation["answer"] == answer:
        refuse("same_answer", f"the invitation to {title} is {answer} already; nothing is left to do")
    main = world.value("SELECT calendar_id FROM calendar WHERE main")
    wanted = intervals(living(ahead)[:AT_ONCE]) if answer == "accepted" else []
    there = clashes(world, wanted, Span, EVENT, "own", leave=Leave(event_id), status="confirmed")
    store_answer(world, event_id, invitation["person_id"], answer, comment)
    world.update(EVENT, event_id, calendar_id=main if answer == "accepted" else None)
    conflicts: dict[str, EventConflict] = {
        one.event["event_id"]: {"event_id": one.event["event_id"], "title": one.event["title"] or ""}
        for _, one in there
    }
    return {
        "invitation_id": invitation_id,
        "event_id": event_id,
        "title": title,
        "answer": answer,
        "comment": comment,
        "conflicts": list(conflicts.values()),
    }


def store_answer(world: World, event_id: str, person_id: str, answer: AnswerSoFar, comment: str | None = None) -> None:
    """Keep what somebody answers, in place of an earlier answer."""
    world.run(
        "UPDATE attendance SET answer = ?, comment = ? WHERE event_id = ? AND person_id = ?",
        answer,
        comment,
        event_id,
        person_id,
    )


def store_invitation(world: World, event_id: str) -> str:
    """Let an invitation of the user to somebody else's event arrive now; returns its id."""
    return world.add(INVITATION, event_id=event_id, received_at=world.moment)
