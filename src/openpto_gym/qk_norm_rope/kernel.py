# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: heads of queries and of keys are normalised and turned by the angles of their token, in one pass."""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.rotary import angle_halves, head_halves, rotated

TOKENS = 16


def weight_halves(gamma, width):
    """The halves of a weight [width] as [1, 1, width // 2], in FP32."""
    half = width // 2
    pypto.set_vec_tile_shapes(1, 1, half)
    whole = widened(pypto.reshape(gamma, [1, 1, width]))
    return [pypto.view(whole, [1, 1, half], [0, 0, column]) for column in (0, half)]


def normed(halves, weights, width, epsilon):
    """The halves of heads divided by the root mean square of both together, times the weight."""
    left, right = halves
    square = pypto.sum(left * left, -1, True) + pypto.sum(right * right, -1, True)
    root = pypto.sqrt(square / width + epsilon)
    return left / root * weights[0], right / root * weights[1]


def turn_heads(source, t, live, weights, cosines, sines, epsilon, out):
    """A block of tokens of a tensor [T, N, D], normalised and turned, into `out`."""
    width = source.shape[2]
    halves = head_halves(source, t, live, TOKENS, source.shape[1], width)
    left, right = rotated(normed(halves, weights, width, epsilon), cosines, sines)
    pypto.assemble(rounded(left, out.dtype), [t, 0, 0], out)
    pypto.assemble(rounded(right, out.dtype), [t, 0, width // 2], out)


@pypto.frontend.jit
def qk_norm_rope(
    query: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    key: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    gamma_q: pypto.Tensor([pypto.STATIC]),
    gamma_k: pypto.Tensor([pypto.STATIC]),
    cos: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    sin: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    query_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    key_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    epsilon: float = 1e-6,
):
    """query [T, Nq, D], key [T, Nk, D], gammas [D], cos, sin [T, D]; of one float dtype. The tokens are dynamic."""
    tokens, width = query.shape[0], query.shape[2]
    weights_q, weights_k = weight_halves(gamma_q, width), weight_halves(gamma_k, width)
    for t in pypto.loop(0, tokens, TOKENS, name="LOOP_T", idx_name="t"):
        live = (tokens - t).min(TOKENS)
        cosines = angle_halves(cos, t, live, TOKENS, width)
        sines = angle_halves(sin, t, live, TOKENS, width)
        turn_heads(query, t, live, weights_q, cosines, sines, epsilon, query_out)
        turn_heads(key, t, live, weights_k, cosines, sines, epsilon, key_out)
