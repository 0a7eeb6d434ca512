# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: from hidden states to queries and a filled cache, a block of tokens at a time.

One iteration adds the residual, normalises, quantises to INT8, multiplies by the joint weight of queries, keys and
values, normalises and turns every head, and writes keys and values to the slots of their tokens.
"""

from dataclasses import dataclass

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.quantising import int8_rows
from openpto_gym.rotary import angle_halves, rotated

TOKENS = 16
COLS = 128


@dataclass(frozen=True)
class Shape:
    """``heads`` query and ``kv_heads`` key heads of width ``width``, of which the first ``turned`` columns turn."""

    heads: int
    kv_heads: int
    width: int
    turned: int


def normed(x, gamma, width, epsilon):
    """Rows of x [rows, width] divided by their root mean square, times gamma [1, width]."""
    return x / pypto.sqrt(pypto.sum(x * x, -1, True) / width + epsilon) * gamma


def flat_angles(table, t, live, turned):
    """The halves [TOKENS, turned // 2] of a block of a table of cosines or sines."""
    half = turned // 2
    return [
        pypto.reshape(part, [TOKENS, half], valid_shape=[live, half])
        for part in angle_halves(table, t, live, TOKENS, turned)
    ]


def head_of(both, number, shape, live):
    """Head `number` [TOKENS, width] of the joint projection."""
    return pypto.view(both, [TOKENS, shape.width], [0, number * shape.width], valid_shape=[live, shape.width])


def turned_head(head, gamma, angles, shape, live, epsilon):
    """The three parts of a head after its norm: both turned halves and the columns that do not turn, if there are."""
    head = normed(head, gamma, shape.width, epsilon)
    half, rest = shape.turned // 2, shape.width - shape.turned
    halves = [pypto.view(head, [TOKENS, half], [0, column], valid_shape=[live, half]) for column in (0, half)]
    parts = list(rotated(halves, *angles))
    if rest > 0:
        parts.append(pypto.view(head, [TOKENS, rest], [0, shape.turned], valid_shape=[live, rest]))
    return parts


@pypto.frontend.jit
def qkv_prologue(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    residual: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    gamma: pypto.Tensor([pypto.STATIC]),
    weight: pypto.Tensor([pypto.STATIC, pypto.STATIC], pypto.DT_INT8),
    weight_scale: pypto.Tensor([1, pypto.STATIC], pypto.DT_FP32),
    bias: pypto.Tensor([1, pypto.STATIC], pypto.DT_FP32),
    gamma_q: pypto.Tensor([pypto.STATIC]),
    gamma_k: pypto.Tensor([pypto.STATIC]),
    cos: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    sin: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    slots: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_INT32),
    total: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    query: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    key_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    value_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    shape: Shape,
    epsilon: float = 1e-5,
):
    """x, residual, total [T, H]; weight [H, (Nq + 2 Nkv) D]; cos, sin [T, R]; query [T, Nq D]; caches [rows, Nkv D].

    Of one float dtype but for the weight and its scale and bias; slots [T, 1] are rows of the caches, which are
    changed. T and the rows are dynamic.
    """
    tokens, hidden = x.shape
    pypto.set_vec_tile_shapes(TOKENS, COLS)
    pypto.set_cube_tile_shapes([TOKENS, TOKENS], [COLS, COLS], [COLS, COLS])
    norm = widened(pypto.reshape(gamma, [1, hidden]))
    norm_q, norm_k = (widened(pypto.reshape(g, [1, shape.width])) for g in (gamma_q, gamma_k))
    for t in pypto.loop(0, tokens, TOKENS, name="LOOP_T", idx_name="t"):
        live = (tokens - t).min(TOKENS)
        angles = flat_angles(cos, t, live, shape.turned), flat_angles(sin, t, live, shape.turned)
        pypto.set_vec_tile_shapes(TOKENS, COLS)
        block = widened(pypto.view(x, [TOKENS, hidden], [t, 0], valid_shape=[live, hidden]))
        block = block + widened(pypto.view(residual, [TOKENS, hidden], [t, 0], valid_shape=[live, hidden]))
        pypto.assemble(rounded(block, total.dtype), [t, 0], total)

        steps, scale = int8_rows(normed(block, norm, hidden, epsilon))
        both = pypto.cast(pypto.matmul(steps, weight, pypto.DT_INT32), pypto.DT_FP32) * scale * weight_scale + bias

        for number in range(shape.heads):
            column = number * shape.width
            for part in turned_head(head_of(both, number, shape, live), norm_q, angles, shape, live, epsilon):
                pypto.assemble(rounded(part, query.dtype), [t, column], query)
                column += part.shape[1]
        for number in range(shape.kv_heads):
            key = head_of(both, shape.heads + number, shape, live)
            value = head_of(both, shape.heads + shape.kv_heads + number, shape, live)
            column = number * shape.width
            for part in turned_head(key, norm_k, angles, shape, live, epsilon):
                store(part, column, slots, t, live, key_cache)
                column += part.shape[1]
            store(value, number * shape.width, slots, t, live, value_cache)


def store(part, column, slots, t, live, cache):
    """Row i of a part [TOKENS, width] into row slots[t + i] of a cache, from a column on."""
    part = rounded(part, cache.dtype)
    width = part.shape[1]
    for i in pypto.loop(live, name="LOOP_ROW", idx_name="i"):
        row = pypto.view(part, [1, width], [i, 0])
        pypto.assemble(row, [slots[t + i, 0], column], cache)
