"""Which engine runs a kernel: native where llvmlite can be loaded, the reference elsewhere, or the one asked for."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import openpto
import pypto
from openpto import runtime

ROOT = Path(__file__).resolve().parents[2]
BEST = "native" if runtime.native_available() else "reference"


@pypto.frontend.jit
def scaled(x: pypto.Tensor([4, 16], pypto.DT_FP32), o: pypto.Tensor([4, 16], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(4, 16)
    o[:] = x * 2.0


def engine_of_a_run():
    """The engine in the receipt of a run whose values are right."""
    x, o = np.full((4, 16), 3, np.float32), np.zeros((4, 16), np.float32)
    scaled(x, o)
    assert (o == 6).all()
    return scaled.last_run.engine


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    """What the caller of the tests has set does not count."""
    monkeypatch.delenv("PYPTO_ENGINE", raising=False)


def test_default():
    assert engine_of_a_run() == BEST


@pytest.mark.parametrize("name", ["auto", "reference", "native"])
def test_choice(name, monkeypatch):
    """By variable and by configuration, which wins."""
    want = BEST if name == "auto" else name
    if want == "native" and BEST != "native":
        pytest.skip("no llvmlite")
    monkeypatch.setenv("PYPTO_ENGINE", name)
    assert engine_of_a_run() == want
    monkeypatch.setenv("PYPTO_ENGINE", "reference" if want == "native" else "auto")
    with openpto.configure(engine=name):
        assert engine_of_a_run() == want


def test_unknown_names(monkeypatch):
    with pytest.raises(pypto.PyptoError) as found:
        openpto.configure(engine="gpu")
    assert found.value.code == "PTO294"
    monkeypatch.setenv("PYPTO_ENGINE", "gpu")
    with pytest.raises(pypto.PyptoError) as found:
        engine_of_a_run()
    assert found.value.code == "PTO295"
    assert "PYPTO_ENGINE" in str(found.value)


WITHOUT = """
import sys
sys.modules["llvmlite"] = None  # an import of it fails

import warnings

warnings.simplefilter("error")
import openpto
from openpto.kernel.receipt import last_run
from openpto_gym import check, registry

operator = registry.load("softmax")
case = next(c for c in operator.cases if not c.slow)
assert [r.verdict for r in check.check(operator, case, "numpy")] == ["ok"]
print(last_run().engine)
with openpto.configure(engine="native"):
    print([r.note or r.details for r in check.check(operator, case, "numpy")])
"""


def test_without_llvmlite():
    """Everything runs, on the reference and without a warning; the native engine by name is a coded error."""
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("reference\n")
    assert "PTO444" in done.stdout
