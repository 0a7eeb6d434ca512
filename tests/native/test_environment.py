"""The floating-point environment: compiled code has its own, and the caller finds his again however a run ends."""

import ctypes
import os
import signal
import threading
import warnings

import numpy as np
import pytest

import openpto
import pypto
from openpto.runtime.native import jit

pytestmark = pytest.mark.skipif(not jit.target().is_x86, reason="the control word is that of x86")
F32, I32, D = pypto.DT_FP32, pypto.DT_INT32, pypto.DYNAMIC
CONTROL = """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
define i64 @kernel(ptr %params, ptr %sizes, ptr %arena, ptr %record) {
  call void @llvm.x86.sse.stmxcsr(ptr %record)
  call void @llvm.x86.sse.ldmxcsr(ptr %sizes)
  ret i64 0
}
"""
MASKED, FLUSH, UP, ZERO = 0x1F80, 0x8040, 0x4000, 0x6000
WORDS = {"flush": MASKED | FLUSH, "up": MASKED | UP, "zero and flush": MASKED | ZERO | FLUSH}
MANY = np.full((40_000, 16), 1e-40, np.float32)
MANY[::2] = 1
"""Enough for two threads; half of the numbers are denormal."""


@pytest.fixture(autouse=True)
def native():
    """Kernels of these tests run natively."""
    with openpto.configure(engine="native", threads=2):
        yield


@pytest.fixture(scope="module")
def exchange():
    """Set the control word, get the one before; the flags of what happened are left out."""
    swap = jit.compile_text(CONTROL, jit.target())

    def run(value):
        new, old = ctypes.c_int64(value), ctypes.c_int64(0)
        swap.entry(None, ctypes.addressof(new), None, ctypes.addressof(old))
        return old.value & 0xFFC0

    return run


@pypto.frontend.jit
def thirds(x: pypto.Tensor([D, 16], F32), s: pypto.Tensor([4], I32), o: pypto.Tensor([D, 16], F32)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop((x.shape[0] + 7) // 8, name="I", idx_name="i"):
        pypto.assemble(pypto.view(x, [8, 16], [i * 8, 0]) / 3.0, [i * 8 * s[0], 0], o)


@pypto.frontend.jit
def slow(s: pypto.Tensor([4], I32), o: pypto.Tensor([8, 16], F32)):
    pypto.set_vec_tile_shapes(8, 16)
    for _ in pypto.loop(s[0] * 1000, name="I", idx_name="i"):
        o[:] = o + 1.0


@pypto.frontend.jit
def undefined(x: pypto.Tensor([D, 16], F32), o: pypto.Tensor([8, 16], F32)):
    pypto.set_vec_tile_shapes(8, 16)
    t = pypto.tensor([8, 16], F32)
    t[0:4, 0:16] = pypto.view(x, [4, 16], [0, 0])
    pypto.assemble(pypto.view(t + 1.0, [4, 16], [0, 0]), [0, 0], o)


def numbers(*values):
    return np.array([*values, 0, 0, 0][:4], np.int32)


def whole_run():
    o = np.zeros_like(MANY)
    thirds(MANY, numbers(1), o)
    return o


def fault():
    with pytest.raises(pypto.PyptoError) as found:
        thirds(np.ones((64, 16), np.float32), numbers(2), np.zeros((64, 16), np.float32))
    assert found.value.code == "PTO452"


def warning():
    """The host is called from compiled code, and its answer is an exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(pypto.PyptoWarning, match="PTO431"):
            undefined(np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32))


def interruption():
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        slow(numbers(200_000_000), np.zeros((8, 16), np.float32))
    timer.join()


@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS)
def test_results_do_not_depend_on_the_callers_environment(word, exchange):
    """Denormals are kept and results rounded to nearest, on every thread; then all is as before."""
    want = whole_run()
    before = exchange(word)
    try:
        got = whole_run()
    finally:
        after = exchange(before)
    assert after == word
    assert got.tobytes() == want.tobytes()
    assert got[1, 0] != 0
    assert got[0, 0] == np.float32(1) / np.float32(3)


@pytest.mark.parametrize("ending", [fault, warning, interruption])
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_the_callers_environment_comes_back(ending, exchange):
    """After a fault, an exception of the host and an interruption."""
    before = exchange(WORDS["zero and flush"])
    try:
        ending()
    finally:
        after = exchange(before)
    assert after == WORDS["zero and flush"]
    assert whole_run()[1, 0] != 0


@pytest.mark.torch
def test_torch_may_flush():
    """torch's switch for the thread stays as it was set, and means nothing to kernels."""
    torch = pytest.importorskip("torch")
    tiny = torch.full((8, 16), 1e-40)
    if not torch.set_flush_denormal(True):
        pytest.skip("torch cannot flush here")
    try:
        out = torch.zeros(8, 16)
        thirds(tiny, torch.from_numpy(numbers(1)), out)
        assert float((tiny * 1.0).abs().sum()) == 0
    finally:
        torch.set_flush_denormal(False)
    assert (out != 0).all()
