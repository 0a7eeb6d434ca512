"""`pypto lint`, run as a process: exit codes, formats, settings, comments that silence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FAULTY = """import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), y: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    y = x * 2.0{comment}
"""


def lint(
    *arguments: str, cwd: Path, given: str | None = None, language: str = "en"
) -> subprocess.CompletedProcess[str]:
    program = f"""
import os, sys
os.environ["PYPTO_LANG"] = {language!r}
from openpto.cli import main
try:
    main()
finally:
    heavy = {{"numpy", "typer", "rich", "torch", "pypto", "openpto.ops", "openpto.ir"}} & set(sys.modules)
    assert not heavy, heavy
"""
    command = [sys.executable, "-c", program, "lint", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, input=given)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(FAULTY.format(comment=""), encoding="utf-8")
    return tmp_path


def test_findings_look_like_errors_of_a_run(folder: Path) -> None:
    done = lint("kernels.py", cwd=folder)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].split(": ")[0] == "error[PTO412]"
    assert lines[0].endswith("  (OL02)")
    assert lines[1] == " --> kernels.py:7:5"
    assert lines[3] == "7 |     y = x * 2.0"
    assert lines[4] == "  |     ^^^^^^^^^^^"
    assert "  = explain: pypto explain PTO412" in lines


def test_a_clean_file(folder: Path) -> None:
    clean = FAULTY.format(comment="").replace("y = x", "y[:] = x")
    (folder / "kernels.py").write_text(clean, encoding="utf-8")
    done = lint(".", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "no findings in 1 file(s)\n")


def test_concise(folder: Path) -> None:
    done = lint("--format", "concise", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.startswith("kernels.py:7:5: PTO412 [*] `y = ...` only gives the name y to a new tensor")


def test_json(folder: Path) -> None:
    (found,) = json.loads(lint("--format=json", "kernels.py", cwd=folder).stdout)
    place = ("code", "line", "column", "end_line", "end_column", "severity", "kernel", "fixable")
    assert [found[key] for key in place] == ["PTO412", 7, 5, 7, 16, "error", "kernel", True]
    assert found["called_from"] == []
    assert found["aliases"] == ["OL02"]


def test_chinese(folder: Path) -> None:
    done = lint("kernels.py", "--format", "concise", cwd=folder, language="zh")
    assert "1 个文件，1 个问题" in done.stdout


def test_standard_input(folder: Path) -> None:
    done = lint("-", "--stdin-filename", "other.py", "--format", "concise", cwd=folder, given=FAULTY.format(comment=""))
    assert done.returncode == 1
    assert done.stdout.startswith("other.py:7:5: PTO412")


@pytest.mark.parametrize("comment", ["  # noqa", "  # noqa: PTO412", "  # NOQA:OL02", "  # noqa: E501, PTO4 - why"])
def test_a_comment_silences(folder: Path, comment: str) -> None:
    (folder / "kernels.py").write_text(FAULTY.format(comment=comment), encoding="utf-8")
    assert lint(cwd=folder).returncode == 0


@pytest.mark.parametrize("comment", ["  # noqa: E501", "  # noqa: PTO413"])
def test_a_comment_for_another_rule_does_not(folder: Path, comment: str) -> None:
    (folder / "kernels.py").write_text(FAULTY.format(comment=comment), encoding="utf-8")
    assert lint(cwd=folder).returncode == 1


@pytest.mark.parametrize(
    "arguments",
    [["--ignore", "PTO412"], ["--ignore=OL02"], ["--select", "PTO2,PTO5"], ["--select", "GYM", "--ignore", "GYM"]],
)
def test_rules_are_chosen(folder: Path, arguments: list[str]) -> None:
    assert lint(*arguments, cwd=folder).returncode == 0


def test_settings_of_the_project(folder: Path) -> None:
    table = '[tool.pypto.lint.per-file-ignores]\n"kern*.py" = ["OL02"]\n'
    (folder / "pyproject.toml").write_text(table, encoding="utf-8")
    assert lint(cwd=folder).returncode == 0
    assert lint("--isolated", cwd=folder).returncode == 1
    (folder / "pyproject.toml").write_text('[tool.pypto.lint]\nexclude = ["kern*"]\n', encoding="utf-8")
    assert lint(cwd=folder).returncode == 0
    assert lint("kernels.py", cwd=folder).returncode == 1, "a file that is named is looked at"


@pytest.mark.parametrize(
    ("arguments", "table", "code"),
    [
        (["nothing_there.py"], "", "PTO793"),
        (["--select", "PTO98"], "", "PTO792"),
        ([], '[tool.pypto.lint]\nselct = ["PTO2"]\n', "PTO791"),
        ([], '[tool.pypto.lint]\ntarget = "0.9"\n', "PTO791"),
        ([], '[tool.pypto.lint]\nignore = ["PTO98"]\n', "PTO792"),
        ([], "[tool.pypto.lint\n", "PTO791"),
        (["--target", "0.9"], "", "invalid choice"),
        (["--unknown"], "", "unrecognized arguments"),
    ],
)
def test_what_cannot_be_carried_out(folder: Path, arguments: list[str], table: str, code: str) -> None:
    if table:
        (folder / "pyproject.toml").write_text(table, encoding="utf-8")
    done = lint(*arguments, cwd=folder)
    assert done.returncode == 2
    assert code in done.stderr
    assert done.stdout == ""


def test_a_file_that_is_no_python(folder: Path) -> None:
    (folder / "kernels.py").write_text("def kernel(x:\n    pass\n", encoding="utf-8")
    done = lint("--format", "concise", cwd=folder)
    assert done.returncode == 1
    assert "kernels.py:1:11: PTO700" in done.stdout


def test_the_command_lists_it() -> None:
    program = "from openpto.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program, "--help"], capture_output=True, text=True, check=False)
    assert "lint" in done.stdout


def test_files_in_other_encodings(folder: Path) -> None:
    text = FAULTY.format(comment="  # überschrieben")
    (folder / "kernels.py").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (folder / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\n" + text.encode("latin-1"))
    (folder / "wrong.py").write_bytes(text.encode("latin-1"))
    done = lint("--format", "concise", cwd=folder)
    assert [line.split(" ")[:2] for line in done.stdout.splitlines()[:3]] == [
        ["kernels.py:7:5:", "PTO412"], ["latin.py:8:5:", "PTO412"], ["wrong.py:1:1:", "PTO700"],
    ]  # fmt: skip
    pytest.importorskip("libcst")
    done = lint("--fix", "--format", "concise", cwd=folder)
    assert "PTO412" not in done.stdout
    fixed = text.replace("y = x", "y[:] = x")
    assert (folder / "kernels.py").read_bytes() == b"\xef\xbb\xbf" + fixed.encode()
    assert (folder / "latin.py").read_bytes() == b"# -*- coding: latin-1 -*-\n" + fixed.encode("latin-1")
