"""Triangles of BF16 tiles between promoted operations: the value goes on in FP32, no element changes."""

import ml_dtypes
import numpy as np
import pytest

import openpto
import pypto

BF16 = pypto.DT_BF16


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("numerics", ["npu", "strict"])
def test_triangle_of_a_triangle(engine, numerics):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], BF16), out: pypto.Tensor([8, 16], BF16)):
        pypto.set_vec_tile_shapes(8, 16)
        out[:] = pypto.tril(pypto.triu(x, -2), 1)

    x = np.random.default_rng(5).standard_normal((8, 16)).astype(ml_dtypes.bfloat16)
    out = np.full((8, 16), -7, ml_dtypes.bfloat16)
    with openpto.configure(engine=engine, numerics=numerics):
        kernel(x, out)
    assert np.array_equal(out, np.tril(np.triu(x, -2), 1))
