import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    a = x[0:8, 0:8, 0]  # expect: PTO240
    b = x[0:16:2, :]  # expect: PTO241
    c = x[64, :]  # expect: PTO242
    d = x[16:8, :]  # expect: PTO235
    for i in pypto.loop(8):
        e = x[0:i, :]  # expect: PTO234
        y[i * 8 : i * 8 + 8, 0] = x[i * 8 : i * 8 + 8, :]  # expect: PTO243
    y[0:8, :] = None  # expect: PTO246
