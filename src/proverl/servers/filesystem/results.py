"""What the tools of the filesystem take and give: entities, enumerations, and a TypedDict for each result.

A path in a result is absolute. Arguments that are paths may be relative to the current folder or begin with ~. Paths
are ids of their own that no table has, for a path changes with the folders above its name.
"""

from __future__ import annotations

from typing import Annotated, Literal

from proverl.world.domain import COMPARABLE, Entity, Field, Moment, Text, TypedDict

ENTRY = Entity("entry", lister="find_files", table="path")
FILE = Entity("file", lister="find_files")
FOLDER = Entity("folder", lister="find_files")
LINK = Entity("link", lister="find_files")
ARCHIVE = Entity("archive", lister="find_files")
TRASH_ITEM = Entity("trash_item", "tsh", "list_trash", view="trash_now", order="number DESC")

PATH = Field(min_length=1, max_length=1024, json_schema_extra={"format": "path"})
VISIBLE = r"^[^/\x00-\x1f\x7f]*[^/.\s\x00-\x1f\x7f][^/\x00-\x1f\x7f]*$"
"""A name without slash and control characters that is neither blank nor all dots."""

NewPath = Annotated[str, PATH]
Entry = Annotated[str, ENTRY]
EntryPath = Annotated[Entry, PATH]
FilePath = Annotated[str, FILE, PATH]
FolderPath = Annotated[str, FOLDER, PATH]
LinkPath = Annotated[str, LINK, PATH]
ArchivePath = Annotated[str, ARCHIVE, PATH]
TrashItemId = Annotated[str, TRASH_ITEM]
NewName = Annotated[str, Field(max_length=255, pattern=VISIBLE)]

Kind = Literal["file", "folder", "link"]
IfExists = Literal["keep", "replace"]
Number = Annotated[int, COMPARABLE]
"""A size or a count by which entries can be compared."""


class Session(TypedDict):
    """pwd."""

    cwd: Entry
    login: str
    groups: list[str]
    umask: str


class Attributes(TypedDict):
    """What ls and stat_file show of an entry; `mode` is four octal digits, `target` that of a link."""

    type: Kind
    mode: str
    owner: str
    group: str
    size: Number
    modified: Moment
    target: str | None


class ListedEntry(Attributes):
    """One line of ls."""

    name: str


class Listing(TypedDict):
    """ls."""

    path: Entry
    count: Number
    entries: list[ListedEntry]


class Tree(TypedDict):
    """tree."""

    path: Entry
    tree: Text
    folders: int
    files: int
    truncated: bool


class Printed(TypedDict):
    """cat, head_file and tail_file."""

    path: Entry
    content: Text
    lines: Number
    truncated: bool


class Counted(TypedDict):
    """wc_file."""

    path: Entry
    lines: Number
    words: Number
    bytes: Number


class Status(Attributes):
    """stat_file."""

    path: Entry
    link_count: Number


class SubfolderUsage(TypedDict):
    """One folder of du."""

    name: str
    bytes: Number


class Usage(TypedDict):
    """du."""

    path: Entry
    total: Number
    subfolders: list[SubfolderUsage]


class Quota(TypedDict):
    """df."""

    total_bytes: Number
    used_bytes: Number
    free_bytes: Number
    used_entries: Number
    free_entries: Number


class FoundEntry(TypedDict):
    """One entry of find_files."""

    path: Entry
    type: Kind
    size: Number
    modified: Moment


class Found(TypedDict):
    """find_files."""

    count: Number
    truncated: bool
    entries: list[FoundEntry]


class MatchingLine(TypedDict):
    """One line of grep_files."""

    path: Entry
    line: int
    text: Text


class Matches(TypedDict):
    """grep_files."""

    count: Number
    truncated: bool
    matches: list[MatchingLine]


class Difference(TypedDict):
    """diff_files."""

    identical: bool
    added: int
    removed: int
    diff: Text
    truncated: bool


class Comparison(TypedDict):
    """compare_dirs."""

    only_first: list[str]
    only_second: list[str]
    different: list[str]
    same_count: int
    truncated: bool


class Checksum(TypedDict):
    """checksum_file."""

    path: Entry
    algorithm: Literal["md5", "sha1", "sha256"]
    checksum: str


class RealPath(TypedDict):
    """realpath_of."""

    path: Entry
    real_path: Entry
    type: Kind
    steps: int


class PackedEntry(TypedDict):
    """One entry of archive_list."""

    name: str
    type: Kind
    size: Number


class Packed(TypedDict):
    """archive_list."""

    path: Entry
    format: Literal["tar", "zip"]
    count: Number
    entries: list[PackedEntry]


class DeletedEntry(TypedDict):
    """One entry of list_trash."""

    trash_item_id: TrashItemId
    name: str
    original_path: str
    kind: Kind
    size: Number
    deleted_at: Moment


class Trash(TypedDict):
    """list_trash."""

    count: Number
    items: list[DeletedEntry]


class Moved(TypedDict):
    """cd."""

    cwd: Entry
    previous: Entry


class Touched(TypedDict):
    """touch."""

    path: Entry
    created: bool
    modified: Moment


class MadeFolder(TypedDict):
    """mkdir."""

    path: Entry
    created: list[Entry]
    mode: str


class RemovedFolder(TypedDict):
    """rmdir."""

    path: str
    removed: bool


class Deleted(TypedDict):
    """rm."""

    path: str
    trash_item_id: TrashItemId
    removed_count: Number
    freed_bytes: Number


class Copied(TypedDict):
    """cp."""

    path: Entry
    copied_count: Number
    bytes: Number


class Renamed(TypedDict):
    """mv."""

    path: Entry
    previous_path: str


class Linked(TypedDict):
    """ln."""

    link_path: Entry
    target: Entry
    kind: Literal["symbolic", "hard"]
    link_count: Number


class ModeSet(TypedDict):
    """chmod."""

    path: Entry
    old_mode: str
    mode: str
    changed_count: int


class OwnerSet(TypedDict):
    """chown."""

    path: Entry
    owner: str
    group: str


class UmaskSet(TypedDict):
    """set_umask."""

    umask: str
    previous: str


class Written(TypedDict):
    """write_file."""

    path: Entry
    bytes: Number
    created: bool


class Appended(TypedDict):
    """append_file."""

    path: Entry
    lines: Number
    bytes: Number


class Replaced(TypedDict):
    """sed_replace."""

    path: Entry
    replaced: int
    lines_changed: int


class Sorted(TypedDict):
    """sort_file; the other tools that write lines into a new file have more."""

    output_path: Entry
    lines: Number


class Unique(Sorted):
    """uniq_lines."""

    dropped: int


class Cut(Sorted):
    """cut_columns."""

    columns: int


class Parts(TypedDict):
    """split_file."""

    path: Entry
    parts: list[Entry]
    count: Number


class Joined(Sorted):
    """concat_files."""

    bytes: Number


class ArchiveMade(TypedDict):
    """archive_create."""

    archive_path: Entry
    count: Number
    bytes: Number


class Unpacked(TypedDict):
    """archive_extract."""

    destination: Entry
    count: Number
    bytes: Number


class Restored(TypedDict):
    """restore_from_trash."""

    path: Entry
    kind: Kind
    bytes: Number
