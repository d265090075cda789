"""The checks of the filesystem tools in order, from the catalogue of the domain.

Where the catalogue is silent: what an argument alone gets wrong comes first (a moment, the size of a text, the name of
what is to be made). A link that leads nowhere or in a circle is refused by every tool with a path; where the catalogue
gives broken_link no place, it comes after the rights and what they protect (permission_denied, binary_file), as in the
tools that print a text. too_many_links follows it.
"""

from support.orders import Apart

FOLDER = "not_found not_a_folder permission_denied broken_link too_many_links"
TEXT = "not_found is_a_folder permission_denied binary_file broken_link too_many_links"
SOURCE = "invalid_argument not_found permission_denied binary_file broken_link too_many_links"

ORDER = {
    "pwd": "",
    "ls": FOLDER,
    "tree": FOLDER,
    "cat": TEXT,
    "head_file": TEXT,
    "tail_file": TEXT,
    "wc_file": TEXT,
    "stat_file": "not_found permission_denied broken_link too_many_links",
    "du": FOLDER,
    "df": "",
    "find_files": f"invalid_argument {FOLDER} bad_pattern",
    "grep_files": "not_found permission_denied broken_link too_many_links bad_pattern binary_file",
    "diff_files": TEXT,
    "compare_dirs": f"{FOLDER} same_folder",
    "checksum_file": "not_found is_a_folder permission_denied broken_link too_many_links",
    "realpath_of": "not_found permission_denied broken_link too_many_links",
    "archive_list": "not_found permission_denied broken_link too_many_links not_an_archive archive_damaged",
    "list_trash": "",
    "cd": FOLDER,
    "touch": "folder_not_found permission_denied broken_link too_many_links is_a_folder quota_exceeded bad_name",
    "mkdir": "already_exists folder_not_found permission_denied broken_link too_many_links quota_exceeded bad_name",
    "rmdir": "not_found not_a_folder folder_not_empty permission_denied broken_link too_many_links folder_in_use",
    "rm": "not_found is_a_folder permission_denied broken_link too_many_links sticky_folder folder_in_use",
    "cp": "not_found destination_not_a_folder is_a_folder already_exists into_itself permission_denied quota_exceeded "
    "broken_link too_many_links",
    "mv": "not_found destination_not_a_folder already_exists into_itself permission_denied broken_link too_many_links "
    "sticky_folder folder_in_use",
    "ln": "invalid_argument not_found already_exists folder_not_found permission_denied broken_link too_many_links "
    "hard_link_to_folder quota_exceeded",
    "chmod": "not_found not_owner permission_denied broken_link too_many_links bad_mode not_a_folder",
    "chown": "not_found not_owner permission_denied broken_link too_many_links unknown_login unknown_group "
    "not_in_group nothing_to_change",
    "set_umask": "bad_mode owner_bits_masked",
    "write_file": "invalid_argument folder_not_found already_exists is_a_folder permission_denied broken_link "
    "too_many_links quota_exceeded bad_name",
    "append_file": f"invalid_argument {TEXT} quota_exceeded",
    "sed_replace": f"{TEXT} no_match quota_exceeded",
    "sort_file": f"{SOURCE} already_exists folder_not_found column_not_found quota_exceeded",
    "uniq_lines": f"{SOURCE} already_exists folder_not_found quota_exceeded",
    "cut_columns": f"{SOURCE} column_not_found already_exists folder_not_found quota_exceeded",
    "split_file": f"{SOURCE} too_many_parts already_exists quota_exceeded",
    "concat_files": f"{SOURCE} already_exists folder_not_found quota_exceeded",
    "archive_create": "invalid_argument not_found permission_denied broken_link too_many_links already_exists "
    "folder_not_found quota_exceeded archive_inside_source",
    "archive_extract": "not_found not_an_archive archive_damaged entry_not_found destination_not_a_folder "
    "already_exists permission_denied broken_link too_many_links quota_exceeded",
    "restore_from_trash": "trash_item_not_found original_folder_gone destination_not_a_folder already_exists "
    "permission_denied broken_link too_many_links quota_exceeded",
}

NOWHERE = "not_found folder_not_found broken_link too_many_links"
"""What a path is refused with that leads to nothing."""
LOOKS = "ls tree du find_files cd stat_file realpath_of cat head_file tail_file wc_file checksum_file archive_list"
CHANGES = "touch mkdir chown chmod write_file append_file sed_replace grep_files"
ONE = f"{LOOKS} {CHANGES} rm rmdir"
"""The tools with one path, but split_file, which looks beside what is missing, too."""
FOUND = (
    "not_a_folder is_a_folder binary_file already_exists not_an_archive archive_damaged folder_not_empty "
    "folder_in_use sticky_folder not_owner too_many_parts"
)
LINES = "sort_file uniq_lines cut_columns"

APART = [
    Apart(f"{ONE} split_file", "not_found folder_not_found", "broken_link too_many_links", "a path ends in one place"),
    Apart(f"{ONE} split_file", "broken_link", "too_many_links", "a path ends in one place"),
    Apart(ONE, NOWHERE, FOUND, "where nothing is, there are no kind, content and owner"),
    Apart(f"{LOOKS} {CHANGES}", NOWHERE, "permission_denied", "where nothing is, there are no rights"),
    Apart("rm rmdir split_file", "broken_link too_many_links", "permission_denied", "no folder is known there"),
    Apart("split_file", NOWHERE, "binary_file too_many_parts", "where nothing is, there is no content"),
    Apart("split_file", "broken_link too_many_links", "already_exists", "no folder is known there"),
    Apart("split_file", "invalid_argument", NOWHERE, "a name is too long for its parts only where a file has it"),
    Apart("touch", "is_a_folder", "quota_exceeded", "a folder that is there takes no more room"),
    Apart("touch mkdir write_file", "already_exists is_a_folder", "bad_name", "what is there has a good name"),
    Apart("ln archive_create", "invalid_argument", "already_exists", "what is there has a good name"),
    Apart("rmdir", "not_a_folder", "folder_not_empty folder_in_use", "only a folder has entries or is the current one"),
    Apart("archive_list archive_extract", "not_an_archive", "archive_damaged", "only an archive can be damaged"),
    Apart("archive_list", "permission_denied", "not_an_archive archive_damaged", "what is closed is not looked into"),
    Apart("chmod", "permission_denied", "not_a_folder", "a file has nothing below it that could be closed"),
    Apart("chown", "permission_denied", "not_owner", "behind a closed folder no owner is known"),
    Apart("chown", "unknown_login unknown_group", "nothing_to_change", "nothing belongs to who is unknown"),
    Apart("chown", "unknown_group", "not_in_group", "only a group that is known can be another's"),
    Apart("sed_replace", f"{NOWHERE} is_a_folder", "quota_exceeded", "what has no content does not grow"),
    Apart("cp", "not_found", "is_a_folder quota_exceeded", "a source that is missing is no folder and takes no room"),
    Apart("cp mv archive_extract", "destination_not_a_folder", "already_exists", "what is no folder holds nothing"),
    Apart("mv", "not_found", "folder_in_use", "a source that is missing is not the current folder"),
    Apart("ln", "not_found", "hard_link_to_folder", "a target that is missing is no folder"),
    Apart(f"ln {LINES} concat_files archive_create", "already_exists", "folder_not_found", "both are of the new path"),
    Apart(LINES, "not_found", "binary_file column_not_found", "a source that is missing has no content"),
    Apart("sort_file cut_columns", "column_not_found", "quota_exceeded", "without the column nothing is written"),
    Apart("split_file", "binary_file", "too_many_parts", "what is no text is kept as one line"),
    Apart(
        "archive_extract",
        "not_found not_an_archive archive_damaged entry_not_found",
        "already_exists quota_exceeded",
        "what cannot be read out of an archive is in nobody's way and takes no room",
    ),
    Apart(
        "archive_extract",
        "not_found not_an_archive archive_damaged",
        "not_an_archive archive_damaged entry_not_found",
        "each of them is known only where the one before does not hold",
    ),
    Apart("archive_extract", "already_exists", "broken_link too_many_links", "both paths must lead to something"),
    Apart("restore_from_trash", "original_folder_gone", "destination_not_a_folder", "one folder is asked for"),
    Apart(
        "restore_from_trash",
        "original_folder_gone destination_not_a_folder broken_link too_many_links",
        "already_exists",
        "nothing is in the way where no folder is",
    ),
    Apart("restore_from_trash", "destination_not_a_folder", "broken_link too_many_links", "a path ends in one place"),
    Apart("restore_from_trash", "broken_link", "too_many_links permission_denied", "a path ends in one place"),
    Apart("restore_from_trash", "too_many_links", "permission_denied", "a path ends in one place"),
]
