# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: all heads share one latent vector per token, which is key and value; a rotary part is key only."""

import pypto
from openpto_gym import flash
from openpto_gym.precision import rounded


@pypto.frontend.jit
def mla_decode(
    q_latent: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    q_rope: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    latent_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    rope_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    block_table: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC], pypto.DT_INT32),
    lengths: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    scale: float,
):
    """q_latent, out [B, S, N, L]; q_rope [B, S, N, R]; caches [blocks, size, L] and [blocks, size, R].

    Of one float dtype, softmax and sums in FP32. Query s of a sequence sees its first lengths[b] - S + s + 1 tokens.
    B, blocks and the width of the block table are dynamic; N is at most 128.
    """
    batch, steps, heads, latent = q_latent.shape
    size, turned = latent_cache.shape[1], q_rope.shape[3]
    fp32 = pypto.DT_FP32
    for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
        for s in pypto.loop(steps, name="LOOP_S", idx_name="s"):
            seen = (lengths[b] - (steps - 1) + s).max(0)
            q_l = flash.rows_of(q_latent, [1, 1, heads, latent], [b, s, 0, 0], [1, 1, heads, latent])
            q_r = flash.rows_of(q_rope, [1, 1, heads, turned], [b, s, 0, 0], [1, 1, heads, turned])
            state = flash.start(heads, latent, heads)
            for page in pypto.loop(pypto.ceildiv(seen, size), name="LOOP_PAGE", idx_name="page"):
                live = (seen - page * size).min(size)
                block = block_table[b, page]
                k_r = flash.rows_of(rope_cache, [1, size, turned], [block, 0, 0], [1, live, turned])
                k_l = flash.rows_of(latent_cache, [1, size, latent], [block, 0, 0], [1, live, latent])
                scores = pypto.matmul(q_l, k_l, fp32, b_trans=True) + pypto.matmul(q_r, k_r, fp32, b_trans=True)
                flash.fold(state, scores * scale, k_l)
            result = rounded(flash.finish(state), out.dtype)
            pypto.set_vec_tile_shapes(1, 1, 16, latent)
            pypto.assemble(pypto.reshape(result, [1, 1, heads, latent]), [b, s, 0, 0], out)
