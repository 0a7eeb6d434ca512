import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    for i in range(200):
        for j in range(200):
            y[:] = pypto.exp(x)  # expect: PTO181
