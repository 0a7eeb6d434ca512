import pypto

D = pypto.DYNAMIC


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), d: pypto.Tensor([D, 32], pypto.DT_FP32), y: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    a = pypto.reshape(x, [16, 32])  # expect: PTO253
    b = pypto.reshape(x, [-1, -1])  # expect: PTO254
    c = pypto.reshape(x, [d.shape[0], 32])  # expect: PTO255
    y[:] = x + 1.0
