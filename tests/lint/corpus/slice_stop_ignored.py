import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), y: pypto.Tensor([64, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    y[0:16, :] = x + 1.0  # expect: PTO244
    y[:8, :] = x + 2.0  # expect: PTO245
