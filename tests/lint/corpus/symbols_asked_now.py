import pypto

D = pypto.DYNAMIC


@pypto.frontend.jit
def kernel(x: pypto.Tensor([D, 32], pypto.DT_FP32), y: pypto.Tensor([D, 32], pypto.DT_FP32)):
    rows = x.shape[0]
    pypto.set_vec_tile_shapes(8, 32)
    for i in range(rows // 8):  # expect: PTO134
        y[i * 8 : i * 8 + 8, :] = x[i * 8 : i * 8 + 8, :] * 1.0
    count = int(rows)  # expect: PTO200
    assert rows > 8  # expect: PTO131
