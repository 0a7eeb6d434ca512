"""Unrolling: unroll_list and loop_unroll (core 4, semantics 4 and 8, Carries)."""

import numpy as np
import pytest
from semantics_support import F32, I32, D, T, blank, fails, jit, whole

import pypto


def visited(bounds, unroll_list):
    """Pairs (index, k) that `loop_unroll` yields."""

    @jit
    def kernel(o: T([64, 2], I32), n: T([1], I32)):
        n[0] = 0
        for i, k in pypto.loop_unroll(*bounds, unroll_list=unroll_list, name="L", idx_name="i"):
            assert isinstance(k, int)
            o[n[0], 0] = i
            o[n[0], 1] = k
            n[0] = n[0] + 1

    o, n = np.full((64, 2), -1, np.int32), np.zeros(1, np.int32)
    kernel(o, n)
    return [tuple(pair) for pair in o[: n[0]].tolist()]


def documented(start, stop, step, factors):
    """For each factor p, descending, 1 always added: from cur to stop - (stop - start) mod (step * p), by step * p."""
    pairs = []
    for p in sorted({*factors, 1}, reverse=True):
        end = stop - (stop - start) % (step * p)
        while start < end:
            pairs.append((start, p))
            start += step * p
        if p == 1:
            while start < stop:
                pairs.append((start, 1))
                start += step
    return pairs


@pytest.mark.parametrize(
    ("bounds", "factors"),
    [
        ((0, 7, 1), [4, 2]),
        ((0, 7, 1), [4]),
        ((0, 8, 1), [4, 2, 1]),
        ((0, 3, 1), [8]),
        ((1, 14, 1), [1, 2, 4]),
        ((0, 20, 2), [4, 2]),
        ((3, 24, 3), [2]),
        ((0, 0, 1), [4]),
        ((0, 5, 1), [1]),
        ((0, 32, 1), [16, 1]),
    ],
    ids=str,
)
def test_loop_unroll_ranges(bounds, factors):
    """loop_unroll yields (idx, k) for the documented ranges; k is a Python int."""
    assert visited(bounds, factors) == documented(*bounds, factors)


@pytest.mark.parametrize(("bounds", "factors"), [((0, 11, 1), [4, 2]), ((2, 23, 1), [8, 2])], ids=str)
def test_loop_unroll_covers_the_range_once(bounds, factors):
    """Every step is handled exactly once, whatever the factors."""
    steps = [i + j * bounds[2] for i, k in visited(bounds, factors) for j in range(k)]
    assert steps == list(range(*bounds))


def test_loop_unroll_with_run_time_bounds():
    """The same with a dynamic stop; the body handles k consecutive steps itself."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        for i, k in pypto.loop_unroll(0, x.shape[0], 1, unroll_list=[4, 2], name="L", idx_name="i"):
            pypto.set_vec_tile_shapes(k, 8)
            block = pypto.view(x, [k, 8], [i, 0])
            pypto.assemble(block * float(k), [i, 0], o)

    for rows in (1, 2, 3, 4, 7, 8):
        x, o = whole(rows, 8), blank(rows, 8)
        kernel(x, o)
        want = x.copy()
        for i, k in documented(0, rows, 1, [4, 2]):
            want[i : i + k] *= k
        assert np.array_equal(o, want), rows


@pytest.mark.parametrize("unroll_list", [[4, 2], [4], [16, 1], [1], (2, 1), {3, 1}, [2, 2, 1], []], ids=str)
@pytest.mark.parametrize("bounds", [(7,), (0, 7), (1, 8, 1), (0, 21, 3), (5, 5), (9, 0, -2)], ids=str)
def test_unroll_list_never_changes_the_iterations(bounds, unroll_list):
    """unroll_list never changes a result: factor 1 is always added."""

    @jit
    def kernel(o: T([64], I32), n: T([1], I32)):
        n[0] = 0
        for i in pypto.loop(*bounds, unroll_list=unroll_list, name="L", idx_name="i"):
            o[n[0]] = i
            n[0] = n[0] + 1

    o, n = np.full(64, -99, np.int32), np.zeros(1, np.int32)
    kernel(o, n)
    assert o[: n[0]].tolist() == list(range(*bounds))


def test_unroll_list_must_be_a_collection():
    """An int instead of a list is an error."""

    @jit
    def kernel(o: T([8], I32)):
        for i in pypto.loop(8, unroll_list=4, name="L", idx_name="i"):
            o[i] = i

    with fails("unroll_list|list", exc=TypeError):
        kernel(np.zeros(8, np.int32))


@pytest.mark.parametrize("factor", [0, -2, 1.5])
def test_unroll_factor_must_be_positive(factor):
    """unroll factor 0: must be a positive integer."""

    @jit
    def loop(o: T([8], I32)):
        for i in pypto.loop(8, unroll_list=[factor, 1], name="L", idx_name="i"):
            o[i] = i

    @jit
    def unroll(o: T([8], I32)):
        for i, k in pypto.loop_unroll(0, 8, 1, unroll_list=[factor, 1], name="L", idx_name="i"):
            o[i] = k

    for kernel in (loop, unroll):
        with fails("positive integer" if isinstance(factor, int) else "positive integer|Invalid value type"):
            kernel(np.zeros(8, np.int32))


def test_loop_unroll_needs_two_names():
    """The target unpacks exactly two names."""

    @jit
    def kernel(o: T([8], I32)):
        for i in pypto.loop_unroll(0, 8, 1, unroll_list=[2], name="L", idx_name="i"):
            o[i] = 1

    with fails("two|unpack|target|SymbolicScalar"):
        kernel(np.zeros(8, np.int32))


def test_a_tensor_from_outside_in_the_inner_loop():
    """A tensor from outside loop_unroll, used in its inner loop, lives through all parts."""

    @jit
    def kernel(x: T([D, 16], F32), bias: T([1, 16], F32), o: T([D, 16], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        b = pypto.view(bias, [1, 16], [0, 0]) * 2.0
        for i, k in pypto.loop_unroll(0, x.shape[0], 1, unroll_list=[4, 2], name="L", idx_name="i"):
            for j in pypto.loop(2, name="C", idx_name="j"):
                block = pypto.view(x, [k, 8], [i, j * 8])
                part = pypto.view(b, [1, 8], [0, j * 8])
                pypto.assemble(block + part, [i, j * 8], o)

    x, bias, o = whole(7, 16), whole(1, 16, seed=1), blank(7, 16)
    kernel(x, bias, o)
    assert np.array_equal(o, x + bias * 2)


def test_state_through_loop_unroll():
    """State is carried from one factor's loop into the next one's."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        acc = pypto.full([1, 8], 0.0, F32)
        for i, k in pypto.loop_unroll(0, x.shape[0], 1, unroll_list=[4], name="L", idx_name="i"):
            for j in range(k):
                acc = acc * 2.0 + pypto.view(x, [1, 8], [i + j, 0])
                pypto.assemble(acc * 1.0, [i + j, 0], o)

    x, o = whole(6, 8), blank(6, 8)
    kernel(x, o)
    acc = np.zeros(8, np.float32)
    for i in range(6):
        acc = acc * 2 + x[i]
        assert np.array_equal(o[i], acc)
