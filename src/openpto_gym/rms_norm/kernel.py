# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: `out = x / sqrt(mean(x^2) + epsilon) * gamma` over the last axis, a block of rows at a time."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile

ROWS = 64


@pypto.frontend.jit
def rms_norm(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    gamma: pypto.Tensor([pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    epsilon: float = 1e-6,
):
    """x, out [rows, hidden] and gamma [hidden] of one float dtype; computed in FP32. The number of rows is dynamic."""
    rows, hidden = x.shape
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, hidden]))
    weight = widened(pypto.reshape(gamma, [1, hidden]))
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(ROWS)
        block = widened(pypto.view(x, [ROWS, hidden], [row, 0], valid_shape=[live, hidden]))
        square = pypto.sum(block * block, -1, True) / hidden
        result = block / pypto.sqrt(square + epsilon) * weight
        pypto.assemble(rounded(result, out.dtype), [row, 0], out)
