"""Products of FP16 and BF16 in each other's type: the FP32 sum, rounded once to nearest even."""

import ml_dtypes
import numpy as np
import pytest

import pypto
from pypto import DT_BF16, DT_FP16

HOSTS = {DT_FP16: np.float16, DT_BF16: ml_dtypes.bfloat16}


@pytest.mark.parametrize(("source", "target"), [(DT_FP16, DT_BF16), (DT_BF16, DT_FP16)])
def test_products_in_the_other_half(source, target):
    @pypto.frontend.jit
    def kernel(
        a: pypto.Tensor([32, 16], source), b: pypto.Tensor([16, 32], source), out: pypto.Tensor([32, 32], target)
    ):
        pypto.set_vec_tile_shapes(32, 32)
        pypto.set_cube_tile_shapes([32, 32], [16, 16], [32, 32])
        out[:] = pypto.matmul(a, b, target)

    rng = np.random.default_rng(5)
    # small whole numbers and powers of two: every sum is exact in FP32 and needs rounding in both types
    a = (rng.integers(-200, 200, (32, 16)) * 2.0 ** rng.integers(-3, 4, (32, 1))).astype(HOSTS[source])
    b = (rng.integers(-100, 100, (16, 32)) * 2.0 ** rng.integers(-3, 4, (1, 32))).astype(HOSTS[source])
    out = np.zeros((32, 32), HOSTS[target])
    kernel(a, b, out)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    with np.errstate(over="ignore"):
        want = exact.astype(np.float32).astype(HOSTS[target])
    assert (want.astype(np.float64) != exact).any()
    np.testing.assert_array_equal(out.astype(np.float64), want.astype(np.float64))
