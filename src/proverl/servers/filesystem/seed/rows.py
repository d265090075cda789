"""A tree in the making: what is to be there, and when each thing came.

Covers: planning folders, files and links of any owner, modes set later, and moments that lie after those of other
things. All of it happens by the functions of changes.py, in order of time. Does not cover: what is in the tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from proverl.world.domain import Builder, iso

from ..changes import New, store_modes, store_new
from ..nodes import ROOT, User
from .names import Words

FOLDER_MODE: Final = 0o755
OLDEST_DAYS: Final = 2_000
RECENT_SECONDS: Final = 36_000_000
"""Files are at most so old, most of them far less."""


@dataclass
class Place:
    """A folder, file or link of the plan; `node` is its number from the moment on at which it comes into being."""

    path: str
    owner: User
    moment: datetime
    form: str = ""
    text: str = ""
    names: dict[str, Place] = field(default_factory=dict)
    node: int = 0

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[1]

    def texts(self) -> list[Place]:
        """The text files of a folder that show, by name."""
        return [place for name, place in sorted(self.names.items()) if place.form == "text" and name[0] != "."]


class Draft:
    """The plan of a world's tree; `user` owns what has no other owner, `files` counts what is planned."""

    def __init__(self, world: Builder, words: Words, user: User, system: User) -> None:
        self.world = world
        self.random = world.random
        self.words = words
        self.user = user
        self.files = 0
        born = world.ago(days=OLDEST_DAYS) + timedelta(seconds=self.random.randrange(9_000_000))
        self.root = Place("", system, born, node=ROOT)
        row = (ROOT, system.login, system.primary_group, FOLDER_MODE, iso(born))
        world.run("INSERT INTO node VALUES (?, 'folder', ?, ?, ?, ?, 0, '', NULL, NULL)", *row)

    # Moments

    def later(self, *places: Place, soon: float = 0.05) -> datetime:
        """A moment between the last of these and the opening; at least the share `soon` of that time is left then."""
        left = min((self.world.opening - place.moment).total_seconds() for place in places)
        return self.world.opening - timedelta(seconds=max(1, int(left * self.random.uniform(soon, 0.9))))

    def _moment(self, parent: Place, kind: str) -> datetime:
        age = (self.world.opening - parent.moment).total_seconds()
        if kind == "folder":
            age *= self.random.uniform(0.55, 0.97)
        else:
            age = min(age * 0.98, RECENT_SECONDS) * self.random.random() ** 2
        return self.world.opening - timedelta(seconds=max(90, int(age)))

    # Things

    def folder(self, parent: Place, name: str, owner: User | None = None, mode: int | None = None) -> Place:
        """A folder; the one of that name, where there is one."""
        return parent.names.get(name) or self._plan(parent, New(0, name, "folder"), owner, mode)

    def file(
        self,
        parent: Place,
        name: str,
        text: str,
        owner: User | None = None,
        mode: int | None = None,
        form: str = "text",
    ) -> Place:
        """A file; the one of that name, where there is one."""
        if name in parent.names:
            return parent.names[name]
        self.files += 1
        size = len(text) // 4 * 3 - text.count("=") if form == "base64" else len(text.encode())
        return self._plan(parent, New(0, name, "file", text, form, size), owner, mode)

    def link(self, parent: Place, name: str, target: str) -> None:
        """A symbolic link, unless the name is taken."""
        if name not in parent.names:
            self._plan(parent, New(0, name, "link", target, "", len(target.encode())), None, None)

    def _plan(self, parent: Place, new: New, owner: User | None, mode: int | None) -> Place:
        path = f"{parent.path}/{new.name}"
        place = Place(path, owner or self.user, self._moment(parent, new.kind), new.form, new.text)
        parent.names[new.name] = place
        self.world.plan(place.moment, _come, place, parent, new, mode)
        return place

    def close(self, place: Place, mode: int, *after: Place) -> None:
        """Set the mode of a place, when it and all these are there."""
        self.world.plan(self.later(place, *after), _set_mode, place, mode)


def _come(world: Builder, place: Place, parent: Place, new: New, mode: int | None) -> None:
    item = New(parent.node, new.name, new.kind, new.text, new.form, new.size)
    place.node = store_new(world, place.owner, [item])
    if mode is not None:
        store_modes(world, mode, [place.node])


def _set_mode(world: Builder, place: Place, mode: int) -> None:
    store_modes(world, mode, [place.node])
