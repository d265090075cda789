"""The folders of a world and the files in them: homes, projects, services, the system, a shared folder."""

from __future__ import annotations

from typing import Final

from ..nodes import User
from . import contents
from .rows import Draft, Place

KINDS: Final = {
    "src": (".py", ".py", ".py", ".json"),
    "tests": (".py",),
    "docs": (".md", ".md", ".txt"),
    "config": (".yaml", ".ini", ".json"),
    "data": (".csv", ".csv", ".json"),
    "logs": (".log",),
    "scripts": (".sh",),
    "build": (".txt", ".log"),
}
HOME_KINDS: Final = (".md", ".md", ".txt", ".txt", ".csv", ".md")


def fill(draft: Draft, folder: Place, kinds: tuple[str, ...], count: int, owner: User | None = None) -> list[Place]:
    """Put files into a folder, with names that say what they are about."""
    found = []
    for kind in draft.random.choices(kinds, k=count):
        title = draft.words.title(draft.random, kind)
        found.append(draft.file(folder, title + kind, written(draft, kind, title), owner))
    return found


def written(draft: Draft, extension: str, title: str) -> str:
    """The text of a file of this kind."""
    return contents.BY_EXTENSION[extension](draft.random, draft.words, title)


def add_home(draft: Draft, homes: Place) -> Place:
    """The user's home without its projects."""
    random = draft.random
    home = draft.folder(homes, draft.user.login)
    draft.file(home, ".profile", "umask 022\nexport EDITOR=ed\nexport PAGER=more\n")
    history = "".join(f"{step}\n" for step in random.choices(draft.words.modules, k=20))
    draft.file(home, ".history", history, mode=0o600)
    editor = draft.folder(draft.folder(home, ".config"), "editor")
    draft.file(editor, "editor.ini", written(draft, ".ini", "editor"))
    for name in ("documents", "journal", "finance", *draft.words.home[: random.randrange(2, 5)]):
        folder = draft.folder(home, name)
        fill(draft, folder, HOME_KINDS, random.randrange(7, 16))
        for below in random.sample(draft.words.below, random.randrange(1, 4)):
            fill(draft, draft.folder(folder, below), HOME_KINDS, random.randrange(3, 12))
    downloads, pictures = draft.folder(home, "downloads"), draft.folder(home, "photos")
    for number in range(random.randrange(6, 14)):
        where, kind = (pictures, ".png") if number % 2 else (downloads, ".pdf")
        title = f"{random.choice(draft.words.topics)}-{random.randrange(100, 999)}{kind}"
        draft.file(where, title, contents.draw_picture(random), form="base64")
    for name in ("handover", "staging", "handover-old"):
        fill(draft, draft.folder(home, name), (".txt", ".md"), 0 if name == "staging" else random.randrange(2, 5))
    draft.folder(home, "empty-box")
    draft.folder(home.names["documents"], "unsorted")
    return home


def add_project(draft: Draft, home: Place, name: str) -> Place:
    """One of the user's projects."""
    random = draft.random
    top = draft.folder(draft.folder(home, "projects"), name)
    draft.file(top, "README.md", written(draft, ".md", name))
    draft.file(top, ".gitignore", "build/\n*.log\n.env\n")
    for below in random.sample(draft.words.project, random.randrange(4, 7)):
        folder = draft.folder(top, below)
        fill(draft, folder, KINDS[below], random.randrange(3, 15))
        if below == "src":
            for inner in random.sample(draft.words.inner, random.randrange(1, 3)):
                fill(draft, draft.folder(folder, inner), (".py",), random.randrange(2, 7))
    for common in random.sample(draft.words.common, random.randrange(1, 4)):
        draft.file(top, common, written(draft, ".md", name))
    return top


def add_other_home(draft: Draft, homes: Place, owner: User) -> None:
    """Another person's home: some of it can be read, some not."""
    random = draft.random
    home = draft.folder(homes, owner.login, owner, 0o700 if random.random() < 0.3 else 0o755)
    for name in random.sample(draft.words.home, random.randrange(1, 3)):
        fill(draft, draft.folder(home, name, owner), HOME_KINDS, random.randrange(6, 16), owner)
    letters = draft.folder(home, "private", owner, 0o700)
    fill(draft, letters, (".txt",), random.randrange(1, 4), owner)
    draft.file(home, "passphrases.txt", written(draft, ".txt", "do not read"), owner, 0o600)


def add_services(draft: Draft, others: list[User]) -> list[Place]:
    """Services that groups look after; those of the user's group can be changed by the user."""
    random = draft.random
    srv = draft.folder(draft.root, "srv", draft.root.owner)
    made = []
    for number, name in enumerate(draft.words.services[: random.randrange(2, 5)]):
        group = draft.user.primary_group if number == 0 else random.choice(draft.words.groups)
        owner = User(random.choice(others).login, group, "", "", "", 0o022, 0, 0)
        top = draft.folder(srv, name, owner, 0o775)
        for below in ("config", "logs", "data", "releases"):
            folder = draft.folder(top, below, owner, 0o775)
            fill(draft, folder, KINDS.get(below, (".txt",)), random.randrange(2, 8), owner)
        access = contents.draw_log(random, draft.words, name, 40)
        draft.file(top.names["logs"], "access.log", access, owner, 0o664)
        for version in range(1, random.randrange(2, 4)):
            release = draft.folder(top.names["releases"], f"{name}-{version}.0", owner, 0o775)
            draft.file(release, "manifest.json", written(draft, ".json", f"{name}-{version}.0"), owner)
        made.append(top)
    return made


def add_system(draft: Draft, services: list[Place]) -> None:
    """What belongs to the system: settings that all may read, logs, and a folder that nobody else may enter."""
    random, system = draft.random, draft.root.owner
    etc = draft.folder(draft.root, "etc", system)
    for service in services:
        draft.file(etc, f"{service.name}.yaml", written(draft, ".yaml", service.name), system)
    draft.file(etc, "hosts.txt", written(draft, ".txt", "hosts"), system)
    var = draft.folder(draft.root, "var", system)
    logs = draft.folder(var, "log", system)
    for name in random.sample(draft.words.modules, 4):
        draft.file(logs, f"{name}.log", written(draft, ".log", name), system)
    long = contents.draw_log(random, draft.words, "system", random.randrange(410, 480))
    draft.file(logs, "system.log", long, system)
    fill(draft, draft.folder(var, "backups", system, 0o700), (".json",), 3, system)


def add_shared(draft: Draft, others: list[User]) -> None:
    """A sticky folder in which everybody may create and only owners may delete."""
    shared = draft.folder(draft.root.names["srv"], "shared", draft.root.owner, 0o1777)
    for owner in [draft.user, *others]:
        fill(draft, shared, (".txt", ".csv"), draft.random.randrange(1, 4), owner)
    for owner in (draft.user, others[0]):
        draft.folder(shared, f"{owner.login}-files", owner)
    draft.file(shared, "guestbook.txt", written(draft, ".txt", "guestbook"), others[0], 0o666)
    draft.file(shared, "rules.txt", written(draft, ".txt", "rules"), others[0], 0o644)
