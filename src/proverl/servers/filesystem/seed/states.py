"""The states that make a world interesting: near-duplicates, closed places, links, archives, the trash.

What the user did is done by the tools themselves (ln, rm, rmdir, archive_create), at the moment at which it was done.
"""

from __future__ import annotations

from ..archive import Format, Member, pack
from ..tools.archives import archive_create
from ..tools.entries import ln
from ..tools.folders import rmdir
from ..tools.trash import rm
from . import contents
from .places import fill, written
from .rows import Draft, Place


def add_copies(draft: Draft, home: Place, projects: list[Place]) -> None:
    """Near-duplicates: copies that differ in one line, one port in one config, names that come twice, an empty file."""
    random = draft.random
    budget = written(draft, ".csv", "budget")
    lines = budget.splitlines(keepends=True)
    lines[len(lines) // 2] = lines[len(lines) // 2].replace(",", ",old ", 1)
    for project, text in zip(random.sample(projects, 2), (budget, "".join(lines)), strict=True):
        draft.file(draft.folder(project, "data"), "budget.csv", text)
    config = draft.folder(random.choice(projects), "config")
    draft.file(config, "server.yaml", f"name: demo\nport: {random.randrange(8081, 8090)}\n")
    draft.file(draft.folder(random.choice(projects), "data"), "orders.csv", written(draft, ".csv", "orders"))
    documents = home.names["documents"]
    for folder in (documents, home.names["finance"], *random.sample(projects, 2)):
        for name in random.sample(("todo.txt", "notes.md", "ideas.md"), 2):
            draft.file(folder, name, contents.draw_tasks(random, draft.words, name))
    draft.file(home.names["journal"], "notes.md", written(draft, ".md", "journal"), mode=0o440)
    draft.file(documents, "placeholder.txt", "")
    for below in ("reports", "reports-old"):
        folder = draft.folder(documents, below)
        fill(draft, folder, (".md",), random.randrange(2, 6))
        draft.file(folder, "annual-report.md", written(draft, ".md", f"annual report of {below}"))


def add_closed(draft: Draft, home: Place, projects: list[Place]) -> None:
    """Folders and files of the user's own that lack a right."""
    documents = home.names["documents"]
    vault = draft.folder(home, "vault")
    draft.close(vault, 0o600, *fill(draft, vault, (".txt",), 2))
    signed = draft.folder(documents, "signed")
    draft.close(signed, 0o555, *fill(draft, signed, (".txt", ".md"), draft.random.randrange(3, 6)))
    for project in draft.random.sample(projects, 2):
        draft.close(draft.random.choice(project.texts()), 0o444)
    draft.file(documents, "sealed.txt", written(draft, ".txt", "sealed"), mode=0o200)


def add_links(draft: Draft, home: Place, projects: list[Place], services: list[Place]) -> None:
    """Symbolic links, two of them dangling, one to a folder, sometimes a circle; two pairs of hard links."""
    random = draft.random
    desk, documents, finance = draft.folder(home, "desk"), home.names["documents"], home.names["finance"]
    draft.link(desk, "current-service", services[0].path)
    draft.link(desk, "documents", "../documents")
    lost = draft.file(documents, "lost-note.md", written(draft, ".md", "lost note"))
    draft.link(desk, "lost-note.md", "../documents/lost-note.md")
    old = draft.folder(home, "contracts")
    contract = draft.file(old, "old-contract.txt", written(draft, ".txt", "old contract"))
    draft.link(documents, "old-contract.txt", contract.path)
    draft.world.plan(draft.later(lost, desk.names["lost-note.md"]), rm, lost.path)
    draft.world.plan(draft.later(contract, documents.names["old-contract.txt"]), rm, old.path, True)
    del documents.names["lost-note.md"], home.names["contracts"]
    for project in projects:
        file = random.choice(project.texts())
        draft.link(desk, f"{project.name}-{file.name}", file.path)
    for folder in (documents, finance, home.names["journal"]):
        for file in random.sample(folder.texts(), 2):
            draft.link(desk, f"shortcut-{file.name}", file.path)
    draft.link(desk, "latest", projects[0].names["README.md"].path)
    draft.link(home, "latest", "desk/latest")
    if random.random() < 0.4:
        draft.link(desk, "ping", "pong")
        draft.link(desk, "pong", "ping")
    handover = home.names["handover"]
    for file, prefix in zip(random.sample(finance.texts(), 2), ("kept", "same"), strict=True):
        path = f"{handover.path}/{prefix}-{file.name}"
        draft.world.plan(draft.later(file, handover), ln, file.path, path, "hard")


def add_archives(draft: Draft, home: Place, projects: list[Place]) -> None:
    """Archives: good ones, one whose entries stand beside it already, one that is damaged."""
    random, world = draft.random, draft.world
    downloads, finance = home.names["downloads"], home.names["finance"]
    for number, project in enumerate(projects):
        form: Format = "zip" if number % 2 else "tar"
        folder = max((project.names[name] for name in sorted(project.names)), key=lambda place: len(place.names))
        first = sorted(folder.names.values(), key=lambda place: place.moment)[:3]
        path = f"{downloads.path}/{project.name}-snapshot.{form}"
        world.plan(draft.later(downloads, *first), archive_create, [folder.path], path, form)
    beside = finance.texts()
    paths, path = [file.path for file in beside], f"{finance.path}/finance-backup.zip"
    world.plan(draft.later(*beside), archive_create, paths, path, "zip")
    release = [
        _member("manifest.json", written(draft, ".json", "release")),
        Member("notes", "folder"),
        _member("notes/changes.md", written(draft, ".md", "changes")),
        _member("notes/known-problems.md", written(draft, ".md", "problems")),
        _member("install.sh", written(draft, ".sh", "install")),
    ]
    draft.file(downloads, "release.zip", pack("zip", release), form="archive")
    whole = pack("tar", [_member(file.name, file.text) for file in home.names["documents"].texts()])
    cut = len(whole) * random.randrange(40, 80) // 100
    draft.file(downloads, "documents-2029.tar", whole[:cut], form="archive")
    kept = draft.folder(home, "archive")
    for name in random.sample(("handover", "journal"), random.randrange(0, 3)):
        path = f"{kept.path}/{name}-{random.randrange(2027, 2031)}.tar"
        files = home.names[name].texts()[:1]
        world.plan(draft.later(kept, home.names[name], *files), archive_create, [home.names[name].path], path, "tar")


def _member(name: str, text: str) -> Member:
    return Member(name, "file", len(text.encode()), "text", text)


def add_trash(draft: Draft, home: Place) -> None:
    """Deleted entries: two of one name, one whose folder is gone, a folder with files."""
    random, world = draft.random, draft.world
    folders = [home.names[name] for name in ("documents", "journal", "finance", "handover")]
    for folder in random.sample(folders, 2):
        _throw_away(draft, folder, "minutes-old.txt")
    wanted = random.randrange(2, 13)
    while wanted:
        extension = random.choice((".md", ".txt"))
        name = draft.words.title(random, extension) + extension
        folder = random.choice(folders)
        if name not in folder.names:
            _throw_away(draft, folder, name)
            wanted -= 1
    flat = draft.folder(home, "old-flat")
    gone = _throw_away(draft, flat, "lease-terms.md")
    world.plan(draft.later(gone), rmdir, flat.path)
    course = draft.folder(home, "winter-course")
    lessons = fill(draft, course, (".txt", ".md"), random.randrange(2, 5))
    world.plan(draft.later(course, *lessons), rm, course.path, True)


def _throw_away(draft: Draft, folder: Place, name: str) -> Place:
    """A file that was written and then deleted; its moment becomes that of its deletion."""
    file = draft.file(folder, name, written(draft, name[name.rindex(".") :], name))
    file.moment = draft.later(file)
    draft.world.plan(file.moment, rm, file.path)
    return file
