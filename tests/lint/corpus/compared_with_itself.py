import numpy as np
import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = pypto.exp(x)


def test_kernel():
    x = np.ones((8, 32), np.float32)
    y = np.empty_like(x)
    kernel(x, y)
    np.testing.assert_allclose(np.exp(x), np.exp(x), rtol=1e-3)  # expect: PTO777
    np.testing.assert_allclose(y, np.exp(x), rtol=1e-3)
