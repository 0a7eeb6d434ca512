"""The folder of an operator: what its documents promise, and what kernel, golden and test keep of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from openpto.lint.documents import parse_matter, value
from openpto.lint.engine import lint_files
from openpto.lint.selection import Selection

FILES = {
    "add_impl.py": """import pypto

T = pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32)


@pypto.frontend.jit
def add_kernel_npu(x: T, out: T):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(x.shape[0] // 8):
        out[i * 8 : i * 8 + 8, :] = pypto.view(x, [8, 32], [i * 8, 0]) + 1.0


def add_wrapper(x):
    out = x.clone()
    add_kernel_npu(x, out)
    return out
""",
    "add_golden.py": "def add_golden(x):\n    return x + 1.0\n",
    "test_add.py": "SHAPES = [[1024, 128], (4, 2560)]\nDTYPES = ['fp32', 'bf16']\natol = 1e-3\ncheck(rtol=0.002)\n",
    "README.md": "# add\n",
    "SPEC.md": """---
op: add
p0_shapes: [[1024, 128], {x: [4, 2560]}]
supported_dtypes: [fp32, DT_BF16]
tolerance: {atol: 1e-3, rtol: 1e-3}
outputs:
  - out
---
# add
""",
    "DESIGN.md": """---
dynamic_axes: [batch]
---
# Compute graph
# Tiling
# Verification plan

```python
for i in pypto.loop(8, unroll_list=[1]):
    pypto.exp(x)
```
""",
    "API_REPORT.md": "---\nop: add\n---\n# API mapping\n# Constraints\n# Tiling\n",
    "MEMORY.md": "# Golden inventory\n- [x] add\n\n## Phase M_1 self-review\n" + "- [x] point\n" * 6,
    "GOLDEN_PERF_REPORT.md": "| size | time |\n|---|---|\n| 1 | 2 |\n",
    "eval/module_interfaces.yaml": "primary_inputs: [x]\n",
}

# (file, text that is replaced, text that replaces it; None: the file is removed) -> (code, file, line)
CHANGES = [
    ("SPEC.md", None, "", [("PTO709", "add_impl.py", 1)]),
    ("SPEC.md", "add", "sum", [("PTO709", "SPEC.md", 1)]),
    ("SPEC.md", "supported_dtypes", "dtypes", [("PTO709", "SPEC.md", 1)]),
    ("README.md", None, "", [("PTO713", "add_impl.py", 1)]),
    ("API_REPORT.md", "# Constraints", "", [("PTO710", "API_REPORT.md", 1)]),
    ("API_REPORT.md", "---\nop: add\n---\n", "", [("PTO740", "API_REPORT.md", 1)]),
    ("DESIGN.md", "# Verification plan", "", [("PTO712", "DESIGN.md", 1)]),
    ("DESIGN.md", "unroll_list=[1]", "unroll_list=[8, 1]", [("PTO756", "DESIGN.md", 9)]),
    ("DESIGN.md", "pypto.exp", "pypto.expp", [("PTO219", "DESIGN.md", 10)]),
    ("test_add.py", "'bf16'", "'f'", [("PTO730", "SPEC.md", 4)]),
    ("test_add.py", "1024, 128", "16, 128", [("PTO734", "SPEC.md", 3)]),
    ("test_add.py", "rtol=0.002", "rtol=0.02", [("PTO732", "SPEC.md", 5)]),
    ("SPEC.md", "{atol: 1e-3, rtol: 1e-3}", "1e-3", [("PTO732", "SPEC.md", 5)]),
    ("add_impl.py", "pypto.DYNAMIC", "64", [("PTO729", "add_impl.py", 7), ("PTO731", "DESIGN.md", 2)]),
    ("add_golden.py", "(x)", "(x, y)", [("PTO733", "add_impl.py", 13)]),
    ("eval/module_interfaces.yaml", "[x]", "[x, y]", [("PTO750", "add_impl.py", 13)]),
    ("SPEC.md", "  - out", "  - out\n  - mean", [("PTO751", "add_impl.py", 7)]),
    ("MEMORY.md", "- [x] add", "- [ ] add", [("PTO753", "MEMORY.md", 2)]),
    ("MEMORY.md", "- [x] point\n- [x] point\n", "", [("PTO754", "MEMORY.md", 4)]),
    ("GOLDEN_PERF_REPORT.md", "|---|---|\n", "", [("PTO759", "GOLDEN_PERF_REPORT.md", 1)]),
]  # fmt: skip


def findings(folder: Path, changed: str = "", old: str | None = "", new: str = "") -> list[tuple[str, str, int]]:
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        if name != changed:
            file.write_text(text, encoding="utf-8")
        elif old is not None:
            assert old in text
            file.write_text(text.replace(old, new), encoding="utf-8")
    found = lint_files([folder / "add_impl.py"], Selection(extend_select=("GYM",)))
    return [(finding.code, Path(finding.span.file).name, finding.span.line) for finding in found]


def test_a_folder_that_keeps_its_promises(tmp_path: Path) -> None:
    assert findings(tmp_path) == []


@pytest.mark.parametrize(("file", "old", "new", "expected"), CHANGES)
def test_what_is_not_kept(
    tmp_path: Path, file: str, old: str | None, new: str, expected: list[tuple[str, str, int]]
) -> None:
    assert sorted(findings(tmp_path, file, old, new)) == sorted(expected)


def test_conventions_are_off_unless_selected(tmp_path: Path) -> None:
    findings(tmp_path, "README.md", None)
    assert lint_files([tmp_path / "add_impl.py"]) == []


def test_front_matter() -> None:
    lines = ["a: 1", "b: [[1, 2], {x: [3]}]", "c:", "  - fp32", "  - bf16", "d:", "  atol: 1e-3", "e: some text  # why"]
    matter, places = parse_matter(lines)
    assert matter == {
        "a": 1, "b": [[1, 2], {"x": [3]}], "c": ["fp32", "bf16"], "d": {"atol": 1e-3}, "e": "some text",
    }  # fmt: skip
    assert places == {"a": 1, "b": 2, "c": 3, "d": 6, "e": 8}
    assert value("[true, null, 2e-5, 'a b']") == [True, None, 2e-5, "a b"]
