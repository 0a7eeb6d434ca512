# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: quantise, multiply, swiglu, quantise again, multiply; all of a block of tokens in one iteration."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.quantising import int8_rows

ROWS = 16
COLS = 128
DEPTH_TILE = 128


def product(steps, row_scale, weight, column_scale):
    """INT8 rows [ROWS, K] times INT8 weights [K, N] in FP32: exact in INT32, then both scales."""
    total = pypto.cast(pypto.matmul(steps, weight, pypto.DT_INT32), pypto.DT_FP32)
    return total * row_scale * column_scale


@pypto.frontend.jit
def shared_expert(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    w_in: pypto.Tensor([pypto.STATIC, pypto.STATIC], pypto.DT_INT8),
    w_in_scale: pypto.Tensor([1, pypto.STATIC], pypto.DT_FP32),
    w_out: pypto.Tensor([pypto.STATIC, pypto.STATIC], pypto.DT_INT8),
    w_out_scale: pypto.Tensor([1, pypto.STATIC], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
):
    """x, out [T, H] of one float dtype; w_in [H, 2 * I], w_out [I, H] with scales per column. T is dynamic."""
    tokens, hidden = x.shape
    inner = w_out.shape[0]
    pypto.set_vec_tile_shapes(ROWS, COLS)
    pypto.set_cube_tile_shapes([ROWS, ROWS], [DEPTH_TILE, DEPTH_TILE], [COLS, COLS])
    for t in pypto.loop(0, tokens, ROWS, name="LOOP_T", idx_name="t"):
        live = (tokens - t).min(ROWS)
        block = widened(pypto.view(x, [ROWS, hidden], [t, 0], valid_shape=[live, hidden]))
        both = product(*int8_rows(block), w_in, w_in_scale)
        gate = pypto.view(both, [ROWS, inner], [0, 0], valid_shape=[live, inner])
        up = pypto.view(both, [ROWS, inner], [0, inner], valid_shape=[live, inner])
        result = product(*int8_rows(gate * pypto.sigmoid(gate) * up), w_out, w_out_scale)
        pypto.assemble(rounded(result, out.dtype), [t, 0], out)
