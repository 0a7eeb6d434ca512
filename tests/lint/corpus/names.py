import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    a = pypto.empty_like(x)  # expect: PTO219
    b = pypto.rms_norm(x, eps=1e-6)  # expect: PTO222
    c = x.T  # expect: PTO219
    y[:] = pypto.cast(pypto.exp(x), pypto.DT_FP23)  # expect: PTO219
