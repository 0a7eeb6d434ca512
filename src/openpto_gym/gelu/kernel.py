# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernels: gelu in its two forms and their gradients, a block of tokens at a time."""

import math

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile

TOKENS = 16
FORMS = ("erf", "tanh")

# The tanh form: tanh(c * (x + CUBIC * x^3)) with c = sqrt(2 / pi), written as a sigmoid of twice the argument.
CUBIC = 0.044715
TWICE_C = 2.0 * math.sqrt(2.0 / math.pi)
INVERSE_SQRT_2 = math.sqrt(0.5)
INVERSE_SQRT_2_PI = math.sqrt(0.5 / math.pi)
# Beyond it the gradients are 0 or 1 in FP32, and powers of x may overflow.
FAR = 16.0


def gelu_erf(x):
    """x * P(N < x) for a standard normal N: 0.5 * x * (1 + erf(x / sqrt(2)))."""
    return x * 0.5 * (pypto.erf(x * INVERSE_SQRT_2) + 1.0)


def gelu_tanh(x):
    """The approximation x * sigmoid(2c * (x + CUBIC * x^3))."""
    return x * pypto.sigmoid((x * x * CUBIC + 1.0) * x * TWICE_C)


def slope_erf(x):
    """The derivative of `gelu_erf`: P(N < x) + x * density(x)."""
    near = pypto.maximum(pypto.minimum(x, FAR), -FAR)
    density = pypto.exp(near * near * -0.5) * INVERSE_SQRT_2_PI
    return (pypto.erf(near * INVERSE_SQRT_2) + 1.0) * 0.5 + near * density


def slope_tanh(x):
    """The derivative of `gelu_tanh`: s + x * s * (1 - s) * 2c * (1 + 3 * CUBIC * x^2), s the sigmoid."""
    near = pypto.maximum(pypto.minimum(x, FAR), -FAR)
    square = near * near
    s = pypto.sigmoid((square * CUBIC + 1.0) * near * TWICE_C)
    return s + s * (1.0 - s) * near * ((square * (3.0 * CUBIC) + 1.0) * TWICE_C)


@pypto.frontend.jit
def gelu(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    form: str = "erf",
):
    """x, out [B, T, H, K] of one float dtype; `form` is "erf" or "tanh". B and T are dynamic."""
    batch, tokens, heads, width = x.shape
    block = [1, TOKENS, heads, width]
    pypto.set_vec_tile_shapes(*vector_tile(block))
    for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
        for t in pypto.loop(0, tokens, TOKENS, name="LOOP_T", idx_name="t"):
            live = [1, (tokens - t).min(TOKENS), heads, width]
            tile = pypto.view(x, block, [b, t, 0, 0], valid_shape=live)
            function = gelu_erf if form == "erf" else gelu_tanh
            pypto.assemble(rounded(function(widened(tile)), out.dtype), [b, t, 0, 0], out)


@pypto.frontend.jit
def gelu_backward(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    grad: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    form: str = "erf",
):
    """out = grad * gelu'(x); x, grad, out [B, T, H, K] of one float dtype."""
    batch, tokens, heads, width = x.shape
    block = [1, TOKENS, heads, width]
    pypto.set_vec_tile_shapes(*vector_tile(block))
    for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
        for t in pypto.loop(0, tokens, TOKENS, name="LOOP_T", idx_name="t"):
            live = [1, (tokens - t).min(TOKENS), heads, width]
            tile = pypto.view(x, block, [b, t, 0, 0], valid_shape=live)
            above = pypto.view(grad, block, [b, t, 0, 0], valid_shape=live)
            slope = slope_erf if form == "erf" else slope_tanh
            result = widened(above) * slope(widened(tile))
            pypto.assemble(rounded(result, out.dtype), [b, t, 0, 0], out)
