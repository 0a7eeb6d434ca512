import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, h: pypto.Tensor([8, 32], pypto.DT_FP16), k: pypto.Tensor([8, 32], pypto.DT_INT32), y: T):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x + h  # expect: PTO228
    y[:] = pypto.mul(x, x[:, 0:16])  # expect: PTO229
    z = k + 0.5  # expect: PTO227
    y[:] = pypto.exp(2.0)  # expect: PTO223
    mask = (x > 0.0) & (x < 1.0)  # expect: PTO260
    for i in pypto.loop(4):
        y[:] = x + i  # expect: PTO226
