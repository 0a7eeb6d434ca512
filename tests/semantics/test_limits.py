"""Limits of tracing (semantics 7, Limits)."""

import numpy as np
import pytest
from semantics_support import F32, I32, T, blank, fails, jit, silent, warns, whole

import pypto


def chain(length):
    @jit
    def kernel(x: T([1, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        t = x
        for _ in range(length):
            t = t + 1.0
        o[:] = t

    return kernel


def test_a_chain_of_five_thousand_ops():
    """Passes iterate: deep chains work."""
    x, o = whole(1, 8), blank(1, 8)
    with silent():
        chain(5000)(x, o)
    assert np.array_equal(o, x + 5000)


@pytest.mark.slow
def test_more_than_twenty_thousand_ops_warn():
    """Over 20,000 traced ops warn."""
    x, o = whole(1, 8), blank(1, 8)
    with warns("20,?000"):
        chain(20_500)(x, o)
    assert np.array_equal(o, x + 20_500)


@pytest.mark.slow
def test_an_unbounded_loop():
    """An unbounded concrete loop while tracing is a coded stop."""

    @jit
    def kernel(x: T([1, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        t = x
        while True:
            t = t + 1.0
        o[:] = t

    with fails("200,?000|ops"):
        kernel(whole(1, 8), blank(1, 8))


def test_deep_symbolic_expressions():
    """Long scalar expressions are evaluated without recursion limits."""

    @jit
    def kernel(n: T([1], I32), o: T([1], I32)):
        v = n[0]
        for k in range(3000):
            v = v * 1 + (n[0] if k % 2 else 1)
        o[0] = v

    o = np.zeros(1, np.int32)
    kernel(np.array([3], np.int32), o)
    assert o[0] == 3 + 1500 * 3 + 1500


def test_scratch_that_cannot_be_had():
    """A local tensor beyond all memory is a coded stop, not a MemoryError."""

    @jit
    def kernel(n: T([2], I32), x: T([1, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        scratch = pypto.tensor([n[0] * 1, n[1] * 1000], F32, "scratch")
        pypto.assemble(x + 1.0, [0, 0], scratch)
        o[:] = pypto.view(scratch, [1, 8], [0, 0]) + 0.0

    x, o = whole(1, 8), blank(1, 8)
    kernel(np.array([2, 1], np.int32), x, o)
    assert np.array_equal(o, x + 1)
    with fails("memory|elements|2147483647|INT32_MAX"):
        kernel(np.array([2**30, 2**30], np.int32), x, blank(1, 8))
