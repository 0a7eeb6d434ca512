# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: means of square windows; rows and columns of a window are added as views of the image."""

import pypto
from openpto_gym.precision import rounded, widened

CHANNELS = 16


@pypto.frontend.jit
def avg_pool2d(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    size: int,
):
    """x [C, H, W], out [C, H // size, W // size] of one float dtype, computed in FP32; C counts channels of all images.

    Windows do not overlap; rows and columns behind the last whole window are left out. C is dynamic.
    """
    channels, rows, cols = out.shape
    high, wide = rows * size, cols * size
    for c in pypto.loop(0, channels, CHANNELS, name="LOOP_C", idx_name="c"):
        live = (channels - c).min(CHANNELS)
        pypto.set_vec_tile_shapes(1, 16, max(16, -(-wide // 16) * 16))
        block = widened(pypto.view(x, [CHANNELS, high, wide], [c, 0, 0], valid_shape=[live, high, wide]))
        # [C, rows, size * wide]: the lines of a window one after the other.
        lines = pypto.reshape(block, [CHANNELS, rows, size * wide], valid_shape=[live, rows, size * wide])
        shape, valid = [CHANNELS, rows, wide], [live, rows, wide]
        total = pypto.view(lines, shape, [0, 0, 0], valid_shape=valid)
        for line in range(1, size):
            total = total + pypto.view(lines, shape, [0, 0, line * wide], valid_shape=valid)
        pypto.set_vec_tile_shapes(1, min(rows, 16), min(cols, 16), 16)
        windows = pypto.reshape(total, [CHANNELS, rows, cols, size], valid_shape=[live, rows, cols, size])
        mean = pypto.sum(windows, -1, True) / (size * size)
        pypto.set_vec_tile_shapes(1, 16, 16)
        result = pypto.reshape(mean, [CHANNELS, rows, cols], valid_shape=[live, rows, cols])
        pypto.assemble(rounded(result, out.dtype), [c, 0, 0], out)
