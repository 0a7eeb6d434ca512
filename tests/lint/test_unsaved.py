"""Texts that are not what is on disk: findings show them, and kernels are made from what is on disk."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import numpy as np

from openpto.lint.engine import lint_files, lint_open, lint_text
from openpto.lint.findings import Finding
from openpto.lint.selection import Selection

SAVED = """import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), y: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x * 2.0
"""
UNSAVED = SAVED.replace("    y[:] = x * 2.0", "    y = x * 5.0")


def shown(finding: Finding) -> list[str]:
    """The source line of a rendered finding and what marks it."""
    return finding.text("en").splitlines()[3:5]


def test_kernels_are_made_from_what_is_on_disk_after_an_unsaved_text_was_linted(tmp_path: Path) -> None:
    file = tmp_path / "doubling.py"
    file.write_text(SAVED, encoding="utf-8")
    (finding,) = lint_text(UNSAVED, str(file))
    space: dict[str, Any] = {"__name__": "doubling"}
    exec(compile(SAVED, str(file), "exec", dont_inherit=True), space)
    x, y = np.full((8, 32), 7.0, np.float32), np.zeros((8, 32), np.float32)
    space["kernel"](x, y)
    np.testing.assert_array_equal(y, np.full((8, 32), 14.0, np.float32))
    assert linecache.getline(str(file), 7) == "    y[:] = x * 2.0\n"
    assert shown(finding) == ["7 |     y = x * 5.0", "  |     ^^^^^^^^^^^"]


def test_texts_of_an_editor_are_shown_as_they_were_linted(tmp_path: Path) -> None:
    file = tmp_path / "doubling.py"
    file.write_text(SAVED, encoding="utf-8")
    (finding,) = lint_open({str(file): UNSAVED}, Selection())
    assert shown(finding) == ["7 |     y = x * 5.0", "  |     ^^^^^^^^^^^"]


def test_a_file_that_changed_after_it_was_linted_is_shown_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "doubling.py"
    file.write_text(UNSAVED, encoding="utf-8")
    (finding,) = lint_files([file])
    file.write_text(SAVED, encoding="utf-8")
    assert shown(finding) == ["7 |     y = x * 5.0", "  |     ^^^^^^^^^^^"]


def test_the_line_of_an_unsaved_text_that_is_no_python_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "doubling.py"
    file.write_text(SAVED, encoding="utf-8")
    (finding,) = lint_text(SAVED.replace("* 2.0", "* )"), str(file))
    assert finding.code == "PTO700"
    assert shown(finding)[0] == "7 |     y[:] = x * )"
