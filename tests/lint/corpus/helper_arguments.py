"""What is wrong depends on the arguments: the same helper is right in one kernel and wrong in another."""

import pypto


def scaled(t, factor):
    return t * factor  # expect: PTO226


def tile(rows):
    pypto.set_vec_tile_shapes(rows, 32)  # expect: PTO286


@pypto.frontend.jit
def right(x: pypto.Tensor([8, 32], pypto.DT_FP32), y: pypto.Tensor([8, 32], pypto.DT_FP32)):
    tile(8)
    y[:] = scaled(x, 2.0)


@pypto.frontend.jit
def wrong(x: pypto.Tensor([8, 32], pypto.DT_FP32), n: pypto.Tensor([1], pypto.DT_INT32), y: pypto.Tensor([8, 32], pypto.DT_FP32)):
    tile(n[0])
    y[:] = scaled(x, n[0])
