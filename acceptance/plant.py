"""Plant faults into the sources, one at a time, and say which ones the tests find.

    python acceptance/plant.py --target banking --count 150 --seed 1   draw faults and run the target's tests on each
    python acceptance/plant.py --target banking --count 5 --show       only print what would be planted
    python acceptance/plant.py --kept                                  plant each of faults/; its test must fail

The operators are our own: on banking/routing.py cosmic-ray took 3.5 s a fault where these take 0.9, 55 of its 124
faults there were one sign of arithmetic for any other, it changes the checkout in place, and it changes no SQL.

Exit status: 0, 1 if less than --least was caught (equivalents excluded) or a kept fault is not found, 2 if the tests
fail without any fault or the arguments make no sense. An interrupted run goes on when it is started again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from planting import kept, report, runs
from planting.draw import draw
from planting.faults import Fault
from planting.syntax import survey
from planting.targets import Target, UnknownTarget, find, names, schema, sources, tests, trees
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LEAST = 0.90


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    asked = _parser().parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    console = Console(stderr=True)
    try:
        if asked.kept:
            wrong = kept.check(HERE / "faults", ROOT, console.print)
            print("\n".join(wrong) or "every kept fault makes its test fail")
            return 1 if wrong else 0
        return _plant(asked, console)
    except (UnknownTarget, kept.BadPatch, report.BadEquivalents, runs.Busy, runs.NotClean) as error:
        console.print(f"plant: {error}", markup=False, highlight=False, soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        console.print("plant: interrupted; the same command goes on from here")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--target", help=f"what gets the faults: {', '.join(names(ROOT))}")
    what.add_argument("--kept", action="store_true", help="check the faults that are kept as patches")
    parser.add_argument("--count", type=_count, default=150, help="how many faults (default 150)")
    parser.add_argument("--seed", type=int, default=1, help="which faults (default 1)")
    parser.add_argument("--jobs", type=_count, default=2, help="processes at once (default 2)")
    parser.add_argument("--least", type=float, default=LEAST, help=f"the share that must be caught (default {LEAST})")
    parser.add_argument("--show", action="store_true", help="print the faults as patches and run nothing")
    parser.add_argument("--json", action="store_true", help="print the whole report as JSON")
    parser.add_argument("--out", type=Path, help="the report (default build/faults/TARGET-SEED-COUNT.json)")
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def _plant(asked: argparse.Namespace, console: Console) -> int:
    with tempfile.TemporaryDirectory(prefix="plant") as temporary:
        first = runs.copy(ROOT, Path(temporary) / "0")
        target = find(asked.target, first)
        read = sources(first, target)
        around = survey(trees(first), [one.tree for one in read if one.file.endswith(".py")], schema(read))
        faults = draw(read, around, asked.count, asked.seed)
        if asked.show:
            print("\n".join(f"{one.name} {one.operator}\n{one.patch}" for one in faults))
            return 0
        out = asked.out or ROOT / "build" / "faults" / f"{target.name}-{asked.seed}-{asked.count}.json"
        settings = {"target": target.name, "sources": _digest(first, target, faults)}
        journal = runs.Journal(out.with_name(f"{out.name}.partial"), settings)
        places = [first] + [runs.copy(first, Path(temporary) / str(number)) for number in range(1, asked.jobs)]
        _run(places, tests(first, target), faults, journal, console)
    judged = report.equivalents(HERE / "equivalents.json")
    done = report.Report(target.name, asked.seed, faults, journal.done, judged)
    report.write(out, done.shown())
    journal.remove()
    print(json.dumps(done.shown(), indent=1) if asked.json else "\n".join(done.lines()))
    console.print(f"written to {out}", markup=False, highlight=False)
    return 0 if done.share >= asked.least else 1


def _digest(root: Path, target: Target, faults: list[Fault]) -> str:
    """What a journal must agree in: the faults, all sources and the tests."""
    found = hashlib.sha256(repr([fault.name for fault in faults]).encode())
    for file in sorted([*(root / "src").rglob("*"), *(root / "tests").rglob("*")]):
        if file.is_file():
            found.update(str(file.relative_to(root)).encode() + file.read_bytes())
    return found.hexdigest()


def _run(
    places: list[Path], parts: list[list[str]], faults: list[Fault], journal: runs.Journal, console: Console
) -> None:
    """Run the tests on each fault that the journal has not; every place is one job."""
    waiting: Queue[Fault] = Queue()
    for fault in faults:
        if fault.name not in journal.done:
            waiting.put(fault)
    if waiting.empty():
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with ExitStack() as stack, Progress(*columns, console=console) as progress:
        bar = progress.add_task("faults", total=len(faults), completed=len(faults) - waiting.qsize())
        jobs = [stack.enter_context(runs.Job(place, parts)) for place in places]
        pool = stack.enter_context(ThreadPoolExecutor(len(jobs)))
        recent: list[str] = []
        lock = threading.Lock()

        def note(found: runs.Found) -> None:
            with lock:
                journal.add(found)
                if "::" in found.by:
                    recent[:] = [found.by, *(name for name in recent if name != found.by)][: runs.RECENT]
                missed = sum(not one.by for one in journal.done.values())
                progress.update(bar, advance=1, description=f"faults ({missed} missed)")

        stack.callback(waiting.queue.clear)  # so that an interrupt does not wait for all that is left
        for future in [pool.submit(_work, job, waiting, recent, note, progress.console) for job in jobs]:
            future.result()


def _work(
    job: runs.Job, waiting: Queue[Fault], recent: list[str], note: Callable[[runs.Found], Any], console: Console
) -> None:
    seconds, passed, skipped = job.clean()
    told = f"{passed} tests pass in {seconds:.1f} s" + (f"; skipped: {', '.join(skipped)}" if skipped else "")
    console.print(told, markup=False, highlight=False)
    while True:
        try:
            fault = waiting.get_nowait()
        except Empty:
            return
        note(job.test(fault, tuple(recent)))


if __name__ == "__main__":
    sys.exit(main())
