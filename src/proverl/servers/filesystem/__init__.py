"""Files, folders, links and archives of one login, with a current folder, modes, a quota and a trash.

All of it is virtual: rows of schema.sql, and no file of the machine is ever touched. paths.py leads from the text of a
path to a node, rights.py and walks.py say what the user may do with it, changing.py makes the changes.
"""

from datetime import timedelta
from importlib import resources

from ...world.server import Server
from .seed import build
from .tools import archives, looking, making, moving, owning, printing, searching, texts, trash

server = Server(
    "filesystem",
    folder=resources.files(__name__),
    category="Productivity",
    about="""
    A POSIX-like home and project tree with a current working directory, owners, groups and mode bits, hard and symbolic
    links, archives, a quota and a trash. Every path may be absolute or relative to the current directory.
    """,
    tools=[looking, printing, searching, making, moving, owning, texts, archives, trash],
    seed=build,
    ids=["tsh"],
    discovery=["find_files", "ls", "tree", "list_trash"],
    tick=timedelta(minutes=1),
)
