"""The room without torch, or with one that is too old, and its page."""

import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

import openpto
import pypto

PAGE = Path(__file__).resolve().parents[2] / "docs" / "torch.md"


@pypto.frontend.jit
def add_one(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = x + 1.0


OLD = types.SimpleNamespace(__version__="2.1.0", library=object())


@pytest.mark.parametrize(
    ("module", "words"),
    [(None, "it is not installed"), (OLD, "the version here is 2.1.0")],
    ids=["missing", "old"],
)
def test_torch_is_missing_or_too_old(monkeypatch, module, words):
    monkeypatch.setitem(sys.modules, "torch", module)
    with pytest.raises(ImportError) as caught:
        openpto.register_torch_op(add_one, "openpto_tests::add_one")
    assert caught.value.code == "PTO557"
    told = " ".join(str(caught.value).replace("\n   |", "").split())
    assert words in told


def test_the_room_does_not_load_torch():
    program = "import sys, openpto; openpto.register_torch_op; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.torch
def test_the_programs_of_the_page_run(tmp_path):
    """One after the other in one file; what they claim they assert."""
    pytest.importorskip("torch")
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 5
    file = tmp_path / "page.py"
    file.write_text("\n\n".join(blocks), encoding="utf-8")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
