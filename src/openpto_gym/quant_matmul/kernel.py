# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: an exact product of INT8 in INT32, then the scales of its row and column and a bias."""

import pypto
from openpto_gym.precision import rounded

ROWS = 128
COLS = 128
DEPTH_TILE = 128


@pypto.frontend.jit
def quant_matmul(
    a: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_INT8),
    b: pypto.Tensor([pypto.STATIC, pypto.DYNAMIC], pypto.DT_INT8),
    a_scale: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_FP32),
    b_scale: pypto.Tensor([1, pypto.DYNAMIC], pypto.DT_FP32),
    bias: pypto.Tensor([1, pypto.DYNAMIC], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC]),
):
    """out [M, N] = (a [M, K] @ b [K, N]) * a_scale * b_scale + bias, of a float dtype. M and N are dynamic."""
    rows, depth = a.shape
    cols = b.shape[1]
    pypto.set_vec_tile_shapes(ROWS // 2, COLS)
    pypto.set_cube_tile_shapes([ROWS, ROWS], [DEPTH_TILE, DEPTH_TILE], [COLS, COLS])
    for m in pypto.loop(0, rows, ROWS, name="LOOP_M", idx_name="m"):
        live_m = (rows - m).min(ROWS)
        left = pypto.view(a, [ROWS, depth], [m, 0], valid_shape=[live_m, depth])
        tall = pypto.view(a_scale, [ROWS, 1], [m, 0], valid_shape=[live_m, 1])
        for n in pypto.loop(0, cols, COLS, name="LOOP_N", idx_name="n"):
            live_n = (cols - n).min(COLS)
            right = pypto.view(b, [depth, COLS], [0, n], valid_shape=[depth, live_n])
            wide = pypto.view(b_scale, [1, COLS], [0, n], valid_shape=[1, live_n])
            shift = pypto.view(bias, [1, COLS], [0, n], valid_shape=[1, live_n])
            total = pypto.cast(pypto.matmul(left, right, pypto.DT_INT32), pypto.DT_FP32)
            pypto.assemble(rounded(total * tall * wide + shift, out.dtype), [m, n], out)
