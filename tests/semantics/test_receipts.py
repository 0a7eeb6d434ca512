"""Receipts: one per call, immutable, per thread (semantics 7, architecture 6)."""

import dataclasses
import threading

import numpy as np
import pytest
from semantics_support import F32, I32, D, T, blank, fails, jit, whole

import pypto


def build():
    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32), n: T([1], I32)):
        pypto.set_vec_tile_shapes(2, 8)
        for i in pypto.loop(0, x.shape[0], 2, name="L", idx_name="i"):
            pypto.assemble(pypto.view(x, [2, 8], [i, 0]) + 1.0, [i, 0], o)
        n[0] = 5

    return kernel


def call(kernel, rows):
    o = blank(rows, 8)
    kernel(whole(rows, 8), o, np.zeros(1, np.int32))
    return kernel.last_run


def test_what_a_receipt_holds():
    """Kernel hash, engine, ops executed, elements written, times, warnings, mode and where it came from."""
    receipt = call(build(), 5)
    assert isinstance(receipt.kernel_hash, str)
    assert receipt.kernel_hash
    assert receipt.engine in ("reference", "native")
    assert receipt.ops_executed >= 3 * 3
    assert receipt.elements_written == {"o": 40, "n": 1}
    assert receipt.compile_seconds > 0
    assert receipt.run_seconds > 0
    assert receipt.warnings == ()
    assert receipt.compiled


def test_one_per_call():
    """Each call leaves its own; elements written and ops follow the data."""
    kernel = build()
    assert getattr(kernel, "last_run", None) is None
    first, second, third = call(kernel, 5), call(kernel, 2), call(kernel, 0)
    assert [r.elements_written["o"] for r in (first, second, third)] == [40, 16, 0]
    assert [r.compiled for r in (first, second, third)] == [True, False, False]
    assert first.kernel_hash == second.kernel_hash
    assert first.ops_executed > second.ops_executed > third.ops_executed


def test_overwritten_elements_count():
    """An element that is written twice counts twice, one that is not written does not count."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(x + 1.0, [0, 0], o)
        pypto.assemble(x + 2.0, [2, 0], o)

    o = blank(8, 8)
    kernel(whole(4, 8), o)
    assert kernel.last_run.elements_written == {"o": 64}


def test_receipts_are_immutable():
    """A receipt cannot be changed."""
    receipt = call(build(), 2)
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        receipt.engine = "another"


def test_receipts_tell_the_memory():
    """The receipt records the output memory."""
    kernel = build()
    x, o, n = whole(4, 8), blank(4, 8), np.zeros(1, np.int32)
    kernel(x, o, n)
    text = repr(kernel.last_run)
    memories = str(kernel.last_run.outputs)
    assert str(o.ctypes.data) in memories or hex(o.ctypes.data) in memories, text


def test_last_run_is_per_thread():
    """`last_run` belongs to the thread that called."""
    kernel = build()
    mine = call(kernel, 5)
    seen = {}

    def work():
        seen["before"] = getattr(kernel, "last_run", None)
        seen["after"] = call(kernel, 2)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen["before"] is None
    assert seen["after"].elements_written["o"] == 16
    assert kernel.last_run is mine


def test_assert_close_wants_the_memory_of_the_run():
    """`assert_close(actual, golden)` refuses an array that no kernel wrote: no golden against golden."""
    testing = pytest.importorskip("openpto.testing")
    kernel = build()
    x, o, n = whole(4, 8), blank(4, 8), np.zeros(1, np.int32)
    kernel(x, o, n)
    testing.assert_close(o, (x + 1).astype(np.float64))
    testing.assert_close(o.copy(), (x + 1).astype(np.float64), run=kernel.last_run)
    with pytest.raises((AssertionError, pypto.PyptoError)):
        testing.assert_close(o, (x + 1.5).astype(np.float64))
    with pytest.raises((AssertionError, pypto.PyptoError)):
        testing.assert_close((x + 1).copy(), (x + 1).astype(np.float64))


def test_a_failed_call_leaves_the_last_receipt():
    """A call that failed is not a run with a result: its receipt does not claim one."""
    kernel = build()
    receipt = call(kernel, 2)
    with fails("dtype|DT_FP32"):
        kernel(whole(2, 8).astype(np.int32), blank(2, 8), np.zeros(1, np.int32))
    assert kernel.last_run is None or kernel.last_run is receipt
