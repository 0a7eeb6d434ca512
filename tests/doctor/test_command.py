"""`pypto doctor` as a process: exit codes, and installations that are broken as a whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpto
from openpto.runtime import native_available

SRC = Path(openpto.__file__).resolve().parents[1]
WITHOUT = """import sys


class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {name!r}:
            raise ModuleNotFoundError("No module named " + name, name=name)
        return None


sys.meta_path.insert(0, Hidden())
"""


def doctor(
    folder: Path, *arguments: str, before: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    places = [str(place) for place in (before, SRC) if place]
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYPTO_")}
    environment = {
        **kept,
        "PYTHONPATH": os.pathsep.join(places),
        "PYTHONIOENCODING": "utf-8",
        "PYPTO_LANG": "en",
        "PYPTO_CACHE_DIR": str(folder / "cache"),
        **variables,
    }
    command = [sys.executable, "-c", "from openpto.cli import main; main()", "doctor", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=folder, env=environment
    )


def found(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    table: dict[str, Any] = json.loads(done.stdout)
    return table


def names(table: dict[str, Any], level: str) -> list[str]:
    return [f["name"] for section in table["sections"].values() for f in section["findings"] if f["level"] == level]


def test_a_machine_that_is_well(tmp_path: Path) -> None:
    done = doctor(tmp_path, "--json")
    table = found(done)
    assert (done.returncode, table["ok"], table["problems"]) == (0, True, 0), done.stdout
    expected = {"reference": "right", "native": "right" if native_available() else "not run: no llvmlite"}
    assert table["sections"]["self-test"]["facts"] == expected
    assert list(table["sections"]) == ["installed", "import", "environment", "engine", "cache", "device", "self-test"]


def test_in_chinese(tmp_path: Path) -> None:
    done = doctor(tmp_path, "--no-run", PYPTO_LANG="zh", PYPTO_THREADS="2")
    assert done.returncode == 0, done.stderr
    assert "  警告: 没有程序读取 PYPTO_THREADS：它不起作用" in done.stdout
    assert done.stdout.endswith("可以运行 kernel；上面有 1 条警告\n")


def test_without_llvmlite(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(WITHOUT.format(name="llvmlite"), encoding="utf-8")
    done = doctor(tmp_path, "--json", before=site)
    table = found(done)
    assert done.returncode == 0, done.stdout
    assert names(table, "warning") == ["native-engine-missing"]
    assert table["sections"]["self-test"]["facts"] == {"reference": "right", "native": "not run: no llvmlite"}


def test_what_kernels_need_is_broken(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "numpy.py").write_text("raise ImportError('built for another Python')\n", encoding="utf-8")
    done = doctor(tmp_path, before=site)
    assert done.returncode == 1
    assert "problem: numpy cannot be loaded: ImportError: built for another Python" in done.stdout
    assert "do: pip install --force-reinstall" in done.stdout
    assert done.stderr == ""


def test_a_hidden_package_and_a_bad_value_stop_kernels(tmp_path: Path) -> None:
    (tmp_path / "pypto.py").write_text("", encoding="utf-8")
    done = doctor(tmp_path, "--json", PYPTO_ENGINE="natve")
    assert done.returncode == 1
    table = found(done)
    assert "value-refused" in names(table, "problem")
    assert set(names(table, "problem")) & {"shadowed", "pypto-is-another"}
    assert "PTO295" in "".join(finding["message"] for finding in table["sections"]["self-test"]["findings"])
