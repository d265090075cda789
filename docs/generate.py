"""Writes what the documents say of the code: run `python docs/generate.py` after a change of tools, parts or worlds.

Covers: servers.md, every server and tool as its code declares it; architecture.svg and the table of parts in
architecture.md, from the imports (picture.py); what the Python on one_task.md prints (worked.py). Tests compare the
files with what this would write. Does not cover: the prose around them.
"""

from pathlib import Path

from picture import parts, svg
from worked import worked

from proverl import servers

DOCS = Path(__file__).parent

NOUNS, WORLDS, MODELS, STAGES, RUNS = "#ececec", "#dcebd5", "#f6e3cb", "#d5e3f2", "#e6dcef"
PARTS = {
    "errors": ("the error tree", NOUNS),
    "strict_json": ("the strict reader", NOUNS),
    "records": ("nouns that travel", NOUNS),
    "paths": ("places in results", NOUNS),
    "schemas": ("the judge of values", NOUNS),
    "files": ("whole files, journals", NOUNS),
    "world": ("what servers need", WORLDS),
    "servers": ("a folder a domain", WORLDS),
    "laws": ("what servers obey", WORLDS),
    "wire": ("MCP, processes", WORLDS),
    "chat": ("asking models", MODELS),
    "policies": ("scripted policies", MODELS),
    "synth": ("worlds to tasks", STAGES),
    "rollout": ("the one agent loop", STAGES),
    "reward": ("traces to scores", STAGES),
    "evaluate": ("many episodes", RUNS),
    "train": ("GRPO", RUNS),
    "cli": ("a file a verb", RUNS),
}
"""Each part of the package: what it holds, and the colour of its kind. From the bottom up, as they are to be read."""


def servers_page() -> str:
    """The text of servers.md."""
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


def drawing() -> str:
    """The text of architecture.svg."""
    about, colours = ({part: pair[at] for part, pair in PARTS.items()} for at in (0, 1))
    return svg(parts(), about, colours)


def architecture_page() -> str:
    """architecture.md with the table of parts as the imports are now."""
    imports = parts()
    lines = ["| part | holds | imports |", "|---|---|---|"]
    for part, (about, _) in PARTS.items():
        seen = ", ".join(other for other in PARTS if other in imports[part])
        lines.append(f"| `{part}` | {about} | {seen or '-'} |")
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    before, start, rest = text.partition("<!-- parts, by docs/generate.py -->\n")
    _, end, after = rest.partition("<!-- end of parts -->\n")
    return f"{before}{start}" + "\n".join(lines) + f"\n{end}{after}"


def pages() -> dict[Path, str]:
    """Each generated file with the text that it should have."""
    return {
        DOCS / "servers.md": servers_page(),
        DOCS / "architecture.svg": drawing(),
        DOCS / "architecture.md": architecture_page(),
        DOCS / "one_task.md": worked(DOCS / "one_task.md").text,
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
