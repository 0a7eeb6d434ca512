"""An element that is read twice with no write in between is one number; after a write it is read again."""

import numpy as np

import pypto

F, I = pypto.DT_FP32, pypto.DT_INT32
N = np.array([3, 0, 1, 5], np.int32)


@pypto.frontend.jit
def windows(x: pypto.Tensor([8, 8], F), n: pypto.Tensor([4], I), out: pypto.Tensor([8, 8], F)):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x * 0.0
    out[0:4, :] = x[n[0] : n[0] + 4, :]
    out[n[1] : n[1] + 1, n[2] : n[2] + 2] *= 2.0


@pypto.frontend.jit
def writes_between(x: pypto.Tensor([8, 8], F), n: pypto.Tensor([4], I), out: pypto.Tensor([8, 8], F)):
    pypto.set_vec_tile_shapes(8)
    t = n + 0
    shared = pypto.reshape(t, [2, 2], inplace=True)
    a = t[0]
    shared[0, 0] = 5
    b = t[0]
    t[0] = b + 1
    c = shared[0, 0]
    if a > 2:
        t[0] = 1
    d = t[0]
    for _ in pypto.loop(2):
        t[0] = t[0] + 1
    e = t[0]
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x
    for _ in pypto.loop(a + b * 10 + c * 100 + d * 200 + e * 300):
        out[:] = out + 1.0


def run(kernel):
    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    out = np.zeros((8, 8), np.float32)
    kernel(x, N, out)
    return x, out


def test_extent_between_two_reads_of_one_element():
    x, out = run(windows)
    expected = np.zeros((8, 8))
    expected[0:4] = x[3:7]
    expected[0, 1:3] *= 2
    np.testing.assert_array_equal(out, expected)


def test_a_read_after_a_write_is_another_number():
    x, out = run(writes_between)
    np.testing.assert_array_equal(out, x + 3 + 50 + 600 + 200 + 900)
