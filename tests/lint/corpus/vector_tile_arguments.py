import pypto

D = pypto.DYNAMIC


@pypto.frontend.jit
def kernel(x: pypto.Tensor([D, 32], pypto.DT_FP32), y: pypto.Tensor([D, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes([8, 32])  # expect: PTO285
    pypto.set_vec_tile_shapes(x.shape[0], 32)  # expect: PTO286
    pypto.set_vec_tile_shapes(8.0, 32)  # expect: PTO285
    for i in pypto.loop(4):
        pypto.set_vec_tile_shapes(i, 32)  # expect: PTO286
        y[i * 8 : i * 8 + 8, :] = pypto.view(x, [8, 32], [i * 8, 0]) * 1.0
