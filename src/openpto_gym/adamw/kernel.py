# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: moments, their bias corrections and decoupled weight decay, a block of rows at a time."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile

ROWS = 32


@pypto.frontend.jit
def adamw(
    weight: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    grad: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    mean: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    square: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    corrections: pypto.Tensor([1, 2], pypto.DT_FP32),
    weight_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    mean_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    square_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    rate: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    decay: float = 0.01,
):
    """weight, grad, weight_out [rows, width] of one float dtype; the moments in FP32; computed in FP32.

    corrections [1, 2] are 1 - beta1^step and 1 - beta2^step, a tensor, so that a step is no new compilation. The rows
    are dynamic. Outputs may be the memory of the inputs.
    """
    rows, width = weight.shape
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, width]))
    first, second = pypto.view(corrections, [1, 1], [0, 0]), pypto.view(corrections, [1, 1], [0, 1])
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        valid = [(rows - row).min(ROWS), width]
        old, slope, m, v = (
            widened(pypto.view(source, [ROWS, width], [row, 0], valid_shape=valid))
            for source in (weight, grad, mean, square)
        )
        m = m * beta1 + slope * (1.0 - beta1)
        v = v * beta2 + slope * slope * (1.0 - beta2)
        step = m / first / (pypto.sqrt(v / second) + epsilon) + old * decay
        pypto.assemble(rounded(old - step * rate, weight_out.dtype), [row, 0], weight_out)
        pypto.assemble(m, [row, 0], mean_out)
        pypto.assemble(v, [row, 0], square_out)
