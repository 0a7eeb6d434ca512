import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)
count = 0


@pypto.frontend.jit
def kernel(x: T, y: T):
    global count  # expect: PTO110
    count = 1
    pypto.set_vec_tile_shapes(8, 32)

    class Local:  # expect: PTO110
        pass

    y[:] = x + 1.0
    raise  # expect: PTO110
