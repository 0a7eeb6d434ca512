# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: rows with their mean taken away and divided by their deviation, a block of rows at a time."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile

ROWS = 64


def normalised(block, width, epsilon):
    """Rows of a block [rows, width] in FP32 with mean zero and variance one; the mean is taken away before squaring."""
    centred = block - pypto.sum(block, -1, True) / width
    variance = pypto.sum(centred * centred, -1, True) / width
    return centred / pypto.sqrt(variance + epsilon)


@pypto.frontend.jit
def layer_norm(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    gamma: pypto.Tensor([pypto.STATIC]),
    beta: pypto.Tensor([pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    epsilon: float = 1e-6,
):
    """x, out [rows, hidden]; gamma, beta [hidden]; of one float dtype, computed in FP32. The rows are dynamic."""
    rows, hidden = x.shape
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, hidden]))
    scale = widened(pypto.reshape(gamma, [1, hidden]))
    shift = widened(pypto.reshape(beta, [1, hidden]))
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(ROWS)
        block = widened(pypto.view(x, [ROWS, hidden], [row, 0], valid_shape=[live, hidden]))
        result = normalised(block, hidden, epsilon) * scale + shift
        pypto.assemble(rounded(result, out.dtype), [row, 0], out)
