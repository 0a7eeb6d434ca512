import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    for i, k in pypto.loop(8):  # expect: PTO153
        y[:] = x * 1.0
    for i in pypto.loop_unroll(8, unroll_list=[4, 1]):  # expect: PTO154
        y[:] = x * 1.0
    for i in list(pypto.loop(8)):  # expect: PTO210
        y[:] = x * 1.0
