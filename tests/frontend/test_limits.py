"""Stops for traces that do not end or grow too large."""

import numpy as np
import pytest

import pypto
from openpto.frontend import context
from openpto.ir import trace

F = pypto.DT_FP32


def repeated(x: pypto.Tensor([8, 8], F), out: pypto.Tensor([8, 8], F), count):
    pypto.set_vec_tile_shapes(8, 8)
    t = x
    for _ in range(count):
        t = t + 1.0
    out[:] = t


def call(kernel, *rest):
    x, out = np.ones((8, 8), np.float32), np.zeros((8, 8), np.float32)
    kernel(x, out, *rest)
    return out


def test_many_operations_warn(monkeypatch):
    monkeypatch.setattr(trace, "WARN_OPS", 50)
    with pytest.warns(pypto.PyptoWarning, match="PTO181"):
        assert call(pypto.frontend.jit(repeated), 60)[0, 0] == 61


def test_too_many_operations_stop(monkeypatch):
    monkeypatch.setattr(trace, "WARN_OPS", 1000)
    monkeypatch.setattr(trace, "MAX_OPS", 100)
    with pytest.raises(pypto.PyptoError) as caught:
        call(pypto.frontend.jit(repeated), 200)
    assert caught.value.code == "PTO182"


def test_endless_loops_stop(monkeypatch):
    import itertools

    monkeypatch.setattr(context, "MAX_STEPS", 1000)

    @pypto.frontend.jit
    def endless(x: pypto.Tensor([8, 8], F), out: pypto.Tensor([8, 8], F)):
        for k in itertools.count():
            pass
        out[:] = x + 1.0

    with pytest.raises(pypto.PyptoError) as caught:
        call(endless)
    assert caught.value.code == "PTO160"


def deeper(x, k):
    return deeper(x, k + 1)


def test_endless_recursion_stops():
    @pypto.frontend.jit
    def endless(x: pypto.Tensor([8, 8], F), out: pypto.Tensor([8, 8], F)):
        out[:] = deeper(x, 0)

    with pytest.raises(RecursionError) as caught:
        call(endless)
    assert caught.value.code == "PTO161"


def test_long_chains_work():
    assert call(pypto.frontend.jit(repeated), 5000)[0, 0] == 5001
