# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernels: `out = x * sigmoid(x)` and its gradient, a block of tokens at a time."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile

TOKENS = 16


@pypto.frontend.jit
def silu(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
):
    """x, out [B, T, H, K] of one float dtype; computed in FP32. B and T are dynamic."""
    batch, tokens, heads, width = x.shape
    block = [1, TOKENS, heads, width]
    pypto.set_vec_tile_shapes(*vector_tile(block))
    for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
        for t in pypto.loop(0, tokens, TOKENS, name="LOOP_T", idx_name="t"):
            live = [1, (tokens - t).min(TOKENS), heads, width]
            tile = widened(pypto.view(x, block, [b, t, 0, 0], valid_shape=live))
            pypto.assemble(rounded(tile * pypto.sigmoid(tile), out.dtype), [b, t, 0, 0], out)


@pypto.frontend.jit
def silu_backward(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    grad: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
):
    """out = grad * s * (1 + x * (1 - s)) with s = sigmoid(x); all [B, T, H, K] of one float dtype."""
    batch, tokens, heads, width = x.shape
    block = [1, TOKENS, heads, width]
    pypto.set_vec_tile_shapes(*vector_tile(block))
    for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
        for t in pypto.loop(0, tokens, TOKENS, name="LOOP_T", idx_name="t"):
            live = [1, (tokens - t).min(TOKENS), heads, width]
            tile = widened(pypto.view(x, block, [b, t, 0, 0], valid_shape=live))
            above = widened(pypto.view(grad, block, [b, t, 0, 0], valid_shape=live))
            share = pypto.sigmoid(tile)
            slope = share * (1.0 + tile * (1.0 - share))
            pypto.assemble(rounded(above * slope, out.dtype), [b, t, 0, 0], out)
