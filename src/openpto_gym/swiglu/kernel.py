# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernels: silu of the left half of a row times its right half, and the gradient, a block of rows at a time."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile

ROWS = 64


def half(source, row, live, width, number):
    """The half of that number, 0 or 1, of rows [ROWS, 2 * width] from `row` on, in FP32."""
    return widened(pypto.view(source, [ROWS, width], [row, number * width], valid_shape=[live, width]))


@pypto.frontend.jit
def swiglu(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
):
    """x [rows, 2 * width], out [rows, width] of one float dtype, computed in FP32. The rows are dynamic."""
    rows, width = out.shape
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, width]))
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(ROWS)
        gate, up = half(x, row, live, width, 0), half(x, row, live, width, 1)
        pypto.assemble(rounded(gate * pypto.sigmoid(gate) * up, out.dtype), [row, 0], out)


@pypto.frontend.jit
def swiglu_backward(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    grad: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    dx: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
):
    """x, dx [rows, 2 * width], grad [rows, width] of one float dtype, computed in FP32. The rows are dynamic."""
    rows, width = grad.shape
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, width]))
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(ROWS)
        gate, up = half(x, row, live, width, 0), half(x, row, live, width, 1)
        above = half(grad, row, live, width, 0)
        share = pypto.sigmoid(gate)
        slope = share * (1.0 + gate * (1.0 - share))
        pypto.assemble(rounded(above * up * slope, dx.dtype), [row, 0], dx)
        pypto.assemble(rounded(above * (gate * share), dx.dtype), [row, width], dx)
