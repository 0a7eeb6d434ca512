# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: incremental decoding; the heads of a group are the rows of a block, keys come from pages."""

import pypto
from openpto_gym import flash
from openpto_gym.precision import rounded


@pypto.frontend.jit
def paged_attention(
    query: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    key_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    value_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    block_table: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC], pypto.DT_INT32),
    lengths: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    scale: float,
):
    """query, out [B, S, Nq, D]; caches [blocks, size, Nkv, D], of one float dtype, softmax and sums in FP32.

    The S queries of a sequence are its last tokens: query s sees the first lengths[b] - S + s + 1 of the tokens that
    row b of block_table [B, most] names. B, blocks and most are dynamic.
    """
    batch, steps, heads, width = query.shape
    size, kv_heads = key_cache.shape[1], key_cache.shape[2]
    group = heads // kv_heads
    for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
        for s in pypto.loop(steps, name="LOOP_S", idx_name="s"):
            seen = (lengths[b] - (steps - 1) + s).max(0)
            for head in pypto.loop(kv_heads, name="LOOP_HEAD", idx_name="head"):
                rows = [1, 1, group, width]
                q = flash.rows_of(query, rows, [b, s, head * group, 0], rows)
                state = flash.start(group, width, group)
                for page in pypto.loop(pypto.ceildiv(seen, size), name="LOOP_PAGE", idx_name="page"):
                    live = (seen - page * size).min(size)
                    place, valid = [block_table[b, page], 0, head, 0], [1, live, 1, width]
                    k = flash.rows_of(key_cache, [1, size, 1, width], place, valid)
                    v = flash.rows_of(value_cache, [1, size, 1, width], place, valid)
                    flash.fold(state, pypto.matmul(q, k, pypto.DT_FP32, b_trans=True) * scale, v)
                result = rounded(flash.finish(state), out.dtype)
                pypto.set_vec_tile_shapes(*rows)
                pypto.assemble(pypto.reshape(result, rows), [b, s, head * group, 0], out)
