import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    first, second = x  # expect: PTO257
    for row in x:  # expect: PTO152
        y[:] = x + 1.0
