# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: a mean of squares, a momentum and the weights, a block of rows at a time."""

from dataclasses import dataclass

import pypto
from openpto_gym.tiles import vector_tile

ROWS = 32


@dataclass(frozen=True)
class RmsPropConfig:
    """``rho`` keeps the mean of squares, ``momentum`` the last step; ``epsilon`` is inside of the root."""

    rate: float = 1e-2
    rho: float = 0.9
    momentum: float = 0.9
    epsilon: float = 1e-7


DEFAULTS = RmsPropConfig()


@pypto.frontend.jit
def rms_prop(
    weight: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    grad: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    square: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    moment: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    weight_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    square_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    moment_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    config: RmsPropConfig = DEFAULTS,
):
    """All [rows, width] in FP32; the rows are dynamic. Outputs may be the memory of the inputs."""
    rows, width = weight.shape
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, width]))
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        valid = [(rows - row).min(ROWS), width]
        old, slope, ms, mom = (
            pypto.view(source, [ROWS, width], [row, 0], valid_shape=valid) for source in (weight, grad, square, moment)
        )
        ms = ms + (slope * slope - ms) * (1.0 - config.rho)
        mom = mom * config.momentum + slope * config.rate / pypto.sqrt(ms + config.epsilon)
        pypto.assemble(old - mom, [row, 0], weight_out)
        pypto.assemble(ms, [row, 0], square_out)
        pypto.assemble(mom, [row, 0], moment_out)
