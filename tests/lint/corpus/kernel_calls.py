import numpy as np
import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T, factor: float, shift: float = 0.0):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x * factor + shift


def run(x):
    y = np.empty_like(x)
    kernel(x, factor=2.0)  # expect: PTO511
    kernel(x, y)  # expect: PTO514
    kernel(x, y, 2.0, 1.0, 3.0)  # expect: PTO512
    kernel(x, y, factr=2.0)  # expect: PTO513
    result = kernel(x, y, 2.0)  # expect: PTO773
    kernel(x, y, factor=2.0)
    return result
