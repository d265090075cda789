"""Archives: what is packed comes out again, and nothing hostile does."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proverl.servers.filesystem.archive import MAX_BYTES, MAX_ENTRIES, Archive, Damaged, Member, pack, unpack
from proverl.world.session import LocalSession
from support.filesystem_model import code, do, opened

# Archives


@settings(max_examples=30, deadline=None)
@given(texts=st.dictionaries(st.text("abc", min_size=1, max_size=3), st.text("x\nyü", max_size=30), max_size=6),
       form=st.sampled_from(["tar", "zip"]))  # fmt: skip
def test_what_is_packed_comes_out_again(texts: dict[str, str], form: Any) -> None:
    members = tuple(Member(name, "file", len(text.encode()), "text", text) for name, text in sorted(texts.items()))
    assert unpack(pack(form, members)) == Archive(form, members)


def test_a_folder_survives_packing_and_unpacking() -> None:
    session = opened()
    for form in ("tar", "zip"):
        do(session, "archive_create", paths=["~/handover", "~/desk"], archive_path=f"~/staging/p.{form}", format=form)
        do(session, "mkdir", path=f"~/staging/{form}")
        do(session, "archive_extract", path=f"~/staging/p.{form}", destination=f"~/staging/{form}")
        compared = do(session, "compare_dirs", first="~/handover", second=f"~/staging/{form}/handover")
        assert (compared["only_first"], compared["only_second"], compared["different"]) == ([], [], [])
        links = do(session, "find_files", path=f"~/staging/{form}/desk", type="link")["count"]
        assert links == do(session, "find_files", path="~/desk", type="link")["count"]


def _file(name: str, data: Any = "x", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "file", "form": "text", "data": data, **more}


HOSTILE = {
    "leaves by ..": {"archive": "tar", "entries": [_file("../x")]},
    "leaves in the middle": {"archive": "tar", "entries": [_file("a/../../x")]},
    "absolute": {"archive": "tar", "entries": [_file("/etc/x")]},
    "a dot": {"archive": "tar", "entries": [_file("./x")]},
    "empty": {"archive": "tar", "entries": [_file("")]},
    "control character": {"archive": "tar", "entries": [_file("a\nb")]},
    "long name": {"archive": "tar", "entries": [_file("n" * 256)]},
    "through a link": {
        "archive": "tar",
        "entries": [{"name": "a", "type": "link", "target": "/etc"}, _file("a/x")],
    },
    "below a file": {"archive": "tar", "entries": [_file("a"), _file("a/x")]},
    "twice": {"archive": "tar", "entries": [_file("a"), _file("a")]},
    "a bomb": {"archive": "zip", "lines": ["x" * 10_000], "entries": [_file("a", [0] * 20_000)]},
    "a bomb of many": {
        "archive": "zip",
        "lines": ["x" * 1_000],
        "entries": [_file(f"f{n}", [0] * 2) for n in range(900)],
    },
    "too many": {"archive": "tar", "entries": [_file(f"f{n}") for n in range(MAX_ENTRIES + 1)]},
    "too large": {"archive": "tar", "entries": [_file("a", "x" * (MAX_BYTES + 1))]},
    "negative line": {"archive": "zip", "lines": ["x"], "entries": [_file("a", [-1])]},
    "no such line": {"archive": "zip", "lines": ["x"], "entries": [_file("a", [7])]},
    "a line that is true": {"archive": "zip", "lines": ["x", "y"], "entries": [_file("a", [True])]},
    "lines of numbers": {"archive": "zip", "lines": [7], "entries": [_file("a", [0])]},
    "data of another type": {"archive": "tar", "entries": [_file("a", 7)]},
    "another type": {"archive": "tar", "entries": [{"name": "a", "type": "pipe"}]},
    "another form": {"archive": "tar", "entries": [_file("a", form="binary")]},
    "spoilt base64": {"archive": "tar", "entries": [_file("a", "%%%", form="base64")]},
    "another archive": {"archive": "rar", "entries": []},
    "no entries": {"archive": "tar"},
    "entries that are an object": {"archive": "tar", "entries": {}},
    "entries of text": {"archive": "tar", "entries": ["a"]},
    "a list": [],
}


@pytest.mark.parametrize("container", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_container_is_damaged_and_found_out_before_it_fills_the_machine(container: Any) -> None:
    text = json.dumps(container)
    tracemalloc.start()
    try:
        with pytest.raises(Damaged):
            unpack(text)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * MAX_BYTES


LIMITS = {
    "entries": ({"archive": "tar", "entries": [_file(f"f{n}") for n in range(1_000)]}, 1_000),
    "bytes of a tar": ({"archive": "tar", "entries": [_file("a", "é" * 524_288)]}, 1_048_576),
    "bytes of a zip": ({"archive": "zip", "lines": ["é" * 512], "entries": [_file("a", [0] * 1_024)]}, 1_048_576),
    "bytes of several": (
        {"archive": "tar", "entries": [_file("a", "x" * 1_048_000), _file("b", "x" * 576)]},
        1_048_576,
    ),
    "a name": ({"archive": "tar", "entries": [_file("n" * 255)]}, 1),
    "a path": ({"archive": "tar", "entries": [_file("/".join(["n" * 127] * 8) + "n")]}, 1),
    "nothing": ({"archive": "zip", "lines": [], "entries": []}, 0),
}
"""What is just small enough, and how many bytes are in it (in "entries" one in each)."""
ONE_MORE = {
    "entries": {"archive": "tar", "entries": [_file(f"f{n}") for n in range(1_001)]},
    "bytes of a tar": {"archive": "tar", "entries": [_file("a", "é" * 524_288 + "x")]},
    "bytes of a zip": {"archive": "zip", "lines": ["é" * 512, "x"], "entries": [_file("a", [0] * 1_024 + [1])]},
    "bytes of several": {"archive": "tar", "entries": [_file("a", "x" * 1_048_000), _file("b", "x" * 577)]},
    "a name": {"archive": "tar", "entries": [_file("n" * 256)]},
    "a path": {"archive": "tar", "entries": [_file("/".join(["n" * 127] * 8) + "nn")]},
}


@pytest.mark.parametrize("limit", LIMITS)
def test_what_is_just_within_a_limit_is_unpacked_whole(limit: str) -> None:
    container, size = LIMITS[limit]
    found = unpack(json.dumps(container))
    assert (found.format, found.size) == (container["archive"], size)
    assert [member.name for member in found.members] == [entry["name"] for entry in container["entries"]]


@pytest.mark.parametrize("limit", ONE_MORE)
def test_what_is_one_beyond_a_limit_is_damaged(limit: str) -> None:
    with pytest.raises(Damaged):
        unpack(json.dumps(ONE_MORE[limit]))


def wide() -> LocalSession:
    """A session with a quota in which the limits of an archive can be reached."""
    session = opened()
    do(session, "mkdir", path="~/staging/w")
    session.store.connection().execute("UPDATE setting SET quota_bytes = 1 << 40, quota_entries = 1 << 20")
    return session


def test_a_thousand_entries_are_packed_and_no_more() -> None:
    session = wide()
    for number in range(10):
        do(session, "write_file", path=f"~/staging/w/f{number}", content="x\n" * 99)
        do(session, "split_file", path=f"~/staging/w/f{number}", lines_per_part=1)
    pack_all = {"paths": ["~/staging/w"], "archive_path": "~/handover/w.zip", "format": "zip"}
    assert code(session, "archive_create", **pack_all) == "quota_exceeded"
    do(session, "rm", path="~/staging/w/f0")
    assert do(session, "archive_create", **pack_all)["count"] == 1_000
    assert do(session, "archive_list", path="~/handover/w.zip")["count"] == 1_000


def test_a_mebibyte_is_packed_and_no_more() -> None:
    session = wide()
    do(session, "write_file", path="~/staging/k16", content="x" * 16_383)
    do(session, "concat_files", paths=["~/staging/k16"] * 16, output_path="~/staging/k256")
    do(session, "concat_files", paths=["~/staging/k256"] * 4, output_path="~/staging/w/most")
    pack_all = {"paths": ["~/staging/w"], "archive_path": "~/handover/w.tar", "format": "tar"}
    do(session, "write_file", path="~/staging/w/more", content="")
    do(session, "append_file", path="~/staging/w/more", content="\n")
    assert code(session, "archive_create", **pack_all) == "quota_exceeded"
    do(session, "rm", path="~/staging/w/more")
    do(session, "archive_create", **pack_all)
    listed = do(session, "archive_list", path="~/handover/w.tar")["entries"]
    assert [(entry["name"], entry["size"]) for entry in listed] == [("w", 0), ("w/most", 1_048_576)]


@pytest.mark.parametrize("text", ["", "{", "null", "[" * 100_000, '{"archive": "tar", "entries": [' + "{" * 5_000, "7"])
def test_what_is_no_container_is_damaged(text: str) -> None:
    with pytest.raises(Damaged):
        unpack(text)


@given(st.integers(0, 400))
def test_a_container_cut_off_anywhere_is_damaged(cut: int) -> None:
    whole = pack("zip", [Member(f"f{number}", "file", 4, "text", "abc\n") for number in range(12)])
    with pytest.raises(Damaged):
        unpack(whole[: min(cut, len(whole) - 1)])


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_letters_of_other_alphabets_take_no_more_room_in_an_archive_than_their_bytes(form: Any) -> None:
    sizes = [len(pack(form, [Member("a", "file", 0, "text", letter * 1_000)]).encode()) for letter in "aé€😀"]
    assert sizes == [sizes[0] + 1_000 * more for more in range(4)]


def test_what_comes_out_of_an_archive_is_counted_in_entries_and_bytes() -> None:
    session = opened()
    sizes = {one["name"]: one["size"] for one in do(session, "archive_list", path="~/downloads/release.zip")["entries"]}
    for entry, names in (
        (None, list(sizes)),
        ("notes", ["notes", "notes/changes.md", "notes/known-problems.md"]),
        ("notes/", ["notes", "notes/changes.md", "notes/known-problems.md"]),
        ("notes/changes.md", ["notes/changes.md"]),
    ):
        more = {} if entry is None else {"entry": entry}
        with session.attempt():
            got = do(session, "archive_extract", path="~/downloads/release.zip", destination="~/staging", **more)
            assert (got["count"], got["bytes"]) == (len(names), sum(sizes[name] for name in names))
            made = {one["path"].split("/staging/")[1] for one in do(session, "find_files", path="~/staging")["entries"]}
            assert made == {*names, *(name.split("/")[0] for name in names)}


@pytest.mark.parametrize("name", ["leaves by ..", "through a link", "a bomb"])
def test_no_archive_writes_outside_its_destination_or_fills_the_quota(name: str) -> None:
    session = opened()
    do(session, "write_file", path="~/staging/evil.zip", content="x")
    text = json.dumps(HOSTILE[name])
    connection = session.store.connection()
    node = "(SELECT node_id FROM entry WHERE name = 'evil.zip')"
    connection.execute(
        f"UPDATE node SET form = 'archive', content = ?, size = ? WHERE node_id = {node}", (text, len(text))
    )
    digest = session.digest()
    assert code(session, "archive_extract", path="~/staging/evil.zip", destination="~/handover") == "archive_damaged"
    assert code(session, "archive_list", path="~/staging/evil.zip") == "archive_damaged"
    assert session.digest() == digest


def test_a_folder_is_never_replaced_by_a_file_from_an_archive_nor_a_file_by_a_folder() -> None:
    for name, make in (("install.sh", "mkdir"), ("notes", "touch"), ("manifest.json", "mkdir")):
        session = opened()
        do(session, make, path=f"~/staging/{name}")
        for if_exists in ("keep", "replace"):
            unpack_all = {"path": "~/downloads/release.zip", "destination": "~/staging", "if_exists": if_exists}
            assert code(session, "archive_extract", **unpack_all) == "already_exists"
        assert do(session, "find_files", path="~/staging")["count"] == 1


def test_members_are_packed_by_name_whatever_the_order_of_the_paths() -> None:
    session = opened()
    for name in ("b", "a-b", "a/x", "c"):
        do(session, "mkdir", path="~/staging/a", parents=True) if "/" in name else None
        do(session, "write_file", path=f"~/staging/{name}", content=name)
    for number, names in enumerate((["b", "a", "c", "a-b"], ["c", "a-b", "a", "b", "a"])):
        archive = f"~/handover/{number}.zip"
        do(session, "archive_create", paths=[f"~/staging/{n}" for n in names], archive_path=archive, format="zip")
        listed = do(session, "archive_list", path=archive)["entries"]
        assert [(e["name"], e["size"]) for e in listed] == [("a", 0), ("a-b", 4), ("a/x", 4), ("b", 2), ("c", 2)]


def test_what_is_in_a_closed_file_is_not_told() -> None:
    session = opened()
    do(session, "mkdir", path="~/staging/out")
    for path in ("~/downloads/release.zip", "~/downloads/documents-2029.tar", "~/documents/reports/annual-report.md"):
        do(session, "chmod", path=path, mode="200")
        assert code(session, "archive_list", path=path) == "permission_denied"
        assert code(session, "archive_extract", path=path, destination="~/staging/out") == "permission_denied"
        unpack_one = {"path": path, "destination": "~/staging/out", "entry": "no-such-entry"}
        assert code(session, "archive_extract", **unpack_one) == "permission_denied"


def test_unpacking_never_follows_a_link_in_the_destination() -> None:
    session = opened()
    do(session, "mkdir", path="~/staging/out")
    do(session, "ln", target="~/handover", link_path="~/staging/out/notes", kind="symbolic")
    before = do(session, "ls", path="~/handover")
    assert (
        code(session, "archive_extract", path="~/downloads/release.zip", destination="~/staging/out")
        == "already_exists"
    )
    assert do(session, "ls", path="~/handover") == before


def test_one_entry_is_unpacked_alone_and_existing_files_are_replaced_only_on_request() -> None:
    session = opened()
    got = do(session, "archive_extract", path="~/downloads/release.zip", destination="~/staging", entry="manifest.json")
    assert got["count"] == 1
    assert [entry["name"] for entry in do(session, "ls", path="~/staging")["entries"]] == ["manifest.json"]
    assert code(session, "archive_extract", path="~/downloads/release.zip", destination="~/staging") == "already_exists"
    do(session, "archive_extract", path="~/downloads/release.zip", destination="~/staging", if_exists="replace")
    assert do(session, "list_trash")["items"][0]["name"] == "manifest.json"
    assert do(session, "tree", path="~/staging")["folders"] == 1
