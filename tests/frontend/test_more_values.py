"""Valid shapes that change from iteration to iteration, closures, unrolling, and other meetings of features."""

import numpy as np
import pytest

import pypto

F, I = pypto.DT_FP32, pypto.DT_INT32


def jit(function):
    """A kernel whose parameters are (x, n, out)."""
    function.__annotations__ = {"x": pypto.Tensor([8, 8], F), "n": pypto.Tensor([1], I), "out": pypto.Tensor([8, 8], F)}
    return pypto.frontend.jit(function)


@jit
def valid_shape_carried(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    t = pypto.view(x, [8, 8], [0, 0])
    out[:] = x * 0.0
    for i in pypto.loop(n[0]):
        pypto.assemble(t + 1.0, [0, 0], out)
        t = pypto.view(x, [8, 8], [0, 0], valid_shape=[i + 1, 8])


def golden_valid(x, n):
    out = x * 0
    rows = 8
    for i in range(n):
        out[:rows] = x[:rows] + 1
        rows = i + 1
    return out


@jit
def valid_shape_merged(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    c = n[0]
    out[:] = x * 0.0
    if c > 2:
        t = pypto.view(x, [8, 8], [0, 0], valid_shape=[c, 8])
    else:
        t = pypto.view(x, [8, 8], [0, 0], valid_shape=[8, c])
    pypto.assemble(t * 2.0, [0, 0], out)


def golden_merged(x, n):
    out = x * 0
    if n > 2:
        out[:n] = x[:n] * 2
    else:
        out[:, :n] = x[:, :n] * 2
    return out


@jit
def in_place_valid_shape(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    t = pypto.tensor([8, 8], F, "t")
    t[:] = x * 1.0
    out[:] = x * 0.0
    for i in pypto.loop(n[0]):
        pypto.assemble(t, [0, 0], out)
        t[:] = pypto.view(x, [8, 8], [0, 0], valid_shape=[8, i + 1]) * 3.0


def golden_in_place(x, n):
    out = x * 0
    t, cols = x, 8
    for i in range(n):
        out[:, :cols] = t[:, :cols]
        t, cols = x * 3, i + 1
    return out


@jit
def closure_over_carried(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    acc = x * 1.0

    def doubled():
        return acc * 2.0

    for _ in pypto.loop(n[0]):
        acc = acc + 1.0
        acc = doubled()
    out[:] = doubled()


def golden_closure(x, n):
    for _ in range(n):
        x = (x + 1) * 2
    return x * 2


@jit
def unroll_inside_loop(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    acc, total = x * 1.0, 0
    for _ in pypto.loop(2):
        for j, k in pypto.loop_unroll(0, n[0], 1, unroll_list=[2, 1]):
            acc = acc + float(k)
            total += j * 0 + k
    out[:] = acc
    for _ in pypto.loop(total):
        out[:] = out + 1.0


@jit
def unroll_step(x, n, out):
    """Steps of two: the factors cover whole pairs, the last one runs to the end."""
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x * 1.0
    for i, k in pypto.loop_unroll(1, n[0], 2, unroll_list=(2,)):
        for j in range(k):
            for _ in pypto.loop(i + 2 * j):
                out[:] = out + 1.0


@jit
def matched(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    for _ in pypto.loop(n[0]):
        match x.shape:
            case [8, columns] if columns == 8:
                gain = 2.0
            case _:
                gain = 3.0
    t = x * 1.0
    for _ in pypto.loop(n[0]):
        t = t * gain
    out[:] = t


@jit
def flags_across_iterations(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    seen = False
    t = x * 1.0
    for i in pypto.loop(6):
        if seen:
            t = t + 1.0
        if i == n[0]:
            seen = True
    out[:] = t


@jit
def loop_object_from_a_name(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    trips = pypto.loop(n[0])
    out[:] = x * 1.0
    for _ in trips:
        out[:] = out + 1.0
    for _ in trips:
        out[:] = out + 1.0


@jit
def begin_and_end(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x * 1.0
    for i in pypto.loop(1, n[0] + 1):
        first, last = pypto.is_loop_begin(i), pypto.is_loop_end(i)
        for _ in pypto.loop(first * 10 + last * 100 + 1):
            out[:] = out + 1.0


@jit
def nested_peels(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x * 1.0
    for i in pypto.loop(n[0]):
        for j in pypto.loop(i + 1):
            if pypto.is_loop_begin(j):
                if pypto.is_loop_begin(i):
                    best = x * 2.0
                row = best + 1.0
            else:
                row = row + 1.0
        best = row
    out[:] = best


def golden_peels(x, n):
    best = x * 2
    for i in range(n):
        best = best + 1 + i
    return best


@jit
def deep_structure(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    state = {"layers": [(x * 1.0, 0), (x * 2.0, 1)], "name": "s"}
    for _ in pypto.loop(n[0]):
        layers = state["layers"]
        layers[0] = (layers[0][0] + layers[1][0], layers[0][1] + 1)
        state = {"layers": layers, "name": "s"}
    (a, steps), (b, _) = state["layers"]
    out[:] = a + b
    for _ in pypto.loop(steps):
        out[:] = out + 1.0


@jit
def same_list_twice(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    shared = [x * 1.0]
    outer = [shared, shared]
    for _ in pypto.loop(n[0]):
        outer[0][0] = outer[1][0] + 1.0
    out[:] = shared[0]


@jit
def index_arithmetic(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x * 1.0
    previous = 0
    for i in pypto.loop(n[0]):
        gap = i - previous
        previous = i
        for _ in pypto.loop(gap):
            out[:] = out + 1.0


def tri(n):
    return n * (n + 1) // 2


CASES = [
    (valid_shape_carried, golden_valid),
    (valid_shape_merged, golden_merged),
    (in_place_valid_shape, golden_in_place),
    (closure_over_carried, golden_closure),
    (unroll_inside_loop, lambda x, n: x + 2 * n + 2 * n),
    (unroll_step, lambda x, n: x + sum(range(1, n, 2))),
    (matched, lambda x, n: x * 2.0**n),
    (flags_across_iterations, lambda x, n: x + max(5 - n, 0)),
    (loop_object_from_a_name, lambda x, n: x + 2 * n),
    (begin_and_end, lambda x, n: x + (n + 110 if n else 0)),
    (nested_peels, golden_peels),
    (deep_structure, lambda x, n: x + 2 * x * n + 2 * x + n),
    (same_list_twice, lambda x, n: x + n),
    (index_arithmetic, lambda x, n: x + max(n - 1, 0)),
]


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize(("kernel", "golden"), CASES, ids=[c[0].__name__ for c in CASES])
def test_value(kernel, golden, n, run, x):
    np.testing.assert_array_equal(run(kernel, n), golden(x, n).astype(np.float32))


@pytest.mark.parametrize(
    ("kernel", "golden"),
    [c for c in CASES if c[0] not in (matched, nested_peels)],
    ids=[c[0].__name__ for c in CASES if c[0] not in (matched, nested_peels)],
)
def test_no_iteration(kernel, golden, run, x):
    np.testing.assert_array_equal(run(kernel, 0), golden(x, 0).astype(np.float32))


@jit
def head_value_after_the_loop(x, n, out):
    """A name bound to what the iteration got is not what the iteration leaves."""
    pypto.set_vec_tile_shapes(8, 8)
    box = [x * 1.0]
    for _ in pypto.loop(3):
        t = box[0]
        box[0] = t + 1.0
    out[:] = t + box[0]


def test_head_value_after_the_loop(run, x):
    np.testing.assert_array_equal(run(head_value_after_the_loop), (x + 2) + (x + 3))


@jit
def first_bound_in_an_unrolled_loop(x, n, out):
    """The second part of an unrolled loop sees what the first left, a name of an inner loop among it."""
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x * 1.0
    for i, k in pypto.loop_unroll(n[0], unroll_list=[2]):
        for _ in pypto.loop(2):
            t = out + float(k)
        out[:] = t


def test_first_bound_in_an_unrolled_loop(run, x):
    for n in (0, 1, 2, 5):
        np.testing.assert_array_equal(run(first_bound_in_an_unrolled_loop, n), x + n)
