import numpy as np
import pypto
import torch

T = pypto.Tensor([8, 32], pypto.DT_FP32)


def scaled(t):
    return torch.mul(t, 2.0)  # expect: PTO165


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = scaled(x)
    y[:] = np.exp(x)  # expect: PTO165
