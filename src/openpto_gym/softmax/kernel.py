# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: `out[r, :] = softmax(x[r, :])`, one tile of rows at a time."""

import pypto
from openpto_gym.precision import rounded, widened

MAX_TILE_ROWS = 64
# A reduction works on tiles of at most 64 KiB: 16384 FP32 elements.
MAX_TILE_ELEMENTS = 16384
# The last axis of a reduction's tile is a multiple of 32 bytes: 8 FP32 elements.
TILE_ALIGNMENT = 8


def tile_shape(cols: int) -> tuple[int, int]:
    """Rows and columns of the vector tile for rows of `cols` FP32 elements."""
    aligned = (cols + TILE_ALIGNMENT - 1) // TILE_ALIGNMENT * TILE_ALIGNMENT
    tile_cols = min(aligned, MAX_TILE_ELEMENTS)
    return min(MAX_TILE_ROWS, MAX_TILE_ELEMENTS // tile_cols), tile_cols


@pypto.frontend.jit
def row_softmax(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
):
    """Softmax over the last axis: x, out `[rows, cols]` of one float dtype, computed in FP32; rows are dynamic."""
    rows, cols = x.shape
    tile_rows, tile_cols = tile_shape(cols)
    pypto.set_vec_tile_shapes(tile_rows, tile_cols)
    for row in pypto.loop(0, rows, tile_rows, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(tile_rows)
        block = widened(pypto.view(x, [tile_rows, cols], [row, 0], valid_shape=[live, cols]))
        weights = pypto.exp(block - pypto.amax(block, -1, True))
        result = weights / pypto.sum(weights, -1, True)
        pypto.assemble(rounded(result, out.dtype), [row, 0], out)
