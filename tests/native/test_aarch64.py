"""The operators of the gym for aarch64: compiled, their assembly checked, run under qemu where that is installed."""

import re

import compare_engines
import cross
import numpy as np
import pytest

import openpto
from openpto import runtime
from openpto.runtime.native import engine
from openpto.runtime.reference.engine import bound_sizes
from openpto_gym.check import check
from openpto_gym.registry import NAMES, load

pytestmark = pytest.mark.skipif(not cross.target_exists(), reason="this LLVM has no aarch64")

OUTSIDE = {"malloc", "free", "memcpy", "memset", "openpto_note"}
INTERPRETER = {"PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyErr_Fetch"}
"""What compiled code may call beside the functions of its own modules."""

COPIES = {"moe_dispatch", "kv_cache_write", "kv_cache_gather"}
"""Operators that only move rows."""


EVERY_TYPE = {"scale_add", "relu", "gelu", "sigmoid", "softmax", "rms_norm", "matmul", "attention", "sum_lstm"}
"""Operators of which a quick run takes every element type; of the others it takes the first."""


def quick_cases():
    """The smallest case of every operator in every element type."""
    for name in NAMES:
        seen = set()
        for case in load(name).cases:
            if not case.slow and case.dtype not in seen:
                marks = [pytest.mark.slow] if seen and name not in EVERY_TYPE else []
                seen.add(case.dtype)
                yield pytest.param(name, case, id=f"{name}-{case.dtype.short}", marks=marks)


@pytest.fixture
def run_of(monkeypatch):
    """(kernel, buffers before, buffers after, symbols) of each kernel that a case runs."""

    def run(name, case):
        calls = []

        def record(kernel, buffers, env):
            before = [b.copy() for b in buffers]
            report = engine.execute(kernel, buffers, env)
            calls.append((kernel, before, [b.copy() for b in buffers], env))
            return report

        monkeypatch.setitem(runtime.ENGINES, "reference", record)
        with openpto.configure(engine="reference"):
            list(check(load(name), case, "numpy", warm=False))
        assert calls
        return calls

    return run


@pytest.mark.parametrize(("name", "case"), list(quick_cases()))
def test_assembly(name, case, run_of):
    """Vector instructions of four FP32 lanes, the control word of aarch64, and no call of a helper that a process may
    not have (fmaf, __truncsfbf2 ...)."""
    for kernel, *_ in run_of(name, case):
        text = cross.assembly(engine.lower(kernel))
        called = set(re.findall(r"\bbl\s+([A-Za-z_]\w*)", text)) | set(re.findall(r":got(?:_lo12)?:(\w+)", text))
        defined = set(re.findall(r"^([A-Za-z_]\w*):", text, re.M))
        assert called - defined <= OUTSIDE | INTERPRETER
        if name not in COPIES:
            assert re.search(r"\bv\d+\.4s", text)
        if name in ("gelu", "row_softmax", "softmax", "sigmoid", "matmul", "attention"):
            assert re.search(r"\bfmla\s+v\d+\.4s", text)
        assert re.search(r"\bmrs\s+x\d+, FPCR", text, re.I)
        assert re.search(r"\bmsr\s+FPCR, x\d+", text, re.I)
        assert "mxcsr" not in text
        assert "pmccntr" not in text.lower()


@pytest.mark.slow
@pytest.mark.skipif(not cross.runs(), reason="needs qemu-user and a linker for aarch64")
@pytest.mark.parametrize(("name", "case"), list(quick_cases()))
def test_bits_under_emulation(name, case, run_of, tmp_path):
    """The bits of this machine, in a process that flushes denormals and rounds upwards, which it still does after."""
    for kernel, before, after, env in run_of(name, case):
        lowered = engine.lower(kernel)
        values = bound_sizes(kernel, before, env)
        sizes = [n if (n := leaf.concrete()) is not None else values[leaf] for leaf in lowered.sizes]
        failed, restored, _, results = cross.call(lowered, sizes, before, tmp_path)
        assert not failed
        assert restored
        for got, want in zip(results, after, strict=True):
            assert np.array_equal(compare_engines.bits(got), compare_engines.bits(want))
