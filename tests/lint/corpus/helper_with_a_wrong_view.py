"""The rank of the window is wrong in a helper, which only the call graph tells."""

import pypto


def block(source, start):
    return pypto.view(source, [8, 32], [start, 0, 0])  # expect: PTO236


def scaled(source, start):
    return block(source, start) * 2.0


@pypto.frontend.jit
def kernel(x: pypto.Tensor([64, 32], pypto.DT_FP32), y: pypto.Tensor([64, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(8, name="rows", idx_name="i"):
        y[i * 8 : i * 8 + 8, :] = scaled(x, i * 8)
