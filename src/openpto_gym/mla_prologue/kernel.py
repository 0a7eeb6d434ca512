# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: from hidden states to the queries of latent attention and a filled cache, a block of tokens at a time.

Queries go through a narrow vector; the part without positions is multiplied by the key projection of its head, so that
attention can work on latent vectors. Keys and values are one latent vector and one turned vector per token.
"""

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.rotary import angle_halves, rotated

TOKENS = 16
COLS = 128
EVEN, ODD = 1, 2
"""Patterns of gathermask."""


def normed(x, gamma, epsilon):
    """Rows of x [TOKENS, width] divided by their root mean square, times gamma [1, width]."""
    return x / pypto.sqrt(pypto.sum(x * x, -1, True) / x.shape[1] + epsilon) * gamma


def turned(x, angles, live):
    """Neighbouring columns of x [TOKENS, R] turned together; even results first."""
    half = x.shape[1] // 2
    pypto.set_vec_tile_shapes(TOKENS, x.shape[1])
    halves = pypto.gathermask(x, EVEN), pypto.gathermask(x, ODD)
    pypto.set_vec_tile_shapes(TOKENS, half)
    left, right = rotated(halves, *angles)
    whole = pypto.full([TOKENS, 2 * half], 0.0, pypto.DT_FP32, valid_shape=[live, 2 * half])
    pypto.assemble(left, [0, 0], whole)
    pypto.assemble(right, [0, half], whole)
    return whole


def angles_of(table, t, live, width):
    """The halves [TOKENS, width // 2] of a block of a table of cosines or sines."""
    parts = angle_halves(table, t, live, TOKENS, width)
    return [pypto.reshape(part, [TOKENS, width // 2], valid_shape=[live, width // 2]) for part in parts]


def store_head(x, t, head, live, out):
    """x [TOKENS, width] as one head of a tensor [T, N, width]."""
    width = x.shape[1]
    x = rounded(x, out.dtype)
    pypto.set_vec_tile_shapes(TOKENS, 1, width)
    pypto.assemble(pypto.reshape(x, [TOKENS, 1, width], valid_shape=[live, 1, width]), [t, head, 0], out)


def store_rows(x, rows, cache):
    """x [TOKENS, width] into rows [TOKENS, 1] of a cache."""
    pypto.set_vec_tile_shapes(1, x.shape[1])
    pypto.scatter_update(cache, -2, rows, rounded(x, cache.dtype))


@pypto.frontend.jit
def mla_prologue(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    w_dq: pypto.Tensor([pypto.STATIC, pypto.STATIC]),
    gamma_q: pypto.Tensor([pypto.STATIC]),
    w_uq: pypto.Tensor([pypto.STATIC, pypto.STATIC]),
    w_uk: pypto.Tensor([pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    w_dkv: pypto.Tensor([pypto.STATIC, pypto.STATIC]),
    gamma_kv: pypto.Tensor([pypto.STATIC]),
    cos: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    sin: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    slots: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_INT32),
    q_latent: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    q_rope: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    latent_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    rope_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    epsilon: float = 1e-6,
):
    """x [T, H]; weights as in README.md; q_latent [T, N, L], q_rope [T, N, R]; caches [rows, L] and [rows, R], changed.

    All of one float dtype, sums and norms in FP32; slots [T, 1] are rows of the caches. T and the rows are dynamic.
    """
    tokens, hidden = x.shape
    narrow, (heads, plain, latent), width = w_dq.shape[1], w_uk.shape, q_rope.shape[2]
    fp32, each = pypto.DT_FP32, plain + width
    pypto.set_vec_tile_shapes(TOKENS, COLS)
    pypto.set_cube_tile_shapes([TOKENS, TOKENS], [COLS, COLS], [COLS, COLS])
    norm_q = widened(pypto.reshape(gamma_q, [1, narrow]))
    norm_kv = widened(pypto.reshape(gamma_kv, [1, latent]))
    for t in pypto.loop(0, tokens, TOKENS, name="LOOP_T", idx_name="t"):
        live = (tokens - t).min(TOKENS)
        angles = angles_of(cos, t, live, width), angles_of(sin, t, live, width)
        pypto.set_vec_tile_shapes(TOKENS, COLS)
        block = pypto.view(x, [TOKENS, hidden], [t, 0], valid_shape=[live, hidden])
        down = rounded(normed(pypto.matmul(block, w_dq, fp32), norm_q, epsilon), x.dtype)
        up = pypto.matmul(down, w_uq, fp32)
        for head in range(heads):
            pypto.set_vec_tile_shapes(TOKENS, COLS)
            without = rounded(pypto.view(up, [TOKENS, plain], [0, head * each], valid_shape=[live, plain]), x.dtype)
            pypto.set_vec_tile_shapes(1, COLS, COLS)
            matrix = pypto.reshape(pypto.view(w_uk, [1, plain, latent], [head, 0, 0]), [plain, latent])
            pypto.set_vec_tile_shapes(TOKENS, COLS)
            store_head(pypto.matmul(without, matrix, fp32), t, head, live, q_latent)
            pypto.set_vec_tile_shapes(TOKENS, COLS)
            place = [0, head * each + plain]
            store_head(turned(pypto.view(up, [TOKENS, width], place, valid_shape=[live, width]), angles, live),
                       t, head, live, q_rope)  # fmt: skip
        pypto.set_vec_tile_shapes(TOKENS, COLS)
        both = pypto.matmul(block, w_dkv, fp32)
        key = turned(pypto.view(both, [TOKENS, width], [0, latent], valid_shape=[live, width]), angles, live)
        pypto.set_vec_tile_shapes(TOKENS, COLS)
        shared = normed(pypto.view(both, [TOKENS, latent], [0, 0], valid_shape=[live, latent]), norm_kv, epsilon)
        rows = pypto.view(slots, [TOKENS, 1], [t, 0], valid_shape=[live, 1])
        store_rows(shared, rows, latent_cache)
        store_rows(key, rows, rope_cache)
