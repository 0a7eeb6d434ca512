# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: `out = op(a) @ op(b)`, where op may transpose, a block of the result at a time."""

import pypto

ROWS = 128
COLS = 128
DEPTH_TILE = 64


@pypto.frontend.jit
def matmul(
    a: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC]),
    b: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC]),
    depth: int,
    a_trans: bool = False,
    b_trans: bool = False,
):
    """out [M, N] = op(a) [M, K] @ op(b) [K, N]; all of one float dtype, sums in FP32.

    With `a_trans` a is stored [K, M], with `b_trans` b is stored [N, K]. M and N are dynamic; `depth` is K, a constant
    of the compilation, since a block takes in all of it.
    """
    rows, cols = out.shape
    pypto.set_vec_tile_shapes(ROWS, COLS)
    pypto.set_cube_tile_shapes([ROWS, ROWS], [DEPTH_TILE, DEPTH_TILE], [COLS, COLS])
    for m in pypto.loop(0, rows, ROWS, name="LOOP_M", idx_name="m"):
        live_m = (rows - m).min(ROWS)
        if a_trans:
            left = pypto.view(a, [depth, ROWS], [0, m], valid_shape=[depth, live_m])
        else:
            left = pypto.view(a, [ROWS, depth], [m, 0], valid_shape=[live_m, depth])
        for n in pypto.loop(0, cols, COLS, name="LOOP_N", idx_name="n"):
            live_n = (cols - n).min(COLS)
            if b_trans:
                right = pypto.view(b, [COLS, depth], [n, 0], valid_shape=[live_n, depth])
            else:
                right = pypto.view(b, [depth, COLS], [0, n], valid_shape=[depth, live_n])
            block = pypto.matmul(left, right, out.dtype, a_trans=a_trans, b_trans=b_trans)
            pypto.assemble(block, [m, n], out)
