import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 8)
    for i in pypto.loop(8, parallel=True):
        for j in pypto.loop(4, parallel=True):  # expect: PTO151
            y[i * 8 : i * 8 + 8, j * 8 : j * 8 + 8] = x[i * 8 : i * 8 + 8, j * 8 : j * 8 + 8] * 1.0
