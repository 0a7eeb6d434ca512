import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    total = pypto.tensor([8, 32], pypto.DT_FP32, "total")
    for i in pypto.loop(8):
        total[:] = total + x[i * 8 : i * 8 + 8, :]  # expect: PTO410
    y[0:8, :] = total
