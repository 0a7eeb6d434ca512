# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernels: weights rounded to steps of their channel, and straight-through gradients of weights and steps."""

import pypto
from openpto_gym.tiles import vector_tile

ROWS = 64
SMALLEST = 1e-8
"""The least step; a channel with a smaller one uses it, and its step gets no gradient."""


def steps_of(weight, scale, row, live, width, low, high):
    """Of a block of channels: weights in steps, the same rounded and limited, and the steps [ROWS, 1] in use."""
    step = pypto.maximum(pypto.view(scale, [ROWS, 1], [row, 0], valid_shape=[live, 1]), SMALLEST)
    ratio = pypto.view(weight, [ROWS, width], [row, 0], valid_shape=[live, width]) / step
    return ratio, pypto.clip(pypto.round(ratio), low, high), step


@pypto.frontend.jit
def fake_quant(
    weight: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    scale: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    bits: int = 4,
):
    """weight, out [channels, width], scale [channels, 1]; the number of channels is dynamic."""
    rows, width = weight.shape
    low, high = -(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, width]))
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(ROWS)
        _, limited, step = steps_of(weight, scale, row, live, width, low, high)
        pypto.assemble(limited * step, [row, 0], out)


@pypto.frontend.jit
def fake_quant_backward(
    weight: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    scale: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_FP32),
    grad: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    dweight: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    dscale: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_FP32),
    bits: int = 4,
):
    """weight, grad, dweight [channels, width]; scale, dscale [channels, 1]. Rounding passes the gradient through."""
    rows, width = weight.shape
    low, high = -(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1
    pypto.set_vec_tile_shapes(*vector_tile([ROWS, width]))
    for row in pypto.loop(0, rows, ROWS, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(ROWS)
        ratio, limited, _ = steps_of(weight, scale, row, live, width, low, high)
        above = pypto.view(grad, [ROWS, width], [row, 0], valid_shape=[live, width])
        inside = pypto.eq(limited, pypto.round(ratio))
        pypto.assemble(pypto.where(inside, above, 0.0), [row, 0], dweight)
        slope = pypto.sum(above * pypto.where(inside, limited - ratio, limited), -1, True)
        given = pypto.view(scale, [ROWS, 1], [row, 0], valid_shape=[live, 1])
        pypto.assemble(pypto.where(pypto.ge(given, SMALLEST), slope, 0.0), [row, 0], dscale)
