"""A foreign distribution called pypto in the environment: never half of one and half of the other."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import pypto
from openpto._install import check, foreign_distributions
from openpto.diagnostics import PyptoError, PyptoWarning

SRC = Path(pypto.__file__).resolve().parents[1]


def plant(folder: Path, record: str = "pypto-0.2.0.dist-info") -> Path:
    (folder / record).mkdir(parents=True)
    return folder


@pytest.mark.parametrize("record", ["pypto-0.2.0.dist-info", "pypto-9.2.0b1-py3.11.egg-info", "PyPTO-1.0.dist-info"])
def test_records_are_recognised(tmp_path: Path, record: str) -> None:
    plant(tmp_path, record)
    assert [found.folder for found in foreign_distributions([str(tmp_path)])] == [str(tmp_path)]


@pytest.mark.parametrize("record", ["openpto-0.1.0.dist-info", "pypto_tools-1.0.dist-info", "pypto", "pypto-x"])
def test_other_names_are_not(tmp_path: Path, record: str) -> None:
    plant(tmp_path, record)
    assert list(foreign_distributions([str(tmp_path)])) == []


def test_folders_that_do_not_exist_are_skipped(tmp_path: Path) -> None:
    assert list(foreign_distributions([str(tmp_path / "gone.zip"), str(tmp_path)])) == []


def test_shared_folder_is_refused(tmp_path: Path) -> None:
    plant(tmp_path)
    with pytest.raises(ImportError) as caught:
        check(str(tmp_path), [str(tmp_path)])
    assert isinstance(caught.value, PyptoError)
    assert caught.value.code == "PTO590"
    assert "pip uninstall" in str(caught.value)


def test_hidden_one_is_a_warning(tmp_path: Path) -> None:
    plant(tmp_path / "theirs")
    with pytest.warns(PyptoWarning, match="PTO591") as caught:
        check(str(tmp_path / "ours"), [str(tmp_path / "theirs")])
    assert "0.2.0" in str(caught[0].message)


def test_clean_environment_says_nothing(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(str(tmp_path), [str(tmp_path)])


def test_import_checks_and_names_the_importing_line(tmp_path: Path) -> None:
    script = tmp_path / "kernel_file.py"
    script.write_text("import os\nimport pypto\n")
    paths = [str(SRC), str(plant(tmp_path / "site"))]
    code = f"import sys, runpy; sys.path[:0] = {paths!r}; runpy.run_path({str(script)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "PTO591" in done.stderr
    assert "kernel_file.py:2" in done.stderr


def test_import_stops_in_a_mixed_folder(tmp_path: Path) -> None:
    site = plant(tmp_path / "site")
    for package in ("pypto", "openpto"):
        (site / package).symlink_to(SRC / package)
    code = f"import sys; sys.path.insert(0, {str(site)!r})\nimport pypto"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "PTO590" in done.stderr
