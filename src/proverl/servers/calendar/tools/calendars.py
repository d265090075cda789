"""Calendars: listing them."""

from __future__ import annotations

from proverl.world.domain import World, tool

from ..results import CALENDAR, CalendarList, CalendarRow, CalendarStatus, Role


@tool("read")
def list_calendars(world: World, role: Role | None = None, status: CalendarStatus | None = None) -> CalendarList:
    """List the calendars the user can see with role (owner, editor, reader), time zone, colour and status, and the
    present time. Returns every match in order of name, no paging.

    Args:
        role: owner, editor or reader
        status: active or archived
    """
    found = world.rows(CalendarRow, CALENDAR, role=role, status=status)
    return {"count": len(found), "now": world.moment, "calendars": found}
