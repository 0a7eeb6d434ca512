"""A thin kernel and its body in a helper: the tiles are wrong two calls away."""

import pypto

L0 = 96


def product(a, b):
    return pypto.matmul(a, b, pypto.DT_FP32)  # expect: PTO321


def body(a, b, c):
    pypto.set_cube_tile_shapes(m=[L0, 128], k=[64, 64], n=[64, 64])
    c[:] = product(a, b)
    pypto.set_cube_tile_shapes([64, 64], [24, 48], [64, 64])
    c[:] = pypto.matmul(a, b, pypto.DT_FP32)  # expect: PTO322
    pypto.set_cube_tile_shapes([512, 512], [16, 16], [256, 256])
    c[:] = pypto.matmul(a, b, pypto.DT_FP32)  # expect: PTO324


@pypto.frontend.jit
def kernel(
    a: pypto.Tensor([64, 64], pypto.DT_FP16),
    b: pypto.Tensor([64, 64], pypto.DT_FP16),
    c: pypto.Tensor([64, 64], pypto.DT_FP32),
):
    body(a, b, c)
