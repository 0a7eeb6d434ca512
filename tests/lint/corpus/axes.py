import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP16)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 24)
    y[:] = x - pypto.amax(x, 2, True)  # expect: PTO233, PTO305
    y[:] = x - pypto.amin(x, -1, True)  # expect: PTO305
