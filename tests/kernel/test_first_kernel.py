"""End to end: source to results, against numpy."""

import numpy as np
import pytest

import openpto
import pypto

F32 = pypto.DT_FP32
RNG = np.random.default_rng(7)


def random(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


@pypto.frontend.jit
def add(x: pypto.Tensor([8, 32], F32), y: pypto.Tensor([8, 32], F32), out: pypto.Tensor([8, 32], F32)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = x + y


@pypto.frontend.jit
def softmax(x: pypto.Tensor([16, 64], F32), out: pypto.Tensor([16, 64], F32)):
    pypto.set_vec_tile_shapes(16, 64)
    weights = pypto.exp(x - pypto.amax(x, -1, True))
    out[:] = weights / pypto.sum(weights, -1, True)


@pypto.frontend.jit
def scale_rows(
    x: pypto.Tensor([pypto.DYNAMIC, 32], F32), out: pypto.Tensor([pypto.DYNAMIC, 32], F32), gain: float = 2.0
):
    pypto.set_vec_tile_shapes(8, 32)
    rows = x.shape[0]
    for row in pypto.loop(0, rows, 8, name="ROWS", idx_name="row"):
        block = pypto.view(x, [8, 32], [row, 0], valid_shape=[(rows - row).min(8), 32])
        pypto.assemble(block * gain, [row, 0], out)


def test_add():
    x, y, out = random(8, 32), random(8, 32), np.full((8, 32), np.nan, np.float32)
    assert add(x, y, out) is None
    assert np.array_equal(out, x + y)


def test_softmax():
    x, out = random(16, 64) * 4, np.full((16, 64), np.nan, np.float32)
    softmax(x, out)
    wide = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    openpto.testing.assert_close(out, wide / wide.sum(-1, keepdims=True), rtol=2e-6, atol=1e-9)


def test_one_compilation_serves_every_length():
    for rows in (1, 7, 8, 9, 0, 30):
        x = random(rows, 32)
        out = np.full((rows + 1, 32), -777.0, np.float32)
        scale_rows(x, out[:rows])
        assert np.array_equal(out[:rows], x * np.float32(2.0))
        assert (out[rows] == -777.0).all()
    assert scale_rows.compilations == 1
    x, out = random(5, 32), np.zeros((5, 32), np.float32)
    scale_rows(x, out, gain=3.0)
    assert np.array_equal(out, x * np.float32(3.0))
    assert scale_rows.compilations == 2


def test_a_tensor_may_be_its_own_output():
    x = random(8, 32)
    twice = x + x
    add(x, x, x)
    assert np.array_equal(x, twice)


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    x, out = torch.from_numpy(random(16, 64)), torch.full((16, 64), float("nan"))
    softmax(x, out)
    torch.testing.assert_close(out, torch.softmax(x.double(), -1).float(), rtol=2e-6, atol=1e-9)
    openpto.testing.assert_close(out, torch.softmax(x.double(), -1), rtol=2e-6, atol=1e-9)


def test_the_receipt():
    x, y, out = random(8, 32), random(8, 32), np.zeros((8, 32), np.float32)
    add(x, y, out)
    receipt = add.last_run
    assert receipt is openpto.last_run()
    assert receipt.elements_written == {"out": 256}
    assert (receipt.kernel, receipt.run_mode, receipt.numerics) == ("add", pypto.RunMode.SIM, "npu")
    assert [m.pointer for m in receipt.outputs] == [out.ctypes.data]
