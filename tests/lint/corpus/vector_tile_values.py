import pypto

T = pypto.Tensor([4, 8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = pypto.exp(x)  # expect: PTO303
    pypto.set_vec_tile_shapes(4, 0, 32)
    y[:] = pypto.exp(x)  # expect: PTO302
