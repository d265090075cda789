"""Writes docs/servers.md from the registry: every server and tool as its code declares it.

Run `python docs/generate.py` after a change of tools; a test compares the file with what this would write.
"""

from pathlib import Path

from proverl import servers

PAGE = Path(__file__).parent / "servers.md"


def page() -> str:
    """The text of the page."""
    found = [servers.load(name) for name in servers.names()]
    lines = ["# Servers", "", "Generated from the code by `docs/generate.py`; do not edit.", ""]
    lines.append(f"{len(found)} servers, {sum(len(server.tools) for server in found)} tools.")
    for server in found:
        lines += ["", f"## {server.name} ({server.category}, {len(server.tools)} tools)", "", server.about, ""]
        lines += ["| tool | effect | arguments | refuses with | what it does |", "|---|---|---|---|---|"]
        for tool in server.tools:
            names = [name if name in tool.required else f"[{name}]" for name in tool.input_schema["properties"]]
            codes = ", ".join(tool.refusals) or "-"
            lines.append(
                f"| `{tool.name}` | {tool.effect} | {', '.join(names) or '-'} | {codes} | {tool.description} |"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
