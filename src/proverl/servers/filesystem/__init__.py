"""Files, folders, links and archives of one login, with a current folder, modes, a quota and a trash.

Covers: a tree of virtual files in rows, POSIX rights, searching, comparing and rewriting texts, archives, a trash. No
file of the machine is ever touched. paths.py leads from the text of a path to a node, rules.py and below.py say what
the user may do with it, changes.py makes the changes. Does not cover: running programs, devices, other users' sessions,
the times of reading.
"""

from proverl.world.domain import Server

from .seed import build
from .tools import archives, comparisons, entries, files, folders, owners, searches, texts, trash

server = Server(
    "filesystem",
    package=__name__,
    category="Productivity",
    about="""A POSIX-like home and project tree with a current working directory, owners, groups and mode bits, hard and
        symbolic links, archives, a quota and a trash. Every path may be absolute or relative to the current
        directory.""",
    tools=[folders, files, searches, comparisons, entries, owners, texts, archives, trash],
    seed=build,
    discovery=["find_files", "ls", "tree", "list_trash"],
)
