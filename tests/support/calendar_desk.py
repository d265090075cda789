"""The user of a calendar as tests play one: a session that is compared with the model, and short ways to plan.

Covers: events and series in months in which no world has any. Does not cover: what the tests ask.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from proverl.records import Outcome
from proverl.servers import load
from support.calendar_books import now
from support.calendar_model import Watched
from support.reach.calendar import PEOPLE, done, sql

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
Row = dict[str, Any]


class Desk:
    """The user of a watched session, in months that hold no events, and short ways to plan something."""

    def __init__(self, seed: int = 0) -> None:
        self.session = Watched(load("calendar"), seed)
        self.main = str(sql(self.session, "SELECT calendar_id FROM calendar WHERE main")[0]["calendar_id"])
        day = now(self.session) + timedelta(days=700)
        self.monday = (day - timedelta(days=day.weekday())).replace(hour=3)
        self.people = [row["person_id"] for row in sql(self.session, PEOPLE.format(60))]

    def at(self, text: str) -> datetime:
        return datetime.fromisoformat(text)

    def call(self, tool: str, **arguments: Any) -> Outcome:
        return self.session.call(tool, arguments)

    def done(self, tool: str, **arguments: Any) -> Row:
        found: Row = done(self.session, tool, **arguments)
        return found

    def plan(self, start: datetime, **more: Any) -> str:
        """An event of the main calendar; returns its id."""
        usual = {"calendar_id": self.main, "title": "Kite flying", "duration_minutes": 60, "on_conflict": "allow"}
        return str(self.done("create_calendar_event", **{**usual, "start": start.isoformat(), **more})["event_id"])

    def repeat(self, start: datetime, **more: Any) -> Row:
        """A series, daily if nothing else is said."""
        usual = {"calendar_id": self.main, "title": "Kite club", "duration_minutes": 60, "frequency": "daily"}
        return self.done("create_recurring_event", **{**usual, "start": start.isoformat(), **more})

    def dates(self, event_id: str, low: datetime, high: datetime) -> Row:
        window = {"from_time": low.isoformat(), "to_time": high.isoformat()}
        return self.done("list_event_occurrences", event_id=event_id, **window)

    def search(self, low: datetime, high: datetime, **more: Any) -> Row:
        window = {"from_time": low.isoformat(), "to_time": high.isoformat()}
        return self.done("search_calendar_events", **window, **more)
