# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: the rows of a group, a block at a time, times the matrix of the group."""

import pypto

ROWS = 128
COLS = 128
DEPTH_TILE = 64


@pypto.frontend.jit
def grouped_matmul(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    weights: pypto.Tensor([pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    group_sums: pypto.Tensor([pypto.STATIC], pypto.DT_INT32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
):
    """x [M, K], weights [E, K, N], out [M, N], of one float dtype, sums in FP32; group_sums [E + 1] from 0.

    Rows group_sums[e] to group_sums[e + 1] - 1 are those of group e. Rows behind the last group are not written. M is
    dynamic.
    """
    groups, depth, width = weights.shape
    pypto.set_cube_tile_shapes([ROWS, ROWS], [DEPTH_TILE, DEPTH_TILE], [COLS, COLS])
    for e in pypto.loop(groups, name="LOOP_GROUP", idx_name="e"):
        first, end = group_sums[e], group_sums[e + 1]
        for m in pypto.loop(first, end, ROWS, name="LOOP_M", idx_name="m"):
            live = (end - m).min(ROWS)
            pypto.set_vec_tile_shapes(ROWS, COLS)
            left = pypto.view(x, [ROWS, depth], [m, 0], valid_shape=[live, depth])
            for n in range(0, width, COLS):
                cols = min(COLS, width - n)
                pypto.set_vec_tile_shapes(1, COLS, COLS)
                right = pypto.reshape(pypto.view(weights, [1, depth, cols], [e, 0, n]), [depth, cols])
                pypto.set_vec_tile_shapes(ROWS, COLS)
                pypto.assemble(pypto.matmul(left, right, out.dtype), [m, n], out)
