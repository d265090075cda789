"""What every write of the filesystem leaves behind, read off the tree before and after it.

Covers: the times and owners of what changed, and that a result tells what happened. Does not cover: whether the call
should have been refused.
"""

from __future__ import annotations

from typing import Any

from support.filesystem_model import Model


def faults_of(before: Model, after: Model, tool: str, value: dict[str, Any]) -> list[str]:
    """What is wrong with a successful write that led from one tree to the other and gave this result."""
    found = [*times(before, after, tool), *owners(before, after), *others(before, after, tool)]
    return found if tool_agrees(before, after, tool, value) else [*found, f"{tool} tells something else: {value}"]


def times(before: Model, after: Model, tool: str) -> list[str]:
    """What changed has the time of the call, all else has kept its time."""
    wrong = []
    for node in after.nodes:
        new = node not in before.nodes
        changed = new or before.children.get(node) != after.children.get(node)
        changed = changed or before.of(node, "content") != after.of(node, "content")
        modified = after.of(node, "modified")
        kept = not new and before.of(node, "modified") == modified
        if modified != before.moment if changed else not kept and tool not in ("touch", "sed_replace"):
            wrong.append(f"node {node} has the time {modified}, the call was at {before.moment}")
    return wrong


def owners(before: Model, after: Model) -> list[str]:
    """What is new belongs to the user, with all bits but those of the umask."""
    wrong = []
    for node in after.nodes.keys() - before.nodes.keys():
        kind = after.of(node, "kind")
        mode = {"file": 0o666 & ~before.umask, "folder": 0o777 & ~before.umask, "link": 0o777}[kind]
        found = tuple(after.of(node, name) for name in ("owner", "group_name", "mode"))
        if found != (before.setting[0], before.primary_group, mode):
            wrong.append(f"the new {kind} has {found}")
    return wrong


def others(before: Model, after: Model, tool: str) -> list[str]:
    """Owners, groups, kinds and modes of what was there are as before, unless a tool is made for changing them."""
    names = ("kind", "owner", "group_name", "target", *(() if tool == "chmod" else ("mode",)))
    kept = before.nodes.keys() & after.nodes.keys() if tool != "chown" else ()
    return [
        f"{name} of {node} has changed"
        for node in sorted(kept)
        for name in names
        if before.of(node, name) != after.of(node, name)
    ]


def tool_agrees(before: Model, after: Model, tool: str, value: dict[str, Any]) -> bool:
    """Whether the result tells what the tree shows."""
    old, new = dict(before.walk()), dict(after.walk())
    came, went = sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys())
    made = value.get("path") or value.get("output_path") or value.get("archive_path") or value.get("link_path")
    node = new.get(made or "", 0)
    size = after.of(node, "size") if node else 0
    content = (after.of(node, "content") if node else "") or ""
    below = [made, *(path for path in new if path.startswith(f"{made}/"))] if made else []
    checks: dict[str, Any] = {
        "cd": lambda: (value["cwd"], value["previous"]) == (after.setting[2], before.setting[2]),
        "touch": lambda: value["created"] is (made not in old) and after.of(node, "modified") == value["modified"],
        "mkdir": lambda: (
            value["created"] == came and made == came[-1] and int(value["mode"], 8) == after.of(node, "mode")
        ),
        "rmdir": lambda: went == [made] and value["removed"] is True,
        "rm": lambda: (
            value["removed_count"] == len(went) and value["freed_bytes"] == before.setting[3] - after.setting[3]
        ),
        "cp": lambda: (
            value["copied_count"] == len(below) and value["bytes"] == sum(after.of(new[path], "size") for path in below)
        ),
        "mv": lambda: made in new and new[made] == old[value["previous_path"]],
        "ln": lambda: (
            made in came
            and value["link_count"] == list(new.values()).count(node)
            and (
                node == old[value["target"]] if value["kind"] == "hard" else after.of(node, "target") == value["target"]
            )
        ),
        "chown": lambda: (value["owner"], value["group"]) == (after.of(node, "owner"), after.of(node, "group_name")),
        "chmod": lambda: int(value["old_mode"], 8) == before.of(node, "mode") and value["changed_count"] >= 1,
        "set_umask": lambda: (int(value["umask"], 8), int(value["previous"], 8)) == (after.umask, before.umask),
        "write_file": lambda: value["bytes"] == size and value["created"] is (made not in old),
        "append_file": lambda: (value["bytes"], value["lines"]) == (size, content.count("\n")),
        "sed_replace": lambda: value["lines_changed"] <= value["replaced"],
        "split_file": lambda: sorted(value["parts"]) == came and value["count"] == len(came),
        "concat_files": lambda: (value["bytes"], value["lines"]) == (size, content.count("\n")),
        "archive_create": lambda: value["bytes"] == size and content.count('"type":') == value["count"],
        "archive_extract": lambda: after.setting[4] >= before.setting[4] and value["count"] >= len(came),
        "restore_from_trash": lambda: (
            came[0] == made
            and value["kind"] == after.of(node, "kind")
            and value["bytes"] == sum(after.of(new[path], "size") for path in below)
        ),
    }
    lines = {"sort_file", "uniq_lines", "cut_columns"}
    told = value["lines"] == content.count("\n") if tool in lines else checks.get(tool, lambda: True)()
    return bool(told)
