# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: per channel the sum and the sum of squares over all other axes, block of samples by block."""

import pypto
from openpto_gym.precision import widened
from openpto_gym.tiles import vector_tile

SAMPLES = 32


@pypto.frontend.jit
def channel_sums(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    total: pypto.Tensor([pypto.STATIC], pypto.DT_FP32),
    square: pypto.Tensor([pypto.STATIC], pypto.DT_FP32),
):
    """x [N, C, P] of a float dtype, P the pixels of a channel; total, square [C]. The number of samples is dynamic."""
    samples, channels, pixels = x.shape
    shape = [SAMPLES, channels, pixels]
    pypto.set_vec_tile_shapes(1, channels)
    sums, squares = (pypto.full([1, channels], 0.0, pypto.DT_FP32) for _ in range(2))
    for n in pypto.loop(0, samples, SAMPLES, name="LOOP_N", idx_name="n"):
        live = (samples - n).min(SAMPLES)
        pypto.set_vec_tile_shapes(*vector_tile(shape))
        block = widened(pypto.view(x, shape, [n, 0, 0], valid_shape=[live, channels, pixels]))
        parts = []
        for values in (block, block * block):
            pypto.set_vec_tile_shapes(*vector_tile(shape))
            rows = pypto.reshape(pypto.sum(values, -1, True), [SAMPLES, channels], valid_shape=[live, channels])
            pypto.set_vec_tile_shapes(*vector_tile([SAMPLES, channels]))
            parts.append(pypto.sum(rows, 0, True))
        sums[:] = sums + parts[0]
        squares[:] = squares + parts[1]
    pypto.set_vec_tile_shapes(channels)
    total[:] = pypto.reshape(sums, [channels])
    square[:] = pypto.reshape(squares, [channels])
