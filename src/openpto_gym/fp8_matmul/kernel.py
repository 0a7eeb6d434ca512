# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: rows in a float dtype become FP8 with a scale of their own and meet a matrix that is FP8 already."""

import pypto
from openpto_gym.precision import rounded, widened

ROWS = 64
COLS = 128
DEPTH_TILE = 64
LARGEST = 448.0
"""The largest number of FP8E4M3."""
SMALLEST = 1e-12


@pypto.frontend.jit
def fp8_matmul(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    weight: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP8E4M3),
    weight_scale: pypto.Tensor([1, pypto.DYNAMIC], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC]),
):
    """x [M, K], out [M, N] of one float dtype; weight [N, K], weight_scale [1, N]. M and N are dynamic.

    Every row of x is divided by its largest magnitude / 448 and rounded to FP8E4M3.
    """
    rows, depth = x.shape
    cols = weight.shape[0]
    pypto.set_cube_tile_shapes([ROWS, ROWS], [DEPTH_TILE, DEPTH_TILE], [COLS, COLS])
    for m in pypto.loop(0, rows, ROWS, name="LOOP_M", idx_name="m"):
        live_m = (rows - m).min(ROWS)
        pypto.set_vec_tile_shapes(ROWS // 2, COLS)
        block = widened(pypto.view(x, [ROWS, depth], [m, 0], valid_shape=[live_m, depth]))
        scale = pypto.maximum(pypto.amax(pypto.abs(block), -1, True), SMALLEST) / LARGEST
        left = pypto.cast(block / scale, pypto.DT_FP8E4M3, satmode=pypto.SaturationMode.ON)
        for n in pypto.loop(0, cols, COLS, name="LOOP_N", idx_name="n"):
            live_n = (cols - n).min(COLS)
            right = pypto.view(weight, [COLS, depth], [n, 0], valid_shape=[live_n, depth])
            wide = pypto.view(weight_scale, [1, COLS], [0, n], valid_shape=[1, live_n])
            total = pypto.matmul(left, right, pypto.DT_FP32, b_trans=True)
            pypto.assemble(rounded(total * scale * wide, out.dtype), [m, n], out)
