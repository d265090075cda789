"""The worlds: a home, projects, services and the files of other people, with the states that make tasks interesting.

Every world has near-duplicates (two copies that differ in one line, siblings that differ by a suffix, one name in many
folders), files and folders that the user may not read, enter or change, a sticky folder, good, dangling and sometimes
circular links, hard links, good and damaged archives, one whose entries are there already, and a trash with two items
of one name and one whose folder is gone. Some worlds have hardly any quota left.
"""

from __future__ import annotations

from typing import Final

from ...world.world import Builder
from . import contents
from .archive import Format, Member, pack
from .planting import Owner, Tree
from .vocabulary import (
    COMMON,
    GROUPS,
    HOME_FOLDERS,
    MODULES,
    PEOPLE,
    PROJECT_FOLDERS,
    PROJECTS,
    SERVICES,
    SHAPES,
    SUBFOLDERS,
    TABLES,
    TOPICS,
)

ROOT_OWNER: Final = Owner("root", "root")
LEAST_FILES: Final = 420
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


def build(world: Builder) -> None:
    """One world."""
    people = world.random.sample(sorted(PEOPLE), world.random.randrange(4, 8))
    groups = world.random.sample(GROUPS, world.random.randrange(3, 6))
    owners = _accounts(world, people, groups)
    user, others = owners[0], owners[1:]
    tree = Tree(world, world.random, user)
    root = tree.root(ROOT_OWNER)
    homes = tree.folder(root, "home", ROOT_OWNER)
    home = _home(tree, homes, user)
    projects = [_project(tree, home, name) for name in tree.random.sample(PROJECTS, tree.random.randrange(3, 6))]
    for other in others:
        _other_home(tree, homes, other)
    services = _services(tree, root, others, groups)
    _system(tree, root, services)
    _shared(tree, root, others)
    _copies(tree, home, projects)
    _locked(tree, home, projects)
    _top_up(tree, home)
    _links(tree, home, projects, services)
    _archives(tree, home, projects)
    _trash(tree, home)
    _settings(world, tree, user, home)
    tree.write()


def _accounts(world: Builder, people: list[str], groups: list[str]) -> list[Owner]:
    """The logins and groups; the first person is the user, who is in two or three groups."""
    owners = [Owner(login, groups[number % len(groups)]) for number, login in enumerate(people)]
    world.insert("login", login="root", full_name="System")
    memberships = [("root", "root")]
    for number, owner in enumerate(owners):
        world.insert("login", login=owner.login, full_name=PEOPLE[owner.login])
        wanted = world.random.randrange(2, 4) if number == 0 else world.random.randrange(1, 3)
        more = [group for group in groups if group != owner.group]
        # The last group is never the user's, so that there is one to which nothing can be handed.
        choice = more[:-1] if number == 0 and len(more) > 1 else more
        chosen = world.random.sample(choice, min(wanted - 1, len(choice)))
        memberships += [(owner.login, group) for group in [owner.group, *chosen]]
    used = {group for _, group in memberships}
    memberships += [(owners[1].login, group) for group in groups if group not in used]
    world.insert_all("membership", [{"login": login, "group_name": group} for login, group in memberships])
    return owners


def _fill(tree: Tree, folder: int, kinds: tuple[str, ...], count: int, owner: Owner | None = None) -> None:
    """Put files into a folder, with names that say what they are about."""
    random = tree.random
    for kind in random.choices(kinds, k=count):
        if kind == ".py":
            title = random.choice(MODULES)
        elif kind == ".csv":
            title = f"{random.choice(TABLES)}-{random.randrange(2027, 2031)}"
        elif kind in (".md", ".txt"):
            title = f"{random.choice(TOPICS)}-{random.choice(SHAPES)}"
        else:
            title = f"{random.choice(MODULES)}-{random.choice(('main', 'old', 'local', 'daily', 'base'))}"
        tree.file(folder, title + kind, contents.BY_EXTENSION[kind](random, title), owner)


def _home(tree: Tree, homes: int, user: Owner) -> int:
    """The user's home without its projects."""
    random = tree.random
    home = tree.folder(homes, user.login, user)
    tree.file(home, ".profile", "umask 022\nexport EDITOR=ed\nexport PAGER=more\n")
    tree.file(home, ".history", "".join(f"{step}\n" for step in random.choices(MODULES, k=20)), mode=0o600)
    tree.folder(tree.folder(home, ".config"), "editor")
    tree.file(tree.names[home][".config"], "editor.ini", contents.ini(random, "editor"))
    for name in ("documents", "journal", "finance", *random.sample(HOME_FOLDERS[3:], random.randrange(2, 5))):
        folder = tree.folder(home, name)
        _fill(tree, folder, HOME_KINDS, random.randrange(7, 16))
        for below in random.sample(
            SUBFOLDERS.get(name, ()), min(len(SUBFOLDERS.get(name, ())), random.randrange(1, 4))
        ):
            _fill(tree, tree.folder(folder, below), HOME_KINDS, random.randrange(3, 12))
    downloads = tree.folder(home, "downloads")
    pictures = tree.folder(home, "photos")
    for number in range(random.randrange(6, 14)):
        where, kind = (pictures, ".png") if number % 2 else (downloads, ".pdf")
        title = f"{random.choice(TOPICS)}-{random.randrange(100, 999)}{kind}"
        tree.file(where, title, contents.picture(random), form="base64")
    for name in ("handover", "staging", "handover-old"):
        _fill(tree, tree.folder(home, name), (".txt", ".md"), 0 if name == "staging" else random.randrange(2, 5))
    tree.folder(home, "empty-box")
    tree.folder(tree.names[home]["documents"], "unsorted")
    return home


def _project(tree: Tree, home: int, name: str) -> int:
    """One of the user's projects."""
    random = tree.random
    top = tree.folder(tree.folder(home, "projects"), name)
    tree.file(top, "README.md", contents.note(random, name))
    tree.file(top, ".gitignore", "build/\n*.log\n.env\n")
    for below in random.sample(PROJECT_FOLDERS, random.randrange(4, 7)):
        folder = tree.folder(top, below)
        _fill(tree, folder, KINDS[below], random.randrange(3, 15))
        if below == "src":
            for inner in random.sample(("core", "ui", "api", "plugins"), random.randrange(1, 3)):
                _fill(tree, tree.folder(folder, inner), (".py",), random.randrange(2, 7))
    for common in random.sample(COMMON, random.randrange(1, 4)):
        tree.file(top, common, contents.note(random, name))
    return top


def _other_home(tree: Tree, homes: int, owner: Owner) -> None:
    """Another person's home: some of it can be read, some not."""
    random = tree.random
    private = random.random() < 0.3
    home = tree.folder(homes, owner.login, owner, 0o700 if private else 0o755)
    for name in random.sample(HOME_FOLDERS, random.randrange(1, 3)):
        folder = tree.folder(home, name, owner)
        _fill(tree, folder, HOME_KINDS, random.randrange(6, 16), owner)
    letters = tree.folder(home, "private", owner, 0o700)
    _fill(tree, letters, (".txt",), random.randrange(1, 4), owner)
    tree.file(home, "passphrases.txt", contents.plain(random, "do not read"), owner, 0o600)


def _services(tree: Tree, root: int, others: list[Owner], groups: list[str]) -> list[int]:
    """Services that groups look after; those of the user's group can be changed by the user."""
    random = tree.random
    srv = tree.folder(root, "srv", ROOT_OWNER)
    made = []
    for number, name in enumerate(random.sample(SERVICES, random.randrange(2, 5))):
        owner = Owner(random.choice(others).login, tree.user.group if number == 0 else random.choice(groups))
        top = tree.folder(srv, name, owner, 0o775)
        for below in ("config", "logs", "data", "releases"):
            folder = tree.folder(top, below, owner, 0o775)
            _fill(tree, folder, KINDS.get(below, (".txt",)), random.randrange(2, 8), owner)
        logs = tree.names[top]["logs"]
        tree.file(logs, "access.log", contents.log(random, name, 40), owner, 0o664)
        releases = tree.names[top]["releases"]
        for version in range(1, random.randrange(2, 4)):
            folder = tree.folder(releases, f"{name}-{version}.0", owner, 0o775)
            manifest = contents.data(random, f"{name}-{version}.0")
            tree.file(folder, "manifest.json", manifest, owner)
        made.append(top)
    return made


def _system(tree: Tree, root: int, services: list[int]) -> None:
    """What belongs to the system: settings that all may read, logs, and a folder that nobody else may enter."""
    random = tree.random
    etc = tree.folder(root, "etc", ROOT_OWNER)
    for service in services:
        name = tree.paths[service].rsplit("/", 1)[1]
        tree.file(etc, f"{name}.yaml", contents.settings(random, name), ROOT_OWNER)
    tree.file(etc, "hosts.txt", contents.plain(random, "hosts"), ROOT_OWNER)
    var = tree.folder(root, "var", ROOT_OWNER)
    logs = tree.folder(var, "log", ROOT_OWNER)
    for name in random.sample(MODULES, 4):
        tree.file(logs, f"{name}.log", contents.log(random, name), ROOT_OWNER)
    tree.file(logs, "system.log", contents.log(random, "system", random.randrange(410, 480)), ROOT_OWNER)
    backups = tree.folder(var, "backups", ROOT_OWNER, 0o700)
    _fill(tree, backups, (".json",), 3, ROOT_OWNER)


def _shared(tree: Tree, root: int, others: list[Owner]) -> None:
    """A sticky folder in which everybody may create and only owners may delete."""
    random = tree.random
    shared = tree.folder(tree.names[root]["srv"], "shared", ROOT_OWNER, 0o1777)
    for owner in [tree.user, *others]:
        _fill(tree, shared, (".txt", ".csv"), random.randrange(1, 4), owner)
    tree.folder(shared, f"{tree.user.login}-files", tree.user)
    tree.folder(shared, f"{others[0].login}-files", others[0])
    tree.file(shared, "guestbook.txt", contents.plain(random, "guestbook"), others[0], 0o666)
    tree.file(shared, "rules.txt", contents.plain(random, "rules"), others[0], 0o644)


def _copies(tree: Tree, home: int, projects: list[int]) -> None:
    """Near-duplicates: copies that differ in one line, one port in one config, names that come twice, an empty file."""
    random = tree.random
    budget = contents.table(random, "budget")
    lines = budget.splitlines(keepends=True)
    lines[len(lines) // 2] = lines[len(lines) // 2].replace(",", ",old ", 1)
    for project, text in zip(random.sample(projects, 2), (budget, "".join(lines)), strict=True):
        tree.file(tree.folder(project, "data"), "budget.csv", text)
    tree.file(
        tree.folder(random.choice(projects), "config"),
        "server.yaml",
        f"name: demo\nport: {random.randrange(8081, 8090)}\n",
    )
    orders = tree.folder(random.choice(projects), "data")
    tree.file(orders, "orders.csv", contents.table(random, "orders"))
    journal, documents = tree.names[home]["journal"], tree.names[home]["documents"]
    for folder in (documents, tree.names[home]["finance"], *random.sample(projects, 2)):
        for name in random.sample(("todo.txt", "notes.md", "ideas.md"), 2):
            tree.file(folder, name, contents.tasks(random, name))
    tree.file(journal, "notes.md", contents.note(random, "journal"), mode=0o440)
    tree.file(documents, "placeholder.txt", "")
    for below in ("reports", "reports-old"):
        folder = tree.folder(documents, below)
        _fill(tree, folder, (".md",), random.randrange(2, 6))
        tree.file(folder, "annual-report.md", contents.note(random, f"annual report of {below}"))


def _locked(tree: Tree, home: int, projects: list[int]) -> None:
    """Folders and files of the user's own that lack a right."""
    random = tree.random
    documents = tree.names[home]["documents"]
    vault = tree.folder(home, "vault", mode=0o600)
    _fill(tree, vault, (".txt",), 2)
    frozen = tree.folder(documents, "signed", mode=0o555)
    _fill(tree, frozen, (".txt", ".md"), random.randrange(3, 6))
    for project in random.sample(projects, 2):
        for _, node in random.sample(tree.text_files(project), 1):
            tree.nodes[node]["mode"] = 0o444
    letter = contents.plain(random, "sealed")
    tree.file(documents, "sealed.txt", letter, mode=0o200)


def _top_up(tree: Tree, home: int) -> None:
    """Fill the folders of the home until the world has the files that it should have at least."""
    folders = [tree.names[home][name] for name in ("documents", "journal", "finance", "downloads")]
    while sum(row["kind"] == "file" for row in tree.nodes.values()) < LEAST_FILES:
        _fill(tree, tree.random.choice(folders), HOME_KINDS, 8)


def _links(tree: Tree, home: int, projects: list[int], services: list[int]) -> None:
    """Symbolic links, two of them dangling, one to a folder, sometimes a circle; two pairs of hard links."""
    random = tree.random
    desk = tree.folder(home, "desk")
    documents = tree.names[home]["documents"]
    tree.link(desk, "current-service", tree.paths[services[0]])
    tree.link(desk, "documents", "../documents")
    tree.link(desk, "lost-note.md", "../documents/lost-note.md")
    tree.link(documents, "old-contract.txt", f"{tree.paths[home]}/contracts/old-contract.txt")
    for project in projects:
        name, node = random.choice([pair for pair in tree.text_files(project) if pair[0][0] != "."])
        tree.link(desk, f"{tree.paths[project].rsplit('/', 1)[1]}-{name}", tree.path(node))
    for folder in (documents, tree.names[home]["finance"], tree.names[home]["journal"]):
        for name, node in random.sample(tree.text_files(folder), 2):
            tree.link(desk, f"shortcut-{name}", tree.path(node))
    tree.link(desk, "latest", f"{tree.paths[projects[0]]}/README.md")
    tree.link(home, "latest", "desk/latest")
    if random.random() < 0.4:
        tree.link(desk, "ping", "pong")
        tree.link(desk, "pong", "ping")
    finance = tree.text_files(tree.names[home]["finance"])
    for (name, node), prefix in zip(random.sample(finance, 2), ("kept", "same"), strict=True):
        tree.hard_link(tree.names[home]["handover"], f"{prefix}-{name}", node)


def _packed(tree: Tree, folder: int, form: Format, prefix: str = "") -> tuple[str, int]:
    """A container with the text files of a folder, and how many there are."""
    files = tree.text_files(folder)[:30]
    nodes = [(name, tree.nodes[node]) for name, node in files]
    members = [Member(prefix + name, "file", row["size"], "text", row["content"]) for name, row in nodes]
    return pack(form, [Member(prefix[:-1], "folder"), *members] if prefix else members), len(members)


def _archives(tree: Tree, home: int, projects: list[int]) -> None:
    """Archives: good ones, one whose entries stand beside it already, one that is damaged."""
    random = tree.random
    downloads = tree.names[home]["downloads"]
    names = tree.names[home]
    for number, project in enumerate(projects):
        form: Format = "zip" if number % 2 else "tar"
        title = tree.paths[project].rsplit("/", 1)[1]
        folder = max(sorted(tree.names[project].values()), key=lambda node: len(tree.names.get(node, ())))
        text, _ = _packed(tree, folder, form, f"{title}-snapshot/")
        tree.file(downloads, f"{title}-snapshot.{form}", text, form="archive")
    beside, _ = _packed(tree, names["finance"], "zip")
    tree.file(names["finance"], "finance-backup.zip", beside, form="archive")
    release = [
        Member("manifest.json", "file", *_sized(contents.data(random, "release"))),
        Member("notes", "folder"),
        Member("notes/changes.md", "file", *_sized(contents.note(random, "changes"))),
        Member("notes/known-problems.md", "file", *_sized(contents.note(random, "problems"))),
        Member("install.sh", "file", *_sized(contents.script(random, "install"))),
    ]
    tree.file(downloads, "release.zip", pack("zip", release), form="archive")
    broken, _ = _packed(tree, names["documents"], "tar")
    cut = len(broken) * random.randrange(40, 80) // 100
    tree.file(downloads, "documents-2029.tar", broken[:cut], form="archive")
    for name in random.sample(("documents", "journal"), random.randrange(0, 3)):
        text, _ = _packed(tree, names[name], "tar", f"{name}/")
        tree.file(tree.folder(home, "archive"), f"{name}-{random.randrange(2027, 2031)}.tar", text, form="archive")


def _sized(text: str) -> tuple[int, str, str]:
    return len(text.encode()), "text", text


def _trash(tree: Tree, home: int) -> None:
    """Deleted entries, oldest first: two of one name, one whose folder is gone, a folder with files."""
    random = tree.random
    folders = [tree.names[home][name] for name in ("documents", "journal", "finance", "handover")]
    plan: list[tuple[str, str]] = [(tree.paths[folder], "minutes-old.txt") for folder in random.sample(folders, 2)]
    plan.append((f"{tree.paths[home]}/old-flat", "lease-terms.md"))
    taken = {f"{where}/{name}" for where, name in plan}
    count = random.randrange(7, 20)
    while len(plan) < count:
        folder = random.choice(folders)
        name = f"{random.choice(TOPICS)}-{random.choice(SHAPES)}.{random.choice(('md', 'txt'))}"
        path = f"{tree.paths[folder]}/{name}"
        if name not in tree.names[folder] and path not in taken:
            taken.add(path)
            plan.append((tree.paths[folder], name))
    random.shuffle(plan)
    minutes = sorted(random.sample(range(30, 60_000), len(plan) + 1), reverse=True)
    for (where, name), age in zip(plan, minutes, strict=False):
        kind = ".md" if name.endswith(".md") else ".txt"
        tree.bin(tree.file(None, name, contents.BY_EXTENSION[kind](random, name)), f"{where}/{name}", age)
    folder = tree.folder(None, "winter-course")
    _fill(tree, folder, (".txt", ".md"), random.randrange(2, 5))
    tree.bin(folder, f"{tree.paths[home]}/winter-course", minutes[-1])


def _settings(world: Builder, tree: Tree, user: Owner, home: int) -> None:
    """The user's session: where it stands, its umask, and its quota, of which some worlds have hardly anything left."""
    random = tree.random
    size, entries = tree.usage()
    free_bytes, free_entries = random.randrange(150_000, 900_000), random.randrange(60, 400)
    tight = random.random()
    if tight < 0.1:
        free_bytes = random.randrange(400, 8_000)
    elif tight < 0.2:
        free_entries = random.randrange(1, 5)
    rows = world.all("SELECT group_name FROM membership WHERE login = ? ORDER BY group_name", user.login)
    groups = [row["group_name"] for row in rows]
    start = random.choice([home] * 6 + [tree.names[home]["projects"], tree.names[home]["documents"]])
    world.insert(
        "setting",
        setting_id=1,
        login=user.login,
        primary_group=user.group,
        groups=f" {' '.join(groups)} ",
        home=tree.paths[home],
        cwd=tree.paths[start],
        umask=random.choice((0o022, 0o022, 0o002, 0o027)),
        quota_bytes=size + free_bytes,
        quota_entries=entries + free_entries,
        used_bytes=size,
        used_entries=entries,
        last_number=tree.last,
    )
