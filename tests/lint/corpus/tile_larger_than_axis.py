import pypto

T = pypto.Tensor([1, 16, 4, 16], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 8, 8, 8)  # expect: PTO621
    y[:] = pypto.exp(x * 2.0)
