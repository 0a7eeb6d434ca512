"""Where branches leave what they make: in the memory of one side, or where the next iteration looks for it.

Each kernel runs on both engines; values come from numpy. The loop IR shows that nothing is copied for nothing.
"""

import numpy as np
import pytest

import openpto
import pypto
from openpto.runtime.native import engine
from openpto.runtime.native import loopir as L

pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")

F, I = pypto.DT_FP32, pypto.DT_INT32
SHAPE = (8, 32)
X = np.random.default_rng(0).standard_normal(SHAPE).astype(np.float32)


def jit(function):
    """A kernel whose parameters are (x, n, out)."""
    function.__annotations__ = {"x": pypto.Tensor(SHAPE, F), "n": pypto.Tensor([1], I), "out": pypto.Tensor(SHAPE, F)}
    return pypto.frontend.jit(function)


def result(kernel, n):
    """The output on both engines, which must agree."""
    found = []
    for name in ("reference", "native"):
        out = np.zeros(SHAPE, np.float32)
        with openpto.configure(engine=name):
            kernel(X.copy(), np.array([n], np.int32), out)
        assert kernel.last_run.engine == name
        found.append(out)
    np.testing.assert_array_equal(*found)
    return found[0]


def copies(kernel):
    """Loops of the loop IR that only copy a whole tile from one place of the scratch memory to another."""
    program = engine.lower(kernel.lower(X, np.zeros(1, np.int32), X.copy())).program
    return sum(_copies(stmt) for stmt in program.body)


def _copies(stmt):
    if isinstance(stmt, (L.For, L.Region)):
        return sum(map(_copies, stmt.body))
    if isinstance(stmt, L.If):
        return sum(map(_copies, (*stmt.then, *stmt.other)))
    if not isinstance(stmt, L.Vector) or len(stmt.body) != 3 or stmt.count != SHAPE[0] * SHAPE[1]:
        return 0
    load, compute, store = stmt.body
    moved = isinstance(load, L.Load) and isinstance(store, L.Store) and not compute.expr.args
    return int(moved and not load.at.base.startswith("param") and not store.at.base.startswith("param"))


@jit
def passes_through(x, n, out):
    pypto.set_vec_tile_shapes(*SHAPE)
    t = x * 2.0
    if n[0] > 2:
        t = t + 1.0
    out[:] = t


@jit
def both_make(x, n, out):
    pypto.set_vec_tile_shapes(*SHAPE)
    if n[0] > 2:
        t = x * 2.0
    else:
        t = x * 3.0
    out[:] = t


@jit
def needed_afterwards(x, n, out):
    pypto.set_vec_tile_shapes(*SHAPE)
    a = x * 2.0
    t = a
    if n[0] > 2:
        t = a * a
    out[:] = t - a


@jit
def exchanged(x, n, out):
    pypto.set_vec_tile_shapes(*SHAPE)
    a, b = x * 2.0, x + 5.0
    if n[0] > 2:
        a, b = b, a
    out[:] = a - b * 3.0


@jit
def one_for_two(x, n, out):
    pypto.set_vec_tile_shapes(*SHAPE)
    a, b = x * 2.0, x + 5.0
    if n[0] > 2:
        b = a
    else:
        a = a + 1.0
    out[:] = a - b * 3.0


@jit
def inside_of_another(x, n, out):
    pypto.set_vec_tile_shapes(*SHAPE)
    a = x * 2.0
    if n[0] > 2:
        b = a + 1.0
        if n[0] > 3:
            b = a
    else:
        b = a * a
    out[:] = b


@pytest.mark.parametrize("n", [0, 3, 4])
def test_values_of_branches(n):
    two, five = X * 2, X + 5
    wanted = {
        passes_through: two + 1 if n > 2 else two,
        both_make: two if n > 2 else X * 3,
        needed_afterwards: (two * two if n > 2 else two) - two,
        exchanged: five - two * 3 if n > 2 else two - five * 3,
        one_for_two: two - two * 3 if n > 2 else (two + 1) - five * 3,
        inside_of_another: two if n > 3 else two + 1 if n > 2 else two * two,
    }
    for kernel, want in wanted.items():
        np.testing.assert_allclose(result(kernel, n), want.astype(np.float32), rtol=1e-6, atol=1e-6)


def test_one_side_copies_nothing():
    """The memory of one side is that of both; without that there would be a copy on each."""
    assert copies(passes_through) <= 1
    assert copies(both_make) <= 1


@jit
def running(x, n, out):
    """Two tiles from iteration to iteration, of which the first iteration finds nothing."""
    pypto.set_vec_tile_shapes(*SHAPE)
    total = pypto.tensor(SHAPE, F, "total")
    largest = pypto.tensor([SHAPE[0], 1], F, "largest")
    for i in pypto.loop(n[0], name="I", idx_name="i"):
        peak = pypto.amax(x * pypto.full(list(SHAPE), i + 1, F), -1, True)
        if pypto.is_loop_begin(i):
            largest[:] = peak
            total[:] = x * 0.5
        else:
            peak = pypto.maximum(largest, peak)
            total[:] = total * 0.25 + (largest - peak) * x
            largest[:] = peak
    out[:] = total + largest


@jit
def exchanged_again(x, n, out):
    """Two carried tiles that change places in some iterations."""
    pypto.set_vec_tile_shapes(*SHAPE)
    a, b = x * 2.0, x + 5.0
    for i in pypto.loop(n[0], name="I", idx_name="i"):
        if i % 2 == 0:
            a, b = b, a
        else:
            a = a + b
    out[:] = a - b * 3.0


@jit
def old_and_new(x, n, out):
    """A carried tile that is read after the branch that makes the next one."""
    pypto.set_vec_tile_shapes(*SHAPE)
    a, sums = x * 2.0, x * 0.0
    for i in pypto.loop(n[0], name="I", idx_name="i"):
        if i % 2 == 0:
            following = a + 1.0
        else:
            following = a * 0.5
        sums = sums + a
        a = following
    out[:] = sums + a * 7.0


def running_wanted(n):
    total = largest = None
    for i in range(n):
        peak = (X * np.float32(i + 1)).max(-1, keepdims=True)
        if i == 0:
            largest, total = peak, X * np.float32(0.5)
        else:
            peak = np.maximum(largest, peak)
            total = total * np.float32(0.25) + (largest - peak) * X
            largest = peak
    return total + largest


def exchanged_wanted(n):
    a, b = X * 2, X + 5
    for i in range(n):
        a, b = (b, a) if i % 2 == 0 else (a + b, b)
    return a - b * 3


def old_and_new_wanted(n):
    a, sums = X * 2, X * 0
    for i in range(n):
        sums, a = sums + a, a + 1 if i % 2 == 0 else a * np.float32(0.5)
    return sums + a * 7


@pytest.mark.parametrize("n", [1, 2, 5])
def test_values_from_iteration_to_iteration(n):
    for kernel, wanted in (
        (running, running_wanted),
        (exchanged_again, exchanged_wanted),
        (old_and_new, old_and_new_wanted),
    ):
        np.testing.assert_allclose(result(kernel, n), wanted(n), rtol=1e-5, atol=1e-5)


def test_what_goes_round_is_made_where_it_belongs():
    """Only the first iteration copies the tile that it makes."""
    assert copies(running) <= 1
