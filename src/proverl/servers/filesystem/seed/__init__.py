"""The worlds: a home, projects, services and the files of other people, with the states that make tasks interesting.

Every world has near-duplicates (two copies that differ in one line, siblings that differ by a suffix, one name in many
folders), files and folders that the user may not read, enter or change, a sticky folder, good, dangling and sometimes
circular links, hard links, good and damaged archives, one whose entries are there already, and a trash with two items
of one name and one whose folder is gone. Some worlds have hardly any quota left. All of it came about in order of time.
"""

from __future__ import annotations

from typing import Final

from proverl.world.domain import Builder

from ..nodes import User
from .names import Words
from .places import HOME_KINDS, add_home, add_other_home, add_project, add_services, add_shared, add_system, fill
from .rows import Draft
from .states import add_archives, add_closed, add_copies, add_links, add_trash

LEAST_FILES: Final = 430
WIDE: Final = 1 << 40
"""The quota while the history happens."""


def build(world: Builder) -> None:
    """Make the world of a seed."""
    words = Words(world.random)
    logins = [name.lower() for name in words.first_names[: world.random.randrange(4, 8)]]
    user, *others = add_accounts(world, words, logins)
    draft = Draft(world, words, user, User("root", "root", "", "", "", 0o022, 0, 0))
    homes = draft.folder(draft.root, "home", draft.root.owner)
    home = add_home(draft, homes)
    projects = [add_project(draft, home, name) for name in words.projects[: world.random.randrange(3, 6)]]
    for other in others:
        add_other_home(draft, homes, other)
    services = add_services(draft, others)
    add_system(draft, services)
    add_shared(draft, others)
    add_copies(draft, home, projects)
    add_closed(draft, home, projects)
    add_links(draft, home, projects, services)
    add_archives(draft, home, projects)
    add_trash(draft, home)
    while draft.files < LEAST_FILES:
        where = world.random.choice(("documents", "journal", "finance", "downloads"))
        fill(draft, home.names[where], HOME_KINDS, 8)
    world.happen()
    assert not world.dropped, f"the rules refused what was planned: {world.dropped}"
    start = world.random.choice([home] * 6 + [home.names["projects"], home.names["documents"]])
    store_session(world, start.path)


def add_accounts(world: Builder, words: Words, logins: list[str]) -> list[User]:
    """The logins and groups; the first person is the user, who is in two or three groups."""
    groups, random = words.groups, world.random
    world.insert("login", login="root", full_name="System")
    memberships = [("root", "root")]
    users = []
    for number, login in enumerate(logins):
        world.insert("login", login=login, full_name=f"{words.first_names[number]} {words.last_names[number]}")
        group = groups[number % len(groups)]
        wanted = random.randrange(2, 4) if number == 0 else random.randrange(1, 3)
        more = [other for other in groups if other != group]
        # The last group is never the user's, so that there is one to which nothing can be handed.
        choice = more[:-1] if number == 0 else more
        own = [group, *random.sample(choice, min(wanted - 1, len(choice)))]
        memberships += [(login, one) for one in own]
        users.append(User(login, group, f" {' '.join(sorted(own))} ", f"/home/{login}", "", 0o022, WIDE, WIDE))
    used = {group for _, group in memberships}
    memberships += [(logins[1], group) for group in groups if group not in used]
    world.insert_all("membership", [{"login": login, "group_name": group} for login, group in memberships])
    user = users[0]
    row = (user.login, user.primary_group, user.groups, user.home, user.umask, WIDE, WIDE)
    world.run("INSERT INTO setting VALUES (1, ?, ?, ?, ?, '/', ?, ?, ?, 0, 0, 1)", *row)
    return users


def store_session(world: Builder, cwd: str) -> None:
    """Where the user stands, the umask, and the quota, of which some worlds have hardly anything left."""
    random = world.random
    free_bytes, free_entries = random.randrange(150_000, 900_000), random.randrange(60, 400)
    tight = random.random()
    if tight < 0.1:
        free_bytes = random.randrange(400, 8_000)
    elif tight < 0.2:
        free_entries = random.randrange(1, 5)
    world.run(
        "UPDATE setting SET cwd = ?, umask = ?, quota_bytes = used_bytes + ?, quota_entries = used_entries + ?",
        cwd,
        random.choice((0o022, 0o022, 0o002, 0o027)),
        free_bytes,
        free_entries,
    )
