"""What the tools take and give: the types of their arguments and results.

A path in a result is absolute. Arguments that are paths may be relative to the current folder or begin with ~.
"""

from __future__ import annotations

from typing import Annotated, Literal

from typing_extensions import TypedDict

from ...world.server import Field, Ref

PATH = Field(min_length=1, max_length=1024, json_schema_extra={"format": "path"})
NAME = Field(max_length=255, pattern=r"^[^/\x00-\x1f\x7f]*[^/.\x00-\x1f\x7f][^/\x00-\x1f\x7f]*$")

NewPath = Annotated[str, PATH]
EntryPath = Annotated[str, Ref("entry"), PATH]
FilePath = Annotated[str, Ref("file"), PATH]
FolderPath = Annotated[str, Ref("folder"), PATH]
LinkPath = Annotated[str, Ref("link"), PATH]
ArchivePath = Annotated[str, Ref("archive"), PATH]
TrashItemId = Annotated[str, Ref("trash_item")]
NewName = Annotated[str, NAME]

Entry = Annotated[str, Ref("entry")]
Kind = Literal["file", "folder", "link"]
IfExists = Literal["keep", "replace"]


class Session(TypedDict):
    """pwd."""

    cwd: Entry
    login: str
    groups: list[str]
    umask: str


class ListedEntry(TypedDict):
    """One line of ls."""

    name: str
    type: Kind
    mode: str
    owner: str
    group: str
    size: int
    modified: str
    target: str | None


class Listing(TypedDict):
    """ls."""

    path: Entry
    count: int
    entries: list[ListedEntry]


class Tree(TypedDict):
    """tree."""

    path: Entry
    tree: str
    folders: int
    files: int
    truncated: bool


class Printed(TypedDict):
    """cat, head_file and tail_file."""

    path: Entry
    content: str
    lines: int
    truncated: bool


class Counted(TypedDict):
    """wc_file."""

    path: Entry
    lines: int
    words: int
    bytes: int


class Status(TypedDict):
    """stat_file."""

    path: Entry
    type: Kind
    mode: str
    owner: str
    group: str
    size: int
    modified: str
    link_count: int
    target: str | None


class SubfolderUsage(TypedDict):
    """One folder of du."""

    name: str
    bytes: int


class Usage(TypedDict):
    """du."""

    path: Entry
    total: int
    subfolders: list[SubfolderUsage]


class Quota(TypedDict):
    """df."""

    total_bytes: int
    used_bytes: int
    free_bytes: int
    used_entries: int
    free_entries: int


class FoundEntry(TypedDict):
    """One entry of find_files."""

    path: Entry
    type: Kind
    size: int
    modified: str


class Found(TypedDict):
    """find_files."""

    count: int
    truncated: bool
    entries: list[FoundEntry]


class MatchingLine(TypedDict):
    """One line of grep_files."""

    path: Entry
    line: int
    text: str


class Matches(TypedDict):
    """grep_files."""

    count: int
    truncated: bool
    matches: list[MatchingLine]


class Difference(TypedDict):
    """diff_files."""

    identical: bool
    added: int
    removed: int
    diff: str
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
    size: int


class Packed(TypedDict):
    """archive_list."""

    path: Entry
    format: Literal["tar", "zip"]
    count: int
    entries: list[PackedEntry]


class DeletedEntry(TypedDict):
    """One entry of list_trash."""

    trash_item_id: TrashItemId
    name: str
    original_path: str
    kind: Kind
    size: int
    deleted_at: str


class Trash(TypedDict):
    """list_trash."""

    count: int
    items: list[DeletedEntry]


class Moved(TypedDict):
    """cd."""

    cwd: Entry
    previous: Entry


class Touched(TypedDict):
    """touch."""

    path: Entry
    created: bool
    modified: str


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
    removed_count: int
    freed_bytes: int


class Copied(TypedDict):
    """cp."""

    path: Entry
    copied_count: int
    bytes: int


class Renamed(TypedDict):
    """mv."""

    path: Entry
    previous_path: str


class Linked(TypedDict):
    """ln."""

    link_path: Entry
    target: Entry
    kind: Literal["symbolic", "hard"]
    link_count: int


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
    bytes: int
    created: bool


class Appended(TypedDict):
    """append_file."""

    path: Entry
    lines: int
    bytes: int


class Replaced(TypedDict):
    """sed_replace."""

    path: Entry
    replaced: int
    lines_changed: int


class Sorted(TypedDict):
    """sort_file."""

    output_path: Entry
    lines: int


class Unique(TypedDict):
    """uniq_lines."""

    output_path: Entry
    lines: int
    dropped: int


class Cut(TypedDict):
    """cut_columns."""

    output_path: Entry
    lines: int
    columns: int


class Parts(TypedDict):
    """split_file."""

    path: Entry
    parts: list[Entry]
    count: int


class Joined(TypedDict):
    """concat_files."""

    output_path: Entry
    lines: int
    bytes: int


class ArchiveMade(TypedDict):
    """archive_create."""

    archive_path: Entry
    count: int
    bytes: int


class Unpacked(TypedDict):
    """archive_extract."""

    destination: Entry
    count: int
    bytes: int


class Restored(TypedDict):
    """restore_from_trash."""

    path: Entry
    kind: Kind
    bytes: int
