"""The public names."""

from __future__ import annotations

import subprocess
import sys

import proverl


def test_the_public_names_are_sorted_exist_and_are_documented() -> None:
    assert sorted(proverl.__all__) == proverl.__all__
    for name in proverl.__all__:
        assert getattr(proverl, name).__doc__, name
    assert dir(proverl) == proverl.__all__


def test_importing_proverl_imports_no_part_of_it() -> None:
    code = "import sys, proverl; print([m for m in sys.modules if m.startswith('proverl.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_core_imports_no_extra() -> None:
    code = (
        "import sys, proverl, proverl.cli, proverl.synth.data, proverl.rollout, proverl.reward, proverl.evaluate;"
        "print({m.split('.')[0] for m in sys.modules} & {'mcp', 'torch', 'trl', 'transformers', 'openai', 'uvicorn'})"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(proverl, "nothing")
