import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(8, unroll=4):  # expect: PTO214
        y[i * 8 : i * 8 + 8, :] = x[i * 8 : i * 8 + 8, :] * 1.0
    for i in pypto.loop(8, unroll_list=4):  # expect: PTO215
        y[i * 8 : i * 8 + 8, :] = x[i * 8 : i * 8 + 8, :] * 1.0
    for i in pypto.loop(8, unroll_list=[4, 0]):  # expect: PTO212
        y[i * 8 : i * 8 + 8, :] = x[i * 8 : i * 8 + 8, :] * 1.0
