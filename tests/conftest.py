"""How the tests run: hypothesis profiles, no network for model hubs, and an account of what ran at the end."""

import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ["HF_HUB_OFFLINE"] = "1"

SLOW = [HealthCheck.too_slow]  # a fault of the machine, not of what is tested
settings.register_profile(
    "default",
    derandomize=True,
    deadline=None,
    max_examples=60,
    print_blob=True,
    database=None,
    suppress_health_check=SLOW,
)
settings.register_profile("soak", deadline=None, max_examples=2000, print_blob=True, suppress_health_check=SLOW)

SERVERS = sorted(file.parent.name for file in (Path(__file__).parents[1] / "src/proverl/servers").glob("*/schema.sql"))
CASES: Counter[str] = Counter()
"""Cases that tests count themselves, by what they are (`cases` below)."""


settings.load_profile("default")  # `--hypothesis-profile soak` on the command line wins


def pytest_sessionfinish(session: pytest.Session) -> None:
    worker = getattr(session.config, "workeroutput", None)
    if worker is not None:
        worker["cases"] = dict(CASES)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """Add up what the workers of `pytest -n` counted."""
    CASES.update(getattr(node, "workeroutput", {}).get("cases", {}))


@pytest.fixture
def cases() -> Counter[str]:
    """Count cases here that are no tests of their own, such as calls or schedules; the summary prints them."""
    return CASES


def seconds_by_part(stats: dict[str, list]) -> str:
    """Where the time went, the dearest part first: a folder of tests, and of the servers each by its name."""
    spent: dict[str, float] = defaultdict(float)
    for report in (one for kind in ("passed", "failed", "error", "") for one in stats.get(kind, ())):
        file, _, test = report.nodeid.partition("::")
        folder = file.removeprefix("tests/").rpartition("/")[0] or "tests"
        named = [name for name in SERVERS if folder == "servers" and (name in file or f"[{name}" in test)]
        spent[f"servers/{named[0]}" if named else folder] += getattr(report, "duration", 0.0)
    return ", ".join(
        f"{part} {seconds:.0f}" for part, seconds in sorted(spent.items(), key=lambda one: -one[1]) if seconds >= 1
    )


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    """How many cases ran, and which tests did not and why."""
    stats = terminalreporter.stats
    ran = sum(len(stats.get(kind, ())) for kind in ("passed", "failed"))
    counted = ", ".join(f"{number:,} {what}" for what, number in sorted(CASES.items()))
    terminalreporter.write_line("")
    terminalreporter.write_line(f"{ran} tests ran{', with ' + counted if counted else ''}")
    terminalreporter.write_line(f"seconds by part: {seconds_by_part(stats)}")
    skipped: Counter[str] = Counter()
    for report in stats.get("skipped", ()):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        skipped[f"{report.nodeid}: {reason.removeprefix('Skipped: ')}"] += 1
    for line in sorted(skipped):
        terminalreporter.write_line(f"skipped {line}")
    left_out = Counter(item.nodeid.partition("::")[0] for item in stats.get("deselected", ()))
    if left_out:
        where = ", ".join(f"{number} in {file}" for file, number in sorted(left_out.items()))
        terminalreporter.write_line(f"left out by -m {config.option.markexpr!r} or -k: {where}")
