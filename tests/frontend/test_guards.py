"""A changed global, closure variable or module attribute is seen by the next call; an unchanged one costs nothing."""

import types

import numpy as np

import pypto

F = pypto.DT_FP32
T = pypto.Tensor([8, 8], F)
GAIN = 2.0
TABLE = [1.0, 2.0]
WEIGHTS = np.array([1.0, 2.0])
config = types.ModuleType("config")
config.OFFSET = 1.0


def helper(x):
    return x * GAIN


def call(kernel):
    x, out = np.ones((8, 8), np.float32), np.zeros((8, 8), np.float32)
    kernel(x, out)
    return float(out[0, 0])


@pypto.frontend.jit
def from_globals(x: T, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = helper(x) + TABLE[1] + float(WEIGHTS[0]) + config.OFFSET


def test_globals_of_kernel_and_helpers(monkeypatch):
    assert call(from_globals) == 6
    assert call(from_globals) == 6
    assert from_globals.compilations == 1
    monkeypatch.setitem(globals(), "GAIN", 5.0)
    assert call(from_globals) == 9
    TABLE[1] = 3.0
    assert call(from_globals) == 10
    WEIGHTS[0] = 4.0
    assert call(from_globals) == 13
    monkeypatch.setattr(config, "OFFSET", 2.0)
    assert call(from_globals) == 14
    monkeypatch.setitem(globals(), "helper", lambda x: x * 0.0)
    assert call(from_globals) == 9
    TABLE[1] = 2.0
    WEIGHTS[0] = 1.0


def test_closure_variables():
    gain = 1.0

    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 8)
        out[:] = x * gain

    assert call(kernel) == 1
    gain = 7.0
    assert call(kernel) == 7
    gain = 1.0
    assert call(kernel) == 1
    assert kernel.compilations <= 3


def test_unrelated_globals_do_not_matter(monkeypatch):
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 8)
        out[:] = x + 1.0

    assert call(kernel) == 2
    monkeypatch.setitem(globals(), "GAIN", 77.0)
    assert call(kernel) == 2
    assert kernel.compilations == 1
