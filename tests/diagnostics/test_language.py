"""Which language diagnostics come in: PYPTO_LANG, the locale, the terminal, and a choice by the program."""

import os
import subprocess
import sys

import pytest

from openpto.cli.explain import page
from openpto.diagnostics import set_language
from openpto.diagnostics.language import current_language

VARIABLES = ("PYPTO_LANG", "LC_ALL", "LC_MESSAGES", "LANG")

BAD = """import numpy as np
import pypto


@pypto.frontend.jit
def k(x: pypto.Tensor([8, 8], pypto.DT_FP32), y: pypto.Tensor([8, 8], pypto.DT_FP32)):
    y[0:4, :] = 1.0
    y[:] = x + 1.0


def run():
    k(np.ones((8, 8), np.float32), np.zeros((8, 8), np.float32))
"""


@pytest.fixture
def environment(monkeypatch):
    """Sets the variables that decide, and no others."""

    def setup(**values):
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
        for name, value in values.items():
            monkeypatch.setenv(name, value)
        set_language(None)

    return setup


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW.UTF-8"}, "zh"),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_MESSAGES": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "zh_CN.UTF-8", "LANG": "C"}, "zh"),
        ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, "zh"),
        ({"PYPTO_LANG": "zh"}, "zh"),
        ({"PYPTO_LANG": " ZH_cn "}, "zh"),
        ({"PYPTO_LANG": "zh", "LC_ALL": "C"}, "zh"),
        ({"PYPTO_LANG": "en", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"PYPTO_LANG": "EN_us", "LC_ALL": "zh_CN.UTF-8"}, "en"),
        ({"PYPTO_LANG": ""}, "en"),
        ({"PYPTO_LANG": "klingon"}, "en"),
        ({"PYPTO_LANG": "klingon", "LANG": "zh_CN.UTF-8"}, "zh"),
    ],
)
def test_environment(environment, values, expected):
    environment(**values)
    assert current_language() == expected


def test_the_program_chooses_before_the_environment(environment):
    environment(PYPTO_LANG="en")
    set_language("zh")
    assert current_language() == "zh"
    set_language(None)
    assert current_language() == "en"
    with pytest.raises(ValueError, match="language"):
        set_language("fr")


def test_a_terminal_without_chinese_gets_english(environment, monkeypatch):
    environment(LC_ALL="zh_CN.latin1")

    class Stream:
        encoding = "latin-1"

    monkeypatch.setattr("sys.stderr", Stream())
    assert current_language() == "en"


def test_the_wish_counts_where_the_terminal_cannot_tell(environment, monkeypatch):
    environment(PYPTO_LANG="zh")
    monkeypatch.setattr("sys.stderr", None)
    assert current_language() == "zh"


def test_errors_warnings_and_pages_follow(environment, run_example):
    environment(PYPTO_LANG="zh")
    outcome = run_example(BAD)
    assert "error[PTO301]: 未设置 tile 形状" in str(outcome.error)
    assert "建议：" in str(outcome.warnings[0])
    assert page("PTO301")[0].startswith("PTO301: 未设置 tile 形状")
    environment(LANG="C")
    assert "未设置" in str(outcome.error)  # a text stays as it was told
    outcome = run_example(BAD)
    assert "error[PTO301]: tile shape not set" in str(outcome.error)
    assert "help: " in str(outcome.warnings[0])
    assert page("PTO301")[0].startswith("PTO301: tile shape not set")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"PYPTO_LANG": "zh", "LANG": "C", "PYTHONIOENCODING": "utf-8"}, "未设置 tile 形状"),
        ({"LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "utf-8"}, "未设置 tile 形状"),
        ({"LANG": "C", "PYTHONIOENCODING": "utf-8"}, "tile shape not set"),
        ({"LC_ALL": "zh_CN.UTF-8", "PYTHONIOENCODING": "ascii"}, "tile shape not set"),
    ],
)
def test_a_process_of_its_own(tmp_path, values, words):
    (tmp_path / "kernel.py").write_text(BAD + "\n\nrun()\n", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if name not in (*VARIABLES, "PYTHONUTF8")}
    done = subprocess.run(
        [sys.executable, "kernel.py"], cwd=tmp_path, env={**kept, **values}, capture_output=True, check=False
    )
    assert done.returncode == 1
    text = done.stderr.decode("utf-8")
    assert f"error[PTO301]: {words}" in text
    assert "--> kernel.py:7:5" in text or sys.version_info < (3, 11)
