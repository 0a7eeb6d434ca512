"""`--fix`: what is repaired, and that everything else of the file stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from openpto.cli.lint import run
from openpto.lint.engine import lint_text
from openpto.lint.fixes import repaired
from openpto.lint.selection import Selection

pytest.importorskip("libcst")

HEAD = """import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, n: pypto.Tensor([8], pypto.DT_INT32), y: T):
    pypto.set_vec_tile_shapes(8, 32)
"""

LINES = [
    ("y = x  *  2.0  # keep me", "y[:] = x  *  2.0  # keep me"),
    ("y += x", "y[:] = y + x"),
    ("y -= x + 1.0", "y[:] = y - (x + 1.0)"),
    ("y[ :8, :] = x[0:8, :]", "y[ 0:8, :] = x[0:8, :]"),
    ("y[:] = pypto.rms_norm(x,  eps = 1e-6)", "y[:] = pypto.rms_norm(x,  epsilon = 1e-6)"),
    (
        "for i in pypto.loop(range(8)): y[i*8:i*8+8, :] = x[0:8, :]",
        "for i in pypto.loop(8): y[i*8:i*8+8, :] = x[0:8, :]",
    ),
    (
        "for i in pypto.loop(8, unroll_list=4): y[i*8:i*8+8, :] = x[0:8, :]",
        "for i in pypto.loop(8, unroll_list=[4]): y[i*8:i*8+8, :] = x[0:8, :]",
    ),
    ("pypto.set_vec_tile_shapes([8,32]); y[:] = x + 1.0", "pypto.set_vec_tile_shapes(8, 32); y[:] = x + 1.0"),
    (
        "for i in range(n[0]): y[i*8:i*8+8, :] = x[0:8, :]",
        "for i in pypto.loop(n[0]): y[i*8:i*8+8, :] = x[0:8, :]",
    ),
    ("rows: int = 8; y[:] = x * rows", "rows = 8; y[:] = x * rows"),
    ("y[:] = x[min(n[0], 7), :]", "y[:] = x[pypto.min(n[0], 7), :]"),
]  # fmt: skip


def fixed(text: str) -> str:
    selection = Selection(extend_select=("PTO5", "PTO6"))
    return repaired(text, lint_text(text, selection=selection))[0]


@pytest.mark.parametrize(("old", "new"), LINES, ids=[old for old, _ in LINES])
def test_a_line_is_repaired(old: str, new: str) -> None:
    assert fixed(f"{HEAD}    {old}\n") == f"{HEAD}    {new}\n"
    assert fixed(f"{HEAD}    {new}\n") == f"{HEAD}    {new}\n"


def test_signatures_are_repaired() -> None:
    old = (
        '"""Doc."""\n\nfrom __future__ import annotations\n\nimport pypto\n\n\n@pypto.jit\ndef kernel(  # why\n'
        "    x: pypto.Tensor([8, 32], pypto.DT_FP32), y: pypto.Tensor([8, 32], pypto.DT_FP32)\n) -> None:\n"
        "    pypto.set_vec_tile_shapes(8, 32)\n    y[:] = x + 1.0\n"
    )
    new = old.replace("from __future__ import annotations\n\n", "").replace(" -> None", "")
    assert fixed(old) == new
    quoted = new.replace("x: pypto.Tensor([8, 32], pypto.DT_FP32)", 'x: "pypto.Tensor([8, 32], pypto.DT_FP32)"')
    assert fixed(quoted) == new


def test_nothing_is_touched_without_a_fix() -> None:
    odd = f"{HEAD}    y [ : ]=( x+1.0 )   # odd\n\n\n"
    assert repaired(odd, lint_text(odd)) == (odd, 0)


def test_the_command_rewrites_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kernels.py"
    text = f"{HEAD}    y = x * 2.0\n    w = pypto.emty(x)\n".replace("\n", "\r\n")
    file.write_bytes(text.encode())
    assert run(["--isolated", "--fix", "--format", "concise", str(file)]) == 1
    told = capsys.readouterr()
    assert told.err == "1 repaired\n"
    assert "PTO219" in told.out
    assert "PTO412" not in told.out
    assert file.read_bytes() == text.replace("y = x", "y[:] = x").encode()


def test_standard_input_cannot_be_repaired(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["-", "--fix"]) == 2
    assert "PTO794" in capsys.readouterr().err
