"""What the parts of a calendar seed hand to each other while a world is being made.

Covers: `Office`, which knows the ids of who and what was stored. Does not cover: the rows themselves, which stand
in the world from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from random import Random

from proverl.world.domain import Builder, days

from .names import vocabulary

BACK, AHEAD = 60, 90
"""Days before and after the opening in which events take place."""
SATURDAY = 5


def workday_from(moment: datetime) -> datetime:
    """A moment, or the same time on the next working day."""
    return moment + days(7 - moment.weekday() if moment.weekday() >= SATURDAY else 0)


@dataclass
class Office:
    """One employee's world being made.

    `circle` are the people whom the user meets often, `others` all other active ones, `calendars` ids by role, `rooms`
    ids and capacities of those that can be booked. `taken` holds the titles and starts of events, so that a title and a
    time mean one event only; `invited` the titles and organisers of invitations.
    """

    world: Builder
    user: str = ""
    circle: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    left: str = ""
    calendars: dict[str, str] = field(default_factory=dict)
    rooms: list[tuple[str, int]] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)
    taken: set[tuple[str, datetime]] = field(default_factory=set)
    invited: set[tuple[str, str]] = field(default_factory=set)

    @property
    def random(self) -> Random:
        """The only source of chance."""
        return self.world.random

    def happens(self, share: float) -> bool:
        """Whether something that happens in so many cases happens."""
        return self.random.random() < share

    def workday(self, first: int, last: int) -> date:
        """A working day, so many days from the opening (before it if negative)."""
        while True:
            day = (self.world.opening + days(self.random.randint(first, last))).date()
            if day.weekday() < SATURDAY:
                return day

    def at(self, day: date, first: int = 9, last: int = 16) -> datetime:
        """A start on a day, on a quarter hour from one hour to the end of another."""
        quarter = self.random.choice((0, 0, 0, 30, 30, 15, 45))
        hour = self.random.randint(first, last)
        return datetime(day.year, day.month, day.day, hour, quarter, tzinfo=self.world.offset)

    def day_after(self, start: datetime) -> datetime:
        """A start on the working day after another."""
        return self.at((start + days(3 if start.weekday() == SATURDAY - 1 else 1)).date())

    def before(self, start: datetime, longest: int = 20) -> datetime:
        """Some moment before a start and before the opening, when it was made known."""
        latest = min(start, self.world.opening) - timedelta(minutes=90)
        return latest - timedelta(seconds=self.random.randrange(longest * 86_400))

    def until(self, start: datetime) -> datetime:
        """Some moment from now on, well before a start and before the opening."""
        now, latest = self.world.now, min(start, self.world.opening) - timedelta(minutes=10)
        return now + (latest - now) * self.random.random()

    def title(self, part: str, *starts: datetime) -> str:
        """A title for an event at these starts that no other one has there."""
        while True:
            title = f"{self.random.choice(self.topics)} {self.random.choice(vocabulary()[part])}"
            if self.taken.isdisjoint((title, start) for start in starts):
                self.taken.update((title, start) for start in starts)
                return title

    def take(self, title: str, start: datetime) -> bool:
        """Whether no event has had this title at this start; from now on one has."""
        free = (title, start) not in self.taken
        self.taken.add((title, start))
        return free

    def people(self, most: int) -> list[str]:
        """Some people, mostly those whom the user meets often."""
        close = self.random.sample(self.circle, min(self.random.randint(1, most), len(self.circle)))
        return close + (self.random.sample(self.others, 1) if self.happens(0.4) else [])

    def room(self, people: int, chance: float) -> str | None:
        """A room with enough seats, or none."""
        fitting = [room_id for room_id, capacity in self.rooms if capacity > people]
        return self.random.choice(fitting) if fitting and self.happens(chance) else None

    def minutes(self) -> int:
        """The length of a meeting."""
        return self.random.choice((15, 30, 30, 30, 45, 60, 60, 60, 90, 120))
