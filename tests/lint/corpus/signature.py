import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def late(n: int, x: T, y: T):  # expect: PTO506, PTO506
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x + n


@pypto.frontend.jit
def returns(x: T, y: T) -> None:  # expect: PTO501
    y[:] = x + 1.0
    return  # expect: PTO113


@pypto.frontend.jit
def strange(x: T, y: T = None, *rest, flag=False, **others):  # expect: PTO502, PTO503, PTO504, PTO507
    y[:] = x + 1.0
