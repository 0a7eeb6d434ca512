# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: neighbouring columns turn together; even results go to the left half, odd ones to the right."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile

TOKENS = 32
EVEN, ODD = 1, 2
"""Patterns of gathermask."""


def even_and_odd(source, offsets, live, heads, width):
    """Even and odd columns of a block [1, heads, TOKENS, width], in FP32."""
    shape = [1, heads, TOKENS, width]
    pypto.set_vec_tile_shapes(*vector_tile(shape))
    block = widened(pypto.view(source, shape, offsets, valid_shape=[1, heads, live, width]))
    return pypto.gathermask(block, EVEN), pypto.gathermask(block, ODD)


@pypto.frontend.jit
def interleave_rope(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.DYNAMIC, pypto.STATIC]),
    cos: pypto.Tensor([pypto.DYNAMIC, 1, pypto.DYNAMIC, pypto.STATIC]),
    sin: pypto.Tensor([pypto.DYNAMIC, 1, pypto.DYNAMIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.DYNAMIC, pypto.STATIC]),
    one_angle: bool = False,
):
    """x, out [B, N, S, D] and cos, sin [B, 1, S, D] of one float dtype, D even; B and S are dynamic.

    With `one_angle` the tables are [B, 1, 1, D]: all tokens of a batch entry turn alike. Computed in FP32.
    """
    batch, heads, tokens, width = x.shape
    half = width // 2
    for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
        for s in pypto.loop(0, tokens, TOKENS, name="LOOP_S", idx_name="s"):
            live = (tokens - s).min(TOKENS)
            if one_angle:
                pypto.set_vec_tile_shapes(1, 1, 1, width)
                cosines = widened(pypto.view(cos, [1, 1, 1, width], [b, 0, 0, 0]))
                sines = widened(pypto.view(sin, [1, 1, 1, width], [b, 0, 0, 0]))
                cos_even, cos_odd = pypto.gathermask(cosines, EVEN), pypto.gathermask(cosines, ODD)
                sin_even, sin_odd = pypto.gathermask(sines, EVEN), pypto.gathermask(sines, ODD)
            else:
                cos_even, cos_odd = even_and_odd(cos, [b, 0, s, 0], live, 1, width)
                sin_even, sin_odd = even_and_odd(sin, [b, 0, s, 0], live, 1, width)
            even, odd = even_and_odd(x, [b, 0, s, 0], live, heads, width)
            pypto.set_vec_tile_shapes(*vector_tile([1, heads, TOKENS, half]))
            pypto.assemble(rounded(even * cos_even - odd * sin_even, out.dtype), [b, 0, s, 0], out)
            pypto.assemble(rounded(even * sin_odd + odd * cos_odd, out.dtype), [b, 0, s, half], out)
