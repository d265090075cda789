"""docs/architecture.md and its picture say what the imports and the names of the code are."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.pages import DOCS, tool
from test_shape import PACKAGE, imports, module_of, sources

ROOT = Path(__file__).parents[1]
PAGE = DOCS / "architecture.md"
SVG = "{http://www.w3.org/2000/svg}"


def as_shape_reads_them() -> dict[str, set[str]]:
    """Each part's imports, as the rules of test_shape.py read them."""
    found: dict[str, set[str]] = {}
    for file in sources():
        part = module_of(file)[:1] or (file.stem,)
        if part[0] not in ("__init__", "__main__"):
            found.setdefault(part[0], set()).update(seen[0] for seen in imports(file) if seen)
    return {part: seen & found.keys() - {part} for part, seen in found.items()}


@pytest.mark.parametrize(("name", "maker"), [("architecture.svg", "drawing"), ("architecture.md", "architecture_page")])
def test_the_page_and_its_picture_are_what_the_imports_make_them(name: str, maker: str) -> None:
    assert (DOCS / name).read_text() == getattr(tool("generate"), maker)(), "run `python docs/generate.py`"


def test_the_picture_has_every_part_and_the_imports_that_the_rules_of_the_shape_see() -> None:
    parts = tool("picture").parts()
    assert parts == as_shape_reads_them()
    assert set(parts) == set(tool("generate").PARTS), "say in PARTS of docs/generate.py what each part holds"


def test_the_arrows_imply_every_import_and_none_could_be_left_out() -> None:
    parts = as_shape_reads_them()
    arrows = tool("picture").arrows(parts)
    drawn = nx.DiGraph(arrows)
    for part, seen in parts.items():
        assert (nx.descendants(drawn, part) if part in drawn else set()) >= seen
    for arrow in arrows:
        fewer = nx.DiGraph([other for other in arrows if other != arrow])
        assert not (fewer.has_node(arrow[0]) and fewer.has_node(arrow[1]) and nx.has_path(fewer, *arrow))


def test_lazy_and_absolute_imports_are_seen_and_the_front_page_is_not(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.py").write_text("def f():\n    from .b.c import d\n")
    (tmp_path / "b" / "c.py").write_text(
        "from ..e import f\nfrom .. import g\nimport proverl.h\nfrom . import z\nimport os\n"
    )
    for name in ("e", "g", "h", "__init__"):
        (tmp_path / f"{name}.py").write_text("from proverl.a import x\n" if name == "__init__" else "")
    none: frozenset[str] = frozenset()
    expected = {"a": frozenset("b"), "b": frozenset("egh"), "e": none, "g": none, "h": none}
    assert tool("picture").parts(tmp_path) == expected


Box = tuple[float, float, float, float]


def boxes(picture: str) -> list[Box]:
    """Left, top, right and bottom of each box; the first rectangle is the ground."""
    found = []
    for shape in list(ElementTree.fromstring(picture).iter(f"{SVG}rect"))[1:]:
        x, y, width, height = (float(shape.attrib[name]) for name in ("x", "y", "width", "height"))
        found.append((x, y, x + width, y + height))
    return found


def points(path: str) -> list[tuple[float, float]]:
    """Points along an arrow of curves (C) and straight falls (V)."""
    x, y = map(float, re.match(r"M(\S+) ([^CV]+)", path).groups())  # type: ignore[union-attr]
    found = [(x, y)]
    for kind, numbers in re.findall(r"([CV])([^CV]+)", path):
        values = [float(number) for number in numbers.split()]
        if kind == "V":
            found += [(x, y + (values[0] - y) * at / 10) for at in range(11)]
            y = values[0]
            continue
        ends = [(x, y), *zip(values[::2], values[1::2], strict=True)]
        for at in (step / 20 for step in range(21)):
            part = (1, 3, 3, 1)
            weights = [part[n] * (1 - at) ** (3 - n) * at**n for n in range(4)]
            found.append(tuple(sum(w * end[axis] for w, end in zip(weights, ends, strict=True)) for axis in (0, 1)))  # type: ignore[arg-type]
        x, y = ends[-1]
    return found


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, frozenset[str]]:
    names = [f"part{number}" for number in range(draw(st.integers(1, 9)))]
    return {
        name: frozenset(draw(st.sets(st.sampled_from(names[:at])))) if at else frozenset()
        for at, name in enumerate(names)
    }


def assert_clean(parts: dict[str, frozenset[str]]) -> None:
    same = dict.fromkeys(parts, "x")
    picture = tool("picture").svg(parts, same, same)
    assert picture == tool("picture").svg(dict(reversed(parts.items())), same, same)
    found = boxes(picture)
    assert len(found) == len(parts)
    for one in found:
        for other in found:
            apart = one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
            assert one is other or apart
    for shape in ElementTree.fromstring(picture).iter(f"{SVG}path"):
        if "C" not in shape.attrib["d"]:
            continue  # the tip of the arrows
        way = points(shape.attrib["d"])
        assert all(lower[1] >= upper[1] for upper, lower in pairwise(way))
        for x, y in way:
            assert not any(left < x < right and top + 0.01 < y < bottom - 0.01 for left, top, right, bottom in found)


@given(graphs())
def test_boxes_lie_apart_and_arrows_point_down_and_run_through_no_box(parts: dict[str, frozenset[str]]) -> None:
    assert_clean(parts)


def test_the_picture_of_the_code_is_clean() -> None:
    assert_clean({part: frozenset(seen) for part, seen in as_shape_reads_them().items()})


# Words


def glossary() -> dict[str, str]:
    section = PAGE.read_text().partition("## Glossary")[2]
    return dict(re.findall(r"^- \*\*(.+?)\*\*: (.+)$", section, re.M))


def code() -> str:
    """All Python of the package, with words_like_this taken apart."""
    return "\n".join(file.read_text(encoding="utf-8") for file in sources())


def test_the_glossary_has_at_most_thirty_words_of_one_line_each() -> None:
    section = PAGE.read_text().partition("## Glossary")[2]
    assert 0 < len(glossary()) <= 30
    assert len(glossary()) == section.count("\n- "), "a word is explained twice, or in another form"
    lines = [line for line in section.splitlines() if line and not line.startswith("- ")]
    assert len(lines) == 1, "an explanation is longer than a line"
    assert all(len(f"- **{word}**: {line}") <= 120 for word, line in glossary().items())


@pytest.mark.parametrize("word", glossary())
def test_each_word_of_the_glossary_is_used_in_the_code(word: str) -> None:
    parts = re.split(r"[ -]", word)
    assert re.search(rf"(?i)(?<![a-z]){'[ _-]?'.join(parts)}s?(?![a-z])", code())


def test_every_name_on_the_page_is_one_of_the_code() -> None:
    """A name of Python in backticks; a dotted one with each of its parts."""
    files = [file for kind in ("*.py", "*.toml", "*.sql") for file in ROOT.glob(f"src/**/{kind}")]
    words = set(re.findall(r"\w+", "\n".join(file.read_text(encoding="utf-8") for file in files)))
    words |= {part for file in sources() for part in file.relative_to(PACKAGE).with_suffix("").parts}
    named = re.findall(r"`@?([A-Za-z_][\w.]*)`", PAGE.read_text())
    names = [name for name in named if not re.search(r"\.(py|sql|toml|md)$", name)]
    assert len(names) > 30
    assert [name for name in names if not set(name.split(".")) <= words] == []
