# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: gradients of rms_norm for its rows and its weight, a block of rows at a time."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile

ROWS = 64


@pypto.frontend.jit
def rms_norm_backward(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    gamma: pypto.Tensor([pypto.STATIC]),
    grad: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    dx: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    dgamma: pypto.Tensor([pypto.STATIC], pypto.DT_FP32),
    epsilon: float = 1e-6,
):
    """x, grad, dx [rows, hidden] and gamma [hidden] of one float dtype; dgamma [hidden] in FP32, a sum over rows."""
    rows, hidden = x.shape
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, hidden]))
    weight = widened(pypto.reshape(gamma, [1, hidden]))
    total = pypto.full([1, hidden], 0.0, pypto.DT_FP32)
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(ROWS)
        block = widened(pypto.view(x, [ROWS, hidden], [row, 0], valid_shape=[live, hidden]))
        above = widened(pypto.view(grad, [ROWS, hidden], [row, 0], valid_shape=[live, hidden]))
        root = pypto.sqrt(pypto.sum(block * block, -1, True) / hidden + epsilon)
        unit = block / root
        total[:] = total + pypto.sum(above * unit, 0, True)
        scaled = above * weight
        along = pypto.sum(scaled * unit, -1, True) / hidden
        result = (scaled - unit * along) / root
        pypto.assemble(rounded(result, dx.dtype), [row, 0], dx)
    dgamma[:] = pypto.reshape(total, [hidden])
