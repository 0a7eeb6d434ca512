import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    pypto.exp(x)  # expect: PTO775
    x.sum(-1, True)  # expect: PTO775
    y[:] = x + 1.0
