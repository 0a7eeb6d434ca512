import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(range(8)):  # expect: PTO201
        y[i * 8 : i * 8 + 8, :] = x[i * 8 : i * 8 + 8, :] * 1.0
    for i in pypto.loop(0, 8, 0):  # expect: PTO211
        y[i * 8 : i * 8 + 8, :] = x[i * 8 : i * 8 + 8, :] * 1.0
    for i in pypto.loop(start=0, stop=8):  # expect: PTO208
        y[i * 8 : i * 8 + 8, :] = x[i * 8 : i * 8 + 8, :] * 1.0
    for i in pypto.loop(8.0):  # expect: PTO201
        y[i * 8 : i * 8 + 8, :] = x[i * 8 : i * 8 + 8, :] * 1.0
