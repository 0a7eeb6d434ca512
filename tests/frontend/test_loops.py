"""Values of loops: what is carried, peeled, unrolled, and what a name holds after zero iterations."""

from dataclasses import dataclass

import numpy as np
import pytest

import pypto

F, I = pypto.DT_FP32, pypto.DT_INT32
T = pypto.Tensor([8, 8], F)
N = pypto.Tensor([1], I)


def jit(function):
    """A kernel whose parameters are (x, n, out)."""
    function.__annotations__ = {"x": T, "n": N, "out": T}
    return pypto.frontend.jit(function)


@jit
def rebound(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    acc = x * 1.0
    for _ in pypto.loop(n[0]):
        acc = acc + 1.0
    out[:] = acc


@jit
def in_place(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    acc = x * 1.0
    alias = acc
    for _ in pypto.loop(n[0]):
        acc[:] = acc + 1.0
    out[:] = alias + 0.5


@jit
def reads_late_write(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    state = x * 1.0
    out[:] = x * 0.0
    for _ in pypto.loop(n[0]):
        out[:] = out + state
        state[:] = state * 2.0


@jit
def counter(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    c = 0
    for i in pypto.loop(n[0]):
        c += i + 1
    out[:] = x * 1.0
    for _ in pypto.loop(c):
        out[:] = out + 1.0


@jit
def swapped(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    a, b = x * 1.0, x * 10.0
    for _ in pypto.loop(n[0]):
        a, b = b, a
    out[:] = a - b * 2.0


@jit
def fibonacci(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    a, b = 0, 1
    for _ in pypto.loop(n[0]):
        a, b = b, a + b
    out[:] = x * 1.0
    for _ in pypto.loop(a):
        out[:] = out + 1.0


@jit
def nested(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    acc = x * 1.0
    for i in pypto.loop(n[0]):
        row = x * 0.0
        for _ in pypto.loop(i):
            row = row + 1.0
        acc = acc + row
    out[:] = acc


@jit
def temporary_shape(x, n, out):
    """A reused temporary with another shape is not carried."""
    pypto.set_vec_tile_shapes(8, 8)
    t = pypto.view(x, [4, 8], [0, 0])
    out[:] = x * 1.0
    for _ in pypto.loop(n[0]):
        t = out + 1.0
        out[:] = t


@jit
def first_bound_inside(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    for i in pypto.loop(n[0]):
        last = i * 2
        t = x + 1.0
    out[:] = t
    for _ in pypto.loop(last):
        out[:] = out + 1.0


@jit
def none_before(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    best = None
    for _ in pypto.loop(n[0]):
        if best is None:
            best = x * 2.0
        else:
            best = best + 1.0
    out[:] = best


@jit
def bound_by_begin(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    for i in pypto.loop(n[0]):
        if pypto.is_loop_begin(i):
            m = x * 2.0
        else:
            m = m + 1.0
        if pypto.is_loop_end(i):
            out[:] = m


@jit
def zero_then_tensor(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    acc = 0
    for _ in pypto.loop(n[0]):
        acc = x + acc
    out[:] = acc


@jit
def shape_changes_once(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    t = pypto.view(x, [1, 8], [0, 0])
    for _ in pypto.loop(n[0]):
        t = x + t
    out[:] = t


@jit
def tuple_state(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    state = (x * 1.0, 0)
    for _ in pypto.loop(n[0]):
        state = (state[0] + 1.0, state[1] + 2)
    out[:] = state[0]
    for _ in pypto.loop(state[1]):
        out[:] = out * 2.0


@jit
def list_in_place(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    states = [x * 1.0, x * 2.0]
    other = states
    for _ in pypto.loop(n[0]):
        states[0] = states[0] + states[1]
    out[:] = other[0]


@dataclass
class State:
    h: object
    steps: int = 0


def advance(state, x):
    state.h = state.h + x
    state.steps += 1


@jit
def dataclass_in_helper(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    state = State(x * 1.0)
    for _ in pypto.loop(n[0]):
        advance(state, x)
    out[:] = state.h
    for _ in pypto.loop(state.steps):
        out[:] = out + 100.0


@jit
def dict_state(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    state = {"h": x * 1.0, "c": 1}
    for _ in pypto.loop(n[0]):
        state = {"h": state["h"] + 1.0, "c": state["c"] * 2}
    out[:] = state["h"]
    for _ in pypto.loop(state["c"]):
        out[:] = out + 1.0


@jit
def unrolled(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x * 1.0
    for i, k in pypto.loop_unroll(0, n[0], 1, unroll_list=[4, 2], name="u", idx_name="i"):
        for j in range(k):
            for _ in pypto.loop(i + j):
                out[:] = out + 1.0
        out[:] = out + 100.0


@jit
def unrolled_carry(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    acc = x * 1.0
    for _, k in pypto.loop_unroll(n[0], unroll_list=[4]):
        acc = acc + float(k)
    out[:] = acc


@jit
def downwards(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x * 1.0
    for i in pypto.loop(n[0], 0, -2):
        for _ in pypto.loop(i):
            out[:] = out + 1.0


@jit
def bounds_once(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    m = n[0]
    out[:] = x * 1.0
    for _ in pypto.loop(m):
        m += 1
        out[:] = out + 1.0


@jit
def single(x, n, out):
    """One iteration is straight-line code: the index is a number."""
    pypto.set_vec_tile_shapes(8, 8)
    for i in pypto.loop(1):
        parts = []
        parts.append(x + 1.0)
        scale = 2.0
    out[:] = parts[0] * scale


@jit
def walrus_and_break(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x * 1.0
    for _ in pypto.loop(n[0]):
        for j in range(10):
            if (k := j * 2) > 4:
                break
        out[:] = out + float(k)


@jit
def helper_and_comprehension(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    gain = 2.0

    def scaled(t, by=gain):
        return t * by

    out[:] = x * 0.0
    for _ in pypto.loop(n[0]):
        total = sum([j * gain for j in range(3) if j != 1])
        parts = {name: scaled(x) for name in ("a", "b")}
        out[:] = out + parts["a"] + total


def step(y, i):
    """Deleting a name ends its life."""
    t = y + 1.0
    del t
    for _ in pypto.loop(i):
        y = y + 1.0
    return y


@jit
def loop_in_helper(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    acc = x * 1.0
    for i in pypto.loop(n[0]):
        acc = step(acc, i)
    out[:] = acc


def tri(n):
    return n * (n + 1) // 2


CASES = [
    (rebound, lambda x, n: x + n),
    (in_place, lambda x, n: x + n + 0.5),
    (reads_late_write, lambda x, n: x * (2**n - 1)),
    (counter, lambda x, n: x + tri(n)),
    (swapped, lambda x, n: x - x * 20 if n % 2 == 0 else x * 10 - x * 2),
    (fibonacci, lambda x, n: x + [0, 1, 1, 2, 3, 5, 8, 13][n]),
    (nested, lambda x, n: x + tri(n - 1)),
    (temporary_shape, lambda x, n: x + n),
    (tuple_state, lambda x, n: (x + n) * 4.0**n),
    (list_in_place, lambda x, n: x + x * 2 * n),
    (dataclass_in_helper, lambda x, n: x * (n + 1) + 100 * n),
    (dict_state, lambda x, n: x + n + 2**n),
    (unrolled, lambda x, n: x + tri(n - 1) + 100 * (n // 4 + n % 4 // 2 + n % 2)),
    (unrolled_carry, lambda x, n: x + n),
    (downwards, lambda x, n: x + sum(range(n, 0, -2))),
    (bounds_once, lambda x, n: x + n),
    (single, lambda x, n: (x + 1) * 2),
    (walrus_and_break, lambda x, n: x + 6 * n),
    (helper_and_comprehension, lambda x, n: (x * 2 + 4) * n),
    (loop_in_helper, lambda x, n: x + tri(n - 1)),
]
BOUND_INSIDE = [
    (first_bound_inside, lambda x, n: x + 1 + 2 * (n - 1)),
    (none_before, lambda x, n: x * 2 + n - 1),
    (bound_by_begin, lambda x, n: x * 2 + n - 1),
    (zero_then_tensor, lambda x, n: x * n),
    (shape_changes_once, lambda x, n: x * n + x[:1]),
]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
@pytest.mark.parametrize(("kernel", "golden"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_value(kernel, golden, n, run, x):
    np.testing.assert_array_equal(run(kernel, n), golden(x, n).astype(np.float32))


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize(("kernel", "golden"), BOUND_INSIDE, ids=lambda c: getattr(c, "__name__", ""))
def test_bound_inside(kernel, golden, n, run, x):
    np.testing.assert_array_equal(run(kernel, n), golden(x, n).astype(np.float32))


@pytest.mark.parametrize("kernel", [first_bound_inside, none_before, zero_then_tensor, shape_changes_once])
def test_reading_what_no_iteration_bound(kernel, run):
    with pytest.raises(pypto.PyptoError) as caught:
        run(kernel, 0)
    assert caught.value.fault


@jit
def retyped_on_one_path(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    kept = x + 1.0
    for _ in pypto.loop(n[0]):
        again = kept * 2.0
        if n[0] > 1:
            kept[:] = pypto.cast(again, pypto.DT_FP16)
    out[:] = x


@jit
def retyped_by_an_inner_loop(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    kept = x + 1.0
    for _ in pypto.loop(n[0]):
        again = kept * 2.0
        for _ in pypto.loop(n[0]):
            kept[:] = pypto.cast(again, pypto.DT_FP16)
    out[:] = x


@jit
def given_anew_in_each_iteration(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    kept = x + 1.0
    for _ in pypto.loop(n[0]):
        kept[:] = x * 2.0
        out[:] = out + kept
        if n[0] > 1:
            kept[:] = pypto.cast(x, pypto.DT_FP16)


@pytest.mark.parametrize("kernel", [retyped_on_one_path, retyped_by_an_inner_loop])
def test_what_an_earlier_iteration_may_have_retyped_is_refused(kernel):
    """The second iteration would read FP32 or FP16, depending on a branch of the first."""
    x = np.ones((8, 8), np.float32)
    with pytest.raises(pypto.PyptoError, match="PTO173") as found:
        kernel(x, np.full(1, 2, np.int32), x.copy())
    assert "again = kept" in str(found.value)


def test_a_retyped_tensor_may_be_given_anew():
    x, out = np.full((8, 8), 3, np.float32), np.zeros((8, 8), np.float32)
    given_anew_in_each_iteration(x, np.full(1, 2, np.int32), out)
    np.testing.assert_array_equal(out, np.full((8, 8), 12, np.float32))
