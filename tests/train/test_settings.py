"""What a run is told; no engine is needed for these."""

import subprocess
import sys
from pathlib import Path

import pytest

from proverl.errors import MissingExtra, UsageError
from proverl.train.settings import Settings
from proverl.train.trl.trainer import train
from support.shop.tasks import buy_and_cancel, open_session


def test_the_defaults_are_the_papers():
    settings = Settings(model="m", out=Path("o"))
    assert (settings.batch, settings.group, settings.beta, settings.steps) == (16, 16, 0.01, 350)
    limits = settings.limits
    assert (limits.prompt_tokens, limits.response_tokens) == (12_384, 16_384)
    assert (limits.assistant_turns, limits.user_messages) == (10, 5)


@pytest.mark.parametrize(
    "wrong",
    [{"steps": 0}, {"group": 1}, {"batch": 0}, {"micro_batch": 5}, {"reply_tokens": 0}, {"threads": 0}],
)
def test_settings_that_make_no_run_are_refused_with_the_field_and_its_value(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(UsageError, match=f"{name}.*{value}"):
        Settings(model="m", out=Path("o"), **wrong)


@pytest.mark.parametrize("missing", ["torch", "trl"])
def test_without_the_extra_the_command_that_installs_it_is_named(missing, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtra, match=r"pip install 'proverl\[train\]'"):
        train(Settings(model="tiny", out=tmp_path), [buy_and_cancel()], open_session)


def test_importing_the_training_modules_imports_no_engine():
    code = (
        "import sys, proverl.train.settings, proverl.train.trl.trainer, proverl.train.tiny; "
        "print(sorted({'torch', 'trl', 'transformers', 'datasets'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
