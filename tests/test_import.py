"""What `import pypto` loads and says, each time in a fresh interpreter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import openpto
import pypto

ROOT = Path(__file__).resolve().parents[1]
MAY_LOAD = {"numpy", "ml_dtypes", "llvmlite", "pypto", "openpto"}
HELPERS = {"cython_runtime"}  # registered by compiled modules of numpy


def fresh(code: str) -> str:
    """Standard output of `code` run by this interpreter in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_by(statement: str) -> set[str]:
    """Modules that the statement adds to a fresh interpreter."""
    report = "print(json.dumps(sorted(set(sys.modules) - before)))"
    return set(json.loads(fresh(f"import sys, json; before = set(sys.modules); {statement}; {report}")))


def test_versions() -> None:
    assert pypto.__version__ == "0.3.0"
    assert openpto.__version__ == "0.1.0.dev0"


def test_version_of_the_distribution_is_ours() -> None:
    text = fresh("from importlib.metadata import version; print(version('openpto'))")
    assert text.strip() == openpto.__version__


def test_import_loads_only_the_runtime_packages() -> None:
    packages = {name.split(".")[0] for name in loaded_by("import pypto")}
    outside = {name for name in packages if name not in sys.stdlib_module_names and name not in MAY_LOAD | HELPERS}
    assert {name for name in outside if not name.startswith("_")} == set()


def test_import_leaves_heavy_packages_alone() -> None:
    packages = {name.split(".")[0] for name in loaded_by("import pypto, openpto, openpto_gym")}
    assert packages.isdisjoint({"torch", "rich", "typer", "pytest", "hypothesis", "mpmath", "libcst"})


def test_packages_are_typed() -> None:
    for package in ("pypto", "openpto", "openpto_gym"):
        assert (ROOT / "src" / package / "py.typed").is_file()


def test_changelog_knows_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", text, re.M)
    assert openpto.__version__.split(".dev")[0] in text
