"""The record of an operator's stages, names of the design, and goldens that work when they are imported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from openpto.lint.engine import lint_files, lint_text
from openpto.lint.selection import Selection

GYM = Selection(select=("PTO711", "PTO714", "PTO724", "PTO737", "PTO744"))
DONE = {str(stage): "completed" for stage in range(1, 6)}


def record(folder: Path, text: str, file: str = "add_impl.py") -> list[tuple[str, int]]:
    (folder / ".orchestrator_state.json").write_text(text, encoding="utf-8")
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("import pypto\n", encoding="utf-8")
    return [(finding.code, finding.span.line) for finding in lint_files([path], GYM)]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"stage": 6, "stages": DONE}, []),
        ({"current_stage": "stage6", "completed_stages": [1, 2, 3, 4, 5]}, []),
        ({"stage": 6, "stages": {"stage5": {"status": "DONE"}}}, []),
        ({"stage": 5, "stages": {}}, []),
        ({"stage": 6, "stages": {**DONE, "5": "running"}}, [("PTO714", 2)]),
        ({"stage": 7, "completed_stages": [1, 2, 3, 4]}, [("PTO714", 2)]),
        ({"stage": 8, "stages": DONE}, [("PTO724", 2)]),
        ({"stages": DONE}, [("PTO724", 1)]),
        ({"stage": True, "stages": DONE}, [("PTO724", 2)]),
        ({"stage": 6}, [("PTO724", 1)]),
        ({"stage": 4, "stages": DONE, "active_phase": "final"}, []),
        ([], [("PTO724", 1)]),
    ],
)
def test_the_record(tmp_path: Path, table: object, expected: list[tuple[str, int]]) -> None:
    assert record(tmp_path, json.dumps(table, indent=1)) == expected


def test_a_record_that_is_no_json(tmp_path: Path) -> None:
    assert record(tmp_path, "{stage: 5") == [("PTO724", 1)]


def test_the_active_phase(tmp_path: Path) -> None:
    text = json.dumps({"stage": 5, "stages": DONE, "active_phase": "M2"})
    assert record(tmp_path, text) == [("PTO744", 1)]
    assert record(tmp_path, text, "modules/add_module1_impl.py") == [("PTO744", 1)]
    for name in ("add_module2_impl.py", "add_module2_golden.py", "test_add_module2.py"):
        (tmp_path / "modules" / name).write_text("", encoding="utf-8")
    assert record(tmp_path, text) == []


DESIGN = """---
dynamic_axes: []
---
```python
row_max = pypto.amax(x, -1, True)
shifted, total = x - row_max, 0
```
"""


@pytest.mark.parametrize(
    ("design", "found"),
    [
        (DESIGN, True),
        (DESIGN.replace("row_max", "t1"), False),
        (DESIGN.replace("dynamic_axes: []", "intermediates: [t1]"), False),
        ("---\nintermediates: [row_max, row_sum]\n---\n", True),
        ("---\nintermediates: [row_max]\n---\n", False),
        ("# design\n", False),
    ],
)
def test_names_of_the_design(tmp_path: Path, design: str, found: bool) -> None:
    (tmp_path / "DESIGN.md").write_text(design, encoding="utf-8")
    kernel = tmp_path / "softmax_impl.py"
    kernel.write_text("import pypto\n\n\ndef softmax_wrapper(x):\n    t1 = x\n    return t1\n", encoding="utf-8")
    assert [finding.code for finding in lint_files([kernel], GYM)] == (["PTO737"] if found else [])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import torch\nTABLE = torch.load('t.pt')\n", 2),
        ("import numpy as np\nTABLE = [np.load(f) for f in FILES]\n", 2),
        ("from .helpers import scale\n", 1),
        ("def golden(x):\n    return x\n\n\ngolden(3)\n", 5),
        ("while True:\n    pass\n", 1),
        ("import sys\nif len(sys.argv) < 2:\n    sys.exit(1)\n", 3),
        ("import argparse\nARGS = argparse.ArgumentParser().parse_args()\n", 2),
        ("NAME = input()\n", 1),
        ("import subprocess\nsubprocess.run(['npu-smi'])\n", 2),
    ],
)
def test_a_golden_that_works_when_it_is_imported(text: str, line: int) -> None:
    assert [(f.code, f.span.line) for f in lint_text(text, "add_golden.py", GYM)] == [("PTO711", line)]
    assert lint_text(text, "add.py", GYM) == []


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n\nIDS = torch.arange(8)\n\n\ndef golden(x):\n    return torch.load('t.pt')\n",
        "def golden(x):\n    return x\n\n\nif __name__ == '__main__':\n    golden(input())\n",
        "from math import exp as exit\nLIMIT = exit(3)\n",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n",
        "TABLE = {}\nfor k in range(8):\n    TABLE[k] = 2 ** k\n",
    ],
)
def test_a_golden_that_defines(text: str) -> None:
    assert lint_text(text, "add_golden.py", GYM) == []
