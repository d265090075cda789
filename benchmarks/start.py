"""How long it takes to begin: importing the package, and the command's help, against a bare interpreter."""

import statistics
import subprocess
import sys
import time

RUNS = 9


def seconds(*arguments: str) -> float:
    """The median wall time of a fresh process."""
    found = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        found.append(time.perf_counter() - begun)
    return statistics.median(found)


def main() -> None:
    """Print the figures."""
    bare = seconds("-c", "pass")
    package = seconds("-c", "import proverl")
    core = seconds("-c", "import proverl.evaluate")
    shown = seconds("-m", "proverl", "--help")
    print(f"python -c pass            {bare:6.3f} s")
    print(f"import proverl            {package:6.3f} s (at most 0.3 wanted), {package / bare:.1f} times that")
    print(f"import proverl.evaluate   {core:6.3f} s, {core / bare:.1f} times that: all but servers, mcp and torch")
    print(f"proverl --help            {shown:6.3f} s (at most 0.6 wanted), {shown / bare:.1f} times that")


if __name__ == "__main__":
    main()
