# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: both operands become FP8 with one power of two per 32 elements of K, then their product."""

import pypto

ROWS = 64
COLS = 64
DEPTH_TILE = 64


def microscaled(source, row, live, size, depth):
    """Rows of a matrix as FP8E4M3 [size, depth] and powers of two [size, depth / 64, 2]."""
    pypto.set_vec_tile_shapes(size // 2, DEPTH_TILE)
    block = pypto.view(source, [size, depth], [row, 0], valid_shape=[live, depth])
    return pypto.quant_mx(block, pypto.DT_FP8E4M3, performance_mode=False)


@pypto.frontend.jit
def mx_matmul(
    a: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    b: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC], pypto.DT_FP32),
):
    """out [M, N] in FP32, a [M, K] and b [N, K] of one float dtype, K a multiple of 64. M and N are dynamic."""
    rows, depth = a.shape
    cols = b.shape[0]
    pypto.set_cube_tile_shapes([ROWS, ROWS], [DEPTH_TILE, DEPTH_TILE], [COLS, COLS])
    for m in pypto.loop(0, rows, ROWS, name="LOOP_M", idx_name="m"):
        left, left_scale = microscaled(a, m, (rows - m).min(ROWS), ROWS, depth)
        for n in pypto.loop(0, cols, COLS, name="LOOP_N", idx_name="n"):
            right, right_scale = microscaled(b, n, (cols - n).min(COLS), COLS, depth)
            pypto.set_vec_tile_shapes(ROWS // 2, COLS)
            block = pypto.scaled_mm(
                left, right, pypto.DT_FP32, left_scale, right_scale, b_trans=True, scale_b_trans=True
            )
            pypto.assemble(block, [m, n], out)
