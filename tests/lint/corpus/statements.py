import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


def helper(x, *rest):  # expect: PTO111
    try:  # expect: PTO110
        return x + 1.0
    except ValueError:
        return x


def unreached(*anything):
    try:
        yield 1
    finally:
        pass


@pypto.frontend.jit
def kernel(x: T, y: T):
    import math  # expect: PTO110

    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(4, name="rows", idx_name="i"):
        if i > 2:
            break  # expect: PTO114
        y[:] = helper(x) + math.pi
    for k in range(3):
        y[:] = x + k
    else:
        y[:] = x  # expect: PTO112
