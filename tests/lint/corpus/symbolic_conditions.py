import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


def chosen(block, i):
    if i > 2:
        return block * 2.0  # expect: PTO115
    return block


@pypto.frontend.jit
def kernel(x: T, n: pypto.Tensor([1], pypto.DT_INT32), y: T):
    pypto.set_vec_tile_shapes(8, 32)
    if x:  # expect: PTO130
        y[:] = x * 1.0
    for i in pypto.loop(8):
        y[i * 8 : i * 8 + 8, :] = chosen(x[i * 8 : i * 8 + 8, :], i)
    if n[0] > 8:
        raise ValueError("too many")  # expect: PTO117
