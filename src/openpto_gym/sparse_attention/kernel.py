# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: every query names the tokens that it sees; their latent vectors are gathered from pages into blocks."""

import pypto
from openpto_gym import flash
from openpto_gym.flash import BLOCK
from openpto_gym.precision import rounded


def gathered(cache, tokens, pages, page_size, width, transposed):
    """The rows [BLOCK, width] of tokens [1, BLOCK], found by the pages [1, most], as the right operand of a product."""
    return pypto.experimental.gather_in_l1(cache, tokens, pages, page_size, width, True, transposed)


@pypto.frontend.jit
def sparse_attention(
    q_latent: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    q_rope: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    latent_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    rope_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    block_table: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_INT32),
    owner: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    chosen: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC], pypto.DT_INT32),
    counts: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    page_size: int,
    scale: float,
):
    """q_latent, out [T, N, L]; q_rope [T, N, R]; caches [blocks * page_size, L] and [.., R], of one float dtype.

    Query t belongs to sequence owner[t], whose pages are row owner[t] of block_table [B, most]; it sees the tokens
    chosen[t, :counts[t]] of it. T, B, the blocks and the width of `chosen` are dynamic; N is at most 128.
    """
    queries, heads, latent = q_latent.shape
    turned, most, fp32 = q_rope.shape[2], block_table.shape[1], pypto.DT_FP32
    for t in pypto.loop(queries, name="LOOP_T", idx_name="t"):
        q_l = flash.rows_of(q_latent, [1, heads, latent], [t, 0, 0], [1, heads, latent])
        q_r = flash.rows_of(q_rope, [1, heads, turned], [t, 0, 0], [1, heads, turned])
        pages = pypto.view(block_table, [1, most], [owner[t], 0])
        state = flash.start(heads, latent, heads)
        count = counts[t]
        for j in pypto.loop(0, count, BLOCK, name="LOOP_CHOSEN", idx_name="j"):
            flash.set_tiles()
            live = (count - j).min(BLOCK)
            tokens = pypto.view(chosen, [1, BLOCK], [t, j], valid_shape=[1, live])
            keys = gathered(latent_cache, tokens, pages, page_size, latent, True)
            turns = gathered(rope_cache, tokens, pages, page_size, turned, True)
            scores = pypto.matmul(q_l, keys, fp32, b_trans=True) + pypto.matmul(q_r, turns, fp32, b_trans=True)
            flash.fold(state, scores * scale, gathered(latent_cache, tokens, pages, page_size, latent, False))
        result = rounded(flash.finish(state), out.dtype)
        pypto.set_vec_tile_shapes(1, 16, latent)
        pypto.assemble(pypto.reshape(result, [1, heads, latent]), [t, 0, 0], out)
