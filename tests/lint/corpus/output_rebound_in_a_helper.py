import pypto

F = pypto.DT_FP32


def finish(t, out):
    out = t * 3.0  # expect: PTO412
    del out


def add_to(t, total):
    total += t  # expect: PTO770


def scaled(t):
    t = t * 2.0
    return t


@pypto.frontend.jit
def rebound(x: pypto.Tensor([8, 64], F), out: pypto.Tensor([8, 64], F)):
    pypto.set_vec_tile_shapes(8, 64)
    finish(scaled(x), out)


@pypto.frontend.jit
def added(x: pypto.Tensor([8, 64], F), out: pypto.Tensor([8, 64], F)):
    pypto.set_vec_tile_shapes(8, 64)
    add_to(scaled(x), out)


@pypto.frontend.jit
def right(x: pypto.Tensor([8, 64], F), out: pypto.Tensor([8, 64], F)):
    pypto.set_vec_tile_shapes(8, 64)
    out[:] = scaled(x)


@pypto.frontend.jit
def deep(x: pypto.Tensor([2, 8, 64], F), out: pypto.Tensor([2, 8, 64], F)):
    pypto.set_vec_tile_shapes(8, 64)
    out[:] = x + 1.0  # expect: PTO303
    pypto.set_vec_tile_shapes(1, 8, 64)
    out[:] = x + pypto.sum(x, 3, True)  # expect: PTO233
