# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: rows times a smoothing vector, each divided by its own scale and rounded to INT8."""

import pypto
from openpto_gym.precision import widened
from openpto_gym.quantising import int8_rows
from openpto_gym.tiles import vector_tile

ROWS = 64


@pypto.frontend.jit
def quantize_int8(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    smooth: pypto.Tensor([pypto.STATIC], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_INT8),
    scale: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_FP32),
):
    """x [rows, width] of a float dtype, smooth [width]; out [rows, width], scale [rows, 1]. The rows are dynamic."""
    rows, width = x.shape
    # INT8 wants tiles of 32 columns.
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, -(-width // 32) * 32]))
    factor = pypto.reshape(smooth, [1, width])
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(ROWS)
        block = widened(pypto.view(x, [ROWS, width], [row, 0], valid_shape=[live, width]))
        steps, divisor = int8_rows(block * factor)
        pypto.assemble(steps, [row, 0], out)
        pypto.assemble(divisor, [row, 0], scale)
