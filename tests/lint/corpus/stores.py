import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, h: pypto.Tensor([64, 32], pypto.DT_FP16), y: T, small: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    y[0:8, :] = h[0:8, :]  # expect: PTO247
    pypto.assemble(pypto.exp(h), [0, 0], y)  # expect: PTO247
    small[:] = x * 2.0  # expect: PTO252
    block = y[0:8, :]
    block[:] = x[0:8, :]  # expect: PTO414
    rows, columns, depth = x.shape  # expect: PTO155
