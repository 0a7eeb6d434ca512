# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: `total = x + residual; out = rms_norm(total)`, a block of rows at a time."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile

ROWS = 64


@pypto.frontend.jit
def add_rms_norm(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    residual: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    gamma: pypto.Tensor([pypto.STATIC]),
    total: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    rate: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_FP32),
    epsilon: float = 1e-6,
):
    """x, residual, total, out [rows, hidden] and gamma [hidden] of one float dtype; rate [rows, 1] in FP32.

    The sum is normalised before it is rounded. The number of rows is dynamic. total and out may be the memory of
    residual and x.
    """
    rows, hidden = x.shape
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, hidden]))
    weight = widened(pypto.reshape(gamma, [1, hidden]))
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        live = [(rows - row).min(ROWS), hidden]
        block = widened(pypto.view(x, [ROWS, hidden], [row, 0], valid_shape=live))
        both = block + widened(pypto.view(residual, [ROWS, hidden], [row, 0], valid_shape=live))
        root = pypto.sqrt(pypto.sum(both * both, -1, True) / hidden + epsilon)
        pypto.assemble(rounded(both, total.dtype), [row, 0], total)
        pypto.assemble(rounded(both / root * weight, out.dtype), [row, 0], out)
        pypto.assemble(1.0 / root, [row, 0], rate)
