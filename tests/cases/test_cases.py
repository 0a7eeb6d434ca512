"""Every kernel file of the shared collection, run as a user would: a process of its own that has to exit 0.

The collection lies beside the repository; without it these tests are skipped. Under `pytest -n 2` the files run two
at a time. A file that waits for an op or dtype (waiting.py) has to end in a coded stop and never in a wrong value.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from case_process import run
from waiting import WAITING

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT.parent / "shared" / "cases"
FILES = sorted(FOLDER.glob("case*.py"))
SECONDS = 300
CODE = re.compile(r"\bPTO\d{3}\b")
WRONG_VALUE = "elements differ"

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(find_spec("torch") is None, reason="the kernel files compare with torch"),
    pytest.mark.skipif(not FILES, reason="the collection of kernel files (shared/cases) is not beside the repository"),
]


@pytest.mark.parametrize("file", [file for file in FILES if file.stem not in WAITING], ids=lambda file: file.stem)
def test_case_passes(file: Path, tmp_path: Path) -> None:
    code, output = run(file, tmp_path, SECONDS)
    assert code == 0, output


@pytest.mark.parametrize("file", [file for file in FILES if file.stem in WAITING], ids=lambda file: file.stem)
def test_waiting_case_ends_in_a_coded_stop(file: Path, tmp_path: Path) -> None:
    code, output = run(file, tmp_path, SECONDS)
    assert code != 0, f"{file.stem} passes now: remove it from the list in tests/cases/waiting.py"
    assert WRONG_VALUE not in output, output
    assert CODE.search(output), output
    assert "not yet available" in output or "not available yet" in output, output


def test_waiting_list_names_existing_cases() -> None:
    assert set(WAITING) <= {file.stem for file in FILES}
