"""A kernel made by a factory, with a helper inside of it."""

import pypto


def build(rows):
    width = 32

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([64, width], pypto.DT_FP32), y: pypto.Tensor([64, width], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(8, width)

        def block(i):
            return pypto.view(x, [8, width], [i * 8, 0, 0])  # expect: PTO236

        for i in pypto.loop(8):
            y[i * 8 : i * 8 + 8, 0:width] = block(i)
            y[i * 8 : i * 8 + 8, 0 : width + 8] = x[0:8, :] * 2.0  # expect: PTO244

    return kernel
