"""Values of `if`, `and`, `or`, `not`, comparisons and ternaries on run-time values."""

from types import SimpleNamespace

import numpy as np
import pytest

import pypto

F, I = pypto.DT_FP32, pypto.DT_INT32


def jit(function):
    """A kernel whose parameters are (x, n, out)."""
    function.__annotations__ = {"x": pypto.Tensor([8, 8], F), "n": pypto.Tensor([1], I), "out": pypto.Tensor([8, 8], F)}
    return pypto.frontend.jit(function)


@jit
def merged(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    c = n[0]
    if c > 2:
        t, k = x + 1.0, c * 2
    elif c == 1:
        t, k = x + 10.0, 5
    else:
        t, k = x + 100.0, c + 1
    out[:] = t
    for _ in pypto.loop(k):
        out[:] = out + 1.0


@jit
def one_side(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    t, k = x * 1.0, 0
    if n[0] > 2:
        t = t + 1.0
        k = k + 3
    out[:] = t
    for _ in pypto.loop(k):
        out[:] = out + 1.0


@jit
def written_in_place(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    t = x * 1.0
    view = t
    if n[0] > 2:
        t[:] = t + 1.0
    else:
        t[:] = t * 3.0
    out[:] = view


@jit
def other_branch_sees_old(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    t = x * 1.0
    if n[0] > 2:
        t = t + 1.0
        out[:] = t
    else:
        out[:] = t * 2.0


@jit
def equal_objects(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    if n[0] > 2:
        shape, gain = [8, 8], 2.0
        t = x + 1.0
    else:
        shape, gain = [8, 8], 2.0
        t = x - 1.0
    out[:] = pypto.reshape(t, shape) * gain


@jit
def containers(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    box = SimpleNamespace(t=x * 1.0)
    items = {"a": [x * 2.0, 1]}
    if n[0] > 2:
        items["a"][0] = items["a"][0] + 1.0
        items["a"][1] = 4
    else:
        items["a"][1] += 2
    out[:] = items["a"][0] + box.t
    for _ in pypto.loop(items["a"][1]):
        out[:] = out + 1.0


@jit
def concrete(x, n, out):
    """A known test runs the taken branch only; the other one may be nonsense."""
    pypto.set_vec_tile_shapes(8, 8)
    if x.shape[0] == 8:
        out[:] = x + 1.0
    else:
        out[:] = undefined_name  # noqa: F821


@jit
def nested(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    c = n[0]
    out[:] = x * 1.0
    for i in pypto.loop(6):
        if i < c:
            if pypto.is_loop_begin(i):
                t = x + 100.0
            else:
                t = x + 1.0
            out[:] = out + t
        elif i == 5:
            out[:] = out * 2.0


@jit
def short_circuit(x, n, out):
    """The second operand would read outside, or divide by zero, if it were reached."""
    pypto.set_vec_tile_shapes(8, 8)
    c = n[0]
    out[:] = x * 1.0
    if c > 0 and n[(c - 1) * 0] > 2:
        out[:] = out + 1.0
    if c == 0 or 12 // c > 5:
        out[:] = out + 10.0
    if c != 0 and 12 % c == 0 and not c == 4:
        out[:] = out + 100.0


@jit
def reads_if_reached(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    c = n[0]
    out[:] = x * 1.0
    if c < 1 and n[c] == 0:
        out[:] = out + 1.0
    if c >= 1 or n[c] == 0:
        out[:] = out + 10.0


@jit
def operand_value(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    c = n[0]
    k = c and 5
    j = c or 4
    out[:] = x * 1.0
    for _ in pypto.loop(k * 10 + j):
        out[:] = out + 1.0


@jit
def chained(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    c = n[0]
    out[:] = x * 1.0
    if 1 < c <= 3 != c - 1:
        out[:] = out + 1.0


@jit
def ternary(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    c = n[0]
    k = 12 // c if c > 0 else 3
    t = x + 1.0 if c > 2 else x * 2.0
    mode = "exact" if x.shape[1] == 8 else undefined_name  # noqa: F821
    out[:] = t
    for _ in pypto.loop(k if mode == "exact" else 0):
        out[:] = out + 1.0


@jit
def extremes(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x * 1.0
    for _ in pypto.loop(min(n[0], 4, 10) + max([n[0], 2])):
        out[:] = out + max(1.0, 0.5)


@jit
def flag(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    big = False
    if n[0] > 2:
        big = True
    if big:
        out[:] = x + 1.0
    else:
        out[:] = x * 1.0


@jit
def cond_form(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    if pypto.cond(n[0] > 2):
        out[:] = x + 1.0
    else:
        out[:] = x * 1.0


def fill(out, x, c):
    if pypto.cond(c > 2):
        out[:] = x + 1.0
    else:
        out[:] = x * 1.0
    return out


@jit
def in_helper(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    fill(out, x, n[0])


CASES = [
    (merged, lambda x, n: x + 1 + 2 * n if n > 2 else x + 15 if n == 1 else x + 100 + n + 1),
    (one_side, lambda x, n: x + 4 if n > 2 else x),
    (written_in_place, lambda x, n: x + 1 if n > 2 else x * 3),
    (other_branch_sees_old, lambda x, n: x + 1 if n > 2 else x * 2),
    (equal_objects, lambda x, n: (x + 1) * 2 if n > 2 else (x - 1) * 2),
    (containers, lambda x, n: x * 3 + 1 + 4 if n > 2 else x * 3 + 3),
    (concrete, lambda x, n: x + 1),
    (nested, lambda x, n: (x + (x + 100 if n else 0) + max(n - 1, 0) * (x + 1)) * (1 if n > 5 else 2)),
    (short_circuit, lambda x, n: x + (n > 2) + 10 * (n == 0 or 12 // n > 5) + 100 * (n in (1, 2, 3, 6))),
    (reads_if_reached, lambda x, n: x + 11 * (n == 0) + 10 * (n > 0)),
    (operand_value, lambda x, n: x + (50 if n else 0) + (n or 4)),
    (chained, lambda x, n: x + (1 < n <= 3 != n - 1)),
    (ternary, lambda x, n: (x + 1 if n > 2 else x * 2) + (12 // n if n else 3)),
    (extremes, lambda x, n: x + min(n, 4) + max(n, 2)),
    (flag, lambda x, n: x + (n > 2)),
    (cond_form, lambda x, n: x + (n > 2)),
    (in_helper, lambda x, n: x + (n > 2)),
]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 6])
@pytest.mark.parametrize(("kernel", "golden"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_value(kernel, golden, n, run, x):
    np.testing.assert_array_equal(run(kernel, n), np.float32(golden(x, n)))


def test_text_of_conditions():
    """What a device compiler would see: logic of harmless conditions stays one expression."""
    n = pypto.SymbolicScalar("n")
    seen = []

    def kernel(x, m, out):
        pypto.set_vec_tile_shapes(8, 8)
        i = m[0]
        seen.append(str(n > 1 and n < 4))
        out[:] = x * 1.0
        for _ in pypto.loop(i):
            out[:] = x * 1.0

    wrapped = jit_named(kernel)
    with pytest.warns(pypto.PyptoWarning):
        wrapped(np.zeros((8, 8), np.float32), np.ones(1, np.int32), np.zeros((8, 8), np.float32))
    assert seen == ["RUNTIME_And((n>1), (n<4))"]


def jit_named(function):
    function.__annotations__ = {"x": pypto.Tensor([8, 8], F), "m": pypto.Tensor([1], I), "out": pypto.Tensor([8, 8], F)}
    return pypto.frontend.jit(function)
