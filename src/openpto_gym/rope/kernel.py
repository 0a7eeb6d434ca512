# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: rotary position embedding in its half form, on the first columns of every head."""

import pypto
from openpto_gym.precision import rounded
from openpto_gym.rotary import angle_halves, head_halves, rotated
from openpto_gym.tiles import vector_tile

TOKENS = 32


@pypto.frontend.jit
def rope(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    cos: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    sin: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    inverse: bool = False,
):
    """x, out [T, N, D] and cos, sin [T, R], R <= D even, of one float dtype; columns from R on are copied.

    With `inverse` it turns back, which is also the gradient. Computed in FP32; the number of tokens is dynamic.
    """
    tokens, heads, width = x.shape
    turned = cos.shape[1]
    half, rest = turned // 2, width - turned
    for t in pypto.loop(0, tokens, TOKENS, name="LOOP_T", idx_name="t"):
        live = (tokens - t).min(TOKENS)
        cosines = angle_halves(cos, t, live, TOKENS, turned)
        sines = angle_halves(sin, t, live, TOKENS, turned)
        halves = head_halves(x, t, live, TOKENS, heads, turned)
        if inverse:
            # The transposed rotation: the sines change sign and places.
            sines = [-sines[1], -sines[0]]
        for column, result in zip((0, half), rotated(halves, cosines, sines), strict=True):
            pypto.assemble(rounded(result, out.dtype), [t, 0, column], out)
        if rest > 0:
            pypto.set_vec_tile_shapes(*vector_tile([TOKENS, heads, rest]))
            plain = pypto.view(x, [TOKENS, heads, rest], [t, 0, turned], valid_shape=[live, heads, rest])
            pypto.assemble(plain, [t, 0, turned], out)
